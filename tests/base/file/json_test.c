/* json_test.c: round trips, and messages that say where a text is wrong. */
#include "base/file/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "support.h"

static int enter(void **state)
{
    char *folder = strdup("/tmp/trireme-json-XXXXXX");
    *state = folder;
    return folder && mkdtemp(folder) ? 0 : -1;
}

static int leave(void **state)
{
    tri_status status = tri__folder_remove(*state);
    assert_null(status);
    free(*state);
    return 0;
}

static void written_json_is_read_back(void **state)
{
    char *path = tri__path_join(*state, "summary.json");
    json_t *value = json_pack("{s:s, s:i, s:f, s:[b, n]}", "model", "softmax", "steps", 7000, "loss", 0.1, "list", 1);
    assert_non_null(value);
    assert_ok(tri__json_write(path, value));
    json_t *read = NULL;
    assert_ok(tri__json_read(path, &read));
    assert_true(json_equal(value, read));
    json_decref(value);
    json_decref(read);
    free(path);
}

static void expect_failure(tri_status status, tri_code code, const char *words)
{
    assert_int_equal(tri_status_code(status), code);
    if (!strstr(tri_status_message(status), words))
        fail_msg("\"%s\" does not say \"%s\"", tri_status_message(status), words);
    tri_status_free(status);
}

static void json_errors_name_file_line_and_column(void **state)
{
    (void)state;
    json_t *value = NULL;
    const char *text = "{\n  \"a\": 1,\n}";
    expect_failure(tri__json_parse("state.json", text, strlen(text), &value), TRI_BAD_DATA, "state.json: line 3, column");
    expect_failure(tri__json_parse("x", "", 0, &value), TRI_BAD_DATA, "not JSON");
    text = "{\"a\": 1, \"a\": 2}";
    expect_failure(tri__json_parse("x", text, strlen(text), &value), TRI_BAD_DATA, "duplicate");
    text = "{} {}";
    expect_failure(tri__json_parse("x", text, strlen(text), &value), TRI_BAD_DATA, "end of file expected");
    assert_null(value);
}

static void reading_json_from_a_missing_file_or_folder_fails(void **state)
{
    char *path = tri__path_join(*state, "missing/a.json");
    json_t *value = NULL;
    expect_failure(tri__json_read(path, &value), TRI_NOT_FOUND, path);
    json_t *empty = json_object();
    expect_failure(tri__json_write(path, empty), TRI_NOT_FOUND, path);
    expect_failure(tri__json_write("/dev/full", empty), TRI_IO, "disk full");
    json_decref(empty);
    free(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static void strings_are_escaped_and_what_is_no_text_is_replaced(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    tri__json_put_string(out, "a \"b\"\n\\", "null");
    tri__json_put_string(out, "\xff", "\"\"");
    tri__json_put_string(out, NULL, "null");
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "\"a \\\"b\\\"\\n\\\\\"\"\"null");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(written_json_is_read_back),
        cmocka_unit_test(json_errors_name_file_line_and_column),
        cmocka_unit_test(strings_are_escaped_and_what_is_no_text_is_replaced),
        TEST(reading_json_from_a_missing_file_or_folder_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
