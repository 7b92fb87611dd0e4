/* beginning_test.c: where a job began is kept in a file. */
#include "train/ps/task/beginning.h"

#include <stdlib.h>

#include "support.h"

static void a_beginning_is_read_as_it_was_written(void **state)
{
    const char *folder = *state;
    tri__beginning began;
    assert_fails(tri__beginning_read(folder, &began), TRI_NOT_FOUND, "beginning.json");
    assert_ok(tri__beginning_write(folder, &(tri__beginning){0}));
    assert_ok(tri__beginning_write(folder, &(tri__beginning){150, 60000, 1.25})); /* of the next job */
    assert_ok(tri__beginning_read(folder, &began));
    assert_int_equal(began.step, 150);
    assert_int_equal(began.examples, 60000);
    assert_true(began.seconds == 1.25);
}

static void a_file_that_says_something_else_is_refused(void **state)
{
    const char *folder = *state;
    char *path = test_path(folder, "beginning.json");
    tri__beginning began;
    test_write(path, "{\"step\": -1, \"examples\": 0, \"seconds\": 0}", 41);
    assert_fails(tri__beginning_read(folder, &began), TRI_BAD_DATA, "does not say where the job began");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_beginning_is_read_as_it_was_written),
        FOLDER_TEST(a_file_that_says_something_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
