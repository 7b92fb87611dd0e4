/* checkpoint_restore.c: copies parameters, tables and the state of the rule from a checkpoint into a store. A file may have all rows of its
 * tables, or some rows and their keys. */
#include "train/checkpoint/checkpoint_restore.h"

#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "data/source/source.h"
#include "graph/store/key_map.h"
#include "graph/store/store.h"
#include "train/checkpoint/checkpoint_file.h"

/* Copy the tensor `name` into a buffer of the store: the parameters or a slot. */
static tri_status restore_tensor(const tri__safetensors *file, const char *name, const tri_node *node, float *buffer)
{
    tri_tensor tensor;
    TRI_TRY(tri__safetensors_find(file, name, TRI_F32, tri_node_shape(node), &tensor));
    tri_range range = tri_node_range(node);
    memcpy(buffer + range.first, tensor.data, (size_t)tri_shape_count(tensor.shape) * sizeof(float));
    return NULL;
}

/* ---- tables ---- */

static const tri__named_tensor *find_named(const tri__safetensors *file, const char *name)
{
    for (size_t i = 0; i < tri__safetensors_count(file); i++)
        if (!strcmp(tri__safetensors_at(file, i)->name, name))
            return tri__safetensors_at(file, i);
    return NULL;
}

/* some: the file has only some rows of its tables; keys: the key of each. grow, nonzero: see checkpoint.c. */
typedef struct {
    bool some, grow, nonzero;
    const int32_t *keys; /* [rows] */
    int64_t rows, left_rare, left_full;
} table_rows;

static void read_tables(json_t *about, table_rows *out)
{
    json_t *tables = json_object_get(about, "tables");
    out->grow = json_is_true(json_object_get(tables, "grow"));
    out->nonzero = json_is_true(json_object_get(tables, "nonzero"));
    out->left_rare = json_integer_value(json_object_get(tables, "left_rare"));
    out->left_full = json_integer_value(json_object_get(tables, "left_full"));
}

/* Metadata of other programs is ignored. */
static tri_status find_rows(const tri__safetensors *file, table_rows *out)
{
    *out = (table_rows){0};
    const char *text = tri__safetensors_metadata(file, TRI_CHECKPOINT_ABOUT);
    json_t *about = text ? json_loads(text, 0, NULL) : NULL;
    read_tables(about, out);
    json_decref(about);
    const tri__named_tensor *keys = find_named(file, TRI_CHECKPOINT_KEYS);
    out->some = keys || out->grow || out->nonzero;
    if (!keys)
        return NULL;
    if (keys->tensor.type != TRI_I32 || keys->tensor.shape.rank != 1)
        return tri_fail(TRI_BAD_DATA, "its tensor '%s' is no list of keys", keys->name);
    out->keys = keys->tensor.data;
    out->rows = keys->tensor.shape.dim[0];
    return NULL;
}

int64_t tri__checkpoint_rows(const tri__checkpoint *checkpoint)
{
    table_rows rows;
    tri_status status = find_rows(checkpoint->file, &rows);
    const int64_t count = status || !rows.some ? -1 : rows.rows; /* tri__checkpoint_restore will report what is wrong */
    tri_status_free(status);
    return count;
}

/* Rows that the file does not have are 0. */
static void clear_tables(tri_store *store)
{
    for (int i = 0; i < tri_store_tables(store); i++) {
        const tri_table *table = tri_store_table(store, i);
        for (int64_t row = 0; row < table->rows; row++)
            for (int64_t k = 0; k < table->width * (table->slots + 1); k++)
                if (table->data[row * table->stride + k] != 0) /* zeros over zeros would take memory */
                    table->data[row * table->stride + k] = 0;
    }
}

static tri_status give_rows(const table_rows *rows, tri__key_map *map)
{
    for (int64_t i = 0; i < rows->rows; i++)
        if (!tri__key_map_give(map, rows->keys[i]))
            return tri_fail(TRI_BAD_CALL,
                            "it has %lld rows of tables, and %lld fit, or a key is there twice (--table-memory says how many fit)",
                            (long long)rows->rows, (long long)map->capacity);
    return NULL;
}

static tri_status recall_sightings(const tri__safetensors *file, tri__key_map *map)
{
    const tri__named_tensor *keys = find_named(file, TRI_CHECKPOINT_WAITING);
    tri_tensor counts;
    if (!keys)
        return NULL;
    TRI_TRY(tri__safetensors_find(file, TRI_CHECKPOINT_SIGHTINGS, TRI_I32, keys->tensor.shape, &counts));
    if (keys->tensor.type != TRI_I32 || keys->tensor.shape.rank != 1)
        return tri_fail(TRI_BAD_DATA, "its tensor '%s' is no list of keys", keys->name);
    for (int64_t i = 0; i < keys->tensor.shape.dim[0]; i++)
        if (!tri__key_map_recall(map, ((const int32_t *)keys->tensor.data)[i], ((const int32_t *)counts.data)[i]))
            return tri_fail(TRI_BAD_DATA, "its keys that wait for a row make no sense");
    return NULL;
}

/* Give each key its row before rows are filled. whole: as a resumed run needs it, with the counts of keys without a row. */
static tri_status prepare_tables(const tri__safetensors *file, tri_store *store, bool whole, table_rows *rows)
{
    TRI_TRY(find_rows(file, rows));
    tri__key_map *map = store->map;
    if (tri_store_tables(store) == 0)
        return NULL;
    if (map && !rows->some)
        return tri_fail(TRI_BAD_CALL, "it has all rows of its tables, and tables that grow begin with none (leave out --min-count and "
                                      "--table-memory)");
    if (!map && rows->nonzero)
        clear_tables(store);
    if (!map)
        return NULL;
    TRI_TRY(give_rows(rows, map));
    map->left_rare = whole ? rows->left_rare : 0;
    map->left_full = whole ? rows->left_full : 0;
    return whole ? recall_sightings(file, map) : NULL;
}

static void put_row(const tri_table *table, int64_t row, int part, const float *from)
{
    float *to = table->data + row * table->stride + part * table->width;
    if (memcmp(to, from, (size_t)table->width * sizeof *to) != 0) /* zeros over zeros would take memory */
        memcpy(to, from, (size_t)table->width * sizeof *to);
}

/* part 0: the weights of a table; above: the slots of the rule. */
static tri_status restore_table(const tri__safetensors *file, const char *name, const tri_node *node, tri_store *store, int part,
                                const table_rows *rows)
{
    tri_tensor tensor;
    const tri_table *table = tri_store_table(store, tri_node_table(node));
    const int64_t features = tri_node_shape(node).dim[0], count = rows->some ? rows->rows : features;
    if (count == 0)
        return NULL;
    TRI_TRY(tri__safetensors_find(file, name, TRI_F32, TRI_SHAPE(count, table->width), &tensor));
    const float *from = tensor.data;
    for (int64_t i = 0; i < count; i++, from += table->width) {
        const int32_t key = rows->some ? rows->keys[i] : (int32_t)i;
        if (key < 0 || key >= features)
            return tri_fail(TRI_BAD_DATA, "it has a row of key %ld, and the tables have 0 to %lld", (long)key, (long long)features - 1);
        put_row(table, store->map ? tri__key_map_find(store->map, key) : key, part, from);
    }
    return NULL;
}

/* What has the parameters' own names, into memory that is laid out as they are. */
static tri_status restore_parameters(const tri__safetensors *file, const tri_graph *graph, tri_store *store, float *to,
                                     const table_rows *rows)
{
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        if (tri_node_table(node) >= 0)
            TRI_TRY(restore_table(file, tri_node_name(node), node, store, 0, rows));
        else if (tri_node_range(node).count)
            TRI_TRY(restore_tensor(file, tri_node_name(node), node, to));
    }
    return NULL;
}

static tri_status restore_slot(const tri__safetensors *file, const tri_graph *graph, tri_store *store, int slot, const table_rows *rows)
{
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        const bool is_table = tri_node_table(node) >= 0;
        if (!tri_node_range(node).count && !is_table)
            continue;
        char *name = tri__slot_name(tri_store_rule(store), slot, node);
        tri_status status = !name      ? tri_fail(TRI_NO_MEMORY, "no memory for a name")
                            : is_table ? restore_table(file, name, node, store, slot + 1, rows)
                                       : restore_tensor(file, name, node, tri__slot_buffer(store, slot));
        free(name);
        TRI_TRY(status);
    }
    return NULL;
}

tri_status tri__checkpoint_restore(const tri__checkpoint *checkpoint, const tri_graph *graph, tri_store *store, bool with_rule)
{
    table_rows rows;
    TRI_TRY(prepare_tables(checkpoint->file, store, with_rule, &rows));
    float *model = with_rule ? tri__store_evaluated(store) : tri_store_parameters(store);
    TRI_TRY(restore_parameters(checkpoint->file, graph, store, model, &rows));
    int slots = with_rule ? tri_rule_slots(tri_store_rule(store)) : 0;
    for (int slot = 0; slot < slots; slot++)
        TRI_TRY(restore_slot(checkpoint->file, graph, store, slot, &rows));
    return NULL;
}

static tri_status restore_weights(const tri__safetensors *file, const tri_graph *graph, tri_store *store)
{
    table_rows rows;
    TRI_TRY(prepare_tables(file, store, false, &rows));
    return restore_parameters(file, graph, store, tri_store_parameters(store), &rows);
}

/* Weights of features are useless where the run numbers its features differently. A file of another program does not say how it numbers
 * them. */
static tri_status check_features(const tri__safetensors *file, const tri_source_info *source)
{
    const char *text = tri__safetensors_metadata(file, TRI_CHECKPOINT_ABOUT);
    json_t *about = NULL;
    if (!text || !source)
        return NULL;
    TRI_TRY(tri__json_parse("a checkpoint", text, strlen(text), &about));
    const char *by = json_string_value(json_object_get(json_object_get(about, "input"), "features_by"));
    const char *data = json_string_value(json_object_get(json_object_get(about, "options"), "data"));
    tri_status status = tri__features_fit(source, by, data);
    json_decref(about);
    return status;
}

static tri_status load_parameters(const tri__safetensors *file, const tri_source_info *source, const tri_graph *graph, tri_store *store)
{
    TRI_TRY(check_features(file, source));
    return restore_weights(file, graph, store);
}

tri_status tri__checkpoint_load_parameters(const char *path, tri__log *log, const tri_source_info *source, const tri_graph *graph,
                                           tri_store *store)
{
    if (tri__folder_exists(path)) {
        tri__checkpoint *checkpoint;
        TRI_TRY(tri__checkpoint_open(path, log, &checkpoint));
        tri_status status = load_parameters(checkpoint->file, source, graph, store);
        tri__checkpoint_close(checkpoint);
        return status;
    }
    tri__safetensors *file;
    TRI_TRY(tri__safetensors_open(path, &file));
    tri_status status = load_parameters(file, source, graph, store);
    tri__safetensors_close(file);
    return status;
}
