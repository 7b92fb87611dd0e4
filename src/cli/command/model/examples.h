/* examples.h: opens the examples that eval and predict read. */
#ifndef TRI_CLI_COMMAND_MODEL_EXAMPLES_H
#define TRI_CLI_COMMAND_MODEL_EXAMPLES_H

#include "cli/process/session.h"
#include "cli/table/common_options.h"
#include "train/evaluate/trained.h"

/* Which examples were opened. */
typedef struct {
    const char *part;     /* of the source: "test", "train" or "validation" */
    const char *held_out; /* the run's --validation, where these are the examples that it held out; NULL: a part of the source */
    bool only;            /* no part was asked for, and the source has no test part */
} tri__taken_examples;

/* Open spec (NULL: --data) with --part and --seed. Options that are not given are those that the run of the checkpoint was tested with.
 * --part validation, on the data of a run with --validation, is what that run held out. labels_optional: photos need not be in folders of
 * classes. */
TRI_MUST_CHECK tri_status tri__open_examples(tri__session *session, const tri__arguments *arguments, const tri__trained *trained,
                                             const char *spec, bool labels_optional, tri_source **out, tri__taken_examples *taken);

/* --seed; where it is not given, the seed of the run. */
uint64_t tri__examples_seed(const tri__arguments *arguments, const tri__trained *trained);

/* Rows of options that both commands have. */
#define TEST_DATA_ROW(words)                                                                                                               \
    {                                                                                                                                      \
        .name = "data", .letter = 'd', .argument = "SOURCE", .kind = TRI_OPTION_TEXT, .group = "Data", .completion = SOURCES,              \
        .meaning = words                                                                                                                   \
    }
#define PART_ROW                                                                                                                           \
    {                                                                                                                                      \
        .name = "part", .argument = "PART", .kind = TRI_OPTION_CHOICE, .choices = "test train validation", .standard = "test",             \
        .meaning = "which part of the source: test, train or validation"                                                                   \
    }
#define LIMIT_ROW(says)                                                                                                                    \
    {                                                                                                                                      \
        .name = "limit", .argument = "N", .kind = TRI_OPTION_INTEGER, .least = 1, .otherwise = "all", .meaning = (says)                    \
    }
#define SEED_ROW(says)                                                                                                                     \
    {                                                                                                                                      \
        .name = "seed", .argument = "S", .kind = TRI_OPTION_INTEGER, .least = 0, .otherwise = "the run's", .meaning = (says)               \
    }
#define BATCH_ROW                                                                                                                          \
    {                                                                                                                                      \
        .name = "batch", .argument = "B", .kind = TRI_OPTION_INTEGER, .least = 1, .most = 1 << 20, .group = "Machine",                     \
        .otherwise = "chosen", .meaning = "examples computed at once; changes speed, not results"                                          \
    }
#define THREADS_ROW                                                                                                                        \
    {                                                                                                                                      \
        .name = "threads", .argument = "T", .kind = TRI_OPTION_INTEGER, .least = 1, .most = 4096, .otherwise = "every CPU",                \
        .meaning = "threads that compute"                                                                                                  \
    }

#endif
