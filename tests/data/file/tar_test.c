/* tar_test.c: files out of archives that the system's tar wrote, and damage of every kind. */
#include "data/file/tar.h"

#include "data/fixture.h"

/* An archive of a folder "package" with two files, as tar writes it; free() it. */
static char *make_archive(size_t *size)
{
    char *folder = test_folder_create();
    fixture_write(folder, "a.txt", (const uint8_t *)"alpha", 5);
    uint8_t big[1500];
    memset(big, 7, sizeof big);
    fixture_write(folder, "b.bin", big, sizeof big);
    const char *arguments[] = {"tar", "--create", "--format=ustar", "--file=x.tar", "--transform=s,^,package/,", "a.txt", "b.bin", NULL};
    test_result result = test_run(folder, arguments);
    assert_int_equal(result.status, 0);
    test_result_fini(&result);
    char *path = test_path(folder, "x.tar"), *archive = test_read(path, size);
    free(path);
    test_folder_remove(folder);
    return archive;
}

static void files_of_a_tar_archive_are_found(void **state)
{
    (void)state;
    size_t size;
    char *archive = make_archive(&size);
    tri__tar tar = {.name = "x.tar", .data = (const uint8_t *)archive, .size = size};
    tri__tar_file file;
    assert_ok(tri__tar_next(&tar, &file));
    assert_string_equal(file.name, "a.txt");
    assert_int_equal(file.size, 5);
    assert_memory_equal(file.data, "alpha", 5);
    assert_ok(tri__tar_next(&tar, &file));
    assert_string_equal(file.name, "b.bin");
    assert_int_equal(file.size, 1500);
    assert_int_equal(file.data[1499], 7);
    for (int i = 0; i < 2; i++) {
        assert_ok(tri__tar_next(&tar, &file));
        assert_string_equal(file.name, "");
    }
    free(archive);
}

static void a_damaged_tar_archive_is_refused(void **state)
{
    (void)state;
    size_t size;
    char *archive = make_archive(&size);
    tri__tar_file file;
    tri__tar cut = {.name = "x.tar", .data = (const uint8_t *)archive, .size = 514};
    assert_fails(tri__tar_next(&cut, &file), TRI_BAD_DATA, "x.tar: byte 0 of the archive: a file is cut short");
    archive[3] ^= 1;
    tri__tar damaged = {.name = "x.tar", .data = (const uint8_t *)archive, .size = size};
    assert_fails(tri__tar_next(&damaged, &file), TRI_BAD_DATA, "not a tar header");
    tri__tar empty = {.name = "x.tar", .data = (const uint8_t *)"", .size = 0};
    assert_ok(tri__tar_next(&empty, &file));
    assert_string_equal(file.name, "");
    free(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_a_tar_archive_are_found),
        cmocka_unit_test(a_damaged_tar_archive_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
