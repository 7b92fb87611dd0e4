/* checkpoint_file.h: what the writer and the reader of checkpoints share. */
#ifndef TRI_TRAIN_CHECKPOINT_CHECKPOINT_FILE_H
#define TRI_TRAIN_CHECKPOINT_CHECKPOINT_FILE_H

#include "train/checkpoint/checkpoint_read.h"

#define TRI_CHECKPOINT_VERSION 2         /* since version 2, the checksum is also over names and shapes of tensors */
#define TRI_CHECKPOINT_ABOUT   "trireme" /* keys of the metadata */
#define TRI_CHECKPOINT_MODEL   "model"
#define TRI_CHECKPOINT_SUM     "checksum"
#define TRI_CHECKPOINT_DIGITS  9 /* characters of the checksum as text, with the NUL */

/* Tensors that say which rows of the tables the file has; see checkpoint.h. */
#define TRI_CHECKPOINT_KEYS      "table/keys"
#define TRI_CHECKPOINT_WAITING   "table/waiting"
#define TRI_CHECKPOINT_SIGHTINGS "table/sightings"

char *tri__slot_name(const tri_rule *rule, int slot, const tri_node *node); /* free() it; NULL when memory is short */

/* The memory that is written under a slot's names. Where the rule keeps averages, they are written under the parameters' own names
 * (tri__store_evaluated), and the parameters in their place. */
float *tri__slot_buffer(tri_store *store, int slot);

/* The checksum, as eight hexadecimal digits. It is over the tensors in the order of the file, each with its name and shape, and then over
 * both texts of the metadata. version: the file's. */
uint32_t tri__checkpoint_sum(uint32_t sum, const tri__named_tensor *named, int version);
void tri__checkpoint_sum_end(uint32_t sum, const char *about, const char *model, char text[TRI_CHECKPOINT_DIGITS]);

/* The checkpoints of a folder, newest first. */
typedef struct {
    char **name;
    int64_t *step;
    size_t count;
} tri__checkpoint_names;

TRI_MUST_CHECK tri_status tri__checkpoint_list(const char *folder, tri__checkpoint_names *out);
void tri__checkpoint_names_fini(tri__checkpoint_names *names);

#endif
