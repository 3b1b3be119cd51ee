#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "server/sandbox/launch.h"

#define MIB ((uint64_t)1 << 20)

bool interpreter_is(const char *interpreter, const char *name)
{
    const char *slash = strrchr(interpreter, '/');
    return strncmp(slash ? slash + 1 : interpreter, name, strlen(name)) == 0;
}

const char options_help[] =
    "drop7-sandbox [options] -- POLICY-FILE [ARGUMENT...]\n"
    "  runs an untrusted program: no network, a read-only root of its own, limits, a filter\n"
    "  --interpreter PATH  the file is a script for this interpreter (below /usr)\n"
    "  --slot N            own uid and cgroup of this slot (default: our process id)\n"
    "  --parent PID        end unless this is the caller\n"
    "  --memory BYTES      address space (default 512 MiB; scripts 256, node 1536)\n"
    "  --cpu SECONDS       CPU time of the process (default 1800)\n"
    "  --files BYTES       largest file (default 8 MiB)\n"
    "  --processes N       threads (default 32)\n"
    "  --confined          no namespaces: Landlock, filter, limits (tier B)\n"
    "  --off               limits only\n"
    "  --probe             attack this confinement from inside; PROBE OK when it holds\n"
    "  --tier              which confinement this machine gives, and why\n";

bool number_take(const char **at, uint64_t *ret)
{
    uint64_t value = 0;
    const char *from = *at + strspn(*at, " \t");
    size_t n = strspn(from, "0123456789");
    if (n == 0 || n > 18) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        value = value * 10 + (uint64_t)(from[i] - '0');
    }
    *at = from + n;
    *ret = value;
    return true;
}

static bool number(const char *text, uint64_t lo, uint64_t hi, uint64_t *ret)
{
    uint64_t value = 0;
    if (!number_take(&text, &value) || *text || value < lo || value > hi) {
        return false;
    }
    *ret = value;
    return true;
}

enum word {
    OPT_INTERPRETER = 1,
    OPT_SLOT,
    OPT_PARENT,
    OPT_MEMORY,
    OPT_CPU,
    OPT_FILES,
    OPT_PROCESSES,
    OPT_CONFINED,
    OPT_OFF,
    OPT_PROBE,
    OPT_TIER
};

static const struct option options[] = {{"interpreter", required_argument, NULL, OPT_INTERPRETER},
                                        {"slot", required_argument, NULL, OPT_SLOT},
                                        {"parent", required_argument, NULL, OPT_PARENT},
                                        {"memory", required_argument, NULL, OPT_MEMORY},
                                        {"cpu", required_argument, NULL, OPT_CPU},
                                        {"files", required_argument, NULL, OPT_FILES},
                                        {"processes", required_argument, NULL, OPT_PROCESSES},
                                        {"confined", no_argument, NULL, OPT_CONFINED},
                                        {"off", no_argument, NULL, OPT_OFF},
                                        {"probe", no_argument, NULL, OPT_PROBE},
                                        {"tier", no_argument, NULL, OPT_TIER},
                                        {NULL, 0, NULL, 0}};

/* The options with a number: where it goes and what it may be. */
static bool take_number(struct launch *l, int option, const char *text)
{
    uint64_t v = 0;
    bool ok = false;
    switch (option) {
    case OPT_SLOT:
        ok = number(text, 0, SANDBOX_SLOT_MAX, &v);
        l->slot = (uint32_t)v;
        break;
    case OPT_PARENT:
        ok = number(text, 1, SANDBOX_SLOT_MAX, &v);
        l->parent = (pid_t)v;
        break;
    case OPT_MEMORY:
        ok = number(text, 16 * MIB, (uint64_t)1 << 46, &l->memory_bytes);
        break;
    case OPT_CPU:
        ok = number(text, 1, 1000000, &v);
        l->cpu_seconds = (uint32_t)v;
        break;
    case OPT_FILES:
        ok = number(text, 0, (uint64_t)1 << 40, &l->files_bytes);
        break;
    case OPT_PROCESSES:
        ok = number(text, 1, 4096, &v);
        l->processes = (uint32_t)v;
        break;
    default:
        break;
    }
    return ok;
}

static bool take_option(struct launch *l, int option, const char *text)
{
    switch (option) {
    case OPT_INTERPRETER:
        l->interpreter = text;
        return strncmp(text, "/usr/", 5) == 0 && !strstr(text, "/../");
    case OPT_CONFINED:
        l->confinement = CONFINE_PLAIN;
        return true;
    case OPT_OFF:
        l->confinement = CONFINE_OFF;
        return true;
    case OPT_PROBE:
        l->probe = true;
        return true;
    case OPT_TIER:
        l->tier = true;
        return true;
    default:
        return take_number(l, option, text);
    }
}

static uint64_t default_memory(const char *interpreter)
{
    if (!interpreter) {
        return SANDBOX_MEMORY_PROGRAM;
    }
    return interpreter_is(interpreter, "node") ? SANDBOX_MEMORY_NODE : SANDBOX_MEMORY_SCRIPT;
}

bool options_take(struct launch *l, int argc, char **argv)
{
    *l = (struct launch){.slot = (uint32_t)getpid(),
                         .cpu_seconds = 1800,
                         .files_bytes = 8 * MIB,
                         .processes = 32,
                         .policy_fd = -1,
                         .copy_fd = -1};
    opterr = 0;
    for (int o = getopt_long(argc, argv, "+", options, NULL); o != -1;
         o = getopt_long(argc, argv, "+", options, NULL)) {
        if (!take_option(l, o, optarg)) {
            return false;
        }
    }
    l->memory_bytes = l->memory_bytes ? l->memory_bytes : default_memory(l->interpreter);
    l->policy = argv[optind];
    l->arguments = l->policy ? argv + optind + 1 : NULL;
    return l->policy || l->probe || l->tier;
}
