/* layers_test.c: import, reorder, dense layers, loss and head against plain loops, in every instruction set that the machine has. */
#include "tensor/narrow/rig.h"

/* ---- import and reorder ---- */

static void check_import(tri__narrow_input s, tri__narrow_team team)
{
    tri__kernel *kernel;
    assert_ok(tri__narrow_import(&s, team, &kernel));
    rig r = rig_of(kernel);
    r.batch = s.batch;
    const int64_t plane = s.height * s.width, count = plane * s.channels;
    for (int64_t i = 0; i < s.batch * count; i++)
        if (s.type == TRI_U8)
            ((uint8_t *)r.data[0])[i] = (uint8_t)(i * 37 + i / 251);
        else
            ((float *)r.data[0])[i] = (float)i;
    rig_run(&r);
    for (int64_t n = 0; n < s.batch; n++)
        for (int64_t c = 0; c < s.channels; c++)
            for (int64_t at = 0; at < plane; at++) {
                const int64_t from = n * count + at * s.channels + c;
                const float x = s.type == TRI_U8 ? (float)((uint8_t *)r.data[0])[from] : ((float *)r.data[0])[from];
                assert_near(lane(r.data[1], n, c * plane + at, count), (double)(x * s.scale + s.offset));
            }
    assert_padding_zero(r.data[1], s.batch, count);
    rig_fini(&r);
}

static void check_reorder(int64_t batch, int64_t count, tri__narrow_team team)
{
    tri__kernel *kernel;
    assert_ok(tri__narrow_to_lanes(batch, count, team, &kernel));
    rig there = rig_of(kernel);
    assert_ok(tri__narrow_to_plain(batch, count, team, &kernel));
    rig back = rig_of(kernel);
    fill(there.data[0], batch * count, 5);
    rig_run(&there);
    assert_padding_zero(there.data[1], batch, count);
    for (int64_t n = 0; n < batch; n++)
        for (int64_t i = 0; i < count; i++)
            assert_true(lane(there.data[1], n, i, count) == ((float *)there.data[0])[n * count + i]);
    memcpy(back.data[0], there.data[1], kernel->argument[0].bytes);
    rig_run(&back);
    assert_memory_equal(back.data[1], there.data[0], kernel->argument[1].bytes);
    rig_fini(&back);
    rig_fini(&there);
}

static void import_team(tri__narrow_team team)
{
    check_import((tri__narrow_input){64, 28, 28, 1, TRI_U8, 1 / 255.0f, 0}, team);
    check_import((tri__narrow_input){9, 5, 3, 3, TRI_U8, 0.5f, -1}, team);
    check_import((tri__narrow_input){7, 2, 7, 2, TRI_F32, 2, 1}, team);
    check_import((tri__narrow_input){1, 1, 1, 13, TRI_F32, 1, 0}, team);
    check_reorder(1, 1, team);
    check_reorder(7, 24, team);
    check_reorder(9, 13, team);
    check_reorder(64, 100, team);
}

static void narrow_import_and_reorder_agree_with_plain_loops(void **state)
{
    (void)state;
    for_all_teams(import_team);
}

/* ---- dense ---- */

static double dense_at(const tri__narrow_dense *s, const float *x, const float *w, const float *b, int64_t n, int64_t o)
{
    double total = s->bias ? (double)b[o] : 0;
    for (int64_t i = 0; i < s->in; i++)
        total += (double)x[n * s->in + i] * (double)w[o * s->in + i];
    return s->relu && total < 0 ? 0 : total;
}

static void check_dense(tri__narrow_dense s, bool want_dx, tri__narrow_team team)
{
    tri__kernel *kernel;
    float *x = random_floats(s.batch * s.in, 1), *w = random_floats(s.in * s.out, 2), *b = random_floats(s.out, 3);
    float *dy = random_floats(s.batch * s.out, 4);
    double *y = zeros(s.batch * s.out), *dw = zeros(s.in * s.out), *db = zeros(s.out), *dx = zeros(s.batch * s.in);
    for (int64_t n = 0; n < s.batch; n++)
        for (int64_t o = 0; o < s.out; o++) {
            y[n * s.out + o] = dense_at(&s, x, w, b, n, o);
            const double d = s.relu && y[n * s.out + o] <= 0 ? 0 : (double)dy[n * s.out + o];
            db[o] += d;
            for (int64_t i = 0; i < s.in; i++) {
                dw[o * s.in + i] += d * (double)x[n * s.in + i];
                dx[n * s.in + i] += d * (double)w[o * s.in + i];
            }
        }

    assert_ok(tri__narrow_dense_forward(&s, team, &kernel));
    rig forward = rig_of(kernel);
    put_lanes(forward.data[0], x, s.batch, s.in);
    memcpy(forward.data[1], w, kernel->argument[1].bytes);
    if (s.bias)
        memcpy(forward.data[2], b, kernel->argument[2].bytes);
    rig_run(&forward);
    assert_lanes(forward.data[kernel->inputs], y, s.batch, s.out);

    assert_ok(tri__narrow_dense_backward(&s, want_dx, team, &kernel));
    rig backward = rig_of(kernel);
    put_lanes(backward.data[0], dy, s.batch, s.out);
    memcpy(backward.data[1], forward.data[0], kernel->argument[1].bytes);
    memcpy(backward.data[2], w, kernel->argument[2].bytes);
    if (s.relu)
        memcpy(backward.data[3], forward.data[forward.kernel->inputs], kernel->argument[3].bytes);
    rig_run(&backward);
    assert_plain(backward.data[kernel->inputs], dw, s.in * s.out);
    if (s.bias)
        assert_plain(backward.data[kernel->inputs + 1], db, s.out);
    if (want_dx) {
        const void *got = backward.data[kernel->inputs + kernel->outputs - 1];
        assert_lanes(got, dx, s.batch, s.in);
        assert_padding_zero(got, s.batch, s.in);
    }
    rig_fini(&backward);
    rig_fini(&forward);
    void *all[] = {x, w, b, dy, y, dw, db, dx};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void dense_team(tri__narrow_team team)
{
    check_dense((tri__narrow_dense){64, 120, 84, true, true}, true, team);
    check_dense((tri__narrow_dense){1, 1, 1, true, false}, true, team);
    check_dense((tri__narrow_dense){7, 300, 3, false, true}, true, team);
    check_dense((tri__narrow_dense){9, 25, 10, true, false}, false, team);
    check_dense((tri__narrow_dense){24, 13, 17, true, true}, true, team);
    check_dense((tri__narrow_dense){8, 7, 600, false, false}, true, team);
}

static void narrow_dense_layers_agree_with_plain_loops(void **state)
{
    (void)state;
    for_all_teams(dense_team);
}

/* ---- losses ---- */

/* Loss and weight · (softmax − onehot) of one row of logits. */
static double softmax_row(const double *z, int64_t classes, int32_t label, double weight, double *d)
{
    double most = z[0], total = 0;
    for (int64_t c = 1; c < classes; c++)
        most = z[c] > most ? z[c] : most;
    for (int64_t c = 0; c < classes; c++)
        total += exp(z[c] - most);
    for (int64_t c = 0; c < classes; c++)
        d[c] = weight * (exp(z[c] - most) / total - (c == label));
    return weight * (most - z[label] + log(total)); /* in this order: beside 1e30 the logarithm would be lost */
}

static void fill_truth(int32_t *labels, float *weights, int64_t batch, int64_t classes)
{
    for (int64_t n = 0; n < batch; n++) {
        labels[n] = (int32_t)((n * 7 + 1) % classes);
        weights[n] = n % 5 == 4 ? 0 : 1 + (float)(n % 3);
    }
}

static void check_loss(int64_t batch, int64_t classes, float spread, tri__narrow_team team)
{
    tri__kernel *kernel;
    assert_ok(tri__narrow_softmax_loss(batch, classes, team, &kernel));
    rig r = rig_of(kernel);
    float *z = random_floats(batch * classes, 6);
    double *row = zeros(classes), *d = zeros(batch * classes), loss = 0;
    fill_truth(r.data[1], r.data[2], batch, classes);
    for (int64_t n = 0; n < batch; n++) {
        for (int64_t c = 0; c < classes; c++)
            row[c] = (double)(z[n * classes + c] *= spread);
        loss += softmax_row(row, classes, ((int32_t *)r.data[1])[n], (double)((float *)r.data[2])[n], d + n * classes);
    }
    put_lanes(r.data[0], z, batch, classes);
    rig_run(&r);
    assert_near((double)*(float *)r.data[3], loss);
    assert_lanes(r.data[4], d, batch, classes);
    assert_padding_zero(r.data[4], batch, classes);

    ((float *)r.data[0])[4] = NAN; /* row 4 has weight 0 */
    if (batch > 4)
        rig_run(&r);
    assert_near((double)*(float *)r.data[3], loss);
    ((float *)r.data[0])[0] = NAN;
    rig_run(&r);
    assert_true(isnan(*(float *)r.data[3]));
    assert_true(isnan(lane(r.data[4], 0, classes - 1, classes)));
    rig_fini(&r);
    free(z);
    free(row);
    free(d);
}

static void loss_team(tri__narrow_team team)
{
    check_loss(64, 10, 1, team);
    check_loss(1, 2, 10, team);
    check_loss(9, 33, 100, team);
    check_loss(700, 10, 4000, team);
    check_loss(20, 10, 1e30f, team);
}

/* Logits that are all 1e30 make all classes equally likely. */
static void check_equal_logits(float logit, tri__narrow_team team)
{
    const int64_t batch = 9, classes = 10;
    tri__kernel *kernel;
    assert_ok(tri__narrow_softmax_loss(batch, classes, team, &kernel));
    rig r = rig_of(kernel);
    float z[9 * 10];
    for (int i = 0; i < 9 * 10; i++)
        z[i] = logit;
    for (int64_t n = 0; n < batch; n++) {
        ((int32_t *)r.data[1])[n] = (int32_t)n;
        ((float *)r.data[2])[n] = 1;
    }
    put_lanes(r.data[0], z, batch, classes);
    rig_run(&r);
    const float loss = *(float *)r.data[3];
    if (isinf(logit))
        assert_true(isnan(loss));
    else
        assert_near((double)loss, (double)batch * log(10));
    rig_fini(&r);
}

static void equal_logits_team(tri__narrow_team team)
{
    const float logits[] = {0, 1e10f, 1e30f, -1e30f, 3e38f, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof logits / sizeof *logits; i++)
        check_equal_logits(logits[i], team);
}

static void narrow_softmax_loss_of_huge_logits_is_right_or_nan(void **state)
{
    (void)state;
    for_all_teams(equal_logits_team);
}

static void narrow_softmax_loss_agrees_with_plain_loops(void **state)
{
    (void)state;
    for_all_teams(loss_team);
}

/* ---- head ---- */

typedef struct {
    double *x, *z, *d, *dw, *db, loss;
} head_expected;

static head_expected expect_head(const tri__narrow_head *s, const void *raw, const int32_t *labels, const float *weights, const float *w,
                                 const float *b)
{
    head_expected e = {.x = zeros(s->batch * s->in),
                       .z = zeros(s->batch * s->classes),
                       .d = zeros(s->classes),
                       .dw = zeros(s->classes * s->in),
                       .db = zeros(s->classes)};
    for (int64_t i = 0; i < s->batch * s->in; i++) {
        const double x = s->type == TRI_U8 ? (double)((const uint8_t *)raw)[i] : (double)((const float *)raw)[i];
        e.x[i] = x * (double)s->scale + (double)s->offset;
    }
    for (int64_t n = 0; n < s->batch; n++) {
        double *z = e.z + n * s->classes, *x = e.x + n * s->in;
        for (int64_t c = 0; c < s->classes; c++) {
            z[c] = s->bias ? (double)b[c] : 0;
            for (int64_t i = 0; i < s->in; i++)
                z[c] += x[i] * (double)w[c * s->in + i];
        }
        e.loss += softmax_row(z, s->classes, labels[n], (double)weights[n], e.d);
        for (int64_t c = 0; c < s->classes; c++) {
            e.db[c] += e.d[c];
            for (int64_t i = 0; i < s->in; i++)
                e.dw[c * s->in + i] += e.d[c] * x[i];
        }
    }
    return e;
}

static void head_expected_fini(head_expected *e)
{
    void *all[] = {e->x, e->z, e->d, e->dw, e->db};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void check_head_forward(tri__narrow_head s, const rig *step, const head_expected *e, tri__narrow_team team)
{
    tri__kernel *kernel;
    assert_ok(tri__narrow_head_forward(&s, team, &kernel));
    rig r = rig_of(kernel);
    r.batch = s.batch;
    memcpy(r.data[0], step->data[0], kernel->argument[0].bytes);
    memcpy(r.data[1], step->data[3], kernel->argument[1].bytes);
    if (s.bias)
        memcpy(r.data[2], step->data[4], kernel->argument[2].bytes);
    rig_run(&r);
    assert_plain(r.data[kernel->inputs], e->z, s.batch * s.classes);
    rig_fini(&r);
}

static void check_head(tri__narrow_head s, tri__narrow_team team)
{
    tri__kernel *kernel;
    assert_ok(tri__narrow_head_step(&s, team, &kernel));
    rig r = rig_of(kernel);
    r.batch = s.batch;
    for (int64_t i = 0; s.type == TRI_U8 && i < s.batch * s.in; i++)
        ((uint8_t *)r.data[0])[i] = (uint8_t)(i * 37 + i / 251);
    if (s.type == TRI_F32)
        fill(r.data[0], s.batch * s.in, 7);
    fill_truth(r.data[1], r.data[2], s.batch, s.classes);
    fill(r.data[3], s.classes * s.in, 8);
    if (s.bias)
        fill(r.data[4], s.classes, 9);
    head_expected e = expect_head(&s, r.data[0], r.data[1], r.data[2], r.data[3], r.data[4]);
    rig_run(&r);
    const int first = kernel->inputs;
    assert_near((double)*(float *)r.data[first], e.loss);
    assert_plain(r.data[first + 1], e.dw, s.classes * s.in);
    if (s.bias)
        assert_plain(r.data[first + 2], e.db, s.classes);
    check_head_forward(s, &r, &e, team);

    float *w = r.data[3];
    w[0] = NAN;
    rig_run(&r);
    assert_true(isnan(*(float *)r.data[first]));
    assert_true(isnan(*(float *)r.data[first + 1]));
    head_expected_fini(&e);
    rig_fini(&r);
}

static void head_team(tri__narrow_team team)
{
    check_head((tri__narrow_head){100, 784, 10, TRI_U8, 1 / 255.0f, 0, true}, team);
    check_head((tri__narrow_head){100, 784, 10, TRI_F32, 1, 0, true}, team);
    check_head((tri__narrow_head){64, 49, 32, TRI_U8, 2 / 255.0f, -1, false}, team);
    check_head((tri__narrow_head){1, 4, 3, TRI_F32, 0.5f, 1, true}, team);
    check_head((tri__narrow_head){9, 31, 7, TRI_F32, 1, 0, false}, team);
    check_head((tri__narrow_head){333, 17, 2, TRI_U8, 1 / 255.0f, -0.5f, true}, team);
    check_head((tri__narrow_head){7, 100, 1, TRI_F32, 1, 0, true}, team);
}

static void narrow_softmax_regression_agrees_with_plain_loops(void **state)
{
    (void)state;
    for_all_teams(head_team);
}

static void narrow_layers_refuse_shapes_they_cannot_do(void **state)
{
    (void)state;
    tri__kernel *kernel;
    const tri__narrow_team team = {.threads = 1};
    assert_fails(tri__narrow_head_step(&(tri__narrow_head){.batch = 1, .in = 1, .classes = 33, .type = TRI_U8}, team, &kernel),
                 TRI_UNSUPPORTED, "at most 32");
    assert_fails(tri__narrow_head_forward(&(tri__narrow_head){.batch = 1, .in = 1, .classes = 3, .type = TRI_I32}, team, &kernel),
                 TRI_BAD_CALL, "u8 or f32");
    assert_fails(
        tri__narrow_import(&(tri__narrow_input){.batch = 1, .height = 1, .width = 1, .channels = 1, .type = TRI_I64}, team, &kernel),
        TRI_BAD_CALL, "u8 or f32");
    assert_fails(tri__narrow_to_lanes(0, 1, team, &kernel), TRI_BAD_CALL, "at least 1");
    assert_fails(tri__narrow_dense_forward(&(tri__narrow_dense){.batch = 1, .in = 1 << 20, .out = 1 << 20}, team, &kernel), TRI_UNSUPPORTED,
                 "too large");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_import_and_reorder_agree_with_plain_loops),
        cmocka_unit_test(narrow_dense_layers_agree_with_plain_loops),
        cmocka_unit_test(narrow_softmax_loss_agrees_with_plain_loops),
        cmocka_unit_test(narrow_softmax_loss_of_huge_logits_is_right_or_nan),
        cmocka_unit_test(narrow_softmax_regression_agrees_with_plain_loops),
        cmocka_unit_test(narrow_layers_refuse_shapes_they_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
