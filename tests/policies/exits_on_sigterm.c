/* When asked it sends itself SIGTERM, works for 60 ms in the handler and ends with status 42. With
 * "quit" it plays column 3, and does the same only when told to quit. */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "player.h"

static void on_term(int number)
{
    struct timespec nap = {0, 60000000};
    (void)number;
    nanosleep(&nap, NULL);
    _exit(42);
}

int main(int argc, char **argv)
{
    char line[4096];
    int at_quit = argc > 1 && strcmp(argv[1], "quit") == 0;
    enum said said = SAID_OTHER;
    signal(SIGTERM, on_term);
    while (fgets(line, sizeof(line), stdin)) {
        said = player_line(line, "");
        if ((said == SAID_GO && !at_quit) || said == SAID_QUIT) {
            raise(SIGTERM);
        }
        if (said == SAID_GO) {
            player_move(3);
        }
        fflush(stdout);
    }
    return 0;
}
