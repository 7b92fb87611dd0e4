/* lines.c: text files whose records are lines. */
#include "data/text/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory/memory.h"
#include "base/thread/pool.h"

#define PIECE ((size_t)2 << 20) /* bytes: scanning them takes far longer than starting a thread */

tri__line tri__line_find(const tri__record_files *files, int64_t record)
{
    const tri__record_file *file = tri__record_files_find(files, record);
    const char *data = (const char *)file->content.data;
    int64_t number = record - file->first;
    return (tri__line){.file = file, .record = number, .at = data + file->index.offsets[number], .end = data + file->content.size};
}

tri_status tri__line_damaged_at(tri__line_position at, const char *what)
{
    return tri_fail(TRI_BAD_DATA,
                    "%s: line %" PRId64 ", column %" PRId64 " (record %" PRId64 " at byte %" PRId64
                    "): %s (mend the line, or --skip-bad skips it)",
                    at.file, at.line, at.column, at.record, at.byte, what);
}

/* The line number, from 1. If every line is a record, lines need not be counted. */
static int64_t line_number(const tri__line *line)
{
    if (line->file->index.facts[TRI_LINES_EMPTY] == 0)
        return line->record + 1;
    int64_t number = 1;
    for (const char *at = (const char *)line->file->content.data; at < line->at; at = tri__line_next(at, line->at))
        number += memchr(at, '\n', (size_t)(line->at - at)) != NULL;
    return number;
}

tri_status tri__line_damaged(const tri__line *line, const char *at, const char *what)
{
    const char *data = (const char *)line->file->content.data, *text = tri__text_begin(data, line->end), *begin = line->at;
    while (begin > text && begin[-1] != '\n')
        begin--;
    return tri__line_damaged_at(
        (tri__line_position){
            .file = line->file->path, .line = line_number(line), .column = at - begin + 1, .record = line->record, .byte = at - data},
        what);
}

/* A file that is scanned in pieces. */
typedef struct {
    const char *begin, *end;
    tri_status (*scan_lines)(const char *begin, const char *from, const char *to, tri__index *index);
    int64_t count;
    tri__index *pieces; /* [count] */
} line_scan;

/* The first line that begins in the piece, or after it. */
static const char *first_line(const line_scan *self, int64_t piece)
{
    if (piece == 0)
        return self->begin;
    const char *at = self->begin + (size_t)piece * PIECE;
    return at < self->end ? tri__line_next(at - 1, self->end) : self->end;
}

static tri_status scan_piece(void *context, int64_t piece)
{
    const line_scan *self = context;
    return self->scan_lines(self->begin, first_line(self, piece), first_line(self, piece + 1), &self->pieces[piece]);
}

static tri_status scan_pieces(line_scan *self)
{
    int64_t cpus = sysconf(_SC_NPROCESSORS_ONLN);
    tri__pool *pool;
    TRI_TRY(tri__pool_create((int)(cpus < self->count ? cpus : self->count), &pool));
    tri_status status = tri__pool_for(pool, self->count, scan_piece, self);
    tri__pool_destroy(pool);
    return status;
}

/* Join the indices of all pieces, one after another. */
static tri_status put_together(const line_scan *self, void (*merge)(int64_t *facts, const int64_t *others), tri__index *index)
{
    for (int64_t i = 0; i < self->count; i++)
        index->room += self->pieces[i].records;
    TRI_TRY(tri__allocate((size_t)index->room + 1, sizeof *index->own, "an index", &index->own));
    index->offsets = index->own;
    memcpy(index->facts, self->pieces[0].facts, sizeof index->facts);
    for (int64_t i = 0; i < self->count; i++) {
        const tri__index *piece = &self->pieces[i];
        if (piece->records > 0)
            memcpy(index->own + index->records, piece->offsets, (size_t)piece->records * sizeof *index->own);
        index->records += piece->records;
        if (i > 0)
            merge(index->facts, piece->facts);
    }
    return NULL;
}

tri_status tri__lines_scan(const tri__content *content,
                           tri_status (*scan_lines)(const char *begin, const char *from, const char *to, tri__index *index),
                           void (*merge)(int64_t *facts, const int64_t *others), tri__index *index)
{
    const char *begin = (const char *)content->data;
    if (content->size <= PIECE)
        return scan_lines(begin, begin, begin + content->size, index);
    line_scan self = {.begin = begin, .end = begin + content->size, .scan_lines = scan_lines};
    self.count = (int64_t)((content->size + PIECE - 1) / PIECE);
    TRI_TRY(tri__allocate((size_t)self.count, sizeof *self.pieces, "pieces of an index", &self.pieces));
    tri_status status = scan_pieces(&self);
    if (!status)
        status = put_together(&self, merge, index);
    for (int64_t i = 0; i < self.count; i++)
        tri__index_fini(&self.pieces[i]);
    free(self.pieces);
    return status;
}
