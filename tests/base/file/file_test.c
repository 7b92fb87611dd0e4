/* file_test.c: files whole or not at all; what is said when the system refuses. */
#include "base/file/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "support.h"

/* A fresh folder for each test; the test's state is its path. */
static int enter(void **state)
{
    char *folder = strdup("/tmp/trireme-file-XXXXXX");
    *state = folder;
    return folder && mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
    tri_status status = tri__folder_remove(*state);
    assert_null(status);
    assert_false(tri__folder_exists(*state));
    free(*state);
    return 0;
}

static char *in(void **state, const char *name)
{
    char *path = tri__path_join(*state, name);
    assert_non_null(path);
    return path;
}

static void expect_failure(tri_status status, tri_code code, const char *path, const char *words)
{
    assert_int_equal(tri_status_code(status), code);
    assert_non_null(strstr(tri_status_message(status), path));
    assert_non_null(strstr(tri_status_message(status), words));
    tri_status_free(status);
}

static void expect_content(const char *path, const char *content)
{
    char *text = NULL;
    size_t size = 0;
    assert_ok(tri__file_read(path, 1000, &text, &size));
    assert_int_equal(size, strlen(content));
    assert_string_equal(text, content);
    free(text);
}

static void a_written_file_is_read_and_mapped_back(void **state)
{
    char *path = in(state, "a");
    assert_ok(tri__file_replace(path, "hello", 5));
    expect_content(path, "hello");
    tri__mapping mapping;
    assert_ok(tri__file_map(path, &mapping));
    assert_int_equal(mapping.size, 5);
    assert_memory_equal(mapping.data, "hello", 5);
    tri__file_unmap(&mapping);
    free(path);
}

static void an_empty_file_can_be_read(void **state)
{
    char *path = in(state, "empty");
    assert_ok(tri__file_replace(path, NULL, 0));
    expect_content(path, "");
    tri__mapping mapping;
    assert_ok(tri__file_map(path, &mapping));
    assert_int_equal(mapping.size, 0);
    assert_non_null(mapping.data);
    tri__file_unmap(&mapping);
    free(path);
}

static void many_files_are_read_into_one_buffer(void **state)
{
    char *first = in(state, "first"), *second = in(state, "second"), *missing = in(state, "missing");
    uint8_t *data = NULL;
    size_t size = 0;
    int64_t room = 0;
    assert_ok(tri__file_write(first, "hello", 5));
    assert_ok(tri__file_write(second, "", 0));
    assert_ok(tri__file_load(first, &data, &room, &size));
    assert_int_equal(size, 5);
    assert_memory_equal(data, "hello", 5);
    const uint8_t *before = data;
    assert_ok(tri__file_load(second, &data, &room, &size));
    assert_int_equal(size, 0);
    assert_ptr_equal(data, before);
    expect_failure(tri__file_load(missing, &data, &room, &size), TRI_NOT_FOUND, missing, "cannot open");
    uint8_t head[4];
    assert_ok(tri__file_peek(first, head, sizeof head, &size));
    assert_int_equal(size, sizeof head);
    assert_memory_equal(head, "hell", sizeof head);
    assert_ok(tri__file_peek(second, head, sizeof head, &size));
    assert_int_equal(size, 0);
    expect_failure(tri__file_peek(missing, head, sizeof head, &size), TRI_NOT_FOUND, missing, "cannot open");
    expect_failure(tri__file_write(first, "again", 5), TRI_IO, first, "cannot create");
    assert_int_equal(tri__file_size(first), 5);
    assert_int_equal(tri__file_size(missing), 0);
    free(data);
    free(first);
    free(second);
    free(missing);
}

static size_t entries(const char *folder)
{
    char **names = NULL;
    size_t count = 0;
    assert_ok(tri__folder_list(folder, &names, &count));
    tri__folder_free(names, count);
    return count;
}

static void a_file_writer_shows_nothing_until_commit(void **state)
{
    char *path = in(state, "b");
    tri__writer *writer = NULL;
    assert_ok(tri__file_replace(path, "old", 3));
    assert_ok(tri__writer_create(path, &writer));
    tri__writer_write(writer, "new ", 4);
    expect_content(path, "old");
    tri__writer_write(writer, "text", 4);
    assert_ok(tri__writer_commit(writer));
    expect_content(path, "new text");
    assert_int_equal(entries(*state), 1);
    free(path);
}

static void an_abandoned_file_writer_leaves_nothing(void **state)
{
    char *path = in(state, "c");
    tri__writer *writer = NULL;
    assert_ok(tri__file_replace(path, "old", 3));
    assert_ok(tri__writer_create(path, &writer));
    tri__writer_write(writer, "new", 3);
    tri__writer_abandon(writer);
    tri__writer_abandon(NULL);
    expect_content(path, "old");
    assert_int_equal(entries(*state), 1);
    free(path);
}

static void two_writers_of_one_file_do_not_disturb_each_other(void **state)
{
    char *path = in(state, "d");
    tri__writer *one = NULL, *two = NULL;
    assert_ok(tri__writer_create(path, &one));
    assert_ok(tri__writer_create(path, &two));
    tri__writer_write(one, "one", 3);
    tri__writer_write(two, "two", 3);
    assert_ok(tri__writer_commit(two));
    assert_ok(tri__writer_commit(one));
    expect_content(path, "one");
    free(path);
}

static void committing_a_file_to_a_full_disk_fails(void **state)
{
    (void)state;
    expect_failure(tri__file_replace("/dev/full", "x", 1), TRI_IO, "/dev/full", "disk full");
    static char large[1 << 20];
    expect_failure(tri__file_replace("/dev/full", large, sizeof large), TRI_IO, "/dev/full", "disk full");
    struct stat about;
    assert_int_equal(stat("/dev/full", &about), 0);
    assert_true(S_ISCHR(about.st_mode)); /* a device is written, never replaced */
}

static void a_secret_file_is_new_and_readable_by_its_owner_only(void **state)
{
    char *path = in(state, "secret");
    assert_ok(tri__file_create_secret(path, "hush", 4));
    expect_content(path, "hush");
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    expect_failure(tri__file_create_secret(path, "other", 5), TRI_BAD_CALL, path, "already there");
    expect_content(path, "hush");
    char **names = NULL;
    size_t count = 0;
    assert_ok(tri__folder_list(*state, &names, &count));
    assert_int_equal(count, 1); /* nothing temporary is left */
    tri__folder_free(names, count);
    free(path);
}

static void reading_a_missing_file_fails_with_not_found(void **state)
{
    char *path = in(state, "missing");
    tri__mapping mapping;
    char *text;
    size_t size;
    expect_failure(tri__file_map(path, &mapping), TRI_NOT_FOUND, path, "check the name");
    expect_failure(tri__file_read(path, 10, &text, &size), TRI_NOT_FOUND, path, "No such file");
    assert_null(text);
    assert_false(tri__file_exists(path));
    char *below = tri__path_join(path, "x");
    expect_failure(tri__file_replace(below, "x", 1), TRI_NOT_FOUND, below, "No such file");
    free(below);
    free(path);
}

static void reading_a_folder_or_device_as_a_file_is_refused(void **state)
{
    tri__mapping mapping;
    char *text;
    size_t size;
    expect_failure(tri__file_map(*state, &mapping), TRI_IO, *state, "it is a folder");
    expect_failure(tri__file_read("/dev/zero", 10, &text, &size), TRI_BAD_CALL, "/dev/zero", "not a regular file");
    expect_failure(tri__file_replace(*state, "x", 1), TRI_IO, *state, "it is a folder");
    assert_false(tri__file_exists(*state));
}

static void reading_a_file_above_the_size_limit_is_refused(void **state)
{
    char *path = in(state, "big");
    char *text = NULL;
    size_t size = 0;
    assert_ok(tri__file_replace(path, "12345", 5));
    expect_failure(tri__file_read(path, 4, &text, &size), TRI_BAD_DATA, path, "5 bytes");
    assert_null(text);
    free(path);
}

/* Root may write anywhere, so the test becomes nobody for a moment. */
static void writing_to_a_read_only_folder_fails_with_a_clear_message(void **state)
{
    char *path = in(state, "x"), *folder = in(state, "sub/folder");
    bool root = geteuid() == 0;
    assert_int_equal(chmod(*state, 0555), 0);
    if (root)
        assert_int_equal(seteuid(65534), 0);
    tri_status file_status = tri__file_replace(path, "x", 1);
    tri_status folder_status = tri__folder_create(folder);
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(*state, 0755), 0);
    expect_failure(file_status, TRI_IO, path, "permissions");
    expect_failure(folder_status, TRI_IO, *state, "permissions");
    assert_int_equal(entries(*state), 0);
    free(folder);
    free(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_written_file_is_read_and_mapped_back),
        TEST(an_empty_file_can_be_read),
        TEST(many_files_are_read_into_one_buffer),
        TEST(a_file_writer_shows_nothing_until_commit),
        TEST(an_abandoned_file_writer_leaves_nothing),
        TEST(two_writers_of_one_file_do_not_disturb_each_other),
        cmocka_unit_test(committing_a_file_to_a_full_disk_fails),
        TEST(a_secret_file_is_new_and_readable_by_its_owner_only),
        TEST(reading_a_missing_file_fails_with_not_found),
        TEST(reading_a_folder_or_device_as_a_file_is_refused),
        TEST(reading_a_file_above_the_size_limit_is_refused),
        TEST(writing_to_a_read_only_folder_fails_with_a_clear_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
