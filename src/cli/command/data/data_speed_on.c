/* data_speed_on.c: runs `data speed` with one value of each parameter on every host for a combination, and adds up the results. */
#include "cli/command/data/data_speed_on.h"

#include <string.h>

#include "cli/command/data/data_samples.h"
#include "train/job/command_line.h"

static void add_words(const tri__speed_on *self, const tri__speed_cell *cell, tri__command_line *line)
{
    static const char *const options[] = {"seed", "size", "features", "skip-bad"};
    const tri__arguments *arguments = self->arguments;
    tri__command_line_add_all(line, (const char *const[]){"data", "speed", arguments->operands[0], NULL});
    tri__command_line_add_number(line, "--batch", cell->value[TRI_SPEED_BATCH]);
    tri__command_line_add_number(line, "--batches", cell->value[TRI_SPEED_BATCHES]);
    tri__command_line_add_number(line, "--repeat", self->repeat);
    if (cell->value[TRI_SPEED_WORKERS])
        tri__command_line_add_number(line, "--workers", cell->value[TRI_SPEED_WORKERS]);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (tri__argument_given(arguments, options[i]))
            tri__command_line_add_format(line, "--%s=%s", options[i], tri__argument_text(arguments, options[i]));
    if (tri__argument_flag(arguments, "cache"))
        tri__command_line_add(line, "--cache");
    if (tri__argument_flag(arguments, "drop-caches"))
        tri__command_line_add(line, "--drop-caches");
    tri__data_samples_add(arguments, line);
}

static double number(const json_t *cell, const char *name)
{
    return json_number_value(json_object_get(cell, name));
}

/* A repetition ends when the slowest host ends. */
static void add_up(tri__speed_on *self, int64_t repetition, const json_t *results, tri__speed_cell *cell)
{
    for (int i = 0; i < self->on.hosts.hosts; i++) {
        const json_t *cells = json_object_get(json_array_get(results, (size_t)i), "cells");
        const json_t *part = json_array_get(cells, (size_t)repetition);
        double seconds = number(part, "seconds");
        cell->items += (int64_t)number(part, "items");
        cell->damaged += (int64_t)number(part, "damaged");
        cell->cpu_seconds += number(part, "cpu_seconds");
        cell->seconds = seconds > cell->seconds ? seconds : cell->seconds;
        self->host[i].items += (int64_t)number(part, "items");
        self->host[i].seconds += seconds;
        self->host[i].cpu_seconds += number(part, "cpu_seconds");
    }
    cell->items_per_second = cell->seconds > 0 ? (double)cell->items / cell->seconds : 0;
}

static tri_status measure(void *others, tri__speed_cell *cells)
{
    tri__speed_on *self = others;
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    json_t *results = NULL;
    add_words(self, cells, &line);
    tri_status status = tri__command_line_check(&line);
    if (!status) {
        self->on.spread.words = tri__command_line_words(&line);
        status = tri__spread_run(&self->on.spread, &results);
    }
    for (int64_t i = 0; !status && i < self->repeat; i++)
        add_up(self, i, results, &cells[i]);
    json_decref(results);
    tri__command_line_fini(&line);
    return status;
}

tri_status tri__speed_on_open(tri__session *session, const tri__arguments *arguments, tri__speed_request *request, tri__speed_on *out)
{
    *out = (tri__speed_on){.arguments = arguments, .repeat = request->repeat};
    TRI_TRY(tri__data_spread_open(session, arguments, &out->on));
    out->on.spread.parts = true;
    request->measure = measure;
    request->others = out;
    return NULL;
}

json_t *tri__speed_on_json(const tri__speed_on *on)
{
    json_t *list = json_array();
    for (int i = 0; i < on->on.hosts.hosts; i++) {
        const tri__speed_host *host = &on->host[i];
        double seconds = host->seconds > 0 ? host->seconds : 1e-9;
        json_array_append_new(list, json_pack("{s:s, s:I, s:f, s:f, s:f}", "host", on->on.hosts.host[i].name, "items",
                                              (json_int_t)host->items, "seconds", host->seconds, "items_per_second",
                                              (double)host->items / seconds, "cpu_percent", 100 * host->cpu_seconds / seconds));
    }
    return list;
}
