/* analyzer.h: read by script/lint before every source, and by nothing else. clang's analyzer does not follow returns_nonnull; without
 * this it sees a failure that TRI_TRY lets through, and results that were never written. */
#include "trireme/status.h"

static inline tri_status never_null(tri_status status)
{
    if (!status)
        __builtin_unreachable();
    return status;
}

#define tri_fail(...) never_null(tri_fail(__VA_ARGS__))
