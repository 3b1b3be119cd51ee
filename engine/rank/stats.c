#include "engine/rank/stats.h"

#include <math.h>

#include "engine/base/check.h"

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void stats_sort(int64_t *values, size_t n)
{
    qsort(values, n, sizeof(*values), ascending);
}

double stats_quantile(const int64_t *sorted, size_t n, double q)
{
    D7_CHECK(n > 0 && q >= 0 && q <= 1);
    double place = (double)(n - 1) * q;
    size_t low = (size_t)place;
    size_t high = low + 1 < n ? low + 1 : low;
    double part = place - (double)low;
    return (double)sorted[low] + part * (double)(sorted[high] - sorted[low]);
}

struct stats stats_of(int64_t *values, size_t n)
{
    D7_CHECK(n > 0);
    stats_sort(values, n);
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    struct stats s = {.mean = (double)sum / (double)n,
                      .median = stats_quantile(values, n, 0.5),
                      .lower_quartile = stats_quantile(values, n, 0.25),
                      .minimum = values[0],
                      .maximum = values[n - 1],
                      .has_sd = n > 1};
    double squares = 0; /* summed in ascending order: the same whatever order the games came in */
    for (size_t i = 0; i < n; i++) {
        double off = (double)values[i] - s.mean;
        squares += off * off;
    }
    if (s.has_sd) {
        s.sd = sqrt(squares / (double)(n - 1));
    }
    return s;
}
