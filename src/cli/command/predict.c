/* predict.c: trireme predict. */
#include <stdlib.h>
#include <string.h>

#include "cli/command/commands.h"
#include "cli/command/examples.h"
#include "cli/process/signals.h"
#include "cli/terminal/rows.h"
#include "train/evaluate/evaluate.h"
#include "train/evaluate/predict.h"
#include "train/evaluate/trained.h"

/* Where predictions go: lines with tabs, or a JSON array that is printed at the end. */
typedef struct {
    FILE *out;
    const char *const *names; /* of the classes, or NULL: then they are numbers */
    int64_t classes;
    json_t *rows; /* NULL: lines */
    bool prompt;  /* flush each answer: somebody may wait for it */
} printer;

static void print_name(const printer *to, int64_t label)
{
    if (to->names)
        fputs(to->names[label], to->out);
    else
        fprintf(to->out, "%lld", (long long)label);
}

static void print_header(const printer *to)
{
    fputs("class", to->out);
    for (int64_t label = 0; label < to->classes; label++) {
        fputc('\t', to->out);
        print_name(to, label);
    }
    fputc('\n', to->out);
    if (to->prompt)
        fflush(to->out);
}

static json_t *class_json(const printer *to, int64_t label)
{
    return to->names ? json_string(to->names[label]) : json_integer(label);
}

static void add_json(const printer *to, const float *row, int64_t best)
{
    json_t *list = json_array();
    for (int64_t label = 0; label < to->classes; label++)
        json_array_append_new(list, json_real(row[label]));
    json_array_append_new(to->rows, json_pack("{s:o, s:o}", "class", class_json(to, best), "probabilities", list));
}

/* A damaged record has its line, too, so that lines and records go together. */
static void print_damaged(const printer *to)
{
    if (to->rows) {
        json_array_append_new(to->rows, json_pack("{s:n, s:n}", "class", "probabilities"));
        return;
    }
    fputc('-', to->out);
    for (int64_t label = 0; label < to->classes; label++)
        fputs("\t-", to->out);
    fputc('\n', to->out);
}

/* weights: 0 marks damaged ones; NULL where none are. */
static void print_rows(const printer *to, const float *probabilities, const float *weights, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (weights && weights[i] == 0) {
            print_damaged(to);
            continue;
        }
        const float *row = probabilities + i * to->classes;
        int64_t best = 0;
        for (int64_t label = 1; label < to->classes; label++)
            best = row[label] > row[best] ? label : best;
        if (to->rows) {
            add_json(to, row, best);
            continue;
        }
        print_name(to, best);
        for (int64_t label = 0; label < to->classes; label++)
            fprintf(to->out, "\t%.6f", (double)row[label]);
        fputc('\n', to->out);
    }
}

static tri_status predict_input(tri__predictor *predictor, const tri_model_input *input, const printer *to)
{
    int64_t capacity;
    void *x = tri__predictor_rows(predictor, &capacity);
    tri__rows rows;
    tri__rows_init(&rows, stdin, "standard input", input->type, tri_shape_count(input->shape));
    tri_status status = NULL;
    for (int64_t count = capacity; !status && count == capacity;) {
        const float *probabilities;
        status = tri__rows_read(&rows, x, capacity, &count);
        if (!status && count)
            status = tri__predictor_run(predictor, count, &probabilities);
        if (!status && count)
            print_rows(to, probabilities, NULL, count);
    }
    tri__rows_fini(&rows);
    return status;
}

static tri_status predict_dataset(tri__predictor *predictor, tri_dataset *dataset, const printer *to)
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
        print_rows(to, probabilities, batch->weights, batch->count);
        if (to->prompt)
            fflush(to->out);
    }
}

static tri_status predict_source(tri__session *session, const tri__arguments *arguments, const tri__trained *trained,
                                 tri__predictor *predictor, const printer *to)
{
    tri_source *source = NULL;
    tri_dataset *dataset = NULL;
    const tri_dataset_options order = {
        .batch = tri_graph_batch(trained->graph),
        .limit = tri__argument_integer(arguments, "limit"),
        .epochs = 1,
        .skip_bad = tri__argument_integer(arguments, "skip-bad"),
        .prompt = true,
    };
    tri_status status = tri__open_examples(session, arguments, trained, &source);
    if (!status)
        status = tri__source_fits(tri_source_describe(source), trained->graph);
    if (!status)
        status = tri_dataset_create(source, &order, &dataset);
    if (!status)
        status = predict_dataset(predictor, dataset, to);
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
    return status;
}

static tri_status predict(tri__session *session, const tri__arguments *arguments, const tri__trained *trained, tri__predictor *predictor)
{
    const tri__checkpoint *checkpoint = trained->checkpoint;
    const char *data = tri__argument_text(arguments, "data");
    const bool piped = data && !strcmp(data, "-");
    printer to = {
        .out = session->out, .prompt = piped, .classes = tri__predictor_classes(predictor), .rows = session->json ? json_array() : NULL};
    if (checkpoint->class_names && checkpoint->input.classes == to.classes)
        to.names = (const char *const *)checkpoint->class_names;
    if (!session->json && !session->quiet)
        print_header(&to);
    const bool numbers = piped && !tri_model_is_sparse(trained->model); /* rows of them: see rows.h */
    tri_status status =
        numbers ? predict_input(predictor, &checkpoint->input, &to) : predict_source(session, arguments, trained, predictor, &to);
    if (status || !session->json) {
        json_decref(to.rows);
        return status;
    }
    json_t *classes = json_array();
    for (int64_t label = 0; label < to.classes; label++)
        json_array_append_new(classes, class_json(&to, label));
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
