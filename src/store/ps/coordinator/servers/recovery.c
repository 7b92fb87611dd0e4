/* recovery.c: what goes back, and in which order. Servers change their generation before they receive the first float, so that they take
 * nothing that was computed before. Workers are told last, when every server holds its stretch. */
#include "store/ps/coordinator/servers/recovery.h"

#include <inttypes.h>

#include "store/ps/coordinator/coordinator.h"
#include "store/ps/server/pushes.h"

static void go_back_together(tri__coordinator *c)
{
    tri__pairs_separate(c, 0);
    tri__snapshot_fill_own(c);
    tri__server_go_back(c->server, c->server->generation + 1, c->snapshot.standing.step);
    tri__books_go_back(c, c->snapshot.standing.books);
    tri_status status = tri__tokens_rollback(c->tokens, &c->snapshot.standing);
    if (status)
        tri__coordinator_fail(c, status);
    tri__steps_go_back(&c->steps);
}

/* All servers, or in async those that lost their stretch, begin again from the last checkpoint. */
static void go_back(tri__coordinator *c)
{
    bool sync = c->settings->mode == TRI_PS_SYNC;
    int64_t step = tri__coordinator_step(c);
    tri_status status = tri__snapshot_go_back(c);
    if (status) {
        tri__coordinator_fail(c, tri_wrap(status, "going back after a failure"));
        return;
    }
    int64_t lost = step > c->snapshot.standing.step ? step - c->snapshot.standing.step : 0;
    if (sync) /* in async, books.lacks counts them */
        c->recovery.lost += lost;
    tri__log_line(c->server->options.log, TRI_LOG_WARNING, "a server was lost: %s back to step %" PRId64 ", %" PRId64 " updates are lost",
                  sync ? "all go" : "its part goes", c->snapshot.standing.step, lost);
    tri__coordinator_notice(c, TRI_PS_BACK, "ps", 0, "%s back to step %" PRId64 ", %" PRId64 " updates are lost",
                            sync ? "all go" : "a server's part goes", c->snapshot.standing.step, lost);
    c->recovery.state = sync ? TRI_RECOVERY_RESTORING : TRI_RECOVERY_NONE;
    if (sync)
        go_back_together(c);
    tri__followers_restore(c, sync);
}

void tri__recovery_begin(tri__coordinator *c)
{
    c->recovery.state = TRI_RECOVERY_DUE;
    tri__recovery_go_on(c);
}

void tri__recovery_go_on(tri__coordinator *c)
{
    if (c->recovery.state == TRI_RECOVERY_DUE && tri__snapshot_idle(&c->snapshot))
        go_back(c);
    if (c->recovery.state == TRI_RECOVERY_RESTORING && tri__followers_hold(c)) {
        tri__members_go_back(c);
        c->recovery.state = TRI_RECOVERY_REGATHERING;
    }
    if (c->recovery.state == TRI_RECOVERY_REGATHERING && tri__members_complete(&c->members)) {
        c->recovery.state = TRI_RECOVERY_NONE;
        tri__pairs_offer(c, 0);
    }
}
