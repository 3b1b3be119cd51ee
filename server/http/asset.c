#include "server/http/asset.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "engine/base/fdio.h"
#include "engine/base/hash.h"
#include "server/http/gzip.h"

#define ASSET_MAX (8u << 20)

/* Laid out by server/embed.sh, in byte order of the names, ended by an empty row. */
struct embedded {
    const char *name, *start, *end;
};
extern const struct embedded embed_static[];

struct asset {
    const char *name;
    struct span bytes;
    struct buf page;   /* HTML with versioned addresses: what bytes then points at */
    struct buf packed; /* empty where it would not be smaller */
    char etag[ETAG_SIZE];
};

/* Written by asset_init and asset_release only, before the first and after the last thread. */
static struct asset *assets;
static size_t asset_count;
static int folder_fd = -1;
static char version[ASSET_VERSION_SIZE];

static const struct {
    const char *ending, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/plain; charset=utf-8"},
    {".wasm", "application/wasm"},
    {".webmanifest", "application/manifest+json"},
};

static const char *type_of(struct span name)
{
    for (size_t i = 0; i < D7_COUNT(types); i++) {
        size_t n = strlen(types[i].ending);
        if (name.len > n && memcmp(name.ptr + name.len - n, types[i].ending, n) == 0) {
            return types[i].type;
        }
    }
    return "application/octet-stream";
}

static bool is_packable(const char *type)
{
    return strncmp(type, "text/", 5) == 0 || strstr(type, "json") || strstr(type, "svg") ||
           strstr(type, "wasm");
}

static struct span bytes_of(const struct embedded *from)
{
    return span_make(from->start, (size_t)(from->end - from->start));
}

/* One version for all: a script imports others by relative addresses, so they change together. */
static void version_of_all(char ret[ASSET_VERSION_SIZE])
{
    struct sha sum;
    char hex[SHA_HEX_SIZE];
    sha_init(&sum);
    for (const struct embedded *row = embed_static; row->name; row++) {
        struct span bytes = bytes_of(row);
        sha_update(&sum, row->name, strlen(row->name) + 1);
        sha_update(&sum, bytes.ptr, bytes.len);
    }
    sha_final(&sum, hex);
    (void)snprintf(ret, ASSET_VERSION_SIZE, "%.16s", hex); /* fits: cut to it */
}

/* "/static/NAME" in a page becomes "/assets/VERSION/NAME", which browsers keep for good. */
static enum d7_err address_by_version(struct asset *a)
{
    static const char plain[] = "\"/static/";
    const size_t len = sizeof(plain) - 1;
    buf_init(&a->page, 2 * a->bytes.len + 4096);
    size_t from = 0;
    for (size_t i = 0; i + len <= a->bytes.len; i++) {
        if (memcmp(a->bytes.ptr + i, plain, len) == 0) {
            buf_append(&a->page, a->bytes.ptr + from, i - from);
            buf_printf(&a->page, "\"/assets/%s/", version);
            from = i + len;
        }
    }
    buf_append(&a->page, a->bytes.ptr + from, a->bytes.len - from);
    a->bytes = buf_span(&a->page);
    return a->page.err;
}

static enum d7_err prepare(struct asset *a, const struct embedded *from)
{
    a->name = from->name;
    a->bytes = bytes_of(from);
    if (version[0] && strstr(type_of(span_of(a->name)), "text/html")) {
        enum d7_err err = address_by_version(a);
        if (err) {
            return err;
        }
    }
    buf_init(&a->packed, a->bytes.len + 4096);
    etag_of(a->bytes, a->etag);
    if (a->bytes.len < GZIP_LEAST || !is_packable(type_of(span_of(a->name)))) {
        return D7_OK;
    }
    enum d7_err err = gzip_append(a->bytes, GZIP_FOR_KEEP, &a->packed);
    if (!err && a->packed.len >= a->bytes.len) {
        buf_release(&a->packed);
    }
    return err;
}

static enum d7_err init_embedded(void)
{
    size_t count = 0;
    while (embed_static[count].name) {
        count++;
    }
    assets = calloc(count ? count : 1, sizeof(*assets));
    if (!assets) {
        return D7_ERR_NOMEM;
    }
    for (; asset_count < count; asset_count++) {
        enum d7_err err = prepare(&assets[asset_count], &embed_static[asset_count]);
        if (err) {
            return err;
        }
    }
    return D7_OK;
}

enum d7_err asset_init(const char *folder)
{
    bool from_folder = folder && folder[0];
    version[0] = '\0'; /* what may change under our hands has no version */
    if (!from_folder) {
        version_of_all(version);
    }
    enum d7_err err = init_embedded();
    if (!err && from_folder) {
        folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        err = folder_fd < 0 ? d7_err_from_errno(errno) : D7_OK;
    }
    if (err) {
        asset_release();
    }
    return err;
}

void asset_release(void)
{
    for (size_t i = 0; i < asset_count; i++) {
        buf_release(&assets[i].page);
        buf_release(&assets[i].packed);
    }
    free(assets);
    assets = NULL;
    asset_count = 0;
    if (folder_fd >= 0) {
        (void)close(folder_fd);
        folder_fd = -1;
    }
}

bool asset_is_current(struct span text)
{
    return version[0] && span_equal(text, span_of(version));
}

static int compare(struct span name, const char *other)
{
    size_t len = strlen(other);
    size_t least = name.len < len ? name.len : len;
    int order = least ? memcmp(name.ptr, other, least) : 0;
    return order ? order : (name.len > len) - (name.len < len);
}

static const struct asset *find(struct span name)
{
    size_t from = 0;
    size_t to = asset_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = compare(name, assets[middle].name);
        if (order == 0) {
            return &assets[middle];
        }
        if (order < 0) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    return NULL;
}

/* Segments of letters, digits, - and _, with dots inside only: nothing that leaves the folder. */
static bool name_is_safe(struct span name)
{
    bool at_start = true;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     c == '-' || c == '_';
        if (!plain && (at_start || (c != '.' && c != '/'))) {
            return false;
        }
        at_start = c == '/';
    }
    return name.len > 0 && !at_start;
}

static enum d7_err read_from_folder(struct span name, struct buf *to)
{
    char path[256];
    if (!name_is_safe(name) || span_copy(name, path, sizeof(path))) {
        return D7_ERR_NOT_FOUND;
    }
    struct stat info;
    D7_AUTO_CLOSE int fd = openat(folder_fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || info.st_size > ASSET_MAX) {
        return D7_ERR_NOT_FOUND;
    }
    return fd_read_all(fd, to);
}

enum d7_err asset_reply(struct span name, struct reply *reply)
{
    const struct asset *a = NULL;
    enum d7_err err = folder_fd < 0 ? D7_ERR_NOT_FOUND : read_from_folder(name, &reply->body);
    if (err && err != D7_ERR_NOT_FOUND) {
        return err;
    }
    if (err) { /* what the build makes is in no folder of sources */
        a = find(name);
        if (!a) {
            return D7_ERR_NOT_FOUND;
        }
        reply->shared = a->bytes;
        reply->shared_gzip = buf_span(&a->packed);
        (void)snprintf(reply->etag, sizeof(reply->etag), "%s", a->etag); /* fits: both 80 */
    }
    reply->content_type = type_of(name);
    reply->cache = CACHE_REVALIDATE;
    return D7_OK;
}
