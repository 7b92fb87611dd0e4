/* stream.c: a source over the bytes of an input.
 *
 * await finds where the next record ends, by its newline or by the length that it begins with. read parses the record and releases its
 * bytes. A line that is too long is a damaged record, which is skipped up to its newline. After a damaged length no record can be found. */
#include "data/stream/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/little_endian.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "data/format/record_clicks.h"
#include "data/stream/input.h"
#include "data/text/criteo.h"
#include "data/text/libsvm.h"
#include "data/text/lines.h"

#define A_WHILE TRI_SECOND

enum { BYTES_OF_FEATURE = 4 }; /* a feature in text has at least this many: "1:1 " */

typedef struct stream stream;

typedef struct {
    const char *name, *features_by; /* format and features_by of tri_source_info */
    tri_status (*await)(stream *self, int64_t nanoseconds, tri__awaited *out);
    tri_status (*read)(stream *self, int64_t number, const tri__example_target *to);
    bool (*is_empty)(const char *line, const char *end); /* text: the line holds no example */
} stream_format;

struct stream {
    tri_source source;
    tri__input input;
    const stream_format *format;
    size_t size;                /* bytes of the record that was awaited */
    size_t looked;              /* this many of the first unused bytes were searched and have no newline */
    int64_t lines;              /* lines whose end was found */
    int64_t records;            /* records awaited so far */
    bool skips;                 /* the rest of a line that is too long is being skipped */
    bool lost;                  /* no further record can be found */
    tri_status fault;           /* what is wrong with the awaited record, if it is damaged; owned */
    tri__record_reader *reader; /* of TFRecords; NULL: text */
    int64_t room;               /* of the reader's keys */
    int64_t least_width;        /* features of an example that any line may have */
};

static const char *text_of(const stream *self)
{
    return (const char *)self->input.data + self->input.first;
}

static size_t unused(const stream *self)
{
    return self->input.end - self->input.first;
}

/* The next example has at most this many features. info.width follows, so that one long example does not make all later ones take as much
 * memory. */
static void set_width(stream *self, size_t features)
{
    self->source.info.width = (int64_t)features > self->least_width ? (int64_t)features : self->least_width;
}

/* ---- lines ---- */

/* The end of the first line, after its newline; NULL if it has not come yet. */
static const char *end_of_line(stream *self)
{
    const size_t size = unused(self);
    const char *text = text_of(self), *newline = size > self->looked ? memchr(text + self->looked, '\n', size - self->looked) : NULL;
    self->looked = size;
    if (newline)
        return newline + 1;
    return self->input.ended && !self->input.stopped && size > 0 ? text + size : NULL;
}

static void leave_line(stream *self, size_t bytes)
{
    tri__input_use(&self->input, bytes);
    self->looked = 0;
    self->lines++;
}

static tri_status too_long(const stream *self)
{
    return tri__line_damaged_at(
        (tri__line_position){
            .file = self->input.name, .line = self->lines + 1, .column = 1, .record = self->records, .byte = self->input.offset},
        "the line is longer than 64 MB");
}

/* Take the first line, if it is complete; *out says whether it is an example. False if more bytes are needed. */
static bool take_line(stream *self, tri__awaited *out)
{
    const char *text = text_of(self), *end = end_of_line(self);
    *out = TRI_AWAITED_NOTHING;
    if (!end && unused(self) >= TRI_INPUT_MOST) {
        if (!self->skips)
            self->fault = too_long(self);
        *out = self->skips ? TRI_AWAITED_NOTHING : TRI_AWAITED_EXAMPLE;
        self->skips = true;
        self->size = 0;
        tri__input_use(&self->input, unused(self));
        self->looked = 0;
        return true;
    }
    if (!end)
        return false;
    self->size = (size_t)(end - text);
    if (self->skips || self->format->is_empty(text, end))
        leave_line(self, self->size);
    else
        *out = TRI_AWAITED_EXAMPLE;
    self->skips = false;
    return true;
}

static tri_status await_line(stream *self, int64_t nanoseconds, tri__awaited *out)
{
    for (;;) {
        while (take_line(self, out))
            if (*out == TRI_AWAITED_EXAMPLE) {
                set_width(self, self->size / BYTES_OF_FEATURE + 1);
                return NULL;
            }
        bool came;
        *out = self->input.ended ? TRI_AWAITED_END : TRI_AWAITED_NOTHING;
        if (self->input.ended)
            return NULL;
        TRI_TRY(tri__input_more(&self->input, nanoseconds, &came));
        if (!came && !self->input.ended)
            return NULL;
    }
}

static tri_status damaged_line(const stream *self, int64_t number, const char *at, const char *what)
{
    const int64_t column = at - text_of(self);
    return tri__line_damaged_at(
        (tri__line_position){
            .file = self->input.name, .line = self->lines + 1, .column = column + 1, .record = number, .byte = self->input.offset + column},
        what);
}

static bool is_blank_criteo(const char *line, const char *end)
{
    return end - line <= 1 ? *line == '\n' : end - line == 2 && line[0] == '\r' && line[1] == '\n';
}

static tri_status read_criteo(stream *self, int64_t number, const tri__example_target *to)
{
    const char *at = text_of(self), *wrong = tri__criteo_example(&self->source, &at, at + self->size, to);
    tri_status status = wrong ? damaged_line(self, number, at, wrong) : NULL;
    leave_line(self, self->size);
    return status;
}

static bool is_blank_libsvm(const char *line, const char *end)
{
    return !tri__libsvm_begin(line, end);
}

static tri_status read_libsvm(stream *self, int64_t number, const tri__example_target *to)
{
    const char *end = text_of(self) + self->size, *at = tri__libsvm_begin(text_of(self), end);
    char fault[TRI_LIBSVM_FAULT];
    tri_status status = tri__libsvm_example(&self->source, &at, end, to, fault) ? NULL : damaged_line(self, number, at, fault);
    leave_line(self, self->size);
    return status;
}

/* ---- records ---- */

/* The size of the first record, according to its head; 0 if the head has not come yet. */
static uint64_t record_size(const stream *self)
{
    if (unused(self) < TRI_TFRECORD_HEAD)
        return 0;
    return tri__little_endian_load((const uint8_t *)text_of(self), 8) + TRI_TFRECORD_HEAD + TRI_TFRECORD_TAIL;
}

/* The length of a record is damaged or too large, so the next record cannot be found. */
static tri_status bad_head(const stream *self)
{
    const uint64_t size = record_size(self);
    const char *what = size == 0 ? "the input ends within its length (cut short?"
                       : !tri__tfrecord_is((const uint8_t *)text_of(self), unused(self))
                           ? "the checksum of its length does not match (damaged?"
                       : size > TRI_INPUT_MOST ? "it is longer than 64 MB (damaged?"
                                               : "the input ends within it (cut short?";
    return tri_fail(TRI_BAD_DATA,
                    "%s: record %" PRId64 " at byte %" PRId64 ": %s nothing behind this place can be read; --skip-bad goes without it)",
                    self->input.name, self->records, self->input.offset, what);
}

static tri_status await_record(stream *self, int64_t nanoseconds, tri__awaited *out)
{
    for (;;) {
        const uint64_t size = record_size(self);
        const bool sound = size == 0 || (tri__tfrecord_is((const uint8_t *)text_of(self), unused(self)) && size <= TRI_INPUT_MOST);
        if (size > 0 && sound && unused(self) >= size) {
            *out = TRI_AWAITED_EXAMPLE;
            self->size = (size_t)size;
            set_width(self, (size_t)size);
            return tri__reserve(&self->reader->keys, &self->room, self->source.info.width, sizeof *self->reader->keys,
                                "the keys of a record");
        }
        const bool over = self->lost || self->input.stopped || (self->input.ended && unused(self) == 0);
        if (!over && (!sound || self->input.ended)) {
            *out = TRI_AWAITED_EXAMPLE;
            self->fault = bad_head(self);
            self->lost = true;
            self->size = unused(self);
            return NULL;
        }
        bool came;
        *out = over ? TRI_AWAITED_END : TRI_AWAITED_NOTHING;
        if (over)
            return NULL;
        TRI_TRY(tri__input_more(&self->input, nanoseconds, &came));
        if (!came && !self->input.ended)
            return NULL;
    }
}

static tri_status decode_record(stream *self, int64_t number, const tri__example_target *to)
{
    tri__record_reader *reader = self->reader;
    reader->file = (tri__tfrecord_file){self->input.name, (const uint8_t *)text_of(self), self->size};
    TRI_TRY(tri__tfrecord_at(&reader->file, 0, number, &reader->record));
    reader->record.offset = (size_t)self->input.offset;
    TRI_TRY(tri__tfrecord_check(&reader->file, &reader->record));
    if (!tri__tf_example_find(&reader->query, reader->record.data, reader->record.size, reader->found))
        return tri__record_damaged(reader, "is no tf.Example");
    return tri__record_clicks_decode(reader, to);
}

static tri_status read_record(stream *self, int64_t number, const tri__example_target *to)
{
    tri_status status = decode_record(self, number, to);
    tri__input_use(&self->input, self->size);
    return status;
}

/* ---- the source ---- */

static tri_status stream_await(tri_source *source, int64_t nanoseconds, tri__awaited *out)
{
    stream *self = (stream *)source;
    TRI_TRY(self->format->await(self, nanoseconds, out));
    self->records += *out == TRI_AWAITED_EXAMPLE;
    return NULL;
}

static tri_status stream_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    (void)record; /* messages count records from the beginning of the stream */
    stream *self = (stream *)reader->source;
    tri_status fault = self->fault;
    self->fault = NULL;
    if (!fault)
        return self->format->read(self, self->records - 1, to);
    if (self->lost)
        tri__input_use(&self->input, self->size);
    return fault;
}

static const char *stream_name(const tri_source *source, int64_t record)
{
    (void)record;
    return ((const stream *)source)->input.name;
}

static void stream_destroy(tri_source *source)
{
    stream *self = (stream *)source;
    tri_status_free(self->fault);
    tri__input_fini(&self->input);
    if (self->reader)
        tri__record_reader_destroy(&self->reader->reader);
    free(self);
}

static const tri__source_kind stream_kind = {
    .read = stream_read,
    .await = stream_await,
    .file_of = stream_name,
    .destroy = stream_destroy,
};

static const stream_format criteo = {"criteo", TRI_FEATURES_BY_COLUMN, await_line, read_criteo, is_blank_criteo};
static const stream_format libsvm = {"libsvm", TRI_FEATURES_BY_INDEX, await_line, read_libsvm, is_blank_libsvm};
static const stream_format records = {"tfrecord-clicks", NULL, await_record, read_record, NULL};

/* ---- opening ---- */

/* Say why the stream cannot be opened. line: the first one that is not a comment; NULL if there is none. */
static tri_status unknown(const stream *self, const char *line)
{
    if (self->input.stopped)
        return tri_fail(TRI_STOPPED, "%s: stopped before the first example came", self->input.name);
    if (!line && unused(self) < TRI_INPUT_MOST)
        return tri_fail(TRI_BAD_DATA, "%s: there are no examples in it", self->input.name);
    if (tri__gzip_is((const uint8_t *)text_of(self), unused(self)))
        return tri_fail(TRI_BAD_DATA, "%s: is compressed: let zcat inflate it first, as in zcat FILE | trireme …", self->input.name);
    return tri_fail(TRI_BAD_DATA, "%s: the first line is neither Criteo's nor LIBSVM's text, and no TFRecord file begins so",
                    self->input.name);
}

/* The first line that is not a comment; NULL if it has not come yet. For both kinds of text, a line is empty if LIBSVM text says so. */
static const char *first_line(stream *self, const char **end)
{
    const char *text = text_of(self), *all = text + unused(self);
    for (*end = text; text < all; text = *end) {
        const char *newline = memchr(text, '\n', (size_t)(all - text));
        if (!newline && !self->input.ended)
            return NULL;
        *end = newline ? newline + 1 : all;
        if (tri__libsvm_begin(text, *end))
            return text;
    }
    return NULL;
}

static void skip_mark(stream *self)
{
    const char *text = text_of(self);
    if (self->input.offset == 0)
        tri__input_use(&self->input, (size_t)(tri__text_begin(text, text + unused(self)) - text));
}

static const stream_format *format_of(stream *self, const char **line, const char **end)
{
    if (tri__tfrecord_is((const uint8_t *)text_of(self), unused(self)))
        return &records;
    if (unused(self) < TRI_TFRECORD_HEAD && !self->input.ended)
        return NULL;
    skip_mark(self);
    *line = first_line(self, end);
    if (!*line)
        return NULL;
    if (tri__criteo_is((const uint8_t *)*line, (size_t)(*end - *line)))
        return &criteo;
    const char *begin = tri__libsvm_begin(*line, *end);
    return tri__libsvm_is((const uint8_t *)begin, (size_t)(*end - begin)) ? &libsvm : NULL;
}

static tri_status recognise(stream *self, const char **line, const char **end)
{
    while (!(self->format = format_of(self, line, end))) {
        bool came;
        if (*line || self->input.ended || unused(self) >= TRI_INPUT_MOST)
            return unknown(self, *line);
        TRI_TRY(tri__input_more(&self->input, A_WHILE, &came));
    }
    return NULL;
}

static bool has_index_0(const char *line, const char *end)
{
    tri__libsvm_line_facts seen;
    line = tri__libsvm_begin(line, end);
    return !tri__libsvm_parse(&line, end, 0, 0, NULL, NULL, &seen) && seen.features > 0 && seen.lowest == 0;
}

static tri_status check_features(const stream *self, const tri_source_options *options)
{
    if (self->format == &criteo || options->features)
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "%s: nobody knows how many features a stream of %s will have: give --features N, at least the largest index + 1",
                    self->input.name, self->format == &libsvm ? "LIBSVM text" : "records");
}

/* How the examples number labels and, in LIBSVM text, indices. */
static tri_numbering numbering_of(const stream *self, const tri_source_options *options, const char *line, const char *end)
{
    tri_numbering numbering = options->numbering;
    if (!numbering.label_step)
        numbering = (tri_numbering){.first_index = -1, .label_step = 1, .classes = options->classes ? options->classes : 2};
    if (self->format == &libsvm && numbering.first_index < 0)
        numbering.first_index = has_index_0(line, end) ? 0 : 1;
    return numbering;
}

static tri_status describe(stream *self, const tri_source_options *options, const char *line, const char *end)
{
    const bool numbered = self->format != &criteo;
    const tri_numbering numbering = numbering_of(self, options, line, end);
    TRI_TRY(check_features(self, options));
    tri__source_set_sparse(&self->source, self->format->name, TRI_CRITEO_FEATURES, numbered ? 1 : TRI_CRITEO_FIELDS,
                           numbered           ? numbering.classes
                           : options->classes ? options->classes
                                              : 2,
                           options);
    self->least_width = self->source.info.width;
    self->source.info.features_by = self->format->features_by;
    self->source.info.stream = true;
    self->source.info.files = 1;
    if (numbered)
        self->source.info.numbering = numbering;
    return NULL;
}

static tri_status open_stream(stream *self, const tri_source_options *options)
{
    const char *line = NULL, *end = NULL;
    TRI_TRY(recognise(self, &line, &end));
    TRI_TRY(describe(self, options, line, end));
    if (self->format != &records)
        return NULL;
    tri__reader *reader;
    TRI_TRY(tri__record_reader_create(&self->source, &reader));
    self->reader = (tri__record_reader *)reader;
    self->room = self->source.info.width;
    return NULL;
}

bool tri__source_is_stream(const char *spec)
{
    return spec && !strcmp(spec, "-");
}

tri_status tri__stream_open(int fd, const char *name, const tri_source_options *options, tri_source **out)
{
    stream *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a data source", &self));
    self->source.kind = &stream_kind;
    tri_status status = tri__input_init(&self->input, fd, name, options->stop);
    if (!status)
        status = open_stream(self, options);
    if (status)
        stream_destroy(&self->source);
    else
        *out = &self->source;
    return status;
}
