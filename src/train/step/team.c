/* team.c: tries different numbers of threads in turn, then keeps the quicker one for longer. */
#include "train/step/team.h"

#include <string.h>

#include "base/thread/clock.h"

#define TURN    (25 * TRI_MILLISECOND) /* time of each part of a trial */
#define REWARD  (5 * TRI_SECOND)       /* how long the quicker one works before the next trial */
#define LONGEST (8 * TURN)             /* a part that took longer was interrupted, perhaps by an evaluation, and does not count */

enum { TURNS = 4, LEAST_STEPS = 4 };

static void begin(tri__team *team, int turn, int64_t now)
{
    team->turn = turn;
    team->since = now;
    team->steps = team->examples = 0;
    if (turn < TURNS)
        team->size = turn == 0 || turn == TURNS - 1 ? 1 : team->most;
}

static void choose(tri__team *team)
{
    const double one = (double)team->learnt[0] * (double)team->time[1], all = (double)team->learnt[1] * (double)team->time[0];
    team->size = one > all ? 1 : team->most;
    memset(team->time, 0, sizeof team->time);
    memset(team->learnt, 0, sizeof team->learnt);
}

static void end_turn(tri__team *team, int64_t now)
{
    const int64_t took = now - team->since;
    if (team->turn == TURNS || took > LONGEST) {
        begin(team, team->turn % TURNS, now);
        return;
    }
    team->time[team->size > 1] += took;
    team->learnt[team->size > 1] += team->examples;
    begin(team, team->turn + 1, now);
    if (team->turn == TURNS)
        choose(team);
}

void tri__team_init(tri__team *team, int threads)
{
    *team = (tri__team){.most = threads, .size = threads};
}

int tri__team_next(tri__team *team, int64_t now, int64_t examples)
{
    if (team->most <= 1)
        return team->size;
    if (!team->since)
        begin(team, 0, now);
    else if (now - team->since >= (team->turn == TURNS ? REWARD : TURN) && team->steps >= LEAST_STEPS)
        end_turn(team, now);
    team->steps++;
    team->examples += examples;
    return team->size;
}
