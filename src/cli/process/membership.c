/* membership.c: mpirun or srun gives a rank its number. For a task, the first of these that is present describes the cluster: --cluster and
 * --task, --join, TF_CONFIG, Slurm's variables. --cluster without --task describes tasks that this process starts. */
#include "cli/process/membership.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/text/words.h"
#include "train/options/strategies.h"

static tri_status from_file(const tri__arguments *arguments, tri__membership *out)
{
    const char *task = tri__argument_text(arguments, "task");
    TRI_TRY(tri__cluster_read(tri__argument_text(arguments, "cluster"), &out->cluster));
    if (!task)
        return NULL;
    out->by = TRI_TOLD_BY_FILE;
    TRI_TRY(tri__task_parse(task, &out->task));
    return tri__cluster_check(&out->cluster, out->task);
}

static tri_status from_join(const tri__arguments *arguments, tri__membership *out)
{
    if (tri__argument_given(arguments, "cluster") || tri__argument_given(arguments, "task"))
        return tri_fail(TRI_BAD_CALL, "--join asks ps:0 for the cluster and for a number: leave out --cluster and --task");
    return tri__cluster_from_join(tri__argument_text(arguments, "join"), &out->cluster, &out->task);
}

/* The environment says which task this is. --task overrides that: ps:0 gives --task to the evaluator that it starts. */
static tri_status take_task(const tri__arguments *arguments, tri__membership *out)
{
    const char *task = tri__argument_text(arguments, "task");
    if (!task)
        return NULL;
    if (!out->by)
        return tri_fail(TRI_BAD_CALL, "--task needs --cluster FILE, which lists the tasks and their addresses");
    TRI_TRY(tri__task_parse(task, &out->task));
    return tri__cluster_check(&out->cluster, out->task);
}

static tri_status find(const tri__session *session, const tri__arguments *arguments, int servers, tri__membership *out)
{
    if (tri__argument_given(arguments, "join")) {
        out->by = TRI_TOLD_BY_JOIN;
        return from_join(arguments, out);
    }
    if (tri__argument_given(arguments, "cluster"))
        return from_file(arguments, out);
    if (session->tf_config) {
        out->by = TRI_TOLD_BY_TF_CONFIG;
        TRI_TRY(tri__cluster_from_tf_config(session->tf_config, &out->cluster, &out->task));
    } else if (session->slurm.ntasks && strtol(session->slurm.ntasks, NULL, 10) > 1) {
        int port = (int)tri__argument_integer(arguments, "port");
        out->by = TRI_TOLD_BY_SLURM;
        TRI_TRY(tri__cluster_from_slurm(&session->slurm, servers, port, &out->cluster, &out->task));
    }
    return take_task(arguments, out);
}

/* The description of a cluster says how many tasks there are. Under Slurm, the user must say how many of them are servers. */
static tri_status check_counts(const tri__arguments *arguments, const tri__membership *membership)
{
    static const char *const names[] = {
        [TRI_TOLD_BY_FILE] = "--cluster", [TRI_TOLD_BY_TF_CONFIG] = "TF_CONFIG", [TRI_TOLD_BY_SLURM] = "Slurm"};
    const tri__told_by by = tri__argument_given(arguments, "cluster") ? TRI_TOLD_BY_FILE : membership->by;
    if (by == TRI_TOLD_BY_NONE || by == TRI_TOLD_BY_JOIN)
        return NULL;
    if (tri__argument_given(arguments, "workers") || (tri__argument_given(arguments, "servers") && by != TRI_TOLD_BY_SLURM))
        return tri_fail(TRI_BAD_CALL, "--%s: the cluster is described by %s, which tells how many there are; leave it out%s",
                        tri__argument_given(arguments, "workers") ? "workers" : "servers", names[by],
                        by == TRI_TOLD_BY_FILE ? "" : " (or unset the variables, to start them all on this machine)");
    return NULL;
}

static tri_status find_task(const tri__session *session, const tri__arguments *arguments, int servers, tri__membership *out)
{
    TRI_TRY(find(session, arguments, servers, out));
    TRI_TRY(check_counts(arguments, out));
    if (tri__argument_given(arguments, "port") && out->by != TRI_TOLD_BY_SLURM)
        return tri_fail(TRI_BAD_CALL, "--port is for tasks that Slurm starts; elsewhere addresses have their ports");
    return NULL;
}

/* Options that only tasks of a cluster have. Ranks, too, may be started on the hosts of a file. */
static tri_status check_none(const tri__arguments *arguments, bool ranks)
{
    static const char *const names[] = {"task", "join", "port", "key", "cert", "cert-key", "ca", "insecure", "cluster", "ssh"};
    static const char *const of_ranks[] = {"cluster", "ssh", NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tri__argument_given(arguments, names[i]) && !(ranks && tri__words_among(of_ranks, names[i])))
            return tri_fail(TRI_BAD_CALL, "--%s belongs to --strategy %s", names[i], tri__strategies_meeting(TRI_MEET_CLUSTER)->name);
    return NULL;
}

static tri_status find_rank(const tri__session *session, const tri__arguments *arguments, tri__membership *out)
{
    out->rank = session->rank;
    out->ranks = session->ranks;
    if (!out->ranks)
        return NULL;
    TRI_TRY(tri__session_check_ranks(session));
    int64_t workers = tri__argument_given(arguments, "workers") ? tri__argument_integer(arguments, "workers") : out->ranks;
    if (workers != out->ranks)
        return tri_fail(TRI_BAD_CALL, "--workers %lld: %d ranks were started by mpirun or srun, and they are the workers; leave it out",
                        (long long)workers, out->ranks);
    return NULL;
}

/* If each process ignored the others, every one would train alone and report success. */
static tri_status check_alone(const tri__session *session, const tri__strategy *strategy)
{
    int64_t tasks = 0;
    if (!session->tf_config)
        return NULL;
    TRI_TRY(tri__cluster_count_tf_config(session->tf_config, &tasks));
    if (tasks < 2)
        return NULL;
    const bool of_ranks = strategy->meeting == TRI_MEET_RANKS;
    return tri_fail(TRI_BAD_CALL, "TF_CONFIG lists %" PRId64 " tasks, and --strategy %s does not find them by it: %s%s, or unset TF_CONFIG",
                    tasks, strategy->name,
                    of_ranks ? "start its ranks with mpirun or srun --mpi=pmix" : "a task of a cluster wants --strategy ",
                    of_ranks ? "" : tri__strategies_meeting(TRI_MEET_CLUSTER)->name);
}

static tri_status find_hosts_of_ranks(const tri__arguments *arguments, tri__membership *out)
{
    if (out->ranks)
        return tri_fail(TRI_BAD_CALL, "--cluster: mpirun or srun has started the %d ranks already; leave it out", out->ranks);
    TRI_TRY(check_counts(arguments, out));
    return tri__cluster_read_ranks(tri__argument_text(arguments, "cluster"), &out->cluster);
}

static tri_status find_by_meeting(const tri__session *session, const tri__arguments *arguments, const tri__strategy *strategy, int servers,
                                  tri__membership *out)
{
    if (strategy->meeting == TRI_MEET_CLUSTER)
        return find_task(session, arguments, servers, out);
    const bool ranks = strategy->meeting == TRI_MEET_RANKS;
    TRI_TRY(check_none(arguments, ranks));
    if (ranks)
        TRI_TRY(find_rank(session, arguments, out));
    if (ranks && tri__argument_given(arguments, "cluster"))
        return find_hosts_of_ranks(arguments, out);
    return out->ranks ? NULL : check_alone(session, strategy);
}

tri_status tri__membership_find(const tri__session *session, const tri__arguments *arguments, const tri__strategy *strategy, int servers,
                                tri__membership *out)
{
    *out = (tri__membership){0};
    tri_status status = find_by_meeting(session, arguments, strategy, servers, out);
    if (status)
        tri__membership_fini(out);
    return status;
}

void tri__membership_fini(tri__membership *membership)
{
    tri__cluster_fini(&membership->cluster);
    *membership = (tri__membership){0};
}

bool tri__membership_is_taken(const tri__membership *membership)
{
    return membership->by || membership->ranks;
}
