/* rule.c: what all update rules share; each rule is a row of rule_rows.c. */
#include "graph/rule/rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes/vector.h"
#include "base/text/text.h"

enum {
    PIECE = 1 << 14,    /* floats that one thread updates at a time: parameters, gradient and slots fit L2 together */
    PARALLEL = 1 << 16, /* from this many floats on, a team saves more time than it costs */
};

static const tri__rule_row *find_row(const char *name)
{
    const tri__rule_row *row = tri__rule_row_at(0);
    for (int i = 0; name && (row = tri__rule_row_at(i)); i++)
        if (row->name == name || strcmp(row->name, name) == 0)
            break;
    return row;
}

static bool has(const tri__rule_row *row, const tri__rule_number *number)
{
    for (int i = 0; i < TRI_RULE_NUMBERS && row->numbers[i]; i++)
        if (row->numbers[i] == number)
            return true;
    return false;
}

bool tri__rule_is_linear(const tri_rule *rule)
{
    bool linear = find_row(rule->name)->is_linear && rule->clip == 0 && rule->average == 0;
    for (int i = 0; i < TRI_RULE_NUMBERS && rule->set[i].name; i++)
        linear = linear && rule->set[i].value == 0;
    return linear;
}

/* The names */

const char *tri_rule_name(int index)
{
    const tri__rule_row *row = tri__rule_row_at(index);
    return row ? row->name : NULL;
}

const char *tri__rule_names(const tri__rule_number *number, char *text, size_t size)
{
    const tri__rule_row *row;
    int named = 0, all = 0;
    for (int i = 0; (row = tri__rule_row_at(i)); i++)
        all += !number || has(row, number);
    tri__text list;
    tri__text_init(&list, text, size);
    for (int i = 0; (row = tri__rule_row_at(i)); i++)
        if (!number || has(row, number))
            tri__text_list(&list, named++, all, "or", row->name);
    return text;
}

/* The numbers */

const tri__rule_number *tri__rule_number_find(const char *key)
{
    const tri__rule_number *number;
    for (int i = 0; (number = tri__rule_number_at(i)); i++)
        if (strcmp(number->key, key) == 0)
            break;
    return number;
}

bool tri__rule_has(const char *rule, const tri__rule_number *number)
{
    const tri__rule_row *row = find_row(rule);
    return row && has(row, number);
}

const tri__option *tri__rule_option(int index)
{
    if (index == 0)
        return tri__rule_choice();
    const tri__rule_number *number = tri__rule_number_at(index - 1);
    return number ? &number->option : NULL;
}

tri_status tri__rule_set(tri_rule *rule, const tri__rule_number *number, float value)
{
    int i = 0;
    while (i < TRI_RULE_NUMBERS && rule->set[i].name && strcmp(rule->set[i].name, number->key) != 0)
        i++;
    if (i == TRI_RULE_NUMBERS)
        return tri_fail(TRI_BAD_CALL, "%s: more than %d numbers of an update rule", number->key, TRI_RULE_NUMBERS);
    rule->set[i] = (tri_rule_number){number->key, value};
    return NULL;
}

/* What was set, or the default. */
static float value_of(const tri_rule *rule, const tri__rule_number *number)
{
    for (int i = 0; i < TRI_RULE_NUMBERS && rule->set[i].name; i++)
        if (strcmp(rule->set[i].name, number->key) == 0)
            return rule->set[i].value;
    return number->standard;
}

float tri_rule_value(const tri_rule *rule, const char *name)
{
    const tri__rule_number *number = tri__rule_number_find(name);
    return number && tri__rule_has(rule->name, number) ? value_of(rule, number) : 0;
}

int tri_rule_slots(const tri_rule *rule)
{
    const tri__rule_row *row = find_row(rule->name);
    return row ? row->slots + (rule->average > 0) : 0;
}

int tri__rule_average_slot(const tri_rule *rule)
{
    return rule->average > 0 ? tri_rule_slots(rule) - 1 : -1;
}

const char *tri__rule_text(const tri_rule *rule, char *text, size_t size)
{
    tri__text words;
    tri__text_init(&words, text, size);
    tri__text_add(&words, "--rule %s", rule->name);
    for (int i = 0; i < TRI_RULE_NUMBERS && rule->set[i].name; i++)
        tri__text_add(&words, " --%s %g", tri__rule_number_find(rule->set[i].name)->option.name, (double)rule->set[i].value);
    if (rule->average > 0)
        tri__text_add(&words, " --average %g", (double)rule->average);
    return text;
}

/* Checks */

static tri_status check_number(const tri__rule_number *number, float value)
{
    char range[160];
    if (tri__option_takes(&number->option, (double)value))
        return NULL;
    return tri_fail(TRI_BAD_CALL, "%s is %g: it must be %s", number->key, (double)value,
                    tri__option_range(&number->option, range, sizeof range));
}

static tri_status check_set(const tri__rule_row *row, const tri_rule_number *set)
{
    char names[128];
    const tri__rule_number *number = tri__rule_number_find(set->name);
    if (!number)
        return tri_fail(TRI_BAD_CALL, "no update rule has a number '%s'", set->name);
    if (!has(row, number))
        return tri_fail(TRI_BAD_CALL, "%s is for rule %s, and the rule is %s", set->name, tri__rule_names(number, names, sizeof names),
                        row->name);
    return check_number(number, set->value);
}

tri_status tri__rule_complete(tri_rule *rule)
{
    char names[128];
    const tri__rule_row *row = find_row(rule->name);
    if (!row)
        return tri_fail(TRI_BAD_CALL, "there is no update rule '%s': choose %s", rule->name, tri__rule_names(NULL, names, sizeof names));
    tri_rule complete = {.name = row->name, .clip = rule->clip, .average = rule->average, .state = rule->state};
    for (int i = 0; i < TRI_RULE_NUMBERS && rule->set[i].name; i++)
        TRI_TRY(check_set(row, &rule->set[i]));
    for (int i = 0; i < TRI_RULE_NUMBERS && row->numbers[i]; i++)
        complete.set[i] = (tri_rule_number){row->numbers[i]->key, value_of(rule, row->numbers[i])};
    if (!(rule->clip >= 0 && isfinite(rule->clip))) /* so that NaN fails */
        return tri_fail(TRI_BAD_CALL, "the bound of the gradient's norm is %g: it must be 0 or a positive number", (double)rule->clip);
    if (!(rule->average >= 0 && rule->average < 1))
        return tri_fail(TRI_BAD_CALL, "the decay of the averages is %g: it must be 0 (none are kept), or above 0 and below 1",
                        (double)rule->average);
    *rule = complete;
    return NULL;
}

/* Use */

tri__update tri__update_of(float *parameters, float *const slot[TRI_RULE_SLOTS], tri_range range, const float *gradient, double scale,
                           tri_step step)
{
    tri__update update = {.parameters = parameters + range.first,
                          .gradient = gradient,
                          .count = range.count,
                          .scale = (float)scale,
                          .step = step,
                          .updates = step.step};
    for (int i = 0; i < TRI_RULE_SLOTS; i++)
        update.slot[i] = slot[i] ? slot[i] + range.first : NULL;
    return update;
}

static tri__update piece_of(const tri__update *whole, size_t first)
{
    const tri_range range = {first, whole->count - first < PIECE ? whole->count - first : PIECE};
    tri__update piece = tri__update_of(whole->parameters, whole->slot, range, whole->gradient + first, (double)whole->scale, whole->step);
    piece.updates = whole->updates;
    return piece;
}

/* How many floats of a range lie at or behind first. */
static size_t count_behind(size_t first, tri_range range)
{
    const size_t end = range.first + range.count;
    return first >= end ? 0 : first < range.first ? range.count : end - first;
}

size_t tri__rule_state_in(const tri_rule *rule, tri_range range)
{
    return rule->state.range.count ? count_behind(rule->state.range.first, range) : 0;
}

void tri__update_mark_state(tri__update *update, const tri_rule *rule, tri_range range)
{
    const tri_state *state = &rule->state;
    update->state = tri__rule_state_in(rule, range);
    update->frozen = state->frozen ? count_behind(state->range.first + state->range.count - state->frozen, range) : 0;
}

void tri__rule_spare_state(const tri_rule *rule, tri_range range, float *gradient, double factor)
{
    for (size_t i = range.count - tri__rule_state_in(rule, range); factor != 1 && i < range.count; i++)
        gradient[i] = (float)(gradient[i] / factor);
}

/* The range's averages; NULL: the rule keeps none. */
static float *averages_of(const tri_rule *rule, const tri__update *update)
{
    const int slot = tri__rule_average_slot(rule);
    return slot < 0 ? NULL : update->slot[slot];
}

/* s ← s + rate · (scale · g − s). State and frozen floats have no average: the averages take them as they are. */
static void move_state(const tri_rule *rule, const tri__update *update)
{
    float *average = averages_of(rule, update), rate = rule->state.rate;
    for (size_t i = update->count - update->state; i < update->count - update->frozen; i++) {
        update->parameters[i] += rate * (update->scale * update->gradient[i] - update->parameters[i]);
        if (average)
            average[i] = update->parameters[i];
    }
    for (size_t i = update->count - update->frozen; average && i < update->count; i++)
        average[i] = update->parameters[i];
}

/* a ← a + (1 − d)·(p − a), where p is the parameter after the update and d = min(average, t / (t + 9)), t = 0 for the first update. So the
 * first update is taken as it is, and as long as d is below what was asked for, the average reaches back over about a ninth of the updates,
 * not to where a short run began. It is TensorFlow's min(decay, (1 + n) / (10 + n)) with n = t − 1. */
TRI_FOR_EVERY_CPU static void move_averages(const tri_rule *rule, const tri__update *update)
{
    const float *restrict p = update->parameters;
    float *restrict a = averages_of(rule, update);
    const double t = (double)update->updates, decay = fmin((double)rule->average, t / (t + 9));
    const float share = (float)(1 - decay);
    for (size_t i = 0; i < update->count; i++)
        a[i] += share * (p[i] - a[i]);
}

static void apply_row(const tri__rule_row *row, const tri_rule *rule, const tri__update *update)
{
    row->apply(rule, update);
    if (rule->average > 0)
        move_averages(rule, update);
}

void tri__rule_apply(const tri_rule *rule, const tri__update *update)
{
    if (update->state) {
        move_state(rule, update);
        tri__update trained = *update;
        trained.count -= update->state;
        trained.state = trained.frozen = 0;
        tri__rule_apply(rule, &trained);
        return;
    }
    const tri__rule_row *row = find_row(rule->name);
    if (update->count < PARALLEL) {
        apply_row(row, rule, update);
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < update->count; first += PIECE) {
        tri__update piece = piece_of(update, first);
        apply_row(row, rule, &piece);
    }
}
