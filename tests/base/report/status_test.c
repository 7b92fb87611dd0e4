/* Errors as values: codes, messages, causes. */
#include "support.h"

#include <string.h>

#include "trireme/status.h"

static void a_success_is_null_and_has_an_empty_message(void **state)
{
    (void)state;
    assert_int_equal(tri_status_code(NULL), TRI_OK);
    assert_string_equal(tri_status_message(NULL), "");
    assert_null(tri_status_cause(NULL));
    tri_status_free(NULL);
}

static void a_failure_carries_its_code_and_formatted_message(void **state)
{
    (void)state;
    tri_status status = tri_fail(TRI_BAD_DATA, "record %d of %s", 17, "a.idx");
    assert_int_equal(tri_status_code(status), TRI_BAD_DATA);
    assert_string_equal(tri_status_message(status), "record 17 of a.idx");
    assert_null(tri_status_cause(status));
    tri_status_free(status);
}

static void wrapping_an_error_puts_context_before_it_and_keeps_its_code(void **state)
{
    (void)state;
    tri_status status = tri_wrap(tri_wrap(tri_fail(TRI_IO, "disk full"), "writing %s", "x"), "step %d", 3);
    assert_int_equal(tri_status_code(status), TRI_IO);
    assert_string_equal(tri_status_message(status), "step 3: writing x: disk full");
    assert_string_equal(tri_status_message(tri_status_cause(status)), "writing x: disk full");
    assert_string_equal(tri_status_message(tri_status_cause(tri_status_cause(status))), "disk full");
    tri_status_free(status);
}

static void wrapping_success_is_success(void **state)
{
    (void)state;
    assert_null(tri_wrap(NULL, "never seen"));
}

static void long_error_messages_are_not_cut(void **state)
{
    (void)state;
    char long_text[5000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    tri_status status = tri_fail(TRI_INTERNAL, "%s", long_text);
    assert_string_equal(tri_status_message(status), long_text);
    tri_status_free(status);
}

static tri_status stop_early(int *reached)
{
    TRI_TRY(NULL);
    *reached = 1;
    TRI_TRY(tri_fail(TRI_TIMEOUT, "late"));
    *reached = 2;
    return NULL;
}

static void tri_try_returns_the_first_failure(void **state)
{
    (void)state;
    int reached = 0;
    tri_status status = stop_early(&reached);
    assert_int_equal(tri_status_code(status), TRI_TIMEOUT);
    assert_int_equal(reached, 1);
    tri_status_free(status);
}

static void every_code_has_a_name(void **state)
{
    (void)state;
    for (int code = TRI_OK; code <= TRI_INTERNAL; code++)
        assert_string_not_equal(tri_code_name((tri_code)code), "unknown");
    assert_string_equal(tri_code_name((tri_code)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_success_is_null_and_has_an_empty_message),
        cmocka_unit_test(a_failure_carries_its_code_and_formatted_message),
        cmocka_unit_test(wrapping_an_error_puts_context_before_it_and_keeps_its_code),
        cmocka_unit_test(wrapping_success_is_success),
        cmocka_unit_test(long_error_messages_are_not_cut),
        cmocka_unit_test(tri_try_returns_the_first_failure),
        cmocka_unit_test(every_code_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
