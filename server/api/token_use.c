#include "server/api/token_use.h"

bool token_use_is_due(struct token_uses *uses, const char *sha256, int64_t now_mono_ms)
{
    for (size_t i = 0; i < TOKEN_USES_KEPT; i++) {
        if (strcmp(uses->kept[i].sha256, sha256) != 0) {
            continue;
        }
        if (now_mono_ms - uses->kept[i].at_ms < TOKEN_USE_EACH_MS) {
            return false;
        }
        uses->kept[i].at_ms = now_mono_ms;
        return true;
    }
    size_t at = uses->next;
    uses->next = (at + 1) % TOKEN_USES_KEPT;
    if (span_copy(span_of(sha256), uses->kept[at].sha256, sizeof(uses->kept[at].sha256))) {
        return false; /* no hash of ours */
    }
    uses->kept[at].at_ms = now_mono_ms;
    return true;
}
