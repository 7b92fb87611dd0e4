/* events.c: writes event files.
 *
 * A file is a sequence of TFRecord frames: the length of the data (8 bytes, little-endian), its masked CRC-32C, the data, its masked
 * CRC-32C. The data is an Event message of TensorFlow's event.proto; the first one says "brain.Event:2". */
#include "watch/report/events.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes/crc32c.h"
#include "base/bytes/wire.h"
#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "watch/report/event_fields.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are written as numbers lie in memory");

enum { PRODUCER = 22, BUFFER = 1 << 16, TRIES = 1000 };

struct tri__events {
    char *path;
    FILE *stream;
    bool broken;        /* a write has failed: nothing more is written */
    tri_status failure; /* why it failed; NULL once it was returned */
};

static void break_off(tri__events *events, tri_status why)
{
    tri_status_free(events->failure);
    events->failure = why;
    events->broken = true;
}

static void write_bytes(tri__events *events, const void *data, size_t size)
{
    if (!events->broken && fwrite(data, 1, size, events->stream) != size)
        break_off(events, tri_fail(TRI_IO, "%s: cannot write: %s (the run goes on without further curves)", events->path, strerror(errno)));
}

static void write_frame(tri__events *events, const tri__wire_buffer *event)
{
    uint64_t length = event->size;
    uint32_t length_crc = tri__crc32c_masked(&length, sizeof length), data_crc = tri__crc32c_masked(event->data, event->size);
    write_bytes(events, &length, sizeof length);
    write_bytes(events, &length_crc, sizeof length_crc);
    write_bytes(events, event->data, event->size);
    write_bytes(events, &data_crc, sizeof data_crc);
}

static void begin_event(tri__wire_buffer *event, int64_t step)
{
    tri__wire_put_double(event, EVENT_WALL_TIME, tri__clock_wall());
    if (step)
        tri__wire_put_varint(event, EVENT_STEP, (uint64_t)step);
}

static void end_event(tri__events *events, tri__wire_buffer *event)
{
    if (event->failed && !events->broken)
        break_off(events, tri_fail(TRI_NO_MEMORY, "%s: no memory for an event (the run goes on without further curves)", events->path));
    else
        write_frame(events, event);
    tri__wire_fini(event);
}

/* Append message to buffer as a field, and free message. */
static void put_and_end(tri__wire_buffer *buffer, uint32_t number, tri__wire_buffer *message)
{
    tri__wire_put_message(buffer, number, message);
    buffer->failed |= message->failed;
    tri__wire_fini(message);
}

static void write_value(tri__events *events, int64_t step, tri__wire_buffer *value)
{
    tri__wire_buffer summary = {0}, event = {0};
    begin_event(&event, step);
    put_and_end(&summary, EVENT_SUMMARY_VALUE, value);
    put_and_end(&event, EVENT_SUMMARY, &summary);
    end_event(events, &event);
}

/* TensorBoard groups names by what is before a slash, so "conv1.weight" becomes "conv1/weight". */
static void put_grouped_name(tri__wire_buffer *message, uint32_t field, const char *name)
{
    char *grouped = strdup(name);
    for (char *dot = grouped; dot && (dot = strchr(dot, '.'));)
        *dot = '/';
    tri__wire_put_string(message, field, grouped ? grouped : name);
    free(grouped);
}

/* Every version of TensorBoard reads simple_value; current ones convert it to a tensor of the "scalars" plugin when they load it. */
void tri__events_scalar(tri__events *events, const char *tag, int64_t step, float value)
{
    tri__wire_buffer message = {0};
    tri__wire_put_string(&message, EVENT_VALUE_TAG, tag);
    tri__wire_put_float(&message, EVENT_VALUE_SIMPLE_VALUE, value);
    write_value(events, step, &message);
}

static void put_raw_double(tri__wire_buffer *list, double value)
{
    tri__wire_put_raw(list, &value, sizeof value);
}

/* Write limits and counts of bins as packed lists, from the first bin that has a value to the last. A run of empty bins is written as one
 * bin, with the limit of the last. */
static void put_bins(tri__wire_buffer *message, const tri__histogram *histogram)
{
    tri__wire_buffer limits = {0}, counts = {0};
    int first = 0, last = TRI_HISTOGRAM_BINS - 1;
    for (; histogram->bin[first] == 0; first++)
        continue;
    for (; histogram->bin[last] == 0; last--)
        continue;
    for (int i = first; i <= last; i++) {
        if (histogram->bin[i] == 0 && histogram->bin[i + 1] == 0)
            continue;
        put_raw_double(&limits, tri__histogram_limit(i));
        put_raw_double(&counts, (double)histogram->bin[i]);
    }
    put_and_end(message, EVENT_HISTOGRAM_LIMITS, &limits);
    put_and_end(message, EVENT_HISTOGRAM_BINS, &counts);
}

/* Writes a HistogramProto, which every version of TensorBoard reads. */
void tri__events_histogram(tri__events *events, const char *tag, int64_t step, const tri__histogram *histogram)
{
    if (histogram->count == 0)
        return;
    tri__wire_buffer value = {0}, message = {0};
    tri__wire_put_double(&message, EVENT_HISTOGRAM_LEAST, histogram->least);
    tri__wire_put_double(&message, EVENT_HISTOGRAM_MOST, histogram->most);
    tri__wire_put_double(&message, EVENT_HISTOGRAM_COUNT, (double)histogram->count);
    tri__wire_put_double(&message, EVENT_HISTOGRAM_SUM, histogram->sum);
    tri__wire_put_double(&message, EVENT_HISTOGRAM_SQUARES, histogram->squares);
    put_bins(&message, histogram);
    put_grouped_name(&value, EVENT_VALUE_TAG, tag);
    put_and_end(&value, EVENT_VALUE_HISTOGRAM, &message);
    write_value(events, step, &value);
}

static void put_shape(tri__wire_buffer *to, uint32_t number, tri_shape shape)
{
    tri__wire_buffer message = {0};
    for (int i = 0; i < shape.rank; i++) {
        tri__wire_buffer dimension = {0};
        tri__wire_put_varint(&dimension, EVENT_DIM_SIZE, (uint64_t)shape.dim[i]);
        put_and_end(&message, EVENT_SHAPE_DIM, &dimension);
    }
    put_and_end(to, number, &message);
}

static void put_plugin(tri__wire_buffer *value, const char *name)
{
    tri__wire_buffer metadata = {0}, plugin = {0};
    tri__wire_put_string(&plugin, EVENT_PLUGIN_NAME, name);
    put_and_end(&metadata, EVENT_METADATA_PLUGIN_DATA, &plugin);
    tri__wire_put_varint(&metadata, EVENT_METADATA_DATA_CLASS, EVENT_DATA_CLASS_TENSOR);
    put_and_end(value, EVENT_VALUE_METADATA, &metadata);
}

void tri__events_text(tri__events *events, const char *tag, int64_t step, const char *markdown)
{
    tri__wire_buffer value = {0}, tensor = {0};
    tri__wire_put_varint(&tensor, EVENT_TENSOR_DTYPE, EVENT_DT_STRING);
    put_shape(&tensor, EVENT_TENSOR_SHAPE, TRI_SHAPE(1));
    tri__wire_put_string(&tensor, EVENT_TENSOR_STRING_VAL, markdown);
    tri__wire_put_string(&value, EVENT_VALUE_TAG, tag);
    put_and_end(&value, EVENT_VALUE_TENSOR, &tensor);
    put_plugin(&value, "text");
    write_value(events, step, &value);
}

static void put_attribute(tri__wire_buffer *node, const char *key, tri__wire_buffer *value)
{
    tri__wire_buffer entry = {0};
    tri__wire_put_string(&entry, EVENT_ENTRY_KEY, key);
    put_and_end(&entry, EVENT_ENTRY_VALUE, value);
    put_and_end(node, EVENT_NODE_ATTR, &entry);
}

static void put_node(tri__wire_buffer *graph, const tri_node *node)
{
    static const int types[] = {
        [TRI_F32] = EVENT_DT_FLOAT, [TRI_I32] = EVENT_DT_INT32, [TRI_I64] = EVENT_DT_INT64, [TRI_U8] = EVENT_DT_UINT8};
    tri__wire_buffer message = {0}, shapes = {0}, list = {0}, type = {0};
    put_grouped_name(&message, EVENT_NODE_NAME, tri_node_name(node));
    tri__wire_put_string(&message, EVENT_NODE_OP, tri_node_operator(node));
    for (int i = 0; i < tri_node_inputs(node); i++)
        put_grouped_name(&message, EVENT_NODE_INPUT, tri_node_name(tri_node_input(node, i)));
    if (*tri_node_place_of(node))
        tri__wire_put_string(&message, EVENT_NODE_DEVICE, tri_node_place_of(node));
    put_shape(&list, EVENT_LIST_SHAPE, tri_node_shape(node));
    put_and_end(&shapes, EVENT_ATTR_LIST, &list);
    put_attribute(&message, "_output_shapes", &shapes);
    tri__wire_put_varint(&type, EVENT_ATTR_TYPE, (uint64_t)types[tri_node_type(node)]);
    put_attribute(&message, "dtype", &type);
    put_and_end(graph, EVENT_GRAPH_NODE, &message);
}

void tri__events_graph(tri__events *events, const tri_graph *graph)
{
    tri__wire_buffer message = {0}, versions = {0}, event = {0};
    for (int i = 0; i < tri_graph_count(graph); i++)
        put_node(&message, tri_graph_node(graph, i));
    tri__wire_put_varint(&versions, EVENT_VERSIONS_PRODUCER, PRODUCER);
    put_and_end(&message, EVENT_GRAPH_VERSIONS, &versions);
    begin_event(&event, 0);
    put_and_end(&event, EVENT_GRAPH_DEF, &message);
    end_event(events, &event);
}

void tri__events_restart(tri__events *events, int64_t step)
{
    tri__wire_buffer event = {0}, session = {0};
    begin_event(&event, step);
    tri__wire_put_varint(&session, EVENT_SESSION_STATUS, EVENT_SESSION_START);
    put_and_end(&event, EVENT_SESSION_LOG, &session);
    end_event(events, &event);
}

static void write_version(tri__events *events)
{
    tri__wire_buffer event = {0};
    begin_event(&event, 0);
    tri__wire_put_string(&event, EVENT_FILE_VERSION, "brain.Event:2");
    end_event(events, &event);
}

/* Open a new file. Its name has time, host and process, and a number, as a process may open several within a second. */
static tri_status open_new(const char *folder, tri__events *events)
{
    char host[256] = "localhost", name[512];
    gethostname(host, sizeof host - 1);
    for (int number = 0; number < TRIES; number++) {
        snprintf(name, sizeof name, "events.out.tfevents.%.0f.%s.%ld.%d", tri__clock_wall(), host, (long)getpid(), number);
        free(events->path);
        events->path = tri__path_join(folder, name);
        if (!events->path)
            return tri_fail(TRI_NO_MEMORY, "%s: no memory for the name of an event file", folder);
        int descriptor = open(events->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno == EEXIST)
            continue;
        if (descriptor < 0)
            return tri_fail(TRI_IO, "%s: cannot create: %s", events->path, strerror(errno));
        events->stream = fdopen(descriptor, "w");
        if (events->stream)
            return NULL;
        close(descriptor);
        return tri_fail(TRI_NO_MEMORY, "%s: no memory for the file", events->path);
    }
    return tri_fail(TRI_IO, "%s: there are %d event files of this process and second", folder, TRIES);
}

tri_status tri__events_create(const char *folder, tri__events **out)
{
    tri__events *events;
    TRI_TRY(tri__folder_create(folder));
    TRI_TRY(tri__allocate(1, sizeof *events, "event files", &events));
    tri_status status = open_new(folder, events);
    if (status) {
        free(events->path);
        free(events);
        return status;
    }
    setvbuf(events->stream, NULL, _IOFBF, BUFFER);
    write_version(events);
    *out = events;
    return NULL;
}

tri_status tri__events_flush(tri__events *events)
{
    if (!events->broken && fflush(events->stream) != 0)
        break_off(events, tri_fail(TRI_IO, "%s: cannot write: %s (the run goes on without further curves)", events->path, strerror(errno)));
    tri_status failure = events->failure;
    events->failure = NULL;
    return failure;
}

tri_status tri__events_close(tri__events *events)
{
    if (!events)
        return NULL;
    tri_status status = tri__events_flush(events);
    bool was_whole = !events->broken;
    if (fclose(events->stream) != 0 && was_whole)
        status = tri_fail(TRI_IO, "%s: cannot write its end: %s%s", events->path, strerror(errno), tri__path_advice(errno));
    free(events->path);
    free(events);
    return status;
}
