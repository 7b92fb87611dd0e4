/* measure.c: the table of measures. */
#include "train/options/measure.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"

#define FIELD(name) offsetof(tri__evaluation, name)

static const tri__measure measures[] = {
    {"loss", "loss", TRI_MEASURE_LOSS, TRI_OF_ALL, false, false, true, FIELD(loss)},
    {"accuracy", "accuracy", TRI_MEASURE_SHARE, TRI_OF_CLASSES | TRI_OF_TWO_CLASSES | TRI_OF_SETS, true, true, true, FIELD(accuracy)},
    {"auc", "AUC", TRI_MEASURE_SHARE, TRI_OF_TWO_CLASSES, true, false, true, FIELD(auc)},
    {"logloss", "log loss", TRI_MEASURE_LOSS, TRI_OF_TWO_CLASSES, true, false, false, FIELD(logloss)},
    {"calibration", "calibration", TRI_MEASURE_RATIO, TRI_OF_TWO_CLASSES, true, false, false, FIELD(calibration)},
    {"mse", "MSE", TRI_MEASURE_LOSS, TRI_OF_NUMBERS, false, false, false, FIELD(mse)},
    {"mae", "MAE", TRI_MEASURE_LOSS, TRI_OF_NUMBERS, false, false, true, FIELD(mae)},
    {"r2", "R2", TRI_MEASURE_FIT, TRI_OF_NUMBERS, false, false, true, FIELD(r2)},
    {"f1", "F1", TRI_MEASURE_SHARE, TRI_OF_SETS, false, true, true, FIELD(f1)},
};

const tri__measure *tri__measure_at(int index)
{
    return index < (int)(sizeof measures / sizeof *measures) ? &measures[index] : NULL;
}

const tri__measure *tri__measure_find(const char *name, size_t length)
{
    const tri__measure *measure;
    for (int i = 0; (measure = tri__measure_at(i)) && (strlen(measure->name) != length || strncmp(measure->name, name, length) != 0); i++)
        ;
    return measure;
}

double tri__measure_of(const tri__measure *measure, const tri__evaluation *evaluation)
{
    double value;
    memcpy(&value, (const char *)evaluation + measure->field, sizeof value);
    return value;
}

static void set(const tri__measure *measure, tri__evaluation *evaluation, double value)
{
    memcpy((char *)evaluation + measure->field, &value, sizeof value);
}

tri__evaluation tri__evaluation_of_nothing(void)
{
    tri__evaluation nothing = {0};
    const tri__measure *measure;
    for (int i = 0; (measure = tri__measure_at(i)); i++)
        set(measure, &nothing, NAN);
    return nothing;
}

const char *tri__measures_text(const tri__evaluation *evaluation, const char *between, char text[TRI_MEASURES_TEXT])
{
    const tri__measure *measure;
    tri__text line;
    tri__text_init(&line, text, TRI_MEASURES_TEXT);
    for (int i = 0; (measure = tri__measure_at(i)); i++) {
        const double value = tri__measure_of(measure, evaluation);
        if (!measure->told || (isnan(value) && measure->models != TRI_OF_ALL))
            continue;
        tri__text_add(&line, measure->percent ? "%stest %s %.2f %%" : "%stest %s %.4f", line.used ? between : "", measure->title,
                      measure->percent ? 100 * value : value);
    }
    return text;
}

void tri__measures_put(const tri__evaluation *evaluation, json_t *object)
{
    const tri__measure *measure;
    for (int i = 0; (measure = tri__measure_at(i)); i++)
        json_object_set_new(object, measure->name, tri__json_number(tri__measure_of(measure, evaluation)));
}

tri__evaluation tri__measures_get(const json_t *object, const char *prefix)
{
    tri__evaluation evaluation = {0};
    const tri__measure *measure;
    for (int i = 0; (measure = tri__measure_at(i)); i++) {
        char key[64];
        snprintf(key, sizeof key, "%s%s", prefix, measure->name);
        set(measure, &evaluation, tri__json_number_of(object, key));
    }
    return evaluation;
}
