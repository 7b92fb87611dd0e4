/* worker_tokens.h: a worker's tokens: which steps it is to make. */
#ifndef TRI_STORE_PS_WORKER_WORKER_TOKENS_H
#define TRI_STORE_PS_WORKER_WORKER_TOKENS_H

#include "store/ps/worker/worker_inside.h"

/* The step began before its token came: wait for it now. Where it is not the one that was expected, the step is void. So it is where all
 * go back meanwhile; the token that comes then, even if it looks the same, is for the step that is made again. */
TRI_MUST_CHECK tri_status tri__worker_confirm_token(tri__worker *worker);

#endif
