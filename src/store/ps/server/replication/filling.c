/* filling.c: sends the range chunk by chunk, and tables piece by piece, as fast as the stream takes them. */
#include "store/ps/server/replication/filling.h"

#include "base/memory/memory.h"
#include "store/ps/server/replication/primary.h"
#include "store/ps/server/role.h"
#include "store/ps/stretch/gather.h"
#include "store/ps/stretch/key_cells.h"
#include "store/ps/stretch/replay.h"
#include "store/table.h"

/* Where tables grow, the keys of all tables are sent when the first table is begun. From then on updates of all tables follow, since any
 * of them may give rows to keys. What the standby makes of rows that it does not have yet is overwritten when they are sent. */
static bool grows(const tri__server *server, uint32_t chunk)
{
    return tri__layout_grows(&server->layout) && tri__layout_table(&server->layout, chunk) >= 0;
}

bool tri__filling_has(const tri__server *server, uint32_t chunk)
{
    const tri__replication *replication = &server->replication;
    if (grows(server, chunk))
        chunk = tri__layout_table_chunk(&server->layout, server->options.index, 0);
    uint32_t index = chunk - tri__stretch_first(server->stretch);
    return index < replication->filled || (index == replication->filled && replication->filled_rows > 0);
}

/* Rows of an update are sorted, so those that the standby has come first. */
int64_t tri__filling_count_rows(const tri__server *server, const tri__applied *update)
{
    const tri__replication *replication = &server->replication;
    int64_t count = update->rows->count;
    if (update->chunk - tri__stretch_first(server->stretch) < replication->filled || grows(server, update->chunk))
        return count;
    while (count > 0 && update->rows->rows[count - 1] >= replication->filled_rows)
        count--;
    return count;
}

/* Tells the standby what ps:0 said before it came: which workers are known, which have left, and which make up which steps. */
static void send_news(tri__server *server)
{
    tri__connection *connection = server->replication.stream->connection;
    for (int task = 0; task < TRI_MOST_TASKS; task++) {
        int64_t left = tri__stretch_left(server->stretch, task);
        if (server->welcomed[task])
            tri__primary_met(server, task);
        if (left >= 0)
            tri__message_send(connection, &(tri__message){.type = TRI_MSG_LEFT, .chunk = (uint32_t)task, .step = left}, true);
    }
    int64_t step;
    const int *tasks;
    int count;
    for (int i = 0; tri__stretch_order(server->stretch, i, &step, &tasks, &count); i++) {
        json_t *list = json_array();
        for (int j = 0; j < count; j++)
            json_array_append_new(list, json_integer(tasks[j]));
        tri__message_send_json(connection, TRI_MSG_VIEW, json_pack("{s:I, s:o}", "step", (json_int_t)step, "tasks", list));
    }
    tri__clip_factor clip = tri__stretch_clip(server->stretch);
    if (clip.steps > 0)
        tri__message_send(connection, &(tri__message){.type = TRI_MSG_NORM, .step = clip.steps - 1, .norm = clip.factor}, true);
}

/* Async: which pushes are in the chunk. In sync its step says it. */
static void send_known(tri__server *server, uint32_t chunk)
{
    tri__connection *connection = server->replication.stream->connection;
    bool sync = server->options.settings.mode == TRI_PS_SYNC;
    for (int task = 0; !sync && task < TRI_MOST_TASKS; task++) {
        int64_t serial = tri__stretch_known(server->stretch, chunk, task);
        if (serial >= 0)
            tri__message_send(connection,
                              &(tri__message){.type = TRI_MSG_KNOWN,
                                              .chunk = chunk,
                                              .task = (uint32_t)task,
                                              .serial = serial,
                                              .step = tri__stretch_counted(server->stretch, task) + 1},
                              true);
    }
}

static void send_whole_chunk(tri__server *server, uint32_t chunk)
{
    tri__connection *connection = server->replication.stream->connection;
    size_t count;
    const float *floats;
    send_known(server, chunk);
    for (uint32_t slot = 0; slot < TRI_STRETCH_SLOTS && (floats = tri__stretch_floats(server->stretch, chunk, (int)slot, &count)); slot++)
        tri__message_copy_floats(connection,
                                 (tri__message){.type = TRI_MSG_RESTORE,
                                                .chunk = chunk,
                                                .generation = server->generation,
                                                .step = tri__stretch_step(server->stretch, chunk),
                                                .slot = slot},
                                 floats, count);
}

/* Which key has which row, and where every table stands. Rows follow. */
static tri_status send_keys(tri__server *server)
{
    tri__connection *connection = server->replication.stream->connection;
    const tri__key_map *map = tri__stretch_map(server->stretch);
    tri__key_cells cells = {0};
    tri_status status =
        tri__key_cells_take(&cells, map, server->options.index, server->layout.servers, (tri__left_out){map->left_rare, map->left_full});
    if (!status)
        tri__key_cells_send(&cells, connection,
                            (tri__message){.generation = server->generation, .step = tri__stretch_counted_step(server->stretch) + 1});
    tri__key_cells_fini(&cells);
    for (int table = 0; !status && table < server->layout.tables.count; table++) {
        const uint32_t chunk = tri__layout_table_chunk(&server->layout, server->options.index, table);
        const int64_t step = tri__stretch_step(server->stretch, chunk);
        send_known(server, chunk);
        tri__message_send(connection,
                          &(tri__message){.type = TRI_MSG_RESTORE, .chunk = chunk, .generation = server->generation, .step = step}, true);
    }
    return status;
}

/* The next piece of a table, in all its slots. A piece that is all zeros travels without a body. */
static tri_status send_piece(tri__server *server, uint32_t chunk)
{
    tri__replication *replication = &server->replication;
    const tri_table *table = tri__stretch_table(server->stretch, chunk);
    const int64_t first = replication->filled_rows, rows = tri__layout_piece_rows(&server->layout, chunk, first);
    const size_t count = (size_t)(rows * table->width);
    TRI_TRY(tri__reserve(&replication->body, &replication->body_room, (int64_t)TRI_CHUNK_BYTES, 1, "rows of a table"));
    for (uint32_t slot = 0; slot < (uint32_t)tri__stretch_slots(server->stretch); slot++) {
        const tri__message message = {.type = TRI_MSG_RESTORE,
                                      .chunk = chunk,
                                      .generation = server->generation,
                                      .step = tri__stretch_step(server->stretch, chunk),
                                      .position = first,
                                      .slot = slot};
        tri__table_read(table, first, 1, rows, (int)slot, replication->body);
        tri__message_copy_floats(replication->stream->connection, message, replication->body,
                                 tri__all_zero(replication->body, count) ? 0 : count);
    }
    replication->filled_rows += rows;
    return NULL;
}

/* A chunk, or a piece of a table. */
static tri_status send_next(tri__server *server)
{
    tri__replication *replication = &server->replication;
    const uint32_t chunk = tri__stretch_first(server->stretch) + replication->filled;
    if (!tri__stretch_table(server->stretch, chunk)) {
        send_whole_chunk(server, chunk);
        replication->filled++;
        return NULL;
    }
    const int table = tri__layout_table(&server->layout, chunk);
    if (replication->filled_rows == 0 && !grows(server, chunk))
        send_known(server, chunk);
    else if (replication->filled_rows == 0 && table == 0)
        TRI_TRY(send_keys(server));
    TRI_TRY(send_piece(server, chunk));
    if (replication->filled_rows < tri__layout_rows(&server->layout, server->options.index, table))
        return NULL;
    replication->filled++;
    replication->filled_rows = 0;
    return NULL;
}

/* Sends as many chunks as the stream takes. From the moment when the last chunk is sent, answers wait for the standby. Updates that were
 * answered earlier are on the stream before FILLED. */
void tri__filling_go_on(tri__server *server)
{
    tri__replication *replication = &server->replication;
    if (replication->state != TRI_REPLICATION_FILLING || !replication->stream)
        return;
    tri_status status = NULL;
    uint32_t chunks = tri__stretch_chunks(server->stretch);
    while (!status && replication->filled < chunks && tri__connection_unsent(replication->stream->connection) < TRI_UNSENT_MOST)
        status = send_next(server);
    if (status)
        tri__server_end(server, status);
    if (status || replication->filled < chunks)
        return;
    tri__message_send(replication->stream->connection, &(tri__message){.type = TRI_MSG_FILLED, .pair = replication->pair}, false);
    replication->state = TRI_REPLICATION_JOINING;
}

void tri__filling_begin(tri__server *server)
{
    send_news(server);
    server->role->tell_state(server);
    tri__filling_go_on(server);
}
