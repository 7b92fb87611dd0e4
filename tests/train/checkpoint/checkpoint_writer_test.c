/* checkpoint_writer_test.c: what is written is what was there when writing began, whatever happens to the parameters meanwhile. */
#include "train/checkpoint/checkpoint_writer.h"

#include <stdlib.h>

#include "graph/store/row_keeper.h"
#include "graph/store/store.h"
#include "support.h"
#include "train/checkpoint/checkpoint_read.h"
#include "train/checkpoint/checkpoint_restore.h"

static void the_writer_saves_the_parameters_as_they_were_when_it_began(void **state)
{
    const char *here = *state;
    static const char text[] = "input()\ndense(classes)\nsoftmax_loss()\n";
    tri_model *model;
    tri_graph *graph;
    tri_store *store;
    tri__checkpoint_writer *writer;
    tri__train_options options;
    tri__train_options_init(&options);
    const tri_model_input input = {.type = TRI_F32, .shape = {1, {4}}, .classes = 3};
    const tri_source_info source = {.spec = "x", .format = "fake", .type = TRI_F32, .shape = {1, {4}}, .classes = 3};
    assert_ok(tri_model_parse("small", text, sizeof text - 1, &model));
    assert_ok(tri_model_build(model, &input, 2, &graph));
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(graph), &(tri_rule){.name = "momentum"}, &store));
    assert_ok(tri__checkpoint_writer_create(store, &writer));
    tri__run_state at = {.step = 7, .position = 14};
    const int64_t damaged[] = {3};
    const tri__checkpoint_content content = {.model = model,
                                             .graph = graph,
                                             .store = store,
                                             .source = &source,
                                             .options = &options,
                                             .state = &at,
                                             .damaged = damaged,
                                             .damaged_count = 1};
    tri_store_parameters(store)[0] = 5;
    tri_store_slot(store, 0)[0] = 6;
    assert_ok(tri__checkpoint_writer_begin(writer, here, &content, 2));
    tri_store_parameters(store)[0] = tri_store_slot(store, 0)[0] = -1;
    at.step = 8;
    char *path, *none;
    int64_t step;
    assert_ok(tri__checkpoint_writer_end(writer, &path, &step));
    assert_int_equal(step, 7);
    assert_ok(tri__checkpoint_writer_end(writer, &none, &step));
    assert_null(none);
    tri__checkpoint *read;
    assert_ok(tri__checkpoint_open(path, NULL, &read));
    assert_int_equal(read->state.step, 7);
    assert_int_equal(read->damaged_count, 1);
    assert_ok(tri__checkpoint_restore(read, graph, store, true));
    assert_true(tri_store_parameters(store)[0] == 5 && tri_store_slot(store, 0)[0] == 6);
    tri__checkpoint_close(read);
    free(path);
    assert_ok(tri__checkpoint_writer_begin(writer, "/nowhere/at/all", &content, 2));
    assert_fails(tri__checkpoint_writer_end(writer, &path, &step), TRI_NOT_FOUND, NULL);
    tri__checkpoint_writer_destroy(writer);
    tri_store_destroy(store);
    tri_graph_destroy(graph);
    tri_model_destroy(model);
    tri__train_options_fini(&options);
}

/* Rows that are touched before they change are written as they were; others may not change. */
static void the_writer_saves_tables_as_they_were_without_a_copy(void **state)
{
    static const char text[] = "sparse()\ndense(1, init=zero)\nlogistic_loss()\n";
    enum { ROWS = 30000 };
    tri_model *model;
    tri_graph *graph;
    tri_store *store;
    tri__checkpoint_writer *writer;
    tri__train_options options;
    tri__train_options_init(&options);
    const tri_model_input input = {.type = TRI_F32, .shape = {1, {ROWS}}, .classes = 2};
    const tri_source_info source = {.spec = "x", .format = "fake", .type = TRI_F32, .shape = {1, {ROWS}}, .classes = 2, .width = 3};
    assert_ok(tri_model_parse("small", text, sizeof text - 1, &model));
    assert_ok(tri_model_build(model, &input, 2, &graph));
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(graph), &(tri_rule){.name = "adagrad"}, &store));
    assert_ok(tri_store_add_table(store, ROWS, 1));
    const tri_table *table = tri_store_table(store, 0);
    for (int64_t i = 0; i < ROWS; i++)
        table->data[i * table->stride] = table->data[i * table->stride + 1] = (float)i;
    assert_true(tri__checkpoint_writer_takes(store));
    assert_ok(tri__checkpoint_writer_create(store, &writer));
    for (int nonzero = 0; nonzero < 2; nonzero++) {
        const tri__run_state at = {.step = 7 + nonzero};
        const tri__checkpoint_content content = {
            .model = model, .graph = graph, .store = store, .source = &source, .options = &options, .state = &at, .nonzero_rows = nonzero};
        assert_ok(tri__checkpoint_writer_begin(writer, *state, &content, 9));
        assert_non_null(store->keeper[0]);
        for (int32_t i = ROWS - 1; i >= 0; i -= 3) {
            tri__row_keeper_touch(store->keeper[0], &i, 1);
            table->data[i * table->stride] = table->data[i * table->stride + 1] = -1;
        }
        char *path;
        int64_t step;
        assert_ok(tri__checkpoint_writer_end(writer, &path, &step));
        assert_null(store->keeper[0]);
        tri__checkpoint *read;
        assert_ok(tri__checkpoint_open(path, NULL, &read));
        assert_ok(tri__checkpoint_restore(read, graph, store, true));
        for (int64_t i = 0; i < ROWS; i++)
            assert_true(table->data[i * table->stride] == (float)i && table->data[i * table->stride + 1] == (float)i);
        tri__checkpoint_close(read);
        free(path);
    }
    tri__checkpoint_writer_destroy(writer);
    tri_store_destroy(store);
    tri_graph_destroy(graph);
    tri_model_destroy(model);
    tri__train_options_fini(&options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(the_writer_saves_the_parameters_as_they_were_when_it_began),
        FOLDER_TEST(the_writer_saves_tables_as_they_were_without_a_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
