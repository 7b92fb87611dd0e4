/* binary_json.h: what the binary printed with --json, as tests of it read it. */
#ifndef TESTS_CLI_BINARY_JSON_H
#define TESTS_CLI_BINARY_JSON_H

#include "base/file/json.h"
#include "cli/binary.h"

/* The line on standard output as JSON; the process succeeded, and printed nothing but that line. Ends result. */
static inline json_t *json_of(test_result result)
{
    if (result.status || !*result.out || strchr(result.out, '\n') != result.out + strlen(result.out) - 1)
        fail_msg("exit %d, standard output:\n%s\nstandard error:\n%s", result.status, result.out, result.err);
    json_t *value;
    assert_ok(tri__json_parse("output", result.out, strlen(result.out), &value));
    test_result_fini(&result);
    return value;
}

static inline double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        fail_msg("'%s' is no number", key);
    return json_number_value(value);
}

static inline const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

#endif
