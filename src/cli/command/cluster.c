/* cluster.c: trireme cluster up, exec, status, down, cut, mend: virtual hosts on this machine. */
#define _GNU_SOURCE /* environ */
#include "lab/cluster/cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command/commands.h"
#include "cli/process/program.h"
#include "cli/process/session.h"

static void print_rate(FILE *out, double mbit)
{
    if (mbit <= 0)
        fprintf(out, "%10s", "unlimited");
    else
        fprintf(out, "%6.4g %s", mbit >= 1000 ? mbit / 1000 : mbit, mbit >= 1000 ? "Gb/s" : "Mb/s");
}

static tri_status show(tri__session *session, const tri__virtual_cluster *cluster)
{
    if (session->json)
        return tri__session_print_json(session, tri__virtual_cluster_json(cluster));
    fprintf(session->out, "%-20s %-12s %11s %6s %9s\n", "host", "address", "link", "CPUs", "memory");
    for (int i = 0; i < cluster->hosts; i++) {
        const tri__virtual_host *host = &cluster->host[i];
        char cpus[16] = "all", memory[24] = "all";
        if (host->cpus > 0)
            snprintf(cpus, sizeof cpus, "%.4g", host->cpus);
        if (host->memory_mb > 0)
            snprintf(memory, sizeof memory, "%lld MB", (long long)host->memory_mb);
        fprintf(session->out, "%-20s %-12s ", host->name, host->address);
        print_rate(session->out, host->rate_mbit);
        fprintf(session->out, " %6s %9s\n", cpus, memory);
    }
    return NULL;
}

static tri_status describe(const tri__arguments *arguments, tri__virtual_cluster *out)
{
    const char *name = arguments->operands[0], *file = tri__argument_text(arguments, "file"), *rate = tri__argument_text(arguments, "rate");
    bool alike = tri__argument_given(arguments, "hosts");
    if (file && (alike || rate || tri__argument_given(arguments, "cpus") || tri__argument_given(arguments, "memory")))
        return tri_fail(TRI_BAD_CALL,
                        "--file says what hosts there are and what they have: leave --hosts, --rate, --cpus and --memory out");
    if (file)
        return tri__virtual_cluster_read(file, name, out);
    if (!alike)
        return tri_fail(TRI_BAD_CALL, "how many hosts? Give --hosts N, or --file FILE.yaml");
    tri__virtual_host like = {.cpus = tri__argument_number(arguments, "cpus"), .memory_mb = tri__argument_integer(arguments, "memory")};
    TRI_TRY(rate ? tri__rate_parse(rate, &like.rate_mbit) : NULL);
    return tri__virtual_cluster_alike(name, (int)tri__argument_integer(arguments, "hosts"), &like, out);
}

tri_status tri__command_cluster_up(tri__session *session, const tri__arguments *arguments)
{
    tri__virtual_cluster cluster;
    TRI_TRY(describe(arguments, &cluster));
    TRI_TRY(tri__cluster_up(&cluster));
    return show(session, &cluster);
}

tri_status tri__command_cluster_status(tri__session *session, const tri__arguments *arguments)
{
    tri__virtual_cluster cluster;
    TRI_TRY(tri__cluster_load(arguments->operands[0], &cluster));
    return show(session, &cluster);
}

tri_status tri__command_cluster_down(tri__session *session, const tri__arguments *arguments)
{
    const char *name = arguments->operands[0];
    TRI_TRY(tri__cluster_down(name));
    return session->json ? tri__session_print_json(session, json_pack("{s:s}", "down", name)) : NULL;
}

tri_status tri__command_cluster_cut(tri__session *session, const tri__arguments *arguments)
{
    (void)session;
    return tri__cluster_cut(arguments->operands[0], arguments->operands[1], tri__argument_text(arguments, "from"), true);
}

tri_status tri__command_cluster_mend(tri__session *session, const tri__arguments *arguments)
{
    (void)session;
    return tri__cluster_cut(arguments->operands[0], arguments->operands[1], tri__argument_text(arguments, "from"), false);
}

/* What mpirun needs on virtual hosts: it reaches the others by this program where elsewhere it has ssh, and none of its traffic takes
 * another way than the links. By the environment, so that it also reaches the mpirun that trireme starts. */
static tri_status set_mpirun(const char *cluster)
{
    static const char *const fixed[][2] = {
        {"OMPI_MCA_plm_rsh_no_tree_spawn", "1"},         {"OMPI_MCA_btl_tcp_if_include", "10.77.0.0/24"},
        {"OMPI_MCA_oob_tcp_if_include", "10.77.0.0/24"}, {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
    };
    char program[PATH_MAX], agent[PATH_MAX + 64];
    TRI_TRY(tri__program_find(program));
    snprintf(agent, sizeof agent, "%s cluster exec --shell %s", program, cluster);
    bool failed = setenv("OMPI_MCA_plm_rsh_agent", agent, 1);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        failed = setenv(fixed[i][0], fixed[i][1], 1) || failed;
    return failed ? tri_fail(TRI_NO_MEMORY, "no memory for the environment of a command") : NULL;
}

/* As ssh does: the words as one line for a shell. */
static tri_status run_in_shell(const char *const *words)
{
    char line[1 << 16];
    size_t used = 0;
    for (; *words && used < sizeof line; words++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", used ? " " : "", *words);
    if (used >= sizeof line)
        return tri_fail(TRI_BAD_CALL, "a command line longer than %zu bytes", sizeof line);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    return tri_fail(TRI_IO, "/bin/sh: %s", strerror(errno));
}

tri_status tri__command_cluster_exec(tri__session *session, const tri__arguments *arguments)
{
    (void)session;
    const char *const *words = arguments->rest;
    if (!words || !*words)
        return tri_fail(TRI_BAD_CALL, "which command? trireme cluster exec NAME HOST COMMAND…");
    TRI_TRY(tri__cluster_enter(arguments->operands[0], arguments->operands[1]));
    TRI_TRY(set_mpirun(arguments->operands[0]));
    if (tri__argument_flag(arguments, "shell"))
        return run_in_shell(words);
    execvp(words[0], (char *const *)(uintptr_t)words);
    return tri_fail(errno == ENOENT ? TRI_NOT_FOUND : TRI_IO, "%s: %s", words[0], strerror(errno));
}
