/* task.c: one task of a job with parameter servers. */
#include "train/task.h"

tri_status tri__task_run(const tri__run_request *request, const tri__task_place *place, tri__run_result *out)
{
    (void)request;
    (void)place;
    *out = (tri__run_result){0};
    return tri_fail(TRI_BAD_CALL, "--strategy ps: not built yet");
}
