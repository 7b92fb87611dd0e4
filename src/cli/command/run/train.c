/* train.c: trireme train: in this process, as a supervisor of tasks on this machine, or as one task of a cluster. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/quote.h"
#include "base/thread/clock.h"
#include "cli/command/run/find_rate.h"
#include "cli/command/run/train_table.h"
#include "cli/process/chosen_hosts.h"
#include "cli/process/membership.h"
#include "cli/process/session.h"
#include "cli/process/signals.h"
#include "cli/process/spawned.h"
#include "cli/process/tasks.h"
#include "cli/table/commands.h"
#include "graph/model/builtin.h"
#include "train/checkpoint/checkpoint_read.h"
#include "train/cluster/security.h"
#include "train/folder/reached.h"
#include "train/options/strategies.h"
#include "train/options/waits.h"
#include "train/ps/task/task.h"
#include "train/run/run.h"

#define ROOM   4  /* columns left free after the live line: the terminal writes ^C there */
#define LABELS 13 /* columns of the summary's names */

typedef struct {
    tri__session *session;
    bool spawned;
    bool concluded; /* the result was sent to the supervisor */
    int64_t next_plain;
} progress_view;

static void show_progress(void *context, const tri__progress *progress)
{
    progress_view *view = context;
    tri__terminal *terminal = &view->session->terminal;
    char line[TRI_PROGRESS_SIZE];
    int64_t now = tri__clock_now();
    if (view->spawned)
        tri__spawned_progress(view->session, progress);
    else if (terminal->live)
        tri__terminal_draw(terminal, tri__progress_live(progress, tri__columns(terminal->file) - ROOM, line, sizeof line));
    else if (now >= view->next_plain) {
        view->next_plain = now + tri__terminal_interval(terminal);
        tri__terminal_say(terminal, "%s", tri__progress_plain(progress, line, sizeof line));
    }
}

static void tell_began(void *context)
{
    const progress_view *view = context;
    tri__spawned_began(view->session);
}

static tri_status tell_result(void *context, const tri__run_result *result)
{
    progress_view *view = context;
    TRI_TRY(tri__spawned_conclude(view->session, result));
    view->concluded = true;
    return NULL;
}

/* The command line that the run folder keeps, for the user to type again. It has no --out, because that folder exists now. A command line
 * with --resume is kept as a comment: it would not repeat the run. NULL when memory is short. */
static char *repeatable(const tri__session *session, const tri__arguments *arguments)
{
    const char **words = calloc((size_t)session->argc, sizeof *words);
    int count = 0;
    for (int i = 1; words && i < session->argc; i++) {
        const char *word = session->argv[i];
        if (!strcmp(word, "--out"))
            i++;
        else if (strncmp(word, "--out=", strlen("--out=")) != 0)
            words[count++] = word;
    }
    const char *program = tri__argument_given(arguments, "resume") ? "# trireme" : "trireme";
    char *line = words ? tri__quote_words(program, count, words) : NULL;
    free(words);
    return line;
}

static tri_status check_call(const tri__arguments *arguments)
{
    if (tri__argument_given(arguments, "resume")) {
        if (tri__argument_given(arguments, "out"))
            return tri_fail(TRI_BAD_CALL, "--out and --resume: a resumed run stays in its folder");
        return NULL;
    }
    if (!arguments->count)
        return tri_fail(TRI_BAD_CALL,
                        "train needs MODEL (a built-in one, as 'trireme model' lists them, or a .model file), or --resume DIR");
    if (!tri__argument_given(arguments, "data"))
        return tri_fail(TRI_BAD_CALL, "train needs --data SOURCE, such as --data fashion ('trireme train --help' tells which there are)");
    return NULL;
}

static tri_status read_options(const tri__arguments *arguments, tri__train_options *options)
{
    bool known;
    if (arguments->count)
        TRI_TRY(tri__train_options_set(options, "model", arguments->operands[0], &known));
    const tri__option *option;
    for (int row = 0; (option = tri__command_option(arguments->command, row)); row++)
        if (arguments->values[row])
            TRI_TRY(tri__train_options_set(options, option->name, arguments->values[row], &known));
    return NULL;
}

/* Print one fact on each line. A line that is wider than the terminal is wrapped and indented. */
static void print_table(tri__session *session, char *table)
{
    const tri__page page = tri__session_page(session);
    char *save = NULL;
    if (!session->quiet)
        tri__terminal_say(&session->terminal, "%s", "");
    for (char *line = strtok_r(table, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (page.terminal)
            tri__page_wrap(&page, line, 0, LABELS);
        else
            fprintf(session->out, "%s\n", line);
}

/* A run that was interrupted can be resumed. */
static void tell_how_to_resume(tri__session *session, const tri__run_result *result)
{
    const char *reason = json_string_value(json_object_get(result->summary, "stopped_by"));
    if (!session->quiet && reason && !strcmp(reason, "signal") && json_is_string(json_object_get(result->summary, "checkpoint")))
        tri__terminal_say(&session->terminal, "\nTo go on from here: trireme train --resume %s", result->folder);
}

static tri_status print_result(tri__session *session, bool spawned, tri__run_result *result)
{
    if (spawned)
        return tri__spawned_result(session, result);
    if (session->json)
        return tri__session_print_json(session, json_incref(result->summary));
    print_table(session, result->table);
    return NULL;
}

static tri__security security_of(const tri__arguments *arguments)
{
    return (tri__security){
        .identity = {.identity = tri__argument_text(arguments, "key"),
                     .cert = tri__argument_text(arguments, "cert"),
                     .key = tri__argument_text(arguments, "cert-key"),
                     .authority = tri__argument_text(arguments, "ca")},
        .insecure = tri__argument_flag(arguments, "insecure"),
    };
}

static tri_status run_task(const tri__arguments *arguments, const tri__run_request *request, const tri__membership *membership,
                           tri__run_result *out)
{
    const tri__security security = security_of(arguments);
    const char *folder = tri__argument_text(arguments, "spawned");
    tri__task_setup at = {
        .cluster = &membership->cluster,
        .task = membership->task,
        .listen_fd = tri__argument_given(arguments, "listen-fd") ? (int)tri__argument_integer(arguments, "listen-fd") : -1,
        .recover = tri__argument_flag(arguments, "recover"),
        .ended = tri__argument_text(arguments, "ended"),
        .spawned = folder,
        .folder = folder,
    };
    bool first = membership->task.role == TRI_ROLE_SERVER && membership->task.index == 0;
    if (first)
        at.unevaluated = tri__signals_note(TRI_NO_EVALUATOR); /* before the first line of output: after it the supervisor sends signals */
    if (tri__argument_given(arguments, "parent-fd"))
        TRI_TRY(tri__spawned_watch((int)tri__argument_integer(arguments, "parent-fd")));
    TRI_TRY(tri__security_open(&security, &membership->cluster, request->log, &at.tls));
    tri__supervised *evaluator = NULL;
    tri_status status = first && !membership->cluster.evaluator ? tri__tasks_start_evaluator(arguments, request->log, &evaluator) : NULL;
    if (!status)
        status = request->strategy->run_task(request, &at, out);
    tri__supervised_end(evaluator);
    tri__tls_destroy(at.tls);
    return status;
}

/* Which processes compute, and which of them this process is. */
typedef struct {
    tri__train_options given, whole; /* whole: merged with the options of a resumed run */
    const tri__strategy *strategy;
    tri__membership membership;
    tri__waits waits;
    tri__chosen_hosts chosen;
} job;

/* This process starts the others. */
static bool launches(const job *what)
{
    return what->strategy->launch && !tri__membership_is_taken(&what->membership);
}

/* A rank that fails alone would leave the others waiting: it continues to where ranks exchange notes, and fails there in the same way.
 * Where the strategy of the run is not known, ranks that mpirun or srun started use allreduce. */
static tri_status merge_as_rank(const tri__session *session, const char *resume, job *to)
{
    tri_status failure = tri__checkpoint_merge_options(resume, &to->given, &to->whole);
    const char *name = to->whole.strategy ? to->whole.strategy : to->given.strategy;
    const tri__strategy *assumed = name ? tri__strategies_find(name) : tri__strategies_meeting(TRI_MEET_RANKS);
    if (!failure || !session->ranks || session->strangers || assumed->meeting != TRI_MEET_RANKS)
        return failure;
    tri_status_free(failure);
    bool known;
    TRI_TRY(tri__train_options_copy(&to->whole, &to->given));
    return tri__train_options_set(&to->whole, "strategy", assumed->name, &known);
}

/* The launcher or the cluster's description says how many processes there are. */
static void take_counts(job *what)
{
    const tri__membership *membership = &what->membership;
    if (membership->cluster.workers)
        what->given.workers = what->whole.workers = membership->cluster.workers;
    if (membership->cluster.workers && membership->cluster.servers)
        what->given.servers = what->whole.servers = membership->cluster.servers;
    if (membership->ranks)
        what->given.workers = what->whole.workers = membership->ranks;
}

/* Choose the hosts of the processes that this one starts or, with --on, of this process if it trains alone. */
static tri_status choose_hosts(const tri__arguments *arguments, job *what)
{
    static const tri__cluster nothing;
    const int64_t servers = what->whole.servers, workers = what->whole.workers;
    const bool taken = tri__membership_is_taken(&what->membership);
    if (tri__argument_given(arguments, "on") && taken)
        return tri_fail(TRI_BAD_CALL, "--on starts all processes of a run, but this one was started as one of several: leave it out");
    TRI_TRY(tri__chosen_hosts_open(arguments, what->strategy, taken ? &nothing : &what->membership.cluster, servers > 0 ? (int)servers : 1,
                                   workers > 0 ? (int)workers : 1, &what->chosen));
    if (!what->chosen.on || what->strategy->launch)
        return NULL;
    if (what->given.threads == TRI_UNSET)
        what->given.threads = what->chosen.job_hosts.threads;
    return tri__chosen_hosts_enter(&what->chosen);
}

static tri_status open_job(const tri__session *session, const tri__arguments *arguments, job *out)
{
    TRI_TRY(read_options(arguments, &out->given));
    TRI_TRY(tri__train_options_check_epochs(&out->given));
    TRI_TRY(merge_as_rank(session, tri__argument_text(arguments, "resume"), out));
    out->strategy = tri__strategies_find(out->whole.strategy);
    int servers = out->whole.servers > 0 ? (int)out->whole.servers : 1;
    TRI_TRY(tri__membership_find(session, arguments, out->strategy, servers, &out->membership));
    take_counts(out);
    TRI_TRY(tri__strategies_check(out->strategy, &out->whole));
    TRI_TRY(choose_hosts(arguments, out));
    return tri__waits_resolve(&out->whole, &out->waits);
}

static tri_status run(const tri__session *session, const tri__arguments *arguments, tri__run_request *request, const job *what,
                      tri__run_result *out)
{
    *out = (tri__run_result){0};
    if (what->membership.by)
        return run_task(arguments, request, &what->membership, out);
    if (!launches(what))
        return tri__run_train(request, out);
    const tri__security security = security_of(arguments);
    if (!what->membership.cluster.workers) /* all tasks are on this machine, and read their identity here */
        TRI_TRY(tri__security_check(&security));
    request->options = &what->whole;
    return tri__tasks_launch(arguments, request, session->hosts, tri__chosen_hosts_of_job(&what->chosen), out);
}

/* The process that leads ends the run on a signal: a single process, a supervisor, or ps:0. Another server that was started by hand stays
 * until a checkpoint has its part. In other tasks a signal has its usual effect. */
static const volatile sig_atomic_t *catch_signals(const job *what, bool spawned)
{
    static const volatile sig_atomic_t never;
    if (what->membership.rank > 0) {
        (void)tri__signals_catch(2); /* all ranks get the signal; rank 0 decides */
        return &never;
    }
    bool server = what->membership.by && what->membership.task.role == TRI_ROLE_SERVER;
    bool leads = !what->membership.by || (server && (what->membership.task.index == 0 || !spawned));
    return leads ? tri__signals_catch(launches(what) ? 2 : 1) : &never;
}

/* A call of MPI or of the system that never returns cannot be interrupted, so the process exits. */
static void give_up(void *context, const char *why)
{
    progress_view *view = context;
    tri__terminal_wipe(&view->session->terminal);
    tri_status status = tri_fail(TRI_TIMEOUT, "%s", why);
    if (view->spawned)
        tri__spawned_failure(view->session, status);
    else
        tri__terminal_say(&view->session->terminal, "trireme: %s", why);
    tri_status_free(status);
    tri__spawned_drain(view->session);
    _exit(EXIT_FAILURE);
}

/* The part of the request that a run and a sweep of rates share. */
static tri__run_request request_of(const tri__session *session, const tri__arguments *arguments, const job *what, const char *command)
{
    return (tri__run_request){
        .options = &what->given,
        .strategy = what->strategy,
        .out = tri__argument_text(arguments, "out"),
        .resume = tri__argument_text(arguments, "resume"),
        .command = command,
        .cache_folder = session->cache_folder,
        .started = session->started,
        .log = session->log,
    };
}

static tri_status train(tri__session *session, const tri__arguments *arguments, const job *what, const char *command)
{
    bool spawned = tri__argument_given(arguments, "spawned");
    session->serves = spawned || what->membership.rank > 0; /* rank 0 reports for all ranks */
    progress_view view = {
        .session = session, .spawned = spawned, .next_plain = tri__clock_now() + tri__terminal_interval(&session->terminal)};
    tri__run_request request = request_of(session, arguments, what, command);
    request.stop = catch_signals(what, spawned);
    request.progress = session->quiet || what->membership.rank > 0 ? NULL : show_progress;
    request.began = spawned && what->membership.ranks && what->membership.rank == 0 ? tell_began : NULL;
    request.concluded = spawned ? tell_result : NULL;
    request.context = &view;
    request.ranks = what->membership.ranks;
    request.timeout = what->waits.timeout;
    request.folder = what->membership.ranks ? tri__argument_text(arguments, "spawned") : NULL;
    request.give_up = give_up;
    if (spawned)
        TRI_TRY(tri__session_relay(session));
    if (what->membership.rank > 0)
        session->log->least = TRI_LOG_WARNING; /* rank 0 reports the rest */
    if (request.began) {
        tri__spawned_started(session);
        TRI_TRY(tri__spawned_watch(STDIN_FILENO)); /* mpirun hands the launcher's standard input on */
    }
    tri__run_result result;
    tri_status status = run(session, arguments, &request, what, &result);
    tri__terminal_wipe(&session->terminal);
    session->exit_status = result.exit_status;
    if (result.summary && !view.concluded && (!status || session->json || spawned)) {
        tri_status printed = print_result(session, spawned, &result);
        if (status)
            tri_status_free(printed);
        else
            status = printed;
        fflush(session->out);
        if (!spawned)
            tell_how_to_resume(session, &result);
    }
    if (status && result.told)
        status = tri__spawned_leave_to_rank_0(session, status);
    else if (status && spawned)
        tri__spawned_failure(session, status);
    tri__run_result_fini(&result);
    return status;
}

/* Only a process that runs alone or starts a job asks: a task or a rank by itself would leave the others waiting. Other test examples have
 * other figures. */
static tri_status find_reached(const tri__arguments *arguments, const job *what, json_t **summary)
{
    const char *resume = tri__argument_text(arguments, "resume");
    *summary = NULL;
    if (!resume || what->membership.by || what->membership.ranks > 0 || tri__argument_given(arguments, "spawned") || what->given.test)
        return NULL;
    return tri__reached_before(resume, &what->whole, summary);
}

/* Takes the summary. */
static tri_status tell_reached(tri__session *session, const tri__arguments *arguments, const job *what, json_t *summary)
{
    tri__log_line(session->log, TRI_LOG_WARNING,
                  "--resume %s: the run has reached --until '%s' at its step %lld; give another target, --epochs or --steps to go on",
                  tri__argument_text(arguments, "resume"), what->whole.until,
                  (long long)json_integer_value(json_object_get(summary, "steps")));
    if (session->json)
        return tri__session_print_json(session, summary);
    json_decref(summary);
    return NULL;
}

static tri_status train_unless_reached(tri__session *session, const tri__arguments *arguments, const job *what, const char *command)
{
    json_t *summary;
    TRI_TRY(find_reached(arguments, what, &summary));
    return summary ? tell_reached(session, arguments, what, summary) : train(session, arguments, what, command);
}

static bool add_to_curve(void *context, double rate, double loss)
{
    return tri__rate_curve_add(context, rate, loss);
}

/* A sweep that ends early, because the rate became too large, has not failed. */
static tri_status sweep(tri__session *session, tri__run_request *request, tri__rate_curve *curve)
{
    tri__run_result result;
    request->context = curve;
    request->stepped = add_to_curve;
    request->keeps_no_model = true;
    tri_status status = tri__run_train(request, &result);
    if (status && tri_status_code(status) == TRI_DIVERGED && result.folder && !tri__rate_curve_is_empty(curve)) {
        tri_status_free(status);
        status = NULL;
    }
    if (!status)
        status = tri__find_rate_tell(session, curve, result.folder);
    tri__run_result_fini(&result);
    return status;
}

static tri_status find_rate(tri__session *session, const tri__arguments *arguments, job *what, const char *command)
{
    tri__run_request request = request_of(session, arguments, what, command);
    tri__rate_curve *curve;
    TRI_TRY(tri__find_rate_prepare(&request, &what->given));
    request.stop = catch_signals(what, false);
    TRI_TRY(tri__rate_curve_create(&curve));
    tri_status status = sweep(session, &request, curve);
    tri__rate_curve_destroy(curve);
    return status;
}

static tri_status run_train(tri__session *session, const tri__arguments *arguments)
{
    TRI_TRY(check_call(arguments));
    job what = {.membership = {0}};
    tri__train_options_init(&what.given);
    tri__train_options_init(&what.whole);
    char *command = repeatable(session, arguments);
    tri_status status = command ? open_job(session, arguments, &what) : tri_fail(TRI_NO_MEMORY, "no memory for the command line");
    if (!status)
        status = tri__argument_flag(arguments, "find-rate") ? find_rate(session, arguments, &what, command)
                                                            : train_unless_reached(session, arguments, &what, command);
    free(command);
    tri__chosen_hosts_fini(&what.chosen);
    tri__membership_fini(&what.membership);
    tri__train_options_fini(&what.given);
    tri__train_options_fini(&what.whole);
    return status;
}

const tri__command tri__command_train = {
    .name = "train",
    .usage = "MODEL --data SOURCE [options]",
    .run = run_train,
    .most = 1,
    .options = tri__train_options_table,
    .meaning = "train a model, evaluate it, leave a run folder",
    .detail = "Trains MODEL on the examples of SOURCE, evaluates it on the test examples, and leaves a run folder with a summary, "
              "checkpoints, event files for TensorBoard, a log, and the command that repeats it.\n"
              "Ctrl-C writes a checkpoint and ends the run in good order; --resume goes on from there. SIGTERM and a lost connection "
              "(SIGHUP) do "
              "the same. The exit status is then 130, 143 or 129. A second signal kills it.",
    .operands = {{"MODEL", "a built-in model ('trireme model' lists them), or the path of a .model file", tri__builtin_model_names}},
    .foreign = {{"resize image-size img-size input-size target-size",
                 "photos are resized to the size in the model's input line, such as input(96x96x3) ('trireme model NAME --text' prints a "
                 "model to start from)"},
                {"loss criterion", "the loss is the last line of the model, such as softmax_loss or mse_loss (docs/models.md)"},
                {"gpu gpus device cuda", "it computes on CPUs; --threads says on how many"}},
    .examples = {{"trireme train softmax --data fashion", "the built-in model with its own settings"},
                 {"trireme train lenet --data mnist --epochs 10 --rule adam --rate 0.001", "with settings of your own"},
                 {"trireme train softmax --data mnist --until 'loss<=0.35' --max-steps 20000", "until a target is reached"},
                 {"trireme train --resume runs/lenet-2026-11-15-1 --epochs 20", "go on with a run"}},
};
