/*
 * Design note. Nothing here trusts what lies in the data folder: a server that was taken over
 * earlier may have left links there. So only plain files with one name and folders change hands,
 * never through a symbolic link, and only from root to the user: a file of anybody else stays.
 */
#include "server/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/check.h"

#define ACCOUNT     "drop7" /* docs/install/sysusers.conf */
#define WALK_FOLDER 16      /* descriptors nftw may hold */

/* --- who -----------------------------------------------------------------------------------------
 */

static void take_uid(struct privilege *p, uid_t uid, gid_t gid)
{
    const struct passwd *entry = getpwuid(uid);
    p->uid = uid;
    p->gid = entry ? entry->pw_gid : gid;
    if (entry) {
        (void)snprintf(p->name, sizeof(p->name), "%s", entry->pw_name); /* cut: for people only */
    } else {
        (void)snprintf(p->name, sizeof(p->name), "uid %u", (unsigned)uid);
    }
}

static bool take_name(struct privilege *p, const char *name)
{
    int64_t number = 0;
    const struct passwd *entry = getpwnam(name);
    if (entry) {
        take_uid(p, entry->pw_uid, entry->pw_gid);
    } else if (span_parse_i64(span_of(name), 0, INT32_MAX, &number) == D7_OK) {
        take_uid(p, (uid_t)number, (gid_t)number);
    } else {
        return false;
    }
    return true;
}

static void take_default(struct privilege *p, const char *folder)
{
    struct stat at;
    if (stat(folder, &at) == 0 && at.st_uid != 0) {
        take_uid(p, at.st_uid, at.st_gid);
    } else if (!take_name(p, ACCOUNT)) {
        take_uid(p, PRIVILEGE_UID, PRIVILEGE_UID);
    }
}

/* --- the data folder -----------------------------------------------------------------------------
 */

static const struct privilege *heir; /* nftw hands no context on; before the first thread */

static int give(const char *path, const struct stat *at, int kind, struct FTW *walk)
{
    (void)walk;
    bool ours = at->st_uid == 0 && (kind == FTW_D || (S_ISREG(at->st_mode) && at->st_nlink == 1));
    if (kind == FTW_NS || !ours) {
        return 0;
    }
    D7_AUTO_CLOSE int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat now;
    if (fd < 0 || fstat(fd, &now) || now.st_ino != at->st_ino || now.st_dev != at->st_dev) {
        return 0; /* another one by now: the user will meet it and say so */
    }
    return fchownat(fd, "", heir->uid, heir->gid, AT_EMPTY_PATH) ? errno : 0;
}

static int give_folder(const struct privilege *p, const char *real)
{
    heir = p;
    errno = EIO;
    int result = nftw(real, give, WALK_FOLDER, FTW_PHYS | FTW_MOUNT);
    return result < 0 ? errno : result;
}

/* By the full name, as SQLite looks at every folder above a file. */
static bool reaches(const struct privilege *p, const char *real, int mode)
{
    struct d7_why why;
    bool can =
        privilege_borrow(p, &why) == D7_OK && faccessat(AT_FDCWD, real, mode, AT_EACCESS) == 0;
    privilege_regain(p);
    return can;
}

/* The folder is made, its way is tried, and only then does it change hands. */
static bool settle_folder(const char *folder, struct privilege *p)
{
    char real[PATH_MAX], above[PATH_MAX];
    if ((mkdir(folder, 0700) < 0 && errno != EEXIST) || !realpath(folder, real)) {
        (void)d7_refuse(&p->stays, D7_ERR_INVALID, "--user", "%s cannot be made: %s", folder,
                        strerrordesc_np(errno));
        return false;
    }
    (void)snprintf(above, sizeof(above), "%s", real); /* fits */
    if (!reaches(p, dirname(above), X_OK)) {
        (void)d7_refuse(&p->stays, D7_ERR_INVALID, "--user", "%s cannot reach %s", p->name, real);
        return false;
    }
    int number = give_folder(p, real);
    if (number || !reaches(p, real, R_OK | W_OK | X_OK)) {
        (void)d7_refuse(&p->stays, D7_ERR_INVALID, "--user", "%s cannot be given to %s: %s", real,
                        p->name, number ? strerrordesc_np(number) : "it belongs to another user");
        return false;
    }
    return true;
}

static bool settle(const struct config *config, struct privilege *p)
{
    char real[PATH_MAX];
    struct d7_why why = {0};
    p->drops = true;
    if (privilege_borrow(p, &why)) { /* a container may not have that user */
        p->stays = why;
        return false;
    }
    privilege_regain(p);
    if (*config->static_dir && realpath(config->static_dir, real) &&
        !reaches(p, real, R_OK | X_OK)) {
        (void)d7_refuse(&p->stays, D7_ERR_INVALID, "--user", "%s cannot reach %s", p->name, real);
        return false;
    }
    return settle_folder(config->data, p);
}

enum d7_err privilege_choose(const struct config *config, struct privilege *ret, struct d7_why *why)
{
    memset(ret, 0, sizeof(*ret));
    bool asked = config->user[0] != '\0';
    if (geteuid() != 0) {
        if (asked && (!take_name(ret, config->user) || ret->uid != geteuid())) {
            return d7_refuse(why, D7_ERR_INVALID, "--user", "only root can become another user");
        }
        return D7_OK;
    }
    if (asked && !take_name(ret, config->user)) {
        return d7_refuse(why, D7_ERR_INVALID, "--user", "there is no user '%s'", config->user);
    }
    if (!asked) {
        take_default(ret, config->data);
    }
    if (ret->uid == 0) {
        return D7_OK;
    }
    ret->drops = settle(config, ret);
    return !ret->drops && asked ? d7_refuse(why, D7_ERR_INVALID, "--user", "%s", ret->stays.text)
                                : D7_OK;
}

/* --- when ----------------------------------------------------------------------------------------
 */

static enum d7_err refuse(const struct privilege *p, struct d7_why *why)
{
    int number = errno;
    return d7_refuse(why, d7_err_from_errno(number), "--user", "cannot become %s: %s", p->name,
                     strerrordesc_np(number));
}

enum d7_err privilege_borrow(const struct privilege *p, struct d7_why *why)
{
    if (!p->drops) {
        return D7_OK;
    }
    if (setgroups(0, NULL) || setegid(p->gid) || seteuid(p->uid)) {
        enum d7_err err = refuse(p, why);
        privilege_regain(p);
        return err;
    }
    return D7_OK;
}

void privilege_regain(const struct privilege *p)
{
    if (p->drops) { /* root stays the saved id, and may always come back to it */
        D7_CHECK(seteuid(0) == 0 && setegid(0) == 0);
    }
}

enum d7_err privilege_drop(const struct privilege *p, struct d7_why *why)
{
    if (!p->drops) {
        return D7_OK;
    }
    if (setgroups(0, NULL) || setresgid(p->gid, p->gid, p->gid) ||
        setresuid(p->uid, p->uid, p->uid) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
        return refuse(p, why);
    }
    D7_CHECK(seteuid(0) < 0); /* there is no way back */
    /* a change of user hides the process's own figures in /proc from it; there is no secret of
     * root's in its memory that a process of the same user must not see */
    (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    return D7_OK;
}
