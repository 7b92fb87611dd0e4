/* lines.c: text files whose records are lines. */
#include "data/text/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/pool.h"

#define PIECE ((size_t)2 << 20) /* bytes: going through them takes far longer than it takes to start a thread */

static tri_status add_file(tri__lines *lines, const char *path, const tri__index_format *format, const char *cache_folder)
{
    tri__lines_file *file = &lines->files[lines->count++];
    file->path = strdup(path);
    if (!file->path)
        return tri_fail(TRI_NO_MEMORY, "out of memory for the name of %s", path);
    TRI_TRY(tri__content_open(path, cache_folder, &file->content));
    TRI_TRY(tri__index_open(path, &file->content, format, cache_folder, &file->index));
    file->first = lines->records;
    lines->records += file->index.records;
    lines->bytes += file->content.disk_bytes;
    return NULL;
}

tri_status tri__lines_open(const char *const *paths, size_t count, const tri__index_format *format, const char *cache_folder,
                           tri__lines *out)
{
    *out = (tri__lines){0};
    TRI_TRY(tri__allocate(count, sizeof *out->files, "a list of files", &out->files));
    tri_status status = NULL;
    for (size_t i = 0; i < count && !status; i++)
        status = add_file(out, paths[i], format, cache_folder);
    if (status)
        tri__lines_fini(out);
    return status;
}

void tri__lines_fini(tri__lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->files[i].path);
        tri__index_fini(&lines->files[i].index);
        tri__content_fini(&lines->files[i].content);
    }
    free(lines->files);
    *lines = (tri__lines){0};
}

/* The last file that begins at or before the record. */
static const tri__lines_file *file_of(const tri__lines *lines, int64_t record)
{
    size_t low = 0, high = lines->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (lines->files[middle].first <= record)
            low = middle;
        else
            high = middle;
    }
    return &lines->files[low];
}

tri__line tri__lines_find(const tri__lines *lines, int64_t record)
{
    const tri__lines_file *file = file_of(lines, record);
    const char *data = (const char *)file->content.data;
    int64_t number = record - file->first;
    return (tri__line){.file = file, .record = number, .at = data + file->index.offsets[number], .end = data + file->content.size};
}

const char *tri__lines_path(const tri__lines *lines, int64_t record)
{
    return file_of(lines, record)->path;
}

tri_status tri__line_damaged(const tri__line *line, const char *at, const char *what)
{
    return tri_fail(TRI_BAD_DATA, "%s: record %" PRId64 " at byte %" PRId64 ": %s (mend the line, or --skip-bad skips it)",
                    line->file->path, line->record, (int64_t)(at - (const char *)line->file->content.data), what);
}

/* A file that is gone through in pieces. */
typedef struct {
    const char *begin, *end;
    tri_status (*scan_lines)(const char *begin, const char *from, const char *to, tri__index *index);
    int64_t count;
    tri__index *pieces; /* [count] */
} pass;

/* The first line that begins in the piece, or behind it. */
static const char *first_line(const pass *self, int64_t piece)
{
    if (piece == 0)
        return self->begin;
    const char *at = self->begin + (size_t)piece * PIECE;
    return at < self->end ? tri__line_next(at - 1, self->end) : self->end;
}

static tri_status scan_piece(void *context, int64_t piece)
{
    const pass *self = context;
    return self->scan_lines(self->begin, first_line(self, piece), first_line(self, piece + 1), &self->pieces[piece]);
}

static tri_status scan_pieces(pass *self)
{
    int64_t cpus = sysconf(_SC_NPROCESSORS_ONLN);
    tri__pool *pool;
    TRI_TRY(tri__pool_create((int)(cpus < self->count ? cpus : self->count), &pool));
    tri_status status = tri__pool_for(pool, self->count, scan_piece, self);
    tri__pool_destroy(pool);
    return status;
}

/* All pieces one after another. */
static tri_status put_together(const pass *self, void (*join)(int64_t *facts, const int64_t *others), tri__index *index)
{
    for (int64_t i = 0; i < self->count; i++)
        index->capacity += self->pieces[i].records;
    TRI_TRY(tri__allocate((size_t)index->capacity + 1, sizeof *index->own, "an index", &index->own));
    index->offsets = index->own;
    memcpy(index->facts, self->pieces[0].facts, sizeof index->facts);
    for (int64_t i = 0; i < self->count; i++) {
        const tri__index *piece = &self->pieces[i];
        if (piece->records > 0)
            memcpy(index->own + index->records, piece->offsets, (size_t)piece->records * sizeof *index->own);
        index->records += piece->records;
        if (i > 0)
            join(index->facts, piece->facts);
    }
    return NULL;
}

tri_status tri__lines_scan(const tri__content *content,
                           tri_status (*scan_lines)(const char *begin, const char *from, const char *to, tri__index *index),
                           void (*join)(int64_t *facts, const int64_t *others), tri__index *index)
{
    const char *begin = (const char *)content->data;
    if (content->size <= PIECE)
        return scan_lines(begin, begin, begin + content->size, index);
    pass self = {.begin = begin, .end = begin + content->size, .scan_lines = scan_lines};
    self.count = (int64_t)((content->size + PIECE - 1) / PIECE);
    TRI_TRY(tri__allocate((size_t)self.count, sizeof *self.pieces, "pieces of an index", &self.pieces));
    tri_status status = scan_pieces(&self);
    if (!status)
        status = put_together(&self, join, index);
    for (int64_t i = 0; i < self.count; i++)
        tri__index_fini(&self.pieces[i]);
    free(self.pieces);
    return status;
}
