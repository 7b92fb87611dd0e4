/* tuning.c: decides how many threads decode, and how many batches they may be ahead. */
#include "data/batch/tuning.h"

#include "base/thread/clock.h"

#define LATELY      TRI_SECOND /* how much decoding is remembered */
#define CALM        256        /* batches without a wait, after which a shorter queue is tried */
#define FIRST_DEPTH 3
#define LEAST_DEPTH 2                  /* one with the caller, one being filled */
#define LONG_QUEUE  8                  /* batches; while a queue this long is half full, nobody waits */
#define SMALL_QUEUE ((size_t)1 << 20)  /* bytes; shortening a queue this small saves nothing */
#define LARGE_BATCH ((size_t)16 << 20) /* bytes; batches this large are queued only if that helps */
#define DISK_FACTOR 4                  /* threads for each CPU, if they wait for the disk */

static int clamp(int64_t value, int least, int most)
{
    return value < least ? least : value > most ? most : (int)value;
}

void tri__tuning_init(tri__tuning *tuning, int cpus, int threads, size_t bytes, size_t budget, bool assigned)
{
    const size_t fitting = bytes ? budget / bytes : TRI_MOST_QUEUED, small = assigned || !bytes ? LEAST_DEPTH : SMALL_QUEUE / bytes;
    *tuning = (tri__tuning){
        .cpus = clamp(cpus, 1, TRI_MOST_DECODERS),
        .fixed = threads > 0,
        .threads = clamp(threads, 1, TRI_MOST_DECODERS),
        .most_depth = clamp(fitting > TRI_MOST_QUEUED ? TRI_MOST_QUEUED : (int64_t)fitting, LEAST_DEPTH, TRI_MOST_QUEUED),
    };
    tuning->least_depth = clamp(small > TRI_MOST_QUEUED / 2 ? TRI_MOST_QUEUED / 2 : (int64_t)small, LEAST_DEPTH, tuning->most_depth);
    tuning->depth = clamp(bytes < LARGE_BATCH ? FIRST_DEPTH : LEAST_DEPTH, tuning->least_depth, tuning->most_depth);
}

bool tri__tuning_is_worth_waking(const tri__tuning *tuning, int ahead)
{
    return tuning->depth < LONG_QUEUE || ahead <= tuning->depth / 2;
}

void tri__tuning_worked(tri__tuning *tuning, tri__decode_effort effort)
{
    tri__decode_effort *sum = &tuning->effort;
    sum->wall += effort.wall;
    sum->cpu += effort.cpu;
    sum->blocked += effort.blocked;
    sum->preempted += effort.preempted;
    if (sum->wall > LATELY)
        *sum = (tri__decode_effort){sum->wall / 2, sum->cpu / 2, sum->blocked / 2, sum->preempted / 2};
}

void tri__tuning_idle(tri__tuning *tuning)
{
    tuning->slack = true;
}

/* Threads wait for the disk if they have a CPU less than half of the time, mostly because they gave it up themselves. Threads that lose
 * their CPU to others would only lose it more often if there were more of them. */
static int most_threads(const tri__tuning *tuning)
{
    const tri__decode_effort *effort = &tuning->effort;
    bool disk = effort->cpu < effort->wall / 2 && effort->blocked > effort->preempted;
    return clamp(disk ? DISK_FACTOR * tuning->cpus : tuning->cpus, 1, TRI_MOST_DECODERS);
}

void tri__tuning_waiting(tri__tuning *tuning, int64_t nanoseconds)
{
    tuning->waited += nanoseconds;
    if (tuning->waited < TRI_TUNING_PATIENCE)
        return;
    tuning->waited = 0;
    if (!tuning->fixed && tuning->threads < most_threads(tuning))
        tuning->threads++;
}

void tri__tuning_given(tri__tuning *tuning, bool waited)
{
    if (waited) {
        if (tuning->slack && tuning->depth < tuning->most_depth)
            tuning->depth++;
        tuning->slack = false;
        tuning->calm = 0;
    } else if (++tuning->calm >= CALM) {
        tuning->calm = 0;
        if (tuning->depth > tuning->least_depth)
            tuning->depth--;
    }
}
