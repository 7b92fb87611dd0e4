/* run.c: the training loop. Besides its work, a step costs two readings of the clock and a few comparisons: no system call, no memory. */
#include "train/run/run.h"

#include <math.h>
#include <stdlib.h>

#include "base/thread/clock.h"
#include "data/batch/dataset.h"
#include "train/run/peers.h"
#include "train/run/run_setup.h"
#include "train/run/summarise.h"

#define REPORT_INTERVAL  (TRI_SECOND / 10)
#define FIRST_VALIDATION 1000 /* examples */

/* Make a step on the batch that was fetched, together with the peers. tally receives what all workers did in this step. */
static tri_status work(tri__run *run, const tri_batch *batch, tri__tally *tally)
{
    tri__trainer *trainer = &run->trainer;
    tri__peers *peers = run->peers;
    const tri_step about = {.step = run->state.step, .rate = tri__schedule_rate(&run->settings.schedule, run->state.step)};
    if (!peers)
        return tri__trainer_compute(trainer, &about, batch, tally);
    TRI_TRY(peers->kind->begin(peers, &about, batch));
    TRI_TRY(tri__trainer_compute(trainer, &about, batch, tally));
    tri__phases_enter(&trainer->phases, TRI_PHASE_PEERS, trainer->now);
    const int64_t begin = trainer->now;
    TRI_TRY(peers->kind->end(peers, tally));
    tri__trainer_enter(trainer, TRI_PHASE_OTHER);
    trainer->ended = trainer->now;
    tri__trace_add(trainer->lane, TRI_SPAN_PEERS, begin, trainer->now, about.step, TRI_FLOW_NONE, 0);
    return NULL;
}

static void tell_step(tri__run *run, double loss)
{
    const tri__run_request *request = run->request;
    const double rate = (double)tri__schedule_rate(&run->settings.schedule, run->state.step - 1);
    if (request->stepped && !request->stepped(request->context, rate, loss))
        run->ending = TRI_RUN_STEPS;
}

static tri_status step(tri__run *run)
{
    const tri_batch *batch;
    TRI_TRY(tri__trainer_fetch(&run->trainer, &batch));
    if (!batch || (batch->count == 0 && tri__run_reads_stream(run))) {
        if (!batch)
            run->ending = *run->request->stop ? TRI_RUN_SIGNAL : TRI_RUN_INPUT;
        return NULL; /* the stream has ended, or has no data at the moment */
    }
    if (batch->damaged)
        tri__run_tell_note(run, run->trainer.dataset);
    tri__tally tally;
    TRI_TRY(work(run, batch, &tally));
    if (!isfinite(tally.loss))
        return tri__run_diverged(run, isnan(tally.loss) ? "the loss is not a number" : "the loss is infinite");
    run->state.step++;
    run->state.examples += tally.count;
    tri__run_count_step(run, &tally);
    tell_step(run, tri__tally_mean(&tally));
    tri__run_publish(run, run->state.step);
    tri__run_mark_epoch(run, run->state.step);
    return run->progressive ? tri__run_validate(run, batch) : NULL;
}

static void check_end(tri__run *run)
{
    if (run->ending != TRI_RUN_GOING)
        return;
    if (tri__length_reached(&run->length, run->state.step))
        run->ending = tri__run_ending_by_length(&run->settings);
    else if (*run->request->stop)
        run->ending = TRI_RUN_SIGNAL;
}

/* Work between two steps takes time. Reading the clock again counts it as "other"; otherwise it would count as the next step's wait for
 * input, which begins at run->trainer.now. */
static void count_as_other(tri__run *run)
{
    run->trainer.now = tri__clock_now();
}

static tri_status after_step(tri__run *run)
{
    if (tri__run_curves_due(run)) {
        tri__run_tell_curves(run, run->state.step);
        count_as_other(run);
    }
    tri__run_tell_histograms(run, run->state.step);
    if (run->progressive && tri__run_progressive_due(run))
        tri__run_tell_progressive(run);
    if (tri__run_evaluation_due(run)) {
        TRI_TRY(tri__run_evaluate(run));
        tri__run_check_progressive_goal(run);
    }
    check_end(run);
    if (run->ending == TRI_RUN_GOING && tri__run_save_due(run)) {
        TRI_TRY(tri__run_save(run));
        count_as_other(run);
    }
    if (run->trainer.now >= run->journal.next) {
        tri__run_tell_progress(run);
        count_as_other(run);
        run->journal.next = run->trainer.now + REPORT_INTERVAL;
    }
    return NULL;
}

static void start_clock(tri__run *run)
{
    run->since.usage = tri__usage_now();
    tri__run_start_clock(run);
    run->saving.next = run->trainer.now + run->settings.checkpoint.seconds * TRI_SECOND;
    run->journal.next = run->trainer.now + REPORT_INTERVAL;
    run->journal.validation.time = INT64_MAX; /* the first report is due by examples only */
    run->journal.validation.examples = FIRST_VALIDATION;
}

static tri_status loop(tri__run *run)
{
    start_clock(run);
    while (run->ending == TRI_RUN_GOING) {
        TRI_TRY(step(run));
        TRI_TRY(after_step(run));
    }
    return tri__run_flush(run);
}

/* End a run that did not fail. The last checkpoint is written first, so that a later failure cannot lose it. */
static tri_status finish(tri__run *run)
{
    tri__trainer_pause(&run->trainer);
    TRI_TRY(tri__run_save_last(run));
    bool hurry = *run->request->stop; /* a user who pressed Ctrl-C does not want to wait for an evaluation */
    return hurry ? NULL : tri__run_evaluate(run);
}

static tri_status train(tri__run *run)
{
    tri__run_tell_start(run);
    if (run->request->began)
        run->request->began(run->request->context);
    tri_status status = loop(run);
    if (run->peers)
        status = run->peers->kind->leave(run->peers, status);
    tri__run_collect_checkpoint(run);
    if (!status && tri__run_leads(run))
        status = finish(run);
    tri__trainer_pause(&run->trainer);
    if (status)
        run->ending = tri_status_code(status) == TRI_DIVERGED ? TRI_RUN_DIVERGED : TRI_RUN_ERROR;
    return status;
}

tri_status tri__run_train(const tri__run_request *request, tri__run_result *out)
{
    *out = (tri__run_result){0};
    tri__run run;
    tri_status status = tri__run_open(&run, request);
    if (!status) {
        status = train(&run);
        tri_status summary = tri__run_leads(&run) ? tri__run_summarise(&run, out) : NULL;
        if (status)
            tri_status_free(summary);
        else
            status = summary;
        if (status && run.journal.log_file)
            tri__log_file_note(run.journal.log_file, TRI_LOG_ERROR, tri_status_message(status)); /* the caller shows it to the user */
    }
    out->told = run.peers && run.peers->told;
    tri__run_fini(&run);
    return status;
}

void tri__run_result_fini(tri__run_result *result)
{
    free(result->folder);
    json_decref(result->summary);
    *result = (tri__run_result){0};
}
