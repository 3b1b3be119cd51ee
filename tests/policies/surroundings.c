/* Tells on stderr what it was born with - descriptors, environment, ignored and blocked signals,
 * process group - and ends. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

extern char **environ;

int main(void)
{
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    fputs("fds", stderr);
    for (int fd = 0; fd < 1024; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            fprintf(stderr, " %d", fd);
        }
    }
    int env = 0;
    while (environ[env]) {
        env++;
    }
    int odd = 0;
    for (int s = 1; s < 65; s++) {
        struct sigaction now;
        if (sigismember(&blocked, s) == 1 ||
            (sigaction(s, NULL, &now) == 0 && now.sa_handler != SIG_DFL)) {
            odd++;
        }
    }
    char cwd[256] = "";
    fprintf(stderr, "; env %d; signals %d; leader %d; cwd %s\n", env, odd, getpgrp() == getpid(),
            getcwd(cwd, sizeof(cwd)) ? cwd : "?");
    char report[8] = {7, 0, 0, 0, 13, 0, 0, 0};
    if (write(3, report, sizeof(report)) < 0) {
        return 0;
    }
    return 125;
}
