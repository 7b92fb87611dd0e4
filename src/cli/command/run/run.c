/* run.c: trireme run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/text/duration.h"
#include "base/text/text.h"
#include "cli/process/session.h"
#include "cli/process/signals.h"
#include "cli/process/spawned.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "tensor/safetensors.h"
#include "train/placed/placed.h"
#include "train/placed/placed_launch.h"
#include "trireme/plan.h"

enum { MOST_NAMES = 64, SHOWN = 8 };

/* "a,b" as a list. The names point into words. */
typedef struct {
    char *words;
    const char *name[MOST_NAMES];
    int count;
} name_list;

/* The lists of the command line; feed: "a=x.safetensors,b=y.safetensors". */
typedef struct {
    name_list fetch, target;
    char *words;
    tri__feed feed[MOST_NAMES];
    int feeds;
} names;

static tri_status split_names(const char *option, const char *text, name_list *out)
{
    if (text && !(out->words = strdup(text)))
        return tri_fail(TRI_NO_MEMORY, "no memory for %s", option);
    for (char *rest = out->words, *word; rest && (word = strsep(&rest, ","));) {
        if (out->count == MOST_NAMES || !*word)
            return tri_fail(TRI_BAD_CALL, "%s %s: expected up to %d names with commas between", option, text, MOST_NAMES);
        out->name[out->count++] = word;
    }
    return NULL;
}

static tri_status split_feed(const char *text, names *out)
{
    if (text && !(out->words = strdup(text)))
        return tri_fail(TRI_NO_MEMORY, "no memory for --feed");
    for (char *rest = out->words, *word; rest && (word = strsep(&rest, ","));) {
        char *equals = strchr(word, '=');
        if (out->feeds == MOST_NAMES || !equals || equals == word || !equals[1])
            return tri_fail(TRI_BAD_CALL, "--feed %s: expected NAME=FILE, up to %d of them with commas between", text, MOST_NAMES);
        *equals = 0;
        out->feed[out->feeds++] = (tri__feed){word, equals + 1};
    }
    return NULL;
}

static void names_fini(names *list)
{
    free(list->fetch.words);
    free(list->target.words);
    free(list->words);
}

/* ---- results ---- */

static const void *elements_of(const tri_tensor *tensor)
{
    return tensor->data;
}

/* Print a scalar, or the first elements of a larger tensor. */
static void print_value(tri__session *session, const tri__placed_value *value)
{
    char shape[128];
    const float *elements = elements_of(&value->tensor);
    int64_t count = tri_shape_count(value->tensor.shape);
    fprintf(session->out, "%s", value->name);
    if (value->tensor.shape.rank)
        fprintf(session->out, " [%s]", tri_shape_text(value->tensor.shape, shape, sizeof shape));
    fprintf(session->out, " =");
    for (int64_t i = 0; i < count && i < SHOWN; i++)
        fprintf(session->out, " %.9g", (double)elements[i]);
    fprintf(session->out, "%s\n", count > SHOWN ? " …" : "");
}

static void print_tasks(tri__session *session, const tri__placed_result *result)
{
    fprintf(session->out, "\n%-6s %9s %10s %10s %12s %11s\n", "task", "seconds", "GFLOP", "GFLOP/s", "sent", "memory");
    for (int i = 0; i < result->tasks; i++) {
        const tri__placed_task *task = &result->each[i];
        char sent[TRI_TEXT_SHORT], memory[TRI_TEXT_SHORT];
        fprintf(session->out, "%-6d %9.3f %10.3f %10.1f %12s %11s\n", i, task->seconds, task->flops / 1e9,
                task->seconds > 0 ? task->flops / 1e9 / task->seconds : 0, tri__text_bytes(sent, (double)task->bytes_sent),
                tri__text_bytes(memory, task->peak_rss_mb * 1e6));
    }
}

/* A scalar becomes a number. */
static json_t *value_json(const tri__placed_value *value)
{
    const float *elements = elements_of(&value->tensor);
    if (value->tensor.shape.rank == 0)
        return json_real((double)*elements);
    json_t *list = json_array(), *shape = json_array();
    for (int64_t i = 0; i < tri_shape_count(value->tensor.shape); i++)
        json_array_append_new(list, json_real((double)elements[i]));
    for (int i = 0; i < value->tensor.shape.rank; i++)
        json_array_append_new(shape, json_integer(value->tensor.shape.dim[i]));
    return json_pack("{s:o, s:o}", "shape", shape, "values", list);
}

static tri_status print_json(tri__session *session, const tri__placed_result *result)
{
    json_t *values = json_object(), *tasks = json_array();
    int64_t moved = 0;
    double flops = 0, seconds = 0;
    for (int i = 0; i < result->values; i++)
        json_object_set_new(values, result->value[i].name, value_json(&result->value[i]));
    for (int i = 0; i < result->tasks; i++) {
        const tri__placed_task *task = &result->each[i];
        moved += task->bytes_sent;
        flops += task->flops;
        seconds = task->seconds > seconds ? task->seconds : seconds;
        json_array_append_new(tasks,
                              json_pack("{s:i, s:f, s:I, s:f, s:I, s:f, s:i}", "task", i, "seconds", task->seconds, "bytes_sent",
                                        (json_int_t)task->bytes_sent, "flops", task->flops, "buffer_bytes", (json_int_t)task->buffer_bytes,
                                        "peak_rss_mb", task->peak_rss_mb, "calls", (int)task->calls));
    }
    return tri__session_print_json(session, json_pack("{s:o, s:I, s:f, s:f, s:o}", "fetched", values, "bytes_moved", (json_int_t)moved,
                                                      "flops", flops, "seconds", seconds, "tasks", tasks));
}

static tri_status save_values(const char *path, const tri__placed_result *result)
{
    tri__named_tensor *tensors;
    TRI_TRY(tri__allocate((size_t)result->values + 1, sizeof *tensors, "values", &tensors));
    for (int i = 0; i < result->values; i++)
        tensors[i] = (tri__named_tensor){.name = result->value[i].name, .tensor = result->value[i].tensor};
    tri_status status = tri__safetensors_write(path, tensors, (size_t)result->values, NULL, 0);
    free(tensors);
    return status;
}

static tri_status print_result(tri__session *session, const tri__arguments *arguments, const tri__placed_result *result)
{
    const char *out = tri__argument_text(arguments, "out");
    if (out)
        TRI_TRY(save_values(out, result));
    if (session->json)
        return print_json(session, result);
    for (int i = 0; i < result->values; i++)
        print_value(session, &result->value[i]);
    if (!session->quiet)
        print_tasks(session, result);
    return NULL;
}

/* ---- one task ---- */

typedef struct {
    tri__session *session;
    bool spawned;
} speaker;

/* An MPI call that never returns cannot be interrupted, so the process exits. */
static void give_up(void *context, const char *why)
{
    const speaker *self = context;
    tri_status status = tri_fail(TRI_TIMEOUT, "%s", why);
    if (self->spawned)
        tri__spawned_failure(self->session, status);
    else
        tri__terminal_say(&self->session->terminal, "trireme: %s", why);
    tri_status_free(status);
    fflush(self->session->out);
    _exit(EXIT_FAILURE);
}

static void met(void *context)
{
    const speaker *self = context;
    if (self->spawned)
        tri__spawned_began(self->session);
}

static void warn(void *context, const char *why)
{
    const speaker *self = context;
    tri__log_line(self->session->log, TRI_LOG_WARNING, "%s", why);
}

static tri_status find_timeout(const tri__arguments *arguments, int64_t *out)
{
    const char *text = tri__argument_text(arguments, "timeout");
    if (tri__duration_parse(text, out) && *out > 0)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "--timeout %s: expected a time such as 30s, 500ms or 2m", text);
}

static tri_status run_task(tri__session *session, const tri__arguments *arguments, const names *list)
{
    speaker self = {session, tri__argument_flag(arguments, "spawned")};
    tri__placed_request request = {
        .graph = arguments->operands[0],
        .fetch = list->fetch.name,
        .fetches = list->fetch.count,
        .target = list->target.name,
        .targets = list->target.count,
        .feed = list->feed,
        .feeds = list->feeds,
        .seed = (uint64_t)tri__argument_integer(arguments, "seed"),
        .threads = tri__argument_given(arguments, "threads") ? (int)tri__argument_integer(arguments, "threads") : 0,
        .runs = (int)tri__argument_integer(arguments, "repeat"),
        .without = tri__argument_flag(arguments, "no-rewrite") ? TRI_PLAN_TRACE : 0,
        .dot = tri__argument_text(arguments, "dot"),
        .events = tri__argument_text(arguments, "events"),
        .ranks = session->ranks,
        .window = (size_t)tri__argument_integer(arguments, "window") << 20,
        .met = met,
        .give_up = give_up,
        .slow = warn,
        .context = &self,
    };
    tri__placed_result result;
    TRI_TRY(find_timeout(arguments, &request.timeout));
    if (self.spawned && session->rank == 0)
        TRI_TRY(tri__spawned_watch(STDIN_FILENO)); /* mpirun hands the launcher's standard input on */
    tri_status status = tri__placed_run(&request, &result);
    if (!status && result.task == 0)
        status = print_result(session, arguments, &result);
    if (status && result.told)
        status = tri__spawned_leave_to_rank_0(session, status);
    else if (status && self.spawned)
        tri__spawned_failure(session, status);
    tri__placed_result_fini(&result);
    return status;
}

/* ---- all tasks on this machine ---- */

static void say(void *context, const char *line)
{
    tri__session *session = context;
    fprintf(session->out, "%s\n", line);
}

/* The tasks get the command line as it was typed, without --workers. */
static tri_status launch(tri__session *session, const tri__arguments *arguments)
{
    const char **words;
    int64_t timeout;
    TRI_TRY(find_timeout(arguments, &timeout));
    TRI_TRY(tri__allocate((size_t)session->argc + 2, sizeof *words, "a command line", &words));
    int count = 0;
    for (int i = 1; i < session->argc; i++) {
        bool apart = !strcmp(session->argv[i], "--workers");
        if (!apart && strncmp(session->argv[i], "--workers=", strlen("--workers=")) != 0)
            words[count++] = session->argv[i];
        i += apart;
    }
    words[count++] = "--spawned";
    const tri__placed_launch_request request = {
        .program = session->argv[0],
        .words = words,
        .workers = (int)tri__argument_integer(arguments, "workers"),
        .timeout = timeout,
        .as_root = geteuid() == 0,
        .log = session->log,
        .say = say,
        .context = session,
        .stop = tri__signals_catch(2),
    };
    tri_status status = tri__placed_launch(&request);
    free(words);
    return status;
}

static tri_status run_run(tri__session *session, const tri__arguments *arguments)
{
    bool launches = tri__argument_given(arguments, "workers");
    names list = {0};
    if (launches && session->ranks)
        return tri_fail(TRI_BAD_CALL, "--workers: %d ranks were started by mpirun or srun, and they are the tasks; leave it out",
                        session->ranks);
    TRI_TRY(tri__session_check_ranks(session));
    tri_status status = split_names("--fetch", tri__argument_text(arguments, "fetch"), &list.fetch);
    if (!status)
        status = split_names("--compute", tri__argument_text(arguments, "compute"), &list.target);
    if (!status)
        status = split_feed(tri__argument_text(arguments, "feed"), &list);
    if (!status)
        status = launches ? launch(session, arguments) : run_task(session, arguments, &list);
    names_fini(&list);
    return status;
}

static const tri__option run_options[] = {
    {.name = "workers",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .group = "Tasks",
     .least = 1,
     .most = 1024,
     .otherwise = "one task, or the ranks of mpirun or srun",
     .meaning = "start N tasks on this machine"},
    {.name = "threads",
     .argument = "T",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 1024,
     .otherwise = "the tasks of a machine share its CPUs",
     .meaning = "threads that compute, in each task"},
    {.name = "timeout",
     .argument = "TIME",
     .kind = TRI_OPTION_TEXT,
     .standard = "60s",
     .meaning = "how long a task waits for another before it gives up and names it; with --workers, how long tasks may take to start (10s "
                "at least)"},
    {.name = "window",
     .argument = "MB",
     .kind = TRI_OPTION_INTEGER,
     .standard = "32",
     .least = 1,
     .most = 1 << 20,
     .meaning = "of values that a task has under way to others, and of values of others that it holds before they are needed"},
    {.name = "feed",
     .argument = "NAME=FILE",
     .kind = TRI_OPTION_TEXT,
     .group = "Values",
     .meaning = "the value of an input or parameter, from a safetensors file; several with commas between"},
    {.name = "fetch",
     .argument = "NAME",
     .kind = TRI_OPTION_TEXT,
     .otherwise = "the lines that no other line reads",
     .meaning = "what to compute; several with commas between",
     .detail = "Only what these need is computed, and only what crosses from one task to another is sent."},
    {.name = "compute",
     .argument = "NAME",
     .kind = TRI_OPTION_TEXT,
     .meaning = "what to compute without fetching it, such as a line that assigns to a variable; several with commas between"},
    {.name = "seed",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .standard = "1",
     .meaning = "of random numbers and of parameters that are not fed"},
    {.name = "repeat",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 1000000,
     .standard = "1",
     .meaning = "run the graph N times"},
    {.name = "no-rewrite", .meaning = "compute the product where only its trace is wanted, as it is written"},
    {.name = "out",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .group = "Output",
     .completion = "file",
     .meaning = "write the values to a safetensors file, too"},
    {.name = "dot",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "write the graph with its places for Graphviz"},
    {.name = "events",
     .argument = "DIR",
     .kind = TRI_OPTION_TEXT,
     .completion = "folder",
     .meaning = "write the graph with its places for TensorBoard's graph tab"},
    {.name = "quiet", .meaning = "no table of the tasks; errors are still told"},
    {.name = "json", .meaning = "print values and tasks as one JSON object"},
    {.name = "spawned", .hidden = true, .meaning = "a task that another process has started"},
    HELP_ROW,
    {0},
};

const tri__command tri__command_run = {
    .name = "run",
    .usage = "FILE.graph [--workers N] [options]",
    .run = run_run,
    .least = 1,
    .most = 1,
    .options = run_options,
    .meaning = "a graph file, on one task or across several by its places",
    .detail =
        "A graph file has one operator a line, as model files have, and no loss; place=2 behind a line's other values says which task "
        "computes it. What has no place is computed where most of its inputs are. Values move only where one task reads what "
        "another has computed. Tasks are ranks of MPI.",
    .operands = {{"FILE", "a graph file (docs/graphs.md)", "file"}},
    .examples = {{"trireme run product.graph --workers 4", "four tasks on this machine"},
                 {"mpirun -n 8 trireme run product.graph --fetch trace", "ranks that mpirun has started; one value"}},
};
