/* stretch_inside.h: a stretch as its own files see it: stretch.c takes pushes, gather.c makes a step of them, replay.c repeats the updates
 * of another server, undo.c keeps what chunks were before their last step, grown.c has the tables that grow. */
#ifndef TRI_STORE_PS_STRETCH_STRETCH_INSIDE_H
#define TRI_STORE_PS_STRETCH_STRETCH_INSIDE_H

#include "store/ps/stretch/key_cells.h"
#include "store/ps/stretch/stretch.h"
#include "store/ps/stretch/task_order.h"

enum { TRI_MOST_SPARE = 64 }; /* 16 MB */

/* A part that came before its turn. */
typedef struct tri__held_part {
    struct tri__held_part *next;
    int task;
    double weight;
    float *gradient;
    tri__row_part *rows; /* if the chunk is a table: instead of the gradient; NULL otherwise */
} tri__held_part;

typedef struct {
    tri_range range; /* in the stretch's own buffers */
    int64_t step;    /* updates so far; what is gathered is for the next one */
    int next;        /* position, in the order of tasks, of the task whose part is added next */
    int parts;       /* how many parts were added so far */
    double weight;   /* Σ weight of these parts */
    float rate;
    int64_t since; /* when the step's first part came */
    int64_t waited;
    tri__held_part *held;
    bool whole;              /* with clipping: all parts are in */
    tri__table_shard *shard; /* the rows of a table that this chunk is; NULL: it is a range */
} tri__stretch_chunk;

/* Where tables grow: what the keys were before the last step that counted sightings. */
typedef struct {
    int64_t step; /* that step; −1: nothing is kept */
    int64_t rows; /* how many keys had a row */
    tri__left_out left;
    bool all;             /* `cells` are all keys that waited; otherwise the keys without a row that the step names, rising */
    tri__key_cells cells; /* the value of a key that was not known is 0 */
} tri__undo_keys;

/* What chunks were before their last step (undo.h). */
typedef struct {
    int64_t *steps; /* [chunks] how many steps a chunk had with its last one; 0: nothing is kept. NULL: undo is off */
    float *slot[TRI_STRETCH_SLOTS];
    tri__row_sum rows[TRI_LAYOUT_TABLES]; /* the rows that the step changed; values are [count][stride] */
    tri__undo_keys keys;
} tri__undo;

/* Tables that grow. */
typedef struct {
    tri_store store;                 /* the shards' tables, the rule, and the map, as store/table_rows.h takes them; map NULL: none grows */
    int64_t counted[TRI_MOST_TASKS]; /* async: the serial of a task's last push whose sightings are counted; −1: none */
} tri__grown_tables;

struct tri__stretch {
    tri_range range;
    uint32_t first, chunks;
    tri_rule rule;
    tri__ps_settings settings;
    float *parameters, *slot[TRI_RULE_SLOTS];
    float *gathered; /* sync only */
    tri__stretch_chunk *chunk;
    tri__table_shard shard[TRI_LAYOUT_TABLES];
    tri__grown_tables grown;         /* where tables grow */
    int64_t *pushed[TRI_MOST_TASKS]; /* by task: [chunks] the serial of the last push that was taken, −1: none; NULL: it never pushed */
    int64_t left[TRI_MOST_TASKS];    /* by task: nothing is expected of it up to this step; −1: it has not left */
    int64_t stale[TRI_MOST_TASKS];   /* by task: the step of its last gradient that was dropped; −1: none */
    size_t held[TRI_MOST_TASKS];     /* by task: bytes of its parts that are held */
    float *spare[TRI_MOST_SPARE];    /* memory of parts that are no longer held */
    int spares;
    tri__task_order *order; /* the latest first. There may be several, since this server may be some steps behind ps:0 */
    uint32_t whole;         /* with clipping: how many chunks have all their parts */
    tri__clip_factor clip;  /* the last factor that came */
    uint32_t settled;       /* the chunk at which settle goes on looking */
    int64_t dropped;
    tri__undo undo;                                             /* sync with --replicas 2 */
    void (*applied)(void *context, const tri__applied *update); /* called after every update; NULL: nobody wants it */
    void *applied_context;
};

static inline bool tri__stretch_is_sync(const tri__stretch *stretch)
{
    return stretch->settings.mode == TRI_PS_SYNC;
}

static inline tri__stretch_chunk *tri__stretch_at(const tri__stretch *stretch, uint32_t chunk)
{
    return &stretch->chunk[chunk - stretch->first];
}

/* Of stretch.c, for the others. */
tri_range tri__stretch_range_of(const tri__stretch *stretch, const tri__stretch_chunk *chunk); /* in the flat buffer */
void tri__stretch_apply(tri__stretch *stretch, const tri__stretch_chunk *chunk, const float *gradient, double scale, int64_t step,
                        float rate);
void tri__stretch_tell(const tri__stretch *stretch, const tri__stretch_chunk *chunk, tri__applied update); /* calls `applied` */
void tri__stretch_count_stale(tri__stretch *stretch, int task, int64_t step);
void tri__stretch_reclaim(tri__stretch *stretch, float *gradient);                 /* memory that was lent */
TRI_MUST_CHECK tri_status tri__stretch_know_task(tri__stretch *stretch, int task); /* makes room to note what a task has pushed */

/* Of gather.c, for the others. */
TRI_MUST_CHECK tri_status tri__gather_push(tri__stretch *stretch, tri__stretch_chunk *chunk, const tri__push *push, tri__push_outcome *out);
void tri__gather_begin(tri__stretch_chunk *chunk);                       /* the chunk's next step begins, without parts */
void tri__gather_drop(tri__stretch *stretch, tri__stretch_chunk *chunk); /* frees the parts that are held */

/* Of grown.c, for the others. */
TRI_MUST_CHECK tri_status tri__grown_create(tri__stretch *stretch, const tri__layout *layout);
void tri__grown_destroy(tri__stretch *stretch);
void tri__grown_reset(tri__stretch *stretch);            /* the next step counts its sightings, whichever step it is */
void tri__grown_forget(tri__stretch *stretch, int task); /* no push of the task is counted */
void tri__grown_know(tri__stretch *stretch, const tri__stretch_chunk *chunk, int task, int64_t serial); /* this push is counted */
/* Async: rows of a task's push are applied next. Their sightings are counted unless those of another table, in the same push, were. */
void tri__grown_take(tri__stretch *stretch, const tri__stretch_chunk *chunk, const tri__applied *update);

/* Of undo.c, for the others. */
TRI_MUST_CHECK tri_status tri__undo_create(tri__stretch *stretch);
void tri__undo_destroy(tri__stretch *stretch);
void tri__undo_forget_keys(tri__stretch *stretch); /* the keys are others now */
/* Called before a step of the chunk is applied. rows: the rows that it changes, if the chunk is a table; NULL: none. */
void tri__undo_keep(tri__stretch *stretch, const tri__stretch_chunk *chunk, const tri__row_part *rows);

#endif
