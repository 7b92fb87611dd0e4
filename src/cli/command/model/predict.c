/* predict.c: trireme predict. */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory/memory.h"
#include "cli/command/model/class_names.h"
#include "cli/command/model/examples.h"
#include "cli/process/signals.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "cli/terminal/number_lines.h"
#include "data/file/gzip.h"
#include "data/source/labels.h"
#include "data/source/source.h"
#include "data/stream/stream.h"
#include "data/text/csv_columns.h"
#include "train/evaluate/evaluate.h"
#include "train/evaluate/predict.h"
#include "train/evaluate/trained.h"

static const float LIKELY = 0.5F; /* above this probability, an example has the label */

/* Where predictions go: lines with tabs, or a JSON array that is printed at the end. */
typedef struct {
    FILE *out;
    tri__class_names names; /* of the model's classes; of its outputs, where these are columns of a table */
    tri_label_kind kind;
    int64_t classes;  /* how many classes, labels or numbers */
    json_t *rows;     /* NULL: print lines */
    bool prompt;      /* flush each line: another program may wait for it */
    bool header;      /* not printed yet: it comes with the first line, so that a failure prints nothing; for a stream it comes at once */
    tri_source *from; /* NULL: rows of numbers on standard input */
    bool piped;       /* `from` reads standard input */
    const char *file; /* file of the last example */
    int64_t number;   /* its number in that file, from 0; on standard input, counted over all rows */
} printer;

static void print_class(FILE *out, const tri__class_names *names, int64_t class)
{
    char text[TRI_CLASS_NAME];
    fputs(tri__class_name(names, class, text), out);
}

static void print_header(printer *to)
{
    if (!to->header)
        return;
    to->header = false;
    static const char *const first[] = {[TRI_LABEL_CLASS] = "class", [TRI_LABEL_NUMBERS] = "prediction", [TRI_LABEL_SET] = "labels"};
    const bool named = to->kind == TRI_LABEL_NUMBERS && to->names.names;
    fputs(named ? to->names.names[0] : first[to->kind], to->out);
    for (int64_t class = 0; class < to->classes && to->kind != TRI_LABEL_NUMBERS; class ++) {
        fputc('\t', to->out);
        print_class(to->out, &to->names, class);
    }
    for (int64_t i = 1; i < to->classes && to->kind == TRI_LABEL_NUMBERS; i++)
        named ? fprintf(to->out, "\t%s", to->names.names[i]) : fprintf(to->out, "\tprediction %lld", (long long)i);
    fputs("\texample\tlabel\n", to->out);
    if (to->prompt)
        fflush(to->out);
}

/* An example to print: its name; its class as the source has it, or −1. */
typedef struct {
    char name[PATH_MAX + 32];
    int64_t label;
    const float *targets; /* its numbers, or its set of labels, instead of a class; NULL: not known */
} named_example;

/* "photos/a/1.jpg", "a9a.t:17" (the number of the record in the file, as in messages), "-:17" on standard input, or the record's number. */
static void name_example(printer *to, int64_t record, const tri_batch *batch, int64_t row, named_example *out)
{
    const char *file = to->from && !to->piped ? tri__source_file(to->from, record) : NULL;
    const tri_source_info *info = to->from ? tri_source_describe(to->from) : NULL;
    to->number = file && file != to->file ? 0 : to->number + 1;
    to->file = file;
    if (file && info->by_folder)
        snprintf(out->name, sizeof out->name, "%s", file);
    else if (file)
        snprintf(out->name, sizeof out->name, "%s:%lld", file, (long long)to->number);
    else
        snprintf(out->name, sizeof out->name, "%s%lld", !to->from || to->piped ? "-:" : "", (long long)to->number);
    const bool labelled = batch && info && !info->unlabelled;
    out->label = labelled && !info->outputs ? batch->labels[row] : -1;
    out->targets = labelled && info->outputs ? batch->targets + row * info->outputs : NULL;
    for (int64_t i = 0; out->targets && i < info->outputs; i++)
        if (isnan(out->targets[i])) /* this row has no label, though others have one */
            out->targets = NULL;
}

/* Print a list of numbers, or of the labels above the bound. */
static void print_targets(const printer *to, const float *targets, float bound)
{
    int64_t printed = 0;
    for (int64_t i = 0; i < to->classes; i++) {
        if (to->kind == TRI_LABEL_SET && !(targets[i] > bound))
            continue;
        fputs(printed++ ? "," : "", to->out);
        if (to->kind == TRI_LABEL_SET)
            print_class(to->out, &to->names, i);
        else
            fprintf(to->out, "%.6g", (double)targets[i]);
    }
    fputs(printed ? "" : "none", to->out);
}

static json_t *targets_json(const printer *to, const float *targets, float bound)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < to->classes; i++)
        if (to->kind == TRI_LABEL_NUMBERS)
            json_array_append_new(list, tri__json_number(targets[i]));
        else if (targets[i] > bound)
            json_array_append_new(list, tri__class_json(&to->names, i));
    return list;
}

static void print_example(const printer *to, const named_example *which)
{
    const tri_source_info *info = to->from ? tri_source_describe(to->from) : NULL;
    fprintf(to->out, "\t%s\t", which->name);
    if (which->targets)
        print_targets(to, which->targets, LIKELY);
    else if (which->label < 0 || !info)
        fputc('-', to->out);
    else
        print_class(to->out, &(tri__class_names){info->class_names, info->numbering}, which->label);
    fputc('\n', to->out);
    if (to->prompt)
        fflush(to->out);
}

/* row: NULL for a damaged record. */
static void add_targets_json(const printer *to, const float *row, const named_example *which)
{
    json_t *line =
        json_pack("{s:o, s:s, s:o}", to->kind == TRI_LABEL_SET ? "labels" : "outputs", row ? targets_json(to, row, LIKELY) : json_null(),
                  "example", which->name, "label", row && which->targets ? targets_json(to, which->targets, LIKELY) : json_null());
    json_t *list = row && to->kind == TRI_LABEL_SET ? json_array() : NULL;
    for (int64_t i = 0; list && i < to->classes; i++)
        json_array_append_new(list, tri__json_number(row[i]));
    if (list)
        json_object_set_new(line, "probabilities", list);
    json_array_append_new(to->rows, line);
}

/* best −1: a damaged record. */
static void add_json(const printer *to, const float *row, int64_t best, const named_example *which)
{
    const tri_source_info *info = to->from ? tri_source_describe(to->from) : NULL;
    if (to->kind != TRI_LABEL_CLASS) {
        add_targets_json(to, best < 0 ? NULL : row, which);
        return;
    }
    json_t *list = best < 0 ? json_null() : json_array();
    for (int64_t class = 0; best >= 0 && class < to->classes; class ++)
        json_array_append_new(list, tri__json_number(row[class]));
    json_t *class = best < 0 ? json_null() : tri__class_json(&to->names, best);
    json_t *label = !info || which->label < 0 || best < 0
                        ? json_null()
                        : tri__class_json(&(tri__class_names){info->class_names, info->numbering}, which->label);
    json_array_append_new(to->rows,
                          json_pack("{s:o, s:o, s:s, s:o}", "class", class, "probabilities", list, "example", which->name, "label", label));
}

/* A damaged record has a line, too, so that line n belongs to record n. */
static void print_damaged(const printer *to, named_example *which)
{
    which->label = -1;
    which->targets = NULL;
    fputc('-', to->out);
    for (int64_t class = to->kind == TRI_LABEL_NUMBERS; class < to->classes; class ++)
        fputs("\t-", to->out);
    print_example(to, which);
}

static void print_row(const printer *to, const float *row, int64_t best, const named_example *which)
{
    if (to->kind == TRI_LABEL_CLASS)
        print_class(to->out, &to->names, best);
    else if (to->kind == TRI_LABEL_SET)
        print_targets(to, row, LIKELY);
    for (int64_t class = 0; class < to->classes; class ++)
        if (to->kind == TRI_LABEL_NUMBERS)
            fprintf(to->out, "%s%.6g", class ? "\t" : "", (double)row[class]);
        else
            fprintf(to->out, "\t%.6f", (double)row[class]);
    print_example(to, which);
}

/* batch: NULL for rows on standard input. In a batch, a weight of 0 marks damaged records. */
static void print_rows(printer *to, const float *probabilities, const tri_batch *batch, int64_t count)
{
    print_header(to);
    for (int64_t i = 0; i < count; i++) {
        bool damaged = batch && batch->weights[i] == 0;
        const float *row = probabilities + i * to->classes;
        int64_t best = damaged ? -1 : 0;
        for (int64_t class = 1; class < to->classes && !damaged; class ++)
            best = row[class] > row[best] ? class : best;
        named_example which;
        name_example(to, batch ? batch->ids[i] : -1, batch, i, &which);
        if (to->rows)
            add_json(to, row, best, &which);
        else if (damaged)
            print_damaged(to, &which);
        else
            print_row(to, row, best, &which);
    }
}

static tri_status predict_rows(tri__predictor *predictor, const tri_model_input *input, FILE *from, printer *to)
{
    int64_t capacity;
    void *x = tri__predictor_rows(predictor, &capacity);
    tri__number_lines lines;
    tri__number_lines_init(&lines, from, "standard input", input->type, tri_shape_count(input->shape));
    tri_status status = NULL;
    for (int64_t count = capacity; !status && count == capacity;) {
        const float *probabilities;
        status = tri__number_lines_read(&lines, x, capacity, &count);
        if (!status && count)
            status = tri__predictor_run(predictor, count, &probabilities);
        if (!status && count)
            print_rows(to, probabilities, NULL, count);
    }
    tri__number_lines_fini(&lines);
    return status;
}

static tri_status predict_dataset(tri__predictor *predictor, tri_dataset *dataset, printer *to)
{
    for (;;) {
        const tri_batch *batch;
        const float *probabilities;
        TRI_TRY(tri_dataset_next(dataset, &batch));
        if (!batch)
            return NULL;
        if (batch->count == 0)
            continue; /* the stream has no data at the moment */
        TRI_TRY(tri__predictor_batch(predictor, batch, &probabilities));
        print_rows(to, probabilities, batch, batch->count);
        if (to->prompt)
            fflush(to->out);
    }
}

/* spec: NULL for --data. */
static tri_status predict_source(tri__session *session, const tri__arguments *arguments, const tri__trained *trained, const char *spec,
                                 tri__predictor *predictor, printer *to)
{
    tri_dataset *dataset = NULL;
    const tri_dataset_options order = {
        .batch = tri_graph_batch(trained->graph),
        .limit = tri__argument_integer(arguments, "limit"),
        .epochs = 1,
        .skip_bad = tri__argument_integer(arguments, "skip-bad"),
        .prompt = true,
    };
    tri__taken_examples taken;
    tri_status status = tri__open_examples(session, arguments, trained, spec, true, &to->from, &taken);
    if (!status)
        status = tri__source_fits(tri_source_describe(to->from), trained->graph);
    if (!status)
        status = tri_dataset_create(to->from, &order, &dataset);
    if (!status)
        status = predict_dataset(predictor, dataset, to);
    tri_dataset_destroy(dataset);
    tri_source_destroy(to->from);
    to->from = NULL;
    return status;
}

/* Check that the first bytes are text, or compressed text, before the rest is read. */
static tri_status check_beginning(const uint8_t *bytes, size_t count)
{
    if (tri__gzip_is(bytes, count) || tri__zlib_is(bytes, count) || !memchr(bytes, '\0', count))
        return NULL;
    return tri_fail(TRI_BAD_DATA,
                    "standard input: it is no text in UTF-8: bytes of 0 are in it (give lines of text, or a file with --data)");
}

/* Messages name the file in memory; the user must read "standard input" instead. */
static tri_status without_path(tri_status status, const char *path)
{
    const char *message = tri_status_message(status), *at = status ? strstr(message, path) : NULL;
    if (!at)
        return tri_wrap(status, "standard input");
    const char *behind = at + strlen(path);
    tri_status named = tri_fail(tri_status_code(status), "%.*sstandard input%s", (int)(at - message), message, behind);
    tri_status_free(status);
    return named;
}

/* Read all of standard input into a file in memory, whose path is /proc/self/fd/N: a source needs a file, not a stream. */
static tri_status keep_input(FILE **out)
{
    char bytes[1 << 16];
    size_t count;
    int file = memfd_create("standard input", MFD_CLOEXEC);
    *out = file < 0 ? NULL : fdopen(file, "r+");
    if (!*out)
        return tri_fail(TRI_IO, "cannot keep standard input: %s", strerror(errno));
    const int64_t limit = tri__memory_available() / 2;
    for (int64_t kept = 0; (count = fread(bytes, 1, sizeof bytes, stdin)) > 0; kept += (int64_t)count) {
        if (kept == 0)
            TRI_TRY(check_beginning((const uint8_t *)bytes, count));
        if (kept + (int64_t)count > limit || fwrite(bytes, 1, count, *out) < count)
            return tri_fail(TRI_NO_MEMORY,
                            "standard input: more than %" PRId64
                            " MB, half of the memory that is available (put the examples into a file, and give that)",
                            limit >> 20);
    }
    if (ferror(stdin) || fflush(*out))
        return tri_fail(TRI_IO, "standard input: %s", strerror(errno));
    rewind(*out);
    return NULL;
}

/* Whether the first line names features by number, as LIBSVM text does. */
static bool has_indices(FILE *file)
{
    int byte, colons = 0;
    while ((byte = getc(file)) != EOF && byte != '\n')
        colons += byte == ':';
    rewind(file);
    return colons > 0;
}

/* A dense model reads rows of numbers. If it was trained on LIBSVM text, it also reads LIBSVM lines; if it was trained on a table, it reads
 * a table. Sparse models read a stream. */
static tri_status predict_input(tri__session *session, const tri__arguments *arguments, const tri__trained *trained,
                                tri__predictor *predictor, printer *to)
{
    const tri__checkpoint *checkpoint = trained->checkpoint;
    if (!checkpoint->numbering.label_step && !checkpoint->columns)
        return predict_rows(predictor, &checkpoint->input, stdin, to);
    FILE *kept = NULL;
    tri_status status = keep_input(&kept);
    if (!status && !checkpoint->columns && !has_indices(kept)) {
        status = predict_rows(predictor, &checkpoint->input, kept, to);
    } else if (!status) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(kept));
        status = without_path(predict_source(session, arguments, trained, path, predictor, to), path);
    }
    if (kept)
        fclose(kept);
    return status;
}

/* Print all rows. Takes to->rows. */
static tri_status print_json(tri__session *session, const printer *to)
{
    if (to->kind == TRI_LABEL_NUMBERS)
        return tri__session_print_json(session, json_pack("{s:I, s:o}", "outputs", (json_int_t)to->classes, "rows", to->rows));
    json_t *classes = json_array();
    for (int64_t class = 0; class < to->classes; class ++)
        json_array_append_new(classes, tri__class_json(&to->names, class));
    return tri__session_print_json(session,
                                   json_pack("{s:o, s:o}", to->kind == TRI_LABEL_SET ? "labels" : "classes", classes, "rows", to->rows));
}

static tri_status predict_from(tri__session *session, const tri__arguments *arguments, const tri__trained *trained,
                               tri__predictor *predictor, printer *to)
{
    const bool sparse = tri_model_is_sparse(trained->model);
    if (to->piped && sparse)
        print_header(to); /* a program that writes line by line may wait for it */
    return to->piped && !sparse ? predict_input(session, arguments, trained, predictor, to)
                                : predict_source(session, arguments, trained, NULL, predictor, to);
}

static tri_status predict(tri__session *session, const tri__arguments *arguments, const tri__trained *trained, tri__predictor *predictor)
{
    const tri__checkpoint *checkpoint = trained->checkpoint;
    const char *data = tri__argument_text(arguments, "data");
    const bool piped = tri__source_is_stream(data);
    printer to = {.out = session->out,
                  .kind = tri_model_labels(trained->model),
                  .classes = tri__predictor_classes(predictor),
                  .names = tri__class_names_of_model(checkpoint, tri__predictor_classes(predictor)),
                  .prompt = piped,
                  .piped = piped,
                  .rows = session->json ? json_array() : NULL,
                  .header = !session->json && !session->quiet,
                  .number = -1};
    tri__csv_columns columns = {0};
    tri_status status = tri__class_names_of_columns(checkpoint, to.kind, to.classes, &columns, &to.names);
    if (!status)
        status = predict_from(session, arguments, trained, predictor, &to);
    if (!status && session->json)
        status = print_json(session, &to);
    else
        json_decref(to.rows);
    tri__csv_columns_fini(&columns);
    return status;
}

static tri_status run_predict(tri__session *session, const tri__arguments *arguments)
{
    tri__signals_exit();
    tri__trained trained;
    TRI_TRY(tri__trained_open(arguments->operands[0], tri__argument_integer(arguments, "batch"), session->log, &trained));
    tri__predictor *predictor;
    tri_status status = tri__predictor_create(&trained, (int)tri__argument_integer(arguments, "threads"), &predictor);
    if (!status)
        status = predict(session, arguments, &trained, predictor);
    tri__predictor_destroy(predictor);
    tri__trained_fini(&trained);
    return status;
}

static const tri__option predict_options[] = {
    TEST_DATA_ROW("the examples to predict, or - for rows on standard input"),
    PART_ROW,
    LIMIT_ROW("the first N examples only"),
    SKIP_BAD_ROW("up to N damaged records get a line of dashes; more end the command"),
    SEED_ROW("of synthetic data"),
    BATCH_ROW,
    THREADS_ROW,
    {.name = "quiet", .group = "Output", .meaning = "no header line"},
    {.name = "json", .meaning = "print all rows as one JSON object"},
    HELP_ROW,
    {0},
};

const tri__command tri__command_predict = {
    .name = "predict",
    .usage = "RUN|CHECKPOINT --data SOURCE",
    .run = run_predict,
    .least = 1,
    .most = 1,
    .options = predict_options,
    .meaning = "classes and their probabilities, numbers or sets of labels, one line an example",
    .detail =
        "Prints one line an example: the likeliest class and the probability of each class, the example (its file, or the file and the "
        "record's number in it) and its label where that is known, with tabs between. A model of numbers prints these in place of "
        "class and probabilities, one of sets the labels that hold and the probability of each. Photos may lie in any folder. From "
        "standard input it reads one example a line: its numbers in the order of the model's input, with spaces, tabs or commas "
        "between, in the units of the source (bytes from 0 to 255 for images); for models trained on LIBSVM or Criteo text, lines of "
        "such text; for those trained on a table, a table.",
    .operands = {{"RUN|CHECKPOINT", "a run folder or a .safetensors file of its checkpoint folder"}},
    .examples = {{"trireme predict runs/lenet-2026-11-15-1 --data fashion --limit 5", "the first five test examples"},
                 {"trireme predict runs/lenet-2026-11-15-1 --data - <rows.txt", "rows of numbers"}},
};
