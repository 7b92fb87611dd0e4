/* make_clicks_test.c: click records as files: in every format they are those of the source, and the same bytes whatever the threads. */
#include "data/make/clicks.h"

#include <stdio.h>

#include "base/file/folder.h"
#include "data/fixture.h"
#include "data/make/make.h"

enum { COUNT = 500, FEATURES = 3000 };

static tri_status make(const char *out, const char *format, int64_t partitions, int threads, tri__make_result *result)
{
    const tri__make_kind *kind;
    tri__make_request request = {.out = out, .count = COUNT, .features = FEATURES, .partitions = partitions, .format = format, .seed = 4};
    assert_ok(tri__make_find("clicks", &kind));
    assert_ok(tri__pool_create(threads, &request.pool));
    tri_status status = tri__data_make(kind, &request, result);
    tri__pool_destroy(request.pool);
    return status;
}

/* The sum of an example's values, by key; and its label. */
static int32_t read_example(tri_source *source, int64_t record, float sums[FEATURES])
{
    int32_t keys[TRI_CRITEO_FIELDS], label;
    float values[TRI_CRITEO_FIELDS];
    int64_t count = 0;
    tri__reader *reader;
    assert_true(source->info.width <= TRI_CRITEO_FIELDS);
    assert_ok(tri__reader_create(source, &reader));
    assert_ok(source->kind->read(reader, record, &(tri__example_target){.keys = keys, .values = values, .count = &count, .label = &label}));
    tri__reader_destroy(reader);
    memset(sums, 0, FEATURES * sizeof *sums);
    for (int64_t i = 0; i < count; i++)
        sums[keys[i]] += values[i];
    return label;
}

static void compare(const char *folder, tri_part part)
{
    tri_source *made, *files;
    char spec[64];
    snprintf(spec, sizeof spec, "clicks:%d:%d", FEATURES, COUNT);
    assert_ok(tri_source_open(spec, part, &(tri_source_options){.seed = 4}, &made));
    assert_ok(tri_source_open(folder, part, &(tri_source_options){.features = FEATURES}, &files));
    assert_int_equal(files->info.examples, made->info.examples);
    assert_int_equal(files->info.shape.dim[0], FEATURES);
    for (int64_t i = 0; i < made->info.examples; i++) {
        float sums[2][FEATURES];
        assert_int_equal(read_example(made, i, sums[0]), read_example(files, i, sums[1]));
        assert_memory_equal(sums[0], sums[1], sizeof *sums);
    }
    tri_source_destroy(made);
    tri_source_destroy(files);
}

static void every_format_of_made_clicks_holds_the_clicks_of_the_source(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    static const char *const formats[] = {"criteo", "libsvm", "tfrecord"};
    for (int i = 0; i < 3; i++) {
        char *out = test_path(folder, formats[i]);
        tri__make_result result;
        assert_ok(make(out, formats[i], 3, 2, &result));
        assert_int_equal(result.records, COUNT + COUNT / 6);
        assert_int_equal(result.files, 4);
        assert_true(result.bytes > 100 * COUNT);
        compare(out, TRI_PART_TRAIN);
        compare(out, TRI_PART_TEST);
        free(out);
    }
    test_folder_remove(folder);
}

/* All bytes of a folder's files and their names, one after another. */
static char *bytes_of(const char *folder, size_t *size)
{
    char **names, *all = NULL;
    size_t count;
    *size = 0;
    assert_ok(tri__folder_list(folder, &names, &count));
    for (size_t i = 0; i < count; i++) {
        size_t more, length = strlen(names[i]);
        char *path = test_path(folder, names[i]), *bytes = test_read(path, &more);
        all = realloc(all, *size + length + more);
        assert_non_null(all);
        memcpy(all + *size, names[i], length);
        memcpy(all + *size + length, bytes, more);
        *size += length + more;
        free(bytes);
        free(path);
    }
    tri__folder_free(names, count);
    return all;
}

static void the_number_of_threads_changes_no_byte_of_made_clicks(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    static const char *const formats[] = {"criteo", "libsvm", "tfrecord"};
    for (int i = 0; i < 3; i++) {
        char *all[2];
        size_t size[2];
        for (int j = 0; j < 2; j++) {
            char name[32];
            snprintf(name, sizeof name, "%s-%d", formats[i], j);
            char *out = test_path(folder, name);
            tri__make_result result;
            assert_ok(make(out, formats[i], 7, j == 0 ? 1 : 4, &result));
            all[j] = bytes_of(out, &size[j]);
            free(out);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(all[0], all[1], size[0]);
        free(all[0]);
        free(all[1]);
    }
    test_folder_remove(folder);
}

/* Indices increase from line to line as the format wants it, though fields may fall on one feature. */
static void libsvm_indices_of_made_clicks_increase_in_a_line(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *out = test_path(folder, "out");
    tri__make_result result;
    assert_ok(make(out, "libsvm", 1, 1, &result));
    char *path = test_path(out, "train-00000-of-00001.libsvm"), *text = test_read(path, NULL);
    int lines = 0, twice = 0;
    for (char *line = text; *line; lines++) {
        char *next = strchr(line, '\n') + 1;
        int32_t last = 0, key, value, used;
        line += 1;
        for (; sscanf(line, " %d:%d%n", &key, &value, &used) == 2 && line < next - 1; line += used) {
            assert_true(key > last && key <= FEATURES);
            twice += value == 2;
            last = key;
        }
        line = next;
    }
    assert_int_equal(lines, COUNT);
    assert_true(twice > 0);
    free(text);
    free(path);
    free(out);
    test_folder_remove(folder);
}

static void an_impossible_request_for_clicks_is_refused(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *out = test_path(folder, "out");
    tri__make_result result;
    assert_fails(make(out, "csv", 1, 1, &result), TRI_BAD_CALL, "tfrecord, libsvm or criteo");
    assert_fails(make(out, "libsvm", COUNT + 1, 1, &result), TRI_BAD_CALL, "--partitions 501");
    assert_false(tri__folder_exists(out));
    assert_ok(make(out, "libsvm", 1, 1, &result));
    assert_fails(make(out, "libsvm", 1, 1, &result), TRI_BAD_CALL, "already there and not empty");
    free(out);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_of_made_clicks_holds_the_clicks_of_the_source),
        cmocka_unit_test(the_number_of_threads_changes_no_byte_of_made_clicks),
        cmocka_unit_test(libsvm_indices_of_made_clicks_increase_in_a_line),
        cmocka_unit_test(an_impossible_request_for_clicks_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
