/* progress_test.c: the line fits whatever the width, says what matters first, and the rate is smooth. */
#include "watch/progress/progress.h"

#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "support.h"
#include "watch/progress/progress_json.h"

static const tri__progress half_way = {
    .label = "lenet",
    .step = 4690,
    .steps = 9380,
    .examples_per_second = 98210,
    .loss = 0.34121,
    .accuracy = 0.8812,
    .share = {[TRI_PHASE_COMPUTE] = 0.93, [TRI_PHASE_INPUT] = 0.04, [TRI_PHASE_UPDATE] = 0.03},
    .elapsed = 13,
    .left = 12,
};

static const char *live(const tri__progress *progress, int width)
{
    static char buffer[TRI_PROGRESS_SIZE];
    return tri__progress_live(progress, width, buffer, sizeof buffer);
}

static void a_wide_progress_line_has_everything(void **state)
{
    (void)state;
    assert_string_equal(live(&half_way, 160), "███████████████░░░░░░░░░░░░░░░  lenet   50 %  4,690/9,380  98.2k/s  loss 0.3412  accuracy "
                                              "0.8812  compute 93 % input  4 % update  3 %  ETA 0:12");
}

static void a_progress_line_of_forty_columns_has_what_matters_most(void **state)
{
    (void)state;
    assert_string_equal(live(&half_way, 40), "█████░░░░░   50 %  loss 0.3412  ETA 0:12");
}

static void no_progress_line_is_wider_than_the_terminal(void **state)
{
    (void)state;
    tri__progress progress = half_way;
    for (int known = 0; known < 4; known++) {
        progress.steps = known & 1 ? 9380 : 0;
        progress.left = known & 1 ? 12 : NAN;
        progress.loss = known & 2 ? 123456.75 : NAN;
        progress.accuracy = known & 2 ? 0.5 : NAN;
        for (int width = 0; width < 250; width++) {
            const char *line = live(&progress, width);
            if (tri__text_columns(line) > width)
                fail_msg("%d columns for a width of %d: %s", tri__text_columns(line), width, line);
            assert_null(strpbrk(line, "\n\r\t\033"));
        }
    }
}

static void the_progress_line_keeps_its_width_over_a_run(void **state)
{
    (void)state;
    tri__progress progress = half_way;
    int columns = tri__text_columns(live(&progress, 100));
    for (progress.step = 0; progress.step <= progress.steps; progress.step += 67)
        assert_int_equal(tri__text_columns(live(&progress, 100)), columns);
}

static void the_progress_bar_is_empty_at_the_start_and_full_at_the_end(void **state)
{
    (void)state;
    tri__progress progress = half_way;
    progress.step = 0;
    assert_null(strstr(live(&progress, 80), "█"));
    progress.step = progress.steps;
    assert_null(strstr(live(&progress, 80), "░"));
    progress.step = progress.steps + 5; /* more than was asked is still full */
    assert_non_null(strstr(live(&progress, 80), "100 %"));
}

static void a_run_without_a_known_end_has_no_progress_bar(void **state)
{
    (void)state;
    tri__progress progress = half_way;
    progress.steps = 0;
    progress.left = NAN;
    const char *line = live(&progress, 160);
    assert_null(strstr(line, "░"));
    assert_null(strstr(line, "ETA"));
    assert_non_null(strstr(line, "step 4,690"));
    assert_non_null(strstr(line, "0:13"));
}

static void a_progress_line_leaves_out_what_is_not_known(void **state)
{
    (void)state;
    tri__progress progress = {.steps = 100, .loss = NAN, .accuracy = NAN, .left = NAN};
    const char *line = live(&progress, 120);
    assert_null(strstr(line, "loss"));
    assert_null(strstr(line, "accuracy"));
    assert_null(strstr(line, "/s"));
    assert_null(strstr(line, "compute"));
    assert_null(strstr(line, "nan"));
}

static void the_plain_progress_line_is_a_sentence(void **state)
{
    (void)state;
    char buffer[TRI_PROGRESS_SIZE];
    assert_string_equal(tri__progress_plain(&half_way, buffer, sizeof buffer),
                        "lenet: step 4690/9380 (50 %), 98,210 examples/s, loss 0.3412, accuracy 0.8812, 0:13 elapsed, 0:12 left "
                        "(compute 93 % input  4 % update  3 %)");
    tri__progress bare = {.step = 3, .loss = NAN, .accuracy = NAN, .left = NAN, .elapsed = 61};
    assert_string_equal(tri__progress_plain(&bare, buffer, sizeof buffer), "step 3, 1:01 elapsed");
}

static void the_time_to_go_follows_the_pace(void **state)
{
    (void)state;
    assert_true(fabs(tri__progress_left(0, 25, 100, 10) - 30) < 1e-9);
    assert_true(fabs(tri__progress_left(50, 75, 100, 10) - 10) < 1e-9); /* resumed at step 50 */
    assert_true(isnan(tri__progress_left(0, 0, 100, 10)));
    assert_true(isnan(tri__progress_left(0, 5, 0, 10)));
    assert_true(tri__progress_left(0, 120, 100, 10) == 0);
}

static const int64_t millisecond = 1000000;

static void examples_per_second_are_smoothed(void **state)
{
    (void)state;
    tri__rate rate = {0};
    int64_t now = 5000 * millisecond, examples = 0;
    assert_true(tri__rate_update(&rate, examples, now) == 0);
    for (int i = 0; i < 50; i++)
        tri__rate_update(&rate, examples += 100, now += 200 * millisecond);
    assert_true(fabs(rate.rate - 500) < 1e-6);
    double before = rate.rate, after = tri__rate_update(&rate, examples += 200, now += 200 * millisecond);
    assert_true(after > before && after < before + 0.1 * 500); /* one reading of 1000 moves it by a small part */
    for (int i = 0; i < 100; i++)
        tri__rate_update(&rate, examples += 200, now += 200 * millisecond);
    assert_true(fabs(rate.rate - 1000) < 5);
}

static void readings_close_together_do_not_change_the_rate(void **state)
{
    (void)state;
    tri__rate rate = {0};
    tri__rate_update(&rate, 0, 0);
    assert_true(fabs(tri__rate_update(&rate, 99, 99 * millisecond) - 1000) < 1e-6); /* all that is known so far */
    assert_true(rate.rate == 0);
    assert_true(fabs(tri__rate_update(&rate, 100, 100 * millisecond) - 1000) < 1e-6);
    assert_true(fabs(tri__rate_update(&rate, 1000000, 101 * millisecond) - 1000) < 1e-6);
}

static void a_pause_does_not_lower_the_rate(void **state)
{
    (void)state;
    tri__rate rate = {0};
    tri__rate_update(&rate, 0, 0);
    tri__rate_update(&rate, 1000, 1000 * millisecond);
    tri__rate_skip(&rate, 59000 * millisecond);
    assert_true(fabs(tri__rate_update(&rate, 2000, 61000 * millisecond) - 1000) < 1e-6);
}

/* 50 ms of work, then 50 ms of evaluation: after some such rounds there is enough work to tell a new rate. */
static void pauses_close_together_do_not_stop_the_rate(void **state)
{
    (void)state;
    tri__rate rate = {0};
    int64_t now = 0, examples = 0;
    tri__rate_begin(&rate, 0, 0);
    tri__rate_update(&rate, examples += 1000, now += 1000 * millisecond);
    for (int i = 0; i < 400; i++) {
        tri__rate_update(&rate, examples += 100, now += 50 * millisecond);
        now += 50 * millisecond;
        tri__rate_skip(&rate, 50 * millisecond);
    }
    assert_true(fabs(rate.rate - 2000) < 10);
}

static void progress_is_the_same_after_json(void **state)
{
    (void)state;
    tri__progress sent = half_way, received;
    sent.accuracy = NAN;
    json_t *json = tri__progress_json(&sent);
    assert_non_null(json);
    tri__progress_read(json, &received);
    assert_string_equal(received.label, "lenet");
    assert_true(received.step == 4690 && received.steps == 9380 && received.loss == sent.loss && isnan(received.accuracy));
    assert_memory_equal(received.share, sent.share, sizeof sent.share);
    json_decref(json);
    json = json_pack("{s:s, s:[]}", "step", "many", "share"); /* whatever comes is taken as far as it makes sense */
    tri__progress_read(json, &received);
    assert_true(!received.label && received.step == 0 && isnan(received.loss) && received.share[0] == 0);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_progress_line_has_everything),
        cmocka_unit_test(a_progress_line_of_forty_columns_has_what_matters_most),
        cmocka_unit_test(no_progress_line_is_wider_than_the_terminal),
        cmocka_unit_test(the_progress_line_keeps_its_width_over_a_run),
        cmocka_unit_test(the_progress_bar_is_empty_at_the_start_and_full_at_the_end),
        cmocka_unit_test(a_run_without_a_known_end_has_no_progress_bar),
        cmocka_unit_test(a_progress_line_leaves_out_what_is_not_known),
        cmocka_unit_test(the_plain_progress_line_is_a_sentence),
        cmocka_unit_test(the_time_to_go_follows_the_pace),
        cmocka_unit_test(examples_per_second_are_smoothed),
        cmocka_unit_test(readings_close_together_do_not_change_the_rate),
        cmocka_unit_test(a_pause_does_not_lower_the_rate),
        cmocka_unit_test(pauses_close_together_do_not_stop_the_rate),
        cmocka_unit_test(progress_is_the_same_after_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
