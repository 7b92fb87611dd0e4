/* config.h: --config FILE.yaml: options of a command from a file.
 *
 * Before the command line is parsed, the file's entries become words of it, after the command's name. So the parser, the command that a run
 * folder keeps, and the tasks that a run starts see only words. What was typed comes after these words, and so overrides them. */
#ifndef TRI_CLI_TABLE_CONFIG_H
#define TRI_CLI_TABLE_CONFIG_H

#include "trireme/status.h"

/* A command line that may own its words. */
typedef struct {
    const char *const *words; /* [count], then NULL: the program's name first */
    int count;
    char **own; /* the words to free; NULL: words is the caller's */
} tri__expanded_words;

/* Replace --config FILE by the file's entries, where the command has that option and it is given. "rate: 0.1" becomes --rate=0.1, "sync:
 * yes" becomes --sync, "cache: no" becomes nothing, and "model: lenet" becomes an operand where the command line has none. words: [count],
 * then NULL; borrowed. */
TRI_MUST_CHECK tri_status tri__config_expand(int count, const char *const *words, tri__expanded_words *out);
void tri__expanded_words_fini(tri__expanded_words *expanded);

#endif
