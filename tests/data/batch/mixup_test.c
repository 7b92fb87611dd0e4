/* mixup_test.c: λ and the other example, what a mix is, and batches of mixed examples: whoever makes them, they are the same. */
#include "data/batch/mixup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/fixture.h"
#include "data/source/source.h"

enum { DRAWS = 40000 };

/* Beta(α, α) has the mean 1/2 and the variance 1 / (4 (2α + 1)); the other example is as likely any as another. */
static void shares_are_of_the_beta_distribution(void **state)
{
    (void)state;
    static const double alphas[] = {0.01, 0.2, 1, 4, 100};
    for (size_t a = 0; a < sizeof alphas / sizeof *alphas; a++) {
        double sum = 0, squares = 0, position = 0;
        int below = 0;
        for (int64_t i = 0; i < DRAWS; i++) {
            const tri__mixing mixing = tri__mixup_draw(alphas[a], 3, 1, i, 1000);
            assert_true(mixing.share >= 0 && mixing.share <= 1);
            assert_in_range(mixing.partner, 0, 999);
            sum += mixing.share;
            squares += (mixing.share - 0.5) * (mixing.share - 0.5);
            position += (double)mixing.partner;
            below += mixing.share < 0.25;
        }
        const double variance = 1 / (4 * (2 * alphas[a] + 1));
        assert_float_equal(sum / DRAWS, 0.5, 5 * sqrt(variance / DRAWS));
        assert_float_equal(squares / DRAWS / variance, 1, 0.04);
        assert_float_equal(position / DRAWS, 499.5, 8);
        if (alphas[a] == 1) /* uniform */
            assert_float_equal((double)below / DRAWS, 0.25, 0.02);
    }
}

static void a_mix_follows_from_seed_epoch_and_record(void **state)
{
    (void)state;
    const tri__mixing one = tri__mixup_draw(0.2, 1, 2, 3, 1000000);
    const tri__mixing others[] = {tri__mixup_draw(0.2, 1, 2, 3, 1000000), tri__mixup_draw(0.2, 2, 2, 3, 1000000),
                                  tri__mixup_draw(0.2, 1, 3, 3, 1000000), tri__mixup_draw(0.2, 1, 2, 4, 1000000)};
    for (int i = 0; i < 4; i++) {
        assert_true((one.share == others[i].share) == (i == 0));
        assert_true((one.partner == others[i].partner) == (i == 0));
    }
}

static void values_are_mixed_by_their_share(void **state)
{
    (void)state;
    uint8_t bytes[] = {0, 255, 10, 100}, whole[] = {0, 255, 10, 100};
    const uint8_t other[] = {255, 0, 20, 100};
    tri__mixup_values(TRI_U8, 4, 0.25, bytes, other);
    assert_memory_equal(bytes, ((uint8_t[]){191, 64, 18, 100}), 4);
    tri__mixup_values(TRI_U8, 4, 1, whole, other);
    assert_memory_equal(whole, ((uint8_t[]){0, 255, 10, 100}), 4);
    tri__mixup_values(TRI_U8, 4, 0, whole, other);
    assert_memory_equal(whole, other, 4);
    float floats[] = {1, -2};
    tri__mixup_values(TRI_F32, 2, 0.75, floats, (const float[]){3, 2});
    assert_true(floats[0] == 1.5F && floats[1] == -1);
}

static void labels_become_shares_of_classes(void **state)
{
    (void)state;
    float shares[3];
    int32_t label = 2;
    tri__mixup_labels(3, 0.75, &label, 0, shares);
    assert_memory_equal(shares, ((float[]){0.25F, 0, 0.75F}), sizeof shares);
    assert_int_equal(label, 2);
    tri__mixup_labels(3, 0.25, &label, 1, shares);
    assert_memory_equal(shares, ((float[]){0, 0.75F, 0.25F}), sizeof shares);
    assert_int_equal(label, 1);
    tri__mixup_labels(3, 0.25, &label, 1, shares);
    assert_memory_equal(shares, ((float[]){0, 1, 0}), sizeof shares);
    tri__mixup_labels(3, 0.75, &label, 7, shares); /* that is no class: the plan refuses it */
    assert_int_equal(label, 7);
    tri__mixup_labels(3, 0.25, &label, 1, shares);
    assert_int_equal(label, 7);
    assert_memory_equal(shares, ((float[]){0, 0, 0}), sizeof shares);
}

/* weight · share of a class is λ times the weight of that class; classes that the source does not have weigh 1. */
static void each_label_of_a_mix_weighs_by_its_class(void **state)
{
    (void)state;
    float shares[] = {0.25F, 0.75F, 0};
    const float weight = tri__mixup_weigh(3, (const float[]){4, 2}, 2, shares);
    assert_float_equal(weight, 2.5, 1e-6);
    assert_float_equal(weight * shares[0], 1, 1e-6);
    assert_float_equal(weight * shares[1], 1.5, 1e-6);
    float beyond[] = {0, 0.5F, 0.5F};
    assert_float_equal(tri__mixup_weigh(3, (const float[]){4, 2}, 2, beyond), 1.5, 1e-6);
}

/* ---- batches ---- */

enum { EXAMPLES = 23, PIXELS = 30, CLASSES = 4 };

/* All that a batch says of an example, by its record number. */
typedef struct {
    uint8_t x[EXAMPLES][PIXELS];
    float targets[EXAMPLES][CLASSES], weights[EXAMPLES];
    int32_t labels[EXAMPLES];
} epoch;

static void add_batch(const tri_batch *batch, epoch *out)
{
    assert_int_equal(batch->outputs, CLASSES);
    for (int64_t i = 0; i < batch->count; i++) {
        const int64_t record = batch->ids[i];
        memcpy(out->x[record], (const uint8_t *)batch->x + i * PIXELS, PIXELS);
        memcpy(out->targets[record], batch->targets + i * CLASSES, sizeof out->targets[0]);
        out->weights[record] = batch->weights[i];
        out->labels[record] = batch->labels[i];
    }
    for (int64_t i = batch->count; i < batch->rows; i++) {
        assert_true(batch->weights[i] == 0 && batch->labels[i] == 0);
        for (int k = 0; k < CLASSES; k++)
            assert_true(batch->targets[i * CLASSES + k] == 0);
        for (int k = 0; k < PIXELS; k++)
            assert_int_equal(((const uint8_t *)batch->x)[i * PIXELS + k], 0);
    }
}

static epoch *collect(tri_source *source, tri_dataset_options options, int64_t first)
{
    epoch *out = calloc(1, sizeof *out);
    tri_dataset *dataset;
    const tri_batch *batch;
    options.seed = 9;
    options.shuffle = TRI_SHUFFLE_ALL;
    options.augment = options.augment ? options.augment : "mixup:1";
    const int workers = options.workers ? options.workers : 1;
    for (options.worker = 0; options.worker < workers; options.worker++) {
        assert_ok(tri_dataset_create(source, &options, &dataset));
        assert_ok(tri_dataset_seek(dataset, first));
        while (tri_dataset_position(dataset) < first + tri_dataset_examples(dataset)) {
            assert_ok(tri_dataset_next(dataset, &batch));
            add_batch(batch, out);
        }
        tri_dataset_destroy(dataset);
    }
    return out;
}

static tri_source *open_source(void)
{
    tri_source *source;
    assert_ok(tri_source_open("fake:6x5x1:4:23", TRI_PART_TRAIN, &(tri_source_options){.seed = 5}, &source));
    return source;
}

static void a_batch_holds_mixed_examples_and_shares(void **state)
{
    (void)state;
    tri_source *source = open_source();
    epoch *mixed = collect(source, (tri_dataset_options){.batch = 10}, EXAMPLES); /* of epoch 1 */
    for (int64_t i = 0; i < EXAMPLES; i++) {
        const tri__mixing mixing = tri__mixup_draw(1, 9, 1, i, EXAMPLES);
        uint8_t x[2][PIXELS];
        int32_t label[2];
        float shares[CLASSES];
        assert_ok(tri_source_read(source, (int64_t[]){i, mixing.partner}, 2, x, label));
        tri__mixup_values(TRI_U8, PIXELS, mixing.share, x[0], x[1]);
        tri__mixup_labels(CLASSES, mixing.share, &label[0], label[1], shares);
        assert_memory_equal(mixed->x[i], x[0], PIXELS);
        assert_memory_equal(mixed->targets[i], shares, sizeof shares);
        assert_int_equal(mixed->labels[i], label[0]);
        assert_true(mixed->weights[i] == 1);
    }
    free(mixed);
    tri_source_destroy(source);
}

/* The number of threads and of workers, the batch, and where a run was resumed change nothing; the epoch does. */
static void a_mixed_example_depends_on_the_epoch_alone(void **state)
{
    (void)state;
    tri_source *source = open_source();
    static const tri_dataset_options ways[] = {
        {.batch = 23},
        {.batch = 10, .readers = 2},
        {.batch = 4, .readers = 1, .cache = true},
        {.batch = 3, .workers = 2, .readers = 2},
        {.batch = 2, .workers = 3},
    };
    static const char *const words[] = {"mixup:1", "flip,crop,mixup:0.4"};
    for (int w = 0; w < 2; w++) {
        epoch *first = NULL;
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            tri_dataset_options options = ways[i];
            options.augment = words[w];
            epoch *one = collect(source, options, 0), *two = collect(source, options, EXAMPLES);
            assert_memory_not_equal(one->x, two->x, sizeof one->x);
            if (!first)
                first = memcpy(malloc(sizeof *first), one, sizeof *first);
            assert_memory_equal(one, first, sizeof *first);
            free(one);
            free(two);
        }
        free(first);
    }
    tri_source_destroy(source);
}

static void a_sample_is_mixed_within_itself(void **state)
{
    (void)state;
    enum { ALL = 400, SAMPLE = 8 };
    static float x[ALL];
    static int32_t labels[ALL];
    for (int i = 0; i < ALL; i++) {
        x[i] = (float)i;
        labels[i] = i * CLASSES / ALL;
    }
    const tri_arrays arrays = {.type = TRI_F32, .shape = TRI_SHAPE(1), .examples = ALL, .x = x, .labels = labels};
    tri_source *source;
    tri_dataset *dataset;
    const tri_batch *batch;
    assert_ok(tri_source_from_arrays(&arrays, &source));
    const tri_dataset_options options = {.batch = SAMPLE, .limit = SAMPLE, .sample = true, .seed = 4, .augment = "mixup:1"};
    assert_ok(tri_dataset_create(source, &options, &dataset));
    int found = 0;
    for (int i = 0; i < 20; i++) {
        assert_ok(tri_dataset_next(dataset, &batch)); /* all of the sample */
        for (int64_t k = 0; k < SAMPLE; k++) {
            const double share = tri__mixup_draw(1, 4, batch->epoch, batch->ids[k], SAMPLE).share;
            const double other = ((double)((const float *)batch->x)[k] - share * (double)batch->ids[k]) / (1 - share);
            bool known = share > 0.9; /* too little of the other one to tell */
            for (int64_t j = 0; j < SAMPLE; j++)
                known |= fabs(other - (double)batch->ids[j]) < 0.01;
            assert_true(known);
            found += share <= 0.9;
        }
    }
    assert_true(found > 100);
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
}

static void numbers_and_sets_are_mixed_as_the_examples_are(void **state)
{
    (void)state;
    enum { COUNT = 12 };
    float x[COUNT], targets[COUNT][2];
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(i * i);
        targets[i][0] = 3 * x[i];
        targets[i][1] = 1 - x[i];
    }
    const tri_arrays arrays = {.type = TRI_F32, .shape = TRI_SHAPE(1), .examples = COUNT, .x = x, .targets = &targets[0][0], .outputs = 2};
    tri_source *source;
    tri_dataset *dataset;
    const tri_batch *batch;
    assert_ok(tri_source_from_arrays(&arrays, &source));
    assert_ok(tri_dataset_create(source, &(tri_dataset_options){.batch = 5, .augment = "mixup:1", .epochs = 2}, &dataset));
    int changed = 0;
    for (;;) {
        assert_ok(tri_dataset_next(dataset, &batch));
        if (!batch)
            break;
        assert_int_equal(batch->outputs, 2);
        for (int64_t i = 0; i < batch->count; i++) { /* what is linear stays so */
            const float mixed = ((const float *)batch->x)[i];
            assert_float_equal(batch->targets[2 * i], 3 * mixed, 1e-3);
            assert_float_equal(batch->targets[2 * i + 1], 1 - mixed, 1e-3);
            changed += mixed != x[batch->ids[i]];
        }
    }
    assert_true(changed > COUNT);
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
}

/* A damaged example is not mixed, and one that would be mixed with it stays as it is. */
static void a_damaged_example_is_mixed_with_nothing(void **state)
{
    enum { RECORDS = 40, BAD = 7 };
    char text[RECORDS * 24] = "a,label\n", *folder = *state, *path = test_path(folder, "bad.csv");
    for (int i = 0; i < RECORDS; i++)
        if (i == BAD)
            strcat(text, "x,1\n");
        else
            snprintf(text + strlen(text), 24, "%d,%d\n", i * i, i % 3);
    test_write(path, text, strlen(text));
    tri_source *source;
    tri_dataset *dataset;
    const tri_batch *batch;
    assert_ok(tri_source_open(path, TRI_PART_TRAIN, NULL, &source));
    assert_ok(
        tri_dataset_create(source, &(tri_dataset_options){.batch = RECORDS, .augment = "mixup:1", .skip_bad = 1, .seed = 2}, &dataset));
    int alone = 0;
    for (int i = 0; i < 20; i++) {
        assert_ok(tri_dataset_next(dataset, &batch));
        assert_int_equal(batch->damaged, 1);
        for (int64_t k = 0; k < RECORDS; k++) {
            const tri__mixing mixing = tri__mixup_draw(1, 2, batch->epoch, batch->ids[k], RECORDS);
            assert_true(batch->weights[k] == (batch->ids[k] == BAD ? 0 : 1));
            if (mixing.partner != BAD || batch->ids[k] == BAD)
                continue;
            assert_true(((const float *)batch->x)[k] == (float)(batch->ids[k] * batch->ids[k]));
            assert_true(batch->targets[3 * k + batch->ids[k] % 3] == 1);
            alone++;
        }
    }
    assert_true(alone > 0);
    assert_int_equal(tri_dataset_damaged(dataset), 1);
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
    free(path);
}

/* Labels weigh by their classes, each by its share. */
static void mixed_examples_weigh_by_both_classes(void **state)
{
    (void)state;
    static const float weights[CLASSES] = {1, 2, 4, 8};
    tri_source *source = open_source();
    epoch *plain = collect(source, (tri_dataset_options){.batch = 10}, 0);
    epoch *weighed = collect(source, (tri_dataset_options){.batch = 10, .class_weights = weights}, 0);
    for (int i = 0; i < EXAMPLES; i++)
        for (int k = 0; k < CLASSES; k++)
            assert_float_equal(weighed->weights[i] * weighed->targets[i][k], plain->targets[i][k] * weights[k], 1e-5);
    free(plain);
    free(weighed);
    tri_source_destroy(source);
}

static void the_number_of_mixed_classes_is_the_wanted_one_or_the_source_s(void **state)
{
    (void)state;
    int64_t classes;
    assert_ok(tri__mixup_classes(&(tri_source_info){.spec = "a"}, 3, &classes));
    assert_int_equal(classes, 3);
    assert_ok(tri__mixup_classes(&(tri_source_info){.spec = "a", .classes = 5}, 0, &classes));
    assert_int_equal(classes, 5);
    assert_ok(tri__mixup_classes(&(tri_source_info){.spec = "a", .classes = 5}, 7, &classes));
    assert_int_equal(classes, 7);
    assert_ok(tri__mixup_classes(&(tri_source_info){.spec = "a", .labels = TRI_LABEL_NUMBERS}, 3, &classes));
    assert_int_equal(classes, 0);
}

/* A batch that has no room in memory only because of the shares is refused before anything is allocated. */
static void the_memory_of_the_shares_is_counted(void **state)
{
    (void)state;
    tri_source *source = open_source();
    tri_dataset *dataset;
    tri_dataset_options options = {.batch = 100000, .augment = "mixup:1"};
    const int64_t classes = source->info.classes;
    source->info.classes = INT32_MAX;
    assert_fails(tri_dataset_create(source, &options, &dataset), TRI_NO_MEMORY, "a smaller --batch takes less");
    source->info.classes = classes;
    options.mixed_classes = INT32_MAX;
    assert_fails(tri_dataset_create(source, &options, &dataset), TRI_NO_MEMORY, "a smaller --batch takes less");
    options.augment = "flip"; /* its labels have no shares */
    assert_ok(tri_dataset_create(source, &options, &dataset));
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
}

static void what_cannot_be_mixed_is_refused(void **state)
{
    (void)state;
    tri_source *source;
    tri_dataset *dataset;
    assert_ok(tri_source_open("clicks:50:100", TRI_PART_TRAIN, NULL, &source));
    assert_fails(tri_dataset_create(source, &(tri_dataset_options){.batch = 4, .augment = "mixup"}, &dataset), TRI_BAD_CALL,
                 "mixes dense examples, and its examples are sparse");
    tri_source_destroy(source);
    int64_t classes;
    assert_fails(tri__mixup_classes(&(tri_source_info){.spec = "a"}, 0, &classes), TRI_BAD_CALL, "nobody knows which classes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_of_the_beta_distribution),
        cmocka_unit_test(a_mix_follows_from_seed_epoch_and_record),
        cmocka_unit_test(values_are_mixed_by_their_share),
        cmocka_unit_test(labels_become_shares_of_classes),
        cmocka_unit_test(each_label_of_a_mix_weighs_by_its_class),
        cmocka_unit_test(a_batch_holds_mixed_examples_and_shares),
        cmocka_unit_test(a_mixed_example_depends_on_the_epoch_alone),
        cmocka_unit_test(a_sample_is_mixed_within_itself),
        cmocka_unit_test(numbers_and_sets_are_mixed_as_the_examples_are),
        FOLDER_TEST(a_damaged_example_is_mixed_with_nothing),
        cmocka_unit_test(mixed_examples_weigh_by_both_classes),
        cmocka_unit_test(the_number_of_mixed_classes_is_the_wanted_one_or_the_source_s),
        cmocka_unit_test(the_memory_of_the_shares_is_counted),
        cmocka_unit_test(what_cannot_be_mixed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
