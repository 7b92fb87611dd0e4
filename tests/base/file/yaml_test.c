/* yaml_test.c: YAML as JSON values, and what is refused. */
#include "base/file/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

static tri_status parse(const char *text, json_t **out)
{
    return tri__yaml_parse("a.yaml", text, strlen(text), out);
}

static void expect(const char *text, const char *json)
{
    json_t *value = NULL;
    assert_ok(parse(text, &value));
    char *shown = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_string_equal(shown, json);
    free(shown);
    json_decref(value);
}

static void refuse(const char *text, const char *message)
{
    json_t *value = NULL;
    assert_fails(parse(text, &value), TRI_BAD_DATA, message);
    assert_null(value);
}

static void yaml_mappings_lists_and_texts_are_read(void **state)
{
    (void)state;
    expect("ps: [a:1, \"b:2\"]\nworker:\n  - c\n  - 'd'\n", "{\"ps\":[\"a:1\",\"b:2\"],\"worker\":[\"c\",\"d\"]}");
    expect("# only a comment above\n---\nx: {y: 3, z: }\n", "{\"x\":{\"y\":\"3\",\"z\":\"\"}}");
    expect("- 1\n- true\n", "[\"1\",\"true\"]");
    expect("{\"json\": [\"is YAML too\"]}", "{\"json\":[\"is YAML too\"]}");
}

static void yaml_errors_name_line_and_column(void **state)
{
    (void)state;
    refuse("", "a.yaml: there is nothing in it");
    refuse("ps: [a\nworker: b", "a.yaml: line 2");
    refuse("a: 1\na: 2\n", "this key was there before");
    refuse("a: &x [1]\nb: *x\n", "an alias");
    refuse("[1]: 2\n", "a key must be a word");
    refuse("a: 1\n---\nb: 2\n", "a second document");
    refuse("a: \"\\0\"\n", "NUL");
    refuse("[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]", "nested too deeply");
    refuse("\t- a", "a.yaml: line 1");
}

static void yaml_files_are_read(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "x.yaml");
    json_t *value = NULL;
    assert_fails(tri__yaml_read(path, &value), TRI_NOT_FOUND, "x.yaml");
    test_write(path, "a: b\n", 5);
    assert_ok(tri__yaml_read(path, &value));
    assert_string_equal(json_string_value(json_object_get(value, "a")), "b");
    json_decref(value);
    free(path);
    test_folder_remove(folder);
}

static void the_line_of_a_key_is_found(void **state)
{
    (void)state;
    char *folder = test_folder_create(), *path = test_path(folder, "x.yaml");
    const char *text = "# settings\na: [b,\n  c]\nd: {b: 1}\n\nb: d\n";
    test_write(path, text, strlen(text));
    assert_int_equal(tri__yaml_line_of(path, "a"), 2);
    assert_int_equal(tri__yaml_line_of(path, "d"), 4);
    assert_int_equal(tri__yaml_line_of(path, "b"), 6);
    assert_int_equal(tri__yaml_line_of(path, "c"), 0);
    assert_int_equal(tri__yaml_line_of("nowhere.yaml", "a"), 0);
    free(path);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yaml_mappings_lists_and_texts_are_read),
        cmocka_unit_test(yaml_errors_name_line_and_column),
        cmocka_unit_test(yaml_files_are_read),
        cmocka_unit_test(the_line_of_a_key_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
