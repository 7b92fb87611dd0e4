/* photos_test.c: the binary makes photos, describes them, trains on them, and tells what is wrong with a call. */
#include <stdlib.h>
#include <string.h>

#include "cli/binary.h"

static void generated_photos_can_be_described_and_learned(void **state)
{
    const char *here = *state;
    expect(RUN(here, "data", "make", "images", "--out", "photos", "--count", "12", "--classes", "3", "--size", "40x30"), 0,
           "photos  14 examples in 14 files", "");
    expect(RUN(here, "data", "make", "images", "--out", "others", "--count", "8", "--classes", "4", "--size", "50x20", "--json"), 0,
           "\"records\":9", "");
    expect(RUN(here, "data", "info", "photos"), 0, "format    jpeg\nexample   30x40x3 of u8\nclasses   3\n", "");
    expect(RUN(here, "data", "info", "{photos,others}/*/*/*.jpg"), 0, "photos have several sizes", "");
    expect(RUN(here, "train", "softmax", "--data", "{photos,others}/*/*/*.jpg"), 2, "", "photos of several sizes");
    expect(RUN(here, "train", "flowers", "--data", "photos", "--epochs", "1", "--out", "run", "--quiet"), 0,
           "trained      1 step, 12 examples", "");
    expect(RUN(here, "train", "flowers", "--data", "{photos,others}/train/kind-{0,1}/*.jpg", "--strategy", "ps", "--workers", "2",
               "--steps", "2", "--quiet", "--out", "servers"),
           0, "trained      2 steps", "");
    expect(RUN(here, "eval", "run"), 0, "data        photos, 2 examples", "");
    expect(RUN(here, "eval", "run", "--data", "others"), 2, "", "its class 3 is kind-3, the model's is missing");
    expect(RUN(here, "predict", "run", "--data", "photos", "--limit", "2"), 0, "kind-0\tkind-1\tkind-2\texample\tlabel\n", "");
    expect(RUN(here, "predict", "run", "--data", "photos/train/kind-1"), 0, "photos/train/kind-1/", "");
    expect(RUN(here, "train", "flowers", "--data", "photos", "--test", "others"), 2, "", "--test: others: its class 3");
}

/* Each of the processes of a run sees the same odd files: the user hears of them once. */
static void files_that_are_left_out_are_told_once_whatever_the_strategy(void **state)
{
    const char *here = *state;
    static const char *const strategies[] = {"local", "mirrored --workers 2", "allreduce --workers 2", "ps --workers 2"};
    expect(SHELL(here, "\"$0\" data make images --out photos --count 12 --classes 3 --size 40x30 && echo hi >photos/train/kind-1/note.txt"),
           0, "", "");
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
        expect(SHELL(here, "\"$0\" train flowers --data photos --steps 1 --out run-$1 --strategy $2 2>&1 >/dev/null | grep -c 'left out'",
                     (const char[]){(char)('0' + i), 0}, strategies[i]),
               0, "1\n", "");
    expect(SHELL(here, "grep -l 'left out' run-3/log/worker-*.txt"), 0, "run-3/log/worker-0.txt\nrun-3/log/worker-1.txt\n", "");
}

/* Somebody who gives the folder of one class would otherwise train, and hear of no mistake. */
static void a_single_class_is_told_once_whatever_the_strategy(void **state)
{
    const char *here = *state;
    static const char *const strategies[] = {"local", "mirrored --workers 2", "allreduce --workers 2", "ps --workers 2"};
    expect(SHELL(here, "\"$0\" data make images --out photos --count 12 --classes 1 --size 40x30"), 0, "", "");
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
        expect(SHELL(here,
                     "\"$0\" train flowers --data photos --steps 1 --out run-$1 --strategy $2 2>&1 >/dev/null | grep -c 'only one class'",
                     (const char[]){(char)('0' + i), 0}, strategies[i]),
               0, "1\n", "");
}

static void the_page_of_an_evaluation_names_photos(void **state)
{
    const char *here = *state;
    expect(SHELL(here, "\"$0\" data make images --out photos --count 30 --classes 3 --size 40x30 && "
                       "\"$0\" train flowers --data photos --steps 1 --eval-every never --quiet --out run && "
                       "\"$0\" eval run --data photos/train --html page.html && grep -o '<br>photos/train/kind-[0-2]/[^<]*<' page.html"),
           0, "<br>photos/train/kind-", "");
}

static void wrong_calls_of_data_make_are_refused(void **state)
{
    const char *here = *state;
    expect(RUN(here, "data", "make", "imagse", "--out", "x"), 2, "", "there is no maker of that name");
    expect(RUN(here, "data", "make", "images"), 2, "", "needs --out DIR");
    expect(RUN(here, "data", "make", "images", "--out", "x", "--size", "320"), 2, "", "should be WIDTHxHEIGHT");
    expect(RUN(here, "data", "make", "images", "--out", "x", "--size", "4x4"), 2, "", "sides may be 8 to");
    expect(RUN(here, "data", "make", "digits", "--out", "x", "--size", "40x40"), 2, "", "--size does not belong to data make digits");
    expect(RUN(here, "data", "make", "images", "--out", "x", "--count", "5"), 0, "x  6 examples", "");
    expect(RUN(here, "data", "make", "images", "--out", "x", "--count", "5"), 2, "", "is already there and not empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(generated_photos_can_be_described_and_learned),
        FOLDER_TEST(files_that_are_left_out_are_told_once_whatever_the_strategy),
        FOLDER_TEST(a_single_class_is_told_once_whatever_the_strategy),
        FOLDER_TEST(the_page_of_an_evaluation_names_photos),
        FOLDER_TEST(wrong_calls_of_data_make_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
