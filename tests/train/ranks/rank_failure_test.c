/* rank_failure_test.c: the failure of one rank is that of all. */
#include "train/ranks/rank_failure.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

typedef struct {
    tri__rank_failure failure;
    int64_t more;
} note;

static void write_note(note *to, tri_status own)
{
    tri__rank_failure_write(&to->failure, own);
    tri_status_free(own);
}

static void ranks_without_a_failure_agree_on_none(void **state)
{
    (void)state;
    note notes[3] = {0};
    for (int i = 0; i < 3; i++)
        write_note(&notes[i], NULL);
    assert_int_equal(tri__rank_failure_find(notes, sizeof *notes, 3), -1);
}

static void first_failure_is_read_with_its_code_and_rank(void **state)
{
    (void)state;
    note notes[4] = {{.more = -1}, {.more = -1}, {.more = -1}, {.more = -1}};
    write_note(&notes[2], tri_fail(TRI_BAD_DATA, "file.idx is cut short"));
    write_note(&notes[3], tri_fail(TRI_IO, "no disk"));
    const int failed = tri__rank_failure_find(notes, sizeof *notes, 4);
    assert_int_equal(failed, 2);
    assert_fails(tri__rank_failure_read(notes, sizeof *notes, failed, "rank"), TRI_BAD_DATA, "rank 2: file.idx is cut short");
}

static void rank_0_says_its_failure_without_a_name(void **state)
{
    (void)state;
    note notes[2] = {0};
    write_note(&notes[0], tri_fail(TRI_IO, "no disk"));
    tri_status status = tri__rank_failure_read(notes, sizeof *notes, tri__rank_failure_find(notes, sizeof *notes, 2), "task");
    assert_string_equal(tri_status_message(status), "no disk");
    tri_status_free(status);
}

static void stopped_run_is_no_failure_of_a_rank(void **state)
{
    (void)state;
    note only = {0};
    write_note(&only, tri_fail(TRI_STOPPED, "stopped"));
    assert_int_equal(only.failure.code, TRI_OK);
    assert_string_equal(only.failure.message, "");
}

static void long_message_is_cut_and_ends(void **state)
{
    (void)state;
    char words[2000];
    memset(words, 'x', sizeof words);
    words[sizeof words - 1] = 0;
    note only = {.more = 7};
    write_note(&only, tri_fail(TRI_IO, "%s", words));
    assert_int_equal(strlen(only.failure.message), TRI_RANK_FAILURE_SIZE - 1);
    assert_int_equal(only.more, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_without_a_failure_agree_on_none),  cmocka_unit_test(first_failure_is_read_with_its_code_and_rank),
        cmocka_unit_test(rank_0_says_its_failure_without_a_name), cmocka_unit_test(stopped_run_is_no_failure_of_a_rank),
        cmocka_unit_test(long_message_is_cut_and_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
