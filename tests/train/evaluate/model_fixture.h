/* model_fixture.h: a model built for a source, with its parameters in a local store. */
#ifndef TESTS_TRAIN_EVALUATE_MODEL_FIXTURE_H
#define TESTS_TRAIN_EVALUATE_MODEL_FIXTURE_H

#include <string.h>

#include "support.h"
#include "trireme/trireme.h"

typedef struct {
    tri_source *source;
    tri_model *model;
    tri_graph *graph;
    tri_store *store;
} fixture;

/* The model of text for a source, in batches of 8; its parameters are 0. input is what it takes; NULL: what the source has. */
static inline fixture fixture_make(const char *spec, const char *text, const tri_model_input *input)
{
    fixture self;
    assert_ok(tri_source_open(spec, TRI_PART_TRAIN, &(tri_source_options){.seed = 1}, &self.source));
    const tri_source_info *info = tri_source_describe(self.source);
    assert_ok(tri_model_parse("mine", text, strlen(text), &self.model));
    const tri_model_input own = tri_model_input_of(info);
    assert_ok(tri_model_build(self.model, input ? input : &own, 8, &self.graph));
    assert_ok(tri_store_local_create(tri_graph_parameter_floats(self.graph), &(tri_rule){0}, &self.store));
    return self;
}

static inline void fixture_end(fixture *self)
{
    tri_store_destroy(self->store);
    tri_graph_destroy(self->graph);
    tri_model_destroy(self->model);
    tri_source_destroy(self->source);
}

#endif
