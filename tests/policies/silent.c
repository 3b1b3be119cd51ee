/* Falls silent for ever at a stage: handshake, ready, go, or barrier (the second isready). */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    char line[4096];
    const char *stage = argc > 1 ? argv[1] : "handshake";
    int readies = 0;
    while (fgets(line, sizeof(line), stdin)) {
        if (strncmp(line, "d7p", 3) == 0 && strcmp(stage, "handshake") != 0) {
            puts("d7pok");
        } else if (strncmp(line, "isready", 7) == 0 && strcmp(stage, "ready") != 0 &&
                   !(strcmp(stage, "barrier") == 0 && readies > 0)) {
            readies++;
            puts("readyok");
        }
        fflush(stdout);
    }
    return 0;
}
