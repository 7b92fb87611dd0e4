/* pair_note_test.c: the number of a pair is kept in a file, until it is taken back. */
#include "train/ps/task/pair_note.h"

#include "support.h"

static void a_note_is_read_until_it_is_taken_back(void **state)
{
    const char *folder = *state;
    assert_int_equal(tri__pair_note_read(folder), 0);
    assert_ok(tri__pair_note_write(folder, 0)); /* where there is none */
    assert_ok(tri__pair_note_write(folder, 17));
    assert_ok(tri__pair_note_write(folder, UINT32_MAX));
    assert_int_equal(tri__pair_note_read(folder), UINT32_MAX);
    assert_ok(tri__pair_note_write(folder, 0));
    assert_int_equal(tri__pair_note_read(folder), 0);
}

static void a_note_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    assert_fails(tri__pair_note_write("/nowhere/at/all", 1), TRI_NOT_FOUND, "/nowhere/at/all/standby");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_note_is_read_until_it_is_taken_back),
        cmocka_unit_test(a_note_that_cannot_be_written_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
