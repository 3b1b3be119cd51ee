/*
 * lookup.c - the Content-Length that libmicrohttpd sees.
 *
 * Why     0.9.75 answers a Content-Length that is no number by itself: with the head of its answer
 * sent twice, in HTML, and no line in our log. It asks for the header by its own public function,
 * which a program may put itself before: here a value that is none is not there. So the request
 * reaches exchange_call like any other, and judge.c, which reads all headers, refuses it.
 * Where libmicrohttpd is bound to its own function all is as it was; a test would say so.
 * Threads safe: reads one connection, in the thread that has it.
 */
#include <dlfcn.h>
#include <string.h>
#include <strings.h>

#include "server/http/headers.h"
#include "server/http/mhd.h"

typedef enum MHD_Result (*lookup)(struct MHD_Connection *mhd, enum MHD_ValueKind kind,
                                  const char *key, size_t key_size, const char **ret_value,
                                  size_t *ret_size);

static lookup theirs(void)
{
    static lookup _Atomic found;
    lookup f = atomic_load_explicit(&found, memory_order_relaxed);
    if (!f) {
        void *at = dlsym(RTLD_NEXT, "MHD_lookup_connection_value_n");
        D7_CHECK(at); /* the library is linked: it is there */
        memcpy(&f, &at, sizeof(f));
        atomic_store_explicit(&found, f, memory_order_relaxed);
    }
    return f;
}

enum MHD_Result MHD_lookup_connection_value_n(struct MHD_Connection *mhd, enum MHD_ValueKind kind,
                                              const char *key, size_t key_size,
                                              const char **ret_value, size_t *ret_size)
{
    const char *value = NULL;
    size_t size = 0;
    int64_t number;
    if (!theirs()(mhd, kind, key, key_size, &value, &size)) {
        return MHD_NO;
    }
    if (kind == MHD_HEADER_KIND && key_size == strlen(MHD_HTTP_HEADER_CONTENT_LENGTH) &&
        strncasecmp(key, MHD_HTTP_HEADER_CONTENT_LENGTH, key_size) == 0 &&
        content_length_parse((struct span){value ? value : "", size}, &number)) {
        return MHD_NO;
    }
    if (ret_value) {
        *ret_value = value;
    }
    if (ret_size) {
        *ret_size = size;
    }
    return MHD_YES;
}
