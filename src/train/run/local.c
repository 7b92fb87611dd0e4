/* local.c: the row of strategy local. */
#include "train/run/local.h"

#include "store/local.h"
#include "train/run/peers.h"
#include "train/run/run_setup.h"
#include "train/step/timed.h"

tri_status tri__local_create_store(struct tri__run *run)
{
    tri_store *local;
    TRI_TRY(tri_store_local_create(tri_graph_parameter_floats(run->inputs.graph), &run->settings.rule, &local));
    tri_store_drop_gradient(local);
    tri_status status = tri__run_add_tables(run, tri__run_table_bytes(run), local);
    if (status) {
        tri_store_destroy(local);
        return status;
    }
    if (run->peers && run->peers->kind->add_squares && run->settings.rule.clip > 0)
        tri__store_local_share_norm(local, (tri__norm_sharing){run->peers->kind->add_squares, run->peers});
    if (!run->settings.deterministic)
        tri_store_lend_tables(local);
    return tri__timed_store_create(local, &run->trainer.store);
}

const tri__strategy tri__strategy_local = {
    .name = "local",
    .options = (const char *const[]){"min-count", "table-memory", NULL},
    .places = TRI_PLACES_IGNORED,
    .one_worker = true,
    .reads_stream = true,
    .create_store = tri__local_create_store,
};
