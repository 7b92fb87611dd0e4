/* known_pushes.c: serials of pushes, as runs of chunks. */
#include "store/ps/server/known_pushes.h"

#include "store/ps/stretch/replay.h"

/* The first chunk after `from` that has another last push; `end`: there is none. */
static uint32_t end_of_run(const tri__stretch *stretch, uint32_t from, uint32_t end, int task)
{
    int64_t serial = tri__stretch_known(stretch, from, task);
    while (from < end && tri__stretch_known(stretch, from, task) == serial)
        from++;
    return from;
}

json_t *tri__known_pushes_of(const tri__server *server, int task)
{
    const tri__stretch *stretch = server->stretch;
    uint32_t at = tri__stretch_first(stretch), end = at + tri__stretch_chunks(stretch), next;
    json_t *runs = json_array();
    for (; at < end; at = next) {
        int64_t serial = tri__stretch_known(stretch, at, task);
        next = end_of_run(stretch, at, end, task);
        if (serial >= 0)
            json_array_append_new(runs, json_pack("[I, I, I]", (json_int_t)at, (json_int_t)(next - at), (json_int_t)serial));
    }
    if (json_array_size(runs) == 0) {
        json_decref(runs);
        return NULL;
    }
    return json_pack("{s:i, s:I, s:o}", "task", task, "incarnation", (json_int_t)server->welcomed[task], "runs", runs);
}

typedef struct {
    int64_t chunk, chunks, serial;
} push_run;

static bool read_run(const json_t *json, push_run *out)
{
    int64_t *const numbers[] = {&out->chunk, &out->chunks, &out->serial};
    for (size_t i = 0; i < 3; i++) {
        const json_t *number = json_array_get(json, i);
        if (!json_is_integer(number))
            return false;
        *numbers[i] = json_integer_value(number);
    }
    return true;
}

tri_status tri__known_pushes_check(const tri__layout *layout, int server, const json_t *pushes)
{
    const int64_t task = tri__json_integer_of(pushes, "task", -1), first = tri__layout_first(layout, server);
    const int64_t end = tri__layout_first(layout, server + 1);
    const json_t *runs = json_object_get(pushes, "runs"), *item;
    size_t index;
    if (task < 0 || task >= TRI_MOST_TASKS || !json_is_array(runs))
        return tri_fail(TRI_BAD_DATA, "pushes of a task that is none");
    json_array_foreach(runs, index, item)
    {
        push_run run;
        if (!read_run(item, &run) || run.chunk < first || run.chunk >= end || run.chunks < 1 || run.chunks > end - run.chunk ||
            run.serial < 0)
            return tri_fail(TRI_BAD_DATA, "pushes of chunks that ps:%d does not have", server);
    }
    return NULL;
}

/* If a newer process of the task is here already, pushes of the earlier one do not matter. */
tri_status tri__known_pushes_take(tri__server *server, const json_t *pushes)
{
    TRI_TRY(tri__known_pushes_check(&server->layout, server->options.index, pushes));
    const int task = (int)tri__json_integer_of(pushes, "task", -1);
    const uint64_t incarnation = (uint64_t)tri__json_integer_of(pushes, "incarnation", 0);
    const json_t *runs = json_object_get(pushes, "runs"), *item;
    size_t index;
    if (server->worker[task] && server->worker[task]->incarnation != incarnation)
        return NULL;
    server->welcomed[task] = incarnation;
    json_array_foreach(runs, index, item)
    {
        push_run run;
        bool is_run = read_run(item, &run);
        for (int64_t i = 0; is_run && i < run.chunks; i++)
            TRI_TRY(tri__stretch_know(server->stretch, (uint32_t)(run.chunk + i), task, run.serial));
    }
    return NULL;
}
