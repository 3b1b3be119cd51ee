/* A correct player (column 3 where it is legal) that surrounds every answer with bytes that are no
 * text. With "ids" what it says of itself is no better. */
#include "player.h"

static void noise(void)
{
    static const char bytes[] =
        "\xff\xfe\x00\x80 bestmove\x01\n\x00\x00\ninfo \xc3\x28 bestmove 5\n"
        "bestmove5\nBESTMOVE 1\nreadyok5\n\x1b[31mbestmove 4\n";
    fwrite(bytes, 1, sizeof(bytes) - 1, stdout);
}

int main(int argc, char **argv)
{
    static const char ids[] = "id name \x1b[31mR\xc3\xa9"
                              "d\xff\x80 \xe2\x80\xae<b>\nid family\nid\n"
                              "id public-information maybe\n";
    char line[4096];
    enum said said = SAID_OTHER;
    while (said != SAID_QUIT && fgets(line, sizeof(line), stdin)) {
        noise();
        said = player_line(line, argc > 1 && strcmp(argv[1], "ids") == 0 ? ids : "");
        if (said == SAID_GO) {
            player_move(3);
        }
        fflush(stdout);
    }
    return 0;
}
