/* options.h: what a training run was asked to do.
 *
 * A request holds only the options that were given: all others are unset. Its fields are one table with the names that users type (rows.h):
 * the command line sets fields by name, a checkpoint keeps them as JSON, and the table says which of them a resumed run may change. */
#ifndef TRI_TRAIN_OPTIONS_OPTIONS_H
#define TRI_TRAIN_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file/json.h"
#include "data/photo/augment.h"
#include "graph/rule/rule.h"
#include "train/options/schedule.h"
#include "train/options/stop.h"
#include "trireme/model.h"

#define TRI_UNSET INT64_MIN /* an integer that was not given */

#define TRI_REQUESTED_TEXT    char *
#define TRI_REQUESTED_CHOICE  char *
#define TRI_REQUESTED_INTEGER int64_t
#define TRI_REQUESTED_FLAG    int64_t
#define TRI_REQUESTED_NUMBER  double

typedef struct tri__train_options {
    char *model;
#define ROW(kind, field, ...)     TRI_REQUESTED_##kind field;
#define SETTING(kind, field, ...) TRI_REQUESTED_##kind field;
#define RULES                                                                                                                              \
    char *rule;                                                                                                                            \
    double rule_numbers[TRI_ALL_RULE_NUMBERS]; /* in the order of tri__rule_number_at */
#include "train/options/rows.h"
} tri__train_options;

/* The options, by number from 0; NULL past the last. The model is not among them: it is an operand. */
const tri__option *tri__train_option(int index);

void tri__train_options_init(tri__train_options *options); /* all unset */
void tri__train_options_fini(tri__train_options *options);
TRI_MUST_CHECK tri_status tri__train_options_copy(tri__train_options *to, const tri__train_options *from); /* what is set */

/* Set the field called name ("limit-train") from text. known: whether there is such a field. The caller has checked the text. */
TRI_MUST_CHECK tri_status tri__train_options_set(tri__train_options *options, const char *name, const char *text, bool *known);

/* Whether the field called name was given. A flag that is off counts as not given. */
bool tri__train_options_given(const tri__train_options *options, const char *name);

json_t *tri__train_options_json(const tri__train_options *options); /* what is set; NULL when memory is short */
TRI_MUST_CHECK tri_status tri__train_options_read(tri__train_options *options, const json_t *value);

/* TRI_BAD_CALL where an epoch's length is given, but --epochs does not end the run. given: the options as typed, not merged with those of a
 * resumed run, which may have had --epochs. */
TRI_MUST_CHECK tri_status tri__train_options_check_epochs(const tri__train_options *given);

/* Merge the options of a resumed run. kept: those of the checkpoint; given: those of this call, which are copied into kept; model: what its
 * model asks for. TRI_BAD_CALL where given changes what a resumed run must keep. */
TRI_MUST_CHECK tri_status tri__train_options_resume(tri__train_options *kept, const tri__train_options *given,
                                                    const tri_model_defaults *model);

#define TRI_SETTING_INTEGER int64_t
#define TRI_SETTING_FLAG    bool

/* The request as numbers that the training loop uses. Options that were not given have the model's settings or their standard values. */
typedef struct {
    int workers;                   /* of the run; the strategy says whether they make each step together */
    int64_t batch, limit, shuffle; /* batch: of one worker */
    uint64_t seed;
    int threads;
    tri_rule rule;
    tri__schedule schedule; /* not yet bound */
    int64_t epochs;         /* 0: steps or target ends the run */
    int64_t steps;          /* number of the last step; 0: epochs or target ends the run */
    tri__target target;
    tri__every evaluate, checkpoint;
    int64_t sample_every; /* nanoseconds; 0: never */
    double validation;    /* share of the training examples that is held out, below 1; 0: none */
    bool own_files;       /* --shard files */
    tri__augment augment;
    const char *freeze;        /* patterns of parameters; borrowed from the request; NULL: none */
    const char *class_weights; /* "balanced" or a list; borrowed from the request; NULL: none */
    int64_t cache_bytes;       /* 0: half of the free memory */
    int64_t min_count;         /* a key gets a row when it was seen this often; 0: tables do not grow */
    int64_t table_bytes;       /* how large tables may grow; 0: half of the free memory */
#define ROW(...)
#define SETTING(kind, field, ...) TRI_SETTING_##kind field;
#define RULES
#include "train/options/rows.h"
} tri__train_settings;

/* --sample-every in nanoseconds; 0: never. */
TRI_MUST_CHECK tri_status tri__train_sample_every(const tri__train_options *options, int64_t *every);

/* Whether a rule is the model's own, so that the numbers in the model's settings are for it. rule: NULL is the model's own. */
bool tri__train_options_take_rule(const tri_model_defaults *model, const char *rule);

TRI_MUST_CHECK tri_status tri__train_settings_resolve(const tri__train_options *options, const tri_model_defaults *model,
                                                      tri__train_settings *out);

#endif
