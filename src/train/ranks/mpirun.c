/* mpirun.c: how we start mpirun, and who wrote each line of its output. */
#include "train/ranks/mpirun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "train/job/process_report.h"

enum { AGENT_SIZE = 4096 };

/* The blank at the end is needed: Open MPI 4 drops the last word if that has one character. */
void tri__mpirun_agent(const char *const *words, char *text, size_t size)
{
    size_t used = 0;
    for (text[0] = 0; *words && used < size; words++)
        used += (size_t)snprintf(text + used, size - used, "%s ", *words);
}

void tri__mpirun_begin(tri__command_line *line, const tri__job_hosts *job_hosts)
{
    tri__command_line_add(line, "mpirun");
    if (!job_hosts || !job_hosts->remote)
        return;
    const char *const direct[] = {"--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "plm_rsh_agent", NULL};
    char agent[AGENT_SIZE];
    tri__mpirun_agent(job_hosts->reach, agent, sizeof agent);
    tri__command_line_add_all(line, direct);
    tri__command_line_add(line, agent);
}

void tri__mpirun_add(tri__command_line *line, const tri__job_hosts *job_hosts, int ranks, const char *hosts, bool as_root)
{
    /* --bind-to none: the threads of all ranks share the CPUs. Ranks yield while they wait: another rank or a computing thread may need the
     * CPU. --novm: mpirun does not contact hosts that get no rank, since one of them may be gone. */
    const char *const fixed[] = {"--oversubscribe", "--novm", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", NULL};
    const char *const chosen[] = {"--mca", "orte_default_hostfile", hosts, NULL};
    tri__mpirun_begin(line, job_hosts);
    tri__command_line_add_number(line, "-n", ranks);
    tri__command_line_add_all(line, fixed);
    if (hosts)
        tri__command_line_add_all(line, chosen);
    if (as_root)
        tri__command_line_add(line, "--allow-run-as-root");
}

static bool listed_before(const tri__cluster *cluster, int worker)
{
    for (int i = 0; i < worker; i++)
        if (!strcmp(cluster->worker_host[i], cluster->worker_host[worker]))
            return true;
    return false;
}

static void print_hosts(FILE *file, const void *context)
{
    const tri__cluster *cluster = context;
    for (int i = 0; i < cluster->workers; i++) {
        int slots = 0;
        for (int j = i; j < cluster->workers; j++)
            slots += !strcmp(cluster->worker_host[i], cluster->worker_host[j]);
        if (!listed_before(cluster, i))
            fprintf(file, "%s slots=%d\n", cluster->worker_host[i], slots);
    }
}

tri_status tri__mpirun_write_hosts(const tri__job_hosts *job_hosts, const char *path)
{
    return tri__file_print(path, print_hosts, &job_hosts->cluster);
}

tri_status tri__mpirun_start(tri__process *process, const tri__job_hosts *job_hosts, tri__command_line *line)
{
    tri_status status = tri__command_line_check(line);
    if (!status) {
        const tri__process_options options = {.program = "mpirun", .words = tri__command_line_words(line), .life = TRI_LIFE_INPUT};
        const bool there = job_hosts && !job_hosts->remote;
        status = tri__job_hosts_start(there ? job_hosts : NULL, there ? job_hosts->cluster.worker_host[0] : NULL, process, &options);
    }
    return tri_wrap(status, "mpirun cannot be started (Debian: apt install openmpi-bin)");
}

/* mpirun's own "mpirun: …", and the "[warn] …" of its event library when it is killed. */
static bool is_chatter(const char *line)
{
    return !strncmp(line, "mpirun: ", 8) || !strncmp(line, "[warn] ", 7);
}

tri__mpirun_line tri__mpirun_line_read(bool *in_notice, bool error, const char *line)
{
    tri__mpirun_line read = {.speaker = TRI_MPIRUN_NOTICE, .level = TRI_LOG_DEBUG, .text = line};
    const bool noticed = error && *in_notice; /* ranks may write to standard output meanwhile */
    if (error && !strncmp(line, "-----", 5)) {
        *in_notice = !*in_notice;
        read.speaker = TRI_MPIRUN_DASHES;
    } else if (!noticed && is_chatter(line)) {
        read.speaker = TRI_MPIRUN_CHATTER;
    } else if (!noticed) {
        read.speaker = TRI_MPIRUN_RANK;
        read.text = tri__process_line_read(line, &read.level);
    }
    return read;
}
