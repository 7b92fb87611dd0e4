/* placed_strategy.c: the row of strategy placed. */
#include "train/options/strategy.h"

#include "train/options/waits.h"
#include "train/placed/placed_peers.h"
#include "train/ranks/launch.h"
#include "train/ranks/rank_peers.h"

static tri_status check(const tri__train_options *options)
{
    tri__waits waits;
    if (options->global_batch != TRI_UNSET)
        return tri_fail(TRI_BAD_CALL, "--global-batch: all tasks of --strategy placed share one batch; give it by --batch");
    if (options->shard)
        return tri_fail(TRI_BAD_CALL, "--shard: all tasks of --strategy placed read the same examples");
    return tri__waits_resolve(options, &waits);
}

static const char *straggler_remedy(const tri__train_options *options)
{
    (void)options;
    return "move layers from it to other tasks (place=)";
}

const tri__strategy tri__strategy_placed = {
    .name = "placed",
    .options = (const char *const[]){"restarts", "timeout", NULL},
    .places = TRI_PLACES_NEEDED,
    .check = check,
    .straggler_remedy = straggler_remedy,
    .join = tri__placed_peers_join,
    .threads = tri__rank_peers_threads,
    .agree_on_inputs = tri__rank_peers_compare_inputs,
    .create_store = tri__placed_peers_create_store,
    .agree_on_parts = tri__rank_peers_agree,
    .agree_to_start = tri__rank_peers_agree_on_folder,
    .meeting = TRI_MEET_RANKS,
    .launcher_options = tri__launch_options,
    .launch = tri__launch_ranks,
};
