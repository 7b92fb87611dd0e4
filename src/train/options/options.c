/* options.c: sets the fields of a request by name, keeps them as JSON, merges them on resume, and fills gaps from the model's settings. */
#include "train/options/options.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/duration.h"
#include "base/thread/clock.h"
#include "data/source/source.h"
#include "train/options/strategies.h"
#include "train/options/strategy.h"
#include "trireme/dataset.h"

#define LEAST_SAMPLE (10 * TRI_MILLISECOND)
#define LARGEST_STEP (1 << 30) /* examples, of one worker */
#define USUAL_BATCH  100       /* where neither the user nor the model says */

/* Some options together answer one question. When a resumed run changes an option that `replaces` a question, every option that is
 * `part_of` that question is unset first, unless the new strategy carries it over. */
typedef enum { ALONE, HOW_LONG, STRATEGY, MODE } question;

/* Whether two texts mean the same, if that is not a matter of their letters. NULL: the option is not set. */
typedef bool same_texts(const char *a, const char *b);

typedef struct {
    tri__option option;
    size_t offset;
    bool fixed;       /* a resumed run keeps it */
    same_texts *same; /* NULL: texts mean the same if they are equal */
    question replaces, part_of;
} table_row;

#define KEPT              .fixed = true
#define KEPT_BY(same_)    .fixed = true, .same = same_
#define FREE              .fixed = false
#define ANSWERS(question) .replaces = question, .part_of = question
#define PART_OF(question) .part_of = question

#define ROW(kind_, field_, name_, resumed, ...)                                                                                            \
    {.offset = offsetof(tri__train_options, field_), resumed, .option = {.name = name_, .kind = TRI_OPTION_##kind_, __VA_ARGS__}},
#define SETTING(kind_, field_, name_, resumed, standard_, ...)                                                                             \
    {.offset = offsetof(tri__train_options, field_), resumed, .option = {.name = name_, .kind = TRI_OPTION_##kind_, __VA_ARGS__}},
#define RULES {.option = {.rows = tri__rule_option}},

/* The values of --strategy, "local mirrored …", and what help says about each. */
#define NAME(name_, meaning_)         #name_
#define NEXT_NAME(name_, meaning_)    " " #name_
#define MEANING(name_, meaning_)      #name_ ": " meaning_
#define NEXT_MEANING(name_, meaning_) "; " #name_ ": " meaning_

static const table_row table[] = {
    {.offset = offsetof(tri__train_options, model), .fixed = true, .option = {.name = "model", .kind = TRI_OPTION_TEXT}},
#include "train/options/rows.h"
};

/* A field of a request: a row, or one of the options that replace RULES. */
typedef struct {
    const tri__option *option;
    size_t offset;
    bool fixed;
    same_texts *same;
    question replaces, part_of;
} field;

/* A resumed run keeps --rule; it may change the numbers of rules. */
static bool rule_field(int index, field *out)
{
    const size_t numbers = offsetof(tri__train_options, rule_numbers);
    *out = (field){.option = tri__rule_option(index), .offset = offsetof(tri__train_options, rule), .fixed = index == 0};
    if (index > 0)
        out->offset = numbers + (size_t)(index - 1) * sizeof(double);
    return out->option;
}

static int count_rule_fields(void)
{
    int count = 0;
    while (tri__rule_option(count))
        count++;
    return count;
}

static int find_rules_row(void)
{
    int i = 0;
    while (!table[i].option.rows)
        i++;
    return i;
}

/* The fields by number from 0; fields of rules are in the place of RULES. False past the last. */
static bool field_at(int index, field *out)
{
    const int rules = find_rules_row();
    if (index >= rules && rule_field(index - rules, out))
        return true;
    const int i = index < rules ? index : index - count_rule_fields() + 1;
    if (i >= (int)(sizeof table / sizeof *table))
        return false;
    const table_row *row = &table[i];
    *out = (field){&row->option, row->offset, row->fixed, row->same, row->replaces, row->part_of};
    return true;
}

static bool find_field(const char *name, field *out)
{
    for (int i = 0; field_at(i, out); i++)
        if (!strcmp(out->option->name, name))
            return true;
    return false;
}

const tri__option *tri__train_option(int index)
{
    field row;
    return field_at(index + 1, &row) ? row.option : NULL; /* the model is field 0 */
}

/* How a field stores its value. */
typedef enum { AS_TEXT, AS_INTEGER, AS_NUMBER } storage;

static storage storage_of(const field *row)
{
    switch (row->option->kind) {
    case TRI_OPTION_TEXT:
    case TRI_OPTION_CHOICE:
        break;
    case TRI_OPTION_INTEGER:
    case TRI_OPTION_FLAG:
        return AS_INTEGER;
    case TRI_OPTION_NUMBER:
        return AS_NUMBER;
    }
    return AS_TEXT;
}

static char **text_of(const tri__train_options *options, const field *row)
{
    return (char **)((char *)(uintptr_t)options + row->offset);
}

static int64_t *integer_of(const tri__train_options *options, const field *row)
{
    return (int64_t *)((char *)(uintptr_t)options + row->offset);
}

static double *number_of(const tri__train_options *options, const field *row)
{
    return (double *)((char *)(uintptr_t)options + row->offset);
}

/* The field has no value from now on. A text that it had is not freed. */
static void clear(tri__train_options *options, const field *row)
{
    switch (storage_of(row)) {
    case AS_TEXT:
        *text_of(options, row) = NULL;
        break;
    case AS_INTEGER:
        *integer_of(options, row) = TRI_UNSET;
        break;
    case AS_NUMBER:
        *number_of(options, row) = NAN;
        break;
    }
}

static void unset(tri__train_options *options, const field *row)
{
    if (storage_of(row) == AS_TEXT)
        free(*text_of(options, row));
    clear(options, row);
}

static bool is_set(const tri__train_options *options, const field *row)
{
    switch (storage_of(row)) {
    case AS_TEXT:
        return *text_of(options, row);
    case AS_INTEGER:
        return *integer_of(options, row) != TRI_UNSET;
    case AS_NUMBER:
        return !isnan(*number_of(options, row));
    }
    return false;
}

void tri__train_options_init(tri__train_options *options)
{
    *options = (tri__train_options){0};
    field row;
    for (int i = 0; field_at(i, &row); i++)
        clear(options, &row);
}

void tri__train_options_fini(tri__train_options *options)
{
    field row;
    for (int i = 0; field_at(i, &row); i++)
        unset(options, &row);
}

static tri_status set_text(tri__train_options *options, const field *row, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return tri_fail(TRI_NO_MEMORY, "no memory for --%s", row->option->name);
    free(*text_of(options, row));
    *text_of(options, row) = copy;
    return NULL;
}

/* Flags come as "on" and "off". */
static tri_status set_field(tri__train_options *options, const field *row, const char *text)
{
    switch (storage_of(row)) {
    case AS_TEXT:
        return set_text(options, row, text);
    case AS_INTEGER:
        *integer_of(options, row) = !strcmp(text, "on") ? 1 : !strcmp(text, "off") ? 0 : strtoll(text, NULL, 10);
        break;
    case AS_NUMBER:
        *number_of(options, row) = strtod(text, NULL);
        break;
    }
    return NULL;
}

tri_status tri__train_options_set(tri__train_options *options, const char *name, const char *text, bool *known)
{
    field row;
    *known = find_field(name, &row);
    return *known ? set_field(options, &row, text) : NULL;
}

bool tri__train_options_given(const tri__train_options *options, const char *name)
{
    field row;
    if (!find_field(name, &row) || !is_set(options, &row))
        return false;
    return row.option->kind != TRI_OPTION_FLAG || *integer_of(options, &row) == 1;
}

json_t *tri__train_options_json(const tri__train_options *options)
{
    json_t *object = json_object();
    field row;
    for (int i = 0; field_at(i, &row); i++) {
        storage kind = storage_of(&row);
        if (!is_set(options, &row))
            continue;
        json_t *value = kind == AS_TEXT      ? json_string(*text_of(options, &row))
                        : kind == AS_INTEGER ? json_integer(*integer_of(options, &row))
                                             : json_real(*number_of(options, &row));
        if (json_object_set_new(object, row.option->name, value)) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

/* Unknown names are ignored: another version wrote them. */
tri_status tri__train_options_read(tri__train_options *options, const json_t *value)
{
    field row;
    for (int i = 0; field_at(i, &row); i++) {
        const json_t *item = json_object_get(value, row.option->name);
        storage kind = storage_of(&row);
        if (!item)
            continue;
        if (kind == AS_TEXT && json_is_string(item))
            TRI_TRY(set_text(options, &row, json_string_value(item)));
        else if (kind == AS_INTEGER && json_is_integer(item))
            *integer_of(options, &row) = json_integer_value(item);
        else if (kind == AS_NUMBER && json_is_number(item))
            *number_of(options, &row) = json_number_value(item);
        else
            return tri_fail(TRI_BAD_DATA, "its option '%s' is of the wrong kind", row.option->name);
    }
    return NULL;
}

static bool same(const tri__train_options *a, const tri__train_options *b, const field *row)
{
    if (row->same)
        return row->same(*text_of(a, row), *text_of(b, row));
    if (!is_set(a, row) || !is_set(b, row))
        return is_set(a, row) == is_set(b, row);
    switch (storage_of(row)) {
    case AS_TEXT:
        return !strcmp(*text_of(a, row), *text_of(b, row));
    case AS_INTEGER:
        return *integer_of(a, row) == *integer_of(b, row);
    case AS_NUMBER: /* a number of a model's file has the precision of a float */
        return (float)*number_of(a, row) == (float)*number_of(b, row);
    }
    return false;
}

static tri_status copy_field(tri__train_options *to, const tri__train_options *from, const field *row)
{
    switch (storage_of(row)) {
    case AS_TEXT:
        return set_text(to, row, *text_of(from, row));
    case AS_INTEGER:
        *integer_of(to, row) = *integer_of(from, row);
        break;
    case AS_NUMBER:
        *number_of(to, row) = *number_of(from, row);
        break;
    }
    return NULL;
}

tri_status tri__train_options_copy(tri__train_options *to, const tri__train_options *from)
{
    field row;
    for (int i = 0; field_at(i, &row); i++)
        if (is_set(from, &row))
            TRI_TRY(copy_field(to, from, &row));
    return NULL;
}

static const char *shown(const tri__train_options *options, const field *row, char *buffer, size_t size)
{
    if (!is_set(options, row))
        snprintf(buffer, size, "none given");
    else if (storage_of(row) == AS_TEXT)
        snprintf(buffer, size, "%s", *text_of(options, row));
    else if (storage_of(row) == AS_INTEGER)
        snprintf(buffer, size, "%lld", (long long)*integer_of(options, row));
    else
        snprintf(buffer, size, "%g", *number_of(options, row));
    return buffer;
}

static tri_status refuse(const tri__train_options *kept, const tri__train_options *given, const field *row)
{
    char before[128], now[128];
    return tri_fail(TRI_BAD_CALL,
                    "%s%s %s: the run to be resumed has %s, and a resumed run keeps it (leave it out, or start a new run with --init)",
                    strcmp(row->option->name, "model") ? "--" : "", row->option->name, shown(given, row, now, sizeof now),
                    shown(kept, row, before, sizeof before));
}

/* Whether an old option stays though its question has a new answer. */
static bool carries_over(const field *row, const tri__train_options *given)
{
    if (row->part_of == STRATEGY)
        return tri__strategies_carry(tri__strategies_find(given->strategy), row->option->name);
    return given->until && !strcmp(row->option->name, "max-steps");
}

/* The values that kept options have where they are not given: the model's own, or the standard ones. */
static tri_status fill_usual(tri__train_options *usual, const tri_model_defaults *model)
{
    field row;
    for (int i = 0; field_at(i, &row); i++)
        if (row.fixed && row.option->standard)
            TRI_TRY(set_field(usual, &row, row.option->standard));
    usual->batch = model->batch ? model->batch : USUAL_BATCH;
    usual->average = (double)model->rule.average;
    return find_field("rule", &row) ? set_text(usual, &row, model->rule.name ? model->rule.name : tri_rule_name(0)) : NULL;
}

/* Check that this call says of kept options what holds for the run, given or not. */
static tri_status check_kept(const tri__train_options *kept, const tri__train_options *given, const tri_model_defaults *model)
{
    tri__train_options usual;
    tri__train_options_init(&usual);
    tri_status status = fill_usual(&usual, model);
    field row;
    for (int i = 0; !status && field_at(i, &row); i++) {
        const tri__train_options *before = is_set(kept, &row) ? kept : &usual;
        if (is_set(given, &row) && row.fixed && !same(before, given, &row))
            status = refuse(before, given, &row);
    }
    tri__train_options_fini(&usual);
    return status;
}

tri_status tri__train_options_resume(tri__train_options *kept, const tri__train_options *given, const tri_model_defaults *model)
{
    bool anew[MODE + 1] = {false}; /* by question: a new answer was given */
    field row;
    TRI_TRY(check_kept(kept, given, model));
    for (int i = 0; field_at(i, &row); i++)
        anew[row.replaces] |= is_set(given, &row) && !same(kept, given, &row);
    anew[ALONE] = false;
    anew[MODE] |= anew[STRATEGY]; /* each strategy has its own modes */
    for (int i = 0; field_at(i, &row); i++)
        if (anew[row.part_of] && !carries_over(&row, given))
            unset(kept, &row);
    return tri__train_options_copy(kept, given);
}

/* The user's value, where it was given; otherwise the model's; otherwise the program's default. */
static int64_t pick(int64_t given, int64_t model, int64_t standard)
{
    return given != TRI_UNSET ? given : model ? model : standard;
}

static double pick_number(double given, double model, double standard)
{
    return !isnan(given) ? given : model != 0 ? model : standard;
}

bool tri__train_options_take_rule(const tri_model_defaults *model, const char *rule)
{
    const char *own = model->rule.name ? model->rule.name : tri_rule_name(0);
    return !rule || strcmp(rule, own) == 0;
}

/* Numbers in the model's settings are for the model's rule: a good epsilon of adagrad is a bad one of adam. A number on the command line
 * must belong to the rule in use. */
static tri_status resolve_rule(const tri__train_options *options, const tri_model_defaults *model, tri_rule *out)
{
    *out = (tri_rule){.name = options->rule ? options->rule : model->rule.name};
    const tri__rule_number *number;
    const bool own = tri__train_options_take_rule(model, options->rule);
    for (int i = 0; own && i < TRI_RULE_NUMBERS && model->rule.set[i].name; i++)
        if ((number = tri__rule_number_find(model->rule.set[i].name)))
            TRI_TRY(tri__rule_set(out, number, model->rule.set[i].value));
    for (int i = 0; (number = tri__rule_number_at(i)); i++) {
        char names[128];
        if (isnan(options->rule_numbers[i]))
            continue;
        if (!tri__rule_has(out->name, number))
            return tri_fail(TRI_BAD_CALL, "--%s belongs to --rule %s, and the rule is %s", number->option.name,
                            tri__rule_names(number, names, sizeof names), out->name ? out->name : tri_rule_name(0));
        TRI_TRY(tri__rule_set(out, number, (float)options->rule_numbers[i]));
    }
    out->clip = (float)pick_number(options->clip, 0, 0);
    out->average = (float)pick_number(options->average, (double)model->rule.average, 0);
    return tri__rule_complete(out);
}

tri_status tri__train_options_check_epochs(const tri__train_options *given)
{
    const char *other = given->steps != TRI_UNSET ? "steps" : given->until ? "until" : NULL;
    if (!other || given->steps_per_epoch == TRI_UNSET)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "--steps-per-epoch and --%s: it says how long each of --epochs is; leave one of the two out", other);
}

static tri_status resolve_end(const tri__train_options *options, const tri_model_defaults *model, tri__train_settings *out)
{
    bool epochs = options->epochs != TRI_UNSET, steps = options->steps != TRI_UNSET, until = options->until;
    if (epochs + steps + until > 1)
        return tri_fail(TRI_BAD_CALL, "%s and %s both say how long to train: give one of --epochs, --steps and --until%s",
                        epochs ? "--epochs" : "--steps", until ? "--until" : "--steps", until ? " (--max-steps guards --until)" : "");
    if (options->max_steps != TRI_UNSET && !until)
        return tri_fail(TRI_BAD_CALL, "--max-steps guards --until; to train for a number of steps, give --steps");
    if (until)
        TRI_TRY(tri__target_parse(options->until, &out->target));
    if (out->target.progressive && (!options->data || strcmp(options->data, "-")))
        return tri_fail(TRI_BAD_CALL,
                        "--until '%s': progressive figures are of a stream (--data -); elsewhere aim at those of the test "
                        "examples: logloss, accuracy, auc or calibration",
                        options->until);
    out->steps = pick(options->steps, 0, 0);
    out->epochs = steps || until ? 0 : pick(options->epochs, model->epochs, 10);
    return NULL;
}

/* "10%", "0.1". */
static tri_status resolve_validation(const tri__train_options *options, tri__train_settings *out)
{
    const char *text = options->validation;
    char *end = NULL;
    if (!text)
        return NULL;
    double share = strtod(text, &end);
    bool number = end > text;
    if (*end == '%')
        share /= 100, end++;
    if (!number || *end || !(share > 0 && share < 1))
        return tri_fail(TRI_BAD_CALL, "--validation %s: expected a part of the training examples such as 10%%, above 0%% and below 100%%",
                        text);
    if (options->test || out->own_files)
        return tri_fail(TRI_BAD_CALL, "--validation and --%s: %s", options->test ? "test" : "shard files",
                        options->test ? "both say what to evaluate on; give one of them"
                                      : "workers whose files differ cannot hold out the same examples; give --test SOURCE");
    out->validation = share;
    return NULL;
}

tri_status tri__train_sample_every(const tri__train_options *options, int64_t *every)
{
    const char *sample = options->sample_every ? options->sample_every : "1s";
    *every = 0;
    if (strcmp(sample, "never") != 0 && (!tri__duration_parse(sample, every) || *every < LEAST_SAMPLE))
        return tri_fail(TRI_BAD_CALL, "--sample-every %s: should be a time such as 1s or 500ms, at least 10ms, or never", sample);
    return NULL;
}

static tri_status resolve_often(const tri__train_options *options, tri__train_settings *out)
{
    const unsigned often = 1u << TRI_EVERY_STEPS | 1u << TRI_EVERY_EPOCH | 1u << TRI_EVERY_END;
    const char *evaluate = options->eval_every ? options->eval_every : options->until ? "100" : "epoch";
    TRI_TRY(tri__every_parse("eval-every", evaluate, often | 1u << TRI_EVERY_NEVER, &out->evaluate));
    const bool never = out->evaluate.kind == TRI_EVERY_NEVER;
    if (never && (out->patience || out->keep_best || options->test || options->validation))
        return tri_fail(TRI_BAD_CALL, "--%s goes by evaluations, and --eval-every never switches them off: leave one of them out",
                        out->patience    ? "patience"
                        : out->keep_best ? "keep-best"
                        : options->test  ? "test"
                                         : "validation");
    if (out->schedule.kind == TRI_SCHEDULE_PLATEAU && (never || out->evaluate.kind == TRI_EVERY_END))
        return tri_fail(TRI_BAD_CALL, "--schedule plateau goes by evaluations: --eval-every must be a number of steps or epoch");
    if (out->target.measure && (never || out->evaluate.kind == TRI_EVERY_END))
        return tri_fail(TRI_BAD_CALL, "--until is checked by evaluations: --eval-every must be a number of steps or epoch");
    const char *checkpoint = options->checkpoint_every ? options->checkpoint_every : "60s";
    TRI_TRY(tri__every_parse("checkpoint-every", checkpoint, often | 1u << TRI_EVERY_SECONDS, &out->checkpoint));
    TRI_TRY(tri__train_sample_every(options, &out->sample_every));
    return NULL;
}

/* How many examples one worker has in a step. --global-batch is for all workers together; with --accumulate a step has several batches. */
static tri_status resolve_batch(const tri__train_options *options, const tri_model_defaults *model, tri__train_settings *settings)
{
    int64_t *out = &settings->batch;
    const int64_t workers = settings->workers, parts = settings->accumulate;
    *out = pick(options->batch, model->batch, USUAL_BATCH) * parts;
    if (*out > LARGEST_STEP)
        return tri_fail(TRI_BAD_CALL, "--accumulate %" PRId64 ": with batches of %" PRId64 " a step has more than %d examples", parts,
                        *out / parts, LARGEST_STEP);
    if (options->global_batch == TRI_UNSET)
        return NULL;
    if (options->batch != TRI_UNSET)
        return tri_fail(TRI_BAD_CALL, "--batch and --global-batch both say how large a step is: --batch is for one worker, "
                                      "--global-batch for all of them together");
    char each[64] = "";
    if (parts > 1)
        snprintf(each, sizeof each, " with %" PRId64 " batches each (--accumulate)", parts);
    if (options->global_batch % (workers * parts))
        return tri_fail(TRI_BAD_CALL, "--global-batch %" PRId64 " does not divide evenly over %" PRId64 " worker%s%s (%" PRId64 " would)",
                        options->global_batch, workers, workers == 1 ? "" : "s", each,
                        (options->global_batch / (workers * parts) + 1) * workers * parts);
    *out = options->global_batch / workers;
    return NULL;
}

tri_status tri__train_settings_resolve(const tri__train_options *options, const tri_model_defaults *model, tri__train_settings *out)
{
    *out = (tri__train_settings){
        .workers = (int)pick(options->workers, 0, 1),
        .limit = pick(options->limit_train, 0, 0),
        .shuffle = pick(options->shuffle, 0, TRI_SHUFFLE_ALL),
        .seed = (uint64_t)pick(options->seed, 0, 1),
        .threads = (int)pick(options->threads, 0, 0),
        .own_files = options->shard && !strcmp(options->shard, "files"),
        .freeze = options->freeze,
        .class_weights = options->class_weights,
        .cache_bytes = pick(options->cache_memory, 0, 0) * 1000000,
        .min_count = pick(options->min_count, 0, options->table_memory == TRI_UNSET ? 0 : 1),
        .table_bytes = pick(options->table_memory, 0, 0) * 1000000,
    };
#define ROW(...)
#define SETTING(kind, field, name, resumed, standard, ...) out->field = pick(options->field, 0, standard);
#define RULES
#include "train/options/rows.h"
    if (options->init_names && !options->init)
        return tri_fail(TRI_BAD_CALL, "--init-names goes with --init: it says what that file calls layers of the model");
    if (options->cache_memory != TRI_UNSET && !out->cache)
        return tri_fail(TRI_BAD_CALL, "--cache-memory goes with --cache: it says how much memory the kept examples may take");
    TRI_TRY(resolve_validation(options, out));
    TRI_TRY(tri__augment_parse(options->augment, &out->augment));
    TRI_TRY(resolve_batch(options, model, out));
    TRI_TRY(tri__schedule_parse(options->schedule ? options->schedule : "constant", &out->schedule));
    out->schedule.rate = pick_number(options->rate, model->rate, 0.01);
    out->schedule.warmup = pick(options->warmup, 0, 0);
    TRI_TRY(resolve_rule(options, model, &out->rule));
    TRI_TRY(resolve_end(options, model, out));
    return resolve_often(options, out);
}
