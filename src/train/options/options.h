/* options.h: what a training run was asked to do.
 *
 * A request holds what was given, and nothing else: a value that was not given is unset. Its fields are one table with the names that users
 * type (rows.h), so that the command line sets them by name, a checkpoint keeps them as JSON, and resuming can tell what may change. */
#ifndef TRI_TRAIN_OPTIONS_OPTIONS_H
#define TRI_TRAIN_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file/json.h"
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
    double rule_numbers[TRI_ALL_RULE_NUMBERS]; /* as tri__rule_number_at has them */
#include "train/options/rows.h"
} tri__train_options;

/* The options, by number from 0; NULL past the last. The model, which has no dashes, is not among them. */
const tri__option *tri__train_option(int index);

void tri__train_options_init(tri__train_options *options); /* all unset */
void tri__train_options_fini(tri__train_options *options);
TRI_MUST_CHECK tri_status tri__train_options_copy(tri__train_options *to, const tri__train_options *from); /* what is set */

/* Set the field called name ("limit-train") from text; false where there is no such field. The text has been checked. */
TRI_MUST_CHECK tri_status tri__train_options_set(tri__train_options *options, const char *name, const char *text, bool *known);

/* Was the field called name given? A flag that is off was not. */
bool tri__train_options_given(const tri__train_options *options, const char *name);

json_t *tri__train_options_json(const tri__train_options *options); /* what is set; NULL when memory is short */
TRI_MUST_CHECK tri_status tri__train_options_read(tri__train_options *options, const json_t *value);

/* TRI_BAD_CALL where an epoch's length is given and --epochs is not what ends the run. given: as typed, since a run to be resumed may
 * have had --epochs before. */
TRI_MUST_CHECK tri_status tri__train_options_check_epochs(const tri__train_options *given);

/* What a resumed run does: kept is what the checkpoint remembers, given what was asked for now; kept receives what may change.
 * TRI_BAD_CALL where given asks to change what a run cannot change. */
TRI_MUST_CHECK tri_status tri__train_options_resume(tri__train_options *kept, const tri__train_options *given);

#define TRI_SETTING_INTEGER int64_t
#define TRI_SETTING_FLAG    bool

/* The request with its gaps filled from the model's settings, parsed into the numbers that the training loop uses. */
typedef struct {
    int workers;                   /* of the run; the strategy decides whether they make every step together */
    int64_t batch, limit, shuffle; /* batch: of one worker */
    uint64_t seed;
    int threads;
    tri_rule rule;
    tri__schedule schedule; /* not yet bound */
    int64_t epochs;         /* 0: steps or target ends the run */
    int64_t steps;          /* the last step; 0 where epochs or target ends the run */
    tri__target target;
    tri__every evaluate, checkpoint;
    int64_t sample_every;      /* nanoseconds; 0: never */
    double validation;         /* of the training examples, between 0 and 1; 0: none is held out */
    bool own_files;            /* --shard files */
    const char *augment;       /* borrowed from the request; NULL: none */
    const char *freeze;        /* patterns of parameters; NULL: none; borrowed, as the one above is */
    const char *class_weights; /* "balanced" or a list; NULL: none; borrowed, too */
    int64_t cache_bytes;       /* 0: half of the free memory */
    int64_t min_count;         /* of tables that grow; 0: they do not … */
    int64_t table_bytes;       /* … and how large they get; 0: half of the free memory */
#define ROW(...)
#define SETTING(kind, field, ...) TRI_SETTING_##kind field;
#define RULES
#include "train/options/rows.h"
} tri__train_settings;

/* --sample-every in nanoseconds; 0: never. */
TRI_MUST_CHECK tri_status tri__train_sample_every(const tri__train_options *options, int64_t *every);

TRI_MUST_CHECK tri_status tri__train_settings_resolve(const tri__train_options *options, const tri_model_defaults *model,
                                                      tri__train_settings *out);

#endif
