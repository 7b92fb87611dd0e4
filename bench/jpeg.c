/* jpeg.c: photos to batches, by Trireme's own pipeline and by a bare loop around libjpeg-turbo.
 *
 * The bare loop reads every photo's file and decodes it, at the scale that the pipeline chooses, with the library's own settings, and
 * throws it away: no resizing, no batches, no order. Both do so with as many threads, for as long, round and round.
 * usage: jpeg bare|batches SIDE THREADS SECONDS FOLDER    prints {"rate": photos/s} */
#include <glob.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "base/file/file.h"
#include "base/thread/clock.h"
#include "trireme/dataset.h"

enum { BATCH = 32 };

static void check(tri_status status)
{
    if (!status)
        return;
    fprintf(stderr, "jpeg: %s\n", tri_status_message(status));
    exit(1);
}

typedef struct {
    glob_t photos;
    unsigned side;
    int64_t end;                /* on the clock */
    _Atomic size_t next, ended; /* photos */
} loop;

static void decode(struct jpeg_decompress_struct *library, const uint8_t *data, size_t size, unsigned side, uint8_t **pixels, size_t *room)
{
    jpeg_mem_src(library, data, size);
    jpeg_read_header(library, TRUE);
    unsigned scale = 1;
    while (scale < 8 && 2 * scale * side <= library->image_height && 2 * scale * side <= library->image_width)
        scale *= 2;
    library->scale_num = 1;
    library->scale_denom = scale;
    jpeg_start_decompress(library);
    size_t stride = (size_t)library->output_width * 3, bytes = stride * library->output_height;
    if (bytes > *room) {
        free(*pixels);
        *pixels = malloc(bytes);
        *room = bytes;
    }
    while (library->output_scanline < library->output_height) {
        JSAMPROW row = *pixels + library->output_scanline * stride;
        jpeg_read_scanlines(library, &row, 1);
    }
    jpeg_finish_decompress(library);
}

static void *bare_thread(void *argument)
{
    loop *self = argument;
    struct jpeg_decompress_struct library;
    struct jpeg_error_mgr errors;
    uint8_t *data = NULL, *pixels = NULL;
    int64_t file_room = 0;
    size_t room = 0, size;
    library.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&library);
    while (tri__clock_now() < self->end) {
        check(tri__file_load(self->photos.gl_pathv[self->next++ % self->photos.gl_pathc], &data, &file_room, &size));
        decode(&library, data, size, self->side, &pixels, &room);
        self->ended++;
    }
    jpeg_destroy_decompress(&library);
    free(data);
    free(pixels);
    return NULL;
}

/* Photos a second. */
static double run_bare(const char *folder, int side, int threads, double seconds)
{
    loop self = {.side = (unsigned)side};
    char pattern[4096];
    pthread_t handles[64];
    threads = threads < 64 ? threads : 64;
    snprintf(pattern, sizeof pattern, "%s/{,train/,test/}*/*.jpg", folder);
    if (glob(pattern, GLOB_BRACE, NULL, &self.photos))
        check(tri_fail(TRI_NOT_FOUND, "%s: no photos", folder));
    int64_t begin = tri__clock_now();
    self.end = begin + (int64_t)(seconds * 1e9);
    for (int i = 0; i < threads; i++)
        pthread_create(&handles[i], NULL, bare_thread, &self);
    for (int i = 0; i < threads; i++)
        pthread_join(handles[i], NULL);
    globfree(&self.photos);
    return (double)self.ended / tri__clock_seconds(tri__clock_now() - begin);
}

static double run_batches(const char *folder, int side, int threads, double seconds)
{
    tri_source *source;
    tri_dataset *dataset;
    const tri_batch *batch;
    const tri_source_options size = {.height = side, .width = side};
    const tri_dataset_options options = {.batch = BATCH, .seed = 1, .shuffle = TRI_SHUFFLE_ALL, .readers = threads};
    check(tri_source_open(folder, TRI_PART_TRAIN, &size, &source));
    check(tri_dataset_create(source, &options, &dataset));
    for (int i = 0; i < 4; i++) /* threads, memory and files are there */
        check(tri_dataset_next(dataset, &batch));
    int64_t photos = 0, begin = tri__clock_now(), end = begin + (int64_t)(seconds * 1e9);
    while (tri__clock_now() < end) {
        check(tri_dataset_next(dataset, &batch));
        photos += batch->count;
    }
    double rate = (double)photos / tri__clock_seconds(tri__clock_now() - begin);
    tri_dataset_destroy(dataset);
    tri_source_destroy(source);
    return rate;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: jpeg bare|batches SIDE THREADS SECONDS FOLDER\n");
        return 2;
    }
    double (*run)(const char *, int, int, double) = strcmp(argv[1], "bare") ? run_batches : run_bare;
    printf("{\"rate\": %.1f}\n", run(argv[5], atoi(argv[2]), atoi(argv[3]), atof(argv[4])));
    return 0;
}
