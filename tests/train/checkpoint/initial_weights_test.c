/* initial_weights_test.c: weights of other files are taken as far as they fit. */
#include "train/checkpoint/initial_weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "tensor/safetensors.h"
#include "trireme/model.h"

/* dense1.weight [2][3], dense1.bias [2], dense2.weight [4][2], dense2.bias [4] */
typedef struct {
    tri__log log; /* first: what it is given as tells which fixture it is of */
    char *folder, *path;
    tri_model *model;
    tri_graph *graph;
    tri_store *store;
    char said[600];
} fixture;

static void listen(tri__log *log, tri__log_level level, const char *line)
{
    fixture *here = (fixture *)(void *)log;
    (void)level;
    snprintf(here->said, sizeof here->said, "%s", line);
}

static int set_up(void **state)
{
    fixture *here = calloc(1, sizeof *here);
    const tri_model_input input = {.type = TRI_F32, .shape = TRI_SHAPE(3), .classes = 4};
    here->folder = test_folder_create();
    here->path = test_path(here->folder, "w.safetensors");
    static const char text[] = "input()\ndense(2)\nrelu()\ndense(classes)\nsoftmax_loss()\n";
    assert_ok(tri_model_parse("m.model", text, strlen(text), &here->model));
    assert_ok(tri_model_build(here->model, &input, 1, &here->graph));
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(here->graph), &(tri_rule){.name = "sgd"}, &here->store));
    here->log = (tri__log){.least = TRI_LOG_INFO, .write = listen};
    *state = here;
    return 0;
}

static int tear_down(void **state)
{
    fixture *here = *state;
    tri_store_destroy(here->store);
    tri_graph_destroy(here->graph);
    tri_model_destroy(here->model);
    free(here->path);
    test_folder_remove(here->folder);
    free(here);
    return 0;
}

static const float six[] = {1, 2, 3, 4, 5, 6}, two[] = {7, 8};

/* A file with one layer of [2][3] and its bias, under that name, and with something else. */
static void write_layer(const fixture *here, const char *layer)
{
    char weight[64], bias[64];
    snprintf(weight, sizeof weight, "%s.weight", layer);
    snprintf(bias, sizeof bias, "%s.bias", layer);
    const tri__named_tensor tensors[] = {
        {.name = weight, .tensor = {TRI_F32, TRI_SHAPE(2, 3), (float *)six}},
        {.name = bias, .tensor = {TRI_F32, TRI_SHAPE(2), (float *)two}},
        {.name = "dense2.bias", .tensor = {TRI_F32, TRI_SHAPE(2), (float *)two}},
    };
    assert_ok(tri__safetensors_write(here->path, tensors, 3, NULL, 0));
}

static tri_status load(fixture *here, const char *names)
{
    return tri__initial_weights_load(here->path, names, &here->log, NULL, here->graph, here->store);
}

static const float *values(const fixture *here, const char *name)
{
    return tri_store_parameters(here->store) + tri_node_range(tri_graph_find(here->graph, name)).first;
}

static void what_fits_is_taken_and_the_rest_is_named(void **state)
{
    fixture *here = *state;
    write_layer(here, "dense1");
    assert_ok(load(here, NULL));
    assert_memory_equal(values(here, "dense1.weight"), six, sizeof six);
    assert_memory_equal(values(here, "dense1.bias"), two, sizeof two);
    assert_non_null(strstr(here->said, "took 2 of 4 parameters"));
    assert_non_null(strstr(here->said, "dense2.weight (no 'dense2.weight' there), dense2.bias (4 here, f32 2 there)"));
}

static void layers_of_other_names_are_found_by_a_list(void **state)
{
    fixture *here = *state;
    write_layer(here, "classifier.fc1");
    assert_fails(load(here, NULL), TRI_BAD_DATA, "no weight of the model is there");
    assert_ok(load(here, "dense1=classifier.fc1"));
    assert_memory_equal(values(here, "dense1.weight"), six, sizeof six);
    assert_ok(load(here, "dense2=other,dense1=classifier.fc1"));
}

static void lists_that_make_no_sense_are_refused(void **state)
{
    fixture *here = *state;
    write_layer(here, "dense1");
    assert_fails(load(here, "dense1"), TRI_BAD_CALL, "expected LAYER=NAME");
    assert_fails(load(here, "dense1=a,,"), TRI_BAD_CALL, "expected LAYER=NAME");
    assert_fails(load(here, "dense3=a"), TRI_BAD_CALL, "the model has no layer 'dense3'");
    assert_fails(load(here, "dense1=a,dense1=b"), TRI_BAD_CALL, "'dense1' is there twice");
    assert_fails(load(here, "dense=a"), TRI_BAD_CALL, "the model has no layer 'dense'");
}

/* A bias of the right size alone may well be another model's. */
static void a_file_without_any_weight_of_the_model_is_refused(void **state)
{
    fixture *here = *state;
    const tri__named_tensor bias = {.name = "dense1.bias", .tensor = {TRI_F32, TRI_SHAPE(2), (float *)two}};
    assert_ok(tri__safetensors_write(here->path, &bias, 1, NULL, 0));
    assert_fails(load(here, NULL), TRI_BAD_DATA, "no weight of the model is there with its name and shape: dense1.weight");
}

#define WEIGHTS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WEIGHTS_TEST(what_fits_is_taken_and_the_rest_is_named),
        WEIGHTS_TEST(layers_of_other_names_are_found_by_a_list),
        WEIGHTS_TEST(lists_that_make_no_sense_are_refused),
        WEIGHTS_TEST(a_file_without_any_weight_of_the_model_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
