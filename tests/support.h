/* support.h: what tests share: cmocka with the headers it wants before it, temporary folders, files, and other processes.
 *
 * Every helper fails the running test when the operating system refuses, so calls need no checks. What a test was given it gives
 * back: folders to test_folder_remove, strings to free, results of processes to test_result_fini. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trireme/status.h"

/* A fresh, empty folder under the system's temporary folder. */
char *test_folder_create(void);
void test_folder_remove(char *folder); /* with all that is in it; frees folder; accepts NULL */

/* For cmocka's tables: a folder as a test's state. */
int test_folder_set_up(void **state);
int test_folder_tear_down(void **state);
#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, test_folder_set_up, test_folder_tear_down)

char *test_path(const char *folder, const char *name); /* "folder/name" */
void test_write(const char *path, const void *data, size_t size);
char *test_read(const char *path, size_t *size); /* the bytes with a NUL behind them; size may be NULL */

/* Limit the size of files that this process writes, as a full disk does: writing beyond it fails. −1 lifts the limit. */
void test_limit_files(int64_t bytes);

/* A process that has ended: what it said, and its exit status (128 + the signal where one killed it). */
typedef struct {
    int status;
    char *out, *err; /* all of standard output and standard error, NUL-terminated */
} test_result;

/* Run arguments[0] (found by PATH where it has no slash) with the rest as its arguments, in folder (NULL: this one), with an
 * empty standard input. arguments ends in NULL. */
test_result test_run(const char *folder, const char *const *arguments);
void test_result_fini(test_result *result);

/* Succeed only where status is NULL; the message of a failure is the test's message. */
#define assert_ok(expression) test_ok((expression), __FILE__, __LINE__)
void test_ok(tri_status status, const char *file, int line);

/* Succeed only where status failed with code and its message contains text (NULL: any). Frees status. */
#define assert_fails(expression, code, text) test_fails((expression), (code), (text), __FILE__, __LINE__)
void test_fails(tri_status status, tri_code code, const char *text, const char *file, int line);

#endif
