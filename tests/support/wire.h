/*
 * wire.h - an HTTP client that sends exactly the bytes it is given, for tests of the server.
 *
 * Threads one wire, one thread. Every wait has a deadline (WIRE_MS), so no test hangs.
 */
#ifndef TESTS_SUPPORT_WIRE_H
#define TESTS_SUPPORT_WIRE_H

#include "tests/support/support.h"

#define WIRE_MS 10000

struct wire_answer {
    int status;      /* 0: closed without an answer */
    struct buf head; /* status line and headers, NUL-terminated */
    struct buf body;
    bool closed; /* the server closed the connection after it */
};

/* Connects to 127.0.0.1; fails the test when that does not work. */
int wire_open(unsigned port);
/* false when the server has closed. */
bool wire_send(int fd, const void *bytes, size_t len);
bool wire_text(int fd, const char *text);
/* Waits for end of file; true when it came within ms (what comes before is thrown away). */
bool wire_closes(int fd, int64_t ms);
/* Reads one answer (the body by Content-Length). is_head: no body follows. Earlier contents of *ret
 * are released. Does not fail: status 0 says it. */
void wire_read(int fd, bool is_head, struct wire_answer *ret);
/* Connects, sends, reads one answer, looks whether the server closes, closes. */
void wire_ask(unsigned port, const char *request, struct wire_answer *ret);
/* From here on the kernel throws away whatever comes in on this socket, unacknowledged: to the
 * other side its peer has vanished without a word. Skips the test where this is not allowed. */
void wire_vanish(int fd);
void wire_release(struct wire_answer *a);
/* The value of a header, copied into a static buffer; NULL when absent. */
const char *wire_header(const struct wire_answer *a, const char *name);

#endif
