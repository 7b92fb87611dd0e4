/* huffman.h: the codes of a photo read quicker than the library does.
 *
 * Well over half of the time that the library takes for a photo goes into its Huffman codes. tri__huffman_take_over puts a reader of our
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
    TRI_HUFFMAN_LOOK = 10,   /* bits that are looked up at once: nearly all codes, with the number that follows them, are shorter */
    TRI_HUFFMAN_LONGEST = 16 /* bits of a code */
};

/* What the next bits mean. */
typedef struct {
    int16_t value;  /* the number, where it is whole */
    uint8_t symbol; /* how many zeros come before the number (upper four bits), and its bits (lower four) */
    uint8_t code;   /* bits of the code; 0: it is longer than what was looked up */
    uint8_t whole;  /* bits of code and number; 0: they are more than were looked up */
} tri__huffman_entry;

/* The same for two numbers. The end of a block is a zero that stands behind it. Where only one is whole, the second is the first again. */
typedef struct {
    int16_t first, second;
    uint8_t skip, step;  /* places from where we are to the first, and from there to the second */
    uint8_t whole_first; /* bits of the first number */
    uint8_t whole;       /* bits of both; 0: not even the first is known */
} tri__huffman_pair;

typedef struct {
    tri__huffman_entry look[1 << TRI_HUFFMAN_LOOK];
    tri__huffman_pair pairs[1 << TRI_HUFFMAN_LOOK];
    uint32_t limit[TRI_HUFFMAN_LONGEST + 1];             /* 16 bits below this begin with a code of at most this length */
    int32_t shift[TRI_HUFFMAN_LONGEST + 1];              /* from a code of this length to the place of its symbol */
    uint8_t bits[TRI_HUFFMAN_LONGEST + 1], symbols[256]; /* what the table was made of */
} tri__huffman_table;

/* Bits that stand before the rest of the photo. */
typedef struct {
    uint64_t word;     /* the next `count` bits, from the highest on; below them zeros, or the first bits of *at */
    int count, padded; /* bits; and how many of them, the last ones, stand for what is not there */
    const uint8_t *at, *end;
} tri__huffman_bits;

typedef struct {
    tri__huffman_table tables[2][NUM_HUFF_TBLS]; /* of averages (DC) and of the rest (AC); kept from one photo to the next */
    const tri__huffman_table *averages[D_MAX_BLOCKS_IN_MCU], *rest[D_MAX_BLOCKS_IN_MCU]; /* by block of a unit */
    tri__huffman_bits bits;
    uint32_t last[MAX_COMPS_IN_SCAN]; /* average of the last block */
    unsigned until_restart;           /* units */
} tri__huffman;

/* To be called after jpeg_start_decompress, before anything is read; self stays until all is. A photo that is stored in another way than
 * in one scan of Huffman codes is left to the library. Damage is told by the library's own means. */
void tri__huffman_take_over(tri__huffman *self, struct jpeg_decompress_struct *library);

#endif
