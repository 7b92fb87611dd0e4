/* mpirun_test.c: how mpirun is told to reach hosts, and whose words its lines are. */
#include "train/ranks/mpirun.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "support.h"
#include "under_mpirun.h"

static void expect_line(bool *in_notice, bool error, const char *line, tri__mpirun_speaker speaker, tri__log_level level, const char *text)
{
    const tri__mpirun_line read = tri__mpirun_line_read(in_notice, error, line);
    assert_int_equal(read.speaker, speaker);
    assert_int_equal(read.level, level);
    assert_string_equal(read.text, text);
}

static void lines_between_dashes_are_a_notice(void **state)
{
    (void)state;
    bool in_notice = false;
    expect_line(&in_notice, true, "-----------", TRI_MPIRUN_DASHES, TRI_LOG_DEBUG, "-----------");
    expect_line(&in_notice, true, "process rank 3 was lost", TRI_MPIRUN_NOTICE, TRI_LOG_DEBUG, "process rank 3 was lost");
    expect_line(&in_notice, true, "", TRI_MPIRUN_NOTICE, TRI_LOG_DEBUG, "");
    expect_line(&in_notice, true, "mpirun: so it is", TRI_MPIRUN_NOTICE, TRI_LOG_DEBUG, "mpirun: so it is");
    expect_line(&in_notice, true, "-----------", TRI_MPIRUN_DASHES, TRI_LOG_DEBUG, "-----------");
    expect_line(&in_notice, true, "step 1", TRI_MPIRUN_RANK, TRI_LOG_INFO, "step 1");
}

static void dashes_on_standard_output_are_a_line_of_a_rank(void **state)
{
    (void)state;
    bool in_notice = false;
    expect_line(&in_notice, false, "-----", TRI_MPIRUN_RANK, TRI_LOG_INFO, "-----");
    assert_false(in_notice);
}

static void standard_output_during_a_notice_is_a_line_of_a_rank(void **state)
{
    (void)state;
    bool in_notice = true;
    expect_line(&in_notice, false, "step 1", TRI_MPIRUN_RANK, TRI_LOG_INFO, "step 1");
    expect_line(&in_notice, true, "process rank 3 was lost", TRI_MPIRUN_NOTICE, TRI_LOG_DEBUG, "process rank 3 was lost");
}

static void warning_of_a_rank_keeps_its_level(void **state)
{
    (void)state;
    bool in_notice = false;
    expect_line(&in_notice, true, "trireme: careful", TRI_MPIRUN_RANK, TRI_LOG_WARNING, "careful");
}

static void chatter_of_mpirun_is_a_detail(void **state)
{
    (void)state;
    bool in_notice = false;
    expect_line(&in_notice, true, "mpirun: killing job...", TRI_MPIRUN_CHATTER, TRI_LOG_DEBUG, "mpirun: killing job...");
    expect_line(&in_notice, true, "[warn] epoll", TRI_MPIRUN_CHATTER, TRI_LOG_DEBUG, "[warn] epoll");
}

/* The real mpirun calls the agent with its words, such as the name of a cluster; the agent reaches nobody. */
static void mpirun_keeps_a_last_word_of_one_letter(void **state)
{
    static const char script[] = "#!/bin/sh\necho \"$1\" >\"$(dirname \"$0\")/said\"\nexit 1\n";
    char *agent = test_path(*state, "agent"), *said = test_path(*state, "said"), text[4096];
    if (!mpirun_is_there()) {
        free(agent);
        free(said);
        skip();
    }
    test_write(agent, script, strlen(script));
    assert_int_equal(chmod(agent, 0755), 0);
    tri__mpirun_agent((const char *const[]){agent, "x", NULL}, text, sizeof text);
    test_result result = test_run(
        *state, (const char *[]){"mpirun", "--allow-run-as-root", "--mca", "plm_rsh_agent", text, "--host", "192.0.2.1", "true", NULL});
    assert_int_not_equal(result.status, 0);
    test_result_fini(&result);
    char *word = test_read(said, NULL);
    assert_string_equal(word, "x\n");
    free(word);
    free(agent);
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_between_dashes_are_a_notice),
        cmocka_unit_test(dashes_on_standard_output_are_a_line_of_a_rank),
        cmocka_unit_test(standard_output_during_a_notice_is_a_line_of_a_rank),
        cmocka_unit_test(warning_of_a_rank_keeps_its_level),
        cmocka_unit_test(chatter_of_mpirun_is_a_detail),
        FOLDER_TEST(mpirun_keeps_a_last_word_of_one_letter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
