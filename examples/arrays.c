/* arrays.c: examples of your own in arrays, a model of three lines, training, a checkpoint, and predictions from it. After
 * `cmake --install`:
 *
 *   cc arrays.c $(pkg-config --cflags --libs trireme) -o arrays && ./arrays */
#include <string.h>

#include "training.h"

enum { EXAMPLES = 400, FEATURES = 2, BATCH = 50, STEPS = 400 };

static const char model_text[] = "input()\ndense(8)\ntanh()\ndense(classes, init=xavier)\nsoftmax_loss()\n";
static const char *const names[] = {"outside", "inside"};

/* Points of a square; those in a circle are of class 1. */
static void make_points(float x[EXAMPLES][FEATURES], int32_t labels[EXAMPLES])
{
    for (int i = 0; i < EXAMPLES; i++) {
        x[i][0] = (float)(i % 20) / 10 - 0.95F;
        x[i][1] = (float)(i / 20) / 10 - 0.95F;
        labels[i] = x[i][0] * x[i][0] + x[i][1] * x[i][1] < 0.5F;
    }
}

static tri_status prepare(training *job, const tri_arrays *arrays)
{
    TRI_TRY(tri_source_from_arrays(arrays, &job->source));
    TRI_TRY(tri_dataset_create(job->source, &(tri_dataset_options){.batch = BATCH, .seed = 1, .shuffle = TRI_SHUFFLE_ALL}, &job->dataset));
    TRI_TRY(tri_model_parse("circle", model_text, strlen(model_text), &job->model));
    const tri_model_input input = tri_model_input_of(tri_source_describe(job->source));
    TRI_TRY(tri_model_build(job->model, &input, BATCH, &job->graph));
    TRI_TRY(tri_store_local_create(tri_graph_parameter_floats(job->graph), &(tri_rule){.name = "adam"}, &job->store));
    tri_graph_initialise(job->graph, 1, tri_store_parameters(job->store));
    return tri_plan_create(job->graph, &(tri_plan_options){.batch = BATCH, .training = true, .seed = 1}, job->store, &job->plan);
}

static tri_status train(training *job)
{
    for (int64_t step = 0; step < STEPS; step++) {
        const tri_batch *batch;
        double loss;
        TRI_TRY(tri_dataset_next(job->dataset, &batch));
        TRI_TRY(tri_store_begin(job->store, &(tri_step){.step = step, .rate = 0.02F}));
        TRI_TRY(tri_plan_train(job->plan, batch, &loss));
    }
    return tri_store_flush(job->store);
}

static tri_status save_and_predict(training *job, const char *path, const float *x, const int32_t *labels)
{
    float probabilities[EXAMPLES][2];
    int right = 0;
    TRI_TRY(tri_checkpoint_save(path, job->model, job->graph, job->store, tri_source_describe(job->source)));
    TRI_TRY(tri_trained_open(path, 0, &job->trained));
    TRI_TRY(tri_trained_predict(job->trained, x, EXAMPLES, probabilities[0]));
    for (int i = 0; i < EXAMPLES; i++)
        right += (probabilities[i][1] > probabilities[i][0]) == labels[i];
    printf("the first point is %s\n", tri_trained_class(job->trained, probabilities[0][1] > probabilities[0][0]));
    printf("%d of %d points are right\n", right, EXAMPLES);
    remove(path);
    return right > EXAMPLES * 9 / 10 ? NULL : tri_fail(TRI_INTERNAL, "nothing was learnt");
}

int main(void)
{
    static float x[EXAMPLES][FEATURES];
    static int32_t labels[EXAMPLES];
    training job = {0};
    make_points(x, labels);
    const tri_arrays arrays = {
        .type = TRI_F32, .shape = TRI_SHAPE(FEATURES), .examples = EXAMPLES, .x = x, .labels = labels, .class_names = names};
    tri_status status = prepare(&job, &arrays);
    if (!status)
        status = train(&job);
    if (!status)
        status = save_and_predict(&job, "circle.safetensors", x[0], labels);
    return training_end(&job, "arrays", status);
}
