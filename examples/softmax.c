/* softmax.c: softmax regression on drawn digits, on the public API alone. After `cmake --install`:
 *
 *   cc softmax.c $(pkg-config --cflags --libs trireme) -o softmax && ./softmax */
#include "training.h"

enum { BATCH = 100, EPOCHS = 3 };

/* Data, then a model that takes its shape from the data, then a place for its parameters, then a plan that joins them. */
static tri_status prepare(training *job)
{
    TRI_TRY(tri_source_open("digits:10000", TRI_PART_TRAIN, NULL, &job->source));
    TRI_TRY(tri_dataset_create(job->source, &(tri_dataset_options){.batch = BATCH, .seed = 1, .shuffle = TRI_SHUFFLE_ALL, .epochs = EPOCHS},
                               &job->dataset));
    const tri_model_input input = tri_model_input_of(tri_source_describe(job->source));
    TRI_TRY(tri_model_open("softmax", &job->model));
    TRI_TRY(tri_model_build(job->model, &input, BATCH, &job->graph));
    TRI_TRY(tri_store_local_create(tri_graph_parameter_floats(job->graph), &(tri_rule){.name = "sgd"}, &job->store));
    tri_graph_initialise(job->graph, 1, tri_store_parameters(job->store));
    return tri_plan_create(job->graph, &(tri_plan_options){.batch = BATCH, .training = true, .seed = 1}, job->store, &job->plan);
}

static tri_status train(training *job)
{
    TRI_TRY(prepare(job));
    const tri_batch *batch;
    for (int64_t step = 0;; step++) {
        TRI_TRY(tri_dataset_next(job->dataset, &batch));
        if (!batch)
            return tri_store_flush(job->store);
        double loss;
        TRI_TRY(tri_store_begin(job->store, &(tri_step){.step = step, .rate = 0.05f}));
        TRI_TRY(tri_plan_train(job->plan, batch, &loss));
        if (step % 50 == 0)
            printf("step %3d  loss %.4f\n", (int)step, loss / (double)batch->count);
    }
}

int main(void)
{
    training job = {0};
    return training_end(&job, "softmax", train(&job));
}
