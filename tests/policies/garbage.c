/* A correct player (always column 3) that surrounds every answer with bytes that are no text. */
#include <stdio.h>
#include <string.h>

static void noise(void)
{
    static const char bytes[] =
        "\xff\xfe\x00\x80 bestmove\x01\n\x00\x00\ninfo \xc3\x28 bestmove 5\n"
        "bestmove5\nBESTMOVE 1\nreadyok5\n\x1b[31mbestmove 4\n";
    fwrite(bytes, 1, sizeof(bytes) - 1, stdout);
}

int main(void)
{
    char line[4096];
    while (fgets(line, sizeof(line), stdin)) {
        noise();
        if (strncmp(line, "d7p", 3) == 0) {
            puts("id name \x1b[31mR\xc3\xa9"
                 "d\xff\x80 \xe2\x80\xae<b>\nid family\nid\nid public-information maybe\nd7pok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (strncmp(line, "go", 2) == 0) {
            puts("bestmove 3");
        }
        fflush(stdout);
    }
    return 0;
}
