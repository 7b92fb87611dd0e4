/* allreduce_peers.h: ranks whose store adds up the gradients of all of them (train/options/strategy.h says when each call comes). */
#ifndef TRI_TRAIN_RANKS_ALLREDUCE_PEERS_H
#define TRI_TRAIN_RANKS_ALLREDUCE_PEERS_H

#include "train/run/peers.h"

TRI_MUST_CHECK tri_status tri__allreduce_peers_join(tri__run *run);
TRI_MUST_CHECK tri_status tri__allreduce_peers_create_store(tri__run *run);
TRI_MUST_CHECK tri_status tri__allreduce_peers_agree_on_parts(tri__run *run, tri_status own); /* also on the length of an epoch */
TRI_MUST_CHECK tri_status tri__allreduce_peers_prepare(tri__run *run, tri_status own);        /* rank 0 sends its parameters to all ranks */

#endif
