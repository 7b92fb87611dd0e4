/* command_train.c: trireme train. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/quote.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "train/run.h"
#include "train/task.h"

#define PLAIN_INTERVAL INT64_C(5000000000) /* between two lines where there is no terminal */

#define ROOM   4  /* columns left free behind the live line: the terminal writes ^C there */
#define LABELS 13 /* columns of the summary's names */

typedef struct {
    tri__session *session;
    int64_t next_plain;
} progress_view;

static void show_progress(void *context, const tri__progress *progress)
{
    progress_view *view = context;
    tri__terminal *terminal = &view->session->terminal;
    char line[TRI_PROGRESS_SIZE];
    int64_t now = tri__clock_now();
    if (terminal->live)
        tri__terminal_draw(terminal, tri__progress_live(progress, tri__columns(terminal->file) - ROOM, line, sizeof line));
    else if (now >= view->next_plain) {
        view->next_plain = now + PLAIN_INTERVAL;
        tri__terminal_say(terminal, "%s", tri__progress_plain(progress, line, sizeof line));
    }
}

static tri_status check_call(const tri__arguments *arguments)
{
    if (tri__argument_given(arguments, "resume")) {
        if (tri__argument_given(arguments, "out"))
            return tri_fail(TRI_BAD_CALL, "--out and --resume: a resumed run stays in its folder");
        return NULL;
    }
    if (!arguments->count)
        return tri_fail(TRI_BAD_CALL, "train needs MODEL (softmax, lenet, alexnet, flowers, or a .model file), or --resume DIR");
    if (!tri__argument_given(arguments, "data"))
        return tri_fail(TRI_BAD_CALL, "train needs --data SOURCE, such as --data fashion ('trireme train --help' tells which there are)");
    return NULL;
}

static tri_status read_options(const tri__arguments *arguments, tri__train_options *options)
{
    bool known;
    if (arguments->count)
        TRI_TRY(tri__train_options_set(options, "model", arguments->operands[0], &known));
    for (int row = 0; arguments->command->options[row].name; row++)
        if (arguments->values[row])
            TRI_TRY(tri__train_options_set(options, arguments->command->options[row].name, arguments->values[row], &known));
    return NULL;
}

/* One fact a line; where it is longer than the terminal is wide, it goes on below itself. */
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

/* A run that was interrupted can go on. */
static void tell_how_to_resume(tri__session *session, const tri__run_result *result)
{
    const char *reason = json_string_value(json_object_get(result->summary, "stopped_by"));
    if (!session->quiet && reason && !strcmp(reason, "signal"))
        tri__terminal_say(&session->terminal, "\nTo go on from here: trireme train --resume %s", result->folder);
}

static tri_status print_result(tri__session *session, tri__run_result *result)
{
    if (session->json)
        return tri__session_print_json(session, json_incref(result->summary));
    print_table(session, result->table);
    return NULL;
}

static tri_status run(const tri__run_request *request, tri__run_result *out)
{
    tri__strategy_settings strategy;
    *out = (tri__run_result){0};
    TRI_TRY(tri__strategy_resolve(request->options, &strategy));
    if (strategy.kind == TRI_STRATEGY_PS)
        return tri__task_run(request, &(tri__task_place){.listen_fd = -1}, out);
    return tri__run_train(request, out);
}

static tri_status train(tri__session *session, const tri__arguments *arguments, const tri__train_options *options, const char *command)
{
    progress_view view = {.session = session, .next_plain = tri__clock_now() + PLAIN_INTERVAL};
    const tri__run_request request = {
        .options = options,
        .out = tri__argument_text(arguments, "out"),
        .resume = tri__argument_text(arguments, "resume"),
        .command = command,
        .cache_folder = session->cache_folder,
        .started = session->started,
        .stop = tri__signals_catch(),
        .log = session->log,
        .progress = session->quiet ? NULL : show_progress,
        .context = &view,
    };
    tri__run_result result;
    tri_status status = run(&request, &result);
    tri__terminal_wipe(&session->terminal);
    if (result.summary && (!status || session->json)) {
        tri_status printed = print_result(session, &result);
        if (status)
            tri_status_free(printed);
        else
            status = printed;
        fflush(session->out);
        tell_how_to_resume(session, &result);
    }
    tri__run_result_fini(&result);
    return status;
}

tri_status tri__command_train(tri__session *session, const tri__arguments *arguments)
{
    TRI_TRY(check_call(arguments));
    tri__train_options options;
    tri__train_options_init(&options);
    char *command = tri__quote_words("trireme", session->argc - 1, session->argv + 1);
    tri_status status = command ? read_options(arguments, &options) : tri_fail(TRI_NO_MEMORY, "no memory for the command line");
    if (!status)
        status = train(session, arguments, &options, command);
    free(command);
    tri__train_options_fini(&options);
    return status;
}
