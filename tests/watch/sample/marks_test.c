/* marks_test.c: what is marked is read back, by time; what is no mark is left out. */
#include "watch/sample/marks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread/clock.h"
#include "support.h"

static void marks_of_two_processes_are_read_by_the_time_at_which_they_began(void **state)
{
    char *path = test_path(*state, "marks.csv");
    tri__marks *first, *second;
    tri__mark *mark;
    int count;
    assert_ok(tri__marks_open(path, &first));
    assert_ok(tri__marks_open(path, &second));
    tri__marks_add(first, TRI_MARK_DEATH, "worker:1", -1, 0, "was killed by signal %d", 9);
    tri__marks_add(second, TRI_MARK_EVALUATION, "evaluator:0", 1200, 1.5, "test \"accuracy\"\n91 %%");
    tri__marks_close(first);
    tri__marks_close(second);
    assert_ok(tri__marks_read(path, &mark, &count));
    assert_int_equal(count, 2);
    assert_true(mark[0].kind == TRI_MARK_EVALUATION && mark[0].step == 1200 && mark[0].seconds == 1.5);
    assert_string_equal(mark[0].note, "test 'accuracy' 91 %");
    assert_true(mark[1].kind == TRI_MARK_DEATH && mark[1].step == -1 && mark[1].seconds == 0);
    assert_string_equal(mark[1].task, "worker:1");
    assert_true(fabs(mark[1].wall - tri__clock_wall()) < 100);
    char line[256];
    assert_non_null(strstr(tri__mark_line(&mark[0], line, sizeof line), "evaluation of evaluator:0 at step 1,200, 1.50 s: test 'acc"));
    free(mark);
    free(path);
}

static void epochs_that_follow_at_once_do_not_drown_the_file(void **state)
{
    char *path = test_path(*state, "marks.csv");
    tri__marks *marks;
    tri__mark *mark;
    int count;
    assert_ok(tri__marks_open(path, &marks));
    const int64_t began = tri__clock_now();
    for (int i = 0; i < 10000; i++)
        tri__marks_add(marks, TRI_MARK_EPOCH, "worker:0", i, 0, "epoch %d ends", i);
    const double tenths = tri__clock_seconds(tri__clock_now() - began) * 10;
    tri__marks_add(marks, TRI_MARK_DEATH, "worker:0", 1, 0, "a");
    tri__marks_add(marks, TRI_MARK_DEATH, "worker:1", 1, 0, "b");
    tri__marks_close(marks);
    assert_ok(tri__marks_read(path, &mark, &count));
    assert_true(count >= 100 + 2 && count <= 103 + tenths);
    free(mark);
    free(path);
}

static void lines_that_are_no_marks_are_left_out(void **state)
{
    char *path = test_path(*state, "marks.csv");
    static const char text[] = "epoch,kind,task,step,seconds,note\n"
                               "1.5,join,worker:2,7,,\"takes part\"\n"
                               "x\n\n1,dance,worker:2,7,,\"no such kind\"\n2,join,worker:2,7\nnan,join,worker:2,,,\"when?\"\n"
                               "3,death,worker:2,9,,\"not whole";
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    tri__mark *mark;
    int count;
    assert_ok(tri__marks_read(path, &mark, &count));
    assert_int_equal(count, 1);
    assert_true(mark[0].wall == 1.5 && mark[0].kind == TRI_MARK_JOIN);
    free(mark);
    free(path);
}

static void a_run_without_marks_has_none(void **state)
{
    char *path = test_path(*state, "marks.csv");
    tri__mark *mark;
    int count;
    assert_ok(tri__marks_read(path, &mark, &count));
    assert_true(count == 0 && !mark);
    tri__marks_add(NULL, TRI_MARK_EPOCH, "worker:0", 0, 0, "nobody keeps it");
    free(path);
}

static void a_full_disk_is_told_with_advice(void **state)
{
    char *path = test_path(*state, "marks.csv");
    tri__marks *marks;
    test_limit_files(0);
    tri_status failure = tri__marks_open(path, &marks);
    test_limit_files(-1);
    assert_fails(failure, TRI_IO, "marks.csv: cannot write: File too large (the system limits the size of files");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(marks_of_two_processes_are_read_by_the_time_at_which_they_began),
        FOLDER_TEST(epochs_that_follow_at_once_do_not_drown_the_file),
        FOLDER_TEST(lines_that_are_no_marks_are_left_out),
        FOLDER_TEST(a_run_without_marks_has_none),
        FOLDER_TEST(a_full_disk_is_told_with_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
