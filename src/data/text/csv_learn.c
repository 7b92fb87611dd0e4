/* csv_learn.c: learns what the columns are from all lines. A first pass tells numbers from categories; a second pass collects the
 * categories and classes. Damaged lines are ignored here; reading them reports what is wrong. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory/memory.h"
#include "base/text/nearest.h"
#include "data/text/csv_columns.h"
#include "data/text/lines.h"

enum { FIRST_ROOM = 16 };

/* Distinct words, by hash. */
typedef struct {
    const char **slot; /* [room] */
    size_t room, count;
    bool full; /* there are too many words, or one is too long */
} word_set;

typedef struct {
    int64_t numbers, others, missing;
    int64_t commas; /* of the others: numbers with a decimal comma */
    double sum;
    bool fraction, beyond; /* a number is not whole; a number is neither 0 nor 1 */
    word_set words;
} column_tally;

typedef struct {
    tri__csv_columns *columns;
    column_tally *tally;   /* [columns] */
    tri__csv_field *field; /* [binding.look.fields] of the current line */
    const char *spec;
    tri__csv_look look;       /* of the first file */
    tri__csv_binding binding; /* of the current file */
} learner;

static size_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return (size_t)(hash ^ hash >> 32);
}

static void put_word(word_set *set, const char *word)
{
    size_t at = hash_of(word) & (set->room - 1);
    while (set->slot[at])
        at = (at + 1) & (set->room - 1);
    set->slot[at] = word;
    set->count++;
}

static tri_status grow_words(word_set *set)
{
    word_set larger = {.room = set->room ? 2 * set->room : FIRST_ROOM};
    TRI_TRY(tri__allocate(larger.room, sizeof *larger.slot, "the categories of a column", &larger.slot));
    for (size_t i = 0; i < set->room; i++)
        if (set->slot[i])
            put_word(&larger, set->slot[i]);
    free(set->slot);
    *set = larger;
    return NULL;
}

static bool has_word(const word_set *set, const char *word)
{
    for (size_t at = hash_of(word) & (set->room - 1); set->room && set->slot[at]; at = (at + 1) & (set->room - 1))
        if (!strcmp(set->slot[at], word))
            return true;
    return false;
}

static tri_status add_word(tri__arena *arena, word_set *set, const char *word)
{
    if (set->full || has_word(set, word))
        return NULL;
    if (set->count == TRI_CSV_CATEGORIES) {
        set->full = true;
        return NULL;
    }
    if (2 * (set->count + 1) > set->room)
        TRI_TRY(grow_words(set));
    const char *copy = tri__arena_copy(arena, word);
    if (!copy)
        return tri_fail(TRI_NO_MEMORY, "out of memory for the categories of a column");
    put_word(set, copy);
    return NULL;
}

/* ---- passes ---- */

typedef tri_status see_field(learner *self, int64_t column, const tri__csv_field *field);

static tri_status tally_field(learner *self, int64_t column, const tri__csv_field *field)
{
    column_tally *tally = &self->tally[column];
    float value;
    if (tri__csv_field_number(field, &value)) {
        tally->numbers++;
        tally->sum += value;
        tally->fraction |= value != truncf(value);
        tally->beyond |= value != 0 && value != 1;
    } else if (tri__csv_field_missing(field)) {
        tally->missing++;
    } else {
        tally->others++;
        tally->commas += self->binding.look.separator != ',' && tri__csv_field_comma(field);
    }
    return NULL;
}

static bool is_mostly_numbers(const column_tally *tally)
{
    return tally->numbers > 0 && tally->numbers >= 9 * tally->others;
}

/* Refuse a column of numbers with decimal commas: it would be taken for a column of categories. */
static tri_status refuse_commas(const learner *self, int64_t index)
{
    const column_tally *tally = &self->tally[index];
    if (tally->commas == 0 || is_mostly_numbers(tally) || tally->numbers + tally->commas < 9 * (tally->others - tally->commas))
        return NULL;
    return tri_fail(TRI_BAD_DATA, "%s: the column %s has numbers with a decimal comma: write 1.5, not 1,5 (sed 's/,/./g' does so)",
                    self->spec, self->columns->column[index].name);
}

/* Collect categories and classes. Classes that are equal numbers are one class, even if they are written differently. */
static tri_status collect_field(learner *self, int64_t index, const tri__csv_field *field)
{
    const tri__csv_column *column = &self->columns->column[index];
    const bool label = column->kind == TRI_COLUMN_LABEL && self->columns->labels == TRI_LABEL_CLASS;
    char text[TRI_CSV_VALUE_SIZE];
    float value;
    if (column->kind != TRI_COLUMN_CATEGORY && !label)
        return NULL;
    if (field->size >= sizeof text) {
        self->tally[index].words.full |= !label; /* a label that is too long is damage, like a missing one */
        return NULL;
    }
    const bool missing = tri__csv_field_missing(field);
    if (label && is_mostly_numbers(&self->tally[index])) {
        if (!tri__csv_field_number(field, &value))
            return NULL;
        snprintf(text, sizeof text, "%.9g", (double)value);
    } else if (missing && label) {
        return NULL;
    } else {
        tri__csv_field_text(field, text);
    }
    if (missing)
        text[0] = '\0';
    return add_word(self->columns->arena, &self->tally[index].words, text);
}

/* Split a line into its fields; false if it is damaged, or has another number of fields. */
static bool split_line(const learner *self, const char *at, const char *end)
{
    int64_t count = 0;
    for (bool last = false; !last; count++)
        if (count == self->binding.look.fields || tri__csv_next(&at, end, self->binding.look.separator, &self->field[count], &last))
            return false;
    return count == self->binding.look.fields;
}

static tri_status see_lines(learner *self, const tri__record_file *file, see_field *see)
{
    const char *data = (const char *)file->content.data, *end = data + file->content.size;
    for (int64_t i = 0; i < file->index.records; i++) {
        if (!split_line(self, data + file->index.offsets[i], end))
            continue;
        for (int64_t field = 0; field < self->binding.look.fields; field++)
            if (self->binding.column[field] >= 0)
                TRI_TRY(see(self, self->binding.column[field], &self->field[field]));
    }
    return NULL;
}

/* Columns are bound as when records are read: by name, in any order. */
static tri_status see_file(learner *self, const tri__record_file *file, see_field *see)
{
    TRI_TRY(tri__csv_bind(self->columns, file, &self->binding));
    tri_status status = tri__allocate((size_t)self->binding.look.fields, sizeof *self->field, "the columns of a table", &self->field);
    if (!status)
        status = see_lines(self, file, see);
    free(self->field);
    free(self->binding.column);
    return status;
}

static tri_status see_files(learner *self, const tri__record_files *files, see_field *see)
{
    for (size_t i = 0; i < files->count; i++)
        TRI_TRY(see_file(self, &files->files[i], see));
    return NULL;
}

/* ---- names and labels ---- */

static tri_status name_columns(learner *self, const tri__record_file *file)
{
    const char *data = (const char *)file->content.data, *end = data + file->content.size, *at = tri__csv_first_line(data, end);
    tri__csv_columns *columns = self->columns;
    for (int64_t i = 0; i < columns->columns; i++) {
        char text[TRI_CSV_VALUE_SIZE];
        tri__csv_field field = {0};
        bool last;
        if (self->look.header && (tri__csv_next(&at, end, self->look.separator, &field, &last) || !tri__csv_column_name(&field, i, text)))
            return tri_fail(TRI_BAD_DATA, "%s: line 1: the name of column %" PRId64 " cannot be read, or is longer than %d bytes",
                            file->path, i + 1, TRI_CSV_VALUE_SIZE - 1);
        if (!self->look.header)
            snprintf(text, sizeof text, "%" PRId64, i + 1);
        columns->column[i].name = tri__arena_copy(columns->arena, text);
        if (!columns->column[i].name)
            return tri_fail(TRI_NO_MEMORY, "%s: out of memory for its columns", self->spec);
    }
    return NULL;
}

/* The column with this name or, if there is none, with this number, from 1; −1 if there is neither. */
static int64_t find_column(const tri__csv_columns *columns, const char *word, size_t length)
{
    for (int64_t i = 0; i < columns->columns; i++)
        if (strlen(columns->column[i].name) == length && !strncmp(columns->column[i].name, word, length))
            return i;
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(word, &end, 10);
    return !errno && end == word + length && number >= 1 && number <= columns->columns ? number - 1 : -1;
}

static int64_t usual_label(const tri__csv_columns *columns)
{
    static const char *const words[] = {"label", "target", "class", "y"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        for (int64_t i = 0; i < columns->columns; i++)
            if (!strcasecmp(columns->column[i].name, words[k]))
                return i;
    return columns->columns - 1;
}

/* TRI_BAD_CALL if a later column has the name of the label, which the user gave, or which is usual. */
static tri_status check_only_one(const learner *self, int64_t label)
{
    const tri__csv_columns *columns = self->columns;
    const char *name = columns->column[label].name;
    for (int64_t i = label + 1; i < columns->columns; i++)
        if (!strcmp(columns->column[i].name, name))
            return tri_fail(TRI_BAD_CALL,
                            "%s: columns %" PRId64 " and %" PRId64
                            " are both called '%s': say by its number which is the label (--label %" PRId64 "), or rename one",
                            self->spec, label + 1, i + 1, name, i + 1);
    return NULL;
}

static tri_status no_column(const learner *self, const char *label, const char *name, size_t length)
{
    const tri__csv_columns *columns = self->columns;
    char word[64], hint[TRI_NEAREST_HINT];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    tri__nearest nearest = tri__nearest_of(word);
    for (int64_t i = 0; i < columns->columns; i++)
        tri__nearest_offer(&nearest, columns->column[i].name);
    if (nearest.best)
        return tri_fail(TRI_BAD_CALL, "--label %s: %s has no column '%.*s'%s", label, self->spec, (int)length, name,
                        tri__nearest_hint(&nearest, hint));
    return tri_fail(TRI_BAD_CALL, "--label %s: %s has no column '%.*s' (the first is called '%s', the last '%s')", label, self->spec,
                    (int)length, name, columns->column[0].name, columns->column[columns->columns - 1].name);
}

static tri_status mark_labels(learner *self, const char *label)
{
    tri__csv_columns *columns = self->columns;
    if (!label) {
        const int64_t usual = usual_label(columns);
        columns->column[usual].kind = TRI_COLUMN_LABEL;
        return check_only_one(self, usual);
    }
    const int64_t whole = find_column(columns, label, strlen(label)); /* a name may contain a comma */
    if (!*label)
        return tri_fail(TRI_BAD_CALL, "--label names no column of %s", self->spec);
    for (const char *at = label; *at;) {
        const size_t length = whole >= 0 ? strlen(at) : strcspn(at, ",");
        const int64_t found = whole >= 0 ? whole : find_column(columns, at, length);
        if (found < 0)
            return no_column(self, label, at, length);
        if (columns->column[found].kind == TRI_COLUMN_LABEL)
            return tri_fail(TRI_BAD_CALL, "--label %s: it names column %" PRId64 " of %s, '%s', twice", label, found + 1, self->spec,
                            columns->column[found].name);
        columns->column[found].kind = TRI_COLUMN_LABEL;
        if (strlen(columns->column[found].name) == length &&
            !strncmp(columns->column[found].name, at, length)) /* it was not found by its number */
            TRI_TRY(check_only_one(self, found));
        at += length + (at[length] == ',');
    }
    return NULL;
}

/* ---- kinds ---- */

static void settle_kind(learner *self, int64_t index)
{
    tri__csv_column *column = &self->columns->column[index];
    const column_tally *tally = &self->tally[index];
    if (column->kind == TRI_COLUMN_LABEL)
        return;
    column->kind = is_mostly_numbers(tally) ? TRI_COLUMN_NUMBER : TRI_COLUMN_CATEGORY;
    column->mean = tally->numbers ? (float)(tally->sum / (double)tally->numbers) : 0;
    self->columns->missing += tally->missing;
}

/* Decide what kind of labels all label columns hold: what the model learns, or what their values look like. */
static tri_status settle_labels(learner *self, tri_label_kind wanted)
{
    tri__csv_columns *columns = self->columns;
    const char *worded = NULL;
    int64_t count = 0;
    bool fraction = false, beyond = false;
    for (int64_t i = 0; i < columns->columns; i++) {
        if (columns->column[i].kind != TRI_COLUMN_LABEL)
            continue;
        count++;
        fraction |= self->tally[i].fraction;
        beyond |= self->tally[i].beyond;
        worded = is_mostly_numbers(&self->tally[i]) ? worded : columns->column[i].name;
    }
    columns->labels = wanted;
    if (wanted == TRI_LABEL_CLASS && !worded && (count > 1 || fraction))
        columns->labels = count > 1 && !beyond ? TRI_LABEL_SET : TRI_LABEL_NUMBERS;
    if (columns->labels != TRI_LABEL_CLASS && worded)
        return tri_fail(TRI_BAD_CALL, "%s: the column %s, the label, is not one of numbers (--label names another column)", self->spec,
                        worded);
    if (columns->labels == TRI_LABEL_CLASS && count > 1)
        return tri_fail(TRI_BAD_CALL, "%s: an example has one class, and --label names %" PRId64 " columns", self->spec, count);
    return NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_value(const void *a, const void *b)
{
    const double x = strtod(*(const char *const *)a, NULL), y = strtod(*(const char *const *)b, NULL);
    return (x > y) - (x < y);
}

/* Sort the collected words, and keep them as the column's categories. */
static tri_status keep_words(learner *self, int64_t index)
{
    tri__csv_column *column = &self->columns->column[index];
    word_set *words = &self->tally[index].words;
    const bool numbers = column->kind == TRI_COLUMN_LABEL && is_mostly_numbers(&self->tally[index]);
    float *value = numbers ? tri__arena_alloc(self->columns->arena, words->count * sizeof *value + 1) : NULL;
    column->category = tri__arena_alloc(self->columns->arena, words->count * sizeof *column->category + 1);
    if (!column->category || (numbers && !value))
        return tri_fail(TRI_NO_MEMORY, "%s: out of memory for its columns", self->spec);
    for (size_t i = 0; i < words->room; i++)
        if (words->slot[i])
            column->category[column->categories++] = words->slot[i];
    qsort(column->category, (size_t)column->categories, sizeof *column->category, numbers ? by_value : by_text);
    for (int64_t i = 0; i < column->categories && value; i++)
        value[i] = strtof(column->category[i], NULL);
    column->value = value;
    return NULL;
}

/* In a few lines that may be chance. */
static bool is_all_different(const column_tally *tally)
{
    enum { LEAST_LINES = 20 };
    return tally->numbers + tally->others >= LEAST_LINES &&
           (int64_t)tally->words.count == tally->numbers + tally->others + (tally->missing > 0);
}

static tri_status settle_words(learner *self, int64_t index)
{
    tri__csv_column *column = &self->columns->column[index];
    if (column->kind == TRI_COLUMN_CATEGORY && !self->columns->all_different && is_all_different(&self->tally[index]))
        self->columns->all_different = column->name;
    const bool label = column->kind == TRI_COLUMN_LABEL && self->columns->labels == TRI_LABEL_CLASS;
    if (column->kind == TRI_COLUMN_CATEGORY && self->tally[index].words.full)
        column->kind = TRI_COLUMN_LEFT_OUT;
    if (label && self->tally[index].words.full)
        return tri_fail(TRI_BAD_DATA,
                        "%s: the column %s, the label, has more than %d classes (a model that ends in mse_loss() "
                        "learns numbers; --label names another column)",
                        self->spec, column->name, TRI_CSV_CATEGORIES);
    if (label && self->tally[index].words.count == 0)
        return tri_fail(TRI_BAD_DATA, "%s: the column %s, the label, has no class of less than %d bytes (--label names another column)",
                        self->spec, column->name, TRI_CSV_VALUE_SIZE);
    return column->kind == TRI_COLUMN_CATEGORY || label ? keep_words(self, index) : NULL;
}

/* Whether there are categories or classes to collect. */
static bool has_words(const tri__csv_columns *columns)
{
    bool any = columns->labels == TRI_LABEL_CLASS;
    for (int64_t i = 0; i < columns->columns; i++)
        any |= columns->column[i].kind == TRI_COLUMN_CATEGORY;
    return any;
}

static tri_status learn(learner *self, const tri__record_files *files, const tri_source_options *options)
{
    tri__csv_columns *columns = self->columns;
    self->look = tri__csv_look_at((const char *)files->files[0].content.data, files->files[0].content.size);
    columns->columns = self->look.fields;
    columns->header = self->look.header;
    columns->unsure = self->look.unsure;
    columns->learnt_from = tri__arena_copy(columns->arena, files->files[0].path);
    if (columns->columns < 2 || columns->columns > TRI_CSV_COLUMNS)
        return tri_fail(TRI_BAD_DATA, "%s: a table has 2 to %d columns, and this one has %" PRId64, self->spec, TRI_CSV_COLUMNS,
                        columns->columns);
    columns->column = tri__arena_alloc(columns->arena, (size_t)columns->columns * sizeof *columns->column);
    if (!columns->column || !columns->learnt_from)
        return tri_fail(TRI_NO_MEMORY, "%s: out of memory for its columns", self->spec);
    TRI_TRY(tri__allocate((size_t)columns->columns, sizeof *self->tally, "the columns of a table", &self->tally));
    TRI_TRY(name_columns(self, &files->files[0]));
    TRI_TRY(mark_labels(self, options->label));
    tri__csv_columns_place(columns);
    TRI_TRY(see_files(self, files, tally_field));
    for (int64_t i = 0; i < columns->columns; i++) {
        TRI_TRY(refuse_commas(self, i));
        settle_kind(self, i);
    }
    TRI_TRY(settle_labels(self, options->labels));
    if (has_words(columns))
        TRI_TRY(see_files(self, files, collect_field));
    for (int64_t i = 0; i < columns->columns; i++)
        TRI_TRY(settle_words(self, i));
    return tri__csv_columns_finish(columns, self->spec);
}

tri_status tri__csv_columns_learn(const tri__record_files *files, const char *spec, const tri_source_options *options,
                                  tri__csv_columns *out)
{
    *out = (tri__csv_columns){0};
    TRI_TRY(tri__arena_create(&out->arena));
    learner self = {.columns = out, .spec = spec};
    tri_status status = learn(&self, files, options);
    for (int64_t i = 0; self.tally && i < out->columns; i++)
        free(self.tally[i].words.slot);
    free(self.tally);
    if (status)
        tri__csv_columns_fini(out);
    return status;
}
