/* allreduce.c: the row of strategy allreduce. */
#include "train/options/strategy.h"

#include <inttypes.h>

#include "train/options/waits.h"
#include "train/ranks/allreduce_peers.h"
#include "train/ranks/launch.h"
#include "train/ranks/rank_peers.h"

/* The number of ranks can only fall where another attempt follows a lost rank. */
static tri_status check_min_workers(const tri__train_options *options)
{
    int64_t least = options->min_workers, workers = options->workers == TRI_UNSET ? 1 : options->workers;
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

const tri__strategy tri__strategy_allreduce = {
    .name = "allreduce",
    .options = (const char *const[]){"restarts", "min-workers", "timeout", "min-count", "table-memory", NULL},
    .check = check,
    .join = tri__allreduce_peers_join,
    .threads = tri__rank_peers_threads,
    .agree_on_inputs = tri__rank_peers_compare_inputs,
    .create_store = tri__allreduce_peers_create_store,
    .agree_on_parts = tri__allreduce_peers_agree_on_parts,
    .agree_to_start = tri__allreduce_peers_prepare,
    .meeting = TRI_MEET_RANKS,
    .launcher_options = tri__launch_options,
    .launch = tri__launch_ranks,
};
