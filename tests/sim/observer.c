/* observer.c: notes for people what tasks log, what they send and which pushes are applied, and counts it for invariants.c. */
#include "sim/observer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/history.h"
#include "sim/invariants.h"
#include "sim/place.h"
#include "store/ps/protocol/message.h"
#include "store/ps/server/server_inside.h"
#include "store/ps/stretch/stretch.h"

void (*sim_message_sent)(int place, uint32_t type);

static bool names_somebody(const char *line)
{
    static const char *const words[] = {"waiting for", "waits for", "goes on without", "silent", "is gone", "is lost"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i]) && (strstr(line, "ps:") || strstr(line, "worker:") || strstr(line, "evaluator")))
            return true;
    return false;
}

/* Reads what ps:0 logs about the two servers of a range. */
static void note_pairs(const char *line)
{
    int server;
    if (sscanf(line, "the range of ps:%d lives on two", &server) == 1)
        sim_all.whole[server] = true;
    bool lost = sscanf(line, "ps:%d is lost at step", &server) == 1 ||
                sscanf(line, "the second server of ps:%d is lost at step", &server) == 1 ||
                sscanf(line, "ps:%d is gone: the range", &server) == 1 ||
                sscanf(line, "the second server of ps:%d is gone: the range", &server) == 1;
    if (lost)
        sim_all.whole[server] = false;
}

/* In sync all workers make every step. So as long as there are steps to make, ps:0 must not begin without a worker that lives before it has
 * waited for the timeout. */
static void check_beginning(void)
{
    const sim_job *job = &sim_all.job;
    bool all_live = job->settings.mode == TRI_PS_SYNC && job->settings.backup == 0;
    for (int i = 0; i < job->settings.workers; i++)
        all_live &= sim_process_at(sim_place_worker(job, i)) != NULL;
    if (all_live && !sim_all.stop && !sim_all.stopping && sim_now() - sim_all.task[0].started < job->settings.timeout)
        sim_violate("ps:0 begins without a worker that lives");
}

static void write_log(tri__log *log, tri__log_level level, const char *line)
{
    (void)log;
    sim_note("%s%s", level >= TRI_LOG_WARNING ? "! " : "# ", line);
    if (strstr(line, "the others go on") || strstr(line, "beginning with these") || strstr(line, "takes no part any more"))
        sim_all.left++;
    if (strstr(line, "beginning with these"))
        check_beginning();
    if (strstr(line, "back to step"))
        sim_all.went_back++;
    if (names_somebody(line))
        sim_all.named = sim_now();
    note_pairs(line);
}

tri__log sim_log = {.write = write_log, .least = TRI_LOG_INFO};

void __real_tri__connection_send(tri__connection *connection, const tri__frame *frame, const void *body, bool more);
void __wrap_tri__connection_send(tri__connection *connection, const tri__frame *frame, const void *body, bool more);
void __real_tri__connection_send_copy(tri__connection *connection, const tri__frame *frame, const void *body, bool more);
void __wrap_tri__connection_send_copy(tri__connection *connection, const tri__frame *frame, const void *body, bool more);
tri_status __real_tri__message_decode(const tri__frame *frame, tri__message *out);
tri_status __wrap_tri__message_decode(const tri__frame *frame, tri__message *out);

static void write_frame(const uint64_t numbers[SIM_NUMBERS], char *text, size_t size)
{
    int to = (int)(numbers[4] >> 32) - 1;
    int used = snprintf(text, size, "%s %s chunk %u step %" PRId64 " view %u, %u bytes", to >= 0 ? ">" : "<",
                        tri__message_name((uint32_t)numbers[0]), (unsigned)numbers[1], (int64_t)numbers[2], (unsigned)(numbers[1] >> 32),
                        (unsigned)numbers[4]);
    if (to >= 0)
        snprintf(text + used, size - (size_t)used, " → %s", sim_place_name(to));
}

static void note_frame(const tri__frame *frame, int to)
{
    const uint64_t numbers[SIM_NUMBERS] = {frame->type, frame->word[0], frame->word[1], frame->word[2],
                                           frame->size | (uint64_t)(to + 1) << 32};
    if (frame->type != TRI_MSG_BEAT)
        sim_note_numbers(write_frame, numbers);
}

/* "10.0.0.2:30004" is place 2. */
static int place_of(const char *peer)
{
    int place = -1;
    return sscanf(peer, "10.0.0.%d", &place) == 1 ? place : -1;
}

static void note_sent(const tri__connection *connection, const tri__frame *frame)
{
    note_frame(frame, place_of(tri__connection_peer(connection)));
    if (frame->type != TRI_MSG_BEAT)
        sim_all.said = sim_now();
    sim_all.begun |= frame->type == TRI_MSG_TOKEN;
    sim_all.stopping |= frame->type == TRI_MSG_STOP;
    sim_all.ending |= frame->type == TRI_MSG_BYE && sim_self()->place == 0;
    if (sim_message_sent)
        sim_message_sent(sim_self()->place, frame->type);
}

void __wrap_tri__connection_send(tri__connection *connection, const tri__frame *frame, const void *body, bool more)
{
    note_sent(connection, frame);
    __real_tri__connection_send(connection, frame, body, more);
}

void __wrap_tri__connection_send_copy(tri__connection *connection, const tri__frame *frame, const void *body, bool more)
{
    note_sent(connection, frame);
    __real_tri__connection_send_copy(connection, frame, body, more);
}

tri_status __wrap_tri__message_decode(const tri__frame *frame, tri__message *out)
{
    note_frame(frame, -1);
    return __real_tri__message_decode(frame, out);
}

tri_status __real_tri__stretch_push(tri__stretch *stretch, const tri__push *push, tri__push_outcome *out);
tri_status __wrap_tri__stretch_push(tri__stretch *stretch, const tri__push *push, tri__push_outcome *out);

tri_status __wrap_tri__stretch_push(tri__stretch *stretch, const tri__push *push, tri__push_outcome *out)
{
    tri_status status = __real_tri__stretch_push(stretch, push, out);
    if (!status && *out == TRI_PUSH_APPLIED && push->chunk < SIM_MOST_CHUNKS)
        sim_all.applied[push->chunk]++;
    return status;
}

void __real_tri__peer_answer(tri__peer *peer, uint32_t chunk, bool more);
void __wrap_tri__peer_answer(tri__peer *peer, uint32_t chunk, bool more);

/* True: it answers workers without waiting for the range's other server. */
static bool is_alone(const tri__server *server)
{
    tri__replication_state state = server->replication.state;
    return server->holds == TRI_HOLDS_ALL && state <= TRI_REPLICATION_FILLING;
}

/* The two servers of a range must never both answer on their own. */
static void check_primary(int place, const tri__server *server)
{
    const sim_job *job = &sim_all.job;
    int range = sim_range_at(job, place), other = place == range ? sim_place_second(job, range) : range;
    sim_all.server[place] = server;
    const tri__server *second = sim_process_at(other) ? sim_all.server[other] : NULL;
    if (second && is_alone(server) && is_alone(second) && server->generation == second->generation)
        sim_violate("%s and %s are both the primary of a range", sim_place_name(place), sim_place_name(other));
}

void __wrap_tri__peer_answer(tri__peer *peer, uint32_t chunk, bool more)
{
    int place = sim_self()->place;
    if (sim_all.job.settings.replicas == 2 && sim_range_at(&sim_all.job, place) > 0)
        check_primary(place, peer->server);
    __real_tri__peer_answer(peer, chunk, more);
}

/* ---- the two servers of a range ---- */

static bool have_same_floats(const tri__server *primary, const tri__server *standby, uint32_t chunk)
{
    for (int slot = 0; slot < tri__stretch_slots(primary->stretch); slot++) {
        size_t count;
        const float *one = tri__stretch_floats(primary->stretch, chunk, slot, &count);
        const float *other = tri__stretch_floats(standby->stretch, chunk, slot, &count);
        if (one && memcmp(one, other, count * sizeof *one) != 0)
            return false;
    }
    return true;
}

static bool have_same_rows(const tri__server *primary, const tri__server *standby, uint32_t chunk)
{
    const tri_table *one = tri__stretch_table(primary->stretch, chunk), *other = tri__stretch_table(standby->stretch, chunk);
    const size_t bytes = (size_t)(one ? one->width * tri__stretch_slots(primary->stretch) : 0) * sizeof(float);
    for (int64_t row = 0; one && row < one->rows; row++)
        if (memcmp(one->data + row * one->stride, other->data + row * other->stride, bytes) != 0)
            return false;
    return true;
}

static bool have_same_keys(const tri__server *primary, const tri__server *standby)
{
    const tri__key_map *one = tri__stretch_map(primary->stretch), *other = tri__stretch_map(standby->stretch);
    if (!one)
        return true;
    if (one->used != other->used || one->waiting != other->waiting || one->left_rare != other->left_rare ||
        one->left_full != other->left_full || memcmp(one->key, other->key, (size_t)one->used * sizeof *one->key) != 0)
        return false;
    for (int64_t i = 0; i < one->cells; i++)
        if (one->cell[i].key >= 0 && one->cell[i].value < 0 && tri__key_map_seen(other, one->cell[i].key) != -one->cell[i].value)
            return false;
    return true;
}

/* A standby that has all updates of its primary has the same bits, and has counted the same sightings. */
static void compare_servers(const tri__server *primary, const tri__server *standby)
{
    const int range = primary->options.index;
    for (uint32_t i = 0; i < tri__stretch_chunks(primary->stretch); i++) {
        const uint32_t chunk = tri__stretch_first(primary->stretch) + i;
        if (tri__stretch_step(primary->stretch, chunk) != tri__stretch_step(standby->stretch, chunk))
            sim_violate("chunk %u is at another step on the standby of ps:%d", chunk, range);
        if (!have_same_floats(primary, standby, chunk) || !have_same_rows(primary, standby, chunk))
            sim_violate("chunk %u has other bits on the standby of ps:%d", chunk, range);
    }
    if (!have_same_keys(primary, standby))
        sim_violate("the standby of ps:%d has seen other keys", range);
}

static bool has_all(const tri__replication *primary, const tri__replication *standby)
{
    return primary->state == TRI_REPLICATION_PAIRED && standby->state == TRI_REPLICATION_WHOLE && primary->pair == standby->pair &&
           primary->sent == standby->had;
}

tri_status __real_tri__standby_hear(tri__peer *peer, const tri__message *message, const json_t *body);
tri_status __wrap_tri__standby_hear(tri__peer *peer, const tri__message *message, const json_t *body);

tri_status __wrap_tri__standby_hear(tri__peer *peer, const tri__message *message, const json_t *body)
{
    sim_all.standby[sim_self()->place] = peer->server;
    return __real_tri__standby_hear(peer, message, body);
}

tri_status __real_tri__primary_hear(tri__server *server, const tri__message *message);
tri_status __wrap_tri__primary_hear(tri__server *server, const tri__message *message);

tri_status __wrap_tri__primary_hear(tri__server *server, const tri__message *message)
{
    const int place = sim_self()->place, range = sim_range_at(&sim_all.job, place);
    const int other = place == range ? sim_place_second(&sim_all.job, range) : range;
    tri_status status = __real_tri__primary_hear(server, message);
    const tri__server *standby = sim_process_at(other) ? sim_all.standby[other] : NULL;
    if (!status && standby && has_all(&server->replication, &standby->replication))
        compare_servers(server, standby);
    return status;
}
