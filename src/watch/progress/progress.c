/* progress.c: one line about a run.
 *
 * The live line has fields in a fixed order. Each has a rank; while the line is too wide, the field of the highest rank is left out. The
 * bar gets the columns that remain. Numbers are padded to the width that they will have at the end, so that nothing moves. */
#include "watch/progress/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"

static const double smoothing = 3;               /* seconds; the weight of a reading falls to 1/e over this time */
static const int64_t least_interval = 100000000; /* nanoseconds between two readings that count */

void tri__rate_begin(tri__rate *rate, int64_t examples, int64_t now)
{
    rate->examples = examples;
    rate->at = now;
    rate->begun = true;
}

void tri__rate_skip(tri__rate *rate, int64_t nanoseconds)
{
    rate->at += nanoseconds;
}

double tri__rate_update(tri__rate *rate, int64_t examples, int64_t now)
{
    if (!rate->begun)
        tri__rate_begin(rate, examples, now);
    if (now <= rate->at)
        return rate->rate;
    double seconds = (double)(now - rate->at) * 1e-9;
    double latest = (double)(examples - rate->examples) / seconds;
    if (now - rate->at < least_interval) /* too short to count, but better than no rate at all */
        return rate->rate > 0 ? rate->rate : latest;
    double weight = rate->rate > 0 ? 1 - exp(-seconds / smoothing) : 1;
    rate->rate += weight * (latest - rate->rate);
    tri__rate_begin(rate, examples, now);
    return rate->rate;
}

double tri__progress_left(int64_t first, int64_t step, int64_t steps, double elapsed)
{
    if (steps <= 0 || step <= first)
        return NAN;
    double left = elapsed / (double)(step - first) * (double)(steps - step);
    return left > 0 ? left : 0;
}

enum { FIELDS = 9, FIELD_SIZE = 96, GAP = 2, BAR_LEAST = 6, BAR_MOST = 30 };

typedef struct {
    char text[FIELD_SIZE];
    int rank; /* the field of the highest rank is left out first */
} field;

typedef struct {
    field list[FIELDS];
    int count;
} fields;

/* A new empty field to write into. */
static tri__text add_field(fields *all, int rank)
{
    tri__text text;
    field *added = &all->list[all->count++];
    added->rank = rank;
    tri__text_init(&text, added->text, sizeof added->text);
    return text;
}

static double done_of(const tri__progress *p)
{
    double done = p->steps > 0 ? (double)p->step / (double)p->steps : 0;
    return fmin(fmax(done, 0), 1);
}

static void add_steps(fields *all, const tri__progress *p)
{
    char step[TRI_TEXT_SHORT], steps[TRI_TEXT_SHORT];
    tri__text_count(step, (double)p->step);
    if (p->steps > 0) {
        tri__text percent = add_field(all, 2);
        tri__text_add(&percent, "%3.0f %%", floor(100 * done_of(p)));
        tri__text text = add_field(all, 5);
        tri__text_count(steps, (double)p->steps);
        tri__text_add(&text, "%*s/%s", (int)strlen(steps), step, steps);
    } else {
        tri__text text = add_field(all, 2);
        tri__text_add(&text, "step %s", step);
    }
}

static void add_numbers(fields *all, const tri__progress *p)
{
    char number[TRI_TEXT_SHORT];
    if (p->examples_per_second > 0) {
        tri__text text = add_field(all, 4);
        tri__text_add(&text, "%5s/s", tri__text_brief(number, p->examples_per_second));
    }
    if (!isnan(p->loss)) {
        tri__text text = add_field(all, 1);
        tri__text_add(&text, "loss %.4f", p->loss);
    }
    if (!isnan(p->accuracy)) {
        tri__text text = add_field(all, 6);
        tri__text_add(&text, "accuracy %.4f", p->accuracy);
    }
}

/* The phases that take at least one percent, largest first: "compute 93 % input 4 %". */
static void add_shares(tri__text *text, const double *share, int most)
{
    bool taken[TRI_PHASES] = {false};
    for (int n = 0; n < most; n++) {
        int largest = -1;
        for (int i = 0; i < TRI_PHASES; i++)
            if (!taken[i] && share[i] >= 0.01 && (largest < 0 || share[i] > share[largest]))
                largest = i;
        if (largest < 0)
            return;
        taken[largest] = true;
        tri__text_add(text, "%s%s %2.0f %%", n ? " " : "", tri__phase_name((tri__phase)largest), 100 * share[largest]);
    }
}

static void add_times(fields *all, const tri__progress *p)
{
    char time[TRI_TEXT_SHORT];
    tri__text text = add_field(all, 3);
    if (isnan(p->left))
        tri__text_add(&text, "%s", tri__text_duration(time, p->elapsed));
    else
        tri__text_add(&text, "ETA %s", tri__text_duration(time, p->left));
}

static int columns_of(const fields *all)
{
    int columns = 0;
    for (int i = 0; i < all->count; i++)
        if (all->list[i].text[0])
            columns += tri__text_columns(all->list[i].text) + (columns ? GAP : 0);
    return columns;
}

static void drop_least_important(fields *all)
{
    int drop = 0;
    for (int i = 1; i < all->count; i++)
        if (all->list[i].rank > all->list[drop].rank)
            drop = i;
    memmove(&all->list[drop], &all->list[drop + 1], (size_t)(all->count - drop - 1) * sizeof *all->list);
    all->count--;
}

/* Add a bar that is `columns` wide, in eighths of a column. done: 0 … 1 */
static void add_bar(tri__text *text, double done, int columns)
{
    static const char *const eighth[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int eighths = (int)(done * columns * 8), full = eighths / 8, part = eighths % 8;
    tri__text_repeat(text, "█", full);
    tri__text_add(text, "%s", eighth[part]);
    tri__text_repeat(text, "░", columns - full - (part > 0));
}

static void join(tri__text *line, const fields *all)
{
    for (int i = 0; i < all->count; i++)
        if (all->list[i].text[0])
            tri__text_add(line, "%*s%s", line->used ? GAP : 0, "", all->list[i].text);
}

static void collect(fields *all, const tri__progress *p)
{
    *all = (fields){.count = 0};
    if (p->label && *p->label) {
        tri__text text = add_field(all, 8);
        tri__text_add(&text, "%s", p->label);
    }
    add_steps(all, p);
    add_numbers(all, p);
    tri__text text = add_field(all, 7);
    add_shares(&text, p->share, 3);
    add_times(all, p);
}

const char *tri__progress_live(const tri__progress *progress, int width, char *buffer, size_t size)
{
    fields all;
    tri__text line;
    int bar_least = progress->steps > 0 && width >= 40 ? BAR_LEAST + GAP : 0;
    collect(&all, progress);
    while (all.count > 0 && columns_of(&all) + bar_least > width)
        drop_least_important(&all);
    tri__text_init(&line, buffer, size);
    if (bar_least) {
        int room = width - columns_of(&all) - GAP;
        add_bar(&line, done_of(progress), room < BAR_MOST ? room : BAR_MOST);
    }
    join(&line, &all);
    return buffer;
}

const char *tri__progress_plain(const tri__progress *progress, char *buffer, size_t size)
{
    char number[TRI_TEXT_SHORT];
    tri__text line;
    tri__text_init(&line, buffer, size);
    if (progress->label && *progress->label)
        tri__text_add(&line, "%s: ", progress->label);
    tri__text_add(&line, "step %" PRId64, progress->step);
    if (progress->steps > 0)
        tri__text_add(&line, "/%" PRId64 " (%.0f %%)", progress->steps, floor(100 * done_of(progress)));
    if (progress->examples_per_second > 0)
        tri__text_add(&line, ", %s examples/s", tri__text_count(number, progress->examples_per_second));
    if (!isnan(progress->loss))
        tri__text_add(&line, ", loss %.4f", progress->loss);
    if (!isnan(progress->accuracy))
        tri__text_add(&line, ", accuracy %.4f", progress->accuracy);
    tri__text_add(&line, ", %s elapsed", tri__text_duration(number, progress->elapsed));
    if (!isnan(progress->left))
        tri__text_add(&line, ", %s left", tri__text_duration(number, progress->left));
    char shares[FIELD_SIZE];
    tri__text text;
    tri__text_init(&text, shares, sizeof shares);
    add_shares(&text, progress->share, TRI_PHASES);
    if (shares[0])
        tri__text_add(&line, " (%s)", shares);
    return buffer;
}
