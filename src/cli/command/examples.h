/* examples.h: the examples that eval and predict look at. */
#ifndef TRI_CLI_COMMAND_EXAMPLES_H
#define TRI_CLI_COMMAND_EXAMPLES_H

#include "cli/process/session.h"
#include "train/evaluate/trained.h"

/* Open spec (NULL: --data) with --part and --seed; where they are not given, what the run of the checkpoint was tested on. any_place:
 * photos may lie in no folder of a class. */
TRI_MUST_CHECK tri_status tri__open_examples(tri__session *session, const tri__arguments *arguments, const tri__trained *trained,
                                             const char *spec, bool any_place, tri_source **out);

/* --seed; where it is not given, that of the run. */
uint64_t tri__examples_seed(const tri__arguments *arguments, const tri__trained *trained);

#endif
