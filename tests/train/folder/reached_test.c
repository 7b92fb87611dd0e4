/* reached_test.c: a run has reached its target if the summary of its newest checkpoint says so. */
#include "train/folder/reached.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support.h"
#include "train/folder/folder_lock.h"

static void write_file(const char *folder, const char *name, const char *text)
{
    char *path = test_path(folder, name);
    test_write(path, text, strlen(text));
    free(path);
}

/* A folder whose newest checkpoint is of step 20, with this summary. */
static char *folder_with(const char *summary)
{
    char *folder = test_folder_create(), *checkpoints = test_path(folder, "checkpoint");
    assert_int_equal(mkdir(checkpoints, 0700), 0);
    free(checkpoints);
    write_file(folder, "checkpoint/step-00000010.safetensors", "");
    write_file(folder, "checkpoint/step-00000020.safetensors", "");
    write_file(folder, "summary.json", summary);
    return folder;
}

static bool has_reached(const char *folder, const char *until)
{
    tri__train_options options;
    json_t *summary;
    tri__train_options_init(&options);
    options.until = until ? strdup(until) : NULL;
    assert_ok(tri__reached_before(folder, &options, &summary));
    const bool reached = summary;
    json_decref(summary);
    tri__train_options_fini(&options);
    return reached;
}

static void expect(const char *summary, const char *until, bool reached)
{
    char *folder = folder_with(summary);
    assert_int_equal(has_reached(folder, until), reached);
    test_folder_remove(folder);
}

#define GOOD "{\"steps\": 20, \"test_accuracy\": 0.9, \"test_loss\": 0.3}"

static void a_target_is_compared_with_the_summary_of_the_newest_checkpoint(void **state)
{
    (void)state;
    expect(GOOD, "accuracy>=0.9", true);
    expect(GOOD, "loss<=0.3", true);
    expect(GOOD, "accuracy>=0.91", false);
    expect("{\"steps\": 10, \"test_accuracy\": 0.9}", "accuracy>=0.5", false); /* training went on after it */
}

static void a_target_is_open_where_the_summary_does_not_say(void **state)
{
    (void)state;
    expect(GOOD, NULL, false);
    expect("{\"steps\": 20, \"test_accuracy\": null}", "accuracy>=0.5", false); /* not evaluated */
    expect("{\"steps\": 20, \"test_acc", "accuracy>=0.5", false);
    expect("{\"steps\": 20, \"progressive_accuracy\": 0.9}", "progressive_accuracy>=0.5", false); /* more of a stream may come */
}

static void a_run_that_goes_on_has_reached_nothing_yet(void **state)
{
    (void)state;
    char *folder = folder_with(GOOD);
    tri__folder_lock *lock;
    assert_ok(tri__folder_lock_job(folder, &lock));
    assert_false(has_reached(folder, "accuracy>=0.5"));
    tri__folder_lock_release(lock);
    assert_true(has_reached(folder, "accuracy>=0.5"));
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_is_compared_with_the_summary_of_the_newest_checkpoint),
        cmocka_unit_test(a_target_is_open_where_the_summary_does_not_say),
        cmocka_unit_test(a_run_that_goes_on_has_reached_nothing_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
