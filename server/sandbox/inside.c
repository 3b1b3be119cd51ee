#include "server/sandbox/launch.h"
int inside_run(const char *part)
{
    (void)part;
    return 1;
}
