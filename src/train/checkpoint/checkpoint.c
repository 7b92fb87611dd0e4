/* checkpoint.c: writes checkpoints: the tensors of a store under their names, and a description of the run. Keeps the last few files. */
#define _GNU_SOURCE
#include "train/checkpoint/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes/crc32c.h"
#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "graph/store/key_map.h"
#include "graph/store/row_keeper.h"
#include "graph/store/store.h"
#include "store/table.h"
#include "train/checkpoint/checkpoint_file.h"

char *tri__slot_name(const tri_rule *rule, int slot, const tri_node *node)
{
    char *name = NULL;
    const int letters = slot == tri__rule_average_slot(rule) ? asprintf(&name, "raw/%s", tri_node_name(node))
                                                             : asprintf(&name, "%s.%d/%s", rule->name, slot, tri_node_name(node));
    return letters < 0 ? NULL : name;
}

float *tri__slot_buffer(tri_store *store, int slot)
{
    return slot == tri__rule_average_slot(tri_store_rule(store)) ? tri_store_parameters(store) : tri_store_slot(store, slot);
}

/* The tensors of a checkpoint: parameters first, then slot by slot. list_fini frees the names of slots. */
typedef struct {
    tri__named_tensor *tensor;
    size_t count, parameters, named; /* tensors from `parameters` to `named` are slots */
    int64_t rows;                    /* rows of tables that are written */
    uint64_t *chosen;                /* which rows, one bit each; NULL: all */
    int32_t *waiting;                /* keys that wait for a row, then how often each was seen */
} tensor_list;

static void list_fini(tensor_list *list)
{
    for (size_t i = list->parameters; i < list->named; i++)
        free((char *)(uintptr_t)list->tensor[i].name);
    free(list->tensor);
    free(list->chosen);
    free(list->waiting);
}

static void add_tensor(tensor_list *list, const char *name, const tri_node *node, float *buffer)
{
    list->tensor[list->count++] = (tri__named_tensor){
        .name = name,
        .tensor = {.type = TRI_F32, .shape = tri_node_shape(node), .data = buffer + tri_node_range(node).first},
    };
}

/* part: 0 is the weights of a table, then the slots of the rule. */
static void add_table(tensor_list *list, const char *name, const tri_node *node, tri_store *store, int part)
{
    const tri_table *table = tri_store_table(store, tri_node_table(node));
    list->tensor[list->count++] = (tri__named_tensor){
        .name = name,
        .tensor = {.type = TRI_F32, .shape = TRI_SHAPE(list->rows, table->width), .data = table->data + part * table->width},
        .pitch = (size_t)table->stride * sizeof(float),
        .chosen = list->chosen,
    };
    tri__row_keeper *keeper = store->keeper[tri_node_table(node)];
    if (keeper)
        list->tensor[list->count - 1].moving = (tri__moving_rows){tri__row_keeper_lock, tri__row_keeper_find, keeper};
}

/* ---- which rows of tables ---- */

static bool is_zero(tri_store *store, int index, int64_t row)
{
    const tri_table *table = tri_store_table(store, index);
    const float *data = table->data + row * table->stride;
    tri__row_keeper *keeper = store->keeper[index];
    if (keeper) {
        tri__row_keeper_lock(keeper, true);
        data = tri__row_keeper_find(keeper, row, data);
    }
    const bool zero = tri__all_zero(data, (size_t)(table->width * (table->slots + 1)));
    if (keeper)
        tri__row_keeper_lock(keeper, false);
    return zero;
}

/* Choose the rows that are not zero in some table, as one bit each: a list could be as large as a table. */
static tri_status choose_nonzero(tri_store *store, tensor_list *list)
{
    const int64_t all = list->rows;
    TRI_TRY(tri__allocate((size_t)(all / 64 + 2), sizeof *list->chosen, "the rows of a checkpoint", &list->chosen));
    list->rows = 0;
    for (int64_t row = 0; row < all; row++) {
        bool zero = true;
        for (int i = 0; i < tri_store_tables(store) && zero; i++)
            zero = is_zero(store, i, row);
        if (!zero)
            list->chosen[row / 64] |= UINT64_C(1) << row % 64;
        list->rows += !zero;
    }
    return NULL;
}

static tri_status choose_rows(tri_store *store, bool nonzero, tensor_list *list)
{
    if (tri_store_tables(store) == 0)
        return NULL;
    list->rows = store->map ? store->map->used : tri_store_table(store, 0)->rows;
    return nonzero && !store->map ? choose_nonzero(store, list) : NULL;
}

static void add_integers(tensor_list *list, const char *name, int64_t count, int32_t *data)
{
    list->tensor[list->count++] = (tri__named_tensor){
        .name = name, .tensor = {.type = TRI_I32, .shape = TRI_SHAPE(count), .data = data}, .chosen = data ? NULL : list->chosen};
}

static tri_status add_keys(tri_store *store, tensor_list *list)
{
    tri__key_map *map = store->map;
    if (list->rows > 0 && (map || list->chosen))
        add_integers(list, TRI_CHECKPOINT_KEYS, list->rows, map ? map->key : NULL);
    if (!map || !map->waiting)
        return NULL;
    TRI_TRY(tri__allocate((size_t)map->waiting * 2, sizeof *list->waiting, "the keys that wait for a row", &list->waiting));
    tri__key_map_waiting(map, list->waiting, list->waiting + map->waiting);
    add_integers(list, TRI_CHECKPOINT_WAITING, map->waiting, list->waiting);
    add_integers(list, TRI_CHECKPOINT_SIGHTINGS, map->waiting, list->waiting + map->waiting);
    return NULL;
}

static bool is_trained(const tri_node *node)
{
    return tri_node_range(node).count || tri_node_table(node) >= 0;
}

static tri_status add_slot(tensor_list *list, const tri_graph *graph, tri_store *store, int slot)
{
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        if (!is_trained(node) || (tri_node_table(node) >= 0 && !list->rows))
            continue;
        char *name = tri__slot_name(tri_store_rule(store), slot, node);
        if (!name)
            return tri_fail(TRI_NO_MEMORY, "no memory for the names of a checkpoint");
        if (tri_node_table(node) >= 0)
            add_table(list, name, node, store, slot + 1);
        else
            add_tensor(list, name, node, tri__slot_buffer(store, slot));
    }
    return NULL;
}

static tri_status list_tensors(const tri__checkpoint_content *content, tensor_list *list)
{
    const tri_graph *graph = content->graph;
    tri_store *store = content->store;
    int slots = tri_rule_slots(tri_store_rule(store));
    size_t most = (size_t)tri_graph_count(graph) * (size_t)(1 + slots) + 3; /* + 3: the tensors of keys */
    TRI_TRY(tri__allocate(most, sizeof *list->tensor, "the tensors of a checkpoint", &list->tensor));
    TRI_TRY(choose_rows(store, content->nonzero_rows, list));
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        if (tri_node_table(node) >= 0 && list->rows)
            add_table(list, tri_node_name(node), node, store, 0);
        else if (tri_node_range(node).count)
            add_tensor(list, tri_node_name(node), node, tri__store_evaluated(store));
    }
    list->parameters = list->named = list->count;
    tri_status status = NULL;
    for (int slot = 0; slot < slots && !status; slot++)
        status = add_slot(list, graph, store, slot);
    list->named = list->count;
    return status ? status : add_keys(store, list);
}

/* A checkpoint with a parameter that is not a number is useless, and must not replace a good one. */
static tri_status check_finite(const tri__named_tensor *named)
{
    _Alignas(float) uint8_t buffer[TRI_TENSOR_ROWS];
    tri__tensor_rows rows = {0};
    while (tri__tensor_next(named, &rows, buffer)) {
        const float *value = rows.data;
        for (size_t i = 0; i < rows.bytes / sizeof *value; i++)
            if (!isfinite(value[i]))
                return tri_fail(TRI_DIVERGED, "parameter %s has become %g", named->name, value[i]);
    }
    return NULL;
}

static tri_status check_list(const tensor_list *list, uint32_t *checksum)
{
    *checksum = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (i < list->parameters)
            TRI_TRY(check_finite(&list->tensor[i]));
        *checksum = tri__checkpoint_sum(*checksum, &list->tensor[i], TRI_CHECKPOINT_VERSION);
    }
    return NULL;
}

uint32_t tri__checkpoint_sum(uint32_t sum, const tri__named_tensor *named, int version)
{
    const tri_tensor *tensor = &named->tensor;
    uint8_t buffer[TRI_TENSOR_ROWS];
    if (version > 1) {
        sum = tri__crc32c(sum, named->name, strlen(named->name) + 1);
        sum = tri__crc32c(sum, tensor->shape.dim, (size_t)tensor->shape.rank * sizeof *tensor->shape.dim);
    }
    tri__tensor_rows rows = {0};
    while (tri__tensor_next(named, &rows, buffer))
        sum = tri__crc32c(sum, rows.data, rows.bytes);
    return sum;
}

void tri__checkpoint_sum_end(uint32_t sum, const char *about, const char *model, char text[TRI_CHECKPOINT_DIGITS])
{
    sum = tri__crc32c(sum, about, strlen(about));
    sum = tri__crc32c(sum, model, strlen(model));
    snprintf(text, TRI_CHECKPOINT_DIGITS, "%08" PRIx32, sum);
}

static json_t *names_json(const tri_source_info *source)
{
    if (!source->class_names)
        return json_null();
    json_t *list = json_array();
    for (int64_t i = 0; i < source->classes; i++)
        json_array_append_new(list, json_string(source->class_names[i]));
    return list;
}

static json_t *numbering_json(const tri_numbering *numbering)
{
    if (!numbering->label_step)
        return json_null();
    return json_pack("{s:I, s:I, s:I}", "first_index", (json_int_t)numbering->first_index, "first_label",
                     (json_int_t)numbering->first_label, "label_step", (json_int_t)numbering->label_step);
}

/* Positions before "reached" that are not done. */
static json_t *outstanding_json(const tri__standing *standing)
{
    json_t *list = json_array();
    for (int i = 0; standing && i < standing->count; i++)
        json_array_append_new(list, json_integer(standing->outstanding[i]));
    return list;
}

static json_t *state_json(const tri__run_state *state, const tri__standing *standing)
{
    json_t *recent = json_array();
    for (int64_t i = 0; i < state->recent.count && i < TRI_RECENT; i++)
        json_array_append_new(recent, json_real(state->recent.loss[i]));
    return json_pack("{s:I, s:I, s:I, s:f, s:f, s:o, s:I, s:I, s:f, s:I, s:I, s:o, s:I, s:o, s:O*}", "step", (json_int_t)state->step,
                     "examples", (json_int_t)state->examples, "position", (json_int_t)state->position, "seconds", state->seconds,
                     "total_seconds", state->total_seconds, "best_loss", tri__json_number(state->best_loss), "without_gain",
                     (json_int_t)state->without_gain, "cuts", (json_int_t)state->cuts, "loss_sum", state->loss_sum, "judged",
                     (json_int_t)state->loss_count, "losses", (json_int_t)state->recent.count, "recent", recent, "reached",
                     (json_int_t)(standing ? standing->position : state->position), "outstanding", outstanding_json(standing), "books",
                     standing ? standing->books : NULL);
}

static json_t *records_json(const int64_t *records, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(records[i]));
    return list;
}

/* "left_rare", "left_full": what growing tables left out so far. "nonzero": rows that the file does not have are 0. */
static json_t *tables_json(const tri__checkpoint_content *content)
{
    const tri__key_map *map = content->store->map;
    return json_pack("{s:b, s:b, s:I, s:I}", "grow", map != NULL, "nonzero", content->nonzero_rows && !map, "left_rare",
                     (json_int_t)(map ? map->left_rare : 0), "left_full", (json_int_t)(map ? map->left_full : 0));
}

static tri_status describe(const tri__checkpoint_content *content, char **text)
{
    char digest[65];
    TRI_TRY(tri_model_digest(content->model, content->graph, digest));
    const tri_source_info *source = content->source;
    json_t *about =
        json_pack("{s:i, s:s, s:s, s:s, s:{s:s, s:o, s:I, s:I, s:o, s:s?, s:s?}, s:o, s:o, s:o, s:o}", "version", TRI_CHECKPOINT_VERSION,
                  "model", tri_model_name(content->model), "digest", digest, "rule", tri_store_rule(content->store)->name, "input", "type",
                  tri_type_name(source->type), "shape", tri__json_shape(source->shape), "classes", (json_int_t)source->classes, "outputs",
                  (json_int_t)source->outputs, "numbering", numbering_json(&source->numbering), "features_by", source->features_by,
                  "columns", source->columns, "class_names", names_json(source), "state", state_json(content->state, content->standing),
                  "damaged", records_json(content->damaged, content->damaged_count), "options", tri__train_options_json(content->options));
    if (about && tri_store_tables(content->store) && json_object_set_new(about, "tables", tables_json(content))) {
        json_decref(about);
        about = NULL;
    }
    *text = about ? json_dumps(about, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(about);
    return *text ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for the description of a checkpoint");
}

static tri_status write_list(const char *path, const tri__checkpoint_content *content, const tensor_list *list)
{
    uint32_t checksum;
    TRI_TRY(check_list(list, &checksum));
    char *about;
    TRI_TRY(describe(content, &about));
    const char *model = tri_model_text(content->model);
    char sum[TRI_CHECKPOINT_DIGITS];
    tri__checkpoint_sum_end(checksum, about, model, sum);
    const tri__metadata metadata[] = {{TRI_CHECKPOINT_ABOUT, about}, {TRI_CHECKPOINT_MODEL, model}, {TRI_CHECKPOINT_SUM, sum}};
    tri_status status = tri__safetensors_write(path, list->tensor, list->count, metadata, sizeof metadata / sizeof *metadata);
    free(about);
    return status;
}

tri_status tri__checkpoint_write(const char *path, const tri__checkpoint_content *content)
{
    tensor_list list = {0};
    tri_status status = list_tensors(content, &list);
    if (!status)
        status = write_list(path, content, &list);
    list_fini(&list);
    return status;
}

/* Of the checkpoints up to step, keep the last `keep` and remove the rest. Later checkpoints stay: a resumed run may have begun before
 * them. */
static tri_status prune(const char *folder, int64_t step, int64_t keep)
{
    tri__checkpoint_names names;
    TRI_TRY(tri__checkpoint_list(folder, &names));
    for (size_t i = 0; i < names.count; i++) { /* newest first */
        if (names.step[i] > step || keep-- > 0)
            continue;
        char *path = tri__path_join(folder, names.name[i]);
        if (path)
            unlink(path);
        free(path);
    }
    tri__checkpoint_names_fini(&names);
    return NULL;
}

tri_status tri__checkpoint_save(const char *folder, const tri__checkpoint_content *content, int64_t keep, char **path)
{
    *path = NULL;
    if (asprintf(path, "%s/step-%08" PRId64 ".safetensors", folder, content->state->step) < 0)
        return tri_fail(TRI_NO_MEMORY, "no memory for the name of a checkpoint");
    tri_status status = tri__checkpoint_write(*path, content);
    if (!status)
        status = prune(folder, content->state->step, keep);
    if (status) {
        free(*path);
        *path = NULL;
    }
    return status;
}

tri_status tri__checkpoint_save_best(const char *folder, const tri__checkpoint_content *content)
{
    char *path = tri__path_join(folder, "best.safetensors");
    tri_status status =
        path ? tri__checkpoint_write(path, content) : tri_fail(TRI_NO_MEMORY, "no memory for the name of the best checkpoint");
    free(path);
    return status;
}
