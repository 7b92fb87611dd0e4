/* layers.c: makes the kernels that need little geometry: import and reorder, dense layers, losses, and the head. */
#include "tensor/narrow/code.h"

#include <inttypes.h>

#define FLOAT        sizeof(float)
#define VECTOR       (TRI_LANES * FLOAT)
#define TEAM_LOGITS  4096  /* below this many, softmax is not worth a team */
#define BLOCK_BYTES  98304 /* of the rows that one thread computes from logits to gradient: they stay in the L2 cache */
#define BLOCK_GROUPS 16    /* groups of rows that a team computes between two barriers */

/* ---- into the layout and out of it ---- */

tri_status tri__narrow_import(const tri__narrow_input *spec, tri__narrow_team team, tri__kernel **out)
{
    const tri__narrow_code *code;
    TRI_TRY(tri__narrow_code_find(team, &code));
    TRI_TRY(tri__narrow_check("narrow import", 4, (int64_t[]){spec->batch, spec->height, spec->width, spec->channels}));
    if (spec->type != TRI_U8 && spec->type != TRI_F32)
        return tri_fail(TRI_BAD_CALL, "narrow import: examples of type %s, u8 or f32 is needed", tri_type_name(spec->type));
    const int64_t count = spec->height * spec->width;
    const tri__narrow_reorder g = {.batch = spec->batch,
                                   .groups = tri__narrow_groups(spec->batch),
                                   .planes = spec->channels,
                                   .count = count,
                                   .type = spec->type,
                                   .scale = spec->scale,
                                   .offset = spec->offset};
    TRI_TRY(tri__narrow_make("narrow import", code->import, team.threads, &g, sizeof g, NULL, out));
    (*out)->scattered = true;
    tri__narrow_in(*out, NULL, (size_t)(spec->batch * count * spec->channels) * tri_type_size(spec->type));
    tri__narrow_out(*out, tri__tensor_layout_lanes, tri__narrow_bytes(spec->batch, count * spec->channels));
    return NULL;
}

static tri_status make_reorder(const char *name, tri__narrow_part *part, int64_t batch, int64_t count, int threads, tri__kernel **out)
{
    TRI_TRY(tri__narrow_check(name, 2, (int64_t[]){batch, count}));
    const tri__narrow_reorder g = {
        .batch = batch, .groups = tri__narrow_groups(batch), .planes = 1, .count = count, .type = TRI_F32, .scale = 1};
    return tri__narrow_make(name, part, threads, &g, sizeof g, NULL, out);
}

tri_status tri__narrow_to_lanes(int64_t batch, int64_t count, tri__narrow_team team, tri__kernel **out)
{
    const tri__narrow_code *code;
    TRI_TRY(tri__narrow_code_find(team, &code));
    TRI_TRY(make_reorder("narrow to_lanes", code->to_lanes, batch, count, team.threads, out));
    tri__narrow_in(*out, NULL, (size_t)(batch * count) * FLOAT);
    tri__narrow_out(*out, tri__tensor_layout_lanes, tri__narrow_bytes(batch, count));
    return NULL;
}

tri_status tri__narrow_to_plain(int64_t batch, int64_t count, tri__narrow_team team, tri__kernel **out)
{
    const tri__narrow_code *code;
    TRI_TRY(tri__narrow_code_find(team, &code));
    TRI_TRY(make_reorder("narrow to_plain", code->to_plain, batch, count, team.threads, out));
    tri__narrow_in(*out, tri__tensor_layout_lanes, tri__narrow_bytes(batch, count));
    tri__narrow_out(*out, NULL, (size_t)(batch * count) * FLOAT);
    return NULL;
}

/* ---- dense layers ---- */

static tri_status prepare_dense(const tri__narrow_dense *spec, bool want_dx, tri__narrow_dense_geometry *g)
{
    TRI_TRY(tri__narrow_check("narrow dense", 2, (int64_t[]){spec->in, spec->out}));
    TRI_TRY(tri__narrow_check("narrow dense", 2, (int64_t[]){spec->batch, spec->in > spec->out ? spec->in : spec->out}));
    *g = (tri__narrow_dense_geometry){.spec = *spec, .groups = tri__narrow_groups(spec->batch), .want_dx = want_dx};
    return NULL;
}

tri_status tri__narrow_dense_forward(const tri__narrow_dense *spec, tri__narrow_team team, tri__kernel **out)
{
    const tri__narrow_code *code;
    tri__narrow_dense_geometry g;
    TRI_TRY(tri__narrow_code_find(team, &code));
    TRI_TRY(prepare_dense(spec, false, &g));
    TRI_TRY(tri__narrow_make("narrow dense_forward", code->dense_forward, team.threads, &g, sizeof g, NULL, out));
    tri__narrow_in(*out, tri__tensor_layout_lanes, tri__narrow_bytes(spec->batch, spec->in));
    tri__narrow_in(*out, NULL, (size_t)(spec->in * spec->out) * FLOAT);
    if (spec->bias)
        tri__narrow_in(*out, NULL, (size_t)spec->out * FLOAT);
    tri__narrow_out(*out, tri__tensor_layout_lanes, tri__narrow_bytes(spec->batch, spec->out));
    return NULL;
}

tri_status tri__narrow_dense_backward(const tri__narrow_dense *spec, bool want_dx, tri__narrow_team team, tri__kernel **out)
{
    const tri__narrow_code *code;
    tri__narrow_dense_geometry g;
    TRI_TRY(tri__narrow_code_find(team, &code));
    TRI_TRY(prepare_dense(spec, want_dx, &g));
    TRI_TRY(tri__narrow_make("narrow dense_backward", code->dense_backward, team.threads, &g, sizeof g, NULL, out));
    tri__narrow_in(*out, tri__tensor_layout_lanes, tri__narrow_bytes(spec->batch, spec->out));
    tri__narrow_in(*out, tri__tensor_layout_lanes, tri__narrow_bytes(spec->batch, spec->in));
    tri__narrow_in(*out, NULL, (size_t)(spec->in * spec->out) * FLOAT);
    if (spec->relu)
        tri__narrow_in(*out, tri__tensor_layout_lanes, tri__narrow_bytes(spec->batch, spec->out));
    tri__narrow_out(*out, NULL, (size_t)(spec->in * spec->out) * FLOAT);
    if (spec->bias)
        tri__narrow_out(*out, NULL, (size_t)spec->out * FLOAT);
    if (want_dx)
        tri__narrow_out(*out, tri__tensor_layout_lanes, tri__narrow_bytes(spec->batch, spec->in));
    const int64_t panels = g.groups * TRI_LANES * ((spec->in + 7) / 8);
    tri__narrow_work(*out, (size_t)(2 * g.groups * spec->out + panels) * VECTOR);
    return NULL;
}

/* ---- losses ---- */

tri_status tri__narrow_softmax_loss(int64_t batch, int64_t classes, tri__narrow_team team, tri__kernel **out)
{
    const tri__narrow_code *code;
    TRI_TRY(tri__narrow_code_find(team, &code));
    TRI_TRY(tri__narrow_check("narrow softmax_loss", 2, (int64_t[]){batch, classes}));
    const tri__narrow_loss_geometry g = {.batch = batch, .groups = tri__narrow_groups(batch), .classes = classes};
    const int threads = batch * classes < TEAM_LOGITS ? 1 : team.threads;
    TRI_TRY(tri__narrow_make("narrow softmax_loss", code->softmax_loss, threads, &g, sizeof g, NULL, out));
    tri__narrow_in(*out, tri__tensor_layout_lanes, tri__narrow_bytes(batch, classes));
    tri__narrow_in(*out, NULL, (size_t)batch * sizeof(int32_t));
    tri__narrow_in(*out, NULL, (size_t)batch * FLOAT);
    tri__narrow_out(*out, NULL, FLOAT);
    tri__narrow_out(*out, tri__tensor_layout_lanes, tri__narrow_bytes(batch, classes));
    tri__narrow_work(*out, (size_t)threads * sizeof(double));
    return NULL;
}

static tri_status prepare_head(const tri__narrow_head *spec, int threads, tri__narrow_head_geometry *g)
{
    TRI_TRY(tri__narrow_check("narrow head", 2, (int64_t[]){spec->batch, spec->in}));
    TRI_TRY(tri__narrow_check("narrow head", 2, (int64_t[]){spec->classes, spec->in}));
    if (spec->classes > TRI_NARROW_HEAD_CLASSES)
        return tri_fail(TRI_UNSUPPORTED, "narrow head: %" PRId64 " classes, at most %d are possible", spec->classes,
                        TRI_NARROW_HEAD_CLASSES);
    if (spec->type != TRI_U8 && spec->type != TRI_F32)
        return tri_fail(TRI_BAD_CALL, "narrow head: examples of type %s, u8 or f32 is needed", tri_type_name(spec->type));
    const int64_t group_bytes = TRI_LANES * spec->in * (int64_t)tri_type_size(spec->type);
    const int64_t alone = BLOCK_BYTES / group_bytes < 1 ? 1 : BLOCK_BYTES / group_bytes;
    *g =
        (tri__narrow_head_geometry){.spec = *spec, .groups = tri__narrow_groups(spec->batch), .block = threads == 1 ? alone : BLOCK_GROUPS};
    g->private_vectors = 3 * g->block * spec->classes;
    return NULL;
}

tri_status tri__narrow_head_step(const tri__narrow_head *spec, tri__narrow_team team, tri__kernel **out)
{
    const tri__narrow_code *code;
    tri__narrow_head_geometry g;
    TRI_TRY(tri__narrow_code_find(team, &code));
    TRI_TRY(prepare_head(spec, team.threads, &g));
    TRI_TRY(tri__narrow_make("narrow head_step", code->head_step, team.threads, &g, sizeof g, NULL, out));
    (*out)->scattered = true;
    tri__narrow_in(*out, NULL, (size_t)(spec->batch * spec->in) * tri_type_size(spec->type));
    tri__narrow_in(*out, NULL, (size_t)spec->batch * sizeof(int32_t));
    tri__narrow_in(*out, NULL, (size_t)spec->batch * FLOAT);
    tri__narrow_in(*out, NULL, (size_t)(spec->classes * spec->in) * FLOAT);
    if (spec->bias)
        tri__narrow_in(*out, NULL, (size_t)spec->classes * FLOAT);
    tri__narrow_out(*out, NULL, FLOAT);
    tri__narrow_out(*out, NULL, (size_t)(spec->classes * spec->in) * FLOAT);
    if (spec->bias)
        tri__narrow_out(*out, NULL, (size_t)spec->classes * FLOAT);
    tri__narrow_work(*out, (size_t)(team.threads * g.private_vectors) * VECTOR);
    return NULL;
}

tri_status tri__narrow_head_forward(const tri__narrow_head *spec, tri__narrow_team team, tri__kernel **out)
{
    const tri__narrow_code *code;
    tri__narrow_head_geometry g;
    TRI_TRY(tri__narrow_code_find(team, &code));
    TRI_TRY(prepare_head(spec, 1, &g));
    TRI_TRY(tri__narrow_make("narrow head_forward", code->head_forward, team.threads, &g, sizeof g, NULL, out));
    (*out)->scattered = true;
    tri__narrow_in(*out, NULL, (size_t)(spec->batch * spec->in) * tri_type_size(spec->type));
    tri__narrow_in(*out, NULL, (size_t)(spec->classes * spec->in) * FLOAT);
    if (spec->bias)
        tri__narrow_in(*out, NULL, (size_t)spec->classes * FLOAT);
    tri__narrow_out(*out, NULL, (size_t)(spec->batch * spec->classes) * FLOAT);
    tri__narrow_work(*out, (size_t)(team.threads * g.private_vectors) * VECTOR);
    return NULL;
}
