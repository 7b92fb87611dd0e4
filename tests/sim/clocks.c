/* clocks.c: watches the calls of the coordinator's tokens. */
#include "sim/clocks.h"

#include <inttypes.h>

#include "sim/history.h"
#include "sim/invariants.h"
#include "sim/model.h"
#include "store/ps/protocol/tokens.h"

bool __real_tri__tokens_join(tri__tokens *tokens, int member);
bool __wrap_tri__tokens_join(tri__tokens *tokens, int member);
bool __real_tri__tokens_done(tri__tokens *tokens, int member, int64_t step);
bool __wrap_tri__tokens_done(tri__tokens *tokens, int member, int64_t step);
bool __real_tri__tokens_next(tri__tokens *tokens, int member, tri__token *out);
bool __wrap_tri__tokens_next(tri__tokens *tokens, int member, tri__token *out);

/* A worker or server that was lost takes its clock, or updates that were counted, with it. */
static bool is_watched(void)
{
    return sim_all.job.settings.mode == TRI_PS_STALENESS && sim_all.left == 0 && sim_all.worker_kills == 0 && sim_all.server_kills == 0;
}

static int64_t slowest(void)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < SIM_MOST_WORKERS; i++)
        if (sim_all.clock[i].live && sim_all.clock[i].clock < least)
            least = sim_all.clock[i].clock;
    return least < INT64_MAX ? least : 0;
}

bool __wrap_tri__tokens_join(tri__tokens *tokens, int member)
{
    const bool joins = __real_tri__tokens_join(tokens, member);
    if (joins && is_watched())
        sim_all.clock[member] = (sim_clock){.live = true, .clock = slowest()};
    return joins;
}

bool __wrap_tri__tokens_done(tri__tokens *tokens, int member, int64_t step)
{
    const bool done = __real_tri__tokens_done(tokens, member, step);
    if (done && is_watched()) {
        sim_all.clock[member].clock++;
        sim_all.clock[member].done++;
    }
    return done;
}

bool __wrap_tri__tokens_next(tri__tokens *tokens, int member, tri__token *out)
{
    const bool granted = __real_tri__tokens_next(tokens, member, out);
    for (int i = 0; granted && is_watched() && i < SIM_MOST_WORKERS; i++) {
        const sim_clock *other = &sim_all.clock[i];
        int64_t beyond = other->clock - (sim_all.clock[member].clock - sim_all.job.settings.staleness);
        sim_all.clock[member].wanted[i] = other->live ? other->done - (beyond > 0 ? beyond : 0) : 0;
    }
    return granted;
}

void sim_check_read(int worker, int64_t step, const float *parameters)
{
    for (size_t i = 0; sim_counts_updates() && is_watched() && i < sim_all.job.floats; i++) {
        const int other = sim_counted_worker(i);
        if (other >= 0 && parameters[i] < (float)sim_all.clock[worker].wanted[other])
            sim_violate("worker:%d begins step %" PRId64 " with %g updates of worker:%d in a chunk, where the bound promises %" PRId64,
                        worker, step, (double)parameters[i], other, sim_all.clock[worker].wanted[other]);
    }
}
