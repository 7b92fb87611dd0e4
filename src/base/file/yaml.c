/* yaml.c: turns libyaml's events into jansson's values. Aliases are refused: a few lines of them can expand to more than memory holds. */
#include "base/file/yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { DEEPEST = 16 };

#define LARGEST_FILE ((size_t)16 << 20)

typedef struct {
    yaml_parser_t parser;
    yaml_event_t event; /* the event that was read last; an empty one at first */
    const char *name;
} reader;

static tri_status wrong(const reader *from, yaml_mark_t at, const char *what)
{
    return tri_fail(TRI_BAD_DATA, "%s: line %zu, column %zu: %s", from->name, at.line + 1, at.column + 1, what);
}

static tri_status next(reader *from)
{
    yaml_event_delete(&from->event);
    if (yaml_parser_parse(&from->parser, &from->event))
        return NULL;
    if (from->parser.error == YAML_MEMORY_ERROR)
        return tri_fail(TRI_NO_MEMORY, "%s: no memory to read it", from->name);
    return wrong(from, from->parser.problem_mark, from->parser.problem ? from->parser.problem : "not YAML");
}

static tri_status no_memory(const reader *from)
{
    return tri_fail(TRI_NO_MEMORY, "%s: no memory for its values", from->name);
}

static tri_status read_scalar(const reader *from, json_t **out)
{
    const char *text = (const char *)from->event.data.scalar.value;
    if (strlen(text) != from->event.data.scalar.length)
        return wrong(from, from->event.start_mark, "a NUL character in a text");
    *out = json_string(text);
    return *out ? NULL : no_memory(from);
}

static tri_status read_value(reader *from, int depth, json_t **out);

static tri_status read_list(reader *from, int depth, json_t *list)
{
    for (;;) {
        TRI_TRY(next(from));
        if (from->event.type == YAML_SEQUENCE_END_EVENT)
            return NULL;
        json_t *item = NULL;
        tri_status status = read_value(from, depth + 1, &item);
        if (!status && json_array_append(list, item))
            status = no_memory(from);
        json_decref(item);
        TRI_TRY(status);
    }
}

static tri_status read_entry(reader *from, int depth, json_t *mapping)
{
    if (from->event.type != YAML_SCALAR_EVENT)
        return wrong(from, from->event.start_mark, "a key must be a word");
    json_t *key = NULL, *value = NULL;
    TRI_TRY(read_scalar(from, &key));
    tri_status status = NULL;
    if (json_object_get(mapping, json_string_value(key)))
        status = tri_wrap(wrong(from, from->event.start_mark, "this key was there before"), "'%s'", json_string_value(key));
    if (!status)
        status = next(from);
    if (!status)
        status = read_value(from, depth + 1, &value);
    if (!status && json_object_set(mapping, json_string_value(key), value))
        status = no_memory(from);
    json_decref(key);
    json_decref(value);
    return status;
}

static tri_status read_mapping(reader *from, int depth, json_t *mapping)
{
    for (;;) {
        TRI_TRY(next(from));
        if (from->event.type == YAML_MAPPING_END_EVENT)
            return NULL;
        TRI_TRY(read_entry(from, depth, mapping));
    }
}

/* The value that begins with the event read last. */
static tri_status read_value(reader *from, int depth, json_t **out)
{
    if (depth > DEEPEST)
        return wrong(from, from->event.start_mark, "nested too deeply");
    switch (from->event.type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(from, out);
    case YAML_SEQUENCE_START_EVENT:
        *out = json_array();
        return *out ? read_list(from, depth, *out) : no_memory(from);
    case YAML_MAPPING_START_EVENT:
        *out = json_object();
        return *out ? read_mapping(from, depth, *out) : no_memory(from);
    case YAML_ALIAS_EVENT:
        return wrong(from, from->event.start_mark, "an alias (*name): write the value out where it is meant");
    default:
        return wrong(from, from->event.start_mark, "expected a value");
    }
}

static tri_status read_document(reader *from, json_t **out)
{
    do
        TRI_TRY(next(from));
    while (from->event.type == YAML_STREAM_START_EVENT || from->event.type == YAML_DOCUMENT_START_EVENT);
    if (from->event.type == YAML_STREAM_END_EVENT)
        return tri_fail(TRI_BAD_DATA, "%s: there is nothing in it", from->name);
    TRI_TRY(read_value(from, 0, out));
    TRI_TRY(next(from)); /* the document's end */
    TRI_TRY(next(from));
    return from->event.type == YAML_STREAM_END_EVENT ? NULL : wrong(from, from->event.start_mark, "a second document (---): one is read");
}

tri_status tri__yaml_parse(const char *name, const char *text, size_t size, json_t **out)
{
    reader from = {.name = name};
    *out = NULL;
    if (!yaml_parser_initialize(&from.parser))
        return tri_fail(TRI_NO_MEMORY, "%s: no memory to read it", name);
    yaml_parser_set_input_string(&from.parser, (const unsigned char *)text, size);
    tri_status status = read_document(&from, out);
    yaml_event_delete(&from.event);
    yaml_parser_delete(&from.parser);
    if (status) {
        json_decref(*out);
        *out = NULL;
    }
    return status;
}

tri_status tri__yaml_read(const char *path, json_t **out)
{
    return tri__json_read_as(tri__yaml_parse, path, LARGEST_FILE, out);
}

/* By how much the event changes the depth: 1 where it opens a list or mapping, −1 where it closes one. */
static int depth_of(const yaml_event_t *event)
{
    const bool opens = event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT;
    return opens - (event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT);
}

/* In the outermost mapping keys and values take turns; a value that opens a list or a mapping lasts until it is closed. */
static size_t find_line(yaml_parser_t *parser, const char *key)
{
    int depth = 0;
    bool is_key = true;
    size_t line = 0;
    for (bool ended = false; !line && !ended;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            break;
        const bool here = depth == 1 && event.type == YAML_SCALAR_EVENT;
        if (here && is_key && !strcmp((const char *)event.data.scalar.value, key))
            line = event.start_mark.line + 1;
        const int before = depth;
        depth += depth_of(&event);
        if (here || (before == 2 && depth == 1))
            is_key = !is_key;
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    return line;
}

size_t tri__yaml_line_of(const char *path, const char *key)
{
    yaml_parser_t parser;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    size_t line = 0;
    if (yaml_parser_initialize(&parser)) {
        yaml_parser_set_input_file(&parser, file);
        line = find_line(&parser, key);
        yaml_parser_delete(&parser);
    }
    fclose(file);
    return line;
}
