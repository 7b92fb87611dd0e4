/* make_digits_test.c: drawn digits as IDX files: those of the source, whatever the threads. */
#include "data/fixture.h"
#include "data/make/make.h"
#include "data/source/source.h"

enum { COUNT = 1300, BYTES = 28 * 28 }; /* more than two blocks */

static void make(const char *out, int threads)
{
    const tri__make_kind *kind;
    tri__make_request request = {.out = out, .count = COUNT, .seed = 9};
    tri__make_result result;
    assert_ok(tri__make_find("digits", &kind));
    assert_ok(tri__pool_create(threads, &request.pool));
    assert_ok(tri__data_make(kind, &request, &result));
    tri__pool_destroy(request.pool);
    assert_int_equal(result.records, COUNT + COUNT / 6);
    assert_int_equal(result.files, 4);
    assert_int_equal(result.bytes, 2 * (16 + 8) + (COUNT + COUNT / 6) * (BYTES + 1));
}

static void made_idx_files_hold_the_digits_of_the_source(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *out[] = {test_path(folder, "one"), test_path(folder, "three")};
    for (int i = 0; i < 2; i++) {
        make(out[i], i == 0 ? 1 : 3);
        for (int part = 0; part < 2; part++) {
            tri_source *drawn, *files;
            assert_ok(tri_source_open("digits:1300", (tri_part)part, &(tri_source_options){.seed = 9}, &drawn));
            assert_ok(tri_source_open(out[i], (tri_part)part, NULL, &files));
            assert_int_equal(files->info.examples, drawn->info.examples);
            assert_int_equal(files->info.classes, 10);
            assert_memory_equal(files->resident_x, drawn->resident_x, (size_t)drawn->info.examples * BYTES);
            assert_memory_equal(files->resident_labels, drawn->resident_labels, (size_t)drawn->info.examples);
            tri_source_destroy(drawn);
            tri_source_destroy(files);
        }
        free(out[i]);
    }
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(made_idx_files_hold_the_digits_of_the_source)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
