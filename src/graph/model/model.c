/* model.c: opens a model; what it says about itself, its canonical text and its digest. */
#include "graph/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes/sha256.h"
#include "base/file/file.h"
#include "base/memory/memory.h"
#include "base/text/nearest.h"
#include "base/text/text.h"
#include "graph/model/builtin.h"
#include "graph/model/model_build.h"
#include "graph/model/model_read.h"
#include "graph/model/model_setting.h"
#include "graph/model/model_verb.h"
#include "graph/nodes/operator.h"

/* Opening */

tri_status tri__model_at(tri_status cause, const tri_model *model, const tri__statement *statement)
{
    if (tri_status_code(cause) != TRI_BAD_CALL)
        return tri_wrap(cause, "%s:%d:%d", model->file, statement->line, statement->column);
    tri_status status = tri_fail(TRI_BAD_DATA, "%s:%d:%d: %s", model->file, statement->line, statement->column, tri_status_message(cause));
    tri_status_free(cause);
    return status;
}

static const tri__statement *first_placed(const tri_model *model)
{
    for (int i = 0; i < model->count; i++)
        if (model->statement[i].task >= 0)
            return &model->statement[i];
    return NULL;
}

bool tri__model_has_places(const tri_model *model)
{
    return first_placed(model) != NULL;
}

tri_status tri__model_refuse_places(const tri_model *model)
{
    const tri__statement *placed = first_placed(model);
    if (!placed)
        return NULL;
    return tri_fail(
        TRI_BAD_CALL,
        "%s:%d:%d: place=%d: every worker of this strategy computes the whole model; --strategy placed computes it by its places",
        model->file, placed->line, placed->column, placed->task);
}

/* "lenet" of "models/lenet.model" */
static char *name_of(tri__arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');
    char *name = tri__arena_copy(arena, slash ? slash + 1 : file);
    char *dot = name ? strrchr(name, '.') : NULL;
    if (dot && dot > name)
        *dot = '\0';
    return name;
}

static void print_statement(const tri_model *model, const tri__statement *statement, FILE *stream)
{
    if (statement->name)
        fprintf(stream, "%s = ", statement->name);
    fprintf(stream, "%s(", statement->verb.name);
    const char *separator = "";
    for (int i = 0; i < statement->inputs; i++, separator = ", ")
        fprintf(stream, "%s%s", separator, model->statement[statement->input[i]].name);
    char key[TRI_MODEL_NAME];
    for (int i = 0; tri__verb_key(&statement->verb, i, key); i++)
        if (statement->given >> i & 1) {
            fprintf(stream, "%s%s=", separator, key);
            tri__model_settings_print(statement->verb.form, key, &statement->settings, stream);
            separator = ", ";
        }
    if (statement->task >= 0)
        fprintf(stream, "%splace=%d", separator, statement->task);
    fprintf(stream, ")\n");
}

/* Every name, input and key written out, in one order: files that mean the same give the same text. */
static tri_status print_canonical(tri_model *model)
{
    size_t size;
    FILE *stream = open_memstream(&model->canonical, &size);
    if (!stream)
        return tri_fail(TRI_NO_MEMORY, "no memory for a model");
    for (int i = 0; i < model->count; i++)
        print_statement(model, &model->statement[i], stream);
    model->layers_length = (size_t)ftell(stream);
    if (model->train.verb.name)
        print_statement(model, &model->train, stream);
    return fclose(stream) == 0 ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for a model");
}

static tri_status fill(tri_model *model, const char *file, const char *text, size_t length)
{
    TRI_TRY(tri__arena_create(&model->arena));
    char *copy = tri__arena_alloc(model->arena, length + 1);
    model->file = tri__arena_copy(model->arena, file);
    model->name = name_of(model->arena, file);
    if (!copy || !model->file || !model->name)
        return tri_fail(TRI_NO_MEMORY, "no memory for the model %s", file);
    memcpy(copy, text, length);
    model->text = copy;
    TRI_TRY(tri__model_read(model, length));
    return print_canonical(model);
}

static tri_status parse(const char *file, const char *text, size_t length, bool is_graph, tri_model **out)
{
    if (length > TRI_MODEL_BYTES)
        return tri_fail(TRI_BAD_DATA, "%s: %zu bytes are too many for a model, at most %d are read", file, length, TRI_MODEL_BYTES);
    tri_model *model;
    TRI_TRY(tri__allocate(1, sizeof *model, "a model", &model));
    model->is_graph = is_graph;
    tri_status status = fill(model, file, text, length);
    if (status) {
        tri_model_destroy(model);
        return status;
    }
    *out = model;
    return NULL;
}

tri_status tri_model_parse(const char *file, const char *text, size_t length, tri_model **out)
{
    return parse(file, text, length, false, out);
}

tri_status tri_graph_parse(const char *file, const char *text, size_t length, tri_graph **out)
{
    tri_model *lines;
    TRI_TRY(parse(file, text, length, true, &lines));
    tri_status status = tri__model_build_graph(lines, out);
    tri_model_destroy(lines);
    return status;
}

tri_status tri_graph_open(const char *path, tri_graph **out)
{
    char *text;
    size_t size;
    TRI_TRY(tri__file_read(path, TRI_MODEL_BYTES, &text, &size));
    tri_status status = tri_graph_parse(path, text, size, out);
    free(text);
    return status;
}

static tri_status parse_file(const char *path, tri_model **out)
{
    char *text;
    size_t size;
    TRI_TRY(tri__file_read(path, TRI_MODEL_BYTES, &text, &size));
    tri_status status = tri_model_parse(path, text, size, out);
    free(text);
    return status;
}

static tri_status unknown_model(const char *name)
{
    tri__nearest nearest = tri__nearest_of(name);
    char known[512], hint[TRI_NEAREST_HINT];
    tri__text list;
    tri__text_init(&list, known, sizeof known);
    for (const tri__builtin_model *model = tri__builtin_models; model->name; model++) {
        tri__nearest_offer(&nearest, model->name);
        tri__text_add(&list, "%s%s", list.used ? ", " : "", model->name);
    }
    return tri_fail(TRI_NOT_FOUND, "there is no model '%s'%s; built in are %s, or give the path of a .model file", name,
                    tri__nearest_hint(&nearest, hint), known);
}

tri_status tri_model_open(const char *name, tri_model **out)
{
    for (const tri__builtin_model *model = tri__builtin_models; model->name; model++)
        if (strcmp(name, model->name) == 0) {
            char file[TRI_MODEL_NAME + sizeof ".model"];
            snprintf(file, sizeof file, "%s.model", name);
            return tri_model_parse(file, model->text, strlen(model->text), out);
        }
    bool path = strchr(name, '/') || strchr(name, '.') || tri__file_exists(name);
    return path ? parse_file(name, out) : unknown_model(name);
}

void tri_model_destroy(tri_model *model)
{
    if (!model)
        return;
    tri__arena_destroy(model->arena);
    free(model->statement);
    free(model->canonical);
    free(model);
}

const char *tri_model_builtin(int index)
{
    for (int i = 0; i < index; i++)
        if (!tri__builtin_models[i].name)
            return NULL;
    return tri__builtin_models[index].name;
}

/* What a model says about itself */

const char *tri_model_name(const tri_model *model)
{
    return model->name;
}

const char *tri_model_text(const tri_model *model)
{
    return model->text;
}

const char *tri_model_canonical(const tri_model *model)
{
    return model->canonical;
}

const tri_model_defaults *tri_model_default(const tri_model *model)
{
    return &model->train.settings.train;
}

bool tri_model_is_sparse(const tri_model *model)
{
    return model->count > 0 && model->statement[0].verb.form == TRI_FORM_SPARSE;
}

tri_model_input tri_model_input_of(const tri_source_info *source)
{
    return (tri_model_input){.type = source->type, .shape = source->shape, .classes = source->classes, .outputs = source->outputs};
}

tri_label_kind tri_model_labels(const tri_model *model)
{
    const tri_operator *row = model->count > 0 ? tri__operator_find(model->statement[model->count - 1].verb.name) : NULL;
    return row ? row->labels : TRI_LABEL_CLASS;
}

int64_t tri_model_classes(const tri_model *model)
{
    return model->count > 0 && !strcmp(model->statement[model->count - 1].verb.name, "logistic_loss") ? 2 : 0;
}

int64_t tri_model_fields(const tri_model *model)
{
    int64_t fields = 0;
    for (int i = 0; i < model->count; i++) {
        const tri__statement *statement = &model->statement[i];
        const int64_t own = statement->verb.form == TRI_FORM_TABLE ? statement->settings.attributes.size : 0;
        fields = own > 0 && (fields == 0 || own < fields) ? own : fields;
    }
    return fields;
}

/* The digest */

static void hash_shape(tri__sha256 *hash, const char *name, tri_shape shape)
{
    char text[128];
    tri_shape_text(shape, text, sizeof text);
    tri__sha256_update(hash, name, strlen(name) + 1);
    tri__sha256_update(hash, text, strlen(text) + 1);
}

static tri_shape without_batch(tri_shape shape)
{
    return tri_shape_of(shape.rank - 1, shape.dim + 1);
}

/* The shapes of inputs, parameters and logits decide all others. */
tri_status tri_model_digest(const tri_model *model, const tri_graph *graph, char out[65])
{
    const tri_node *logits = tri_graph_find_output(graph, "logits");
    if (!logits)
        return tri_fail(TRI_BAD_CALL, "the graph was not built from the model '%s': it has no logits", model->name);
    tri__sha256 hash;
    tri__sha256_init(&hash);
    tri__sha256_update(&hash, model->canonical, model->layers_length);
    for (int i = 0; i < tri_graph_count(graph); i++) {
        const tri_node *node = tri_graph_node(graph, i);
        if (strcmp(tri_node_operator(node), "input") == 0)
            hash_shape(&hash, tri_node_name(node), without_batch(tri_node_shape(node)));
        if (strcmp(tri_node_operator(node), "parameter") == 0 || tri_node_table(node) >= 0)
            hash_shape(&hash, tri_node_name(node), tri_node_shape(node));
        if (tri_node_is_frozen(node)) /* a frozen parameter has another place in the flat buffer */
            tri__sha256_update(&hash, "frozen", strlen("frozen"));
    }
    hash_shape(&hash, "logits", without_batch(tri_node_shape(logits)));
    tri__sha256_final(&hash, out);
    return NULL;
}
