/* trained_model_test.c: parameters go to a file and come back, and a trained model predicts, by the public calls. */
#include "trireme/trained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "train/evaluate/model_fixture.h"

static const char model_text[] = "input(scale=1/255)\ndense(classes, init=xavier)\nsoftmax_loss()\n";

static fixture make(uint64_t seed)
{
    fixture self = fixture_make("digits:60", model_text, NULL);
    tri_graph_initialise(self.graph, seed, tri_store_parameters(self.store));
    return self;
}

static void a_loaded_checkpoint_has_the_saved_parameters(void **state)
{
    char *path = test_path(*state, "mine.safetensors");
    fixture first = make(1), second = make(2);
    const size_t bytes = tri_store_floats(first.store) * sizeof(float);
    assert_ok(tri_checkpoint_save(path, first.model, first.graph, first.store, tri_source_describe(first.source)));
    assert_memory_not_equal(tri_store_parameters(first.store), tri_store_parameters(second.store), bytes);
    assert_ok(tri_checkpoint_load(path, second.graph, second.store));
    assert_memory_equal(tri_store_parameters(first.store), tri_store_parameters(second.store), bytes);
    assert_fails(tri_checkpoint_load("nowhere.safetensors", second.graph, second.store), TRI_NOT_FOUND, "nowhere");
    fixture_end(&first);
    fixture_end(&second);
    free(path);
}

/* As a plan of the same graph and parameters computes them, however many examples are asked for at once; a plan runs without labels. */
static void opened_model_predicts_what_its_parameters_give(void **state)
{
    enum { COUNT = 30, BATCH = 8 };
    char *path = test_path(*state, "other.safetensors");
    fixture self = make(3);
    static uint8_t x[COUNT + BATCH][28 * 28];
    static float probabilities[COUNT][10];
    int32_t labels[COUNT];
    int64_t records[COUNT];
    for (int64_t i = 0; i < COUNT; i++)
        records[i] = i;
    assert_ok(tri_source_read(self.source, records, COUNT, x, labels));
    assert_ok(tri_checkpoint_save(path, self.model, self.graph, self.store, tri_source_describe(self.source)));
    tri_trained *trained;
    assert_ok(tri_trained_open(path, BATCH, &trained));
    assert_int_equal(tri_trained_classes(trained), 10);
    assert_int_equal(tri_trained_input(trained)->type, TRI_U8);
    assert_string_equal(tri_trained_class(trained, 3), tri_source_describe(self.source)->class_names[3]);
    assert_null(tri_trained_class(trained, 10));
    assert_ok(tri_trained_predict(trained, x, COUNT, probabilities[0]));
    tri_plan *plan;
    assert_ok(tri_plan_create(tri_trained_graph(trained), &(tri_plan_options){.batch = BATCH}, tri_trained_store(trained), &plan));
    for (int first = 0; first < COUNT; first += BATCH) {
        tri_tensor logits;
        assert_ok(tri_plan_run(plan, &(tri_batch){.rows = BATCH, .count = BATCH, .type = TRI_U8, .x = x[first]}));
        assert_ok(tri_plan_value(plan, "logits", &logits));
        for (int i = 0; i < BATCH && first + i < COUNT; i++) {
            const float *row = (const float *)logits.data + i * 10;
            double sum = 0;
            for (int j = 0; j < 10; j++)
                sum += exp((double)row[j]);
            for (int j = 0; j < 10; j++)
                assert_float_equal(probabilities[first + i][j], exp((double)row[j]) / sum, 1e-5);
        }
    }
    tri_plan_destroy(plan);
    tri_trained_destroy(trained);
    fixture_end(&self);
    free(path);
}

/* By itself, the second table would number eel and dog from 0. */
static void examples_for_a_trained_model_keep_the_numbers_of_training(void **state)
{
    static const char first[] = "kind,answer\ncat,no\ndog,yes\neel,so\n", second[] = "kind,answer\neel,so\ndog,yes\n";
    char *trained_on = test_path(*state, "first.csv"), *other = test_path(*state, "second.csv"),
         *path = test_path(*state, "table.safetensors");
    test_write(trained_on, first, strlen(first));
    test_write(other, second, strlen(second));
    fixture self = fixture_make(trained_on, "input()\ndense(classes)\nsoftmax_loss()\n", NULL);
    assert_ok(tri_checkpoint_save(path, self.model, self.graph, self.store, tri_source_describe(self.source)));
    tri_trained *trained;
    tri_source *source;
    float seen[3][3], x[2][3];
    int32_t answers[3], labels[2];
    assert_ok(tri_source_read(self.source, (const int64_t[]){0, 1, 2}, 3, seen, answers));
    assert_ok(tri_trained_open(path, 0, &trained));
    assert_ok(tri_trained_source(trained, other, TRI_PART_TRAIN, &source));
    assert_string_equal(tri_source_describe(source)->columns, tri_trained_columns(trained));
    assert_ok(tri_source_read(source, (const int64_t[]){0, 1}, 2, x, labels));
    assert_memory_equal(x[0], seen[2], sizeof x[0]);
    assert_memory_equal(x[1], seen[1], sizeof x[1]);
    assert_true(labels[0] == answers[2] && labels[1] == answers[1]);
    tri_source_destroy(source);
    assert_fails(tri_trained_source(trained, "nowhere.csv", TRI_PART_TRAIN, &source), TRI_NOT_FOUND, "nowhere.csv");
    tri_trained_destroy(trained);
    fixture_end(&self);
    free(trained_on), free(other), free(path);
}

static void batch_without_labels_is_not_trained_on(void **state)
{
    (void)state;
    static const uint8_t x[8][28 * 28];
    fixture self = make(4);
    tri_plan *plan;
    double loss;
    assert_ok(tri_plan_create(self.graph, &(tri_plan_options){.batch = 8, .training = true}, self.store, &plan));
    assert_ok(tri_store_begin(self.store, &(tri_step){.step = 0, .rate = 0.1F}));
    assert_fails(tri_plan_train(plan, &(tri_batch){.rows = 8, .count = 8, .type = TRI_U8, .x = x}, &loss), TRI_BAD_CALL, "no labels");
    tri_plan_destroy(plan);
    fixture_end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loaded_checkpoint_has_the_saved_parameters),
        cmocka_unit_test(opened_model_predicts_what_its_parameters_give),
        cmocka_unit_test(examples_for_a_trained_model_keep_the_numbers_of_training),
        cmocka_unit_test(batch_without_labels_is_not_trained_on),
    };
    return cmocka_run_group_tests(tests, test_folder_set_up, test_folder_tear_down);
}
