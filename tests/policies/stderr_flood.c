/* A correct player (always column 3) that writes 300 KB to stderr before each answer and a last
 * word after it. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[4096];
    char noise[1000];
    memset(noise, '#', sizeof(noise));
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0) {
            puts("d7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (strncmp(line, "go", 2) == 0) {
            for (int i = 0; i < 300; i++) {
                fwrite(noise, 1, sizeof(noise), stderr);
            }
            fputs("last word\n", stderr);
            puts("bestmove 3");
        }
        fflush(stdout);
    }
    return 0;
}
