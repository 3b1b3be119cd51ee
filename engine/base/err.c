#include "engine/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

const char *d7_err_text(enum d7_err err)
{
    static const char *const texts[] = {
#define X(name, text) text,
        D7_ERR_TABLE(X)
#undef X
    };
    return (unsigned)err < D7_COUNT(texts) ? texts[err] : "unknown error";
}

enum d7_err d7_refuse(struct d7_why *why, enum d7_err err, const char *field, const char *format,
                      ...)
{
    if (!why) {
        return err;
    }
    memset(why, 0, sizeof(*why));
    if (field) {
        (void)snprintf(why->field, sizeof(why->field), "%s", field); /* cut on purpose */
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(why->text, sizeof(why->text), format, args); /* cut on purpose */
    va_end(args);
    return err;
}

enum d7_err d7_err_from_errno(int number)
{
    switch (number) {
    case 0:
        return D7_OK;
    case ENOMEM:
        return D7_ERR_NOMEM;
    case ENOENT:
    case ENOTDIR:
        return D7_ERR_NOT_FOUND;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return D7_ERR_FULL;
    case EEXIST:
        return D7_ERR_CONFLICT;
    case EACCES:
    case EPERM:
    case EROFS:
        return D7_ERR_FORBIDDEN;
    case EAGAIN:
    case EBUSY:
        return D7_ERR_BUSY;
    case ETIMEDOUT:
        return D7_ERR_TIMEOUT;
    case EPIPE:
    case ECONNRESET:
        return D7_ERR_CLOSED;
    default:
        return D7_ERR_IO;
    }
}
