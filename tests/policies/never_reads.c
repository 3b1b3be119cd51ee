/* Says all that could be wanted of it, thousands of times, and never reads a byte. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 2000; i++) {
        if (puts("d7pok\nreadyok\nbestmove 3") < 0) {
            return 1;
        }
    }
    fflush(stdout);
    for (;;) {
        pause();
    }
}
