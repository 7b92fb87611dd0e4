/* text_table_fuzz.c: tables as text: they are read or refused, and every cell of one that was read is a text. */
#include <stdlib.h>
#include <string.h>

#include "base/text/text_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t length_of_cells(const tri__text_table *table)
{
    size_t length = 0;
    for (int column = 0; column < table->columns; column++) {
        length += strlen(table->names[column]);
        for (int64_t row = 0; row < table->rows; row++)
            length += strlen(tri__text_table_cell(table, row, column));
    }
    return length;
}

static void parse(const char *text, size_t size)
{
    tri__arena *arena;
    tri__text_table table;
    tri_status status = tri__arena_create(&arena);
    if (status) {
        tri_status_free(status);
        return;
    }
    status = tri__text_table_parse("fuzz", text, arena, &table);
    if (!status && length_of_cells(&table) > size)
        abort();
    tri_status_free(status);
    tri__arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    parse(text, size);
    free(text);
    return 0;
}
