#include "engine/tool/command.h"

#include <sys/stat.h>
#include <unistd.h>

#include "engine/tool/opts.h"

/* FOLDER/NAME, as it stands: resolving links would take a program out of its environment (a virtual
 * environment's python, a multi-call binary). False where there is no executable file. */
static bool is_program(struct span folder, const char *name, char *to, size_t size)
{
    struct stat facts;
    struct buf path;
    buf_init(&path, size);
    buf_append(&path, folder.ptr, folder.len);
    buf_char(&path, '/');
    buf_text(&path, name);
    bool fits = !path.err && !span_copy(buf_span(&path), to, size);
    buf_release(&path);
    return fits && stat(to, &facts) == 0 && S_ISREG(facts.st_mode) && access(to, X_OK) == 0;
}

/* The program's absolute path: as given when it has a slash, otherwise looked up in PATH. */
static int find_program(const char *name, char *to, size_t size)
{
    char here[COMMAND_SIZE];
    bool found = false;
    if (name[0] == '/') {
        found = is_program(span_of(""), name + 1, to, size);
    } else if (strchr(name, '/')) {
        found = getcwd(here, sizeof(here)) && is_program(span_of(here), name, to, size);
    } else {
        const char *path = getenv("PATH");
        struct span rest = span_of(path ? path : "/usr/bin:/bin");
        while (rest.len && !found) {
            struct span folder = span_cut(&rest, ':');
            /* a relative folder would mean another one in the child */
            found = span_starts(folder, "/") && is_program(folder, name, to, size);
        }
    }
    return found ? 0 : tool_fail(2, "--command: '%s' is not there, or not executable", name);
}

/* One word from *at into `to`, quotes removed; returns its end in `to`, or NULL when a quote stays
 * open. */
static char *copy_word(const char **at, char *to)
{
    char quote = 0;
    const char *from = *at;
    for (; *from && (quote || (*from != ' ' && *from != '\t')); from++) {
        if (quote && *from == quote) {
            quote = 0;
        } else if (!quote && (*from == '\'' || *from == '"')) {
            quote = *from;
        } else {
            *to++ = *from;
        }
    }
    *to++ = '\0';
    *at = from;
    return quote ? NULL : to;
}

static int split(const char *text, struct command *c)
{
    if (strlen(text) >= sizeof(c->words)) {
        return tool_fail(2, "--command is too long");
    }
    unsigned count = 0;
    char *room = c->words;
    const char *at = text + strspn(text, " \t");
    while (*at) {
        if (count == COMMAND_WORDS_MAX) {
            return tool_fail(2, "--command has more than %d words", COMMAND_WORDS_MAX);
        }
        c->argv[count++] = room;
        room = copy_word(&at, room);
        if (!room) {
            return tool_fail(2, "--command: a quote is not closed");
        }
        at += strspn(at, " \t");
    }
    c->argv[count] = NULL;
    return count ? 0 : tool_fail(2, "--command is empty");
}

int command_parse(const char *text, struct command *ret)
{
    int status = split(text, ret);
    if (!status && ret->argv[0]) {
        status = find_program(ret->argv[0], ret->program, sizeof(ret->program));
        ret->argv[0] = ret->program;
    }
    return status;
}

const char *const *command_environment(void)
{
    static const char *const words[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", NULL};
    return words;
}
