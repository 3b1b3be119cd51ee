/* Always column 3, and dies by SIGSEGV when asked for the n-th time (argument; counted in one
 * process). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char line[4096];
    long left = argc > 1 ? strtol(argv[1], NULL, 10) : 3;
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("d7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (strncmp(line, "go", 2) == 0) {
            if (--left == 0) {
                signal(SIGSEGV, SIG_DFL);
                raise(SIGSEGV);
            }
            puts("bestmove 3");
        }
        fflush(stdout);
    }
    return 0;
}
