/* placed_peers.h: ranks that compute one model together: each computes the lines that are placed on it (train/options/strategy.h says when
 * each call comes).
 *
 * All tasks take the same examples and make the same steps. A parameter is updated only on the task where it is placed. Task 0 leads:
 * between two steps all tasks exchange words, and the word of task 0 says what to do next.
 *
 *                    ┌──────────── MAKE_STEP ────────────┐
 *                    ▼                                   │
 *      training ── a step ──► waiting for a word of task 0 ── END_RUN ──► notes are exchanged
 *                                 │             ▲
 *                                 └ SEND_MODEL ─┘  task 0 evaluates, or writes a checkpoint
 *
 * Each word also says whether its task has failed. If one has, the run ends for all of them, and the notes say why. A task that fails
 * within a step leaves at once: the others wait for values that will not come, and MPI ends them. */
#ifndef TRI_TRAIN_PLACED_PLACED_PEERS_H
#define TRI_TRAIN_PLACED_PLACED_PEERS_H

#include "train/run/peers.h"

TRI_MUST_CHECK tri_status tri__placed_peers_join(tri__run *run);
TRI_MUST_CHECK tri_status tri__placed_peers_create_store(tri__run *run);

#endif
