/* config.h: --config FILE.yaml: options of a command from a file.
 *
 * The file's entries become words of the command line, behind the command's name, before it is parsed: parsing, the command that a run
 * folder keeps, and the tasks that a run starts see words alone. What was typed comes later, and so has the last word. */
#ifndef TRI_CLI_TABLE_CONFIG_H
#define TRI_CLI_TABLE_CONFIG_H

#include "trireme/status.h"

/* A command line whose words may be its own. */
typedef struct {
    const char *const *words; /* [count], then NULL: the program's name first */
    int count;
    char **own; /* NULL: words is what was given */
} tri__expanded_words;

/* Replace --config FILE, where the command has that option and it is given: "rate: 0.1" by --rate=0.1, "sync: yes" by --sync, "cache: no"
 * by nothing, and "model: lenet" by an operand where the command line has none. words: [count], then NULL; borrowed. */
TRI_MUST_CHECK tri_status tri__config_expand(int count, const char *const *words, tri__expanded_words *out);
void tri__expanded_words_fini(tri__expanded_words *expanded);

#endif
