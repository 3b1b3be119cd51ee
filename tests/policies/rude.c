/* An endpoint without manners: its stdin and stdout are one TCP connection. Argument:
 *   reset         a RST instead of an answer     reset-after   a RST right behind the answer
 *   half          half closed behind the answer  early         all its answers at once, unasked
 *   bytewise      a segment for each byte
 *   mute          accepted, and no handshake     http          is a web server
 *   loris         a byte each 5 ms, no line      loris-lines   an id line each 5 ms, no end
 *   several       three answers in one segment   urgent        a byte out of band before the answer
 */
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "player.h"

static void say(const char *text)
{
    (void)!write(1, text, strlen(text));
}

static void nap(void)
{
    struct timespec t = {0, 5000000};
    nanosleep(&t, NULL);
}

static void reset(void)
{
    struct linger at_once = {1, 0};
    setsockopt(1, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    _exit(0);
}

static void for_ever(const char *text)
{
    for (;;) {
        say(text);
        nap();
    }
}

static void answer(const char *how)
{
    if (strcmp(how, "reset") == 0) {
        reset();
    } else if (strcmp(how, "bytewise") == 0) {
        for (const char *c = "bestmove 3\n"; *c; c++) {
            char one[] = {*c, '\0'};
            say(one);
            nap();
        }
        return;
    } else if (strcmp(how, "several") == 0) {
        say("bestmove 3\nbestmove 4\nbestmove 5\n");
        return;
    } else if (strcmp(how, "urgent") == 0) {
        send(1, "!", 1, MSG_OOB);
    }
    say("bestmove 3\n");
    if (strcmp(how, "reset-after") == 0) {
        nap();
        reset();
    } else if (strcmp(how, "half") == 0) {
        shutdown(1, SHUT_WR);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    char line[4096];
    setvbuf(stdout, NULL, _IONBF, 0);
    if (strcmp(how, "loris") == 0 || strcmp(how, "loris-lines") == 0) {
        for_ever(strcmp(how, "loris") == 0 ? "i" : "id name x\n");
    } else if (strcmp(how, "early") == 0) {
        say("d7pok\nreadyok\nbestmove 3\nbestmove 3\nbestmove 3\n");
    } else if (strcmp(how, "http") == 0) {
        say("HTTP/1.0 400 Bad Request\r\n\r\n");
        return 0;
    }
    while (fgets(line, sizeof(line), stdin)) {
        if (strcmp(how, "early") == 0 || strcmp(how, "mute") == 0) {
            continue;
        }
        if (player_line(line, "") == SAID_GO) {
            answer(how);
        }
    }
    return 0;
}
