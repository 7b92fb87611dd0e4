/* table.h: the memory of a table, and the rule applied to some of its rows. */
#ifndef TRI_STORE_TABLE_H
#define TRI_STORE_TABLE_H

#include "trireme/store.h"

/* All weights and the rule's state are 0; pages that no key touches take no memory. */
TRI_MUST_CHECK tri_status tri__table_init(tri_table *table, int64_t rows, int64_t width, int slots);
void tri__table_fini(tri_table *table);

/* Distinct keys of a table, in any order. */
typedef struct {
    const int32_t *keys;
    int64_t count;
} tri__table_keys;

/* Copies the weights of keys to rows: [count][width]. gather and apply use the OpenMP team; no result depends on its size. */
void tri__table_gather(const tri_table *table, tri__table_keys keys, float *rows);

/* Applies the rule to the rows of keys. gradient: [count][width]; scale: see tri__update. */
void tri__table_apply(tri_table *table, tri__table_keys keys, const float *gradient, float scale, const tri_rule *rule,
                      const tri_step *step);

/* True if all bits are 0; −0 is not 0. So floats that are left out of a message or a checkpoint as all zero come back exactly. */
bool tri__all_zero(const float *floats, size_t count);

#endif
