/* plot_test.c: the picture is well-formed, has every point and the line, and its ticks are round. */
#include "lab/plot.h"

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
    const tri__panel panels[] = {{"slope 12.5", "batch < 4 & more", "images/s", x, y, 3, -3.3, 12.5},
                                 {"no line", "repeat", "images/s", x, y, 3, NAN, NAN}};
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
    assert_ok(tri__plot_write(path, "one point", &(tri__panel){"", "x", "y", &x, &y, 1, NAN, NAN}, 1));
    char *text = test_read(path, NULL);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
    free(path);
    test_folder_remove(folder);
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
        cmocka_unit_test(ticks_of_a_plot_are_round_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
