/* main.c: one call of the program, from words to exit status: 0 on success, 1 when the work failed, 2 on a wrong call, 128 + the signal's
 * number (130 after Ctrl-C) when a signal asked it to end and it ended in good order. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/process/lost_file.h"
#include "cli/process/openmp.h"
#include "cli/process/session.h"
#include "cli/process/signals.h"
#include "cli/table/config.h"
#include "cli/table/help.h"

enum { EXIT_WRONG_CALL = 2 };

static tri_status run_command(tri__session *session, const tri__arguments *arguments)
{
    const tri__page page = tri__session_page(session);
    if (arguments->help) {
        tri__help_command(&page, arguments->command);
        return NULL;
    }
    session->json = tri__argument_has(arguments, "json");
    session->quiet = tri__argument_has(arguments, "quiet");
    if (session->quiet)
        session->log->least = TRI_LOG_WARNING;
    return arguments->command->run(session, arguments);
}

static tri_status run(tri__session *session)
{
    static const char *const version[] = {"version"};
    int count = session->argc - 1;
    const char *const *words = session->argv + 1;
    if (count == 0 || !strcmp(words[0], "--help") || !strcmp(words[0], "-h")) {
        const tri__page page = tri__session_page(session);
        tri__help_overview(&page);
        return tri__session_flush(session);
    }
    if (!strcmp(words[0], "--version"))
        words = version, count = 1;
    tri__arguments arguments;
    TRI_TRY(tri__arguments_parse(count, words, &arguments));
    if (tri__command_has_option(arguments.command, "threads"))
        tri__openmp_settle((char *const *)session->argv);
    TRI_TRY(run_command(session, &arguments));
    return tri__session_flush(session);
}

/* A command that ended because a signal asked it to has not failed; the signal's number in the exit status says that its work is not
 * complete. */
static int exit_status(tri_status status, const tri__session *session)
{
    const int own = tri__signals_status(), by_signal = session->serves ? 0 : own ? own : session->exit_status;
    tri_code code = tri_status_code(status);
    if (code == TRI_OK || (code == TRI_STOPPED && by_signal))
        return by_signal;
    return code == TRI_BAD_CALL ? EXIT_WRONG_CALL : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    tri__session session;
    tri__expanded_words words;
    signal(SIGXFSZ, SIG_IGN); /* writing beyond the system's file size limit then fails with an error instead of a signal */
    tri__lost_file_watch();
    tri_status status = tri__config_expand(argc, (const char *const *)argv, &words);
    tri__session_init(&session, words.count, words.words);
    if (!status)
        status = run(&session);
    int result = exit_status(status, &session);
    bool told = session.told;
    tri__session_fini(&session);
    if (status && !told)
        fprintf(stderr, "trireme: %s\n", tri_status_message(status));
    tri_status_free(status);
    tri__expanded_words_fini(&words);
    return result;
}
