/* Says "bestm" and then nothing more; with an argument it ends instead. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char line[4096];
    (void)argv;
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("d7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("\nreadyok");
        } else if (strncmp(line, "go", 2) == 0) {
            fputs("bestm", stdout);
            if (argc > 1) {
                return 0;
            }
        }
        fflush(stdout);
    }
    return 0;
}
