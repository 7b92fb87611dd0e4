/* npy_source.c: a source over NumPy's arrays. x stays where it is, and is converted as it is read; y, which is small, is converted to
 * classes or floats at once. */
#include "data/format/npy_source.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory/memory.h"
#include "data/format/npy.h"
#include "data/source/labels.h"

/* An array and the memory that holds it. */
typedef struct {
    tri__npy array;
    tri__mapping file;
    uint8_t *inflated;
} held_array;

typedef struct {
    tri_source source;
    held_array x, y;     /* y.array.rank 0: there is none */
    int32_t *labels;     /* [examples] if labels are classes */
    float *targets;      /* [examples][outputs] if they are not */
    char path[PATH_MAX]; /* of x */
} npy_source;

static int64_t row_of(const tri__npy *array)
{
    return array->dim[0] > 0 ? array->count / array->dim[0] : 0;
}

static tri_status npy_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    const npy_source *self = (const npy_source *)reader->source;
    const tri__npy *x = &self->x.array;
    const int64_t row = row_of(x), outputs = self->source.info.outputs;
    float *floats = (float *)(void *)to->x;
    if (self->source.info.type == TRI_U8 || (x->kind == 'f' && x->size == 4))
        memcpy(to->x, x->data + (size_t)(record * row) * (size_t)x->size, self->source.example_bytes);
    else
        for (int64_t i = 0; i < row; i++)
            floats[i] = (float)tri__npy_at(x, record * row + i);
    if (outputs)
        memcpy(to->targets, self->targets + record * outputs, (size_t)outputs * sizeof *to->targets);
    else
        *to->label = self->labels ? self->labels[record] : 0;
    for (int64_t i = 0; i < row && self->source.info.type == TRI_F32; i++)
        if (!isfinite(floats[i]))
            return tri_fail(TRI_BAD_DATA, "%s: record %" PRId64 ": its number %" PRId64 " is not finite (--skip-bad skips it)", self->path,
                            record, i);
    return NULL;
}

static void held_fini(held_array *held)
{
    tri__file_unmap(&held->file);
    tri__buffer_free(held->inflated);
    *held = (held_array){0};
}

static void npy_destroy(tri_source *source)
{
    npy_source *self = (npy_source *)source;
    held_fini(&self->x);
    held_fini(&self->y);
    free(self->labels);
    free(self->targets);
    free(self);
}

static const char *npy_file_of(const tri_source *source, int64_t record)
{
    (void)record;
    return ((const npy_source *)source)->path;
}

static const tri__source_kind npy_kind = {.read = npy_read, .file_of = npy_file_of, .destroy = npy_destroy};

/* ---- labels ---- */

/* What values y holds. */
typedef struct {
    tri__labels seen;
    int64_t no_classes; /* rows whose label cannot be a class */
    bool beyond;        /* a value is neither 0 nor 1 */
} y_facts;

static tri_status look_at_labels(const npy_source *self, y_facts *out)
{
    const tri__npy *y = &self->y.array;
    *out = (y_facts){.seen = {INT64_MAX, -2, 0}};
    for (int64_t i = 0; i < y->count; i++) {
        const double label = tri__npy_at(y, i);
        if (!isfinite((float)label)) /* labels are kept as float */
            return tri_fail(TRI_BAD_DATA, "%s: label %" PRId64 " is not a finite number of 32 bits", self->path, i);
        out->beyond |= label != 0 && label != 1;
        if (!tri__label_is(label)) {
            out->no_classes++;
            continue;
        }
        out->seen.low = (int64_t)label < out->seen.low ? (int64_t)label : out->seen.low;
        out->seen.high = (int64_t)label > out->seen.high ? (int64_t)label : out->seen.high;
        out->seen.bits |= tri__label_bit((int64_t)label);
    }
    return NULL;
}

static tri_status keep_classes(npy_source *self, const y_facts *facts, const tri_source_options *options)
{
    const tri__npy *y = &self->y.array;
    tri_source_info *info = &self->source.info;
    info->numbering = options->numbering;
    if (!info->numbering.label_step) {
        TRI_TRY(tri__labels_number(self->path, &facts->seen, options->classes, &info->numbering));
        info->numbering.first_index = -1;
    }
    info->classes = info->numbering.classes;
    TRI_TRY(tri__allocate((size_t)y->count, sizeof *self->labels, "labels", &self->labels));
    for (int64_t i = 0; i < y->count; i++) {
        const double label = tri__npy_at(y, i);
        const int64_t class = tri__label_class(&info->numbering, label);
        if (class < 0) {
            char known[TRI_LABELS_TOLD];
            tri__labels_tell(&info->numbering, label, known);
            return tri_fail(TRI_BAD_DATA, "%s: label %" PRId64 " is %g where %s (number the classes from 0 on)", self->path, i, label,
                            known);
        }
        self->labels[i] = (int32_t) class;
    }
    return NULL;
}

static tri_status keep_targets(npy_source *self, tri_label_kind kind, int64_t outputs)
{
    const tri__npy *y = &self->y.array;
    tri__source_set_targets(&self->source, kind, outputs);
    TRI_TRY(tri__allocate((size_t)y->count, sizeof *self->targets, "targets", &self->targets));
    for (int64_t i = 0; i < y->count; i++)
        self->targets[i] = (float)tri__npy_at(y, i);
    return NULL;
}

static tri_status take_labels(npy_source *self, const tri_source_options *options)
{
    const tri__npy *y = &self->y.array;
    const int64_t outputs = row_of(y);
    y_facts facts;
    self->source.info.unlabelled = y->rank == 0;
    if (y->rank == 0 && options->labels != TRI_LABEL_CLASS) /* readers of targets get zeros */
        tri__source_set_targets(&self->source, options->labels, options->outputs > 0 ? options->outputs : 1);
    if (y->rank == 0)
        return self->source.info.outputs ? tri__allocate((size_t)(self->source.info.examples * self->source.info.outputs), sizeof(float),
                                                         "targets", &self->targets)
                                         : NULL;
    if (y->rank > 2 || y->dim[0] != self->source.info.examples || outputs < 1)
        return tri_fail(TRI_BAD_DATA, "%s: x has %" PRId64 " examples; y has %" PRId64 ", and should have a number or a row for each",
                        self->path, self->source.info.examples, y->dim[0]);
    TRI_TRY(look_at_labels(self, &facts));
    if (options->labels == TRI_LABEL_SET && facts.beyond)
        return tri_fail(TRI_BAD_DATA, "%s: y is to be sets of labels, and holds something else than 0 and 1", self->path);
    if (options->labels != TRI_LABEL_CLASS)
        return keep_targets(self, options->labels, outputs);
    if (outputs > 1)
        return keep_targets(self, facts.beyond ? TRI_LABEL_NUMBERS : TRI_LABEL_SET, outputs);
    return 2 * facts.no_classes > y->count ? keep_targets(self, TRI_LABEL_NUMBERS, 1) : keep_classes(self, &facts, options);
}

/* ---- files ---- */

static tri_status take_examples(npy_source *self)
{
    const tri__npy *x = &self->x.array;
    tri_source_info *info = &self->source.info;
    tri_shape shape = x->rank == 1 ? TRI_SHAPE(1) : tri_shape_of(x->rank - 1 <= 3 ? x->rank - 1 : 3, x->dim + 1);
    if (x->dim[0] < 1)
        return tri_fail(TRI_BAD_DATA, "%s: x has no examples (was an empty array saved?)", self->path);
    if (x->rank > 4)
        return tri_fail(TRI_BAD_DATA, "%s: x should be rows of numbers or pictures, [examples][…] with up to three dimensions more",
                        self->path);
    if (shape.rank == 2)
        shape = TRI_SHAPE(shape.dim[0], shape.dim[1], 1);
    TRI_TRY(tri_wrap(tri__source_set_shape(&self->source, shape), "%s", self->path));
    info->examples = x->dim[0];
    const bool bytes = x->kind == 'u' && x->size == 1;
    info->type = bytes ? TRI_U8 : TRI_F32;
    self->source.example_bytes *= bytes ? 1 : sizeof(float);
    return NULL;
}

static tri_status load(const char *path, held_array *out)
{
    TRI_TRY(tri__file_map(path, &out->file));
    return tri__npy_parse(path, out->file.data, out->file.size, &out->array);
}

/* Read the header first: an entry whose size does not match its shape is not inflated. */
static tri_status load_entry(const char *path, const char *entry, held_array *out)
{
    tri__zip_entry found;
    uint8_t head[TRI_NPY_HEAD];
    size_t size;
    uint64_t bytes;
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s: %s", path, entry);
    TRI_TRY(tri__file_map(path, &out->file));
    TRI_TRY(tri__zip_find(path, out->file.data, out->file.size, entry, &found));
    TRI_TRY(tri__zip_peek(name, &found, head, sizeof head, &size));
    TRI_TRY(tri__npy_bytes(name, head, size, &bytes));
    TRI_TRY(tri__npy_fits(name, bytes, found.size));
    if (found.deflated)
        TRI_TRY(tri__zip_inflate(name, &found, &out->inflated));
    const uint8_t *plain = found.deflated ? out->inflated : found.data;
    TRI_TRY(tri__zip_check(name, &found, plain));
    return tri__npy_parse(name, plain, found.size, &out->array);
}

/* The letter in a file's name that says which array it holds, as in x.npy, X_train.npy, test-y.npy; NULL if there is none. */
static char *array_word(const char *path, char word)
{
    const char *name = strrchr(path, '/');
    for (const char *at = name ? name + 1 : path; *at; at++)
        if (tolower((unsigned char)*at) == word && (at == path || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[1]))
            return (char *)at;
    return NULL;
}

/* The path of y's file, beside that of x; false if there is none. */
static bool labels_beside(const char *x, char y[PATH_MAX])
{
    const char *word = array_word(x, 'x');
    if (!word || snprintf(y, PATH_MAX, "%s", x) >= PATH_MAX)
        return false;
    y[word - x] = *word == 'x' ? 'y' : 'Y';
    if (tri__file_exists(y))
        return true;
    y[word - x] = *word == 'x' ? 'Y' : 'y';
    return tri__file_exists(y);
}

/* The one file of a part that is not y. */
static tri_status find_examples(const tri__file_set *set, tri_part part, const char **out)
{
    const tri__file_list *list = &set->part[part];
    *out = NULL;
    for (size_t i = 0; i < list->count; i++) {
        if (array_word(list->paths[i], 'y') && list->count > 1)
            continue;
        if (*out)
            return tri_fail(TRI_BAD_DATA, "%s: %s and %s are both examples: which is meant? (give its path; the labels of x.npy are y.npy)",
                            set->spec, *out, list->paths[i]);
        *out = list->paths[i];
    }
    return *out ? NULL : tri_fail(TRI_BAD_DATA, "%s: has labels (y) but no examples (x)", set->spec);
}

/* Load the first array of an archive that has one of these names; TRI_NOT_FOUND if there is none. names end with NULL. */
static tri_status load_any(const char *path, const char *const *names, held_array *out)
{
    char tried[128] = "";
    for (; *names; names++) {
        tri_status status = load_entry(path, *names, out);
        if (tri_status_code(status) != TRI_NOT_FOUND)
            return status;
        tri_status_free(status);
        held_fini(out);
        const size_t used = strlen(tried);
        snprintf(tried + used, sizeof tried - used, "%s%s", !used ? "" : names[1] ? ", " : " or ", *names);
    }
    return tri_fail(TRI_NOT_FOUND, "%s: has no array called %s (numpy.savez(file, x=…, y=…) names them)", path, tried);
}

/* Load x and y, or the arrays of a part, as Keras names them: x_train, y_train, x_test, y_test. inside: the file holds several parts, so x
 * and y alone are not those of this part. */
static tri_status load_archive(npy_source *self, const char *path, tri_part part, bool inside)
{
    static const char *const x[TRI_PARTS][8] = {
        [TRI_PART_TRAIN] = {"x", "X", "x_train", "X_train"},
        [TRI_PART_TEST] = {"x", "X", "x_test", "X_test", "x_val", "X_val"},
        [TRI_PART_VALIDATION] = {"x", "X", "x_val", "X_val"},
    };
    static const char *const y[TRI_PARTS][8] = {
        [TRI_PART_TRAIN] = {"y", "Y", "y_train", "Y_train"},
        [TRI_PART_TEST] = {"y", "Y", "y_test", "Y_test", "y_val", "Y_val"},
        [TRI_PART_VALIDATION] = {"y", "Y", "y_val", "Y_val"},
    };
    const int from = inside ? 2 : 0;
    TRI_TRY(load_any(path, x[part] + from, &self->x));
    tri_status status = load_any(path, y[part] + from, &self->y);
    if (tri_status_code(status) != TRI_NOT_FOUND)
        return status;
    tri_status_free(status);
    return NULL;
}

/* inside: the file also holds other parts. */
static tri_status load_arrays(npy_source *self, const char *path, tri_part part, bool inside)
{
    char labels[PATH_MAX];
    uint8_t head[4] = {0};
    size_t size;
    snprintf(self->path, sizeof self->path, "%s", path);
    self->source.info.bytes = tri__file_size(path);
    self->source.info.files = 1;
    TRI_TRY(tri__file_peek(path, head, sizeof head, &size));
    if (memcmp(head, TRI_ZIP_MAGIC, 4) != 0) {
        TRI_TRY(load(path, &self->x));
        if (!labels_beside(path, labels))
            return NULL;
        self->source.info.bytes += tri__file_size(labels);
        self->source.info.files++;
        return load(labels, &self->y);
    }
    return load_archive(self, path, part, inside);
}

static tri_status open_arrays(const tri__file_set *set, tri_part part, const tri_source_options *options, tri_source **out)
{
    const char *path;
    npy_source *self;
    TRI_TRY(find_examples(set, part, &path));
    TRI_TRY(tri__allocate(1, sizeof *self, "a data source", &self));
    self->source.kind = &npy_kind;
    self->source.info.format = "numpy";
    const bool inside = part != TRI_PART_TRAIN && set->part[part].paths == set->part[TRI_PART_TRAIN].paths;
    tri_status status = load_arrays(self, path, part, inside);
    if (!status)
        status = take_examples(self);
    if (!status)
        status = take_labels(self, options);
    if (status)
        npy_destroy(&self->source);
    else
        *out = &self->source;
    return status;
}

static bool is_array(const uint8_t *head, size_t size)
{
    return size >= 6 && memcmp(head, TRI_NPY_MAGIC, 6) == 0;
}

static bool is_archive(const uint8_t *head, size_t size)
{
    return size >= 4 && memcmp(head, TRI_ZIP_MAGIC, 4) == 0;
}

const tri__file_format tri__npy_format = {
    .name = "NumPy",
    .description = "NumPy arrays (x.npy and y.npy, or an .npz with x and y)",
    .marks = {".npy"},
    .is = is_array,
    .open = open_arrays,
    .by_head = true,
};

const tri__file_format tri__npz_format = {
    .name = "NumPy archive",
    .marks = {".npz"},
    .is = is_archive,
    .open = open_arrays,
    .parts_inside = true,
    .by_head = true,
};
