/* keygen_test.c: trireme keygen as a process. */
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/binary.h"
#include "net/stream/tls.h"

static void keygen_writes_a_private_identity_and_does_not_overwrite_it(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    char *path = test_path(folder, "cluster.pem");
    expect(RUN(NULL, "keygen", path), 0, "valid for 365 days", "");
    char *before = test_read(path, NULL);
    expect(RUN(NULL, "keygen", path), 2, "", "already there");
    char *after = test_read(path, NULL);
    assert_string_equal(before, after);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    tri__tls *tls = NULL;
    assert_ok(tri__tls_create(&(tri__tls_options){.identity = path}, &tls));
    tri__tls_destroy(tls);
    expect(RUN(NULL, "keygen"), 2, "", "FILE");
    expect(RUN(NULL, "keygen", "/no/such/folder/key", "--json"), 1, "", "/no/such/folder/key");
    free(before);
    free(after);
    free(path);
    test_folder_remove(folder);
}

static void a_wrong_key_is_refused_before_any_task_is_started(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    test_result result =
        RUN(folder, "train", "softmax", "--data", "digits:100", "--strategy", "ps", "--key", "nowhere.pem", "--out", "run");
    assert_null(strstr(result.err, "worker:0"));
    expect(result, 1, "", "trireme: nowhere.pem: cannot read");
    expect(SHELL(folder, "test ! -e run"), 0, "", "");
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keygen_writes_a_private_identity_and_does_not_overwrite_it),
        cmocka_unit_test(a_wrong_key_is_refused_before_any_task_is_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
