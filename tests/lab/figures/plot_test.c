/* plot_test.c: the picture is well-formed, has every point and the line, and its ticks are round. */
#include "lab/figures/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static int count(const char *text, const char *what)
{
    int found = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        found++;
    return found;
}

static void a_plot_has_its_points_lines_and_titles(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "plot.svg");
    const double x[] = {1, 2, 3}, y[] = {10, 20, 35};
    const tri__series series = {.x = x, .y = y, .count = 3};
    const tri__panel panels[] = {
        {"slope 12.5", "batch < 4 & more", "images/s", .series = &series, .count = 1, .intercept = -3.3, .slope = 12.5},
        {"no line", "repeat", "images/s", .series = &series, .count = 1, .intercept = NAN, .slope = NAN}};
    assert_ok(tri__plot_write(path, "Reading speed", panels, 2));
    char *text = test_read(path, NULL);
    assert_int_equal(count(text, "<circle"), 6);
    assert_int_equal(count(text, "class=\"line\""), 1);
    assert_int_equal(count(text, "<text"), count(text, "</text>"));
    assert_non_null(strstr(text, "batch &lt; 4 &amp; more"));
    assert_null(strstr(text, "nan"));
    if (!system("command -v xmllint >/dev/null")) {
        test_result result = test_run(NULL, (const char *[]){"xmllint", "--noout", path, NULL});
        assert_int_equal(result.status, 0);
        test_result_fini(&result);
    }
    assert_fails(tri__plot_write(folder, "a folder", panels, 1), TRI_IO, "folder");
    free(text);
    free(path);
    test_folder_remove(folder);
}

static void a_plot_of_one_point_is_drawn(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "plot.svg");
    const double x = 4, y = 0;
    const tri__series series = {.x = &x, .y = &y, .count = 1};
    const tri__panel panel = {"", "x", "y", .series = &series, .count = 1, .intercept = NAN, .slope = NAN};
    assert_ok(tri__plot_write(path, "one point", &panel, 1));
    char *text = test_read(path, NULL);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
    free(path);
    test_folder_remove(folder);
}

static void a_plot_has_error_bars_logarithmic_axes_and_a_second_axis(void **state)
{
    (void)state;
    const double x[] = {1, 10, 100, 0}, y[] = {10, 200, 3000, 5}, low[] = {8, 150, 2000, 5}, high[] = {12, 250, 4000, 5};
    const tri__series series[] = {{.name = "ours", .x = x, .y = y, .low = low, .high = high, .count = 4, .joined = true},
                                  {.name = "published", .x = x, .y = y, .count = 4, .joined = true, .hollow = true, .second = true}};
    const tri__panel panel = {"", "batch", "seconds", "CPU, %", series, 2, .log_x = true, .log_y = true, .intercept = NAN, .slope = NAN};
    char *text;
    assert_ok(tri__plot_draw("two series", &panel, 1, &text));
    assert_int_equal(count(text, "class=\"bar\""), 3); /* what is not above 0 has no place on a logarithmic axis */
    assert_int_equal(count(text, "<circle"), 3 + 1);   /* and one in the legend */
    assert_int_equal(count(text, "hollow\">"), 2);
    assert_non_null(strstr(text, ">CPU, %</text>"));
    assert_non_null(strstr(text, ">100</text>"));
    assert_null(strstr(text, "nan"));
    free(text);
}

static void a_plot_may_have_names_below_its_points(void **state)
{
    (void)state;
    const double x[] = {0, 1}, y[] = {1, 2};
    const char *const names[] = {"local", "mirrored"};
    const tri__series series = {.x = x, .y = y, .count = 2};
    const tri__panel panel = {"", "strategy", "s", .series = &series, .count = 1, .names = names, .name_count = 2, .slope = NAN};
    char *text;
    assert_ok(tri__plot_draw("names", &panel, 1, &text));
    assert_non_null(strstr(text, ">mirrored</text>"));
    assert_null(strstr(text, "textLength"));
    free(text);
}

static void texts_that_are_too_wide_are_drawn_narrower(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 3}, y[] = {1, 2, 1, 2};
    const char *const names[] = {"none", "one", "two", "several workers, each with its own machine"};
    const tri__series series = {.x = x, .y = y, .count = 4};
    const tri__panel panel = {"", "strategy", "s", .series = &series, .count = 1, .names = names, .name_count = 4, .slope = NAN};
    char *text;
    assert_ok(tri__plot_draw("names", &panel, 1, &text));
    assert_int_equal(count(text, "textLength"), 1);
    free(text);
    assert_ok(tri__plot_draw("a title that says more than there is room for above one panel of a picture", &panel, 1, &text));
    assert_int_equal(count(text, "textLength"), 2);
    free(text);
}

/* Numbers of a y axis keep clear of its name, and those of an x axis of each other. */
static void numbers_of_short_axes_do_not_overlap(void **state)
{
    (void)state;
    const double x[] = {0.001, 0.0161}, y[] = {1381.33, 1381.45};
    const tri__series series = {.x = x, .y = y, .count = 2};
    const tri__panel panel = {"", "seconds", "MB", .series = &series, .count = 1, .intercept = NAN, .slope = NAN};
    char *text;
    assert_ok(tri__plot_draw("memory", &panel, 1, &text));
    assert_non_null(strstr(text, "textLength=\"36\" lengthAdjust=\"spacingAndGlyphs\">1381.4"));
    assert_non_null(strstr(text, ">0.005</text>"));
    assert_int_equal(count(text, ">0.01</text>") + count(text, ">0.015</text>"), 2);
    free(text);
    const double wide[] = {1000001, 1000013};
    assert_ok(tri__plot_draw(
        "memory",
        &(tri__panel){"", "s", "MB", .series = &(tri__series){.x = wide, .y = y, .count = 2}, .count = 1, .intercept = NAN, .slope = NAN},
        1, &text));
    assert_int_equal(count(text, "class=\"axis\" d=\"M") - 1, 2 * count(text, ">10000"));
    free(text);
}

/* From 81 to 88 there is no 1, 2 or 5 of any power of ten. */
static void a_short_logarithmic_axis_has_numbers(void **state)
{
    (void)state;
    const double x[] = {1, 2}, y[] = {81.4, 86.8};
    const tri__series series = {.x = x, .y = y, .count = 2};
    const tri__panel panel = {"", "batch", "%", .series = &series, .count = 1, .log_y = true, .intercept = NAN, .slope = NAN};
    char *text;
    assert_ok(tri__plot_draw("accuracy", &panel, 1, &text));
    assert_non_null(strstr(text, ">82</text>"));
    assert_non_null(strstr(text, ">86</text>"));
    free(text);
}

static void two_axes_may_both_begin_at_zero(void **state)
{
    (void)state;
    const double x[] = {1, 2}, ours[] = {0.5, 0.9}, theirs[] = {90, 100};
    const tri__series series[] = {{.x = x, .y = ours, .count = 2}, {.x = x, .y = theirs, .count = 2, .second = true}};
    tri__panel panel = {"", "batch", "s", "published s", series, 2, .intercept = NAN, .slope = NAN};
    char *text;
    assert_ok(tri__plot_draw("sizes", &panel, 1, &text));
    assert_int_equal(count(text, ">0</text>"), 0);
    free(text);
    panel.from_zero = true;
    assert_ok(tri__plot_draw("sizes", &panel, 1, &text));
    assert_int_equal(count(text, ">0</text>"), 2);
    free(text);
}

static void ticks_of_a_plot_are_round_numbers(void **state)
{
    (void)state;
    double first, step;
    tri__plot_ticks(0, 100, &first, &step);
    assert_true(first == 0 && step == 20);
    tri__plot_ticks(1.7, 4.3, &first, &step);
    assert_true(fabs(first - 2) < 1e-9 && fabs(step - 0.5) < 1e-9);
    tri__plot_ticks(-3000, 9000, &first, &step);
    assert_true(first == -2000 && step == 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plot_has_its_points_lines_and_titles),
        cmocka_unit_test(a_plot_of_one_point_is_drawn),
        cmocka_unit_test(a_plot_has_error_bars_logarithmic_axes_and_a_second_axis),
        cmocka_unit_test(a_plot_may_have_names_below_its_points),
        cmocka_unit_test(texts_that_are_too_wide_are_drawn_narrower),
        cmocka_unit_test(numbers_of_short_axes_do_not_overlap),
        cmocka_unit_test(a_short_logarithmic_axis_has_numbers),
        cmocka_unit_test(two_axes_may_both_begin_at_zero),
        cmocka_unit_test(ticks_of_a_plot_are_round_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
