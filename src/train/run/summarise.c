/* summarise.c: what all summaries have in common, whoever counted. */
#include "train/run/summarise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "watch/verdict.h"

static void fill_in(const tri__run *run, tri__summary *summary)
{
    bool evaluated = run->evaluated_at == summary->steps;
    summary->model = tri_model_name(run->model);
    summary->data = run->options.data;
    summary->strategy = run->strategy->name;
    summary->batch = run->settings.batch;
    summary->seed = run->settings.seed;
    summary->total_seconds = tri__clock_seconds(tri__clock_now() - run->request->started);
    summary->test_loss = evaluated ? run->evaluation.loss : NAN;
    summary->test_accuracy = evaluated ? run->evaluation.accuracy : NAN;
    summary->test_damaged = evaluated ? run->evaluation.damaged : 0;
    summary->stopped_by = tri__ending_name(run->ending != TRI_RUN_GOING ? run->ending : tri__ending_by_length(&run->settings));
    summary->until_step = run->until_step;
    summary->checkpoint = run->checkpoint;
}

static const char *find_verdict(const tri__run *run, const tri__summary *summary, const tri__effort *effort, char *buffer, size_t size)
{
    tri__evidence evidence = {
        .seconds = effort->seconds,
        .steps = summary->steps - run->first_step,
        .threads = effort->threads,
        .cpu_percent = effort->cpu_percent,
        .decoding = effort->seconds > 0 ? effort->decoding / effort->seconds : 0,
    };
    memcpy(evidence.share, summary->phases, sizeof evidence.share);
    return tri__verdict(&evidence, buffer, size);
}

tri_status tri__run_conclude(const tri__run *run, tri__summary *summary, const tri__effort *effort, tri__run_result *out)
{
    char verdict[TRI_VERDICT_SIZE];
    fill_in(run, summary);
    summary->verdict = find_verdict(run, summary, effort, verdict, sizeof verdict);
    tri__summary_table(summary, out->table, sizeof out->table);
    tri_status status = tri__summary_json(summary, &out->summary);
    summary->verdict = NULL;
    TRI_TRY(status);
    out->folder = strdup(run->folder.path);
    return out->folder ? tri__json_write(run->folder.summary, out->summary) : tri_fail(TRI_NO_MEMORY, "no memory for the summary");
}
