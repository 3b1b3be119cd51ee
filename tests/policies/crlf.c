/* A correct player (always column 3) with CR LF, tabs, leading and doubled blanks; extended state
 * by its own word. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[4096];
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            fputs("  id\tname   Carriage  Return \r\n\tid family x\r\nid  "
                  "public-information\tfalse\r\n d7pok\r\n",
                  stdout);
        } else if (strncmp(line, "isready", 7) == 0) {
            fputs("\treadyok \r\n", stdout);
        } else if (strncmp(line, "go", 2) == 0) {
            fputs(" \t bestmove \t 3  ponder 4\r\n", stdout);
        }
        fflush(stdout);
    }
    return 0;
}
