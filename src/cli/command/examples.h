/* examples.h: the examples that eval and predict look at. */
#ifndef TRI_CLI_COMMAND_EXAMPLES_H
#define TRI_CLI_COMMAND_EXAMPLES_H

#include "cli/process/session.h"
#include "train/evaluate/trained.h"

/* Open --data with --part and --seed; where they are not given, what the run of the checkpoint was tested on. */
TRI_MUST_CHECK tri_status tri__open_examples(tri__session *session, const tri__arguments *arguments, const tri__trained *trained,
                                             tri_source **out);

#endif
