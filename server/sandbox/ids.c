#include "server/sandbox/launch.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NICE 5

/* In a container's user namespace only some ids exist: ours must be one of them. */
static bool is_mapped(unsigned id)
{
    FILE *map = fopen("/proc/self/uid_map", "re");
    if (!map) {
        return true; /* no /proc to ask: setresuid will tell */
    }
    char line[128];
    bool found = false;
    while (!found && fgets(line, sizeof(line), map)) {
        const char *at = line;
        uint64_t first = 0, outside = 0, count = 0;
        found = number_take(&at, &first) && number_take(&at, &outside) &&
                number_take(&at, &count) && id >= first && id - first < count;
    }
    (void)fclose(map);
    return found;
}

void ids_look(struct launch *l)
{
    l->outside_uid = geteuid();
    l->outside_gid = getegid();
    l->own_uid = l->outside_uid == 0 && l->confinement != CONFINE_OFF &&
                 is_mapped(SANDBOX_UID_BASE + l->slot);
}

static int drop_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {0};
    return syscall(SYS_capset, &head, none) ? -1 : 0;
}

/* The bounding set needs CAP_SETPCAP, so it goes first; a plain user has nothing to lose there. */
static int drop_bounding_set(void)
{
    for (unsigned long cap = 0; cap < 64; cap++) {
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0)) {
            return errno == EINVAL || errno == EPERM ? 0 : -1;
        }
    }
    return 0;
}

int ids_drop(const struct launch *l)
{
    if (drop_bounding_set()) {
        return -1;
    }
    if (l->own_uid) {
        gid_t id = SANDBOX_UID_BASE + l->slot;
        if (setgroups(0, NULL) || setresgid(id, id, id) || setresuid(id, id, id)) {
            return -1;
        }
    }
    if (drop_capabilities() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) {
        return -1;
    }
    /* A server that is nicer already stays so: back is a privilege. */
    return getpriority(PRIO_PROCESS, 0) >= NICE ? 0 : setpriority(PRIO_PROCESS, 0, NICE);
}
