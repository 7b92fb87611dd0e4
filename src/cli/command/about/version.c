/* version.c: trireme version. */
#include <omp.h>

#include "cli/process/session.h"
#include "cli/table/commands.h"
#include "cli/table/common_options.h"
#include "data/file/gzip.h"
#include "tensor/narrow/narrow.h"
#include "tensor/onednn/onednn.h"

enum { MAX_FEATURES = 16 };

#define ADD_IF(feature)                                                                                                                    \
    if (__builtin_cpu_supports(feature))                                                                                                   \
    features[count++] = feature

/* The vector instructions of this CPU that kernels can use. */
static int cpu_features(const char *features[MAX_FEATURES])
{
    int count = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    ADD_IF("sse4.2");
    ADD_IF("avx");
    ADD_IF("avx2");
    ADD_IF("fma");
    ADD_IF("avx512f");
    ADD_IF("avx512bw");
    ADD_IF("avx512vl");
    ADD_IF("avx512vnni");
#elif defined(__aarch64__)
    features[count++] = "neon";
#endif
    return count;
}

/* The instruction set of our own kernels: the best that this machine has. */
static const char *kernels(void)
{
    const char *best = tri__narrow_isa(0);
    return best ? best : "plain";
}

static tri_status print_json(tri__session *session, const char *const *features, int count)
{
    char onednn[16];
    tri__onednn_version(onednn, sizeof onednn);
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_string(features[i]));
    json_t *libraries = json_pack("{s:s, s:s, s:s}", "onednn", onednn, "jansson", jansson_version_str(), "zlib", tri__gzip_version());
    return tri__session_print_json(session,
                                   json_pack("{s:s, s:s, s:o, s:o, s:s, s:i}", "version", TRI_VERSION, "build", TRI_BUILD, "libraries",
                                             libraries, "cpu", list, "kernels", kernels(), "threads", omp_get_max_threads()));
}

static tri_status run_version(tri__session *session, const tri__arguments *arguments)
{
    char onednn[16];
    tri__onednn_version(onednn, sizeof onednn);
    (void)arguments;
    const char *features[MAX_FEATURES];
    int count = cpu_features(features);
    if (session->json)
        return print_json(session, features, count);
    fprintf(session->out, "trireme %s\n", TRI_VERSION);
    fprintf(session->out, "build      %s\n", TRI_BUILD);
    fprintf(session->out, "libraries  oneDNN %s, jansson %s, zlib %s\n", onednn, jansson_version_str(), tri__gzip_version());
    fprintf(session->out, "CPU        %d threads;", omp_get_max_threads());
    for (int i = 0; i < count; i++)
        fprintf(session->out, " %s", features[i]);
    fprintf(session->out, "\nkernels    %s\n", kernels());
    return NULL;
}

const tri__command tri__command_version = {
    .name = "version",
    .usage = "",
    .run = run_version,
    .options = tri__result_options,
    .meaning = "version, build, libraries and CPU features in use",
};
