/* progress_json.c: progress as JSON, for another process. What is not known is left out. */
#include "watch/progress/progress_json.h"

#include <math.h>

static const struct {
    const char *name;
    size_t offset;
} numbers[] = {
    {"examples_per_second", offsetof(tri__progress, examples_per_second)},
    {"loss", offsetof(tri__progress, loss)},
    {"accuracy", offsetof(tri__progress, accuracy)},
    {"elapsed", offsetof(tri__progress, elapsed)},
    {"left", offsetof(tri__progress, left)},
};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

json_t *tri__progress_json(const tri__progress *progress)
{
    json_t *object = json_object(), *shares = json_array();
    if (progress->label)
        json_object_set_new(object, "label", json_string(progress->label));
    json_object_set_new(object, "step", json_integer(progress->step));
    json_object_set_new(object, "steps", json_integer(progress->steps));
    if (progress->workers)
        json_object_set_new(object, "workers", json_integer(progress->workers));
    for (int i = 0; i < NUMBERS; i++) {
        double value = *(const double *)((const char *)progress + numbers[i].offset);
        if (isfinite(value))
            json_object_set_new(object, numbers[i].name, json_real(value));
    }
    for (int i = 0; i < TRI_PHASES; i++)
        json_array_append_new(shares, json_real(isfinite(progress->share[i]) ? progress->share[i] : 0));
    if (json_object_set_new(object, "share", shares)) {
        json_decref(object);
        return NULL;
    }
    return object;
}

void tri__progress_read(const json_t *value, tri__progress *out)
{
    *out = (tri__progress){
        .label = json_string_value(json_object_get(value, "label")),
        .step = json_integer_value(json_object_get(value, "step")),
        .steps = json_integer_value(json_object_get(value, "steps")),
        .workers = (int)json_integer_value(json_object_get(value, "workers")),
    };
    for (int i = 0; i < NUMBERS; i++)
        *(double *)((char *)out + numbers[i].offset) = tri__json_number_of(value, numbers[i].name);
    for (int i = 0; i < TRI_PHASES; i++)
        out->share[i] = json_number_value(json_array_get(json_object_get(value, "share"), (size_t)i));
}
