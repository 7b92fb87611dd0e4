/* summary.h: the results of a run: the numbers of summary.json, and a table of them for people. */
#ifndef TRI_WATCH_REPORT_SUMMARY_H
#define TRI_WATCH_REPORT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/json.h"
#include "watch/progress/phases.h"
#include "watch/sample/consumption.h"

/* In both structs a text that is NULL and a number that is NaN are null in JSON and left out of the table. Texts are borrowed. */
typedef struct {
    const char *task;        /* "worker:0" */
    int64_t steps, examples; /* in the model, since the run was started or resumed; so are seconds */
    double seconds, test_accuracy;
    int64_t bytes_sent, bytes_received;
    double cpu_percent, peak_rss_mb;
    double phases[TRI_PHASES]; /* shares, sum 1 */
    double began, ended;       /* of its first step and its last, in seconds since 1970, by the clock of its host; NaN: not known */
} tri__worker_summary;

typedef struct {
    const char *model, *data, *strategy;
    const char *mode; /* "async", "sync", …; NULL where the strategy has no modes */
    int workers, servers;
    int64_t batch;
    int threads;
    uint64_t seed;
    int64_t steps, examples;
    double epochs;
    double seconds;       /* training; evaluation and set-up left out */
    double total_seconds; /* of all processes that led the run, from their start */
    double examples_per_second, train_loss, test_loss, test_accuracy;
    bool two_classes;                                /* these are of such a model, and have no keys elsewhere: … */
    double test_logloss, test_auc, test_calibration; /* … calibration: the mean prediction over the share of class 1 */
    double progressive_logloss;                      /* … of all training examples, each before its own update */
    bool numbers;                                    /* these are of a model that learns numbers … */
    double test_mse, test_mae, test_r2;
    bool sets; /* … and this of one that learns sets of labels */
    double test_f1;
    bool stream;                                                           /* two classes that came from standard input: … */
    double progressive_accuracy, progressive_auc, progressive_calibration; /* … of a stream, which has no keys elsewhere */
    bool tables_grow;                                                      /* then there are keys for … */
    int64_t left_rare, left_full;    /* … sightings of keys without a row: seen too seldom, or for want of memory */
    int64_t table_rows, table_bytes; /* of all tables, with the rule's state; no keys where there are none */
    const char *stopped_by;          /* "epochs", "steps", "until", "signal", … */
    int64_t until_step;              /* the step that met --until; negative: null */
    double peak_rss_mb;
    int64_t bytes_sent, bytes_received, dropped_stale;
    int64_t damaged, test_damaged; /* records left out, of the training and of the test examples */
    int64_t re_leased;             /* steps that another worker had to do again */
    int64_t lost_updates;          /* that failures of servers took back */
    double phases[TRI_PHASES];
    const char *verdict;
    const tri__worker_summary *worker_stats; /* workers entries */
    const tri__consumption *consumption;     /* NULL: not sampled; then there are no keys for tasks and hosts */
    const char *checkpoint;
} tri__summary;

/* What --json prints: one object, always with the same keys; the caller owns it. */
TRI_MUST_CHECK tri_status tri__summary_json(const tri__summary *summary, json_t **out);

enum { TRI_SUMMARY_SIZE = 4096 };

/* A table, one fact a line. Returns buffer. */
const char *tri__summary_table(const tri__summary *summary, char *buffer, size_t size);

#endif
