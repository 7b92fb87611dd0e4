/* reports.c: computes sums, means and rows from the workers' reports. */
#include "train/ps/task/reports.h"

#include <math.h>

#define MOST (INT64_MAX / 2)

static int64_t count_of(const json_t *report, const char *key)
{
    int64_t count = tri__json_integer_of(report, key, 0);
    return count > 0 ? count : 0;
}

int64_t tri__reports_sum(const json_t *reports, const char *key)
{
    int64_t sum = 0;
    for (size_t i = 0; i < json_array_size(reports); i++)
        if (__builtin_add_overflow(sum, count_of(json_array_get(reports, i), key), &sum) || sum > MOST)
            return MOST;
    return sum;
}

static double add_up(const json_t *reports, const char *key, int *count)
{
    double sum = 0;
    *count = 0;
    for (size_t i = 0; i < json_array_size(reports); i++) {
        double value = tri__json_number_of(json_array_get(reports, i), key);
        if (!isnan(value)) {
            sum += value;
            ++*count;
        }
    }
    return sum;
}

double tri__reports_total(const json_t *reports, const char *key)
{
    int count;
    return add_up(reports, key, &count);
}

double tri__reports_mean(const json_t *reports, const char *key)
{
    int count;
    const double sum = add_up(reports, key, &count);
    return count ? sum / count : NAN;
}

double tri__reports_most(const json_t *reports, const char *key)
{
    double most = NAN;
    for (size_t i = 0; i < json_array_size(reports); i++)
        most = fmax(most, tri__json_number_of(json_array_get(reports, i), key));
    return most;
}

void tri__reports_phases(const json_t *reports, double share[TRI_PHASES])
{
    double all = 0, sum[TRI_PHASES] = {0}, own[TRI_PHASES];
    for (size_t i = 0; i < json_array_size(reports); i++) {
        const json_t *report = json_array_get(reports, i);
        double seconds = tri__json_number_of(report, "seconds");
        if (!(seconds > 0))
            continue;
        all += seconds;
        tri__phases_read(json_object_get(report, "phases"), own);
        for (int phase = 0; phase < TRI_PHASES; phase++)
            sum[phase] += seconds * own[phase];
    }
    for (int phase = 0; phase < TRI_PHASES; phase++)
        share[phase] = all > 0 ? sum[phase] / all : phase == TRI_PHASE_OTHER;
}

void tri__reports_workers(const json_t *reports, tri__worker_summary *rows)
{
    for (size_t i = 0; i < json_array_size(reports); i++) {
        const json_t *report = json_array_get(reports, i);
        rows[i] = (tri__worker_summary){
            .task = json_string_value(json_object_get(report, "task")),
            .steps = count_of(report, "steps"),
            .examples = count_of(report, "examples"),
            .seconds = tri__json_number_of(report, "seconds"),
            .began = tri__json_number_of(report, "began"),
            .ended = tri__json_number_of(report, "ended"),
            .test_accuracy = tri__json_number_of(report, "test_accuracy"),
            .bytes_sent = count_of(report, "bytes_sent"),
            .bytes_received = count_of(report, "bytes_received"),
            .cpu_percent = tri__json_number_of(report, "cpu_percent"),
            .peak_rss_mb = tri__json_number_of(report, "peak_rss_mb"),
        };
        tri__phases_read(json_object_get(report, "phases"), rows[i].phases);
    }
}
