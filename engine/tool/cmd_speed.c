/* drop7 speed: fixed work whose totals are known, so a timing of it is a timing of the right thing.
 */
#include <inttypes.h>

#include "engine/record/speed.h"
#include "engine/tool/opts.h"
#include "engine/tool/tool.h"

int cmd_speed(int argc, char **argv)
{
    const char *games = NULL;
    const struct opt table[] = {
        {"--games", "N", "how many games (default 20000)", &games, NULL},
    };
    struct opts o = {.usage = "drop7 speed [--games N]", .table = table, .count = D7_COUNT(table)};
    int status = opts_begin(&o, argc, argv);
    int64_t count = 0;
    if (status >= 0) {
        return status;
    }
    if (!opts_integer("--games", games, 1, 100000000, 20000, &count)) {
        return 2;
    }
    struct speed_result r;
    enum d7_err err = speed_run((uint32_t)count, &r);
    if (err) {
        return tool_fail(1, "%s", d7_err_text(err));
    }
    (void)printf("games %" PRId64 "\nmoves %" PRId64 "\nscore %" PRId64 "\nwaves %" PRId64
                 "\ncleared %" PRId64 "\nrevealed %" PRId64 "\n",
                 count, r.moves, r.score, r.waves, r.cleared, r.revealed);
    return 0;
}
