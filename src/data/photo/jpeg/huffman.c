/* huffman.c: Huffman codes and the numbers behind them, found in a table by the next ten bits.
 *
 * A photo is a row of units, each of a few blocks of 64 numbers; the library asks for one unit at a time. A number is a code, which says
 * how many zeros come before it and how many bits it has, and then these bits. Mostly both are so short that one look into a table gives
 * the number itself, and often the next one too. Bytes come eight at a time, except near a byte of 255, behind which a 0 is
 * no part of the data, and anything else a marker that ends it. */
#include "data/photo/jpeg/huffman.h"

#include <endian.h>
#include <string.h>

#include <jerror.h>
#include <jpegint.h>

#include "data/photo/jpeg/decode.h"

enum {
    LOOK = TRI_HUFFMAN_LOOK,
    ENOUGH = 32, /* bits: more than a code of 16 and a number of 15 */
    BLOCK = 64,  /* numbers of a block */
    SKIP = 15,   /* zeros before a number of no bits: it is another zero, and the block goes on; with fewer zeros it ends */
};

/* Where the i-th number stands. What is behind the end, of which there is none but in damaged data, stands where the last one does. */
static const uint8_t zigzag[2 * BLOCK] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
};

/* ---- tables ---- */

/* A number of size bits: those whose first bit is 0 are negative. */
static inline int32_t number_of(uint32_t bits, int size)
{
    return (int32_t)bits - (bits >> (size - 1) ? 0 : (1 << size) - 1);
}

/* Everything that begins with the code, which stands in the upper of 16 bits. */
static void fill_in(tri__huffman_table *table, uint32_t code, int length, uint8_t symbol)
{
    int left = LOOK - length, size = symbol & 15;
    if (left < 0)
        return;
    tri__huffman_entry *first = table->look + (code >> (TRI_HUFFMAN_LONGEST - LOOK));
    for (uint32_t i = 0; i < 1u << left; i++)
        first[i] = (tri__huffman_entry){
            .value = size > 0 && size <= left ? (int16_t)number_of(i >> (left - size), size) : 0,
            .symbol = symbol,
            .code = (uint8_t)length,
            .whole = (uint8_t)(size <= left ? length + size : 0),
        };
}

/* Zeros before what the entry stands for. */
static uint8_t skip_of(const tri__huffman_entry *entry)
{
    int zeros = entry->symbol >> 4, size = entry->symbol & 15;
    return (uint8_t)(size > 0 || zeros == SKIP ? zeros : BLOCK);
}

/* Which two numbers begin with what is looked up. */
static void pair_up(tri__huffman_table *table)
{
    for (uint32_t i = 0; i < 1u << LOOK; i++) {
        const tri__huffman_entry *first = &table->look[i], *second = &table->look[i << first->whole & ((1u << LOOK) - 1)];
        bool both = second->whole > 0 && first->whole + second->whole <= LOOK;
        table->pairs[i] = (tri__huffman_pair){
            .first = first->value,
            .second = both ? second->value : first->value,
            .skip = skip_of(first),
            .step = both ? (uint8_t)(skip_of(second) + 1) : 0,
            .whole_first = first->whole,
            .whole = (uint8_t)(first->whole + (both && first->whole ? second->whole : 0)),
        };
    }
}

/* from has been checked by the library. Of averages there is one in a block: they make no pairs. */
static void make_table(tri__huffman_table *table, const JHUFF_TBL *from, bool pairs)
{
    if (!memcmp(table->bits, from->bits, sizeof table->bits) && !memcmp(table->symbols, from->huffval, sizeof table->symbols))
        return;
    memcpy(table->bits, from->bits, sizeof table->bits);
    memcpy(table->symbols, from->huffval, sizeof table->symbols);
    memset(table->look, 0, sizeof table->look);
    uint32_t code = 0;
    int32_t place = 0;
    for (int length = 1; length <= TRI_HUFFMAN_LONGEST; length++) {
        int unused = TRI_HUFFMAN_LONGEST - length;
        table->shift[length] = place - (int32_t)(code >> unused);
        for (int i = 0; i < from->bits[length]; i++, code += 1u << unused)
            fill_in(table, code, length, table->symbols[place++]);
        table->limit[length] = code;
    }
    if (pairs)
        pair_up(table);
}

/* ---- bits ---- */

/* Byte by byte, up to a marker; from there on, zeros. */
static void refill_slowly(tri__huffman_bits *bits)
{
    for (; bits->count <= 56; bits->count += 8) {
        const uint8_t *behind = bits->at;
        while (behind < bits->end && *behind == 0xFF)
            behind++;
        bool ended = behind == bits->end || (behind > bits->at && *behind != 0);
        if (ended)
            bits->padded += 8;
        else
            bits->word |= (uint64_t)*bits->at << (56 - bits->count);
        bits->at = ended ? bits->at : behind + 1;
    }
}

/* At least `enough` bits. */
static inline void refill(tri__huffman_bits *bits, int enough)
{
    if (bits->count >= enough)
        return;
    uint64_t next = UINT64_MAX;
    if (bits->end - bits->at >= 8)
        memcpy(&next, bits->at, sizeof next);
    if (((~next - 0x0101010101010101) & next & 0x8080808080808080) != 0) { /* one of its bytes is 255 */
        refill_slowly(bits);
        return;
    }
    int bytes = (64 - bits->count) / 8;
    bits->word |= be64toh(next) >> bits->count;
    bits->count += 8 * bytes;
    bits->at += bytes;
}

static inline void drop(tri__huffman_bits *bits, int count)
{
    bits->word <<= count;
    bits->count -= count;
}

/* size: 1 … 15 */
static inline int32_t take_number(tri__huffman_bits *bits, int size)
{
    int32_t number = number_of((uint32_t)(bits->word >> (64 - size)), size);
    drop(bits, size);
    return number;
}

/* A code that is longer than what is looked up. −1: there is none that begins so. */
static int take_long_code(tri__huffman_bits *bits, const tri__huffman_table *table)
{
    uint32_t next = (uint32_t)(bits->word >> (64 - TRI_HUFFMAN_LONGEST));
    int length = LOOK + 1;
    while (length <= TRI_HUFFMAN_LONGEST && next >= table->limit[length])
        length++;
    if (length > TRI_HUFFMAN_LONGEST)
        return -1;
    drop(bits, length);
    return table->symbols[(int32_t)(next >> (TRI_HUFFMAN_LONGEST - length)) + table->shift[length]];
}

/* ---- blocks ---- */

static inline uint32_t look(tri__huffman_bits *bits, int enough)
{
    refill(bits, enough);
    return (uint32_t)(bits->word >> (64 - LOOK));
}

/* One number, and its symbol. −1: damaged. */
static inline int take_one(tri__huffman_bits *bits, const tri__huffman_table *table, int32_t *number)
{
    const tri__huffman_entry *found = &table->look[look(bits, ENOUGH)];
    int symbol = found->code ? found->symbol : take_long_code(bits, table);
    drop(bits, found->code);
    *number = symbol > 0 && (symbol & 15) ? take_number(bits, symbol & 15) : 0;
    return symbol;
}

/* How far the average of a block is from that of the last. False: damaged. */
static inline bool read_average(tri__huffman_bits *bits, const tri__huffman_table *table, int32_t *difference)
{
    const tri__huffman_entry *found = &table->look[look(bits, LOOK)];
    if (!found->whole)
        return take_one(bits, table, difference) >= 0;
    *difference = found->value;
    drop(bits, found->whole);
    return true;
}

/* The other 63 numbers of a block that is all zeros. False: damaged. */
static inline bool read_rest(tri__huffman_bits *bits, const tri__huffman_table *table, JCOEF *block)
{
    for (int i = 1; i < BLOCK; i++) {
        const tri__huffman_pair found = table->pairs[look(bits, LOOK)];
        if (found.whole) {
            i += found.skip;
            block[zigzag[i]] = found.first;
            if (i >= BLOCK - 1) { /* the second one is the next block's */
                drop(bits, found.whole_first);
                return true;
            }
            i += found.step;
            block[zigzag[i]] = found.second;
            drop(bits, found.whole);
            continue;
        }
        int32_t number;
        int symbol = take_one(bits, table, &number);
        if (symbol < 0)
            return false;
        if ((symbol & 15) == 0 && symbol >> 4 != SKIP)
            return true;
        i += symbol >> 4;
        block[zigzag[i]] = (JCOEF)number;
    }
    return true;
}

static void start(tri__huffman *self, const struct jpeg_decompress_struct *library)
{
    const struct jpeg_source_mgr *source = library->src;
    self->bits = (tri__huffman_bits){.at = source->next_input_byte, .end = source->next_input_byte + source->bytes_in_buffer};
    self->until_restart = library->restart_interval;
    memset(self->last, 0, sizeof self->last);
}

static boolean read_unit(struct jpeg_decompress_struct *library, JBLOCKROW *blocks)
{
    tri__huffman *self = &((tri__jpeg *)library->client_data)->huffman;
    if (library->restart_interval > 0 && self->until_restart-- == 0) {
        library->marker->read_restart_marker(library);
        start(self, library);
        self->until_restart--;
    }
    tri__huffman_bits bits = self->bits;
    bool known = true;
    for (int i = 0; i < library->blocks_in_MCU && known; i++) {
        uint32_t *last = &self->last[library->MCU_membership[i]];
        int32_t difference;
        known = read_average(&bits, self->averages[i], &difference) && read_rest(&bits, self->rest[i], *blocks[i]);
        *last += (uint32_t)difference;
        (*blocks[i])[0] = (JCOEF)*last;
    }
    self->bits = bits;
    library->src->next_input_byte = bits.at;
    library->src->bytes_in_buffer = (size_t)(bits.end - bits.at);
    if (!known)
        WARNMS(library, JWRN_HUFF_BAD_CODE);
    if (bits.count < bits.padded)
        WARNMS(library, bits.at == bits.end ? JWRN_JPEG_EOF : JWRN_HIT_MARKER);
    return TRUE;
}

void tri__huffman_take_over(tri__huffman *self, struct jpeg_decompress_struct *library)
{
    if (library->progressive_mode || library->arith_code || jpeg_has_multiple_scans(library))
        return;
    for (int i = 0; i < library->blocks_in_MCU; i++) {
        const jpeg_component_info *part = library->cur_comp_info[library->MCU_membership[i]];
        tri__huffman_table *averages = &self->tables[0][part->dc_tbl_no], *rest = &self->tables[1][part->ac_tbl_no];
        make_table(averages, library->dc_huff_tbl_ptrs[part->dc_tbl_no], false);
        make_table(rest, library->ac_huff_tbl_ptrs[part->ac_tbl_no], true);
        self->averages[i] = averages;
        self->rest[i] = rest;
    }
    start(self, library);
    library->entropy->decode_mcu = read_unit;
}
