/*
 * exposition.h - reads the text format of Prometheus (0.0.4) as a strict reader would.
 *
 * Errors  whatever is not as the format says fails the test, and so does what good metrics do not
 * do: HELP and TYPE come once, in this order, before a family's samples, which stand together; no
 * sample comes twice; counters are named _total and not negative; buckets are cumulative and end
 * with +Inf, which is the count.
 * Bounds  EXPOSITION_MAX samples.
 */
#ifndef TESTS_SUPPORT_EXPOSITION_H
#define TESTS_SUPPORT_EXPOSITION_H

#include "tests/support/support.h"

#define EXPOSITION_MAX 2000

struct exposition_sample {
    char key[200]; /* name{labels}, as it stands */
    double value;
};

struct exposition {
    struct exposition_sample samples[EXPOSITION_MAX];
    size_t count;
    size_t families;
};

/* Static memory is a good place for *ret. */
void exposition_read(const char *text, struct exposition *ret);
/* The value of the sample written exactly so; -1 when there is none. */
double exposition_value(const struct exposition *e, const char *key);

#endif
