/* hello_test.c: what a worker tells of its source fits into a message, or is refused. */
#include "train/ps/task/hello.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

static json_t *make(size_t columns)
{
    char *text = malloc(columns + 1);
    assert_non_null(text);
    memset(text, 'x', columns);
    text[columns] = 0;
    const tri_source_info source = {.type = TRI_F32, .shape = TRI_SHAPE(3), .examples = 7, .outputs = 2, .columns = text};
    json_t *hello = tri__hello_json(&source, 7, 4, "digest", "data", "terms");
    assert_non_null(hello);
    free(text);
    return hello;
}

static void a_source_is_read_back_from_its_hello(void **state)
{
    (void)state;
    tri_source_info source;
    const char **names = NULL;
    json_t *hello = make(100);
    assert_ok(tri__hello_read(hello, &source, &names));
    assert_true(source.examples == 7 && source.outputs == 2 && tri_shape_equal(source.shape, TRI_SHAPE(3)));
    assert_int_equal(strlen(source.columns), 100);
    free(names);
    json_decref(hello);
}

static void a_hello_that_no_message_holds_is_refused(void **state)
{
    (void)state;
    json_t *wide = make(500000), *too_wide = make(1 << 20);
    assert_ok(tri__hello_check(wide, "wide.csv"));
    assert_fails(tri__hello_check(too_wide, "wide.csv"), TRI_BAD_CALL, "wide.csv: its columns, categories and classes take 1048");
    json_decref(wide);
    json_decref(too_wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_is_read_back_from_its_hello),
        cmocka_unit_test(a_hello_that_no_message_holds_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
