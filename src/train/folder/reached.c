/* reached.c: compares the goal of a resumed run with the figures in its summary, so that no process has to be started to find out. */
#include "train/folder/reached.h"

#include <stdlib.h>

#include "base/file/folder.h"
#include "train/checkpoint/checkpoint_read.h"
#include "train/folder/folder_lock.h"
#include "watch/sample/run_files.h"

/* NULL where the summary cannot be read, or is older than the newest checkpoint. */
static json_t *newest_summary(const char *folder)
{
    char *file = tri__path_join(folder, TRI_RUN_SUMMARY), *checkpoints = tri__path_join(folder, TRI_RUN_CHECKPOINTS);
    json_t *summary = NULL;
    if (file && checkpoints)
        tri_status_free(tri__json_read(file, &summary));
    if (summary && json_integer_value(json_object_get(summary, "steps")) != tri__checkpoint_newest(checkpoints)) {
        json_decref(summary);
        summary = NULL;
    }
    free(file);
    free(checkpoints);
    return summary;
}

tri_status tri__reached_before(const char *folder, const tri__train_options *options, json_t **summary)
{
    tri__target target;
    *summary = NULL;
    if (!options->until)
        return NULL;
    TRI_TRY(tri__target_parse(options->until, &target));
    if (target.progressive || tri__folder_lock_is_held(folder))
        return NULL; /* more of a stream may come; a run that goes on is refused later */
    *summary = newest_summary(folder);
    const tri__evaluation evaluation = tri__measures_get(*summary, "test_");
    if (*summary && !tri__target_reached(&target, &evaluation)) {
        json_decref(*summary);
        *summary = NULL;
    }
    return NULL;
}
