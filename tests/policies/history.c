/* Keeps history: its n-th question is answered with column n mod 7, or the next legal one. */
#include "player.h"

int main(void)
{
    char line[4096];
    int asked = 0;
    enum said said = SAID_OTHER;
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        said = player_line(line, "");
        if (said == SAID_GO) {
            player_move(asked++ % 7);
        }
        fflush(stdout);
    }
    return 0;
}
