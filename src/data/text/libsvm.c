/* libsvm.c: a source over LIBSVM text.
 *
 * Files are mapped, and scanned once, when they are first opened. The scan finds the offsets of the lines, the most features of a line, and
 * the range of indices and of labels; the index keeps all this. The scan skips values. All parts are scanned, so that they agree on
 * features and classes. A line that cannot be parsed still is a record: reading it reports what is wrong. */
#include "data/text/libsvm.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "data/source/file_source.h"
#include "data/source/key_hash.h"
#include "data/source/labels.h"
#include "data/text/lines.h"
#include "data/text/number.h"

#define LONGEST_LOOK (1 << 16) /* bytes of a file that are read to recognise it */

/* Facts in the index. NO_CLASSES: lines whose label cannot be a class. SEVERAL: lines with several labels. */
enum { WIDTH, LOWEST_INDEX, HIGHEST_INDEX, LOWEST_LABEL, HIGHEST_LABEL, LABELS, NO_CLASSES, SEVERAL, FACTS };
_Static_assert(FACTS <= TRI_LINES_EMPTY, "an index keeps as many facts");

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static inline bool is_end(const char *at, const char *end)
{
    return at == end || *at == '\n' || *at == '#';
}

static inline const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

/* "qid:17" says which of several queries a line belongs to. */
static const char *skip_query(const char *at, const char *end)
{
    uint64_t query;
    const char *behind = end - at >= 5 && memcmp(at, "qid:", 4) == 0 ? tri__number_whole(at + 4, end, &query) : NULL;
    return behind ? skip_blanks(behind, end) : at;
}

/* Read a finite number. Returns where it ends; NULL if there is none. */
static inline const char *read_value(const char *at, const char *end, float *value)
{
    at = tri__number_float(at, end, value);
    return at && isfinite(*value) ? at : NULL;
}

/* Skip a value. Returns where it ends: before a blank, a newline or a comment, all of which are at most '#'. NULL if there is none. */
static inline const char *skip_value(const char *at, const char *end)
{
    const uint64_t ones = 0x0101010101010101;
    const char *begin = at;
    for (;; at += 8) {
        uint64_t word = tri__text_word(at, end), low = (word - ones * ('#' + 1)) & ~word & (ones * 0x80);
        if (low == 0)
            continue;
        at += __builtin_ctzll(low) / 8;
        return at > begin ? at : NULL;
    }
}

/* In many files most values are one digit. They need no parser, and what stands behind them is known. */
static inline bool is_one_digit(const char *at, const char *end)
{
    return end - at >= 2 && tri__is_digit(at[0]) && (at[1] == '\n' || is_blank(at[1]));
}

/* Parse one feature, index:value; if value is NULL, the value is skipped. Returns NULL, or what is wrong; then *at is the place. */
static inline const char *parse_feature(const char **at, const char *end, uint64_t *index, float *value)
{
    const char *behind = tri__number_whole(*at, end, index);
    if (!behind || *index > TRI_LIBSVM_LARGEST_INDEX)
        return "a feature's index should stand here, a whole number up to 2147483647";
    *at = behind;
    if (tri__text_look(behind, end) != ':')
        return "a feature's index should be followed by a colon";
    *at = behind + 1;
    if (is_one_digit(*at, end)) {
        if (value)
            *value = (float)(**at - '0');
        ++*at;
        return NULL;
    }
    behind = value ? read_value(*at, end, value) : skip_value(*at, end);
    if (!behind)
        return "a feature's value should stand here, a finite number";
    *at = behind;
    return is_end(behind, end) || is_blank(*behind) ? NULL : "a feature's value should be followed by a blank";
}

/* Parse a feature as most files have them: an index of up to eight digits, a value of one digit, a blank, which is taken as well. False if
 * it is anything else: parse_feature sees to it. */
static inline bool parse_usual_feature(const char **at, const char *end, uint64_t *index, float *value)
{
    enum { LONGEST = 11 };
    if (end - *at < LONGEST)
        return false;
    const int count = tri__digits_of(tri__text_word(*at, end), index);
    const char *behind = *at + count;
    if (count == 0 || behind[0] != ':' || !tri__is_digit(behind[1]) || behind[2] != ' ')
        return false;
    *value = (float)(behind[1] - '0');
    *at = behind + 3;
    return true;
}

/* Receives each label of a line. A line has one label, a list of them, or none. The first label goes to seen->label as well. */
typedef void take_label(void *context, float label);

static inline const char *parse_labels(const char **at, const char *end, take_label *take, void *context, tri__libsvm_line_facts *seen)
{
    const char *behind = tri__number_float(*at, end, &seen->label);
    float label = seen->label;
    if (!behind)
        return "the label is not a number";
    if (tri__text_look(behind, end) == ':') { /* the number was the first feature's index */
        seen->label = NAN;
        return NULL;
    }
    for (;; behind = tri__number_float(*at, end, &label)) {
        if (!behind)
            return "a label should stand behind the comma, a number";
        *at = behind;
        seen->labels++;
        if (take)
            take(context, label);
        if (tri__text_look(behind, end) != ',')
            return is_end(behind, end) || is_blank(*behind) ? NULL : "the label should be followed by a blank";
        ++*at;
    }
}

/* Like tri__libsvm_parse. looks: skip the values, which is faster. Each label goes to take, unless take is NULL. */
static inline const char *parse(const char **line, const char *end, int64_t base, int64_t room, int32_t *keys, float *values,
                                tri__libsvm_line_facts *seen, bool looks, take_label *take, void *context)
{
    *seen = (tri__libsvm_line_facts){.lowest = INT64_MAX, .highest = -1};
    const char *at = *line, *wrong = parse_labels(&at, end, take, context, seen);
    if (wrong) {
        *line = at;
        return wrong;
    }
    int64_t lowest = INT64_MAX, highest = -1, features = 0;
    at = skip_query(skip_blanks(at, end), end);
    for (; !is_end(at, end); at = skip_blanks(at, end), features++) {
        uint64_t index;
        float value = 0;
        if (!parse_usual_feature(&at, end, &index, &value))
            wrong = parse_feature(&at, end, &index, looks ? NULL : &value);
        if (wrong)
            break;
        lowest = (int64_t)index < lowest ? (int64_t)index : lowest;
        highest = (int64_t)index > highest ? (int64_t)index : highest;
        if (features < room) {
            keys[features] = (int32_t)((int64_t)index - base);
            values[features] = value;
        }
    }
    *line = at;
    seen->features = features;
    seen->lowest = lowest;
    seen->highest = highest;
    return wrong;
}

const char *tri__libsvm_parse(const char **line, const char *end, int64_t base, int64_t room, int32_t *keys, float *values,
                              tri__libsvm_line_facts *seen)
{
    return parse(line, end, base, room, keys, values, seen, false, NULL, NULL);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void clear_facts(int64_t *facts)
{
    facts[WIDTH] = facts[LABELS] = facts[NO_CLASSES] = facts[SEVERAL] = facts[TRI_LINES_EMPTY] = 0;
    facts[LOWEST_INDEX] = facts[LOWEST_LABEL] = INT64_MAX;
    facts[HIGHEST_INDEX] = facts[HIGHEST_LABEL] = -2;
}

/* Merge the facts of other lines into facts. */
static void merge_facts(int64_t *facts, const int64_t *others)
{
    facts[TRI_LINES_EMPTY] += others[TRI_LINES_EMPTY];
    facts[WIDTH] = most(facts[WIDTH], others[WIDTH]);
    facts[LOWEST_INDEX] = least(facts[LOWEST_INDEX], others[LOWEST_INDEX]);
    facts[HIGHEST_INDEX] = most(facts[HIGHEST_INDEX], others[HIGHEST_INDEX]);
    facts[LOWEST_LABEL] = least(facts[LOWEST_LABEL], others[LOWEST_LABEL]);
    facts[HIGHEST_LABEL] = most(facts[HIGHEST_LABEL], others[HIGHEST_LABEL]);
    facts[LABELS] |= others[LABELS];
    facts[NO_CLASSES] += others[NO_CLASSES];
    facts[SEVERAL] += others[SEVERAL];
}

static void note_label(void *facts, float label)
{
    int64_t *to = facts;
    if (!tri__label_is(label)) {
        to[NO_CLASSES] = 1;
        return;
    }
    to[LOWEST_LABEL] = least(to[LOWEST_LABEL], (int64_t)label);
    to[HIGHEST_LABEL] = most(to[HIGHEST_LABEL], (int64_t)label);
    to[LABELS] |= tri__label_bit((int64_t)label);
}

/* Scan some lines. A damaged line is a record, too, but does not change the facts. */
static tri_status scan_lines(const char *begin, const char *from, const char *to, tri__index *index)
{
    clear_facts(index->facts);
    for (const char *at = from == begin ? tri__text_begin(begin, to) : from; at < to; at = tri__line_next(at, to)) {
        at = skip_blanks(at, to);
        if (is_end(at, to)) {
            index->facts[TRI_LINES_EMPTY]++;
            continue;
        }
        TRI_TRY(tri__index_add(index, at - begin));
        tri__libsvm_line_facts seen;
        int64_t own[TRI_INDEX_FACTS];
        clear_facts(own);
        if (parse(&at, to, 0, 0, NULL, NULL, &seen, true, note_label, own))
            continue;
        own[SEVERAL] = seen.labels > 1;
        own[WIDTH] = seen.features;
        own[LOWEST_INDEX] = seen.lowest;
        own[HIGHEST_INDEX] = seen.highest;
        merge_facts(index->facts, own);
    }
    return NULL;
}

static tri_status scan(const char *path, const tri__content *content, tri__index *index)
{
    (void)path;
    return tri__lines_scan(content, scan_lines, merge_facts, index);
}

bool tri__libsvm_is(const uint8_t *head, size_t size)
{
    const char *end = (const char *)head + least((int64_t)size, LONGEST_LOOK), *at = tri__text_begin((const char *)head, end);
    for (; at < end; at = tri__line_next(at, end)) {
        at = skip_blanks(at, end);
        if (is_end(at, end))
            continue;
        tri__libsvm_line_facts seen;
        const char *wrong = tri__libsvm_parse(&at, end, 0, 0, NULL, NULL, &seen);
        /* a line that head cuts off counts if it has at least one whole feature */
        return seen.features > 0 && (!wrong || !memchr(at, '\n', (size_t)(end - at)));
    }
    return false;
}

/* Where a set of labels is written. */
typedef struct {
    const tri_source_info *info;
    float *targets; /* [info->outputs] */
    float wrong;    /* a label that the source does not have; NaN if there is none */
} label_set;

static void set_label(void *context, float label)
{
    label_set *set = context;
    const int64_t number = tri__label_is(label) ? (int64_t)label - set->info->numbering.first_label : -1;
    if (number >= 0 && number < set->info->outputs)
        set->targets[number] = 1;
    else
        set->wrong = label;
}

/* The class of a label; −1 if it is not a class. If the labels are 0 and 1, −1 is class 0, too: both ways to write two classes are
 * common. */
static int64_t class_of(const tri_numbering *numbering, float label)
{
    return label == -1 && numbering->first_label == 0 && numbering->classes == 2 ? 0 : tri__label_class(numbering, label);
}

static bool keep_set(const label_set *set, char fault[TRI_LIBSVM_FAULT])
{
    const int64_t first = set->info->numbering.first_label;
    if (!isnan(set->wrong))
        snprintf(fault, TRI_LIBSVM_FAULT, "label %g where labels are %" PRId64 " to %" PRId64, (double)set->wrong, first,
                 first + set->info->outputs - 1);
    return isnan(set->wrong);
}

static bool keep_number(float label, float *target, char fault[TRI_LIBSVM_FAULT])
{
    *target = label;
    if (!isfinite(label))
        snprintf(fault, TRI_LIBSVM_FAULT, "the label is no finite number");
    return isfinite(label);
}

static bool keep_class(const tri_numbering *numbering, float label, int32_t *to, char fault[TRI_LIBSVM_FAULT])
{
    const int64_t class = class_of(numbering, label);
    char labels[TRI_LABELS_TOLD];
    *to = (int32_t) class;
    if (class >= 0)
        return true;
    tri__labels_tell(numbering, (double)label, labels);
    snprintf(fault, TRI_LIBSVM_FAULT, "label %g where %s", (double)label, labels);
    return false;
}

/* Write the label. False if the line's label, or a label of its set, does not fit the source: fault says why. */
static bool keep_label(const tri__libsvm_line_facts *seen, const label_set *set, const tri__example_target *to,
                       char fault[TRI_LIBSVM_FAULT])
{
    const tri_source_info *info = set->info;
    if (info->labels == TRI_LABEL_SET)
        return keep_set(set, fault);
    if (seen->labels == 1)
        return info->labels == TRI_LABEL_NUMBERS ? keep_number(seen->label, to->targets, fault)
                                                 : keep_class(&info->numbering, seen->label, to->label, fault);
    snprintf(fault, TRI_LIBSVM_FAULT, "%s",
             seen->labels ? "several labels in one line, where an example has one (sigmoid_loss() learns several)" : "no label");
    return false;
}

/* Write into fault the first index of the line that is out of bounds; *line receives its place. */
static void bad_index(const tri_source_info *info, const char **line, const char *end, char fault[TRI_LIBSVM_FAULT])
{
    const int64_t first = info->numbering.first_index, last = first + info->shape.dim[0] - 1;
    uint64_t index = 0;
    float value;
    tri__libsvm_line_facts labels = {0};
    const char *at = *line, *here = at;
    parse_labels(&at, end, NULL, NULL, &labels);
    for (at = skip_query(skip_blanks(at, end), end); !is_end(at, end); at = skip_blanks(at, end)) {
        here = at;
        if (parse_feature(&at, end, &index, &value) || (int64_t)index < first || (int64_t)index > last)
            break;
    }
    *line = here;
    snprintf(fault, TRI_LIBSVM_FAULT,
             "feature index %" PRIu64 " where indices are %" PRId64 " to %" PRId64 " (--features gives another bound)", index, first, last);
}

bool tri__libsvm_example(const tri_source *source, const char **at, const char *end, const tri__example_target *to,
                         char fault[TRI_LIBSVM_FAULT])
{
    const tri_source_info *info = &source->info;
    const int64_t first = info->numbering.first_index;
    const char *begin = *at;
    tri__libsvm_line_facts seen;
    label_set set = {info, to->targets, NAN};
    take_label *take = info->labels == TRI_LABEL_SET ? set_label : NULL;
    if (take)
        memset(to->targets, 0, (size_t)info->outputs * sizeof *to->targets);
    const char *wrong = parse(at, end, first, info->width, to->keys, to->values, &seen, false, take, &set);
    if (!wrong && seen.features > info->width)
        wrong = "more features than when the file was opened: is it being written?";
    if (wrong)
        snprintf(fault, TRI_LIBSVM_FAULT, "%s", wrong);
    else if (source->fields > 0 && seen.features > source->fields)
        snprintf(fault, TRI_LIBSVM_FAULT, "%" PRId64 " features where the model puts %" PRId64 " side by side at most", seen.features,
                 source->fields);
    else if (seen.features > 0 && !source->hash_keys && (seen.lowest < first || seen.highest - first >= info->shape.dim[0]))
        bad_index(info, &begin, end, fault);
    else if (keep_label(&seen, &set, to, fault)) {
        for (int64_t i = 0; i < seen.features && source->hash_keys; i++)
            to->keys[i] = tri__key_hash((uint64_t)(to->keys[i] + first), info->shape.dim[0]);
        *to->count = seen.features;
        return true;
    }
    *at = wrong ? *at : begin;
    return false;
}

const char *tri__libsvm_begin(const char *at, const char *end)
{
    at = skip_blanks(at, end);
    return is_end(at, end) ? NULL : at;
}

static tri_status libsvm_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    const tri__file_source *self = (const tri__file_source *)reader->source;
    tri__line line = tri__line_find(&self->files, record);
    const char *at = line.at;
    char fault[TRI_LIBSVM_FAULT];
    return tri__libsvm_example(&self->source, &at, line.end, to, fault) ? NULL : tri__line_damaged(&line, at, fault);
}

static const tri__source_kind libsvm_kind = {
    .read = libsvm_read,
    .file_of = tri__file_source_path,
    .destroy = tri__file_source_destroy,
};

static tri_status merge(int64_t *facts, const tri__record_file *file)
{
    merge_facts(facts, file->index.facts);
    return NULL;
}

/* Decide what kind of labels there are: what the model learns, or what most lines show. */
static void set_labels(tri_source *source, const int64_t *facts, const tri_source_options *options)
{
    tri_source_info *info = &source->info;
    const bool known = info->numbering.label_step, mostly_sets = options->labels == TRI_LABEL_CLASS && 4 * facts[SEVERAL] > info->examples;
    if (options->labels == TRI_LABEL_SET || mostly_sets) {
        if (!known)
            info->numbering.first_label = facts[LOWEST_LABEL] == 0 ? 0 : 1;
        tri__source_set_targets(source, TRI_LABEL_SET,
                                options->outputs ? options->outputs : most(1, facts[HIGHEST_LABEL] - info->numbering.first_label + 1));
    } else if (options->labels == TRI_LABEL_NUMBERS || 2 * facts[NO_CLASSES] > info->examples) {
        tri__source_set_targets(source, TRI_LABEL_NUMBERS, 1);
    }
}

static tri_status describe(tri__file_source *self, const tri__file_set *set, const int64_t *facts, const tri_source_options *options)
{
    tri_source_info *info = &self->source.info;
    info->numbering = options->numbering;
    if (!info->numbering.label_step || info->numbering.first_index < 0)
        info->numbering.first_index = facts[LOWEST_INDEX] == 0 ? 0 : 1;
    set_labels(&self->source, facts, options);
    if (info->labels != TRI_LABEL_CLASS) {
        info->numbering.label_step = 1;
    } else if (!info->numbering.label_step) {
        const tri__labels labels = {facts[LOWEST_LABEL], facts[HIGHEST_LABEL], facts[LABELS]};
        TRI_TRY(tri__labels_number(set->spec, &labels, options->classes, &info->numbering));
    }
    int64_t shown = most(1, facts[HIGHEST_INDEX] - info->numbering.first_index + 1);
    tri__source_set_sparse(&self->source, "libsvm", shown, most(1, facts[WIDTH]),
                           info->labels == TRI_LABEL_CLASS ? info->numbering.classes : 0, options);
    info->features_by = TRI_FEATURES_BY_INDEX;
    return NULL;
}

static const tri__file_source_format source_format = {
    .size = sizeof(tri__file_source),
    .index = {.name = "libsvm-5", .scan = scan},
    .kind = &libsvm_kind,
    .merge = merge,
    .describe = describe,
};

const tri__file_format tri__libsvm_format = {
    .name = "LIBSVM",
    .description = "LIBSVM text",
    .marks = {".libsvm", ".svm"},
    .is = tri__libsvm_is,
    .records = &source_format,
};
