/* Two answers to each question: the first is column 3, the second, 1, must not be taken for the
 * next one's. */
#include "player.h"

int main(void)
{
    char line[4096];
    enum said said = SAID_OTHER;
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        said = player_line(line, "");
        if (said == SAID_GO) {
            player_move(3);
            player_move(1);
        }
        fflush(stdout);
    }
    return 0;
}
