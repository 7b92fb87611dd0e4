/* speed_test.c: the grid is whole, its order random, its averages right, and its files are there. */
#include "lab/speed/speed_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static tri__speed_request request_for(tri_source *source)
{
    return (tri__speed_request){
        .source = source, .batch = {{2, 4}, 2}, .batches = {{3, 6}, 2}, .workers = {{1, 2}, 2}, .repeat = 2, .seed = 1};
}

static tri_source *open_source(void)
{
    tri_source *source;
    assert_ok(tri_source_open("fake:4x4x3:5:20", TRI_PART_TRAIN, NULL, &source));
    return source;
}

static void a_speed_study_measures_every_combination(void **state)
{
    (void)state;
    for (int cache = 0; cache < 2; cache++) {
        tri_source *source = open_source();
        tri__speed_request request = request_for(source);
        request.cache = cache;
        tri__speed_result result;
        assert_ok(tri__speed_measure(&request, &result));
        assert_int_equal(result.count, 16);
        assert_int_equal(result.variables, 5);
        assert_int_equal(result.varied[4], TRI_SPEED_ITEMS);
        for (int64_t i = 0; i < result.count; i++) {
            const tri__speed_cell *cell = &result.cells[i];
            assert_int_equal(cell->value[TRI_SPEED_REPEAT], i % 2 + 1);
            int64_t asked = cell->value[TRI_SPEED_BATCH] * cell->value[TRI_SPEED_BATCHES];
            assert_int_equal(cell->value[TRI_SPEED_ITEMS], asked);
            assert_true(cell->seconds > 0 && cell->cpu_seconds >= 0);
            assert_int_equal(cell->items, asked); /* 24 of 20: the second epoch's first batch comes after five whole ones */
            assert_true(isfinite(cell->items_per_second) && cell->items_per_second > 0);
        }
        double mean = (tri__speed_mean(&result, TRI_SPEED_BATCH, 2) + tri__speed_mean(&result, TRI_SPEED_BATCH, 4)) / 2, sum = 0;
        for (int64_t i = 0; i < result.count; i++)
            sum += result.cells[i].items_per_second;
        assert_true(fabs(mean - sum / 16) < 1e-6 * mean);
        assert_true(isnan(tri__speed_mean(&result, TRI_SPEED_BATCH, 3)));
        /* The mean of two values is their average, so the slope is their difference by their distance. */
        double rise = tri__speed_mean(&result, TRI_SPEED_BATCH, 4) - tri__speed_mean(&result, TRI_SPEED_BATCH, 2);
        assert_true(fabs(result.alone[0].column[0].slope - rise / 2) < 1e-6 * mean);
        assert_int_equal(result.together.columns, 4);
        tri__speed_result_fini(&result);
        tri_source_destroy(source);
    }
}

static void parts_of_a_combination_are_all_of_it(void **state)
{
    (void)state;
    tri_source *source;
    int64_t items[16] = {0};
    assert_ok(tri_source_open("fake:4x4x3:5:24", TRI_PART_TRAIN, NULL, &source));
    for (int part = 0; part < 3; part++) {
        tri__speed_request request = request_for(source);
        request.part = part;
        request.parts = 3;
        tri__speed_result result;
        assert_ok(tri__speed_measure(&request, &result));
        for (int64_t i = 0; i < result.count; i++)
            items[i] += result.cells[i].items;
        if (part == 2)
            for (int64_t i = 0; i < result.count; i++)
                assert_int_equal(items[i], result.cells[i].value[TRI_SPEED_ITEMS]);
        tri__speed_result_fini(&result);
    }
    tri_source_destroy(source);
}

/* Others measure all repetitions of a combination at once, every combination once. */
static tri_status pretend(void *others, tri__speed_cell *cells)
{
    *(int *)others += 1;
    for (int64_t i = 0; i < 2; i++) {
        assert_int_equal(cells[i].value[TRI_SPEED_REPEAT], i + 1);
        cells[i].items = cells[i].value[TRI_SPEED_ITEMS];
        cells[i].items_per_second = (double)(100 + cells[i].items);
    }
    return NULL;
}

static void caller_may_measure_and_items_are_fitted(void **state)
{
    (void)state;
    int turns = 0;
    tri__speed_request request = request_for(NULL);
    request.measure = pretend;
    request.others = &turns;
    tri__speed_result result;
    assert_ok(tri__speed_measure(&request, &result));
    assert_int_equal(turns, 8);
    assert_float_equal(result.alone[4].column[0].slope, 1, 1e-6);
    assert_float_equal(result.alone[4].intercept, 100, 1e-3);
    assert_float_equal(tri__speed_mean(&result, TRI_SPEED_ITEMS, 12), 112, 1e-3);
    tri__speed_result_fini(&result);
}

static void a_speed_study_of_one_combination_fits_nothing(void **state)
{
    (void)state;
    tri_source *source = open_source();
    tri__speed_request request = {.source = source, .batch = {{2}, 1}, .batches = {{3}, 1}, .workers = {{0}, 1}, .repeat = 1};
    tri__speed_result result;
    assert_ok(tri__speed_measure(&request, &result));
    assert_int_equal(result.count, 1);
    assert_int_equal(result.variables, 0);
    assert_int_equal(result.together.columns, 0);
    tri__speed_result_fini(&result);
    tri_source_destroy(source);
}

static void a_speed_study_writes_csv_and_svg(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *out = test_path(folder, "new/folder"), *csv = test_path(out, "speed.csv"),
         *svg = test_path(out, "speed.svg");
    tri_source *source = open_source();
    tri__speed_request request = request_for(source);
    tri__speed_result result;
    assert_ok(tri__speed_measure(&request, &result));
    assert_ok(tri__speed_write(&result, out, "a title"));
    char *text = test_read(csv, NULL), *picture = test_read(svg, NULL);
    assert_memory_equal(text, "batch,batches,items,repetition,items_per_second,workers,seconds,cpu_seconds\n2,3,6,1,", 83);
    assert_non_null(strstr(picture, "class=\"line\""));
    assert_non_null(strstr(picture, "a title"));
    free(text);
    free(picture);
    tri__speed_result_fini(&result);
    tri_source_destroy(source);
    free(csv);
    free(svg);
    free(out);
    test_folder_remove(folder);
}

static void a_speed_study_can_be_stopped(void **state)
{
    (void)state;
    tri_source *source = open_source();
    tri__speed_request request = request_for(source);
    request.stop = &(volatile sig_atomic_t){1};
    tri__speed_result result;
    assert_fails(tri__speed_measure(&request, &result), TRI_STOPPED, NULL);
    tri_source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_speed_study_measures_every_combination), cmocka_unit_test(a_speed_study_of_one_combination_fits_nothing),
        cmocka_unit_test(parts_of_a_combination_are_all_of_it),     cmocka_unit_test(caller_may_measure_and_items_are_fitted),
        cmocka_unit_test(a_speed_study_writes_csv_and_svg),         cmocka_unit_test(a_speed_study_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
