/* phases.c: an account of time with one open entry. */
#include "watch/progress/phases.h"

const char *tri__phase_name(tri__phase phase)
{
    static const char *const names[] = {
        [TRI_PHASE_INPUT] = "input", [TRI_PHASE_COMPUTE] = "compute", [TRI_PHASE_SEND] = "send",   [TRI_PHASE_SERVER] = "server",
        [TRI_PHASE_PEERS] = "peers", [TRI_PHASE_UPDATE] = "update",   [TRI_PHASE_OTHER] = "other",
    };
    return names[phase];
}

/* Add the time since the present phase began to that phase. */
static void settle(tri__phases *phases, int64_t now)
{
    if (phases->running && now > phases->since)
        phases->spent[phases->phase] += now - phases->since;
    phases->since = now;
}

tri__phase tri__phases_enter(tri__phases *phases, tri__phase phase, int64_t now)
{
    tri__phase left = phases->running ? phases->phase : TRI_PHASE_OTHER;
    settle(phases, now);
    phases->phase = phase;
    phases->running = true;
    return left;
}

void tri__phases_pause(tri__phases *phases, int64_t now)
{
    settle(phases, now);
    phases->running = false;
}

void tri__phases_move(tri__phases *phases, tri__phase from, tri__phase to, int64_t nanoseconds)
{
    if (nanoseconds > phases->spent[from])
        nanoseconds = phases->spent[from];
    if (nanoseconds < 0)
        nanoseconds = 0;
    phases->spent[from] -= nanoseconds;
    phases->spent[to] += nanoseconds;
}

void tri__phases_add(tri__phases *sum, const tri__phases *part)
{
    for (int i = 0; i < TRI_PHASES; i++)
        sum->spent[i] += part->spent[i];
}

int64_t tri__phases_total(const tri__phases *phases)
{
    int64_t total = 0;
    for (int i = 0; i < TRI_PHASES; i++)
        total += phases->spent[i];
    return total;
}

void tri__phases_shares(const tri__phases *phases, double share[TRI_PHASES])
{
    int64_t total = tri__phases_total(phases);
    for (int i = 0; i < TRI_PHASES; i++)
        share[i] = total ? (double)phases->spent[i] / (double)total : 0;
    if (total == 0)
        share[TRI_PHASE_OTHER] = 1;
}

json_t *tri__phases_json(const double share[TRI_PHASES])
{
    json_t *object = json_object();
    for (int i = 0; i < TRI_PHASES; i++)
        json_object_set_new(object, tri__phase_name((tri__phase)i), json_real(share[i]));
    return object;
}

void tri__phases_read(const json_t *phases, double share[TRI_PHASES])
{
    for (int i = 0; i < TRI_PHASES; i++) {
        double value = tri__json_number_of(phases, tri__phase_name((tri__phase)i));
        share[i] = value >= 0 && value <= 1 ? value : 0;
    }
}
