/* peers.c: what replicas, ranks and tasks have in common. */
#include "train/run/peers.h"

/* A pass reads every record once, so it has as many damaged reads as there are damaged records. With --shard files, each worker makes its
 * own passes and counts for itself. */
tri_status tri__peers_count_damage(tri__run *run, int64_t damaged, bool ends_pass)
{
    tri__peers *peers = run->peers;
    int64_t met = peers->pass + damaged, allowed = run->settings.skip_bad;
    if (run->settings.own_files)
        return NULL;
    peers->pass = ends_pass ? 0 : met;
    if (met <= allowed)
        return NULL;
    return tri_fail(TRI_BAD_DATA, "%s: all workers together met %lld damaged records, more than --skip-bad %lld allows", run->options.data,
                    (long long)met, (long long)allowed);
}

tri_status tri__run_flush(tri__run *run)
{
    tri__peers *peers = run->peers;
    TRI_TRY(tri_store_flush(run->trainer.store));
    return peers && peers->kind->collect ? peers->kind->collect(peers) : NULL;
}

int tri__run_parts(const tri__run *run)
{
    return run->peers && !run->peers->one_model ? run->peers->workers : 1;
}

int tri__run_part(const tri__run *run)
{
    return run->peers && !run->peers->one_model ? run->peers->worker : 0;
}

bool tri__run_leads(const tri__run *run)
{
    return !run->peers || run->peers->worker == 0;
}
