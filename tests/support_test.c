/* support_test.c: the helpers that other tests trust. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_folder_remove_removes_all_that_is_in_it(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *file = test_path(folder, "a"), *gone = strdup(folder);
    test_write(file, "x\0y", 3);
    size_t size = 0;
    char *text = test_read(file, &size);
    assert_int_equal(size, 3);
    assert_memory_equal(text, "x\0y", 4);
    test_folder_remove(folder);
    assert_int_not_equal(access(gone, F_OK), 0);
    free(text);
    free(file);
    free(gone);
}

static void test_run_gives_output_and_exit_status(void **state)
{
    (void)state;
    test_result result = test_run("/", (const char *[]){"sh", "-c", "pwd; echo no >&2; exit 3", NULL});
    assert_int_equal(result.status, 3);
    assert_string_equal(result.out, "/\n");
    assert_string_equal(result.err, "no\n");
    test_result_fini(&result);
    result = test_run(NULL, (const char *[]){"sh", "-c", "kill -9 $$", NULL});
    assert_int_equal(result.status, 128 + 9);
    test_result_fini(&result);
}

static void assert_ok_and_assert_fails_tell_statuses_apart(void **state)
{
    (void)state;
    assert_ok(NULL);
    assert_fails(tri_fail(TRI_BAD_DATA, "file %d is damaged", 7), TRI_BAD_DATA, "7 is damaged");
    assert_fails(tri_fail(TRI_IO, "anything"), TRI_IO, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folder_remove_removes_all_that_is_in_it),
        cmocka_unit_test(test_run_gives_output_and_exit_status),
        cmocka_unit_test(assert_ok_and_assert_fails_tell_statuses_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
