/* scribe.c: one thread for one checkpoint, since there are minutes between two. */
#include "train/scribe.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct tri__scribe {
    tri_store *copy;
    tri__checkpoint_content content; /* with the copies below */
    tri__run_state state;
    int64_t *damaged;
    const char *folder;
    int64_t keep;

    pthread_t thread;
    bool busy; /* there is a thread to be joined; the rest is its until then */
    char *path;
    tri_status status;
};

tri_status tri__scribe_create(const tri_store *store, tri__scribe **out)
{
    tri__scribe *scribe;
    TRI_TRY(tri__allocate(1, sizeof *scribe, "a scribe of checkpoints", &scribe));
    tri_status status = tri_store_local_create(tri_store_floats(store), tri_store_rule(store), &scribe->copy);
    if (status) {
        free(scribe);
        return status;
    }
    tri_store_drop_gradient(scribe->copy);
    *out = scribe;
    return NULL;
}

static void copy_store(tri_store *from, tri_store *to)
{
    size_t bytes = tri_store_floats(from) * sizeof(float);
    memcpy(tri_store_parameters(to), tri_store_parameters(from), bytes);
    for (int i = 0; i < tri_rule_slots(tri_store_rule(from)->kind); i++)
        memcpy(tri_store_slot(to, i), tri_store_slot(from, i), bytes);
}

static void *write_copy(void *context)
{
    tri__scribe *scribe = context;
    scribe->status = tri__checkpoint_save(scribe->folder, &scribe->content, scribe->keep, &scribe->path);
    return NULL;
}

static tri_status copy_damaged(tri__scribe *scribe, const tri__checkpoint_content *content)
{
    free(scribe->damaged);
    scribe->damaged = NULL;
    if (!content->damaged_count)
        return NULL;
    TRI_TRY(tri__allocate((size_t)content->damaged_count, sizeof *scribe->damaged, "the damaged records", &scribe->damaged));
    memcpy(scribe->damaged, content->damaged, (size_t)content->damaged_count * sizeof *scribe->damaged);
    return NULL;
}

tri_status tri__scribe_begin(tri__scribe *scribe, const char *folder, const tri__checkpoint_content *content, int64_t keep)
{
    TRI_TRY(copy_damaged(scribe, content));
    copy_store(content->store, scribe->copy);
    scribe->state = *content->state;
    scribe->content = *content;
    scribe->content.store = scribe->copy;
    scribe->content.state = &scribe->state;
    scribe->content.damaged = scribe->damaged;
    scribe->folder = folder;
    scribe->keep = keep;
    scribe->path = NULL;
    scribe->status = NULL;
    if (pthread_create(&scribe->thread, NULL, write_copy, scribe))
        return tri_fail(TRI_NO_MEMORY, "no thread to write a checkpoint");
    scribe->busy = true;
    return NULL;
}

tri_status tri__scribe_end(tri__scribe *scribe, char **path, int64_t *step)
{
    *path = NULL;
    if (!scribe->busy)
        return NULL;
    pthread_join(scribe->thread, NULL);
    scribe->busy = false;
    *path = scribe->path;
    *step = scribe->state.step;
    return scribe->status;
}

void tri__scribe_destroy(tri__scribe *scribe)
{
    if (!scribe)
        return;
    char *path;
    int64_t step;
    tri_status_free(tri__scribe_end(scribe, &path, &step));
    free(path);
    tri_store_destroy(scribe->copy);
    free(scribe->damaged);
    free(scribe);
}
