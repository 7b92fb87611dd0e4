/* study_parts.c: a table of the parts of a study, and the kind of each. The content of factors and rows is checked where cells are made
 * from them. */
#include "lab/study/study_parts.h"

#include <string.h>

#include "base/text/nearest.h"

typedef enum { ANY, WORD, WORDS, WORD_OR_WORDS, NAMED_WORDS, MAPPING, MAPPINGS, MAPPING_OR_MAPPINGS, WORD_OR_MAPPING } part_kind;

typedef struct part {
    const char *key;
    part_kind kind;
    const struct part *parts; /* of the mapping, or of each mapping of a list; NULL: any parts */
} part;

static const part table_parts[] = {{"title", WORD, NULL}, {"rows", WORDS, NULL},     {"columns", WORDS, NULL},
                                   {"by", WORD, NULL},    {"at", NAMED_WORDS, NULL}, {0}};
static const part plot_parts[] = {{"title", WORD, NULL},  {"x", WORD, NULL},         {"y", WORD_OR_WORDS, NULL},
                                  {"second", WORD, NULL}, {"series", WORD, NULL},    {"log", WORD, NULL},
                                  {"fit", WORD, NULL},    {"at", NAMED_WORDS, NULL}, {0}};
static const part fit_parts[] = {{"y", WORD, NULL}, {"x", WORDS, NULL}, {"at", NAMED_WORDS, NULL}, {0}};
static const part reported_parts[] = {{"file", WORD, NULL},         {"columns", NAMED_WORDS, NULL},
                                      {"keys", NAMED_WORDS, NULL},  {"values", MAPPING, NULL},
                                      {"at", NAMED_WORDS, NULL},    {"where", NAMED_WORDS, NULL},
                                      {"worker", WORD, NULL},       {"column", WORD, NULL},
                                      {"hosts", NAMED_WORDS, NULL}, {0}};

static const part study_parts[] = {{"title", WORD, NULL},
                                   {"about", WORD, NULL},
                                   {"command", WORD, NULL},
                                   {"prepare", WORDS, NULL},
                                   {"files", NAMED_WORDS, NULL},
                                   {"factors", ANY, NULL},
                                   {"rows", ANY, NULL},
                                   {"settings", NAMED_WORDS, NULL},
                                   {"repeats", WORD, NULL},
                                   {"seed", WORD, NULL},
                                   {"timeout", WORD, NULL},
                                   {"cluster", WORD_OR_MAPPING, NULL},
                                   {"columns", MAPPING, NULL},
                                   {"worker_columns", MAPPING, NULL},
                                   {"host_columns", MAPPING, NULL},
                                   {"reported", MAPPING_OR_MAPPINGS, reported_parts},
                                   {"findings", MAPPING, NULL},
                                   {"tables", MAPPINGS, table_parts},
                                   {"plots", MAPPINGS, plot_parts},
                                   {"fits", MAPPINGS, fit_parts},
                                   {"curves", ANY, NULL},
                                   {"notes", WORDS, NULL},
                                   {"quick", MAPPING, NULL},
                                   {"full", MAPPING, NULL},
                                   {0}};

static const char *kind_text(part_kind kind)
{
    static const char *const texts[] = {[ANY] = "a value",
                                        [WORD] = "a plain value",
                                        [WORDS] = "a list of plain values",
                                        [WORD_OR_WORDS] = "a plain value or a list of them",
                                        [NAMED_WORDS] = "a mapping of names to plain values",
                                        [MAPPING] = "a mapping",
                                        [MAPPINGS] = "a list of mappings",
                                        [MAPPING_OR_MAPPINGS] = "a mapping or a list of them",
                                        [WORD_OR_MAPPING] = "a plain value or a mapping"};
    return texts[kind];
}

static bool all_are(const json_t *value, json_type type)
{
    const char *name;
    size_t index;
    json_t *entry;
    json_array_foreach((json_t *)(uintptr_t)value, index, entry) if (json_typeof(entry) != type) return false;
    json_object_foreach((json_t *)(uintptr_t)value, name, entry) if (json_typeof(entry) != type) return false;
    return true;
}

static bool is_of_kind(const json_t *value, part_kind kind)
{
    bool word = json_is_string(value), mapping = json_is_object(value);
    bool words = json_is_array(value) && all_are(value, JSON_STRING), mappings = json_is_array(value) && all_are(value, JSON_OBJECT);
    switch (kind) {
    case ANY:
        return true;
    case WORD:
        return word;
    case WORDS:
        return words;
    case WORD_OR_WORDS:
        return word || words;
    case NAMED_WORDS:
        return mapping && all_are(value, JSON_STRING);
    case MAPPING:
        return mapping;
    case MAPPINGS:
        return mappings;
    case MAPPING_OR_MAPPINGS:
        return mapping || mappings;
    case WORD_OR_MAPPING:
        return word || mapping;
    }
    return false;
}

/* in: the part of the study that the object belongs to; NULL: the study itself. */
static tri_status check_kinds(const tri__study *study, const char *in, const json_t *object, const part *parts)
{
    for (const part *one = parts; one->key; one++) {
        const json_t *value = json_object_get(object, one->key);
        json_t *entry;
        size_t index;
        if (value && !is_of_kind(value, one->kind))
            return tri__study_wrong(study, in ? in : one->key, "%s%s%s: expected %s", in ? in : "", in ? ": " : "", one->key,
                                    kind_text(one->kind));
        if (!one->parts)
            continue;
        if (json_is_object(value))
            TRI_TRY(check_kinds(study, one->key, value, one->parts));
        json_array_foreach((json_t *)(uintptr_t)value, index, entry) TRI_TRY(check_kinds(study, one->key, entry, one->parts));
    }
    return NULL;
}

static tri_status check_keys(const tri__study *study, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        tri__nearest nearest = tri__nearest_of(key);
        const part *known = study_parts;
        for (; known->key && strcmp(known->key, key); known++)
            tri__nearest_offer(&nearest, known->key);
        char hint[TRI_NEAREST_HINT];
        if (!known->key)
            return tri__study_wrong(study, key, "a study has no '%s'%s", key, tri__nearest_hint(&nearest, hint));
    }
    return NULL;
}

tri_status tri__study_check_parts(const tri__study *study, const json_t *object)
{
    TRI_TRY(check_keys(study, object));
    return check_kinds(study, NULL, object, study_parts);
}
