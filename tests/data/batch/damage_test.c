/* damage_test.c: ten thousand damaged variants of small data files of every format are opened and read to the end. Nothing crashes,
 * nothing hangs, what cannot be read is told with the file's name, and where checksums cover all bytes no damage is missed. The damage is
 * the same in every run. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes/crc32c.h"
#include "base/bytes/random.h"
#include "data/fixture.h"
#include "data/format/cifar.h"
#include "data/format/record_reader.h"
#include "data/photo/jpeg/encode.h"

enum { VARIANTS = 10000, ROOM = 1 << 16 };

/* A sound file of a small data set in a folder of its own. */
typedef struct {
    const char *name; /* of the file that is damaged */
    char *folder, *path;
    uint8_t *bytes;
    size_t size;
    size_t frame; /* bytes of each of its records where every change must be noticed, as all bytes are under checksums; 0 elsewhere */
    bool framed;  /* bytes are one record's: they are damaged, and then framed with checksums that are right */
} original;

typedef enum { FLIP, OVERWRITE, CUT, INSERT, REPEAT, CLEAR, APPEND, DAMAGES } damage;

/* Numbers for one variant. */
typedef struct {
    tri__key key;
    uint64_t count;
} dice;

static size_t below(dice *self, size_t bound)
{
    return (size_t)tri__random_below(self->key, self->count++, bound > 0 ? bound : 1);
}

/* One piece of damage to data, which has room for ROOM bytes; the new size. */
static size_t hurt(dice *self, uint8_t *data, size_t size)
{
    size_t at = below(self, size), many = 1 + below(self, 16), left = size - at;
    switch ((damage)below(self, DAMAGES)) {
    case FLIP:
        if (size > 0)
            data[at] ^= (uint8_t)(1 << below(self, 8));
        return size;
    case OVERWRITE:
        for (size_t i = at; i < size && i < at + many; i++)
            data[i] = (uint8_t)below(self, 256);
        return size;
    case CUT:
        return at;
    case INSERT:
        memmove(data + at + many, data + at, left);
        for (size_t i = 0; i < many; i++)
            data[at + i] = (uint8_t)below(self, 256);
        return size + many;
    case REPEAT:
        memmove(data + at + many, data + at, left);
        return size + many;
    case CLEAR:
        memset(data + at, below(self, 2) ? 0xff : 0, left < many ? left : many);
        return size;
    case APPEND:
        for (size_t i = 0; i < many; i++)
            data[size + i] = (uint8_t)below(self, 256);
        return size + many;
    case DAMAGES:
        break;
    }
    return size;
}

/* Two records, framed by hand: a writer would wait for the disk each time. */
static void write_framed(const char *path, const uint8_t *data, size_t size)
{
    size_t frame = TRI_TFRECORD_HEAD + size + TRI_TFRECORD_TAIL;
    uint8_t *bytes = calloc(2, frame);
    assert_non_null(bytes);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)((uint64_t)size >> (8 * i));
    memcpy(bytes + TRI_TFRECORD_HEAD, data, size);
    uint32_t length_crc = tri__crc32c_masked(bytes, 8), crc = tri__crc32c_masked(data, size);
    for (int i = 0; i < 4; i++) {
        bytes[8 + i] = (uint8_t)(length_crc >> (8 * i));
        bytes[TRI_TFRECORD_HEAD + size + (size_t)i] = (uint8_t)(crc >> (8 * i));
    }
    memcpy(bytes + frame, bytes, frame);
    test_write(path, bytes, 2 * frame);
    free(bytes);
}

/* Write a variant of the file. Whether a reader must notice: where whole records are cut off, nothing is wrong with the rest. */
static bool write_variant(const original *kept, int64_t number)
{
    dice self = {.key = tri__key_split(tri__key_of(20), (uint64_t)number)};
    uint8_t *data = malloc(ROOM + 1024);
    assert_non_null(data);
    assert_true(kept->size < ROOM);
    memcpy(data, kept->bytes, kept->size);
    size_t size = kept->size;
    for (size_t pieces = 1 + below(&self, 4); pieces > 0; pieces--)
        size = hurt(&self, data, size);
    assert_int_equal(unlink(kept->path), 0); /* a file that is cut to nothing and written again is waited for, on many file systems */
    if (kept->framed)
        write_framed(kept->path, data, size);
    else
        test_write(kept->path, data, size);
    bool whole = kept->frame && size <= kept->size && size % kept->frame == 0 && memcmp(data, kept->bytes, size) == 0;
    free(data);
    return kept->frame && !whole;
}

/* Whether there was something to tell. */
static bool assert_told(tri_status status)
{
    bool told = status;
    if (status && tri_status_code(status) != TRI_BAD_DATA && tri_status_code(status) != TRI_UNSUPPORTED)
        fail_msg("a damaged file gave another error: %s", tri_status_message(status));
    if (status)
        assert_non_null(strchr(tri_status_message(status), '/')); /* it names a file */
    tri_status_free(status);
    return told;
}

/* How many records are damaged. */
static int64_t read_all(tri_source *source)
{
    int64_t damaged = 0;
    const tri_source_info *info = tri_source_describe(source);
    size_t width = (size_t)info->width;
    int32_t label, *keys = calloc(width + 1, sizeof *keys);
    float *values = calloc(width + 1, sizeof *values);
    uint8_t *x = calloc(1, source->example_bytes + 1);
    assert_true(keys && values && x);
    tri__reader *reader;
    assert_ok(tri__reader_create(source, &reader));
    const tri__example_target target = {.x = x, .keys = keys, .values = values, .count = &(int64_t){0}, .label = &label};
    for (int64_t i = 0; i < info->examples; i++) {
        label = -1;
        tri_status status = source->kind->read(reader, i, &target);
        if (!status)
            assert_in_range(label, 0, info->classes - 1);
        damaged += assert_told(status);
    }
    tri__reader_destroy(reader);
    free(keys);
    free(values);
    free(x);
    return damaged;
}

/* How many records are damaged, or 1 where all is lost. */
static int64_t open_and_read(const char *folder)
{
    int64_t damaged = 0;
    tri_source *source;
    const tri_source_options options = {.height = 8, .width = 8};
    tri_status status = tri_source_open(folder, TRI_PART_TRAIN, &options, &source);
    if (!status) {
        damaged = read_all(source);
        tri_source_destroy(source);
    }
    return assert_told(status) ? 1 : damaged;
}

static original take(const char *name)
{
    original self = {.name = name, .folder = test_folder_create()};
    self.path = test_path(self.folder, name);
    return self;
}

static void take_bytes(original *self, const void *bytes, size_t size)
{
    self->bytes = malloc(size + 1);
    assert_non_null(self->bytes);
    memcpy(self->bytes, bytes, size);
    self->size = size;
}

static void take_file(original *self)
{
    self->bytes = (uint8_t *)test_read(self->path, &self->size);
}

static void put_click(tri__tf_example_writer *example)
{
    int64_t keys[39];
    float values[39];
    for (int i = 0; i < 39; i++) {
        keys[i] = (int64_t)i * 77777;
        values[i] = (float)i;
    }
    tri__tf_example_begin(example);
    tri__tf_example_add_integers(example, "index", keys, 39);
    tri__tf_example_add_floats(example, "value", values, 39);
    tri__tf_example_add_integers(example, "label", (int64_t[]){1}, 1);
}

static void make_photo(uint8_t **photo, size_t *size)
{
    uint8_t pixels[16 * 16 * 3];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i / 50);
    assert_ok(tri__jpeg_encode(pixels, 16, 16, 3, 80, photo, size));
}

static void put_picture(tri__tf_example_writer *example, bool encoded)
{
    tri__tf_example_begin(example);
    if (encoded) {
        uint8_t *photo;
        size_t size;
        make_photo(&photo, &size);
        tri__tf_example_add_bytes(example, "image/encoded", photo, size);
        free(photo);
    } else {
        tri__tf_example_add_bytes(example, "image/raw", (const uint8_t[48]){1, 2, 3}, 48);
        tri__tf_example_add_integers(example, "image/height", (int64_t[]){4}, 1);
        tri__tf_example_add_integers(example, "image/width", (int64_t[]){4}, 1);
        tri__tf_example_add_integers(example, "image/channels", (int64_t[]){3}, 1);
    }
    tri__tf_example_add_integers(example, "image/class/label", (int64_t[]){3}, 1);
    tri__tf_example_add_bytes(example, "image/class/text", "tulips", 6);
}

/* A file of records: clicks, pictures or photos; framed: only one of its records. */
static original make_records(const char *name, tri__compression compression, int sort, bool framed)
{
    original self = take(name);
    tri__tf_example_writer example = {0};
    const uint8_t *data;
    size_t size;
    if (sort == 0)
        put_click(&example);
    else
        put_picture(&example, sort == 2);
    assert_ok(tri__tf_example_finish(&example, &data, &size));
    self.framed = framed;
    if (framed) {
        take_bytes(&self, data, size);
    } else {
        tri__tfrecord_writer *writer;
        assert_ok(tri__tfrecord_writer_create(self.path, compression, &writer));
        for (int i = 0; i < 3; i++)
            tri__tfrecord_write(writer, data, size);
        assert_ok(tri__tfrecord_writer_commit(writer));
        take_file(&self);
        self.frame = compression == TRI_UNCOMPRESSED ? self.size / 3 : 0;
    }
    tri__tf_example_fini(&example);
    return self;
}

static original make_pair(const char *name, bool gzip)
{
    original self = take(name);
    const char *ending = gzip ? ".gz" : "";
    char images[64], labels[64];
    snprintf(images, sizeof images, "images-idx3-ubyte%s", ending);
    snprintf(labels, sizeof labels, "labels-idx1-ubyte%s", ending);
    fixture_pair(self.folder, images, labels, 20, 5, gzip);
    take_file(&self);
    return self;
}

static original make_batch(void)
{
    original self = take("data_batch_1.bin");
    uint8_t *records = calloc(3, TRI_CIFAR_RECORD);
    assert_non_null(records);
    take_bytes(&self, records, (size_t)3 * TRI_CIFAR_RECORD);
    free(records);
    return self;
}

static original make_text(const char *name, const char *text)
{
    original self = take(name);
    take_bytes(&self, text, strlen(text));
    return self;
}

/* A photo, the first of a folder with two classes. */
static original make_folder(void)
{
    original self = take("roses");
    uint8_t *photo;
    size_t size;
    make_photo(&photo, &size);
    static const char *const classes[] = {"roses", "tulips"};
    for (int i = 0; i < 2; i++) {
        char *folder = test_path(self.folder, classes[i]);
        assert_int_equal(mkdir(folder, 0777), 0);
        fixture_write(folder, "1.jpg", photo, size);
        free(folder);
    }
    free(self.path);
    self.path = test_path(self.folder, "roses/1.jpg");
    take_file(&self);
    free(photo);
    return self;
}

#define CRITEO                                                                                                                             \
    "1\t1\t5\t\t-1\t1382\t4\t15\t2\t181\t1\t2\t\t2\t68fd1e64\t80e26c9b\tfb936136\t7b4723c4\t25c83c98\t7e0ccccf\tde7995b8\t1f89b562\t"      \
    "a73ee510\ta8cd5504\tb2cb9c98\t37c9c164\t2824a5f6\t1adce6ef\t8ba8b39a\t891b62e7\te5ba7672\tf54016b9\t21ddcdc9\tb1252a9d\t07b5194c\t"   \
    "\t3a171ecb\tc5c50484\te8b83407\t9727dd16\n"

static void damaged_files_of_every_format_are_read_or_refused(void **state)
{
    (void)state;
    original originals[] = {
        make_records("clicks.tfrecord", TRI_UNCOMPRESSED, 0, false),
        make_records("pictures.tfrecord", TRI_UNCOMPRESSED, 1, false),
        make_records("photos.tfrecord", TRI_UNCOMPRESSED, 2, false),
        make_records("clicks.tfrecord.gz", TRI_GZIP, 0, false),
        make_records("pictures.tfrecord.z", TRI_ZLIB, 1, false),
        make_records("clicks-inside.tfrecord", TRI_UNCOMPRESSED, 0, true),
        make_records("pictures-inside.tfrecord", TRI_UNCOMPRESSED, 1, true),
        make_records("photos-inside.tfrecord", TRI_UNCOMPRESSED, 2, true),
        make_pair("images-idx3-ubyte", false),
        make_pair("labels-idx1-ubyte", false),
        make_pair("images-idx3-ubyte.gz", true),
        make_batch(),
        make_folder(),
        make_text("clicks.libsvm", "1 3:0.5 17:1e-3 # first\n0 1:2 2:3 4:5\n\n1 qid:3 9:1\n-0 9:-7.25\n"),
        make_text("clicks.txt", CRITEO CRITEO CRITEO),
    };
    enum { ORIGINALS = sizeof originals / sizeof *originals };
    for (int i = 0; i < ORIGINALS; i++) { /* sound, they are read */
        if (originals[i].framed)
            write_framed(originals[i].path, originals[i].bytes, originals[i].size);
        else
            test_write(originals[i].path, originals[i].bytes, originals[i].size);
        tri_source *source;
        assert_ok(tri_source_open(originals[i].folder, TRI_PART_TRAIN, &(tri_source_options){.height = 8, .width = 8}, &source));
        tri_source_destroy(source);
    }
    int64_t noticed = 0;
    for (int64_t i = 0; i < VARIANTS; i++) {
        bool must_notice = write_variant(&originals[i % ORIGINALS], i);
        int64_t damaged = open_and_read(originals[i % ORIGINALS].folder);
        if (must_notice && damaged == 0)
            fail_msg("variant %lld of %s: no damage was noticed", (long long)i, originals[i % ORIGINALS].name);
        noticed += must_notice;
    }
    assert_true(noticed > VARIANTS / 10);
    for (int i = 0; i < ORIGINALS; i++) {
        free(originals[i].path);
        free(originals[i].bytes);
        test_folder_remove(originals[i].folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_files_of_every_format_are_read_or_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
