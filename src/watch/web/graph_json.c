/* graph_json.c: reads NodeDef messages: names, operator, device and the shape of the output. */
#include "watch/web/graph_json.h"

#include "watch/report/event_fields.h"

enum { MOST_NODES = 5000 };

static json_t *text_of(const tri__wire_field *field)
{
    json_t *text = json_stringn((const char *)field->bytes, field->size);
    return text ? text : json_string("?"); /* not UTF-8 */
}

/* Find the first field with this number that is bytes; false if there is none. */
static bool find(tri__wire_reader inside, uint32_t number, tri__wire_field *field)
{
    bool damaged = false;
    while (tri__wire_next(&inside, field, &damaged))
        if (field->number == number && field->type == TRI_WIRE_BYTES)
            return true;
    return false;
}

static json_t *shape_of(tri__wire_reader shape)
{
    json_t *dimensions = json_array();
    tri__wire_field field, size;
    bool damaged = false;
    while (tri__wire_next(&shape, &field, &damaged)) {
        if (field.number != EVENT_SHAPE_DIM || field.type != TRI_WIRE_BYTES)
            continue;
        tri__wire_reader inside = tri__wire_inside(&field);
        if (tri__wire_next(&inside, &size, &damaged) && size.number == EVENT_DIM_SIZE && size.type == TRI_WIRE_VARINT)
            json_array_append_new(dimensions, json_integer((json_int_t)size.value));
    }
    return dimensions;
}

/* Only one attribute is used: _output_shapes, a list with one shape. */
static void take_attribute(json_t *node, tri__wire_reader entry)
{
    tri__wire_field key, value, list, shape;
    if (!find(entry, EVENT_ENTRY_KEY, &key) || !tri__span_equal((tri__span){key.bytes, key.size}, "_output_shapes"))
        return;
    if (find(entry, EVENT_ENTRY_VALUE, &value) && find(tri__wire_inside(&value), EVENT_ATTR_LIST, &list) &&
        find(tri__wire_inside(&list), EVENT_LIST_SHAPE, &shape))
        json_object_set_new(node, "shape", shape_of(tri__wire_inside(&shape)));
}

static json_t *node_of(tri__wire_reader message)
{
    json_t *node = json_object(), *inputs = json_array();
    tri__wire_field field;
    bool damaged = false;
    while (tri__wire_next(&message, &field, &damaged)) {
        if (field.type != TRI_WIRE_BYTES)
            continue;
        if (field.number == EVENT_NODE_NAME)
            json_object_set_new(node, "name", text_of(&field));
        else if (field.number == EVENT_NODE_OP)
            json_object_set_new(node, "operator", text_of(&field));
        else if (field.number == EVENT_NODE_INPUT)
            json_array_append_new(inputs, text_of(&field));
        else if (field.number == EVENT_NODE_DEVICE)
            json_object_set_new(node, "place", text_of(&field));
        else if (field.number == EVENT_NODE_ATTR)
            take_attribute(node, tri__wire_inside(&field));
    }
    json_object_set_new(node, "inputs", inputs);
    return node;
}

json_t *tri__graph_json(tri__span graph_def)
{
    json_t *nodes = json_array();
    tri__wire_reader reader = {.at = graph_def.data, .end = graph_def.data + graph_def.size};
    tri__wire_field field;
    bool damaged = false;
    int left_out = 0;
    while (graph_def.size > 0 && tri__wire_next(&reader, &field, &damaged)) {
        if (field.number != EVENT_GRAPH_NODE || field.type != TRI_WIRE_BYTES)
            continue;
        if (json_array_size(nodes) < MOST_NODES)
            json_array_append_new(nodes, node_of(tri__wire_inside(&field)));
        else
            left_out++;
    }
    if (left_out > 0)
        json_array_append_new(nodes, json_pack("{s:i}", "left_out", left_out));
    return nodes;
}
