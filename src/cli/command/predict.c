/* predict.c: trireme predict. */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cli/command/class_names.h"
#include "cli/command/commands.h"
#include "cli/command/examples.h"
#include "cli/process/signals.h"
#include "cli/terminal/number_lines.h"
#include "data/source/labels.h"
#include "data/source/source.h"
#include "data/stream/stream.h"
#include "train/evaluate/evaluate.h"
#include "train/evaluate/predict.h"
#include "train/evaluate/trained.h"

/* Where predictions go: lines with tabs, or a JSON array that is printed at the end. */
typedef struct {
    FILE *out;
    tri__class_names names; /* of the model's classes */
    int64_t classes;
    json_t *rows;     /* NULL: lines */
    bool prompt;      /* flush each answer: somebody may wait for it */
    bool header;      /* still to be printed: with the first answer, so that a failure prints nothing; of a stream at once */
    tri_source *from; /* NULL: rows of numbers on standard input */
    bool piped;       /* from was on standard input */
    const char *file; /* of the last example, … */
    int64_t number;   /* … and its number there, from 0; of rows on standard input, over all */
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
    fputs("class", to->out);
    for (int64_t class = 0; class < to->classes; class ++) {
        fputc('\t', to->out);
        print_class(to->out, &to->names, class);
    }
    fputs("\texample\tlabel\n", to->out);
    if (to->prompt)
        fflush(to->out);
}

/* An example on its way out: its record, or −1 on standard input; its class as the source has it, or −1. */
typedef struct {
    char name[PATH_MAX + 32];
    int64_t label;
} named_example;

/* "photos/a/1.jpg", "a9a.t:17" (the number of the record in the file, as in messages), "-:17" on standard input, or the record's number. */
static void name_example(printer *to, int64_t record, int32_t label, named_example *out)
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
    out->label = info && !info->unlabelled ? label : -1;
}

static void print_example(const printer *to, const named_example *which)
{
    const tri_source_info *info = to->from ? tri_source_describe(to->from) : NULL;
    fprintf(to->out, "\t%s\t", which->name);
    if (which->label < 0 || !info)
        fputc('-', to->out);
    else
        print_class(to->out, &(tri__class_names){info->class_names, info->numbering}, which->label);
    fputc('\n', to->out);
    if (to->prompt)
        fflush(to->out);
}

/* best −1: a damaged record. */
static void add_json(const printer *to, const float *row, int64_t best, const named_example *which)
{
    const tri_source_info *info = to->from ? tri_source_describe(to->from) : NULL;
    json_t *list = best < 0 ? json_null() : json_array();
    for (int64_t class = 0; best >= 0 && class < to->classes; class ++)
        json_array_append_new(list, json_real(row[class]));
    json_t *class = best < 0 ? json_null() : tri__class_json(&to->names, best);
    json_t *label = !info || which->label < 0 || best < 0
                        ? json_null()
                        : tri__class_json(&(tri__class_names){info->class_names, info->numbering}, which->label);
    json_array_append_new(to->rows,
                          json_pack("{s:o, s:o, s:s, s:o}", "class", class, "probabilities", list, "example", which->name, "label", label));
}

/* A damaged record has its line, too, so that lines and records go together. */
static void print_damaged(const printer *to, named_example *which)
{
    which->label = -1;
    fputc('-', to->out);
    for (int64_t class = 0; class < to->classes; class ++)
        fputs("\t-", to->out);
    print_example(to, which);
}

static void print_row(const printer *to, const float *row, int64_t best, const named_example *which)
{
    print_class(to->out, &to->names, best);
    for (int64_t class = 0; class < to->classes; class ++)
        fprintf(to->out, "\t%.6f", (double)row[class]);
    print_example(to, which);
}

/* batch: NULL for rows on standard input; there a weight of 0 marks damaged records. */
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
        name_example(to, batch ? batch->ids[i] : -1, batch ? batch->labels[i] : -1, &which);
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
            continue; /* a stream that is quiet */
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
    tri_status status = tri__open_examples(session, arguments, trained, spec, true, &to->from);
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

/* All of standard input in a file of memory, whose path is /proc/self/fd/N: a source is not read as a stream. */
static tri_status keep_input(FILE **out)
{
    char bytes[1 << 16];
    size_t count;
    int file = memfd_create("standard input", MFD_CLOEXEC);
    *out = file < 0 ? NULL : fdopen(file, "r+");
    if (!*out)
        return tri_fail(TRI_IO, "cannot keep standard input: %s", strerror(errno));
    while ((count = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        if (fwrite(bytes, 1, count, *out) < count)
            return tri_fail(TRI_NO_MEMORY, "out of memory for the examples on standard input (put them into a file, and give that)");
    if (ferror(stdin) || fflush(*out))
        return tri_fail(TRI_IO, "standard input: %s", strerror(errno));
    rewind(*out);
    return NULL;
}

/* Does its first line name features by their numbers, as LIBSVM's do? */
static bool has_indices(FILE *file)
{
    int byte, colons = 0;
    while ((byte = getc(file)) != EOF && byte != '\n')
        colons += byte == ':';
    rewind(file);
    return colons > 0;
}

/* Of a dense model: rows of numbers; where its training examples were LIBSVM text, lines of that as well. Sparse models read a stream. */
static tri_status predict_input(tri__session *session, const tri__arguments *arguments, const tri__trained *trained,
                                tri__predictor *predictor, printer *to)
{
    const tri__checkpoint *checkpoint = trained->checkpoint;
    if (!checkpoint->numbering.label_step)
        return predict_rows(predictor, &checkpoint->input, stdin, to);
    FILE *kept = NULL;
    tri_status status = keep_input(&kept);
    if (!status && !has_indices(kept)) {
        status = predict_rows(predictor, &checkpoint->input, kept, to);
    } else if (!status) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(kept));
        status = tri_wrap(predict_source(session, arguments, trained, path, predictor, to), "standard input");
    }
    if (kept)
        fclose(kept);
    return status;
}

static tri_status predict(tri__session *session, const tri__arguments *arguments, const tri__trained *trained, tri__predictor *predictor)
{
    const tri__checkpoint *checkpoint = trained->checkpoint;
    const char *data = tri__argument_text(arguments, "data");
    const bool piped = tri__source_is_stream(data);
    printer to = {.out = session->out,
                  .classes = tri__predictor_classes(predictor),
                  .names = tri__class_names_of_model(checkpoint, tri__predictor_classes(predictor)),
                  .prompt = piped,
                  .piped = piped,
                  .rows = session->json ? json_array() : NULL,
                  .header = !session->json && !session->quiet,
                  .number = -1};
    if (piped && tri_model_is_sparse(trained->model))
        print_header(&to); /* whoever writes line by line may wait for it */
    tri_status status = piped && !tri_model_is_sparse(trained->model) ? predict_input(session, arguments, trained, predictor, &to)
                                                                      : predict_source(session, arguments, trained, NULL, predictor, &to);
    if (status || !session->json) {
        json_decref(to.rows);
        return status;
    }
    json_t *classes = json_array();
    for (int64_t class = 0; class < to.classes; class ++)
        json_array_append_new(classes, tri__class_json(&to.names, class));
    return tri__session_print_json(session, json_pack("{s:o, s:o}", "classes", classes, "rows", to.rows));
}

tri_status tri__command_predict(tri__session *session, const tri__arguments *arguments)
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
