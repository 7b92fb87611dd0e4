/* huffman.h: decodes the Huffman codes of a baseline photo faster than the library.
 *
 * The library spends well over half of its time for a photo on Huffman codes. tri__huffman_take_over puts our own decoder in the place of
 * the library's; the library still does markers, dequantisation, transforms and everything else. Its header jpegint.h, which Debian
 * installs beside the public one, declares the functions to replace. */
#ifndef TRI_DATA_PHOTO_JPEG_HUFFMAN_H
#define TRI_DATA_PHOTO_JPEG_HUFFMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

enum {
    TRI_HUFFMAN_LOOKUP_BITS = 10,  /* bits looked up at once: nearly all codes, with the coefficient that follows them, are shorter */
    TRI_HUFFMAN_LONGEST_CODE = 16, /* bits */
};

/* What the next bits mean. */
typedef struct {
    int16_t value;  /* the coefficient, if `whole` is not 0 */
    uint8_t symbol; /* upper four bits: run, how many zeros come before the coefficient; lower four: size, its bits */
    uint8_t code;   /* bits of the code; 0: the code is longer than the bits looked up */
    uint8_t whole;  /* bits of code and coefficient together; 0: they are longer than the bits looked up */
} tri__huffman_entry;

/* The same for two coefficients. The end of a block counts as a zero after the block. If only one coefficient is known, the second is the
 * first again. */
typedef struct {
    int16_t first, second;
    uint8_t skip, step;  /* how many coefficients the first is ahead of here, and the second ahead of the first */
    uint8_t whole_first; /* bits of the first coefficient */
    uint8_t whole;       /* bits of both; 0: not even the first is known */
} tri__huffman_pair;

typedef struct {
    tri__huffman_entry lookup[1 << TRI_HUFFMAN_LOOKUP_BITS];
    tri__huffman_pair pairs[1 << TRI_HUFFMAN_LOOKUP_BITS];
    uint32_t limit[TRI_HUFFMAN_LONGEST_CODE + 1];             /* by length: 16 bits below limit begin with a code of at most this length */
    int32_t shift[TRI_HUFFMAN_LONGEST_CODE + 1];              /* by length: added to a code, gives the index of its symbol */
    uint8_t bits[TRI_HUFFMAN_LONGEST_CODE + 1], symbols[256]; /* the library's table, from which this one was made */
} tri__huffman_table;

/* The next bits of the photo, and the bytes after them. */
typedef struct {
    uint64_t word;     /* the next `count` bits, from the highest down; below them zeros, or the first bits of *at */
    int count, padded; /* bits in word; how many of them, the last ones, only pad: the data has ended */
    const uint8_t *at, *end;
} tri__huffman_bits;

typedef struct {
    tri__huffman_table tables[2][NUM_HUFF_TBLS];                                 /* DC, AC; kept from one photo to the next */
    const tri__huffman_table *dc[D_MAX_BLOCKS_IN_MCU], *ac[D_MAX_BLOCKS_IN_MCU]; /* by block of an MCU */
    tri__huffman_bits bits;
    uint32_t last_dc[MAX_COMPS_IN_SCAN]; /* DC coefficient of the component's last block */
    unsigned mcus_to_restart;
} tri__huffman;

/* Whether our decoder can replace that of the library, both of the one found at build time and of the one loaded now. */
bool tri__huffman_fits(void);

/* Call it after jpeg_start_decompress, before anything is read, and only if tri__huffman_fits. self must live until all is read. A photo
 * that is not one baseline scan is left to the library. Damage, and a scan without one of its tables, are reported as the library's own
 * errors. */
void tri__huffman_take_over(tri__huffman *self, struct jpeg_decompress_struct *library);

#endif
