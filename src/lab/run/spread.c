/* spread.c: a process for each host, started there by this program's own `cluster exec`. */
#include "lab/run/spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "lab/cluster/lifecycle.h"
#include "lab/cluster/network.h"
#include "train/job/command_line.h"
#include "train/job/watcher.h"

enum { SAID = 1024 };

#define GRACE (10 * TRI_SECOND)

typedef struct {
    tri__process process; /* first member: a pointer to it is a pointer to the part */
    json_t *result;       /* the last line of its output that is JSON */
    char said[SAID];      /* the last line of standard error */
} part;

typedef struct {
    const tri__spread *request;
    tri__watcher watcher;
    part *parts; /* [hosts] */
    int ready;   /* parts whose process is initialised */
} spreading;

static void on_line(void *context, tri__process *process, bool error, const char *line)
{
    part *self = (part *)process;
    (void)context;
    if (error && *line)
        snprintf(self->said, sizeof self->said, "%s", line);
    json_t *result = !error && *line == '{' ? json_loads(line, 0, NULL) : NULL;
    if (!result)
        return;
    json_decref(self->result);
    self->result = result;
}

static void on_end(void *context, tri__process *process)
{
    spreading *self = context;
    const part *ended = (const part *)process;
    char text[TRI_EXIT_SIZE];
    const char *said = strncmp(ended->said, "trireme: ", 9) ? ended->said : ended->said + 9;
    if (!tri__process_ended_well(process))
        tri__watcher_fail(&self->watcher,
                          tri_fail(tri__exit_code(process->ending), "%s: it %s", process->name,
                                   tri__exit_text(process->ending, *said ? said : NULL, text)),
                          GRACE);
    else if (!ended->result)
        tri__watcher_fail(&self->watcher, tri_fail(TRI_INTERNAL, "%s: it printed no JSON result", process->name), GRACE);
}

static void on_stop_request(void *context, int times)
{
    spreading *self = context;
    for (int i = 0; i < self->ready; i++)
        tri__process_signal(&self->parts[i].process, times > 1 ? SIGKILL : SIGTERM);
}

static tri_status start_in(spreading *self, int number, tri__command_line *line)
{
    const tri__spread *request = self->request;
    const char *const reach[] = {request->program, "cluster", "exec", request->hosts->name, request->hosts->host[number].name,
                                 request->program, NULL};
    tri__command_line_add_all(line, reach);
    tri__command_line_add_all(line, request->words);
    tri__command_line_add_all(line, (const char *const[]){"--json", "--quiet", NULL});
    if (request->parts)
        tri__command_line_add(line, "--part"), tri__command_line_add_format(line, "%d/%d", number + 1, request->hosts->hosts);
    TRI_TRY(tri__command_line_check(line));
    const tri__process_options options = {.program = request->program, .words = tri__command_line_words(line)};
    return tri__process_start(&self->parts[number].process, &options);
}

static tri_status start(spreading *self, int number)
{
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    TRI_TRY(tri__process_init(&self->parts[number].process, &self->watcher, self->request->hosts->host[number].name));
    self->ready++;
    tri_status status = start_in(self, number, &line);
    tri__command_line_fini(&line);
    return status;
}

static tri_status run_all(spreading *self)
{
    const tri__spread *request = self->request;
    for (int i = 0; i < request->hosts->hosts; i++)
        TRI_TRY(start(self, i));
    tri__watcher_run(&self->watcher);
    tri_status failure = self->watcher.failure;
    self->watcher.failure = NULL;
    if (failure && request->stop && __atomic_load_n(request->stop, __ATOMIC_RELAXED)) {
        tri_status_free(failure);
        return tri_fail(TRI_STOPPED, "stopped");
    }
    return failure;
}

static tri_status gather(const spreading *self, json_t **out)
{
    *out = json_array();
    for (int i = 0; i < self->request->hosts->hosts; i++)
        if (json_array_append(*out, self->parts[i].result)) {
            json_decref(*out);
            *out = NULL;
            return tri_fail(TRI_NO_MEMORY, "no memory for the results of hosts");
        }
    return NULL;
}

tri_status tri__spread_run(const tri__spread *request, json_t **out)
{
    spreading self = {.request = request};
    const tri__watcher_options options = {
        .log = request->log, .stop = request->stop, .said = on_line, .ended = on_end, .asked = on_stop_request, .context = &self};
    *out = NULL;
    TRI_TRY(tri__allocate((size_t)request->hosts->hosts, sizeof *self.parts, "the hosts of a command", &self.parts));
    tri_status status = tri__watcher_init(&self.watcher, &options);
    if (!status)
        status = run_all(&self);
    if (!status)
        status = gather(&self, out);
    for (int i = 0; i < self.ready; i++) {
        tri__process_fini(&self.parts[i].process);
        json_decref(self.parts[i].result);
    }
    tri__watcher_fini(&self.watcher);
    free(self.parts);
    return status;
}

/* ---- which hosts ---- */

static tri_status take(const tri__virtual_cluster *all, const char *name, tri__virtual_cluster *out)
{
    const tri__virtual_host *host = tri__virtual_cluster_find(all, name);
    if (!host)
        return tri_fail(TRI_BAD_CALL, "--hosts: %s is no host of the virtual cluster %s: `trireme cluster status %s` lists them", name,
                        all->name, all->name);
    if (tri__virtual_cluster_find(out, name))
        return tri_fail(TRI_BAD_CALL, "--hosts: %s stands there twice", name);
    out->host[out->hosts++] = *host;
    return NULL;
}

tri_status tri__spread_choose(const char *cluster, const char *names, tri__virtual_cluster *out)
{
    tri__virtual_cluster all;
    TRI_TRY(tri__virtual_cluster_load(cluster, &all));
    TRI_TRY(tri__network_check());
    *out = all;
    if (!names)
        return NULL;
    out->hosts = 0;
    while (*names) {
        char name[TRI_HOST_NAME + 1];
        size_t length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        TRI_TRY(take(&all, name, out));
        names += length + (names[length] == ',');
    }
    return out->hosts ? NULL : tri_fail(TRI_BAD_CALL, "--hosts: which? Names with commas between, such as host1,host2");
}
