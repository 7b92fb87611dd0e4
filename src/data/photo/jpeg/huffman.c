/* huffman.c: decodes the Huffman codes and coefficients of a baseline scan, with a table that is indexed by the next ten bits.
 *
 * A scan is a sequence of MCUs, each of a few blocks of 64 coefficients: one DC, 63 AC. The library asks for one MCU at a time. A
 * coefficient is a code followed by the coefficient's bits. The code's symbol says how many zeros come before the coefficient (its run)
 * and how many bits it has (its size). Mostly both are so short that one table lookup gives the coefficient itself, and often the next one,
 * too. Bytes are loaded eight at a time, except near a byte of 255: a 0 after it is not part of the data, and any other byte after it is a
 * marker that ends the data.
 *
 * CMake defines TRI_JPEG_HUFFMAN if jpegint.h is installed and belongs to a libjpeg-turbo whose decoder this one is known to replace
 * exactly. Otherwise nothing is replaced. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "data/photo/jpeg/huffman.h"

#ifdef TRI_JPEG_HUFFMAN

#include <dlfcn.h>
#include <endian.h>
#include <string.h>

#include <jerror.h>
#include <jpegint.h>

#include "data/photo/jpeg/decode.h"

enum {
    LOOKUP_BITS = TRI_HUFFMAN_LOOKUP_BITS,
    LONGEST_CODE = TRI_HUFFMAN_LONGEST_CODE,
    ENOUGH = 32,  /* bits: more than a code of 16 and a coefficient of 15 */
    ZRL_RUN = 15, /* with size 0: sixteen zeros, and the block continues; a shorter run with size 0 is the end of the block */
};

/* The place of coefficient i in its block. Indices after the end, which only damaged data has, go to the last place. */
static const uint8_t zigzag[2 * DCTSIZE2] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
};

/* ---- tables ---- */

/* A coefficient of size bits (EXTEND in the standard): one whose first bit is 0 is negative. */
static inline int32_t extend(uint32_t bits, int size)
{
    return (int32_t)bits - (bits >> (size - 1) ? 0 : (1 << size) - 1);
}

/* Fill all entries that begin with a code. code: in the upper bits of 16. */
static void add_code(tri__huffman_table *table, uint32_t code, int length, uint8_t symbol)
{
    int left = LOOKUP_BITS - length, size = symbol & 15;
    if (left < 0)
        return;
    tri__huffman_entry *first = table->lookup + (code >> (LONGEST_CODE - LOOKUP_BITS));
    for (uint32_t i = 0; i < 1u << left; i++)
        first[i] = (tri__huffman_entry){
            .value = size > 0 && size <= left ? (int16_t)extend(i >> (left - size), size) : 0,
            .symbol = symbol,
            .code = (uint8_t)length,
            .whole = (uint8_t)(size <= left ? length + size : 0),
        };
}

/* How many coefficients the entry skips; more than the block has if the entry ends the block. */
static uint8_t skip_of(const tri__huffman_entry *entry)
{
    int run = entry->symbol >> 4, size = entry->symbol & 15;
    return (uint8_t)(size > 0 || run == ZRL_RUN ? run : DCTSIZE2);
}

/* For each lookup index, find the two coefficients that its bits begin with. */
static void make_pairs(tri__huffman_table *table)
{
    for (uint32_t i = 0; i < 1u << LOOKUP_BITS; i++) {
        const tri__huffman_entry *first = &table->lookup[i], *second = &table->lookup[i << first->whole & ((1u << LOOKUP_BITS) - 1)];
        bool both = second->whole > 0 && first->whole + second->whole <= LOOKUP_BITS;
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

/* The library has checked `from`. A block has only one DC coefficient, so DC tables have no pairs. */
static void make_table(tri__huffman_table *table, const JHUFF_TBL *from, bool is_ac)
{
    if (!memcmp(table->bits, from->bits, sizeof table->bits) && !memcmp(table->symbols, from->huffval, sizeof table->symbols))
        return;
    memcpy(table->bits, from->bits, sizeof table->bits);
    memcpy(table->symbols, from->huffval, sizeof table->symbols);
    memset(table->lookup, 0, sizeof table->lookup);
    uint32_t code = 0;
    int32_t symbol = 0;
    for (int length = 1; length <= LONGEST_CODE; length++) {
        int unused = LONGEST_CODE - length;
        table->shift[length] = symbol - (int32_t)(code >> unused);
        for (int i = 0; i < from->bits[length]; i++, code += 1u << unused)
            add_code(table, code, length, table->symbols[symbol++]);
        table->limit[length] = code;
    }
    if (is_ac)
        make_pairs(table);
}

/* ---- bits ---- */

/* Load bytes one by one, up to a marker; after it, load zeros. */
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

/* Load until there are at least `enough` bits. */
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
static inline int32_t take_coefficient(tri__huffman_bits *bits, int size)
{
    int32_t coefficient = extend((uint32_t)(bits->word >> (64 - size)), size);
    drop(bits, size);
    return coefficient;
}

/* Take a code that is longer than the lookup. Returns its symbol, or −1 if there is no such code. */
static int take_long_code(tri__huffman_bits *bits, const tri__huffman_table *table)
{
    uint32_t next = (uint32_t)(bits->word >> (64 - LONGEST_CODE));
    int length = LOOKUP_BITS + 1;
    while (length <= LONGEST_CODE && next >= table->limit[length])
        length++;
    if (length > LONGEST_CODE)
        return -1;
    drop(bits, length);
    return table->symbols[(int32_t)(next >> (LONGEST_CODE - length)) + table->shift[length]];
}

/* ---- blocks ---- */

static inline uint32_t peek(tri__huffman_bits *bits, int enough)
{
    refill(bits, enough);
    return (uint32_t)(bits->word >> (64 - LOOKUP_BITS));
}

/* Take one coefficient. Returns its symbol, or −1 if the data is damaged. */
static inline int take_one(tri__huffman_bits *bits, const tri__huffman_table *table, int32_t *coefficient)
{
    const tri__huffman_entry *found = &table->lookup[peek(bits, ENOUGH)];
    int symbol = found->code ? found->symbol : take_long_code(bits, table);
    drop(bits, found->code);
    *coefficient = symbol > 0 && (symbol & 15) ? take_coefficient(bits, symbol & 15) : 0;
    return symbol;
}

/* The difference between the DC coefficients of this block and the last. False if the data is damaged. */
static inline bool read_dc(tri__huffman_bits *bits, const tri__huffman_table *table, int32_t *difference)
{
    const tri__huffman_entry *found = &table->lookup[peek(bits, LOOKUP_BITS)];
    if (!found->whole)
        return take_one(bits, table, difference) >= 0;
    *difference = found->value;
    drop(bits, found->whole);
    return true;
}

/* Read the 63 AC coefficients into a block that is all zeros. False if the data is damaged. */
static inline bool read_ac(tri__huffman_bits *bits, const tri__huffman_table *table, JCOEF *block)
{
    for (int i = 1; i < DCTSIZE2; i++) {
        const tri__huffman_pair found = table->pairs[peek(bits, LOOKUP_BITS)];
        if (found.whole) {
            i += found.skip;
            block[zigzag[i]] = found.first;
            if (i >= DCTSIZE2 - 1) { /* the second one belongs to the next block */
                drop(bits, found.whole_first);
                return true;
            }
            i += found.step;
            block[zigzag[i]] = found.second;
            drop(bits, found.whole);
            continue;
        }
        int32_t coefficient;
        int symbol = take_one(bits, table, &coefficient);
        if (symbol < 0)
            return false;
        if ((symbol & 15) == 0 && symbol >> 4 != ZRL_RUN)
            return true;
        i += symbol >> 4;
        block[zigzag[i]] = (JCOEF)coefficient;
    }
    return true;
}

static void begin_interval(tri__huffman *self, const struct jpeg_decompress_struct *library)
{
    const struct jpeg_source_mgr *source = library->src;
    self->bits = (tri__huffman_bits){.at = source->next_input_byte, .end = source->next_input_byte + source->bytes_in_buffer};
    self->mcus_to_restart = library->restart_interval;
    memset(self->last_dc, 0, sizeof self->last_dc);
}

static boolean decode_mcu(struct jpeg_decompress_struct *library, JBLOCKROW *blocks)
{
    tri__huffman *self = &((tri__jpeg *)library->client_data)->huffman;
    if (library->restart_interval > 0 && self->mcus_to_restart-- == 0) {
        library->marker->read_restart_marker(library);
        begin_interval(self, library);
        self->mcus_to_restart--;
    }
    tri__huffman_bits bits = self->bits;
    bool known = true;
    for (int i = 0; i < library->blocks_in_MCU && known; i++) {
        uint32_t *last_dc = &self->last_dc[library->MCU_membership[i]];
        int32_t difference;
        known = read_dc(&bits, self->dc[i], &difference) && read_ac(&bits, self->ac[i], *blocks[i]);
        *last_dc += (uint32_t)difference;
        (*blocks[i])[0] = (JCOEF)*last_dc;
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

/* The scan's table. The library should have checked that it exists. */
static const JHUFF_TBL *find_table(struct jpeg_decompress_struct *library, JHUFF_TBL *const tables[NUM_HUFF_TBLS], int number)
{
    if (number < 0 || number >= NUM_HUFF_TBLS || !tables[number])
        ERREXIT1(library, JERR_NO_HUFF_TABLE, number);
    return tables[number];
}

/* The program may run with another version of the library than it was built with: version 3.0 has the same soname, but other internals. A
 * function that is new in 3.0 shows which it is. */
bool tri__huffman_fits(void)
{
    return !dlsym(RTLD_DEFAULT, "jpeg12_read_scanlines");
}

void tri__huffman_take_over(tri__huffman *self, struct jpeg_decompress_struct *library)
{
    if (library->progressive_mode || library->arith_code || jpeg_has_multiple_scans(library))
        return;
    for (int i = 0; i < library->blocks_in_MCU; i++) {
        const jpeg_component_info *component = library->cur_comp_info[library->MCU_membership[i]];
        const JHUFF_TBL *dc = find_table(library, library->dc_huff_tbl_ptrs, component->dc_tbl_no);
        const JHUFF_TBL *ac = find_table(library, library->ac_huff_tbl_ptrs, component->ac_tbl_no);
        make_table(&self->tables[0][component->dc_tbl_no], dc, false);
        make_table(&self->tables[1][component->ac_tbl_no], ac, true);
        self->dc[i] = &self->tables[0][component->dc_tbl_no];
        self->ac[i] = &self->tables[1][component->ac_tbl_no];
    }
    begin_interval(self, library);
    library->entropy->decode_mcu = decode_mcu;
}

#else

bool tri__huffman_fits(void)
{
    return false;
}

void tri__huffman_take_over(tri__huffman *self, struct jpeg_decompress_struct *library)
{
    (void)self, (void)library;
}

#endif
