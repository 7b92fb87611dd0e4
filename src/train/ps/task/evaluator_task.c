/* evaluator_task.c: the evaluator: a process that pulls snapshots from ps:0, evaluates them on the test examples, and sends ps:0 the
 * results. */
#include "train/ps/task/evaluator_task.h"

#include <stdlib.h>

#include "base/thread/clock.h"
#include "store/ps/worker/evaluator.h"
#include "train/ps/settings/tables.h"

static tri_status evaluate_snapshot(void *context, int64_t step, json_t **out)
{
    tri__run *run = context;
    tri__evaluation result;
    const int64_t began = tri__clock_now();
    TRI_TRY(tri__evaluator_run(run->evaluating.evaluator, &result));
    char text[TRI_MEASURES_TEXT];
    tri__log_line(run->journal.log, TRI_LOG_DEBUG, "step %lld: %s of %lld examples", (long long)step,
                  tri__measures_text(&result, ", ", text), (long long)result.examples);
    tri__trace_end(run->trainer.lane, TRI_SPAN_EVALUATION, began, step);
    *out = json_pack("{s:I, s:f}", "examples", (json_int_t)result.examples, "seconds", tri__clock_seconds(tri__clock_now() - began));
    if (!*out)
        return tri_fail(TRI_NO_MEMORY, "no memory for an evaluation");
    tri__measures_put(&result, *out);
    tri__sampler_take(run->journal.sampler); /* it may be the last result, with which ps:0 adds up the samples */
    return NULL;
}

tri_status tri__evaluator_task_run(tri__run *run, const tri__task_setup *setup, const tri__ps_settings *ps)
{
    TRI_TRY(tri__run_open_data(run));
    TRI_TRY(tri_store_local_create(tri_graph_parameter_floats(run->inputs.graph), &(tri_rule){0}, &run->trainer.store));
    tri_store_drop_gradient(run->trainer.store);
    TRI_TRY(tri_graph_add_tables(run->inputs.graph, run->trainer.store));
    tri__tables_hold_few_rows(&run->settings, run->trainer.store);
    if (run->inputs.test)
        TRI_TRY(tri__run_create_evaluator(run));
    run->trainer.lane = tri__trace_lane_add(run->journal.trace, "evaluator");
    int32_t *keys = NULL;
    int64_t count = 0;
    if (run->inputs.test && tri_store_tables(run->trainer.store) > 0)
        TRI_TRY(tri__evaluator_keys(run->evaluating.evaluator, &keys, &count));
    const tri__ps_evaluator_options options = {
        .coordinator = &setup->cluster->server[0],
        .settings = *ps,
        .tls = setup->tls,
        .store = run->trainer.store,
        .keys = keys,
        .key_count = count,
        .none = !run->inputs.test,
        .evaluate = evaluate_snapshot,
        .context = run,
        .log = run->journal.log,
        .traffic = &run->journal.work.traffic,
    };
    tri_status status = tri__ps_evaluator_run(&options);
    free(keys);
    return status;
}
