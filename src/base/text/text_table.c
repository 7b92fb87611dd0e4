/* text_table.c: tables as text with commas between. The text is copied once and cut in place. */
#include "base/text/text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *tri__text_table_next_field(tri__text_table_reader *from, bool *last)
{
    bool quoted = *from->at == '"';
    char *first = from->at + quoted, *to = first, *read = first;
    for (; *read; read++) {
        if (quoted && *read == '"' && *++read != '"')
            quoted = false;
        if (!*read || (!quoted && strchr(",\r\n", *read)))
            break;
        *to++ = *read;
    }
    *last = *read != ',';
    from->line += *read == '\n' || *read == '\r';
    if (*read == '\r' && read[1] == '\n')
        read++;
    from->at = *read ? read + 1 : read;
    *to = 0;
    return first;
}

static tri_status read_row(const char *name, tri__text_table_reader *from, int columns, const char **cells)
{
    int line = from->line, count = 0;
    for (bool last = false; !last; count++) {
        const char *field = tri__text_table_next_field(from, &last);
        if (count < columns)
            cells[count] = field;
    }
    if (count != columns)
        return tri_fail(TRI_BAD_DATA, "%s: line %d: %d fields where the first line names %d", name, line, count, columns);
    return NULL;
}

/* At most this many fields: a comma or the end of a line stands behind every field but the last. Those within quotes are counted, too. */
static size_t most_fields(const char *text)
{
    size_t most = 1;
    for (; *text; text++)
        most += *text == ',' || *text == '\r' || *text == '\n';
    return most;
}

tri_status tri__text_table_parse(const char *name, const char *text, tri__arena *arena, tri__text_table *out)
{
    *out = (tri__text_table){0};
    tri__text_table_reader from = {.at = tri__arena_copy(arena, text), .line = 1};
    const char **cells = tri__arena_alloc(arena, most_fields(text) * sizeof *cells);
    if (!from.at || !cells)
        return tri_fail(TRI_NO_MEMORY, "%s: no memory for the table", name);
    for (bool last = false; !last; out->columns++)
        cells[out->columns] = tri__text_table_next_field(&from, &last);
    out->names = cells;
    out->cells = cells + out->columns;
    for (; *from.at; out->rows++)
        TRI_TRY(read_row(name, &from, out->columns, cells + (out->rows + 1) * out->columns));
    return NULL;
}

int tri__text_table_find_column(const tri__text_table *table, const char *name)
{
    for (int i = 0; i < table->columns; i++)
        if (!strcmp(table->names[i], name))
            return i;
    return -1;
}

const char *tri__text_table_cell(const tri__text_table *table, int64_t row, int column)
{
    return table->cells[row * table->columns + column];
}

double tri__text_table_number(const char *cell)
{
    char *end = NULL;
    double number = strtod(cell, &end);
    return end == cell || *end ? NAN : number;
}

bool tri__text_table_same_cell(const char *a, const char *b)
{
    double x = tri__text_table_number(a), y = tri__text_table_number(b);
    return !strcmp(a, b) || (!isnan(x) && x == y);
}

void tri__text_table_write_cell(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}
