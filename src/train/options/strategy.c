/* strategy.c: what is asked of a strategy's row wherever one is used. */
#include "train/options/strategy.h"

tri_status tri__strategy_takes(const tri__strategy *strategy, const tri_model *model)
{
    if (strategy->tables || !tri_model_is_sparse(model))
        return NULL;
    return tri_fail(TRI_UNSUPPORTED,
                    "strategy %s does not train sparse models yet, and %s is one: use --strategy local, mirrored or allreduce",
                    strategy->name, tri_model_name(model));
}
