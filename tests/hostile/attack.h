/*
 * attack.h - what the attack programs share: the first line of stdin names the attack (and a path
 * for some); the answer is one line, HELD or ESCAPED. An attack that ends the process says nothing.
 * A stranger's program: none of our code, static, plain C.
 */
#ifndef TESTS_HOSTILE_ATTACK_H
#define TESTS_HOSTILE_ATTACK_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct attack {
    const char *name;
    bool (*held)(const char *word); /* word: the rest of the line */
};

static inline int attack_main(const struct attack *list, size_t count)
{
    static char line[512];
    if (!fgets(line, sizeof(line), stdin)) {
        return 2;
    }
    line[strcspn(line, "\n")] = '\0';
    char *word = strchr(line, ' ');
    if (word) {
        *word++ = '\0';
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(line, list[i].name) == 0) {
            bool held = list[i].held(word ? word : "");
            printf("%s\n", held ? "HELD" : "ESCAPED");
            return fflush(stdout) ? 2 : 0;
        }
    }
    printf("no attack '%s'\n", line);
    return 2;
}

#define ATTACK_MAIN(list)                                                                          \
    int main(void)                                                                                 \
    {                                                                                              \
        return attack_main(list, sizeof(list) / sizeof((list)[0]));                                \
    }

#endif
