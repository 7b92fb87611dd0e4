/* analyzer.h: read by script/lint before every source, and by nothing else. clang's analyzer does not know that tri_fail never gives
 * NULL and that tri_wrap gives NULL for NULL only; without this it sees failures that TRI_TRY lets through, and results never written. */
#include "trireme/status.h"

#define tri_fail(...)                                                                                                                      \
    ({                                                                                                                                     \
        tri_status analyzed_failure = tri_fail(__VA_ARGS__);                                                                               \
        if (!analyzed_failure)                                                                                                             \
            __builtin_unreachable();                                                                                                       \
        analyzed_failure;                                                                                                                  \
    })

#define tri_wrap(cause, ...)                                                                                                               \
    ({                                                                                                                                     \
        tri_status analyzed_cause = (cause);                                                                                               \
        tri_status analyzed_wrap = tri_wrap(analyzed_cause, __VA_ARGS__);                                                                  \
        if (!analyzed_wrap != !analyzed_cause)                                                                                             \
            __builtin_unreachable();                                                                                                       \
        analyzed_wrap;                                                                                                                     \
    })
