/* evaluate.c: runs a forward plan over all examples of a source. Rows of padding have weight 0 and are not counted. */
#include "train/evaluate/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "train/evaluate/auc.h"
#include "train/evaluate/numbers.h"
#include "train/evaluate/scores.h"
#include "trireme/plan.h"

struct tri__evaluator {
    tri_plan *plan;
    tri_dataset *dataset;
    int64_t examples;
    float *scores; /* [examples] with two classes: of class 1; NULL elsewhere */
    int32_t *labels;
    tri__confusion *confusion; /* may be NULL */
    tri__mistakes *mistakes;   /* may be NULL */
    tri_label_kind kind;
    tri__numbers numbers;        /* of a model that learns numbers */
    tri__label_sets *label_sets; /* of a model that learns sets: the caller's, or own_sets */
    tri__label_sets own_sets;    /* used where the caller gave none */
};

/* Sums over the examples seen so far. */
typedef struct {
    tri__evaluation result;
    double loss;
    int64_t right;
    tri__score_sums scores; /* of two classes */
} tally;

static const tri_node *find_input(const tri_graph *graph, const char *name)
{
    for (int i = 0; i < tri_graph_count(graph); i++)
        if (!strcmp(tri_node_name(tri_graph_node(graph, i)), name))
            return tri_graph_node(graph, i);
    return NULL;
}

static int64_t columns_of(const tri_graph *graph)
{
    const tri_node *logits = tri_graph_find_output(graph, "logits");
    tri_shape shape = logits ? tri_node_shape(logits) : (tri_shape){0};
    return shape.rank >= 2 ? shape.dim[shape.rank - 1] : 1;
}

int64_t tri__class_count(const tri_graph *graph)
{
    const int64_t columns = columns_of(graph);
    return columns < 2 && tri_graph_labels(graph) == TRI_LABEL_CLASS ? 2 : columns; /* one column is the log odds of class 1 */
}

bool tri__has_two_classes(const tri_graph *graph)
{
    return tri_graph_labels(graph) == TRI_LABEL_CLASS && tri__class_count(graph) == 2;
}

unsigned tri__measured_as(const tri_graph *graph)
{
    static const unsigned models[] = {
        [TRI_LABEL_CLASS] = TRI_OF_CLASSES, [TRI_LABEL_NUMBERS] = TRI_OF_NUMBERS, [TRI_LABEL_SET] = TRI_OF_SETS};
    return tri__has_two_classes(graph) ? TRI_OF_TWO_CLASSES : models[tri_graph_labels(graph)];
}

static tri_status labels_fit(const tri_source_info *source, const tri_graph *graph)
{
    static const char *const words[] = {[TRI_LABEL_CLASS] = "classes", [TRI_LABEL_NUMBERS] = "numbers", [TRI_LABEL_SET] = "sets of labels"};
    const int64_t classes = tri__class_count(graph);
    const tri_label_kind learnt = tri_graph_labels(graph);
    if (source->unlabelled)
        return NULL;
    if (source->labels != learnt)
        return tri_fail(TRI_BAD_CALL,
                        "%s: its labels are %s, the model learns %s (softmax_loss() and logistic_loss() learn classes, mse_loss() and "
                        "huber_loss() numbers, sigmoid_loss() sets of labels)",
                        source->spec, words[source->labels], words[learnt]);
    if (source->outputs && source->outputs != classes)
        return tri_fail(TRI_BAD_CALL, "%s: its examples are labelled with %lld numbers, but the model has %lld outputs", source->spec,
                        (long long)source->outputs, (long long)classes);
    if (source->classes <= classes)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "%s: it has %lld classes, but the model has %lld", source->spec, (long long)source->classes,
                    (long long)classes);
}

static tri_status sparse_fits(const tri_source_info *source, const tri_graph *graph)
{
    if (!find_input(graph, "keys"))
        return tri_fail(TRI_BAD_CALL, "the model has no input called x");
    if (!source->width)
        return tri_fail(TRI_BAD_CALL,
                        "%s: its examples are dense, the model takes sparse ones (LIBSVM, Criteo text, click records, clicks:FEATURES)",
                        source->spec);
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        if (tri_node_table(node) >= 0 && tri_node_shape(node).dim[0] != source->shape.dim[0])
            return tri_fail(TRI_BAD_CALL, "%s: it has %lld features, the model's tables have %lld (give it data of as many features)",
                            source->spec, (long long)source->shape.dim[0], (long long)tri_node_shape(node).dim[0]);
    }
    return labels_fit(source, graph);
}

tri_status tri__source_fits(const tri_source_info *source, const tri_graph *graph)
{
    const tri_node *x = find_input(graph, "x");
    if (!x)
        return sparse_fits(source, graph);
    tri_shape wanted = tri_node_shape(x); /* [batch][…] */
    wanted.rank--;
    memmove(wanted.dim, wanted.dim + 1, (size_t)wanted.rank * sizeof *wanted.dim);
    char has[64], takes[64];
    if (tri_node_type(x) != source->type || !tri_shape_equal(wanted, source->shape))
        return tri_fail(TRI_BAD_CALL, "%s: its examples are %s of %s, but the model takes %s of %s", source->spec,
                        tri_shape_text(source->shape, has, sizeof has), tri_type_name(source->type),
                        tri_shape_text(wanted, takes, sizeof takes), tri_type_name(tri_node_type(x)));
    return labels_fit(source, graph);
}

tri_status tri__photos_fit(const tri_source_info *source, const char *const *names, int64_t classes)
{
    if (!names || !source->class_names || !source->by_folder)
        return NULL;
    for (int64_t i = 0; i < source->classes || i < classes; i++) {
        const char *theirs = i < source->classes ? source->class_names[i] : NULL, *ours = i < classes ? names[i] : NULL;
        if (!theirs || !ours || strcmp(theirs, ours) != 0)
            return tri_fail(TRI_BAD_CALL, "%s: its class %lld is %s, the model's is %s (give both the same folders of classes)",
                            source->spec, (long long)i, theirs ? theirs : "missing", ours ? ours : "missing");
    }
    return NULL;
}

int64_t tri__roomy_batch(tri_shape example, bool sparse)
{
    return sparse ? 1000 : tri_shape_count(example) <= 4096 ? 250 : 32;
}

static tri_status create_plan(tri__evaluator *evaluator, const tri_graph *graph, tri_store *store, int64_t batch, int threads)
{
    tri_graph *copy;
    TRI_TRY(tri_graph_copy(graph, batch, &copy));
    tri_status status = tri_plan_create(copy, &(tri_plan_options){.batch = batch, .threads = threads}, store, &evaluator->plan);
    tri_graph_destroy(copy);
    return status;
}

static tri_status prepare(tri__evaluator *evaluator, const tri_graph *graph, tri_source *source, tri_store *store,
                          const tri__evaluator_options *options)
{
    const tri_source_info *info = tri_source_describe(source);
    TRI_TRY(tri__source_fits(info, graph));
    if (info->unlabelled)
        return tri_fail(TRI_BAD_CALL, "%s: its examples have no labels to judge the model by ('trireme predict' needs none)", info->spec);
    int64_t batch = options->batch ? options->batch : tri__roomy_batch(info->shape, info->width > 0);
    TRI_TRY(create_plan(evaluator, graph, store, batch, options->threads));
    const tri_dataset_options order = {
        .batch = batch,
        .seed = options->seed,
        .limit = options->limit,
        .sample = true,
        .epochs = 1,
        .in_place = tri_plan_takes_scattered(evaluator->plan),
        .skip_bad = options->skip_bad,
        .cache = options->cache,
        .cache_bytes = options->cache_bytes,
        .cache_folder = options->cache_folder,
    };
    TRI_TRY(tri_dataset_create(source, &order, &evaluator->dataset));
    evaluator->examples = tri_dataset_examples(evaluator->dataset);
    evaluator->kind = tri_graph_labels(graph);
    if (evaluator->kind == TRI_LABEL_NUMBERS)
        return tri__numbers_init(&evaluator->numbers, tri__class_count(graph));
    if (evaluator->kind == TRI_LABEL_SET && !evaluator->label_sets) {
        evaluator->label_sets = &evaluator->own_sets;
        return tri__label_sets_init(&evaluator->own_sets, tri__class_count(graph));
    }
    if (!tri__has_two_classes(graph))
        return NULL;
    TRI_TRY(tri__allocate((size_t)evaluator->examples + 1, sizeof(float), "scores", &evaluator->scores));
    return tri__allocate((size_t)evaluator->examples + 1, sizeof(int32_t), "labels", &evaluator->labels);
}

tri_status tri__evaluator_create(const tri_graph *graph, tri_source *source, tri_store *store, const tri__evaluator_options *options,
                                 tri__evaluator **out)
{
    *out = NULL;
    tri__evaluator *evaluator;
    TRI_TRY(tri__allocate(1, sizeof *evaluator, "an evaluation", &evaluator));
    evaluator->confusion = options->confusion;
    evaluator->mistakes = options->mistakes;
    evaluator->label_sets = options->label_sets;
    tri_status status = prepare(evaluator, graph, source, store, options);
    if (status)
        tri__evaluator_destroy(evaluator);
    else
        *out = evaluator;
    return status;
}

void tri__evaluator_destroy(tri__evaluator *evaluator)
{
    if (!evaluator)
        return;
    tri_dataset_destroy(evaluator->dataset);
    tri_plan_destroy(evaluator->plan);
    tri__numbers_fini(&evaluator->numbers);
    tri__label_sets_fini(&evaluator->own_sets);
    free(evaluator->scores);
    free(evaluator->labels);
    free(evaluator);
}

tri_dataset *tri__evaluator_dataset(const tri__evaluator *evaluator)
{
    return evaluator->dataset;
}

/* line: [columns]; one column is the log odds of class 1 */
static void count_class(tri__evaluator *evaluator, const tri_batch *batch, int64_t row, const float *line, int64_t columns, tally *sum)
{
    const int32_t label = batch->labels[row];
    int64_t guess = tri__score_guess(line, columns);
    sum->right += guess == label;
    if (evaluator->confusion)
        tri__confusion_add(evaluator->confusion, label, guess, line, columns);
    if (evaluator->mistakes)
        tri__mistakes_add(evaluator->mistakes, batch->ids[row], label, guess, line, columns);
    if (evaluator->scores && sum->result.examples < evaluator->examples) {
        float score = columns == 1 ? line[0] : line[1] - line[0];
        evaluator->scores[sum->result.examples] = score;
        evaluator->labels[sum->result.examples] = label;
        tri__score_sums_add(&sum->scores, score, label);
    }
}

/* logits: [rows][columns] */
static void count_rows(tri__evaluator *evaluator, const tri_batch *batch, const float *logits, int64_t columns, tally *sum)
{
    for (int64_t row = 0; row < batch->count; row++) {
        const float *line = logits + row * columns;
        if (batch->damaged && batch->weights[row] == 0)
            continue;
        if (evaluator->kind == TRI_LABEL_CLASS)
            count_class(evaluator, batch, row, line, columns, sum);
        else if (evaluator->kind == TRI_LABEL_NUMBERS)
            tri__numbers_add(&evaluator->numbers, line, batch->targets + row * columns);
        else
            tri__label_sets_add(evaluator->label_sets, line, batch->targets + row * columns);
        sum->result.examples++;
    }
}

static tri_status evaluate_batch(tri__evaluator *evaluator, const tri_batch *batch, tally *sum)
{
    TRI_TRY(tri_plan_run(evaluator->plan, batch));
    tri_tensor loss, logits;
    TRI_TRY(tri_plan_value(evaluator->plan, "loss", &loss));
    TRI_TRY(tri_plan_value(evaluator->plan, "logits", &logits));
    sum->loss += *(const float *)loss.data;
    count_rows(evaluator, batch, logits.data, tri_shape_count(logits.shape) / batch->rows, sum);
    return NULL;
}

static int compare_keys(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Sort keys, and drop repeated ones. Returns how many are left. */
static int64_t sort_keys(int32_t *keys, int64_t count)
{
    int64_t distinct = 0;
    qsort(keys, (size_t)count, sizeof *keys, compare_keys);
    for (int64_t i = 0; i < count; i++)
        if (distinct == 0 || keys[i] != keys[distinct - 1])
            keys[distinct++] = keys[i];
    return distinct;
}

/* Keys are sorted whenever there are as many new keys as distinct ones before, so memory grows only with the distinct keys. */
static tri_status collect_keys(tri__evaluator *evaluator, int32_t **keys, int64_t *count)
{
    int64_t room = 0, sorted = 0;
    TRI_TRY(tri_dataset_seek(evaluator->dataset, 0));
    for (;;) {
        const tri_batch *batch;
        TRI_TRY(tri_dataset_next(evaluator->dataset, &batch));
        if (!batch)
            break;
        const int64_t more = batch->offsets ? batch->offsets[batch->rows] : 0;
        if (*count + more > room && *count > 2 * sorted)
            *count = sorted = sort_keys(*keys, *count);
        TRI_TRY(tri__grow(keys, &room, *count + more, sizeof **keys, "the keys of the test examples"));
        if (more > 0)
            memcpy(*keys + *count, batch->keys, (size_t)more * sizeof **keys);
        *count += more;
    }
    if (*count > 0)
        *count = sort_keys(*keys, *count);
    return NULL;
}

tri_status tri__evaluator_keys(tri__evaluator *evaluator, int32_t **keys, int64_t *count)
{
    *keys = NULL;
    *count = 0;
    tri_status status = collect_keys(evaluator, keys, count);
    if (status) {
        free(*keys);
        *keys = NULL;
    }
    return status;
}

tri_status tri__evaluator_run(tri__evaluator *evaluator, tri__evaluation *out)
{
    tally sum = {0};
    TRI_TRY(tri_dataset_seek(evaluator->dataset, 0));
    if (evaluator->kind == TRI_LABEL_NUMBERS)
        tri__numbers_clear(&evaluator->numbers);
    if (evaluator->kind == TRI_LABEL_SET)
        tri__label_sets_clear(evaluator->label_sets);
    for (;;) {
        const tri_batch *batch;
        TRI_TRY(tri_dataset_next(evaluator->dataset, &batch));
        if (!batch)
            break;
        TRI_TRY(evaluate_batch(evaluator, batch, &sum));
    }
    double count = (double)sum.result.examples;
    if (count == 0)
        return tri_fail(TRI_BAD_DATA, "there are no examples to evaluate on");
    *out = (tri__evaluation){.examples = sum.result.examples, .loss = sum.loss / count};
    out->damaged = tri_dataset_damaged(evaluator->dataset);
    const bool sets = evaluator->kind == TRI_LABEL_SET;
    out->accuracy = evaluator->kind == TRI_LABEL_CLASS ? (double)sum.right / count : NAN;
    out->mse = tri__numbers_mse(&evaluator->numbers);
    out->mae = tri__numbers_mae(&evaluator->numbers);
    out->r2 = tri__numbers_r2(&evaluator->numbers);
    out->f1 = sets ? tri__label_sets_f1(evaluator->label_sets) : NAN;
    if (sets)
        out->accuracy = tri__label_sets_accuracy(evaluator->label_sets);
    out->auc = NAN;
    out->logloss = tri__score_logloss(&sum.scores);
    out->calibration = tri__score_calibration(&sum.scores);
    return evaluator->scores ? tri__auc(evaluator->scores, evaluator->labels, out->examples, &out->auc) : NULL;
}
