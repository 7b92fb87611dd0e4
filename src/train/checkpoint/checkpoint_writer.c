/* checkpoint_writer.c: starts a new thread for each checkpoint. That is cheap enough: minutes pass between two checkpoints. */
#include "train/checkpoint/checkpoint_writer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "graph/store/key_map.h"
#include "graph/store/row_keeper.h"
#include "graph/store/store.h"
#include "tensor/safetensors.h"

struct tri__checkpoint_writer {
    tri_store *copy; /* its tables are those of the store that is trained, with row keepers */
    tri_store *trained;
    tri__row_keeper *keeper[TRI_STORE_TABLES];
    int tables;
    tri__checkpoint_content content; /* points to the copies below */
    tri__run_state state;
    int64_t *damaged;
    const char *folder;
    int64_t keep;

    pthread_t thread;
    bool busy; /* a thread runs and must be joined; until then the other fields belong to it */
    char *path;
    tri_status status;
};

tri_status tri__checkpoint_writer_create(const tri_store *store, tri__checkpoint_writer **out)
{
    tri__checkpoint_writer *writer;
    TRI_TRY(tri__allocate(1, sizeof *writer, "a writer of checkpoints", &writer));
    tri_status status = tri_store_local_create(tri_store_floats(store), tri_store_rule(store), &writer->copy);
    if (status) {
        free(writer);
        return status;
    }
    tri_store_drop_gradient(writer->copy);
    *out = writer;
    return NULL;
}

bool tri__checkpoint_writer_takes(tri_store *store)
{
    for (int i = 0; i < tri_store_tables(store); i++)
        if ((size_t)tri_store_table(store, i)->width * sizeof(float) > TRI_TENSOR_ROWS)
            return false;
    return true;
}

/* Tables are not copied: keepers keep the old content of rows that change. */
static tri_status keep_tables(tri__checkpoint_writer *writer, tri_store *store)
{
    if (store->map)
        TRI_TRY(tri__key_map_freeze(store->map, &writer->copy->map));
    for (; writer->tables < tri_store_tables(store); writer->tables++)
        TRI_TRY(tri__row_keeper_create(tri_store_table(store, writer->tables), &writer->keeper[writer->tables]));
    for (int i = 0; i < writer->tables; i++) {
        tri__row_keeper_begin(writer->keeper[i]);
        writer->copy->table[i] = *tri_store_table(store, i);
        writer->copy->keeper[i] = store->keeper[i] = writer->keeper[i];
    }
    writer->copy->tables = writer->tables;
    writer->trained = store;
    return NULL;
}

/* The checkpoint is written: changed rows need not be kept any more. */
static void release_tables(tri__checkpoint_writer *writer)
{
    for (int i = 0; i < writer->tables; i++) {
        tri__row_keeper_end(writer->keeper[i]);
        writer->trained->keeper[i] = NULL;
    }
    tri__key_map_thaw(writer->copy->map);
    writer->copy->map = NULL;
}

static void copy_store(tri_store *from, tri_store *to)
{
    size_t bytes = tri_store_floats(from) * sizeof(float);
    memcpy(tri_store_parameters(to), tri_store_parameters(from), bytes);
    for (int i = 0; i < tri_rule_slots(tri_store_rule(from)); i++)
        memcpy(tri_store_slot(to, i), tri_store_slot(from, i), bytes);
}

static void *write_copy(void *context)
{
    tri__checkpoint_writer *writer = context;
    writer->status = tri__checkpoint_save(writer->folder, &writer->content, writer->keep, &writer->path);
    for (int i = 0; i < writer->tables; i++)
        tri__row_keeper_end(writer->keeper[i]);
    return NULL;
}

static tri_status copy_damaged(tri__checkpoint_writer *writer, const tri__checkpoint_content *content)
{
    free(writer->damaged);
    writer->damaged = NULL;
    if (!content->damaged_count)
        return NULL;
    TRI_TRY(tri__allocate((size_t)content->damaged_count, sizeof *writer->damaged, "the damaged records", &writer->damaged));
    memcpy(writer->damaged, content->damaged, (size_t)content->damaged_count * sizeof *writer->damaged);
    return NULL;
}

tri_status tri__checkpoint_writer_begin(tri__checkpoint_writer *writer, const char *folder, const tri__checkpoint_content *content,
                                        int64_t keep)
{
    TRI_TRY(copy_damaged(writer, content));
    TRI_TRY(keep_tables(writer, content->store));
    copy_store(content->store, writer->copy);
    writer->state = *content->state;
    writer->content = *content;
    writer->content.store = writer->copy;
    writer->content.state = &writer->state;
    writer->content.damaged = writer->damaged;
    writer->folder = folder;
    writer->keep = keep;
    writer->path = NULL;
    writer->status = NULL;
    if (pthread_create(&writer->thread, NULL, write_copy, writer)) {
        release_tables(writer);
        return tri_fail(TRI_NO_MEMORY, "no thread to write a checkpoint");
    }
    writer->busy = true;
    return NULL;
}

tri_status tri__checkpoint_writer_end(tri__checkpoint_writer *writer, char **path, int64_t *step)
{
    *path = NULL;
    if (!writer->busy)
        return NULL;
    pthread_join(writer->thread, NULL);
    writer->busy = false;
    release_tables(writer);
    *path = writer->path;
    *step = writer->state.step;
    return writer->status;
}

void tri__checkpoint_writer_destroy(tri__checkpoint_writer *writer)
{
    if (!writer)
        return;
    char *path;
    int64_t step;
    tri_status_free(tri__checkpoint_writer_end(writer, &path, &step));
    free(path);
    tri__key_map_thaw(writer->copy->map); /* still frozen if begin failed for want of memory */
    writer->copy->map = NULL;
    writer->copy->tables = 0; /* they are borrowed */
    tri_store_destroy(writer->copy);
    for (int i = 0; i < writer->tables; i++)
        tri__row_keeper_destroy(writer->keeper[i]);
    free(writer->damaged);
    free(writer);
}
