/* checkpoint_test.c: what is written comes back, damage is found, and an older checkpoint takes its place. */
#define _GNU_SOURCE /* memmem */
#include "train/checkpoint/checkpoint_read.h"
#include "train/checkpoint/checkpoint_restore.h"
#include "train/checkpoint/initial_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "graph/store/store.h"
#include "support.h"
#include "train/checkpoint/checkpoint_file.h"

static const char model_text[] = "input(scale=1/255)\ndense(classes)\nsoftmax_loss()\n";
static const char *const class_names[] = {"cat", "dog", "eel"};

/* A model, its store and a state, as a run has them. */
typedef struct {
    char *folder;
    tri_model *model;
    tri_graph *graph;
    tri_store *store;
    tri_source_info source;
    tri__train_options options;
    tri__run_state state;
} fixture;

static int set_up(void **state)
{
    fixture *here = calloc(1, sizeof *here);
    here->folder = test_folder_create();
    here->source = (tri_source_info){.type = TRI_U8, .shape = TRI_SHAPE(4, 4, 1), .classes = 3, .class_names = class_names};
    const tri_model_input input = {.type = TRI_U8, .shape = here->source.shape, .classes = 3};
    assert_ok(tri_model_parse("tiny.model", model_text, strlen(model_text), &here->model));
    assert_ok(tri_model_build(here->model, &input, 2, &here->graph));
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(here->graph), &(tri_rule){.name = "momentum"}, &here->store));
    for (size_t i = 0; i < tri_store_floats(here->store); i++) {
        tri_store_parameters(here->store)[i] = (float)i;
        tri_store_slot(here->store, 0)[i] = -(float)i;
    }
    tri__train_options_init(&here->options);
    here->state = (tri__run_state){.step = 10, .examples = 20, .position = 20, .seconds = 1.5, .best_loss = NAN};
    tri__recent_add(&here->state.recent, 0.1);
    *state = here;
    return 0;
}

static int tear_down(void **state)
{
    fixture *here = *state;
    tri__train_options_fini(&here->options);
    tri_store_destroy(here->store);
    tri_graph_destroy(here->graph);
    tri_model_destroy(here->model);
    test_folder_remove(here->folder);
    free(here);
    return 0;
}

static tri_status save(fixture *here, int64_t step, int64_t keep)
{
    here->state.step = step;
    static const int64_t damaged[] = {3, 17};
    const tri__checkpoint_content content = {here->model,  here->graph, here->store, &here->source, &here->options,
                                             &here->state, damaged,     2,           NULL,          false};
    char *path;
    TRI_TRY(tri__checkpoint_save(here->folder, &content, keep, &path));
    free(path);
    return NULL;
}

static void a_checkpoint_that_was_written_can_be_read(void **state)
{
    fixture *here = *state;
    assert_ok(save(here, 10, 3));
    tri__checkpoint *back;
    assert_ok(tri__checkpoint_open(here->folder, NULL, &back));
    assert_string_equal(back->model_text, model_text);
    assert_string_equal(back->model_name, "tiny");
    assert_string_equal(back->class_names[2], "eel");
    assert_true(tri_shape_equal(back->input.shape, here->source.shape));
    assert_int_equal(back->input.type, TRI_U8);
    assert_int_equal(back->state.position, 20);
    assert_int_equal(back->damaged_count, 2);
    assert_int_equal(back->damaged[1], 17);
    assert_true(back->state.seconds == 1.5 && isnan(back->state.best_loss));
    assert_true(tri__recent_mean(&back->state.recent) == 0.1);
    size_t bytes = tri_store_floats(here->store) * sizeof(float);
    float *before = malloc(bytes), *slot = malloc(bytes);
    memcpy(before, tri_store_parameters(here->store), bytes);
    memcpy(slot, tri_store_slot(here->store, 0), bytes);
    memset(tri_store_parameters(here->store), 0, bytes);
    memset(tri_store_slot(here->store, 0), 0, bytes);
    assert_ok(tri__checkpoint_restore(back, here->graph, here->store, true));
    for (int i = 0; i < tri_graph_count(here->graph); i++) {
        tri_range range = tri_node_range(tri_graph_node(here->graph, i));
        assert_memory_equal(tri_store_parameters(here->store) + range.first, before + range.first, range.count * sizeof(float));
        assert_memory_equal(tri_store_slot(here->store, 0) + range.first, slot + range.first, range.count * sizeof(float));
    }
    free(before);
    free(slot);
    tri__checkpoint_close(back);
}

static void averages_have_the_parameters_names_and_training_goes_on_from_the_raw_weights(void **state)
{
    fixture *here = *state;
    const size_t floats = tri_graph_parameter_floats(here->graph);
    tri_store_destroy(here->store);
    assert_ok(tri_store_local_create(floats, &(tri_rule){.name = "momentum", .average = 0.9F}, &here->store));
    float *const buffer[] = {tri_store_parameters(here->store), tri_store_slot(here->store, 0), tri_store_slot(here->store, 1)};
    assert_ptr_equal(tri__store_evaluated(here->store), buffer[2]);
    for (size_t i = 0; i < 3 * floats; i++)
        buffer[i / floats][i % floats] = (float)(1 + i / floats);
    assert_ok(save(here, 10, 3));
    for (int i = 0; i < 3; i++)
        memset(buffer[i], 0, floats * sizeof(float));
    tri__checkpoint *back;
    assert_ok(tri__checkpoint_open(here->folder, NULL, &back));
    assert_ok(tri__checkpoint_restore(back, here->graph, here->store, true)); /* to go on */
    assert_true(buffer[0][0] == 1 && buffer[1][0] == 2 && buffer[2][0] == 3);
    tri_tensor raw;
    assert_ok(tri__safetensors_find(back->file, "raw/dense1.bias", TRI_F32, TRI_SHAPE(3), &raw));
    assert_true(*(const float *)raw.data == 1);
    tri_store *plain;
    assert_ok(tri_store_local_create(floats, &(tri_rule){0}, &plain));
    assert_ok(tri__checkpoint_restore(back, here->graph, plain, false)); /* to evaluate */
    assert_true(tri_store_parameters(plain)[0] == 3);
    tri_store_destroy(plain);
    tri__checkpoint_close(back);
}

static char *path_of(const fixture *here, int step)
{
    char name[64];
    snprintf(name, sizeof name, "step-%08d.safetensors", step);
    return test_path(here->folder, name);
}

/* Opening the folder must give the checkpoint of that step. */
static void expect_step(const fixture *here, int64_t step)
{
    tri__checkpoint *back;
    assert_ok(tri__checkpoint_open(here->folder, NULL, &back));
    assert_int_equal(back->state.step, step);
    tri__checkpoint_close(back);
}

static void a_damaged_checkpoint_is_replaced_by_an_older_one(void **state)
{
    fixture *here = *state;
    assert_ok(save(here, 10, 3));
    assert_ok(save(here, 20, 3));
    char *newest = path_of(here, 20);
    size_t size;
    char *bytes = test_read(newest, &size);
    assert_int_equal(truncate(newest, (off_t)size - 7), 0);
    expect_step(here, 10);
    bytes[size - 5] ^= 1; /* one bit of a tensor */
    test_write(newest, bytes, size);
    expect_step(here, 10);
    tri__checkpoint *back;
    assert_fails(tri__checkpoint_open(newest, NULL, &back), TRI_BAD_DATA, "checksum does not match");
    assert_int_equal(truncate(newest, 3), 0);
    expect_step(here, 10);
    bytes[size - 5] ^= 1;
    test_write(newest, bytes, size);
    expect_step(here, 20);
    free(bytes);
    free(newest);
}

static void a_run_whose_only_checkpoint_is_cut_says_what_to_do(void **state)
{
    fixture *here = *state;
    tri__checkpoint *back;
    assert_ok(save(here, 10, 3));
    char *only = path_of(here, 10);
    assert_int_equal(truncate(only, 100), 0);
    assert_fails(tri__checkpoint_open(here->folder, NULL, &back), TRI_BAD_DATA, "or train again: the run's file 'command' has the line");
    free(only);
}

/* A bit of what describes the run: the step, an option's value, the model's text. */
static void damage_in_the_description_of_a_checkpoint_is_found(void **state)
{
    fixture *here = *state;
    bool known;
    assert_ok(tri__train_options_set(&here->options, "rate", "0.125", &known));
    assert_ok(save(here, 10, 3));
    char *path = path_of(here, 10);
    size_t size;
    char *bytes = test_read(path, &size);
    static const char *const places[] = {"step\\\":10", "rate\\\":0.125", "scale=1/255"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *digit = (char *)memmem(bytes, size, places[i], strlen(places[i])) + strlen(places[i]) - 1;
        *digit ^= 2;
        test_write(path, bytes, size);
        tri__checkpoint *back;
        assert_fails(tri__checkpoint_open(path, NULL, &back), TRI_BAD_DATA, "checksum does not match");
        *digit ^= 2;
    }
    free(bytes);
    free(path);
}

/* A bit of the name of any parameter, or of any slot of its rule. */
static void a_checkpoint_with_a_damaged_tensor_name_is_replaced_by_an_older_one(void **state)
{
    fixture *here = *state;
    assert_ok(save(here, 10, 3));
    assert_ok(save(here, 20, 3));
    char *newest = path_of(here, 20);
    size_t size;
    char *bytes = test_read(newest, &size);
    tri__safetensors *file;
    assert_ok(tri__safetensors_parse("whole", (const uint8_t *)bytes, size, &file));
    for (size_t i = 0; i < tri__safetensors_count(file); i++) {
        char quoted[128];
        snprintf(quoted, sizeof quoted, "\"%s\":{\"dtype\"", tri__safetensors_at(file, i)->name);
        char *name = memmem(bytes, size, quoted, strlen(quoted));
        assert_non_null(name);
        name[1] ^= 2;
        test_write(newest, bytes, size);
        expect_step(here, 10);
        name[1] ^= 2;
    }
    tri__safetensors_close(file);
    test_write(newest, bytes, size);
    expect_step(here, 20);
    free(bytes);
    free(newest);
}

/* Version 1 had a checksum over the tensors' data alone. */
static void checkpoint_of_version_1_is_read(void **state)
{
    fixture *here = *state;
    assert_ok(save(here, 10, 3));
    char *path = path_of(here, 10), sum_text[TRI_CHECKPOINT_DIGITS];
    size_t size;
    char *bytes = test_read(path, &size);
    tri__safetensors *file;
    assert_ok(tri__safetensors_parse("version 2", (const uint8_t *)bytes, size, &file));
    char *about = strdup(tri__safetensors_metadata(file, TRI_CHECKPOINT_ABOUT));
    strstr(about, "version\":2")[9] = '1';
    uint32_t sum = 0;
    for (size_t i = 0; i < tri__safetensors_count(file); i++)
        sum = tri__checkpoint_sum(sum, tri__safetensors_at(file, i), 1);
    tri__checkpoint_sum_end(sum, about, tri__safetensors_metadata(file, TRI_CHECKPOINT_MODEL), sum_text);
    const char *before = tri__safetensors_metadata(file, TRI_CHECKPOINT_SUM);
    memcpy(memmem(bytes, size, before, strlen(before)), sum_text, strlen(sum_text));
    ((char *)memmem(bytes, size, "version\\\":2", 11))[10] = '1';
    tri__safetensors_close(file);
    test_write(path, bytes, size);
    expect_step(here, 10);
    free(about);
    free(bytes);
    free(path);
}

static void a_checkpoint_with_negative_counts_is_refused(void **state)
{
    fixture *here = *state;
    here->state.examples = -1;
    assert_ok(save(here, 10, 3));
    tri__checkpoint *back;
    assert_fails(tri__checkpoint_open(here->folder, NULL, &back), TRI_BAD_DATA, "its state makes no sense");
}

static void a_folder_without_a_whole_checkpoint_is_refused(void **state)
{
    fixture *here = *state;
    tri__checkpoint *back;
    assert_fails(tri__checkpoint_open(here->folder, NULL, &back), TRI_NOT_FOUND, "no checkpoint in it");
    char *path = path_of(here, 5);
    test_write(path, "junk", 4);
    assert_fails(tri__checkpoint_open(here->folder, NULL, &back), TRI_BAD_DATA, "step-00000005");
    assert_null(back);
    free(path);
}

static void saving_removes_older_checkpoints_and_leaves_later_ones(void **state)
{
    fixture *here = *state;
    const int steps[] = {1, 2, 3, 9};
    for (size_t i = 0; i < 4; i++)
        assert_ok(save(here, steps[i], 9));
    assert_ok(save(here, 4, 2)); /* a run that was resumed before step 9 */
    char **names;
    size_t count;
    assert_ok(tri__folder_list(here->folder, &names, &count));
    assert_int_equal(count, 3);
    assert_string_equal(names[0], "step-00000003.safetensors");
    assert_string_equal(names[1], "step-00000004.safetensors");
    assert_string_equal(names[2], "step-00000009.safetensors");
    tri__folder_free(names, count);
}

static void parameters_that_are_not_numbers_are_not_saved(void **state)
{
    fixture *here = *state;
    assert_ok(save(here, 10, 3));
    tri_store_parameters(here->store)[3] = NAN;
    assert_fails(save(here, 20, 3), TRI_DIVERGED, "has become nan");
    expect_step(here, 10);
}

static void a_checkpoint_of_another_model_is_refused(void **state)
{
    fixture *here = *state;
    assert_ok(save(here, 10, 3));
    const tri_model_input input = {.type = TRI_U8, .shape = TRI_SHAPE(5, 5, 1), .classes = 3};
    tri_graph *graph;
    tri_store *store;
    assert_ok(tri_model_build(here->model, &input, 2, &graph));
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(graph), &(tri_rule){.name = "sgd"}, &store));
    assert_fails(tri__initial_weights_load(here->folder, NULL, NULL, NULL, graph, store), TRI_BAD_DATA, "--init");
    tri_store_destroy(store);
    tri_graph_destroy(graph);
}

#define CHECKPOINT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECKPOINT_TEST(a_checkpoint_that_was_written_can_be_read),
        CHECKPOINT_TEST(averages_have_the_parameters_names_and_training_goes_on_from_the_raw_weights),
        CHECKPOINT_TEST(a_damaged_checkpoint_is_replaced_by_an_older_one),
        CHECKPOINT_TEST(a_run_whose_only_checkpoint_is_cut_says_what_to_do),
        CHECKPOINT_TEST(a_folder_without_a_whole_checkpoint_is_refused),
        CHECKPOINT_TEST(saving_removes_older_checkpoints_and_leaves_later_ones),
        CHECKPOINT_TEST(parameters_that_are_not_numbers_are_not_saved),
        CHECKPOINT_TEST(a_checkpoint_of_another_model_is_refused),
        CHECKPOINT_TEST(damage_in_the_description_of_a_checkpoint_is_found),
        CHECKPOINT_TEST(a_checkpoint_with_negative_counts_is_refused),
        CHECKPOINT_TEST(a_checkpoint_with_a_damaged_tensor_name_is_replaced_by_an_older_one),
        CHECKPOINT_TEST(checkpoint_of_version_1_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
