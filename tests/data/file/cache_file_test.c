/* cache_file_test.c: a file of the cache folder comes back as it was kept, or not at all. */
#include "data/file/cache_file.h"

#include "data/fixture.h"

typedef struct {
    char *folder, *path;
} fixture;

static int setup(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = test_folder_create();
    self->path = test_path(self->folder, "cache/deep/file");
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    fixture *self = *state;
    test_folder_remove(self->folder);
    free(self->path);
    free(self);
    return 0;
}

static void a_cache_file_gives_back_what_was_kept(void **state)
{
    fixture *self = *state;
    tri__mapping mapping;
    size_t size;
    assert_false(tri__cache_file_map(self->path, &mapping, &size));
    tri__cache_file_keep(self->path, "head", 4, "data", 4);
    assert_true(tri__cache_file_map(self->path, &mapping, &size));
    assert_int_equal(size, 8);
    assert_memory_equal(mapping.data, "headdata", 8);
    tri__file_unmap(&mapping);
    tri__cache_file_keep(self->path, NULL, 0, "", 0);
    assert_true(tri__cache_file_map(self->path, &mapping, &size));
    assert_int_equal(size, 0);
    tri__file_unmap(&mapping);
}

static void a_changed_or_cut_cache_file_is_not_used(void **state)
{
    fixture *self = *state;
    tri__cache_file_keep(self->path, "head", 4, "data", 4);
    size_t size, content;
    char *bytes = test_read(self->path, &size);
    tri__mapping mapping;
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 16;
        test_write(self->path, bytes, size);
        assert_false(tri__cache_file_map(self->path, &mapping, &content));
        bytes[at] ^= 16;
        test_write(self->path, bytes, at);
        assert_false(tri__cache_file_map(self->path, &mapping, &content));
    }
    free(bytes);
}

static void a_cache_folder_that_cannot_be_written_is_no_error(void **state)
{
    (void)state;
    tri__cache_file_keep("/dev/null/no/file", NULL, 0, "data", 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_cache_file_gives_back_what_was_kept),
        TEST(a_changed_or_cut_cache_file_is_not_used),
        cmocka_unit_test(a_cache_folder_that_cannot_be_written_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
