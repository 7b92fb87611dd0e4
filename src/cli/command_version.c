/* command_version.c: trireme version. */
#include <string.h>

#include "cli/commands.h"
#include "cli/session.h"

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

static tri_status print_json(tri__session *session, const char *const *features, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_string(features[i]));
    return tri__session_print_json(session, json_pack("{s:s, s:s, s:{s:s}, s:o}", "version", TRI_VERSION, "build", TRI_BUILD, "libraries",
                                                      "jansson", jansson_version_str(), "cpu", list));
}

tri_status tri__command_version(tri__session *session, const tri__arguments *arguments)
{
    const char *features[MAX_FEATURES];
    int count = cpu_features(features);
    (void)arguments;
    if (session->json)
        return print_json(session, features, count);
    fprintf(session->out, "trireme %s\nbuild      %s\nlibraries  jansson %s\nCPU       ", TRI_VERSION, TRI_BUILD, jansson_version_str());
    for (int i = 0; i < count; i++)
        fprintf(session->out, " %s", features[i]);
    fputc('\n', session->out);
    return NULL;
}
