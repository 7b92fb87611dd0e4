/* job_hosts.c: what differs between a process on this machine and one on another host. */
#define _GNU_SOURCE
#include "train/job/job_hosts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/quote.h"

static int count_words(const char *const *words)
{
    int count = 0;
    while (words && words[count])
        count++;
    return count;
}

/* The whole command as one line for the shell on the host. The shell waits for the command, so that its exit status says how the command
 * ended: ssh itself does not report that a command was killed. */
static tri_status add_shell_line(const tri__process_options *options, tri__command_line *line)
{
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here))
        return tri_fail(TRI_IO, "the folder that this program runs in: %s", strerror(errno));
    char *folder = tri__quote_words("cd", 1, (const char *[]){here});
    char *settings = tri__quote_words("env", count_words(options->env), options->env);
    char *command = tri__quote_words(settings ? settings : "", count_words(options->words), options->words);
    if (folder && settings && command)
        tri__command_line_add_format(line, "%s && %s; exit $?", folder, command);
    tri_status status = folder && settings && command ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for a command line");
    free(folder);
    free(settings);
    free(command);
    return status;
}

static tri_status fill(const tri__job_hosts *job_hosts, const char *host, const tri__process_options *options, tri__command_line *line)
{
    tri__command_line_add_all(line, job_hosts->reach);
    tri__command_line_add(line, host);
    if (job_hosts->remote)
        TRI_TRY(add_shell_line(options, line));
    else
        tri__command_line_add_all(line, options->words);
    return tri__command_line_check(line);
}

tri_status tri__job_hosts_start(const tri__job_hosts *job_hosts, const char *host, tri__process *process,
                                const tri__process_options *options)
{
    if (!job_hosts)
        return tri__process_start(process, options);
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    tri_status status = fill(job_hosts, host, options, &line);
    if (!status) {
        tri__process_options there = *options;
        there.program = job_hosts->reach[0];
        there.words = tri__command_line_words(&line);
        there.remote = job_hosts->remote;
        if (job_hosts->remote)
            there.life = TRI_LIFE_INPUT, there.listen_fd = NULL;
        status = tri__process_start(process, &there);
    }
    tri__command_line_fini(&line);
    return status;
}

int tri__job_hosts_life_fd(const tri__job_hosts *job_hosts)
{
    return job_hosts && job_hosts->remote ? STDIN_FILENO : TRI_LIFE_FD;
}

tri_status tri__job_hosts_listen(const tri__job_hosts *job_hosts, tri__address *address, int *fd)
{
    *fd = -1;
    if (!job_hosts)
        return tri__address_listen(address, fd, &address->port);
    return job_hosts->listen ? job_hosts->listen(job_hosts->context, address, fd) : NULL;
}
