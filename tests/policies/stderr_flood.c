/* A correct player (column 3 where it is legal) that writes 300 KB to stderr before each answer and
 * a last word after it. */
#include "player.h"

int main(void)
{
    char line[4096];
    char noise[1000];
    enum said said = SAID_OTHER;
    memset(noise, '#', sizeof(noise));
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        said = player_line(line, "");
        if (said == SAID_GO) {
            for (int i = 0; i < 300; i++) {
                fwrite(noise, 1, sizeof(noise), stderr);
            }
            fputs("last word\n", stderr);
            player_move(3);
        }
        fflush(stdout);
    }
    return 0;
}
