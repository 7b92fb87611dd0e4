/* huffman_test.c: photos read by our codes and by the library's own give the same pixels: of all qualities, samplings and tables, with
 * restarts, and where bytes are changed. */
#include "data/photo/jpeg/huffman.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "data/photo/jpeg/decode.h"
#include "decoder.h"
#include "support.h"

enum { HEIGHT = 75, WIDTH = 90, PIXELS = HEIGHT * WIDTH };

/* How a photo is stored. */
typedef struct {
    int quality, sampling; /* 1: colour as fine as brightness; 2: half as fine */
    unsigned restart;      /* units between two restarts; 0: none */
    bool grey, optimised;  /* optimised: codes made for this photo */
    int noise;             /* of 255: the more, the longer the codes */
} manner;

typedef struct {
    unsigned char *data;
    unsigned long size;
} photo;

static photo photo_of(manner how)
{
    struct jpeg_compress_struct library;
    tri__jpeg_errors errors;
    photo out = {0};
    uint8_t row[3 * WIDTH], noise[3 * WIDTH];
    library.err = tri__jpeg_errors_init(&errors);
    jpeg_create_compress(&library);
    jpeg_mem_dest(&library, &out.data, &out.size);
    library.image_height = HEIGHT;
    library.image_width = WIDTH;
    library.input_components = how.grey ? 1 : 3;
    library.in_color_space = how.grey ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&library);
    jpeg_set_quality(&library, how.quality, TRUE);
    library.comp_info[0].h_samp_factor = library.comp_info[0].v_samp_factor = how.sampling;
    library.restart_interval = how.restart;
    library.optimize_coding = how.optimised;
    jpeg_start_compress(&library, TRUE);
    for (int y = 0; y < HEIGHT; y++) {
        tri__random_fill_bytes(tri__key_of((uint64_t)y), 0, sizeof noise, noise);
        for (size_t i = 0; i < sizeof row; i++)
            row[i] = (uint8_t)((y + (int)i / 2) % 200 + noise[i] % (how.noise + 1));
        JSAMPROW rows = row;
        jpeg_write_scanlines(&library, &rows, 1);
    }
    jpeg_finish_compress(&library);
    jpeg_destroy_compress(&library);
    return out;
}

/* A photo, the library's own way. */
typedef struct {
    struct jpeg_decompress_struct library;
    tri__jpeg_errors errors;
    photo from;
    uint8_t *rgb; /* [HEIGHT][WIDTH][3] */
} plain;

static tri_status decode_plainly(void *context)
{
    plain *self = context;
    jpeg_create_decompress(&self->library);
    jpeg_mem_src(&self->library, self->from.data, self->from.size);
    jpeg_read_header(&self->library, TRUE);
    self->library.out_color_space = JCS_RGB;
    jpeg_start_decompress(&self->library);
    while (self->library.output_scanline < HEIGHT) {
        JSAMPROW row = self->rgb + 3 * WIDTH * self->library.output_scanline;
        jpeg_read_scanlines(&self->library, &row, 1);
    }
    jpeg_finish_decompress(&self->library);
    return NULL;
}

/* Both ways: the same pixels, or we do not take it. We take nothing that the library does not; codes that do not exist, which it mostly
 * passes over, are damage here. Gives whether we took it. */
static bool agree(tri__jpeg *jpeg, photo from)
{
    static uint8_t ours[3 * PIXELS], theirs[3 * PIXELS];
    plain library = {.from = from, .rgb = theirs};
    library.library.err = tri__jpeg_errors_init(&library.errors);
    tri_status wrong_ours = tri__jpeg_decode(jpeg, from.data, from.size, HEIGHT, WIDTH, ours);
    tri_status wrong_theirs = tri__jpeg_guard(&library.errors, decode_plainly, &library);
    jpeg_destroy_decompress(&library.library);
    bool good = !wrong_ours;
    if (good) {
        assert_null(wrong_theirs);
        assert_memory_equal(ours, theirs, sizeof ours);
    } else if (!wrong_theirs) {
        assert_non_null(strstr(tri_status_message(wrong_ours), "bad Huffman code"));
    }
    tri_status_free(wrong_ours);
    tri_status_free(wrong_theirs);
    return good;
}

static const manner manners[] = {
    {.quality = 90, .sampling = 2, .noise = 20},
    {.quality = 100, .sampling = 1, .noise = 55},
    {.quality = 100, .sampling = 2, .noise = 55, .optimised = true},
    {.quality = 5, .sampling = 2, .noise = 55},
    {.quality = 75, .sampling = 2, .noise = 0, .optimised = true},
    {.quality = 95, .sampling = 1, .noise = 40, .restart = 1},
    {.quality = 100, .sampling = 2, .noise = 55, .restart = 7, .optimised = true},
    {.quality = 85, .sampling = 1, .noise = 30, .grey = true},
};

static void test_manners(void **state)
{
    for (size_t i = 0; i < sizeof manners / sizeof *manners; i++) {
        photo made = photo_of(manners[i]);
        assert_true(agree(*state, made));
        free(made.data);
    }
}

/* Bytes of the data changed, to 255 now and then: a marker, or the beginning of one. Not beside another 255: there the library begins a
 * block twice and does not clear it. */
static void test_changed_bytes(void **state)
{
    enum { TRIES = 400 };
    for (size_t i = 0; i < sizeof manners / sizeof *manners; i++) {
        photo made = photo_of(manners[i]);
        int64_t good = 0;
        for (uint64_t attempt = 0; attempt < TRIES; attempt++) {
            tri__key key = tri__key_split(tri__key_of(i), attempt);
            size_t at = 600 + (size_t)tri__random_below(key, 0, made.size - 601);
            uint8_t before = made.data[at];
            if (made.data[at - 1] == 255 || made.data[at + 1] == 255)
                continue;
            made.data[at] = tri__random_below(key, 1, 4) ? (uint8_t)tri__random_bits(key, 2) : 255;
            good += agree(*state, made);
            made.data[at] = before;
        }
        assert_in_range(good, 1, TRIES - 1); /* most changes are not noticed, some are */
        free(made.data);
    }
}

static void test_cut_short(void **state)
{
    photo made = photo_of(manners[0]);
    for (size_t left = made.size - 1; left > 700; left -= left > 20 + made.size / 2 ? 1 : 37)
        assert_false(agree(*state, (photo){made.data, left}));
    free(made.data);
}

/* What stands between the data and the end, and bytes of 255 before a marker, do no harm. */
static void test_filled_up(void **state)
{
    static const uint8_t fillings[][3] = {{255, 255, 255}, {1, 2, 3}};
    photo made = photo_of(manners[0]);
    for (size_t i = 0; i < sizeof fillings / sizeof *fillings; i++) {
        uint8_t *longer = malloc(made.size + 3);
        memcpy(longer, made.data, made.size - 2);
        memcpy(longer + made.size - 2, fillings[i], 3);
        memcpy(longer + made.size + 1, made.data + made.size - 2, 2);
        assert_true(agree(*state, (photo){longer, made.size + 3}));
        free(longer);
    }
    free(made.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_manners),
        cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_filled_up),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
