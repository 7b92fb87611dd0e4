/* local.c: the row of strategy local. */
#include "train/run/local.h"

#include <inttypes.h>

#include "base/memory/memory.h"
#include "train/run/run_inside.h"
#include "train/run/timed.h"

static tri_status check(const tri__train_options *options)
{
    if (options->workers == TRI_UNSET || options->workers == 1)
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "--workers %" PRId64 ": strategy local has one worker, which uses all CPUs (--threads sets how many; "
                    "another --strategy has several workers)",
                    options->workers);
}

static tri_status add_tables(const tri__run *run, tri_store *store)
{
    const tri__train_settings *settings = &run->settings;
    if (!settings->min_count)
        return tri_graph_add_tables(run->inputs.graph, store);
    if (!tri_model_is_sparse(run->inputs.model))
        return tri_fail(TRI_BAD_CALL, "--%s: %s has no tables that could grow; it concerns sparse models",
                        settings->table_bytes ? "table-memory" : "min-count", tri_model_name(run->inputs.model));
    const int64_t bytes = settings->table_bytes ? settings->table_bytes : tri__memory_available() / 2;
    return tri_graph_add_growing_tables(run->inputs.graph, settings->min_count, bytes, store);
}

tri_status tri__local_create_store(struct tri__run *run)
{
    tri_store *local;
    TRI_TRY(tri_store_local_create(tri_graph_parameter_floats(run->inputs.graph), &run->settings.rule, &local));
    tri_store_drop_gradient(local);
    tri_status status = add_tables(run, local);
    if (status) {
        tri_store_destroy(local);
        return status;
    }
    if (!run->settings.deterministic)
        tri_store_lend_tables(local);
    return tri__timed_store_create(local, &run->trainer.store);
}

const tri__strategy tri__strategy_local = {
    .name = "local",
    .options = (const char *const[]){"min-count", "table-memory", NULL},
    .places = TRI_PLACES_IGNORED,
    .reads_stream = true,
    .check = check,
    .create_store = tri__local_create_store,
};
