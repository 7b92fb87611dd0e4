/* saving.c: writes checkpoints, between two steps or in another thread. */
#include "train/run/saving.h"

#include <stdlib.h>
#include <string.h>

#include "base/thread/clock.h"
#include "data/batch/dataset.h"
#include "train/run/journal.h"
#include "train/run/peers.h"

void tri__saving_keep(tri__saving *saving, char *path, int64_t step)
{
    free(saving->path);
    saving->path = path;
    saving->at = step;
}

void tri__saving_fini(tri__saving *saving)
{
    tri__checkpoint_writer_destroy(saving->writer);
    free(saving->path);
}

/* A hint how to find a rate that works. adam scales each gradient, so one rate suits more models and labels. */
static const char *find_rate_hint(const tri__train_settings *settings)
{
    if (settings->schedule.kind == TRI_SCHEDULE_SWEEP)
        return "";
    return strncmp(settings->rule.name, "adam", strlen("adam")) ? " (--find-rate suggests a rate, --rule adam depends less on it)"
                                                                : " (--find-rate suggests a rate)";
}

/* The message says what to try, and what was tried. */
static tri_status diverge(const tri__run *run, int64_t step, const char *what, const char *ending, const char *path)
{
    return tri_fail(TRI_DIVERGED, "step %lld: %s; try a smaller --rate (it was %g)%s%s%s%s", (long long)step, what,
                    (double)tri__schedule_rate(&run->settings.schedule, step),
                    run->settings.rule.clip > 0 ? " or a smaller --clip" : " or --clip 1", find_rate_hint(&run->settings), ending, path);
}

tri_status tri__run_diverged(const tri__run *run, const char *what)
{
    const char *path = run->saving.path;
    return diverge(run, run->state.step, what, path ? ". The last good checkpoint is " : ". No checkpoint had been written yet",
                   path ? path : "");
}

tri_status tri__run_worker_diverged(const tri__run *run, int64_t step, const char *what)
{
    return diverge(run, step, what, "", "");
}

/* seconds: how long training paused; 0 where another thread has written the checkpoint. */
static void keep_name(tri__run *run, char *written, int64_t step, double seconds)
{
    tri__marks_add(run->journal.marks, TRI_MARK_CHECKPOINT, run->journal.leader, step, seconds,
                   seconds > 0 ? "training paused" : "written");
    tri__saving_keep(&run->saving, written, step);
    tri__log_line(run->journal.log, TRI_LOG_DEBUG, "step %lld: checkpoint %s", (long long)step, written);
}

/* A disk that is full now may have room later: training continues, and only the last checkpoint must succeed. Parameters that are not
 * numbers are returned, because they end the run. */
static tri_status forgive(const tri__run *run, int64_t step, tri_status status)
{
    if (!status || tri_status_code(status) == TRI_DIVERGED)
        return status;
    tri__log_line(run->journal.log, TRI_LOG_WARNING, "no checkpoint at step %lld: %s; training goes on", (long long)step,
                  tri_status_message(status));
    tri_status_free(status);
    return NULL;
}

/* Wait for the checkpoint that another thread writes, if there is one. If it failed, the next one is tried all the same. */
static tri_status collect(tri__run *run)
{
    char *written = NULL;
    int64_t step = 0;
    tri_status status = NULL;
    if (run->saving.writer)
        status = tri__checkpoint_writer_end(run->saving.writer, &written, &step);
    TRI_TRY(forgive(run, step, status));
    if (written)
        keep_name(run, written, step, 0);
    return NULL;
}

/* Where other workers would wait for the disk, or tables are so large that it takes long, a thread writes the checkpoint. */
static tri_status save_beside(tri__run *run, const tri__checkpoint_content *content)
{
    if (!run->saving.writer)
        TRI_TRY(tri__checkpoint_writer_create(run->trainer.store, &run->saving.writer));
    return tri__checkpoint_writer_begin(run->saving.writer, run->journal.folder.checkpoints, content, run->settings.keep);
}

tri__checkpoint_content tri__run_content(const tri__run *run, tri_store *store, const tri_source_info *source, const tri__run_state *state)
{
    return (tri__checkpoint_content){
        .model = run->inputs.model,
        .graph = run->inputs.graph,
        .store = store,
        .source = source,
        .options = &run->options,
        .state = state,
        .nonzero_rows = run->settings.nonzero_rows,
    };
}

typedef enum {
    NEXT,        /* the next checkpoint of the run */
    NEXT_BESIDE, /* the same, but another thread may write it */
    BEST,
} which_checkpoint;

static tri_status save(tri__run *run, which_checkpoint which)
{
    TRI_TRY(collect(run));
    run->state.position = tri_dataset_position(run->trainer.dataset);
    run->state.seconds = tri__run_seconds(run);
    run->state.total_seconds = tri__run_total_seconds(run);
    tri__checkpoint_content content = tri__run_content(run, run->trainer.store, tri_source_describe(run->inputs.source), &run->state);
    content.damaged_count = tri__dataset_damage(run->trainer.dataset, &content.damaged);
    if (which == BEST)
        return tri__checkpoint_save_best(run->journal.folder.checkpoints, &content);
    if (which == NEXT_BESIDE)
        return save_beside(run, &content);
    char *written;
    const int64_t began = tri__clock_now();
    TRI_TRY(tri__checkpoint_save(run->journal.folder.checkpoints, &content, run->settings.keep, &written));
    tri__trace_end(run->trainer.lane, TRI_SPAN_CHECKPOINT, began, run->state.step);
    keep_name(run, written, run->state.step, tri__clock_seconds(tri__clock_now() - began));
    return NULL;
}

static tri_status checkpoint(tri__run *run, which_checkpoint which)
{
    TRI_TRY(tri__run_flush(run));
    tri_status diverged = forgive(run, run->state.step, save(run, which));
    if (!diverged)
        return NULL;
    tri_status reason = tri__run_diverged(run, tri_status_message(diverged));
    tri_status_free(diverged);
    return reason;
}

bool tri__run_save_due(tri__run *run)
{
    const tri__every *every = &run->settings.checkpoint;
    if (!tri__run_leads(run) || run->request->keeps_no_model)
        return false;
    if (every->kind != TRI_EVERY_SECONDS)
        return tri__length_due(&run->length, every, run->state.step);
    if (run->trainer.now < run->saving.next)
        return false;
    run->saving.next = run->trainer.now + every->seconds * TRI_SECOND;
    return true;
}

/* Parameters that are not numbers do not matter here, because another checkpoint follows, which finds them too. */
void tri__run_collect_checkpoint(tri__run *run)
{
    tri_status status = collect(run);
    if (status)
        tri__log_line(run->journal.log, TRI_LOG_WARNING, "%s", tri_status_message(status));
    tri_status_free(status);
}

tri_status tri__run_save(tri__run *run)
{
    tri_store *store = run->trainer.store;
    const bool beside = tri_store_tables(store) ? tri__checkpoint_writer_takes(store) : run->peers != NULL;
    return checkpoint(run, beside ? NEXT_BESIDE : NEXT);
}

tri_status tri__run_save_best(tri__run *run)
{
    return checkpoint(run, BEST);
}

tri_status tri__run_save_last(tri__run *run)
{
    if (run->saving.at == run->state.step || run->request->keeps_no_model)
        return NULL;
    return tri_wrap(save(run, NEXT), "the last checkpoint, at step %lld", (long long)run->state.step);
}
