/* make_digits.c: writes drawn digits as four IDX files, like those of MNIST: images and labels, for training and for testing.
 *
 * All threads draw a round of digits into memory; then one thread writes it in order. The digits are those of the source digits:N. */
#define _GNU_SOURCE /* asprintf */
#include "data/make/make_digits.h"

#include "data/make/digits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file/file.h"
#include "base/memory/memory.h"
#include "data/source/source.h"

enum {
    BLOCK = 512,      /* digits that a thread draws at a time */
    BLOCKS = 64,      /* blocks in a round */
    IMAGES_HEAD = 16, /* magic number and three dimensions */
    LABELS_HEAD = 8,
};

#define MOST_COUNT INT64_C(4294967295) /* the format has 32 bits for it */

/* A round: digits first … end − 1 of a part. */
typedef struct {
    uint64_t seed;
    tri_part part;
    int64_t first, end;
    uint8_t *images; /* [BLOCKS · BLOCK][28][28] */
    uint8_t *labels; /* [BLOCKS · BLOCK] */
} round_of;

static tri_status draw_block(void *context, int64_t block)
{
    const round_of *self = context;
    for (int64_t i = block * BLOCK; i < (block + 1) * BLOCK && self->first + i < self->end; i++)
        self->labels[i] = tri__digits_draw(self->seed, self->part, self->first + i, self->images + i * TRI_DIGITS_PIXELS);
    return NULL;
}

/* Write magic number and dimensions, 4 bytes each, most significant first. */
static void write_head(tri__writer *to, const uint32_t *words, int count)
{
    for (int i = 0; i < count; i++)
        tri__writer_write(
            to, (uint8_t[]){(uint8_t)(words[i] >> 24), (uint8_t)(words[i] >> 16), (uint8_t)(words[i] >> 8), (uint8_t)words[i]}, 4);
}

static tri_status write_rounds(const tri__make_request *request, round_of *self, int64_t count, tri__writer *images, tri__writer *labels,
                               tri__make_result *out)
{
    int64_t all = request->count + tri__source_test_share(request->count);
    write_head(images, (uint32_t[]){0x803, (uint32_t)count, TRI_DIGITS_SIDE, TRI_DIGITS_SIDE}, 4);
    write_head(labels, (uint32_t[]){0x801, (uint32_t)count}, 2);
    for (self->first = 0; self->first < count; self->first = self->end) {
        self->end = self->first + BLOCKS * BLOCK < count ? self->first + BLOCKS * BLOCK : count;
        int64_t drawn = self->end - self->first;
        TRI_TRY(tri__pool_for(request->pool, (drawn + BLOCK - 1) / BLOCK, draw_block, self));
        tri__writer_write(images, self->images, (size_t)drawn * TRI_DIGITS_PIXELS);
        tri__writer_write(labels, self->labels, (size_t)drawn);
        out->records += drawn;
        TRI_TRY(tri__make_tell(request, out->records, all));
    }
    return NULL;
}

static tri_status create_file(const char *folder, const char *part, const char *name, tri__writer **out)
{
    char *path;
    if (asprintf(&path, "%s/%s-%s-ubyte", folder, part, name) < 0)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of a file in %s", folder);
    tri_status status = tri__writer_create(path, out);
    free(path);
    return status;
}

static tri_status write_part(const tri__make_request *request, round_of *self, int64_t count, tri__make_result *out)
{
    const char *name = self->part == TRI_PART_TEST ? "t10k" : "train";
    tri__writer *images, *labels;
    TRI_TRY(create_file(request->out, name, "images-idx3", &images));
    tri_status status = create_file(request->out, name, "labels-idx1", &labels);
    if (status) {
        tri__writer_abandon(images);
        return status;
    }
    status = write_rounds(request, self, count, images, labels, out);
    if (status) {
        tri__writer_abandon(images);
        tri__writer_abandon(labels);
        return status;
    }
    status = tri__writer_commit(images);
    tri_status other = tri__writer_commit(labels);
    if (status) {
        tri_status_free(other);
        return status;
    }
    out->files += 2;
    out->bytes += IMAGES_HEAD + LABELS_HEAD + count * (TRI_DIGITS_PIXELS + 1);
    return other;
}

tri_status tri__make_digits(const tri__make_request *request, tri__make_result *out)
{
    if (request->count < 1 || request->count > MOST_COUNT)
        return tri_fail(TRI_BAD_CALL, "--count %" PRId64 ": an IDX file has 1 to %" PRId64 " digits", request->count, MOST_COUNT);
    round_of self = {.seed = request->seed};
    tri_status status = tri__allocate(BLOCKS * BLOCK, TRI_DIGITS_PIXELS, "drawn digits", &self.images);
    if (!status)
        status = tri__allocate(BLOCKS * BLOCK, 1, "the labels of drawn digits", &self.labels);
    for (int part = 0; part < 2 && !status; part++) {
        self.part = (tri_part)part;
        status = write_part(request, &self, part == TRI_PART_TEST ? tri__source_test_share(request->count) : request->count, out);
    }
    free(self.images);
    free(self.labels);
    return status;
}
