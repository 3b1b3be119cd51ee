#include "engine/harness/link.h"

#include <errno.h>
#include <sys/socket.h>

#define NONE            (-1)
#define DRAIN_TURNS_MAX 64 /* reads of stderr at the end: a flood has no end of its own */

enum d7_err link_init(struct link *l, const struct link_limits *limits)
{
    *l = (struct link){
        .read_fd = NONE, .write_fd = NONE, .error_fd = NONE, .exit_fd = NONE, .limits = *limits};
    l->in = malloc(limits->line_bytes + LINK_CHUNK);
    l->tail = malloc(2 * limits->stderr_bytes + 1);
    return l->in && l->tail ? D7_OK : D7_ERR_NOMEM;
}

void link_release(struct link *l)
{
    link_close(l);
    free(l->in);
    free(l->tail);
    l->in = NULL;
    l->tail = NULL;
}

void link_open(struct link *l, int read_fd, int write_fd, int error_fd, int exit_fd)
{
    link_close(l);
    l->read_fd = read_fd;
    l->write_fd = write_fd;
    l->error_fd = error_fd;
    l->exit_fd = exit_fd;
    l->in_from = 0;
    l->in_to = 0;
    l->scanned = 0;
    l->output = 0;
    l->at_end = false;
    l->failed = D7_OK;
}

static void close_one(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd); /* only read from or written without a promise: nothing to lose */
    }
    *fd = NONE;
}

void link_close(struct link *l)
{
    if (l->write_fd == l->read_fd) {
        l->write_fd = NONE;
    }
    close_one(&l->read_fd);
    close_one(&l->write_fd);
    close_one(&l->error_fd);
    close_one(&l->exit_fd);
}

static bool is_socket(const struct link *l)
{
    return l->read_fd == l->write_fd;
}

void link_end_input(struct link *l)
{
    if (is_socket(l)) {
        (void)shutdown(l->write_fd, SHUT_WR); /* fails where it is already gone: read as its end */
    } else {
        close_one(&l->write_fd);
    }
}

/* --- stderr --- */

static void keep_tail(struct link *l, const char *bytes, size_t len)
{
    size_t room = l->limits.stderr_bytes;
    if (len > room) {
        bytes += len - room;
        len = room;
    }
    if (l->tail_len + len > 2 * room) {
        size_t keep = room - len;
        memmove(l->tail, l->tail + l->tail_len - keep, keep);
        l->tail_len = keep;
    }
    memcpy(l->tail + l->tail_len, bytes, len);
    l->tail_len += len;
}

/* One read. False when there is nothing more for now. */
static bool read_errors(struct link *l)
{
    char chunk[LINK_CHUNK];
    ssize_t got = read(l->error_fd, chunk, sizeof(chunk));
    if (got > 0) {
        keep_tail(l, chunk, (size_t)got);
        return true;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        close_one(&l->error_fd); /* a policy may close its stderr: no fault */
    }
    return false;
}

void link_drain_errors(struct link *l)
{
    for (unsigned turn = 0; turn < DRAIN_TURNS_MAX && l->error_fd >= 0; turn++) {
        if (!read_errors(l)) {
            break;
        }
    }
}

struct span link_tail(struct link *l)
{
    size_t len = l->tail_len < l->limits.stderr_bytes ? l->tail_len : l->limits.stderr_bytes;
    return span_make(l->tail + l->tail_len - len, len);
}

/* --- input --- */

/* Errors of read and write that the other side cannot bring about. */
static bool is_ours(int number)
{
    return number == ENOMEM || number == ENOBUFS || number == ENOSPC || number == EIO ||
           number == EBADF || number == EFAULT || number == EINVAL;
}

/* One read into the buffer, which has room for it unless a line is over the limit. False when there
 * is nothing more for now. */
static bool fill(struct link *l)
{
    size_t size = l->limits.line_bytes + LINK_CHUNK;
    if (size - l->in_to < LINK_CHUNK / 2 && l->in_from > 0) {
        memmove(l->in, l->in + l->in_from, l->in_to - l->in_from);
        l->in_to -= l->in_from;
        l->in_from = 0;
    }
    if (l->in_to == size) {
        return false; /* the caller finds a line, or one over the limit */
    }
    ssize_t got = read(l->read_fd, l->in + l->in_to, size - l->in_to);
    if (got > 0) {
        l->in_to += (size_t)got;
        return true;
    }
    if (got < 0 && is_ours(errno)) {
        l->failed = d7_err_from_errno(errno);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        l->at_end = true;
    }
    return false;
}

/* PEER_DONE with a line, PEER_LATE when there is no complete one yet. */
static enum peer_event take_line(struct link *l, struct span *ret_line)
{
    const char *from = l->in + l->in_from;
    size_t have = l->in_to - l->in_from;
    const char *mark = memchr(from + l->scanned, '\n', have - l->scanned);
    size_t len = mark ? (size_t)(mark - from) : have;
    if (len > l->limits.line_bytes) {
        return PEER_LINE_LIMIT;
    }
    /* Counted by lines, not as it is read: how the bytes are cut on the way decides nothing. */
    if (l->output + len + (mark != NULL) > l->limits.output_bytes) {
        return PEER_OUTPUT_LIMIT;
    }
    if (!mark) {
        l->scanned = have;
        return PEER_LATE;
    }
    *ret_line = span_make(from, len);
    l->in_from += len + 1;
    l->output += len + 1;
    l->scanned = 0;
    return PEER_DONE;
}

/* Drops complete lines; the start of an unfinished one stays, for its rest is still to come. */
static enum peer_event drop_lines(struct link *l)
{
    struct span line;
    enum peer_event event = PEER_DONE;
    while (event == PEER_DONE) {
        event = take_line(l, &line);
    }
    return event == PEER_LATE ? PEER_DONE : event;
}

void link_begin(struct link *l, enum peer_event *ret)
{
    bool more = true;
    enum peer_event event = PEER_DONE;
    while (event == PEER_DONE && more) {
        more = !l->at_end && fill(l);
        event = drop_lines(l);
    }
    if (event == PEER_DONE && l->at_end) {
        event = PEER_CLOSED;
    }
    l->output = 0;
    l->asked = true;
    *ret = event;
}

struct span link_pending(const struct link *l)
{
    return span_make(l->in + l->in_from, l->in_to - l->in_from);
}

/* Waits for input, stderr, the end of the process or (for_room) room to write, and reads what is
 * there. *ret_late: the deadline passed. */
static enum d7_err turn(struct link *l, struct patience *w, bool for_room, bool *ret_late)
{
    enum { READ, ERRORS, EXIT, WRITE };
    struct pollfd fds[] = {
        [READ] = {.fd = l->at_end ? NONE : l->read_fd, .events = POLLIN},
        [ERRORS] = {.fd = l->error_fd, .events = POLLIN},
        [EXIT] = {.fd = l->exit_fd, .events = POLLIN},
        [WRITE] = {.fd = for_room ? l->write_fd : NONE, .events = POLLOUT},
    };
    bool ready = false;
    l->asked = false;
    enum d7_err err = patience_poll(w, fds, D7_COUNT(fds), &ready);
    if (err) {
        return err;
    }
    *ret_late = !ready;
    if (fds[ERRORS].revents) {
        (void)read_errors(l); /* one read a turn: a flood of it must not starve the answer */
    }
    if (fds[READ].revents || fds[EXIT].revents) {
        bool more = fill(l);
        /* The process is gone and all it wrote is read: others may hold the pipe open for ever.
         * Asked of fill, not of fds[READ]: it may have written and ended while poll was looking. */
        l->at_end = l->at_end || (fds[EXIT].revents && !more);
    }
    return l->failed;
}

static ssize_t put(const struct link *l, struct span bytes)
{
    return is_socket(l) ? send(l->write_fd, bytes.ptr, bytes.len, MSG_NOSIGNAL)
                        : write(l->write_fd, bytes.ptr, bytes.len);
}

struct span link_offer(const struct link *l, struct span bytes)
{
    ssize_t done = put(l, bytes); /* an error comes again when it is asked for */
    size_t taken = done > 0 ? (size_t)done : 0;
    return span_make(bytes.ptr + taken, bytes.len - taken);
}

enum d7_err link_write(struct link *l, struct patience *w, struct span bytes, enum peer_event *ret)
{
    while (bytes.len) {
        ssize_t done = put(l, bytes);
        if (done > 0) {
            bytes.ptr += done;
            bytes.len -= (size_t)done;
            continue;
        }
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0 && is_ours(errno)) {
            return d7_err_from_errno(errno);
        }
        if (done < 0 && errno != EAGAIN) {
            *ret = PEER_CLOSED;
            return D7_OK;
        }
        bool late = false;
        enum d7_err err = turn(l, w, true, &late);
        if (err) {
            return err;
        }
        enum peer_event event = drop_lines(l);
        if (event == PEER_DONE && (late || l->at_end)) {
            event = late ? PEER_LATE : PEER_CLOSED;
        }
        if (event != PEER_DONE) {
            *ret = event;
            return D7_OK;
        }
    }
    *ret = PEER_DONE;
    return D7_OK;
}

enum d7_err link_next(struct link *l, struct patience *w, struct span *ret_line,
                      enum peer_event *ret)
{
    for (;;) {
        if (l->failed) {
            return l->failed;
        }
        enum peer_event event = take_line(l, ret_line);
        if (event == PEER_LATE && l->at_end) {
            event = PEER_CLOSED;
        }
        if (event != PEER_LATE) {
            *ret = event;
            return D7_OK;
        }
        /* Once at the answer alone: most come at once, and to look at each further descriptor costs
         * a move as much as the rules do. Once only, or who talks on would not be watched. */
        bool first = l->asked;
        l->asked = false;
        if (first && patience_glance(w, l->read_fd)) {
            (void)fill(l);
            continue;
        }
        bool late = false;
        enum d7_err err = turn(l, w, false, &late);
        if (err) {
            return err;
        }
        if (late) {
            *ret = PEER_LATE;
            return D7_OK;
        }
    }
}
