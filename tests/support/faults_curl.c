/* faults_curl.c - what libcurl answers when it has no memory, for faults.h. */
#include <curl/curl.h>
#include <stdarg.h>

#include "tests/support/faults_in.h"

#define CURL_CALL(type, bad, name, params, args)                                                   \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params                                                                      \
    {                                                                                              \
        return faults_now(FAULTS_MEMORY) ? (bad) : __real_##name args;                             \
    }

CURL_CALL(CURLcode, CURLE_FAILED_INIT, curl_global_init, (long flags), (flags))
CURL_CALL(CURL *, NULL, curl_easy_init, (void), ())
CURL_CALL(CURLM *, NULL, curl_multi_init, (void), ())
CURL_CALL(CURLMcode, CURLM_OUT_OF_MEMORY, curl_multi_add_handle, (CURLM * m, CURL *e), (m, e))
CURL_CALL(CURLMcode, CURLM_OUT_OF_MEMORY, curl_multi_perform, (CURLM * m, int *running),
          (m, running))
CURL_CALL(CURLMcode, CURLM_OUT_OF_MEMORY, curl_multi_poll,
          (CURLM * m, struct curl_waitfd fds[], unsigned count, int ms, int *ready),
          (m, fds, count, ms, ready))
CURL_CALL(struct curl_slist *, NULL, curl_slist_append,
          (struct curl_slist * list, const char *text), (list, text))
CURL_CALL(curl_mime *, NULL, curl_mime_init, (CURL * e), (e))
CURL_CALL(curl_mimepart *, NULL, curl_mime_addpart, (curl_mime * m), (m))
CURL_CALL(CURLcode, CURLE_OUT_OF_MEMORY, curl_mime_name, (curl_mimepart * p, const char *name),
          (p, name))
CURL_CALL(CURLcode, CURLE_OUT_OF_MEMORY, curl_mime_data,
          (curl_mimepart * p, const char *data, size_t size), (p, data, size))
CURL_CALL(CURLcode, CURLE_OUT_OF_MEMORY, curl_mime_filedata, (curl_mimepart * p, const char *file),
          (p, file))
CURL_CALL(CURLcode, CURLE_OUT_OF_MEMORY, curl_mime_filename, (curl_mimepart * p, const char *name),
          (p, name))
CURL_CALL(CURLcode, CURLE_OUT_OF_MEMORY, curl_mime_type, (curl_mimepart * p, const char *type),
          (p, type))

/* Every option's value is a long, a pointer or a curl_off_t: one register each where we run. */
#undef curl_easy_setopt
CURLcode __real_curl_easy_setopt(CURL *e, CURLoption option, ...);
CURLcode __wrap_curl_easy_setopt(CURL *e, CURLoption option, ...);
CURLcode __wrap_curl_easy_setopt(CURL *e, CURLoption option, ...)
{
    va_list rest;
    va_start(rest, option);
    void *value = va_arg(rest, void *);
    va_end(rest);
    return faults_now(FAULTS_MEMORY) ? CURLE_OUT_OF_MEMORY
                                     : __real_curl_easy_setopt(e, option, value);
}
