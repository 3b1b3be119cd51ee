/* Says why on stderr and ends with status 3. */
#include <stdio.h>

int main(void)
{
    fputs("no model file\n", stderr);
    return 3;
}
