/* rank_peers.h: the ranks that mpirun or srun started, as the workers of a run (train/options/strategy.h says when each call comes). */
#ifndef TRI_TRAIN_RANKS_RANK_PEERS_H
#define TRI_TRAIN_RANKS_RANK_PEERS_H

#include "train/run/peers.h"

TRI_MUST_CHECK tri_status tri__rank_peers_join(tri__run *run);
int tri__rank_peers_threads(const tri__run *run);                                        /* the ranks of a host share its CPUs */
TRI_MUST_CHECK tri_status tri__rank_peers_compare_inputs(tri__run *run, tri_status own); /* the same model, and as many examples? */
TRI_MUST_CHECK tri_status tri__rank_peers_create_store(tri__run *run);
TRI_MUST_CHECK tri_status tri__rank_peers_agree_on_parts(tri__run *run, tri_status own); /* and on the length of an epoch */
TRI_MUST_CHECK tri_status tri__rank_peers_prepare(tri__run *run, tri_status own);        /* rank 0 sends its parameters to all ranks */

#endif
