/* huffman_test.c: our Huffman decoder and the library's own give the same pixels: for all qualities, samplings and tables, with restarts,
 * and where bytes are changed. A scan without its tables is refused. */
#include "data/photo/jpeg/huffman.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes/random.h"
#include "data/photo/jpeg/decode.h"
#include "support.h"

enum { HEIGHT = 75, WIDTH = 90, PIXELS = HEIGHT * WIDTH };

/* How a photo is stored. */
typedef struct {
    int quality, sampling; /* 1: chroma as fine as luma; 2: half as fine */
    unsigned restart;      /* MCUs between two restarts; 0: none */
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

typedef struct {
    tri__jpeg *own, *library; /* a decoder with our Huffman codes, and one that leaves them to the library */
} decoders;

static int create_decoders(void **state)
{
    static decoders both;
    assert_ok(tri__jpeg_create(&both.own));
    assert_ok(tri__jpeg_create(&both.library));
    both.library->own_huffman = false;
    *state = &both;
    return 0;
}

static int destroy_decoders(void **state)
{
    decoders *both = *state;
    tri__jpeg_destroy(both->own);
    tri__jpeg_destroy(both->library);
    return 0;
}

/* Both decoders give the same pixels, or ours refuses the photo. Ours takes nothing that the library does not; codes that do not exist,
 * which the library mostly passes over, are damage here. Gives whether ours took it. */
static bool agree_at(const decoders *both, photo from, int64_t height, int64_t width)
{
    static uint8_t ours[3 * PIXELS], theirs[3 * PIXELS];
    tri_status wrong_ours = tri__jpeg_decode(both->own, from.data, from.size, height, width, ours);
    tri_status wrong_theirs = tri__jpeg_decode(both->library, from.data, from.size, height, width, theirs);
    bool good = !wrong_ours;
    if (good) {
        assert_null(wrong_theirs);
        assert_memory_equal(ours, theirs, (size_t)(3 * height * width));
    } else if (!wrong_theirs) {
        assert_non_null(strstr(tri_status_message(wrong_ours), "bad Huffman code"));
    }
    tri_status_free(wrong_ours);
    tri_status_free(wrong_theirs);
    return good;
}

/* At full size, which is decoded row by row, and resized, which is decoded plane by plane. */
static bool agree(const decoders *both, photo from)
{
    bool good = agree_at(both, from, HEIGHT, WIDTH);
    assert_int_equal(agree_at(both, from, HEIGHT / 2 - 3, WIDTH / 2), good);
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

static void both_huffman_decoders_give_the_same_pixels(void **state)
{
    for (size_t i = 0; i < sizeof manners / sizeof *manners; i++) {
        photo made = photo_of(manners[i]);
        assert_true(agree(*state, made));
        free(made.data);
    }
}

/* Bytes of the data changed, to 255 now and then: a marker, or the beginning of one. Not beside another 255: there the library begins a
 * block twice and does not clear it. */
static void changed_bytes_of_a_photo_give_the_same_pixels_in_both_decoders_or_are_refused(void **state)
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

static void a_photo_that_is_cut_short_is_refused(void **state)
{
    photo made = photo_of(manners[0]);
    for (size_t left = made.size - 1; left > 700; left -= left > 20 + made.size / 2 ? 1 : 37)
        assert_false(agree(*state, (photo){made.data, left}));
    free(made.data);
}

/* What stands between the data and the end, and bytes of 255 before a marker, do no harm. */
static void bytes_before_the_end_marker_do_no_harm(void **state)
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

static void our_own_huffman_decoder_is_used_where_it_fits(void **state)
{
    decoders *both = *state;
    photo made = photo_of(manners[0]);
    assert_true(agree(both, made));
    assert_int_equal(both->own->huffman.bits.at != NULL, tri__huffman_fits());
    assert_null(both->library->huffman.bits.at);
    free(made.data);
}

/* The scan header (SOS) of a grey photo: marker, length, one component, its number, its DC and AC tables. */
static uint8_t *scan_tables(photo made)
{
    for (size_t i = 0; i + 7 < made.size; i++)
        if (made.data[i] == 0xFF && made.data[i + 1] == 0xDA)
            return &made.data[i + 6];
    fail_msg("the photo has no scan");
    return NULL;
}

static void a_scan_that_names_a_missing_huffman_table_is_refused(void **state)
{
    decoders *both = *state;
    static uint8_t rgb[3 * PIXELS];
    static const uint8_t wrong[] = {0x03, 0x30, 0x0F, 0xF0};
    for (size_t i = 0; i < sizeof wrong; i++) {
        photo made = photo_of((manner){.quality = 85, .sampling = 1, .grey = true});
        *scan_tables(made) = wrong[i];
        assert_fails(tri__jpeg_decode(both->own, made.data, made.size, HEIGHT, WIDTH, rgb), TRI_BAD_DATA, "Huffman table 0x");
        free(made.data);
    }
}

typedef struct {
    tri__jpeg *jpeg;
    photo from;
} incomplete;

/* The library checks tables before we do. Here one vanishes after that. */
static tri_status take_over_without_ac_table(void *context)
{
    incomplete *self = context;
    struct jpeg_decompress_struct *library = &self->jpeg->library;
    jpeg_mem_src(library, self->from.data, self->from.size);
    jpeg_read_header(library, TRUE);
    jpeg_start_decompress(library);
    library->ac_huff_tbl_ptrs[library->cur_comp_info[0]->ac_tbl_no] = NULL;
    tri__huffman_take_over(&self->jpeg->huffman, library);
    return NULL;
}

static void a_missing_ac_table_is_not_dereferenced(void **state)
{
    decoders *both = *state;
    if (!tri__huffman_fits())
        skip();
    incomplete self = {both->own, photo_of(manners[0])};
    assert_fails(tri__jpeg_guard(&self.jpeg->errors, take_over_without_ac_table, &self), TRI_BAD_DATA, "Huffman table 0x");
    jpeg_abort_decompress(&self.jpeg->library);
    assert_true(agree(both, self.from)); /* the decoder is good for the next photo */
    free(self.from.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_huffman_decoders_give_the_same_pixels),
        cmocka_unit_test(changed_bytes_of_a_photo_give_the_same_pixels_in_both_decoders_or_are_refused),
        cmocka_unit_test(a_photo_that_is_cut_short_is_refused),
        cmocka_unit_test(bytes_before_the_end_marker_do_no_harm),
        cmocka_unit_test(our_own_huffman_decoder_is_used_where_it_fits),
        cmocka_unit_test(a_scan_that_names_a_missing_huffman_table_is_refused),
        cmocka_unit_test(a_missing_ac_table_is_not_dereferenced),
    };
    return cmocka_run_group_tests(tests, create_decoders, destroy_decoders);
}
