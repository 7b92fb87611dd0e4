/* lower_narrow.c: finds the groups of nodes that narrow kernels compute.
 *
 * A narrow kernel computes several nodes in one pass: convolution, ReLU and pooling; all gradients of a layer; a whole softmax regression.
 * So groups are looked for before calls are made: the nodes of a layer, forward and backward. A group is taken where its kernels win and
 * where no value inside it is needed outside. Its forward call is made when the first of its forward nodes comes, and its backward call
 * when the first of its gradient nodes comes. */
#include "graph/plan/lower_narrow.h"

#include <string.h>

#include "graph/rewrite/rewrite.h"
#include "tensor/narrow/narrow.h"

#define MOST_MEMBERS 12

typedef enum { CONVOLUTION, DENSE, LOSS, HEAD } group_kind;

struct tri__group {
    group_kind kind;
    const tri_node *layer;        /* convolution, matmul or softmax_loss */
    const tri_node *pool, *relu;  /* convolution: behind it, or NULL */
    const tri_node *last;         /* the node whose value the forward kernel gives */
    const tri_node *image;        /* head: the scaled input that it reads */
    const tri_node *loss;         /* head, loss: the softmax_loss */
    const tri_node *dy;           /* the gradient that the backward kernel reads; NULL where there is none */
    const tri_node *dw, *db, *dx; /* the gradients that it gives; NULL where not wanted. loss: dx is the gradient of the logits */
    const tri_node *forward[MOST_MEMBERS], *backward[MOST_MEMBERS];
    int forwards, backwards;
    union {
        tri__narrow_conv conv;
        tri__narrow_dense dense;
        tri__narrow_head head;
    } spec;
};

/* ---- members ---- */

static void add_forward(tri__group *group, const tri_node *node)
{
    group->forward[group->forwards++] = node;
}

static bool is_in(const tri_node *const *list, int count, const tri_node *node)
{
    for (int i = 0; i < count; i++)
        if (list[i] == node)
            return true;
    return false;
}

static bool is_member(const tri__group *group, const tri_node *node)
{
    return is_in(group->forward, group->forwards, node) || is_in(group->backward, group->backwards, node);
}

/* The one forward node that reads `node`, or NULL where there are none or several. is_closed looks at gradients later. */
static const tri_node *only_user(const tri__compiler *compiler, const tri_node *node)
{
    const tri_node *found = NULL;
    for (int i = 0; i < compiler->graph->count; i++) {
        const tri_node *user = compiler->graph->node[i];
        for (int k = 0; k < user->inputs && !user->forward; k++)
            if (user->input[k] == node) {
                if (found)
                    return NULL;
                found = user;
            }
    }
    return found;
}

/* All gradient nodes of the forward members. False where there are more than a group can have. */
static bool collect_backward(const tri__compiler *compiler, tri__group *group)
{
    for (int i = 0; i < compiler->graph->count; i++) {
        const tri_node *node = compiler->graph->node[i];
        if (!node->forward || !is_in(group->forward, group->forwards, node->forward))
            continue;
        if (group->backwards == MOST_MEMBERS)
            return false;
        group->backward[group->backwards++] = node;
    }
    return true;
}

/* All members of a group, forward and backward; returns how many. */
static int list_members(const tri__group *group, const tri_node **members)
{
    int count = 0;
    for (int i = 0; i < group->forwards; i++)
        members[count++] = group->forward[i];
    for (int i = 0; i < group->backwards; i++)
        members[count++] = group->backward[i];
    return count;
}

/* Whether no value inside the group is needed outside, except the values that the kernels give. */
static bool is_closed(const tri__compiler *compiler, const tri__group *group)
{
    const tri_node *given[] = {group->last, group->loss, group->dw, group->db, group->dx};
    const tri_node *members[2 * MOST_MEMBERS];
    int count = list_members(group, members);
    for (int i = 0; i < count; i++)
        if (!is_in(given, 5, members[i]) && tri__compiler_is_live_elsewhere(compiler, members[i], members, count))
            return false;
    return true;
}

/* Find dy, dw, db and dx among a layer's gradient nodes. False where a node is none of these. */
static bool name_gradients(tri__group *group)
{
    const tri_node *weight = group->layer->input[1], *bias = group->layer->inputs > 2 ? group->layer->input[2] : NULL;
    for (int i = 0; i < group->backwards; i++) {
        const tri_node *node = group->backward[i];
        bool is_matmul = tri__node_is(node, "matmul");
        if (node->parameter == weight && weight)
            group->dw = node;
        else if (node->parameter == bias && bias)
            group->db = node;
        else if (tri__node_is(node, "convolution_grad_input") || (is_matmul && tri_shape_equal(node->shape, group->layer->input[0]->shape)))
            group->dx = node;
        else if (!tri__node_is(node, "relu_grad") && !tri__node_is(node, "avgpool_grad") && !tri__node_is(node, "maxpool_grad"))
            return false;
        if (!is_member(group, node->input[0]))
            group->dy = node->input[0];
    }
    return group->backwards == 0 || (group->dw && !group->db == !bias);
}

/* Enter a group into the tables, unless a value inside is needed outside, or a gradient node is not known. */
static tri_status take(tri__compiler *compiler, const tri__group *group, bool *taken)
{
    *taken = is_closed(compiler, group);
    if (!*taken)
        return NULL;
    tri__group *kept = TRI_ARENA_NEW(compiler->graph->arena, tri__group);
    if (!kept)
        return tri_fail(TRI_NO_MEMORY, "no memory for a plan");
    *kept = *group;
    for (int i = 0; i < kept->forwards; i++)
        compiler->forward[kept->forward[i]->id] = kept;
    for (int i = 0; i < kept->backwards; i++)
        compiler->backward[kept->backward[i]->id] = kept;
    return NULL;
}

/* ---- the four kinds ---- */

/* The convolution's kernel can do pooling whose windows lie side by side. */
static bool is_fusable_pool(const tri_node *node)
{
    const tri_attributes *a = &node->attributes;
    return (tri__node_is(node, "avgpool") || tri__node_is(node, "maxpool")) && a->kernel[0] == a->kernel[1] && a->kernel[0] <= 15 &&
           a->stride[0] == a->kernel[0] && a->stride[1] == a->kernel[1] && a->pad[0] == 0 && a->pad[1] == 0 && a->pad_more[0] == 0 &&
           a->pad_more[1] == 0;
}

static tri__narrow_conv convolution_spec(const tri__group *group)
{
    const tri_node *layer = group->layer;
    const tri_attributes *a = &layer->attributes;
    const tri_shape x = layer->input[0]->shape, w = layer->input[1]->shape;
    return (tri__narrow_conv){
        .batch = x.dim[0],
        .channels = x.dim[1],
        .height = x.dim[2],
        .width = x.dim[3],
        .filters = w.dim[0],
        .kernel_h = w.dim[2],
        .kernel_w = w.dim[3],
        .stride_h = a->stride[0],
        .stride_w = a->stride[1],
        .pad_h = a->pad[0],
        .pad_w = a->pad[1],
        .bias = layer->inputs > 2,
        .relu = a->activation == TRI_ACTIVATION_RELU || group->relu,
        .pool = !group->pool                           ? TRI_NARROW_NO_POOL
                : tri__node_is(group->pool, "avgpool") ? TRI_NARROW_AVERAGE
                                                       : TRI_NARROW_MAX,
        .pool_size = group->pool ? group->pool->attributes.kernel[0] : 0,
    };
}

/* conv [+ relu inside] [+ pool [+ relu behind a max pool]] */
static tri_status find_convolution(tri__compiler *compiler, const tri_node *layer)
{
    if (!tri__node_is(layer, "convolution") || layer->forward || !tri__takes_activation(layer) || !tri__has_plain_window(layer))
        return NULL;
    tri__group group = {.kind = CONVOLUTION, .layer = layer, .last = layer};
    add_forward(&group, layer);
    const tri_node *user = only_user(compiler, layer);
    if (user && is_fusable_pool(user)) {
        group.pool = group.last = user;
        add_forward(&group, user);
        const tri_node *next = only_user(compiler, user);
        if (next && tri__node_is(user, "maxpool") && tri__node_is(next, "relu")) {
            group.relu = group.last = next;
            add_forward(&group, next);
        }
    }
    group.spec.conv = convolution_spec(&group);
    bool taken;
    if (!tri__narrow_wins_conv(&group.spec.conv) || !collect_backward(compiler, &group) || !name_gradients(&group))
        return NULL;
    return take(compiler, &group, &taken);
}

static bool is_dense(const tri_node *node)
{
    return tri__node_is(node, "matmul") && !node->forward && node->attributes.transpose_b && !node->attributes.transpose_a &&
           !tri__matmul_adds(node) && tri__takes_activation(node);
}

static tri_status find_dense(tri__compiler *compiler, const tri_node *layer)
{
    if (!is_dense(layer) || compiler->forward[layer->id])
        return NULL;
    tri__group group = {.kind = DENSE, .layer = layer, .last = layer};
    add_forward(&group, layer);
    group.spec.dense = (tri__narrow_dense){
        .batch = layer->shape.dim[0],
        .in = layer->input[1]->shape.dim[1],
        .out = layer->shape.dim[1],
        .bias = layer->inputs > 2,
        .relu = layer->attributes.activation == TRI_ACTIVATION_RELU,
    };
    bool taken;
    if (!tri__narrow_wins_dense(&group.spec.dense) || !collect_backward(compiler, &group) || !name_gradients(&group))
        return NULL;
    return take(compiler, &group, &taken);
}

static bool is_one(const tri_node *node)
{
    return tri__node_is(node, "constant") && node->shape.rank == 0 &&
           (node->data ? *(const float *)node->data : node->attributes.value) == 1.0f;
}

/* Narrow kernels take plain labels: neither smoothed nor mixed. */
static bool is_plain_loss(const tri_node *node)
{
    return tri__node_is(node, "softmax_loss") && node->attributes.smoothing == 0 && node->input[1]->type == TRI_I32;
}

/* Loss and gradient of the logits in one pass, where a dense group gives the logits in lanes. */
static tri_status find_loss(tri__compiler *compiler, const tri_node *loss)
{
    if (!is_plain_loss(loss) || !compiler->forward[loss->input[0]->id] || compiler->forward[loss->id])
        return NULL;
    tri__group group = {.kind = LOSS, .layer = loss, .last = loss, .loss = loss};
    add_forward(&group, loss);
    if (!collect_backward(compiler, &group) || group.backwards != 1 || !is_one(group.backward[0]->input[0]))
        return NULL;
    group.dx = group.backward[0];
    bool taken;
    return take(compiler, &group, &taken);
}

/* The scaled input that a classifier reads, directly or through reshapes; NULL where it reads something else, or where channels would have
 * to move. */
static const tri_node *image_below(const tri_node *node)
{
    while (node->op->view)
        node = node->input[0];
    if (!tri__node_is(node, "image"))
        return NULL;
    const tri_shape x = node->input[0]->shape;
    return x.rank != 4 || x.dim[3] == 1 ? node : NULL;
}

/* A head reads the batch itself: the nodes between the batch and the head need not be computed where nothing else reads them. */
static void cover_image(tri__compiler *compiler, const tri__group *group)
{
    const tri_node *readers[2 * MOST_MEMBERS + 1];
    int count = list_members(group, readers);
    const tri_node *node = group->layer->input[0];
    while (!tri__compiler_is_live_elsewhere(compiler, node, readers, count)) {
        compiler->covered[node->id] = true;
        if (node == group->image)
            return;
        readers[count] = node;
        count += count < 2 * MOST_MEMBERS;
        node = node->input[0];
    }
}

/* The head's call is made when its first node comes, so everything else that it reads must exist from the start. */
static bool is_input(const tri_node *node)
{
    return tri__node_is(node, "input");
}

/* Find the loss behind a head, and the gradients of both. False where one kernel cannot compute them. */
static bool complete_head(const tri__compiler *compiler, tri__group *group)
{
    const tri_node *layer = group->layer, *bias = group->spec.head.bias ? layer->input[2] : NULL;
    group->loss = group->last = only_user(compiler, layer);
    if (!group->loss || !is_plain_loss(group->loss) || !is_input(group->loss->input[1]) || !is_input(group->loss->input[2]))
        return false;
    add_forward(group, group->loss);
    if (!collect_backward(compiler, group))
        return false;
    for (int i = 0; i < group->backwards; i++) {
        const tri_node *node = group->backward[i];
        if (node->parameter == layer->input[1])
            group->dw = node;
        else if (bias && node->parameter == bias)
            group->db = node;
        else if (!tri__node_is(node, "softmax_loss_grad") || !is_one(node->input[0]))
            return false;
    }
    return group->dw && !group->db == !bias;
}

/* A classifier directly on the input: logits, loss and all gradients in one pass; where not training, only the logits. */
static tri_status find_head(tri__compiler *compiler, const tri_node *layer)
{
    const tri_node *image = is_dense(layer) && layer->attributes.activation == TRI_ACTIVATION_NONE ? image_below(layer->input[0]) : NULL;
    if (!image)
        return NULL;
    tri__group group = {.kind = HEAD, .layer = layer, .last = layer, .image = image};
    add_forward(&group, layer);
    group.spec.head = (tri__narrow_head){
        .batch = layer->shape.dim[0],
        .in = layer->input[1]->shape.dim[1],
        .classes = layer->shape.dim[1],
        .type = image->input[0]->type,
        .scale = image->attributes.scale,
        .offset = image->attributes.offset,
        .bias = layer->inputs > 2,
    };
    bool taken;
    if (!tri__narrow_wins_head(&group.spec.head) || (compiler->plan->options.training && !complete_head(compiler, &group)))
        return NULL;
    TRI_TRY(take(compiler, &group, &taken));
    if (taken)
        cover_image(compiler, &group);
    return NULL;
}

tri_status tri__narrow_find(tri__compiler *compiler)
{
    const tri_graph *graph = compiler->graph;
    for (int i = 0; i < graph->count; i++) {
        TRI_TRY(find_head(compiler, graph->node[i]));
        TRI_TRY(find_convolution(compiler, graph->node[i]));
        TRI_TRY(find_dense(compiler, graph->node[i]));
    }
    for (int i = 0; i < graph->count && compiler->plan->options.training; i++)
        TRI_TRY(find_loss(compiler, graph->node[i]));
    return NULL;
}

/* ---- lowering ---- */

static tri__narrow_team team_of(const tri__compiler *compiler)
{
    return (tri__narrow_team){.threads = compiler->plan->options.threads};
}

static void cover(tri__compiler *compiler, const tri_node *const *nodes, int count)
{
    for (int i = 0; i < count; i++)
        compiler->covered[nodes[i]->id] = true;
}

static void list(const tri_node **arguments, int count, const tri_node *const *nodes)
{
    for (int i = 0; i < count; i++)
        if (nodes[i])
            *arguments++ = nodes[i];
}

static tri_status lower_forward(tri__compiler *compiler, const tri__group *group, tri__lowered *lowered)
{
    const tri_node *layer = group->layer;
    const tri__narrow_team team = team_of(compiler);
    lowered->node = group->last;
    lowered->output[0] = group->last;
    list(lowered->input, 3, (const tri_node *[]){layer->input[0], layer->input[1], layer->inputs > 2 ? layer->input[2] : NULL});
    switch (group->kind) {
    case CONVOLUTION:
        lowered->keeps = layer;
        return tri__narrow_conv_forward(&group->spec.conv, team, &lowered->kernel);
    case DENSE:
        return tri__narrow_dense_forward(&group->spec.dense, team, &lowered->kernel);
    case LOSS:
        lowered->output[1] = group->dx;
        return tri__narrow_softmax_loss(layer->input[0]->shape.dim[0], layer->input[0]->shape.dim[1], team, &lowered->kernel);
    case HEAD:
        break;
    }
    const tri_node *x = group->image->input[0], *bias = layer->inputs > 2 ? layer->input[2] : NULL;
    if (!group->loss) {
        list(lowered->input, 3, (const tri_node *[]){x, layer->input[1], bias});
        return tri__narrow_head_forward(&group->spec.head, team, &lowered->kernel);
    }
    list(lowered->input, 5, (const tri_node *[]){x, group->loss->input[1], group->loss->input[2], layer->input[1], bias});
    list(lowered->output, 3, (const tri_node *[]){group->loss, group->dw, group->db});
    return tri__narrow_head_step(&group->spec.head, team, &lowered->kernel);
}

static tri_status lower_backward(tri__compiler *compiler, const tri__group *group, tri__lowered *lowered)
{
    const tri_node *layer = group->layer;
    const tri__narrow_team team = team_of(compiler);
    lowered->node = group->dw;
    list(lowered->output, 3, (const tri_node *[]){group->dw, group->db, group->dx});
    if (group->kind == CONVOLUTION) {
        list(lowered->input, 3, (const tri_node *[]){group->dy, layer->input[0], layer->input[1]});
        lowered->reads = layer;
        return tri__narrow_conv_backward(&group->spec.conv, group->dx != NULL, team, &lowered->kernel);
    }
    list(lowered->input, 4, (const tri_node *[]){group->dy, layer->input[0], layer->input[1], group->spec.dense.relu ? layer : NULL});
    return tri__narrow_dense_backward(&group->spec.dense, group->dx != NULL, team, &lowered->kernel);
}

/* Whether a narrow layer reads this value, directly or through a reshape. */
static bool feeds_narrow(const tri__compiler *compiler, const tri_node *node)
{
    for (int i = 0; i < compiler->graph->count; i++) {
        const tri_node *user = compiler->graph->node[i];
        const tri__group *group = compiler->forward[i];
        if (user->inputs > 0 && user->input[0] == node) {
            if (group && (group->kind == CONVOLUTION || group->kind == DENSE))
                return true;
            if (user->op->view && feeds_narrow(compiler, user))
                return true;
        }
    }
    return false;
}

static tri_status lower_image(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    if (!feeds_narrow(compiler, node))
        return NULL;
    const tri_shape x = node->input[0]->shape;
    bool is_picture = x.rank == 4;
    const tri__narrow_input spec = {
        .batch = x.dim[0],
        .height = is_picture ? x.dim[1] : 1,
        .width = is_picture ? x.dim[2] : 1,
        .channels = is_picture ? x.dim[3] : tri_shape_count(x) / x.dim[0],
        .type = node->input[0]->type,
        .scale = node->attributes.scale,
        .offset = node->attributes.offset,
    };
    lowered->input[0] = node->input[0];
    lowered->output[0] = node;
    return tri__narrow_import(&spec, team_of(compiler), &lowered->kernel);
}

tri_status tri__lower_narrow(tri__compiler *compiler, const tri_node *node, tri__lowered *lowered)
{
    const tri__group *forward = compiler->forward[node->id], *backward = compiler->backward[node->id];
    if (tri__node_is(node, "image"))
        return lower_image(compiler, node, lowered);
    if (forward) {
        TRI_TRY(lower_forward(compiler, forward, lowered));
        cover(compiler, forward->forward, forward->forwards);
        if (forward->kind == LOSS || forward->kind == HEAD)
            cover(compiler, forward->backward, forward->backwards);
    } else if (backward) {
        TRI_TRY(lower_backward(compiler, backward, lowered));
        cover(compiler, backward->backward, backward->backwards);
    }
    return NULL;
}
