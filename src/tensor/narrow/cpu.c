/* cpu.c: which instruction sets the vector code was compiled for, and which of them this machine has.
 *
 * cmake/narrow.cmake compiles vector/ once for each set, and defines TRI_NARROW_X86 where the sets of x86-64 are among them. */
#include "tensor/narrow/code.h"

#include <string.h>

extern const tri__narrow_code tri__narrow_code_plain;
#ifdef TRI_NARROW_X86
extern const tri__narrow_code tri__narrow_code_avx2, tri__narrow_code_avx512;

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw");
}
#endif

static bool has_plain(void)
{
    return true;
}

/* Best first. */
static const struct {
    const tri__narrow_code *code;
    bool (*here)(void);
} known[] = {
#ifdef TRI_NARROW_X86
    {&tri__narrow_code_avx512, has_avx512},
    {&tri__narrow_code_avx2, has_avx2},
#endif
    {&tri__narrow_code_plain, has_plain},
};

const char *tri__narrow_isa(int index)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].here() && index-- == 0)
            return known[i].code->name;
    return NULL;
}

tri_status tri__narrow_code_find(tri__narrow_team team, const tri__narrow_code **out)
{
    if (team.threads < 1)
        return tri_fail(TRI_BAD_CALL, "narrow kernels: a team of %d threads, at least 1 is needed", team.threads);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].here() && (!team.isa || strcmp(team.isa, known[i].code->name) == 0)) {
            *out = known[i].code;
            return NULL;
        }
    return tri_fail(TRI_UNSUPPORTED, "narrow kernels: this machine or build has no instruction set '%s' (it has '%s')", team.isa,
                    tri__narrow_isa(0));
}
