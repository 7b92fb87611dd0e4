/* allreduce.c: the row of strategy allreduce. */
#include "train/ranks/allreduce.h"

#include <inttypes.h>

#include "train/options/waits.h"
#include "train/ranks/launch.h"
#include "train/ranks/rank_peers.h"

static int64_t workers_of(const tri__train_options *options)
{
    return options->workers == TRI_UNSET ? 1 : options->workers;
}

/* The number of ranks falls only where a lost rank is followed by another attempt. */
static tri_status check_min_workers(const tri__train_options *options)
{
    int64_t least = options->min_workers, workers = workers_of(options);
    if (least == TRI_UNSET)
        return NULL;
    if (options->restarts == TRI_UNSET || options->restarts == 0)
        return tri_fail(TRI_BAD_CALL, "--min-workers %" PRId64 " goes with --restarts N: without it a run that lost a rank ends", least);
    if (least > workers)
        return tri_fail(TRI_BAD_CALL, "--min-workers %" PRId64 ": there are %" PRId64 " (--workers); give that many at most", least,
                        workers);
    return NULL;
}

static tri_status check(const tri__train_options *options)
{
    tri__waits waits;
    TRI_TRY(check_min_workers(options));
    return tri__waits_resolve(options, &waits);
}

static tri_status launch(const tri__launch_request *request, tri__run_result *out)
{
    const tri__train_options *options = request->run->options;
    int workers = (int)workers_of(options);
    const tri__launching launching = {
        .run = request->run,
        .program = request->program,
        .words = request->words,
        .workers = workers,
        .threads = options->threads > 0 ? (int)options->threads
                   : request->placement ? request->placement->threads
                                        : 0,
        .restarts = options->restarts > 0 ? (int)options->restarts : 0,
        .min_workers = options->min_workers > 0 ? (int)options->min_workers : workers,
        .hosts = request->hosts,
        .placement = request->placement,
        .as_root = request->as_root,
    };
    return tri__launch(&launching, out);
}

const tri__strategy tri__strategy_allreduce = {
    .name = "allreduce",
    .options = (const char *const[]){"restarts", "min-workers", "timeout", NULL},
    .check = check,
    .join = tri__rank_peers_join,
    .threads = tri__rank_peers_threads,
    .agree_on_inputs = tri__rank_peers_compare_inputs,
    .create_store = tri__rank_peers_create_store,
    .agree_on_parts = tri__rank_peers_agree_on_parts,
    .agree_to_start = tri__rank_peers_prepare,
    .meeting = TRI_MEET_RANKS,
    .launcher_options = (const char *const[]){"workers", "threads", "out", "resume", "json", TRI_PLACING_OPTIONS, NULL},
    .launch = launch,
};
