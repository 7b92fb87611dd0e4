/* model_loop.c: which lines a line may read, and what may stand in a loop. */
#include "graph/model/model_loop.h"

#include <string.h>

/* Whether the line that is being read stands in this loop. Every line stands in −1, which is around all loops. */
static bool is_inside(const tri_model *model, int loop)
{
    int at = model->open_loop;
    while (at >= 0 && at != loop)
        at = model->statement[at].loop;
    return at == loop;
}

bool tri__model_loop_shows(const tri_model *model, int index)
{
    const tri__statement *line = &model->statement[index];
    if (line->verb.form == TRI_FORM_WHILE || line->verb.form == TRI_FORM_END)
        return false;
    if (line->verb.form != TRI_FORM_NEXT)
        return is_inside(model, line->loop);
    return !is_inside(model, line->loop) && is_inside(model, model->statement[line->loop].loop);
}

tri_status tri__model_loop_hides(const tri__scan *scan, int index, const char *where)
{
    const tri__statement *line = &scan->model->statement[index];
    if (line->verb.form == TRI_FORM_WHILE || line->verb.form == TRI_FORM_END)
        return TRI_SCAN_FAIL(scan, where, "'%s' (%s) has no value; what a loop gives are its next lines", line->name, line->verb.name);
    if (line->verb.form == TRI_FORM_NEXT && is_inside(scan->model, line->loop))
        return TRI_SCAN_FAIL(scan, where, "'%s' is there when the loop has ended; in the loop, read what becomes of it", line->name);
    return TRI_SCAN_FAIL(scan, where, "'%s' is inside the loop of line %d; behind it, only its next lines can be read", line->name,
                         scan->model->statement[line->loop].line);
}

/* ---- what may stand in a loop ---- */

/* Layers have parameters, and an input that is fed is a parameter; operators, and the words of loops, have none. */
static bool has_variables(tri__form form)
{
    return form < TRI_FORM_ROW && form != TRI_FORM_GLOBAL_POOL;
}

static tri_status check_common(const tri__scan *scan, const tri__statement *statement, const char *where)
{
    const char *name = statement->verb.name;
    if (statement->task >= 0)
        return TRI_SCAN_FAIL(scan, where, "one task computes a whole loop: place its while line instead (line %d)",
                             scan->model->statement[statement->loop].line);
    if (has_variables(statement->verb.form))
        return TRI_SCAN_FAIL(scan, where, "%s has variables, which live outside of loops: write it before the loop of line %d", name,
                             scan->model->statement[statement->loop].line);
    if (strncmp(name, "assign", strlen("assign")) == 0)
        return TRI_SCAN_FAIL(scan, where,
                             "%s changes a variable once a run, so it stands behind the loop; carry and next change values in it", name);
    if (strcmp(name, "random") == 0)
        return TRI_SCAN_FAIL(scan, where, "random would give the same numbers in every round; draw them before the loop");
    return NULL;
}

/* A carried value starts with a value from before the loop. */
static tri_status check_carry(const tri__scan *scan, const tri__statement *statement, const char *where)
{
    const tri__statement *start = &scan->model->statement[statement->input[0]];
    if (start->loop == statement->loop && start->verb.form != TRI_FORM_NEXT)
        return TRI_SCAN_FAIL(scan, where, "carry begins with a line from before the loop, and '%s' is in it", start->name);
    if (strcmp(statement->name, "again") == 0)
        return TRI_SCAN_FAIL(scan, where, "the name 'again' has a meaning of its own; choose another");
    return NULL;
}

/* The `next` line of this `carry` line; −1: none yet. */
static int find_next(const tri_model *model, int carry)
{
    for (int i = carry + 1; i < model->count; i++)
        if (model->statement[i].verb.form == TRI_FORM_NEXT && model->statement[i].input[0] == carry)
            return i;
    return -1;
}

static tri_status check_next(const tri__scan *scan, const tri__statement *statement, const char *where)
{
    const tri_model *model = scan->model;
    const tri__statement *carried = &model->statement[statement->input[0]];
    if (carried->verb.form != TRI_FORM_CARRY || carried->loop != statement->loop)
        return TRI_SCAN_FAIL(scan, where, "next begins with a carry line of its loop, and '%s' is none", carried->name);
    const int other = find_next(model, statement->input[0]);
    if (other >= 0)
        return TRI_SCAN_FAIL(scan, where, "line %d says already what becomes of '%s'", model->statement[other].line, carried->name);
    return NULL;
}

static tri_status check_end(const tri__scan *scan, const tri__statement *statement, const char *where)
{
    const tri_model *model = scan->model;
    int carried = 0;
    for (int i = 0; i < model->count; i++) {
        const tri__statement *line = &model->statement[i];
        if (line->verb.form != TRI_FORM_CARRY || line->loop != statement->loop)
            continue;
        carried++;
        if (find_next(model, i) < 0)
            return TRI_SCAN_FAIL(scan, where, "'%s' (line %d) is carried, and no next line says what becomes of it", line->name,
                                 line->line);
    }
    if (!carried)
        return TRI_SCAN_FAIL(scan, where, "the loop of line %d carries nothing from round to round, and so would never end",
                             model->statement[statement->loop].line);
    return NULL;
}

tri_status tri__model_loop_check(const tri__scan *scan, const tri__statement *statement, const char *where)
{
    const tri__form form = statement->verb.form;
    bool belongs = form == TRI_FORM_CARRY || form == TRI_FORM_NEXT || form == TRI_FORM_END;
    if (statement->loop < 0)
        return belongs
                   ? TRI_SCAN_FAIL(scan, where, "%s stands in a loop, which a line such as while(most=100) begins", statement->verb.name)
                   : NULL;
    TRI_TRY(check_common(scan, statement, where));
    return form == TRI_FORM_CARRY  ? check_carry(scan, statement, where)
           : form == TRI_FORM_NEXT ? check_next(scan, statement, where)
           : form == TRI_FORM_END  ? check_end(scan, statement, where)
                                   : NULL;
}

/* ---- where a loop begins and ends ---- */

void tri__model_loop_follow(tri_model *model)
{
    const tri__statement *last = &model->statement[model->count - 1];
    if (last->verb.form == TRI_FORM_WHILE)
        model->open_loop = model->count - 1;
    if (last->verb.form == TRI_FORM_END)
        model->open_loop = model->statement[last->loop].loop;
}

tri_status tri__model_loop_finish(const tri_model *model)
{
    if (model->open_loop < 0)
        return NULL;
    const tri__statement *begin = &model->statement[model->open_loop];
    return tri__model_at(tri_fail(TRI_BAD_DATA, "the loop that begins here has no end; a line such as end(p) ends it"), model, begin);
}
