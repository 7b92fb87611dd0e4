/* content_test.c: compressed files and their cached copies: made, used again, replaced when damaged, done without. */
#include "data/file/content.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "data/fixture.h"

enum { SIZE = 100000 };

typedef struct {
    char *folder, *file, *cache;
    uint8_t text[SIZE];
} fixture;

static int setup(void **state)
{
    fixture *self = calloc(1, sizeof *self);
    self->folder = test_folder_create();
    self->file = test_path(self->folder, "data.gz");
    self->cache = test_path(self->folder, "cache");
    for (size_t i = 0; i < SIZE; i++)
        self->text[i] = (uint8_t)(i * i / 11);
    fixture_write_gzip(self->folder, "data.gz", self->text, SIZE);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    fixture *self = *state;
    test_folder_remove(self->folder);
    free(self->file);
    free(self->cache);
    free(self);
    return 0;
}

/* Open, compare, close; tells whether a cached copy was used. */
static bool check(fixture *self, const char *cache)
{
    tri__content content;
    assert_ok(tri__content_open(self->file, cache, &content));
    assert_int_equal(content.size, SIZE);
    assert_memory_equal(content.data, self->text, SIZE);
    assert_true(content.disk_bytes > 0 && content.disk_bytes < SIZE + 100);
    bool cached = content.inflated == NULL;
    tri__content_fini(&content);
    return cached;
}

/* The path of the one cached copy. */
static char *copy_path(fixture *self)
{
    char *folder = test_path(self->cache, "inflated"), **names;
    size_t count;
    assert_ok(tri__folder_list(folder, &names, &count));
    assert_int_equal(count, 1);
    char *path = test_path(folder, names[0]);
    tri__folder_free(names, count);
    free(folder);
    return path;
}

static void a_compressed_file_is_inflated_once_and_its_copy_used_again(void **state)
{
    assert_false(check(*state, ((fixture *)*state)->cache));
    assert_true(check(*state, ((fixture *)*state)->cache));
    assert_true(check(*state, ((fixture *)*state)->cache));
}

static void a_compressed_file_is_inflated_each_time_without_a_cache_folder(void **state)
{
    assert_false(check(*state, NULL));
    assert_false(check(*state, NULL));
}

static void an_inflated_copy_of_the_wrong_size_is_replaced(void **state)
{
    fixture *self = *state;
    check(self, self->cache);
    char *path = copy_path(self);
    static const size_t sizes[] = {0, 1, SIZE - 1, SIZE + 1};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(truncate(path, (off_t)sizes[i]), 0);
        assert_false(check(self, self->cache));
        assert_true(check(self, self->cache));
    }
    free(path);
}

/* As a bad disk does it: the size stays, a byte changes, at the beginning, in the middle, at the end, or in the checksum itself. */
static void an_inflated_copy_with_a_changed_byte_is_replaced(void **state)
{
    fixture *self = *state;
    check(self, self->cache);
    char *path = copy_path(self);
    size_t size;
    char *bytes = test_read(path, &size);
    const size_t places[] = {0, SIZE / 2, SIZE - 1, size - 1};
    for (size_t i = 0; i < 4; i++) {
        bytes[places[i]] ^= 4;
        test_write(path, bytes, size);
        bytes[places[i]] ^= 4;
        assert_false(check(self, self->cache));
        assert_true(check(self, self->cache));
    }
    free(bytes);
    free(path);
}

static void a_compressed_file_that_changed_gets_another_copy(void **state)
{
    fixture *self = *state;
    check(self, self->cache);
    self->text[0] ^= 1;
    fixture_write_gzip(self->folder, "data.gz", self->text, SIZE);
    assert_false(check(self, self->cache));
    assert_true(check(self, self->cache));
}

/* A file stands where the cache folder should be: not even root can write there. */
static void a_compressed_file_is_read_although_its_copy_cannot_be_kept(void **state)
{
    fixture *self = *state;
    test_write(self->cache, "x", 1);
    assert_false(check(self, self->cache));
    assert_false(check(self, self->cache));
}

static void a_gzip_file_of_several_members_is_not_cached(void **state)
{
    fixture *self = *state;
    size_t first_size, second_size;
    uint8_t *first = fixture_gzip(self->text, SIZE / 2, &first_size);
    uint8_t *second = fixture_gzip(self->text + SIZE / 2, SIZE - SIZE / 2, &second_size);
    first = realloc(first, first_size + second_size);
    memcpy(first + first_size, second, second_size);
    test_write(self->file, first, first_size + second_size);
    assert_false(check(self, self->cache));
    assert_false(check(self, self->cache));
    free(first);
    free(second);
}

static void a_damaged_compressed_file_is_reported(void **state)
{
    fixture *self = *state;
    size_t size;
    char *bytes = test_read(self->file, &size);
    test_write(self->file, bytes, size - 100);
    tri__content content;
    assert_fails(tri__content_open(self->file, self->cache, &content), TRI_BAD_DATA, "data.gz: the compressed data ends too early");
    assert_fails(tri__content_open("/nowhere/at/all", self->cache, &content), TRI_NOT_FOUND, "/nowhere/at/all");
    free(bytes);
}

/* Many processes at once, with no copy there at first: each sees the whole file. */
static void processes_that_inflate_one_file_at_once_see_all_of_it(void **state)
{
    fixture *self = *state;
    pid_t children[4];
    for (int i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            bool right = true;
            for (int round = 0; round < 20 && right; round++) {
                tri__content content;
                tri_status status = tri__content_open(self->file, self->cache, &content);
                right = !status && content.size == SIZE && memcmp(content.data, self->text, SIZE) == 0;
                tri_status_free(status);
                tri__content_fini(&content);
            }
            _exit(right ? 0 : 1);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    free(copy_path(self));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_compressed_file_is_inflated_once_and_its_copy_used_again),
        TEST(a_compressed_file_is_inflated_each_time_without_a_cache_folder),
        TEST(an_inflated_copy_of_the_wrong_size_is_replaced),
        TEST(an_inflated_copy_with_a_changed_byte_is_replaced),
        TEST(a_compressed_file_that_changed_gets_another_copy),
        TEST(a_compressed_file_is_read_although_its_copy_cannot_be_kept),
        TEST(a_gzip_file_of_several_members_is_not_cached),
        TEST(a_damaged_compressed_file_is_reported),
        TEST(processes_that_inflate_one_file_at_once_see_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
