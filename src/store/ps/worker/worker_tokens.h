/* worker_tokens.h: a worker's tokens: which steps it is to make. */
#ifndef TRI_STORE_PS_WORKER_WORKER_TOKENS_H
#define TRI_STORE_PS_WORKER_WORKER_TOKENS_H

#include "store/ps/worker/worker_inside.h"

/* The step began before its token came: waits for the token now. If it is not the expected one, the step is void. If all go back meanwhile,
 * the step is void, too: the token that comes then, even if it looks the same, is for the step that is made again. */
TRI_MUST_CHECK tri_status tri__worker_confirm_token(tri__worker *worker);

#endif
