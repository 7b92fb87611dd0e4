/* summary.h: the results of a run, as JSON (summary.json) and as a table for people. */
#ifndef TRI_WATCH_REPORT_SUMMARY_H
#define TRI_WATCH_REPORT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/json.h"
#include "watch/progress/phases.h"
#include "watch/sample/consumption.h"

/* In both structs, a text that is NULL or a number that is NaN is null in JSON, and is left out of the table. Texts are borrowed. */
typedef struct {
    const char *task;        /* "worker:0" */
    int64_t steps, examples; /* that are in the model; these and seconds count since the run was started or resumed */
    double seconds, test_accuracy;
    int64_t bytes_sent, bytes_received;
    double cpu_percent, peak_rss_mb;
    double phases[TRI_PHASES]; /* shares, sum 1 */
    double began, ended;       /* begin of its first step, end of its last, in seconds since 1970 by its host's clock; NaN: not known */
} tri__worker_summary;

typedef struct {
    const char *model, *data, *strategy;
    const char *mode; /* "async", "sync", …; NULL where the strategy has no modes */
    int workers, servers;
    int64_t batch;
    const char *rule;
    double rate;    /* before any schedule */
    double average; /* the decay of averaged weights; 0: there are none */
    int threads;
    uint64_t seed;
    const json_t *options; /* what the user asked for, by the names of the options; NULL: JSON has no key for it */
    int64_t steps, examples;
    int64_t since_step, examples_before; /* what was made before the run was last resumed or restarted: worker_stats leave it out */
    double epochs;
    double seconds;       /* of training, without evaluation and set-up */
    double total_seconds; /* of all processes that led the run, each from its start */
    double examples_per_second, train_loss, test_loss, test_accuracy;
    bool two_classes;                                /* if set, JSON has keys for the four numbers that follow */
    double test_logloss, test_auc, test_calibration; /* calibration: the mean prediction over the share of class 1 */
    double progressive_logloss;                      /* of all training examples, each before its own update; NaN: see docs/clusters.md */
    bool numbers;                                    /* the model learns numbers: JSON has keys for test_mse, test_mae, test_r2 */
    double test_mse, test_mae, test_r2;
    bool sets; /* the model learns sets of labels: JSON has a key for test_f1 */
    double test_f1;
    bool stream;                                                           /* two classes, from standard input: keys for these three */
    double progressive_accuracy, progressive_auc, progressive_calibration; /* of a stream, each example before its own update */
    bool tables_grow;                                                      /* if set, JSON has keys for left_rare and left_full */
    int64_t left_rare, left_full;    /* how often a key had no row: it was seen too seldom; memory was full */
    int64_t table_rows, table_bytes; /* of all tables, with the rule's state; no keys in JSON if there are no tables */
    const char *stopped_by;          /* "epochs", "steps", "until", "signal", … */
    int64_t until_step;              /* the step that met --until; negative: null */
    double peak_rss_mb;
    int64_t bytes_sent, bytes_received, dropped_stale;
    int64_t damaged, test_damaged; /* records left out, of the training and of the test examples */
    int64_t re_leased;             /* steps that another worker had to do again */
    int64_t lost_updates;          /* updates that were lost when servers failed */
    double phases[TRI_PHASES];
    const char *verdict;
    const tri__worker_summary *worker_stats; /* [workers] */
    const tri__consumption *consumption;     /* NULL if there are no samples: then JSON has no keys for tasks and hosts */
    const char *checkpoint;
} tri__summary;

/* What --json prints: one object; the caller owns it. Except as said above, the keys are always the same. */
TRI_MUST_CHECK tri_status tri__summary_json(const tri__summary *summary, json_t **out);

enum { TRI_SUMMARY_SIZE = 8192 };

/* A table, one fact a line. Returns buffer. */
const char *tri__summary_table(const tri__summary *summary, char *buffer, size_t size);

#endif
