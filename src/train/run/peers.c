/* peers.c: what replicas and ranks have in common. */
#include "train/run/peers.h"

/* A pass reads every record once, so damaged reads and damaged records are equally many. With --shard files, each worker makes its own
 * passes and counts for itself. */
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

bool tri__run_leads(const tri__run *run)
{
    return !run->peers || run->peers->worker == 0;
}
