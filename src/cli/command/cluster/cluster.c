/* cluster.c: trireme cluster up, exec, status, down, cut, mend: virtual hosts on this machine. */
#define _GNU_SOURCE /* environ */
#include "lab/cluster/lifecycle.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/process/program.h"
#include "cli/process/session.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "lab/cluster/link_rate.h"
#include "train/ranks/mpirun.h"

static void print_rate(FILE *out, double mbit)
{
    if (mbit <= 0)
        fprintf(out, "%10s", "unlimited");
    else
        fprintf(out, "%6.4g %s", mbit >= 1000 ? mbit / 1000 : mbit, mbit >= 1000 ? "Gb/s" : "Mb/s");
}

/* tri__virtual_cluster_json, and the measured rate of each link; null: not known. */
static json_t *describe_measured(const tri__virtual_cluster *cluster, const double *measured)
{
    json_t *value = tri__virtual_cluster_json(cluster), *hosts = json_object_get(value, "hosts");
    for (int i = 0; i < cluster->hosts && measured; i++)
        json_object_set_new(json_array_get(hosts, (size_t)i), "measured_mbit", tri__json_number(measured[i]));
    return value;
}

static void print_measured(FILE *out, double mbit)
{
    fputs(" ", out);
    if (isnan(mbit))
        fprintf(out, "%11s", "not reached");
    else
        print_rate(out, mbit);
}

/* measured: the rate of each host's link, in Mbit/s; NULL: links were not measured. */
static tri_status show(tri__session *session, const tri__virtual_cluster *cluster, const double *measured)
{
    if (session->json)
        return tri__session_print_json(session, describe_measured(cluster, measured));
    fprintf(session->out, "%-20s %-12s %11s %s%6s %9s\n", "host", "address", "link", measured ? "   measured " : "", "CPUs", "memory");
    for (int i = 0; i < cluster->hosts; i++) {
        const tri__virtual_host *host = &cluster->host[i];
        char cpus[16] = "all", memory[24] = "all";
        if (host->cpus > 0)
            snprintf(cpus, sizeof cpus, "%.4g", host->cpus);
        if (host->memory_mb > 0)
            snprintf(memory, sizeof memory, "%lld MB", (long long)host->memory_mb);
        fprintf(session->out, "%-20s %-12s ", host->name, host->address);
        print_rate(session->out, host->rate_mbit);
        if (measured)
            print_measured(session->out, measured[i]);
        fprintf(session->out, " %6s %9s\n", cpus, memory);
    }
    return NULL;
}

static tri_status describe(const tri__arguments *arguments, tri__virtual_cluster *out)
{
    const char *name = arguments->operands[0], *file = tri__argument_text(arguments, "file"), *rate = tri__argument_text(arguments, "rate"),
               *memory = tri__argument_text(arguments, "memory");
    bool alike = tri__argument_given(arguments, "hosts");
    if (file && (alike || rate || tri__argument_given(arguments, "cpus") || memory))
        return tri_fail(TRI_BAD_CALL,
                        "--file says what hosts there are and what they have: leave --hosts, --rate, --cpus and --memory out");
    if (file)
        return tri__virtual_cluster_read(file, name, out);
    if (!alike)
        return tri_fail(TRI_BAD_CALL, "how many hosts? Give --hosts N, or --file FILE.yaml");
    tri__virtual_host like = {.cpus = tri__argument_number(arguments, "cpus")};
    TRI_TRY(rate ? tri__rate_parse(rate, &like.rate_mbit) : NULL);
    TRI_TRY(memory ? tri__memory_parse(memory, &like.memory_mb) : NULL);
    return tri__virtual_cluster_alike(name, (int)tri__argument_integer(arguments, "hosts"), &like, out);
}

static tri_status run_cluster_up(tri__session *session, const tri__arguments *arguments)
{
    tri__virtual_cluster cluster;
    TRI_TRY(describe(arguments, &cluster));
    TRI_TRY(tri__virtual_cluster_up(&cluster));
    return show(session, &cluster, NULL);
}

static tri_status run_cluster_status(tri__session *session, const tri__arguments *arguments)
{
    tri__virtual_cluster cluster;
    double measured[TRI_MOST_HOSTS];
    const bool measures = !tri__argument_flag(arguments, "unmeasured");
    TRI_TRY(tri__virtual_cluster_load(arguments->operands[0], &cluster));
    if (measures)
        TRI_TRY(tri__virtual_cluster_measure_links(&cluster, measured));
    return show(session, &cluster, measures ? measured : NULL);
}

static tri_status run_cluster_down(tri__session *session, const tri__arguments *arguments)
{
    const char *name = arguments->operands[0];
    TRI_TRY(tri__virtual_cluster_down(name));
    return session->json ? tri__session_print_json(session, json_pack("{s:s}", "down", name)) : NULL;
}

static tri_status run_cluster_cut(tri__session *session, const tri__arguments *arguments)
{
    (void)session;
    return tri__virtual_cluster_cut(arguments->operands[0], arguments->operands[1], tri__argument_text(arguments, "from"), true);
}

static tri_status run_cluster_mend(tri__session *session, const tri__arguments *arguments)
{
    (void)session;
    return tri__virtual_cluster_cut(arguments->operands[0], arguments->operands[1], tri__argument_text(arguments, "from"), false);
}

/* Set what mpirun needs on virtual hosts: it reaches the other hosts by this program instead of ssh, and all its traffic takes the links.
 * These are environment variables, so that an mpirun that trireme starts has them, too. */
static tri_status set_mpirun(const char *cluster)
{
    static const char *const fixed[][2] = {
        {"OMPI_MCA_plm_rsh_no_tree_spawn", "1"},         {"OMPI_MCA_btl_tcp_if_include", "10.77.0.0/24"},
        {"OMPI_MCA_oob_tcp_if_include", "10.77.0.0/24"}, {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
    };
    char program[PATH_MAX], agent[PATH_MAX + 64];
    TRI_TRY(tri__program_find(program));
    tri__mpirun_agent((const char *const[]){program, "cluster", "exec", "--shell", cluster, NULL}, agent, sizeof agent);
    bool failed = setenv("OMPI_MCA_plm_rsh_agent", agent, 1);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        failed = setenv(fixed[i][0], fixed[i][1], 1) || failed;
    return failed ? tri_fail(TRI_NO_MEMORY, "no memory for the environment of a command") : NULL;
}

/* Run the words as one line in a shell, as ssh does. */
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

static tri_status run_cluster_exec(tri__session *session, const tri__arguments *arguments)
{
    (void)session;
    const char *const *words = arguments->rest;
    if (!words || !*words)
        return tri_fail(TRI_BAD_CALL, "which command? trireme cluster exec NAME HOST COMMAND…");
    TRI_TRY(tri__virtual_cluster_enter(arguments->operands[0], arguments->operands[1]));
    TRI_TRY(set_mpirun(arguments->operands[0]));
    if (tri__argument_flag(arguments, "shell"))
        return run_in_shell(words);
    execvp(words[0], (char *const *)(uintptr_t)words);
    return tri_fail(errno == ENOENT ? TRI_NOT_FOUND : TRI_IO, "%s: %s", words[0], strerror(errno));
}

static const tri__option cluster_status_options[] = {
    {.name = "unmeasured", .group = "Links", .meaning = "do not measure them"},
    {.name = "json", .group = "Output", .meaning = "print the hosts as one JSON object"},
    HELP_ROW,
    {0},
};

static const tri__option cluster_up_options[] = {
    {.name = "hosts",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .group = "Hosts",
     .least = 1,
     .most = 200,
     .meaning = "how many hosts, all alike: host1, host2, …"},
    {.name = "rate",
     .argument = "RATE",
     .kind = TRI_OPTION_TEXT,
     .otherwise = "as fast as the machine is",
     .meaning = "rate of each host's link, in each direction: 1.8gbit, 100mbit"},
    {.name = "cpus",
     .argument = "X",
     .kind = TRI_OPTION_NUMBER,
     .least = 0.01,
     .most = 4096,
     .otherwise = "all",
     .meaning = "how many CPUs' worth of time each host may use"},
    {.name = "memory",
     .argument = "MEMORY",
     .kind = TRI_OPTION_TEXT,
     .otherwise = "all",
     .meaning = "how much memory each host may use: 2gb, 512mb (a plain number is in MB)"},
    {.name = "file",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "instead: a YAML file with `hosts`, each with its rate, cpus and memory"},
    {.name = "json", .group = "Output", .meaning = "print the hosts as one JSON object"},
    HELP_ROW,
    {0},
};

const tri__command tri__command_cluster_up = {
    .name = "cluster up",
    .usage = "NAME --hosts N [options]",
    .run = run_cluster_up,
    .least = 1,
    .most = 1,
    .options = cluster_up_options,
    .meaning = "virtual hosts on this machine, with links of a rate",
    .detail =
        "A host is a network namespace with one link to a common switch, and a control group that limits its CPUs and memory. It has a "
        "name and an address (10.77.0.1, …) of its own, and shares all files. This machine's own network is not touched, and several "
        "clusters may be up at a time. Needs root and iproute2.",
    .operands = {{"NAME", "what the cluster is called"}},
    .examples = {{"trireme cluster up study --hosts 5 --rate 1.8gbit", "five hosts"},
                 {"trireme cluster exec study host2 ip address", "a command on one of them"},
                 {"trireme cluster down study", "all of it is gone, and what ran there"}},
};

static const tri__option cluster_exec_options[] = {
    {.name = "shell", .group = "Command", .hidden = true, .meaning = "as ssh does: the words are one line for a shell"},
    HELP_ROW,
    {0},
};

const tri__command tri__command_cluster_exec = {
    .name = "cluster exec",
    .usage = "NAME HOST COMMAND…",
    .run = run_cluster_exec,
    .least = 2,
    .most = 2,
    .takes_rest = true,
    .options = cluster_exec_options,
    .meaning = "run a command on a virtual host",
    .detail = "The command takes this process's place. mpirun reaches the other hosts from there by their addresses.",
    .operands = {{"NAME", "the cluster"}, {"HOST", "its name or address"}},
};

const tri__command tri__command_cluster_status = {
    .name = "cluster status",
    .usage = "NAME",
    .run = run_cluster_status,
    .least = 1,
    .most = 1,
    .options = cluster_status_options,
    .meaning = "the hosts of a virtual cluster, their addresses and limits, and what their links carry",
    .detail =
        "Each link is filled for a second each way, one after another, between its host and the switch, and what arrives is counted: the "
        "lower rate of both directions is shown. A job that runs there meanwhile shares it.",
    .operands = {{"NAME", "the cluster"}},
};

static const tri__option cluster_host_options[] = {
    {.name = "from",
     .group = "Link",
     .argument = "OTHER",
     .kind = TRI_OPTION_TEXT,
     .meaning = "only what passes between HOST and this host; all others reach both"},
    {.name = "help", .group = "Output", .meaning = "show this help"},
    {0},
};

const tri__command tri__command_cluster_cut = {
    .name = "cluster cut",
    .usage = "NAME HOST [--from OTHER]",
    .run = run_cluster_cut,
    .least = 2,
    .most = 2,
    .options = cluster_host_options,
    .meaning = "cut a virtual host's link: everything is dropped, and nobody is told",
    .operands = {{"NAME", "the cluster"}, {"HOST", "its name or address"}},
};

const tri__command tri__command_cluster_mend = {
    .name = "cluster mend",
    .usage = "NAME HOST [--from OTHER]",
    .run = run_cluster_mend,
    .least = 2,
    .most = 2,
    .options = cluster_host_options,
    .meaning = "mend a link that was cut",
    .detail = "Without --from, also mends all that was cut between HOST and single other hosts.",
    .operands = {{"NAME", "the cluster"}, {"HOST", "its name or address"}},
};

const tri__command tri__command_cluster_down = {
    .name = "cluster down",
    .usage = "NAME",
    .run = run_cluster_down,
    .least = 1,
    .most = 1,
    .options = tri__result_options,
    .meaning = "end what runs on the hosts of a virtual cluster, and remove them",
    .detail = "Also removes what is left of a cluster whose `up` was killed.",
    .operands = {{"NAME", "the cluster"}},
};
