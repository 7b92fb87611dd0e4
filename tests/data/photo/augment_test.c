/* augment_test.c: what is parsed, that a picture's change follows from seed, epoch and record, and what the changes are. */
#include "data/photo/augment.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { HEIGHT = 16, WIDTH = 24 };

static void the_augment_option_is_parsed(void **state)
{
    (void)state;
    tri__augment augment;
    assert_ok(tri__augment_parse("flip,crop", &augment));
    assert_true(augment.flip && augment.crop);
    assert_ok(tri__augment_parse("crop", &augment));
    assert_true(!augment.flip && augment.crop);
    assert_ok(tri__augment_parse("rotate,colour", &augment));
    assert_true(!augment.flip && !augment.crop && augment.rotate && augment.colour);
    assert_ok(tri__augment_parse("flip,mixup", &augment));
    assert_true(augment.flip && augment.mixup == 0.2);
    assert_ok(tri__augment_parse("mixup:1.5,crop", &augment));
    assert_true(augment.crop && !augment.flip && augment.mixup == 1.5 && tri__augment_changes_pictures(&augment));
    assert_ok(tri__augment_parse("mixup:0.4", &augment));
    assert_true(tri__augment_is_on(&augment) && !tri__augment_changes_pictures(&augment));
    assert_ok(tri__augment_parse("none", &augment));
    assert_false(tri__augment_is_on(&augment));
    assert_ok(tri__augment_parse(NULL, &augment));
    assert_false(tri__augment_is_on(&augment));
    static const char *const wrong[] = {"", "flop", "flip,", ",crop", "flip;crop", "flip,none", "flipcrop"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(tri__augment_parse(wrong[i], &augment), TRI_BAD_CALL, "should be one of flip, crop, rotate, colour, mixup");
    static const char *const wrong_mixup[] = {"mixup:",  "mixup:,flip", "mixup:x",   "mixup:0.2x",
                                              "mixup:0", "mixup:-1",    "mixup:101", "mixup:nan"};
    for (size_t i = 0; i < sizeof wrong_mixup / sizeof *wrong_mixup; i++)
        assert_fails(tri__augment_parse(wrong_mixup[i], &augment), TRI_BAD_CALL, "and a number from 0.01 to 100");
    assert_fails(tri__augment_parse("mixup:1,mixup", &augment), TRI_BAD_CALL, "mixup is there twice");
}

static void only_pictures_can_be_augmented(void **state)
{
    (void)state;
    assert_ok(tri__augment_check(&(tri__augment){.flip = true}, TRI_SHAPE(4, 4, 3)));
    assert_ok(tri__augment_check(&(tri__augment){0}, TRI_SHAPE(40)));
    assert_ok(tri__augment_check(&(tri__augment){.mixup = 0.2}, TRI_SHAPE(40)));
    assert_fails(tri__augment_check(&(tri__augment){.crop = true}, TRI_SHAPE(40)), TRI_BAD_CALL, "are for pictures");
}

static void sparse_examples_are_not_mixed(void **state)
{
    (void)state;
    assert_ok(tri__augment_check_sparse(&(tri__augment){.flip = true}, "clicks"));
    assert_fails(tri__augment_check_sparse(&(tri__augment){.mixup = 0.2}, "clicks"), TRI_BAD_CALL, "clicks: --augment mixup mixes dense");
}

static int64_t clamp(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* Whether to is from, moved and mirrored as said. */
static bool is_changed_so(const uint8_t *from, const uint8_t *to, int64_t pixel, bool flip, int64_t down, int64_t right)
{
    for (int64_t y = 0; y < HEIGHT; y++)
        for (int64_t x = 0; x < WIDTH; x++) {
            int64_t row = clamp(y + down, HEIGHT - 1), column = clamp(x + right, WIDTH - 1);
            column = flip ? WIDTH - 1 - column : column;
            if (memcmp(to + (y * WIDTH + x) * pixel, from + (row * WIDTH + column) * pixel, (size_t)pixel))
                return false;
        }
    return true;
}

static void fill(uint8_t *picture, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++)
        picture[i] = (uint8_t)(i * 37 + i / 251);
}

/* Each of the 2 · 5 · 7 possible changes is found again, and is met by some record. */
static void check_changes(tri_type type, int64_t channels)
{
    const tri__augment augment = {.flip = true, .crop = true};
    int64_t pixel = channels * (int64_t)tri_type_size(type);
    uint8_t from[HEIGHT * WIDTH * 16], to[HEIGHT * WIDTH * 16];
    fill(from, HEIGHT * WIDTH * pixel);
    int seen[2][5][7] = {0};
    for (int64_t record = 0; record < 1500; record++) {
        tri__augment_apply(&augment, type, TRI_SHAPE(HEIGHT, WIDTH, channels), 1, 0, record, from, to);
        int found = 0;
        for (int i = 0; i < 2 * 5 * 7 && !found; i++) {
            int flip = i % 2, down = i / 2 % 5, right = i / 10;
            found = is_changed_so(from, to, pixel, flip, down - 2, right - 3);
            seen[flip][down][right] += found;
        }
        assert_true(found);
    }
    for (int i = 0; i < 2 * 5 * 7; i++)
        assert_true((&seen[0][0][0])[i] > 0);
}

static void augmenting_makes_every_flip_and_shift(void **state)
{
    (void)state;
    check_changes(TRI_U8, 1);
    check_changes(TRI_U8, 3);
    check_changes(TRI_F32, 2);
}

static void flip_alone_flips_half_of_the_pictures(void **state)
{
    (void)state;
    uint8_t from[HEIGHT * WIDTH], to[HEIGHT * WIDTH];
    fill(from, sizeof from);
    int flipped = 0;
    for (int64_t record = 0; record < 200; record++) {
        tri__augment_apply(&(tri__augment){.flip = true}, TRI_U8, TRI_SHAPE(HEIGHT, WIDTH, 1), 1, 0, record, from, to);
        bool flip = is_changed_so(from, to, 1, true, 0, 0);
        assert_true(flip || is_changed_so(from, to, 1, false, 0, 0));
        flipped += flip;
    }
    assert_true(flipped > 60 && flipped < 140);
}

static void augmenting_depends_on_seed_epoch_and_record(void **state)
{
    (void)state;
    const tri__augment augment = {.flip = true, .crop = true};
    const tri_shape shape = TRI_SHAPE(HEIGHT, WIDTH, 1);
    uint8_t from[HEIGHT * WIDTH], a[sizeof from], b[sizeof from];
    fill(from, sizeof from);
    int by_epoch = 0, by_seed = 0, by_record = 0;
    for (int64_t i = 0; i < 100; i++) {
        tri__augment_apply(&augment, TRI_U8, shape, 1, 0, i, from, a);
        tri__augment_apply(&augment, TRI_U8, shape, 1, 0, i, from, b);
        assert_memory_equal(a, b, sizeof a);
        tri__augment_apply(&augment, TRI_U8, shape, 1, 1, i, from, b);
        by_epoch += memcmp(a, b, sizeof a) != 0;
        tri__augment_apply(&augment, TRI_U8, shape, 2, 0, i, from, b);
        by_seed += memcmp(a, b, sizeof a) != 0;
        tri__augment_apply(&augment, TRI_U8, shape, 1, 0, i + 1000, from, b);
        by_record += memcmp(a, b, sizeof a) != 0;
    }
    assert_true(by_epoch > 80 && by_seed > 80 && by_record > 80);
}

static float picture_mean(const uint8_t *picture, int64_t bytes)
{
    float sum = 0;
    for (int64_t i = 0; i < bytes; i++)
        sum += picture[i];
    return sum / (float)bytes;
}

/* One colour everywhere stays what it is, however it is turned; a ring around the centre stays a ring; a bar does not stay upright. */
static void a_turned_picture_keeps_its_centre(void **state)
{
    (void)state;
    enum { SIDE = 33, MIDDLE = SIDE / 2 };
    static uint8_t plain[SIDE * SIDE], bar[SIDE * SIDE], to[SIDE * SIDE];
    const tri__augment rotate = {.rotate = true};
    memset(plain, 77, sizeof plain);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            bar[y * SIDE + x] = abs(x - MIDDLE) <= 1 ? 200 : 0;
    int turned = 0;
    for (int record = 0; record < 20; record++) {
        tri__augment_apply(&rotate, TRI_U8, TRI_SHAPE(SIDE, SIDE, 1), 1, 0, record, plain, to);
        assert_memory_equal(plain, to, sizeof to);
        tri__augment_apply(&rotate, TRI_U8, TRI_SHAPE(SIDE, SIDE, 1), 1, 0, record, bar, to);
        assert_int_equal(to[MIDDLE * SIDE + MIDDLE], 200);
        turned += to[MIDDLE] != 200;                                          /* the end of the bar */
        assert_true(to[8 * SIDE + MIDDLE + 8] == 0 && to[8 * SIDE + 1] == 0); /* 45 degrees would be too far */
    }
    assert_true(turned > 10);
}

/* A picture of one grey becomes another grey, within a fifth; bytes end at 255; floats have the same light. */
static void colour_changes_the_light_within_bounds(void **state)
{
    (void)state;
    enum { BYTES = HEIGHT * WIDTH * 3 };
    static uint8_t grey[BYTES], white[BYTES], to[BYTES];
    static float floats[BYTES], lit[BYTES];
    const tri__augment colour = {.colour = true};
    memset(grey, 100, sizeof grey);
    memset(white, 255, sizeof white);
    for (int i = 0; i < BYTES; i++)
        floats[i] = 100;
    bool darker = false, lighter = false;
    for (int record = 0; record < 40; record++) {
        tri__augment_apply(&colour, TRI_U8, TRI_SHAPE(HEIGHT, WIDTH, 3), 1, 0, record, grey, to);
        const float mean = picture_mean(to, BYTES);
        assert_true(mean >= 80 && mean <= 120);
        darker |= mean < 90;
        lighter |= mean > 110;
        tri__augment_apply(&colour, TRI_F32, TRI_SHAPE(HEIGHT, WIDTH, 3), 1, 0, record, (uint8_t *)floats, (uint8_t *)lit);
        assert_float_equal(lit[5], mean, 0.51);
        tri__augment_apply(&colour, TRI_U8, TRI_SHAPE(HEIGHT, WIDTH, 3), 1, 0, record, white, to);
        assert_true(picture_mean(to, BYTES) >= 204);
    }
    assert_true(darker && lighter);
}

static void light_and_turns_follow_from_seed_epoch_and_record(void **state)
{
    (void)state;
    enum { BYTES = HEIGHT * WIDTH * 3 };
    static uint8_t from[BYTES], one[BYTES], other[BYTES];
    const tri__augment all = {.flip = true, .crop = true, .rotate = true, .colour = true};
    fill(from, BYTES);
    const struct {
        uint64_t seed;
        int64_t epoch, record;
    } others[] = {{2, 3, 4}, {1, 4, 4}, {1, 3, 5}};
    tri__augment_apply(&all, TRI_U8, TRI_SHAPE(HEIGHT, WIDTH, 3), 1, 3, 4, from, one);
    tri__augment_apply(&all, TRI_U8, TRI_SHAPE(HEIGHT, WIDTH, 3), 1, 3, 4, from, other);
    assert_memory_equal(one, other, BYTES);
    for (int i = 0; i < 3; i++) {
        tri__augment_apply(&all, TRI_U8, TRI_SHAPE(HEIGHT, WIDTH, 3), others[i].seed, others[i].epoch, others[i].record, from, other);
        assert_memory_not_equal(one, other, BYTES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turned_picture_keeps_its_centre),
        cmocka_unit_test(colour_changes_the_light_within_bounds),
        cmocka_unit_test(light_and_turns_follow_from_seed_epoch_and_record),
        cmocka_unit_test(the_augment_option_is_parsed),
        cmocka_unit_test(only_pictures_can_be_augmented),
        cmocka_unit_test(sparse_examples_are_not_mixed),
        cmocka_unit_test(augmenting_makes_every_flip_and_shift),
        cmocka_unit_test(flip_alone_flips_half_of_the_pictures),
        cmocka_unit_test(augmenting_depends_on_seed_epoch_and_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
