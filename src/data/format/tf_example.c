/* tf_example.c: reads and makes tf.Examples.
 *
 * A click record has a few hundred small numbers, so the time for each number counts: the code that runs for each is inlined here. */
#include "data/format/tf_example.h"

#include <endian.h>
#include <string.h>

enum { VALUE = 1, KEY = 1, FEATURE = 2, ENTRY = 1, FEATURES = 1 }; /* field numbers of the messages in tf_example.h */

void tri__tf_example_query_init(tri__tf_example_query *query, const char *const *names)
{
    *query = (tri__tf_example_query){0};
    for (int i = 0; names[i] && i < TRI_TF_EXAMPLE_WANTED; i++) {
        query->names[i] = names[i];
        query->lengths[i] = strlen(names[i]);
        query->last[i] = i;
        query->count++;
    }
}

static bool is_named(const tri__tf_example_query *query, int which, const tri__wire_reader *name)
{
    size_t length = (size_t)(name->end - name->at);
    return which < query->count && query->lengths[which] == length && memcmp(query->names[which], name->at, length) == 0;
}

/* The index of the wanted feature that has this name, or −1. position: how many features of the record came before it. */
static int find_name(tri__tf_example_query *query, const tri__wire_reader *name, int position)
{
    int *last = position < TRI_TF_EXAMPLE_WANTED ? &query->last[position] : NULL;
    if (last && is_named(query, *last, name))
        return *last;
    for (int i = 0; i < query->count; i++)
        if (is_named(query, i, name)) {
            if (last)
                *last = i;
            return i;
        }
    return -1;
}

static bool is_message(const tri__wire_field *field, uint32_t number)
{
    return field->number == number && field->type == TRI_WIRE_BYTES;
}

/* Read a Feature. As protobuf demands, lists of one kind are joined, and a list of another kind replaces those before it. */
static bool read_feature(tri__wire_reader reader, tri__feature *out)
{
    bool damaged = false;
    tri__wire_field field;
    const uint8_t *at = reader.at, *first = at; /* where this list begins, and the first list that counts */
    *out = (tri__feature){0};
    for (; tri__wire_next(&reader, &field, &damaged); at = reader.at) {
        if (field.type != TRI_WIRE_BYTES || field.number < TRI_FEATURE_BYTES || field.number > TRI_FEATURE_INTEGERS)
            continue;
        if (out->kind == (tri__feature_kind)field.number) {
            *out = (tri__feature){.kind = out->kind, .list = {.at = first, .end = reader.at}, .several = true};
        } else {
            first = at;
            *out = (tri__feature){.kind = (tri__feature_kind)field.number, .list = tri__wire_inside(&field)};
        }
    }
    return !damaged;
}

static bool read_entry(tri__tf_example_query *query, tri__wire_reader reader, int position, tri__feature *found)
{
    bool damaged = false;
    tri__wire_field field;
    tri__wire_reader name = {0}, feature = {0};
    while (tri__wire_next(&reader, &field, &damaged))
        if (is_message(&field, KEY))
            name = tri__wire_inside(&field);
        else if (is_message(&field, FEATURE))
            feature = tri__wire_inside(&field);
    int which = damaged || !name.at ? -1 : find_name(query, &name, position);
    return !damaged && (which < 0 || read_feature(feature, &found[which]));
}

/* Go into the message or the bytes that stand at *at, if they have this tag, of one byte, and a length of one or two bytes. *inside
 * receives their end. */
static inline bool enter(const uint8_t **at, const uint8_t *end, uint32_t number, const uint8_t **inside)
{
    const uint8_t *here = *at;
    if (end - here < 3 || here[0] != (number << 3 | TRI_WIRE_BYTES) || (here[1] & here[2] & 0x80))
        return false;
    const bool two = here[1] & 0x80;
    const size_t size = two ? (size_t)(here[1] & 0x7f) | (size_t)here[2] << 7 : here[1];
    *at = here + (two ? 3 : 2);
    *inside = *at + size;
    return size <= (size_t)(end - *at);
}

/* Entries as programs write them: a name, then a feature that is one list. Such an entry needs a quarter of the instructions that
 * read_entry takes. False if it is anything else; then read_entry decides. */
static bool read_plain_entry(tri__tf_example_query *query, tri__wire_reader reader, int position, tri__feature *found)
{
    const uint8_t *at = reader.at, *name_end, *feature_end, *list_end;
    if (!enter(&at, reader.end, KEY, &name_end))
        return false;
    const tri__wire_reader name = {at, name_end};
    at = name_end;
    if (!enter(&at, reader.end, FEATURE, &feature_end) || feature_end != reader.end || at == feature_end)
        return false;
    const uint32_t kind = *at >> 3;
    if (kind < TRI_FEATURE_BYTES || kind > TRI_FEATURE_INTEGERS || !enter(&at, feature_end, kind, &list_end) || list_end != feature_end)
        return false;
    const int which = find_name(query, &name, position);
    if (which >= 0)
        found[which] = (tri__feature){.kind = (tri__feature_kind)kind, .list = {at, list_end}};
    return true;
}

static bool read_features(tri__tf_example_query *query, tri__wire_reader reader, tri__feature *found)
{
    bool damaged = false;
    tri__wire_field field;
    for (int position = 0; tri__wire_next(&reader, &field, &damaged); position++)
        if (is_message(&field, ENTRY) && !read_plain_entry(query, tri__wire_inside(&field), position, found) &&
            !read_entry(query, tri__wire_inside(&field), position, found))
            return false;
    return !damaged;
}

bool tri__tf_example_find(tri__tf_example_query *query, const uint8_t *data, size_t size, tri__feature *found)
{
    memset(found, 0, (size_t)query->count * sizeof *found);
    tri__wire_reader reader = {.at = data, .end = data + size};
    bool damaged = false;
    tri__wire_field field;
    while (tri__wire_next(&reader, &field, &damaged))
        if (is_message(&field, FEATURES) && !read_features(query, tri__wire_inside(&field), found))
            return false;
    return !damaged;
}

/* Add the values of a list's field, one or a packed run, to out, which has room for `room` values. count: how many came before. Returns
 * the new count, or −1 if the field is damaged. */
typedef int64_t (*adder)(const tri__wire_field *field, void *out, int64_t room, int64_t count);

static inline int64_t add_integers(const tri__wire_field *field, void *out, int64_t room, int64_t count)
{
    int64_t *integers = out;
    if (field->type == TRI_WIRE_VARINT) {
        if (count < room)
            integers[count] = (int64_t)field->value;
        return count + 1;
    }
    if (field->type != TRI_WIRE_BYTES)
        return count;
    const int64_t stored = count < room ? count : room, more = tri__wire_varints(tri__wire_inside(field), integers + stored, room - stored);
    return more < 0 ? -1 : count + more;
}

static inline int64_t add_floats(const tri__wire_field *field, void *out, int64_t room, int64_t count)
{
    float *floats = out;
    if (field->type == TRI_WIRE_FIXED32) {
        if (count < room)
            floats[count] = tri__wire_float(field->value);
        return count + 1;
    }
    if (field->type != TRI_WIRE_BYTES)
        return count;
    if (field->size % 4)
        return -1;
    int64_t more = (int64_t)(field->size / 4), fit = room - count < more ? room - count : more;
    for (int64_t i = 0; i < fit; i++) { /* on little-endian CPUs the compiler makes this a copy */
        uint32_t bits;
        memcpy(&bits, field->bytes + 4 * i, sizeof bits);
        floats[count + i] = tri__wire_float(le32toh(bits));
    }
    return count + more;
}

static inline int64_t read_list(tri__wire_reader list, adder add, void *out, int64_t room, int64_t count)
{
    bool damaged = false;
    tri__wire_field field;
    while (count >= 0 && tri__wire_next(&list, &field, &damaged))
        if (field.number == VALUE)
            count = add(&field, out, room, count);
    return damaged ? -1 : count;
}

static inline int64_t read_values(const tri__feature *feature, tri__feature_kind kind, adder add, void *out, int64_t room)
{
    if (feature->kind != kind)
        return -1;
    if (!feature->several)
        return read_list(feature->list, add, out, room, 0);
    bool damaged = false;
    tri__wire_field field;
    int64_t count = 0;
    for (tri__wire_reader lists = feature->list; count >= 0 && tri__wire_next(&lists, &field, &damaged);)
        if (is_message(&field, kind))
            count = read_list(tri__wire_inside(&field), add, out, room, count);
    return damaged ? -1 : count;
}

bool tri__feature_packed(const tri__feature *feature, tri__feature_kind kind, tri__wire_reader *run)
{
    run->at = feature->list.at;
    return feature->kind == kind && !feature->several && enter(&run->at, feature->list.end, VALUE, &run->end) &&
           run->end == feature->list.end;
}

int64_t tri__feature_integers(const tri__feature *feature, int64_t *out, int64_t room)
{
    return read_values(feature, TRI_FEATURE_INTEGERS, add_integers, out, room);
}

int64_t tri__feature_floats(const tri__feature *feature, float *out, int64_t room)
{
    return read_values(feature, TRI_FEATURE_FLOATS, add_floats, out, room);
}

/* out: a tri__wire_reader, which receives the first value. */
static inline int64_t add_bytes(const tri__wire_field *field, void *out, int64_t room, int64_t count)
{
    if (field->type != TRI_WIRE_BYTES)
        return count;
    if (count < room)
        *(tri__wire_reader *)out = tri__wire_inside(field);
    return count + 1;
}

bool tri__feature_bytes(const tri__feature *feature, const uint8_t **data, size_t *size)
{
    tri__wire_reader value;
    if (read_values(feature, TRI_FEATURE_BYTES, add_bytes, &value, 1) < 1)
        return false;
    *data = value.at;
    *size = (size_t)(value.end - value.at);
    return true;
}

enum { HEAD_ROOM = 11 }; /* bytes for the tag and the length before all features */

void tri__tf_example_begin(tri__tf_example_writer *example)
{
    example->features.size = 0;
    tri__wire_put_raw(&example->features, (const uint8_t[HEAD_ROOM]){0}, HEAD_ROOM);
}

/* The size of a field whose tag takes one byte. */
static size_t field_size(size_t content)
{
    return 1 + tri__wire_varint_size(content) + content;
}

/* Write everything of a feature that comes before its values. size: bytes of the values. */
static void put_heads(tri__wire_buffer *buffer, const char *name, tri__feature_kind kind, size_t size)
{
    size_t list = field_size(size), feature = field_size(list), entry = field_size(strlen(name)) + field_size(feature);
    tri__wire_put_head(buffer, ENTRY, entry);
    tri__wire_put_string(buffer, KEY, name);
    tri__wire_put_head(buffer, FEATURE, feature);
    tri__wire_put_head(buffer, kind, list);
    tri__wire_put_head(buffer, VALUE, size);
}

void tri__tf_example_add_integers(tri__tf_example_writer *example, const char *name, const int64_t *values, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += tri__wire_varint_size((uint64_t)values[i]);
    put_heads(&example->features, name, TRI_FEATURE_INTEGERS, size);
    for (size_t i = 0; i < count; i++)
        tri__wire_put_raw_varint(&example->features, (uint64_t)values[i]);
}

void tri__tf_example_add_floats(tri__tf_example_writer *example, const char *name, const float *values, size_t count)
{
    put_heads(&example->features, name, TRI_FEATURE_FLOATS, 4 * count);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits = htole32(bits);
        tri__wire_put_raw(&example->features, &bits, sizeof bits);
    }
}

void tri__tf_example_add_bytes(tri__tf_example_writer *example, const char *name, const void *data, size_t size)
{
    put_heads(&example->features, name, TRI_FEATURE_BYTES, size);
    tri__wire_put_raw(&example->features, data, size);
}

tri_status tri__tf_example_finish(tri__tf_example_writer *example, const uint8_t **data, size_t *size)
{
    if (example->features.failed)
        return tri_fail(TRI_NO_MEMORY, "out of memory for a record");
    size_t content = example->features.size - HEAD_ROOM, head = field_size(content) - content;
    uint8_t *at = example->features.data + HEAD_ROOM - head;
    *data = at;
    *size = head + content;
    *at++ = FEATURES << 3 | TRI_WIRE_BYTES;
    tri__wire_store_varint(at, content);
    return NULL;
}

void tri__tf_example_fini(tri__tf_example_writer *example)
{
    tri__wire_fini(&example->features);
}
