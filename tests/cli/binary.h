/* binary.h: what the tests of the binary share. */
#ifndef TESTS_CLI_BINARY_H
#define TESTS_CLI_BINARY_H

#include <string.h>

#include "support.h"

/* The binary with these words, or a shell script in which $0 is the binary, in a folder; NULL: where the test runs. */
#define RUN(folder, ...)           test_run(folder, (const char *[]){TEST_BINARY, __VA_ARGS__, NULL})
#define SHELL(folder, script, ...) test_run(folder, (const char *[]){"sh", "-c", script, TEST_BINARY, ##__VA_ARGS__, NULL})

/* Succeed only where the process ended with this status, and out and err occur in what it said. Ends result. */
static inline void expect(test_result result, int status, const char *out, const char *err)
{
    if (result.status != status || !strstr(result.out, out) || !strstr(result.err, err))
        fail_msg("exit %d, standard output:\n%s\nstandard error:\n%s", result.status, result.out, result.err);
    test_result_fini(&result);
}

#endif
