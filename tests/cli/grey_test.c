/* grey_test.c: photos of one channel are trained on, resumed, evaluated and predicted. */
#include <stdlib.h>

#include "base/file/folder.h"
#include "cli/binary_json.h"
#include "cli/ranks.h"
#include "data/photo/png/png.h"
#include "trireme/dataset.h"

enum { DIGITS = 120, SIDE = 28 };

static void write_digit(const char *folder, int64_t number, const uint8_t *pixels, int32_t label)
{
    char place[64];
    uint8_t *png;
    size_t size;
    snprintf(place, sizeof place, "%d", (int)label);
    char *class = test_path(folder, place);
    snprintf(place, sizeof place, "%d.png", (int)number);
    char *file = test_path(class, place);
    assert_ok(tri__png_encode(pixels, SIDE, SIDE, 1, &png, &size));
    assert_ok(tri__folder_create(class));
    test_write(file, png, size);
    free(class);
    free(file);
    free(png);
}

/* The drawn digits that a run with seed 5 is trained on, as grey PNG photos, a folder for each class. */
static void write_digits(const char *here)
{
    tri_source *source;
    uint8_t pixels[SIDE * SIDE];
    int32_t label;
    char *folder = test_path(here, "photos");
    assert_ok(tri__folder_create(folder));
    assert_ok(tri_source_open("digits:120", TRI_PART_TRAIN, &(tri_source_options){.seed = 5}, &source));
    for (int64_t i = 0; i < DIGITS; i++) {
        assert_ok(tri_source_read(source, &i, 1, pixels, &label));
        write_digit(folder, i, pixels, label);
    }
    tri_source_destroy(source);
    free(folder);
}

#define LENET  "train", "lenet", "--quiet", "--threads", "1", "--seed", "5", "--eval-every", "never", "--global-batch", "120"
#define PHOTOS "--data", "photos", "--grey"
#define TWO    "--workers", "2"

/* All digits in one batch: their order does not matter. */
static void lenet_learns_grey_photos_as_it_learns_digits(void **state)
{
    const char *here = *state;
    write_digits(here);
    expect(RUN(here, LENET, "--data", "digits:120", "--steps", "3", "--out", "digits"), 0, "", "");
    expect(RUN(here, LENET, PHOTOS, "--steps", "3", "--out", "grey"), 0, "", "");
    assert_true(ranks_distance(here, "digits", "grey") < 1e-5);
    expect(RUN(here, LENET, PHOTOS, "--steps", "3", "--out", "mirrored", "--strategy", "mirrored", TWO), 0, "", "");
    assert_true(ranks_distance(here, "digits", "mirrored") < 1e-5);
    expect(RUN(here, LENET, PHOTOS, "--steps", "3", "--out", "sync", "--strategy", "ps", "--sync", TWO), 0, "", "");
    assert_true(ranks_distance(here, "digits", "sync") < 1e-5);
    expect(RUN(here, LENET, PHOTOS, "--steps", "1", "--out", "begun"), 0, "", "");
    expect(RUN(here, "train", "--resume", "begun", "--steps", "3", "--quiet"), 0, "", "");
    assert_true(ranks_distance(here, "grey", "begun") < 1e-6);
    expect(RUN(here, LENET, PHOTOS, "--steps", "3", "--out", "async", "--strategy", "ps"), 0, "", "");
    assert_true(ranks_distance(here, "digits", "async") < 1e-5);
    if (ranks_can_run()) {
        expect(RUN(here, LENET, PHOTOS, "--steps", "3", "--out", "ranks", "--strategy", "allreduce", TWO), 0, "", "");
        assert_true(ranks_distance(here, "digits", "ranks") < 1e-5);
        expect(SHELL(here, "\"$0\" model lenet --text | sed 's/^dense(84)/dense(84, place=1)/' >placed.model"), 0, "", "");
        expect(RUN(here, "train", "placed.model", PHOTOS, "--quiet", "--threads", "1", "--seed", "5", "--eval-every", "never", "--batch",
                   "120", "--steps", "3", "--out", "placed", "--strategy", "placed", TWO),
               0, "", "");
        assert_true(ranks_distance(here, "digits", "placed") < 1e-5);
    }
}

#define SMALL "printf 'input(14x14x1, scale=1/255)\\nconv(4, kernel=3)\\nrelu\\ndense(classes)\\nsoftmax_loss\\n' >small.model; "

/* A model that says so gets one channel, of photos of any size, encoded in files or in records, without being asked. */
static void an_input_line_of_one_channel_is_enough(void **state)
{
    const char *here = *state;
    write_digits(here);
    expect(SHELL(here, SMALL "\"$0\" train small.model --data photos --validation 20% --epochs 2 --out a --quiet"), 0, "", "");
    expect(SHELL(here, "\"$0\" eval a --data photos --part train"), 0, "accuracy", "");
    expect(SHELL(here, "\"$0\" predict a --data photos/3 | head -1"), 0, "", "");
    expect(SHELL(here, "\"$0\" model small.model --data photos"), 0, "14x14x1", "");
    expect(SHELL(here, "\"$0\" data convert photos --out records --encode jpeg --partitions 2 --quiet && "
                       "\"$0\" train small.model --data records --epochs 1 --out b --quiet && "
                       "\"$0\" train lenet --grey --data records --epochs 1 --out c --quiet && \"$0\" eval c --data photos --part train"),
           0, "accuracy", "");
    expect(SHELL(here,
                 "printf 'model: lenet\\ndata: photos\\ngrey: true\\nsteps: 1\\n' >a.yaml; \"$0\" train --config a.yaml --out d --quiet && "
                 "\"$0\" eval d --data digits:50 --part train"),
           0, "accuracy", "");
}

/* Pixels of one channel in records need no further word. */
static void photos_are_converted_to_one_channel(void **state)
{
    const char *here = *state;
    write_digits(here);
    expect(SHELL(here, "\"$0\" data convert photos --grey --out raw --partitions 2 --quiet && \"$0\" data info raw"), 0, "28x28x1", "");
    expect(RUN(here, LENET, "--data", "digits:120", "--steps", "2", "--out", "digits"), 0, "", "");
    expect(RUN(here, LENET, "--data", "raw", "--steps", "2", "--out", "run"), 0, "", "");
    assert_true(ranks_distance(here, "digits", "run") < 1e-5);
    expect(RUN(here, "data", "convert", "fake:4x4x3:2:9", "--grey", "--out", "x"), 2, "", "--grey is for photos and records of photos");
}

static void what_has_no_photos_is_refused(void **state)
{
    const char *here = *state;
    write_digits(here);
    expect(RUN(here, "train", "flowers", PHOTOS), 2, "", "--grey: the input line of flowers asks for 3 channels");
    expect(RUN(here, "train", "flowers", PHOTOS, "--strategy", "ps"), 2, "", "the input line of flowers asks for 3 channels");
    expect(RUN(here, "train", "softmax", "--data", "fake:8x8x3:4:40", "--grey"), 2, "", "--grey is for photos and records of photos");
    expect(RUN(here, "train", "softmax", "--data", "photos", "--grayscale"), 2, "", "--grey");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(lenet_learns_grey_photos_as_it_learns_digits),
        FOLDER_TEST(an_input_line_of_one_channel_is_enough),
        FOLDER_TEST(photos_are_converted_to_one_channel),
        FOLDER_TEST(what_has_no_photos_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
