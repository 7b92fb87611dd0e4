/* stretch.h: one server's stretch of the model, and what a pushed gradient does to it. Nothing here knows of connections.
 *
 * Async and bounded staleness: a push is applied at once. Sync: the parts of a step are added in the order of tasks, whatever the order in
 * which they come, so that the same run gives the same bits; a part that comes before its turn is held. A chunk's step is applied when the
 * last part has been added, or when the tasks whose parts are missing have left. Every push names the step for which it was computed. A
 * push for a step that is past is stale, and is dropped. A push that came before is known, and is not taken twice. */
#ifndef TRI_STORE_PS_STRETCH_STRETCH_H
#define TRI_STORE_PS_STRETCH_STRETCH_H

#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/settings.h"
#include "store/ps/stretch/table_shard.h"
#include "trireme/store.h"

enum { TRI_MOST_TASKS = 1024 };

/* With clipping: by how much the gradient of a step is scaled. */
typedef struct {
    int64_t steps; /* the step's number plus 1; 0: no factor is known */
    double factor; /* 0 to 1 */
} tri__clip_factor;

typedef struct tri__stretch tri__stretch;

enum { TRI_STRETCH_SLOTS = 1 + TRI_RULE_SLOTS }; /* kinds of float, at most: parameters, and the rule's state */

/* All parameters 0, at step 0. */
TRI_MUST_CHECK tri_status tri__stretch_create(const tri__layout *layout, int server, const tri_rule *rule, const tri__ps_settings *settings,
                                              tri__stretch **out);
void tri__stretch_destroy(tri__stretch *stretch); /* accepts NULL */

tri_range tri__stretch_range(const tri__stretch *stretch);
uint32_t tri__stretch_first(const tri__stretch *stretch);  /* the number of its first chunk */
uint32_t tri__stretch_chunks(const tri__stretch *stretch); /* how many chunks it has */
bool tri__stretch_has(const tri__stretch *stretch, uint32_t chunk);
/* Slot 0: the parameters; from 1 on: state. NULL: the rule has no such state, or the chunk is rows of a table. */
float *tri__stretch_floats(tri__stretch *stretch, uint32_t chunk, int slot, size_t *count);
tri_table *tri__stretch_table(tri__stretch *stretch, uint32_t chunk);        /* the table whose rows the chunk is; NULL: it is a range */
tri__table_shard *tri__stretch_shard(tri__stretch *stretch, uint32_t chunk); /* the same, with the parts that are pushed to it */
tri__key_map *tri__stretch_map(tri__stretch *stretch);                       /* where tables grow: which row each key has; NULL elsewhere */
int tri__stretch_slots(const tri__stretch *stretch);                         /* kinds of float: parameters, and the rule's state */
int64_t tri__stretch_step(const tri__stretch *stretch, uint32_t chunk);      /* updates of the chunk so far */
int64_t tri__stretch_waited(const tri__stretch *stretch, uint32_t chunk);    /* sync: ns from the first to the last part of a step */
int64_t tri__stretch_lowest(const tri__stretch *stretch);                    /* the lowest step of all chunks */
int64_t tri__stretch_highest(const tri__stretch *stretch);                   /* the highest step of all chunks */

/* The job begins, or goes back after a failure: every chunk is at `step`, nothing is held, no push is known. */
void tri__stretch_reset(tri__stretch *stretch, int64_t step);

/* A new process of this task has come: forgets the pushes of an earlier process. */
void tri__stretch_welcome(tri__stretch *stretch, int task);

typedef enum {
    TRI_PUSH_STALE,   /* dropped: the chunk is past that step. Answer with the chunk as it is now */
    TRI_PUSH_KNOWN,   /* pushed before and not applied yet: nothing to do */
    TRI_PUSH_TAKEN,   /* added; the step waits for other tasks' parts */
    TRI_PUSH_HELD,    /* as TAKEN, and the stretch owns the memory of the gradient, or of the rows, now */
    TRI_PUSH_APPLIED, /* the chunk is one step on: answer all tasks that wait for it */
} tri__push_outcome;

typedef struct {
    uint32_t chunk;
    int task;
    int64_t step;
    int64_t serial; /* rises with every push of this chunk by the task; sync: the step */
    double weight;
    float rate;
    float *gradient;     /* heap memory of TRI_CHUNK_BYTES; not used if there are rows */
    tri__row_part *rows; /* heap memory, if the chunk is rows of a table; the server has these rows. NULL: the chunk is a range */
} tri__push;

/* Memory for the gradient of a push. The caller frees it unless a push was HELD. It is not initialised. */
TRI_MUST_CHECK tri_status tri__stretch_lend(tri__stretch *stretch, float **gradient);

/* TRI_BAD_DATA where the push makes no sense: a step to come, a weight that is no weight. TRI_DIVERGED where it would spoil the model: one
 * of its values is not a number, infinite or beyond TRI_GRADIENT_MOST (gradient_check.h). The stretch is then as before. */
TRI_MUST_CHECK tri_status tri__stretch_push(tri__stretch *stretch, const tri__push *push, tri__push_outcome *out);

int64_t tri__stretch_pushed(const tri__stretch *stretch, uint32_t chunk, int task); /* the serial of its last push; 0: none */

/* Sync: true if the task pushed the chunk for its last step, and so waits for an answer. */
bool tri__stretch_owes(const tri__stretch *stretch, uint32_t chunk, int task);

/* No further push will come: frees the memory for gathering. */
void tri__stretch_close(tri__stretch *stretch);

/* An update as it was applied, so that another server with the same range can apply it, too, and gets the same bits. */
typedef struct {
    uint32_t chunk;
    int task;       /* the task that pushed it; −1: a sync step of all tasks */
    int64_t step;   /* the step by which the rule counts; sync: the step of the chunk */
    int64_t serial; /* of the push; sync: not used */
    float rate;
    float scale; /* of the gradient; 0: there is no gradient, and only the step counts */
    const float *gradient;
    const tri__row_part *rows; /* the gradient, if the chunk is rows of a table; NULL: the chunk is a range */
} tri__applied;

/* The stretch calls applied after every update, with this context. The stretch owns the gradient and the rows. */
void tri__stretch_on_applied(tri__stretch *stretch, void (*applied)(void *context, const tri__applied *update), void *context);

int64_t tri__stretch_dropped(const tri__stretch *stretch); /* how many gradients were stale; a gradient counts once for all its chunks */

#endif
