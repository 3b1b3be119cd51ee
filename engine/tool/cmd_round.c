/* drop7 round: print a scripted round made from a seed, or validate one from a file. */
#include <inttypes.h>

#include "engine/base/fdio.h"
#include "engine/record/roundfile.h"
#include "engine/tool/opts.h"
#include "engine/tool/tool.h"

static int validate(const char *path)
{
    struct buf text;
    buf_init(&text, ROUND_FILE_MAX);
    struct roundfile *round = NULL;
    struct d7_why why = {{0}, {0}};
    int status = 1;
    enum d7_err err = file_read(path, &text);
    if (err) {
        (void)tool_fail(1, "%s: %s", path, d7_err_text(err));
        goto out;
    }
    err = roundfile_parse(buf_span(&text), &round, &why);
    if (err) {
        (void)tool_fail(1, "%s: %s%s%s", path, why.field, why.field[0] ? ": " : "",
                        why.text[0] ? why.text : d7_err_text(err));
        goto out;
    }
    (void)printf("%s: round %s (%s), %" PRIu32 " moves, %" PRIu32 " discs, %" PRIu32
                 " latent rows\n",
                 path, round->id, round->name, round->round.maximum_moves, round->round.disc_count,
                 round->round.row_count);
    status = 0;
out:
    roundfile_free(round);
    buf_release(&text);
    return status;
}

int cmd_round(int argc, char **argv)
{
    const char *seed_text = NULL;
    const char *id = NULL;
    const char *name = NULL;
    const char *moves_text = NULL;
    const char *file = NULL;
    const struct opt table[] = {
        {"--seed", "0xSEED", "generate from this 32-bit seed", &seed_text, NULL},
        {"--id", "ID", "its id (default seed-xxxxxxxx)", &id, NULL},
        {"--name", "NAME", "its name", &name, NULL},
        {"--moves", "N", "maximum moves, 1 to 10000 (default 2000)", &moves_text, NULL},
        {"--validate", "FILE", "check a round file instead", &file, NULL},
    };
    struct opts o = {.usage = "drop7 round --seed 0xSEED [options] | --validate FILE",
                     .table = table,
                     .count = D7_COUNT(table)};
    int status = opts_begin(&o, argc, argv);
    if (status >= 0) {
        return status;
    }
    if (file && (seed_text || id || name || moves_text)) {
        return tool_fail(2, "--validate goes alone");
    }
    if (file) {
        return validate(file);
    }
    if (!seed_text) {
        return tool_fail(2, "round needs --seed or --validate");
    }
    uint32_t seed = 0;
    int64_t moves = 0;
    if (!opts_seed("--seed", seed_text, 0, &seed) ||
        !opts_integer("--moves", moves_text, 1, ROUND_MOVES_MAX, ROUND_GAUNTLET_MOVES, &moves)) {
        return 2;
    }
    struct roundfile *round = NULL;
    struct d7_why why = {{0}, {0}};
    enum d7_err err = roundfile_generate(seed, (uint32_t)moves, id, name, &round, &why);
    if (err) {
        return tool_fail(2, "--%s: %s", why.field, why.text[0] ? why.text : d7_err_text(err));
    }
    struct buf text;
    buf_init(&text, ROUND_FILE_MAX);
    struct jout j;
    jout_init(&j, &text);
    roundfile_write(&j, round);
    status = tool_print(&text);
    roundfile_free(round);
    return status;
}
