/* session.c: the surroundings of one call of the program. It reads all of the environment but the two variables of openmp.c. */
#define _GNU_SOURCE
#include "cli/process/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread/clock.h"

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static char *find_cache_folder(void)
{
    const char *cache = environment("XDG_CACHE_HOME"), *home = environment("HOME");
    char *folder = NULL;
    int length = cache && *cache == '/' ? asprintf(&folder, "%s/trireme", cache) : home ? asprintf(&folder, "%s/.cache/trireme", home) : -1;
    return length < 0 ? NULL : folder;
}

static bool wants_plain(void)
{
    const char *kind = environment("TERM");
    return !kind || !strcmp(kind, "dumb");
}

static tri__slurm find_slurm(void)
{
    return (tri__slurm){
        .procid = environment("SLURM_PROCID"),
        .ntasks = environment("SLURM_STEP_NUM_TASKS"),
        .nodelist = environment("SLURM_STEP_NODELIST"),
        .tasks_per_node = environment("SLURM_STEP_TASKS_PER_NODE"),
        .distribution = environment("SLURM_DISTRIBUTION"),
        .job_id = environment("SLURM_JOB_ID"),
    };
}

/* Rank and number of ranks, from the first of these whose variables are set: Open MPI's mpirun, other launchers with a PMI interface,
 * Slurm. */
static void find_rank(tri__session *session)
{
    const struct {
        const char *rank, *ranks;
    } sources[] = {
        {environment("OMPI_COMM_WORLD_RANK"), environment("OMPI_COMM_WORLD_SIZE")},
        {environment("PMI_RANK"), environment("PMI_SIZE")},
        {session->slurm.procid, session->slurm.ntasks},
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources && !session->ranks; i++)
        if (sources[i].rank && sources[i].ranks) {
            session->rank = (int)strtol(sources[i].rank, NULL, 10);
            session->ranks = (int)strtol(sources[i].ranks, NULL, 10);
        }
    session->strangers = session->ranks && !environment("PMIX_RANK") && !environment("PMI_RANK");
}

tri_status tri__session_check_ranks(const tri__session *session)
{
    if (!session->strangers)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "rank %d of %d cannot find the others: start them with srun --mpi=pmix, or with mpirun", session->rank,
                    session->ranks);
}

void tri__session_init(tri__session *session, int argc, const char *const *argv)
{
    *session = (tri__session){
        .out = stdout,
        .cache_folder = find_cache_folder(),
        .tf_config = environment("TF_CONFIG"),
        .hosts = environment("OMPI_MCA_orte_default_hostfile"),
        .slurm = find_slurm(),
        .started = tri__clock_now(),
        .argc = argc,
        .argv = argv,
    };
    find_rank(session);
    tri__terminal_init(&session->terminal, stderr, wants_plain());
    if (environment("NO_COLOR"))
        session->terminal.colour = false;
    session->log = &session->terminal.log;
}

tri_status tri__session_relay(tri__session *session)
{
    tri__relay *relay;
    TRI_TRY(tri__relay_create(&relay));
    FILE *out = tri__relay_open(relay, STDOUT_FILENO, false), *err = tri__relay_open(relay, STDERR_FILENO, true);
    if (!out || !err) {
        if (out)
            fclose(out);
        if (err)
            fclose(err);
        tri__relay_destroy(relay);
        return tri_fail(TRI_NO_MEMORY, "no memory for reports to the supervisor");
    }
    session->relay = relay;
    session->out = out;
    session->terminal.file = err;
    return NULL;
}

void tri__session_fini(tri__session *session)
{
    tri__terminal_fini(&session->terminal);
    if (session->relay) {
        fclose(session->out);
        fclose(session->terminal.file);
        tri__relay_destroy(session->relay);
    }
    free(session->cache_folder);
}

/* The user's $COLUMNS decides, if it is a sensible number, also where output is not a terminal. Otherwise at most 100: longer lines are
 * hard to read. */
static int page_width(const tri__session *session)
{
    enum { LEAST = 40, MOST = 1000, EASY = 100 };
    const char *wanted = environment("COLUMNS");
    long given = wanted ? strtol(wanted, NULL, 10) : 0;
    if (given >= LEAST && given <= MOST)
        return (int)given;
    int width = tri__columns(session->out);
    return width > EASY ? EASY : width;
}

tri__page tri__session_page(const tri__session *session)
{
    bool terminal = isatty(fileno(session->out));
    return (tri__page){
        .out = session->out,
        .width = page_width(session),
        .terminal = terminal,
        .bold = terminal && !wants_plain() && !environment("NO_COLOR"),
    };
}

tri_status tri__session_flush(tri__session *session)
{
    if (!fflush(session->out) && !ferror(session->out))
        return NULL;
    return tri_fail(TRI_IO, "standard output: %s", strerror(errno));
}

tri_status tri__session_print_json(tri__session *session, json_t *value)
{
    char *line = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(value);
    if (!line)
        return tri_fail(TRI_NO_MEMORY, "no memory for the JSON result");
    fprintf(session->out, "%s\n", line);
    free(line);
    return NULL;
}
