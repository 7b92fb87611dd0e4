/* initial_weights.c: finds a file's tensors by name. Each parameter of the model looks for its own tensor; other tensors of the file are
 * ignored. */
#define _GNU_SOURCE /* strchrnul */
#include "train/checkpoint/initial_weights.h"

#include <stdio.h>
#include <string.h>

#include "base/file/folder.h"
#include "tensor/safetensors.h"
#include "train/checkpoint/checkpoint_read.h"
#include "train/checkpoint/checkpoint_restore.h"

enum { NAME = 256, NOTE = 400 };

typedef struct {
    const char *names; /* --init-names; NULL: the file names layers as the model does */
    int taken, left;   /* parameters that fitted, and that did not */
    bool weighs;       /* a weight was taken, not only biases */
    bool cut;          /* the note ends with "…": there are more */
    char note[NOTE];   /* which parameters did not fit, and why */
} fitting;

/* ---- names ---- */

/* The file's name for a layer, by names such as "dense1=fc1,…". letters: the length of the layer's name. NULL: the same name as the
 * model's. */
static const char *find_layer(const char *names, const char *layer, size_t letters, size_t *size)
{
    while (names && *names) {
        const char *equals = strchr(names, '='), *end = strchrnul(names, ',');
        if (equals && equals < end && (size_t)(equals - names) == letters && !strncmp(names, layer, letters)) {
            *size = (size_t)(end - equals - 1);
            return equals + 1;
        }
        names = *end ? end + 1 : NULL;
    }
    return NULL;
}

/* The file's name for "dense1.weight". */
static const char *find_name(const char *names, const char *ours, char theirs[NAME])
{
    const char *dot = strrchr(ours, '.');
    size_t letters = dot ? (size_t)(dot - ours) : strlen(ours), size = 0;
    const char *layer = find_layer(names, ours, letters, &size);
    if (layer)
        snprintf(theirs, NAME, "%.*s%s", (int)size, layer, ours + letters);
    else
        snprintf(theirs, NAME, "%s", ours);
    return theirs;
}

/* Check that every entry is LAYER=NAME, and that the model has the layer. */
static tri_status check_names(const char *names, const tri_graph *graph)
{
    for (const char *at = names; at && *at;) {
        const char *end = strchrnul(at, ','), *equals = memchr(at, '=', (size_t)(end - at));
        if (!equals || equals == at || equals + 1 == end)
            return tri_fail(TRI_BAD_CALL, "--init-names %s: expected LAYER=NAME, several with commas between", names);
        const size_t letters = (size_t)(equals - at);
        bool known = false;
        for (int i = 0; i < tri_graph_count(graph) && !known; i++) {
            const char *name = tri_node_name(tri_graph_node(graph, i));
            known = tri_node_range(tri_graph_node(graph, i)).count > 0 && !strncmp(name, at, letters) && name[letters] == '.';
        }
        size_t size;
        const char *first = find_layer(names, at, letters, &size);
        if (first != equals + 1)
            return tri_fail(TRI_BAD_CALL, "--init-names: '%.*s' is there twice", (int)letters, at);
        if (!known)
            return tri_fail(TRI_BAD_CALL, "--init-names: the model has no layer '%.*s' with parameters ('trireme model' lists them)",
                            (int)letters, at);
        at = *end ? end + 1 : end;
    }
    return NULL;
}

/* ---- tensors ---- */

static const tri_tensor *find_tensor(const tri__safetensors *file, const char *name)
{
    for (size_t i = 0; i < tri__safetensors_count(file); i++)
        if (!strcmp(tri__safetensors_at(file, i)->name, name))
            return &tri__safetensors_at(file, i)->tensor;
    return NULL;
}

/* Add a parameter to the note. What does not fit the note is left out whole. */
static void leave(fitting *fit, const tri_node *node, const char *theirs, const tri_tensor *tensor)
{
    char wanted[64], found[64], one[NOTE];
    const size_t used = strlen(fit->note);
    tri_shape_text(tri_node_shape(node), wanted, sizeof wanted);
    if (!tensor)
        snprintf(one, sizeof one, "%s (no '%s' there)", tri_node_name(node), theirs);
    else
        snprintf(one, sizeof one, "%s (%s here, %s %s there)", tri_node_name(node), wanted, tri_type_name(tensor->type),
                 tri_shape_text(tensor->shape, found, sizeof found));
    const bool fits = used + strlen(one) + sizeof ", …" < NOTE;
    if (fits || !fit->cut)
        snprintf(fit->note + used, NOTE - used, "%s%s", used ? ", " : "", fits ? one : "…");
    fit->cut |= !fits;
    fit->left++;
}

static void fit_parameter(fitting *fit, const tri__safetensors *file, const tri_node *node, tri_store *store)
{
    char theirs[NAME];
    const tri_range range = tri_node_range(node);
    const tri_tensor *tensor = find_tensor(file, find_name(fit->names, tri_node_name(node), theirs));
    if (!tensor || tensor->type != TRI_F32 || !tri_shape_equal(tensor->shape, tri_node_shape(node))) {
        leave(fit, node, theirs, tensor);
        return;
    }
    memcpy(tri_store_parameters(store) + range.first, tensor->data, range.count * sizeof(float));
    fit->taken++;
    fit->weighs = fit->weighs || tensor->shape.rank > 1;
}

static tri_status fit_all(const char *path, const char *names, tri__log *log, const tri__safetensors *file, const tri_graph *graph,
                          tri_store *store)
{
    fitting fit = {.names = names};
    for (int i = 0; i < tri_graph_count(graph); i++)
        if (tri_node_range(tri_graph_node(graph, i)).count > 0)
            fit_parameter(&fit, file, tri_graph_node(graph, i), store);
    if (!fit.weighs && fit.left > 0)
        return tri_fail(TRI_BAD_DATA, "%s: no weight of the model is there with its name and shape: %s", path, fit.note);
    if (fit.left > 0)
        tri__log_line(log, TRI_LOG_INFO, "--init took %d of %d parameters from %s; these begin as usual: %s", fit.taken,
                      fit.taken + fit.left, path, fit.note);
    return NULL;
}

static bool has_tables(const tri_graph *graph)
{
    for (int i = 0; i < tri_graph_count(graph); i++)
        if (tri_node_table(tri_graph_node(graph, i)) >= 0)
            return true;
    return false;
}

static tri_status load(const char *path, const char *names, tri__log *log, const tri_source_info *source, const tri_graph *graph,
                       tri_store *store)
{
    if (has_tables(graph))
        return names ? tri_fail(TRI_BAD_CALL, "--init-names is for models without tables")
                     : tri__checkpoint_load_parameters(path, log, source, graph, store);
    TRI_TRY(check_names(names, graph));
    if (tri__folder_exists(path)) {
        tri__checkpoint *checkpoint;
        TRI_TRY(tri__checkpoint_open(path, log, &checkpoint));
        tri_status status = fit_all(path, names, log, checkpoint->file, graph, store);
        tri__checkpoint_close(checkpoint);
        return status;
    }
    tri__safetensors *file;
    TRI_TRY(tri__safetensors_open(path, &file));
    tri_status status = fit_all(path, names, log, file, graph, store);
    tri__safetensors_close(file);
    return status;
}

tri_status tri__initial_weights_load(const char *path, const char *names, tri__log *log, const tri_source_info *source,
                                     const tri_graph *graph, tri_store *store)
{
    return tri_wrap(load(path, names, log, source, graph, store), "--init");
}
