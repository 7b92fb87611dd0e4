/* huffman.h: the Huffman codes of a baseline photo decoded quicker than the library does.
 *
 * Well over half of the time that the library takes for a photo goes into its Huffman codes. tri__huffman_take_over puts a decoder of our
 * own in the place of the library's; markers, dequantisation, transforms and all else remain the library's. Its header for such
 * replacements (jpegint.h), which Debian installs beside the public one, says how that place is filled. */
#ifndef TRI_DATA_PHOTO_JPEG_HUFFMAN_H
#define TRI_DATA_PHOTO_JPEG_HUFFMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

enum {
    TRI_HUFFMAN_LOOKUP_BITS = 10,  /* looked up at once: nearly all codes, with the coefficient that follows them, are shorter */
    TRI_HUFFMAN_LONGEST_CODE = 16, /* bits */
};

/* What the next bits mean. */
typedef struct {
    int16_t value;  /* the coefficient, where it is whole */
    uint8_t symbol; /* run: how many zeros come before the coefficient (upper four bits), and size: its bits (lower four) */
    uint8_t code;   /* bits of the code; 0: it is longer than what was looked up */
    uint8_t whole;  /* bits of code and coefficient; 0: they are more than were looked up */
} tri__huffman_entry;

/* The same for two coefficients. The end of a block is a zero that stands behind it. Where only one is whole, the second is the first
 * again. */
typedef struct {
    int16_t first, second;
    uint8_t skip, step;  /* coefficients from where we are to the first, and from there to the second */
    uint8_t whole_first; /* bits of the first coefficient */
    uint8_t whole;       /* bits of both; 0: not even the first is known */
} tri__huffman_pair;

typedef struct {
    tri__huffman_entry lookup[1 << TRI_HUFFMAN_LOOKUP_BITS];
    tri__huffman_pair pairs[1 << TRI_HUFFMAN_LOOKUP_BITS];
    uint32_t limit[TRI_HUFFMAN_LONGEST_CODE + 1];             /* 16 bits below this begin with a code of at most this length */
    int32_t shift[TRI_HUFFMAN_LONGEST_CODE + 1];              /* from a code of this length to the index of its symbol */
    uint8_t bits[TRI_HUFFMAN_LONGEST_CODE + 1], symbols[256]; /* what the table was made of */
} tri__huffman_table;

/* Bits that stand before the rest of the photo. */
typedef struct {
    uint64_t word;     /* the next `count` bits, from the highest on; below them zeros, or the first bits of *at */
    int count, padded; /* bits; and how many of them, the last ones, stand for what is not there */
    const uint8_t *at, *end;
} tri__huffman_bits;

typedef struct {
    tri__huffman_table tables[2][NUM_HUFF_TBLS];                                 /* DC, AC; kept from one photo to the next */
    const tri__huffman_table *dc[D_MAX_BLOCKS_IN_MCU], *ac[D_MAX_BLOCKS_IN_MCU]; /* by block of an MCU */
    tri__huffman_bits bits;
    uint32_t last_dc[MAX_COMPS_IN_SCAN]; /* DC coefficient of the component's last block */
    unsigned mcus_to_restart;
} tri__huffman;

/* Whether the library, as it was found when this was built and as it is loaded now, is one whose decoder can be replaced. */
bool tri__huffman_fits(void);

/* To be called after jpeg_start_decompress, before anything is read, and only where the decoder fits; self stays until all is read. A photo
 * that is not one baseline scan is left to the library. Damage, and a scan without one of its tables, is told by the library's own
 * means. */
void tri__huffman_take_over(tri__huffman *self, struct jpeg_decompress_struct *library);

#endif
