/* fake.c: random bytes in any shape with random labels, for measurements. A record is made when it is read, from the seed and its
 * number. */
#include "data/make/fake.h"

#include <stdlib.h>

#include "base/bytes/random.h"
#include "base/memory/memory.h"

#define DEFAULT_EXAMPLES 1024
#define LARGEST_SIDE     100000
#define MOST_CLASSES     1000000
#define MOST_EXAMPLES    INT64_C(1000000000000)

typedef struct {
    tri_source source;
    tri__key key;
} fake_source;

static tri_status fake_read(tri__reader *reader, int64_t record, const tri__example_target *to)
{
    const fake_source *self = (const fake_source *)reader->source;
    const tri_source *source = &self->source;
    tri__random_fill_bytes(tri__key_split(self->key, (uint64_t)record), 0, (int64_t)source->example_bytes, to->x);
    *to->label = (int32_t)tri__random_below(tri__key_split_name(self->key, "label"), (uint64_t)record, (uint64_t)source->info.classes);
    return NULL;
}

static void fake_destroy(tri_source *source)
{
    free(source);
}

static const tri__source_kind fake_kind = {.read = fake_read, .destroy = fake_destroy};

static bool skip(const char **text, char expected)
{
    return **text == expected && (*text)++;
}

/* "HxWxC:CLASSES[:N]" */
static bool parse(const char *text, tri_shape *shape, int64_t *classes, int64_t *examples)
{
    *shape = (tri_shape){.rank = 3};
    *examples = DEFAULT_EXAMPLES;
    for (int i = 0; i < 3; i++)
        if ((i > 0 && !skip(&text, 'x')) || !tri__source_parse_count(&text, LARGEST_SIDE, &shape->dim[i]))
            return false;
    if (!skip(&text, ':') || !tri__source_parse_count(&text, MOST_CLASSES, classes))
        return false;
    if (skip(&text, ':') && !tri__source_parse_count(&text, MOST_EXAMPLES, examples))
        return false;
    return *text == 0;
}

tri_status tri__fake_open(const char *arguments, tri_part part, const tri_source_options *options, tri_source **out)
{
    tri_shape shape;
    int64_t classes, examples;
    if (!arguments || !parse(arguments, &shape, &classes, &examples))
        return tri_fail(TRI_BAD_CALL, "'fake:%s' should be fake:HxWxC:CLASSES[:N], such as fake:224x224x3:1000 or fake:28x28x1:10:60000",
                        arguments ? arguments : "");
    fake_source *self;
    TRI_TRY(tri__allocate(1, sizeof *self, "a data source", &self));
    self->source.kind = &fake_kind;
    self->source.info.format = "fake";
    self->source.info.examples = part == TRI_PART_TEST ? tri__source_test_share(examples) : examples;
    self->source.info.classes = classes;
    self->key = tri__key_split(tri__key_split_name(tri__key_of(options->seed), "fake"), part);
    tri_status status = tri__source_set_shape(&self->source, shape);
    if (status) {
        free(self);
        return status;
    }
    *out = &self->source;
    return NULL;
}
