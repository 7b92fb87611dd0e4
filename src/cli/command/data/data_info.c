/* data_info.c: trireme data info. */
#include <math.h>
#include <string.h>

#include "base/text/text.h"
#include "cli/command/data/data_options.h"
#include "cli/process/counting.h"
#include "cli/table/commands.h"
#include "data/convert/info.h"
#include "data/source/labels.h"

static const char *const part_name[] = {[TRI_PART_TRAIN] = "train", [TRI_PART_TEST] = "test", [TRI_PART_VALIDATION] = "validation"};

static json_t *names_json(const tri__info *info)
{
    bool numbers = tri__labels_differ(&info->numbering);
    if (!info->class_names && !numbers)
        return json_null();
    json_t *list = json_array();
    for (int64_t i = 0; i < info->classes; i++)
        json_array_append_new(list, numbers ? json_integer(tri__class_label(&info->numbering, i)) : json_string(info->class_names[i]));
    return list;
}

static json_t *part_json(const tri__info *info, const tri__part_info *part)
{
    if (!part->present)
        return json_null();
    json_t *counts = part->class_counts ? json_array() : json_null();
    for (int64_t i = 0; part->class_counts && i < info->classes; i++)
        json_array_append_new(counts, json_integer(part->class_counts[i]));
    return json_pack("{s:I, s:I, s:I, s:I, s:o}", "records", (json_int_t)part->records, "bytes", (json_int_t)part->bytes, "files",
                     (json_int_t)part->files, "damaged", (json_int_t)part->damaged, "class_counts", counts);
}

/* The keys on top are sums over all parts; "train", "test" and "validation" are the parts. */
static tri_status print_json(tri__session *session, const tri__info *info)
{
    tri__part_info sum = {0};
    for (int i = 0; i < TRI_PARTS; i++) {
        sum.records += info->part[i].records;
        sum.bytes += info->part[i].bytes;
        sum.files += info->part[i].files;
        sum.damaged += info->part[i].damaged;
    }
    json_t *value = json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:I, s:I, s:s, s:I, s:I, s:o, s:o, s:o}", "data", info->spec, "format",
                              info->format, "records", (json_int_t)sum.records, "bytes", (json_int_t)sum.bytes, "classes",
                              (json_int_t)info->classes, "shape", tri__json_shape(info->shape), "features",
                              (json_int_t)tri_shape_count(info->shape), "width", (json_int_t)info->width, "type", tri_type_name(info->type),
                              "damaged", (json_int_t)sum.damaged, "files", (json_int_t)sum.files, "class_names", names_json(info), "train",
                              part_json(info, &info->part[TRI_PART_TRAIN]), "test", part_json(info, &info->part[TRI_PART_TEST]));
    if (value && info->part[TRI_PART_VALIDATION].present)
        json_object_set_new(value, "validation", part_json(info, &info->part[TRI_PART_VALIDATION]));
    if (value && info->outputs)
        json_object_set_new(value, "outputs", json_integer(info->outputs));
    if (value && info->note)
        json_object_set_new(value, "left_out", json_string(info->note));
    return tri__session_print_json(session, value);
}

static void print_part(FILE *out, const tri__info *info, int which)
{
    const tri__part_info *part = &info->part[which];
    char records[TRI_TEXT_SHORT], bytes[TRI_TEXT_SHORT];
    fprintf(out, "%-9s ", part_name[which]);
    if (!part->present) {
        fputs("none\n", out);
        return;
    }
    fprintf(out, "%s example%s", tri__text_count(records, (double)part->records), part->records == 1 ? "" : "s");
    if (info->part[which].files)
        fprintf(out, ", %s in %lld file%s", tri__text_bytes(bytes, (double)part->bytes), (long long)part->files,
                part->files == 1 ? "" : "s");
    if (part->damaged)
        fprintf(out, ", %lld damaged", (long long)part->damaged);
    fputc('\n', out);
}

static void print_count(FILE *out, const tri__part_info *part, int64_t label)
{
    char count[TRI_TEXT_SHORT];
    fprintf(out, " %9s", part->class_counts ? tri__text_count(count, (double)part->class_counts[label]) : "-");
}

static void print_classes(FILE *out, const tri__info *info)
{
    enum { MOST = 30 }; /* nobody would read more; --json has them all */
    bool validation = info->part[TRI_PART_VALIDATION].present;
    if (!info->part[0].class_counts && !info->part[1].class_counts)
        return;
    fprintf(out, "\n%-20s %9s %9s", "class", part_name[0], part_name[1]);
    fputs(validation ? " validation\n" : "\n", out);
    for (int64_t label = 0; label < info->classes && label < MOST; label++) {
        char number[TRI_TEXT_SHORT];
        snprintf(number, sizeof number, "%lld", (long long)tri__class_label(&info->numbering, label));
        fprintf(out, "%-20s", info->class_names ? info->class_names[label] : number);
        print_count(out, &info->part[0], label);
        print_count(out, &info->part[1], label);
        if (validation)
            print_count(out, &info->part[TRI_PART_VALIDATION], label);
        fputc('\n', out);
    }
    if (info->classes > MOST)
        fprintf(out, "… and %lld more (--json tells all)\n", (long long)info->classes - MOST);
}

static void print_example(FILE *out, const tri__info *info)
{
    char shape[64], features[TRI_TEXT_SHORT], widest[TRI_TEXT_SHORT];
    const tri__part_info *train = &info->part[TRI_PART_TRAIN], *test = &info->part[TRI_PART_TEST];
    const tri__part_info *more = &info->part[TRI_PART_VALIDATION];
    int64_t sound = train->records - train->damaged + test->records - test->damaged + more->records - more->damaged;
    if (info->width > 0)
        fprintf(out, "example   up to %s of %s features, %.1f on average\n", tri__text_count(widest, (double)info->width),
                tri__text_count(features, (double)info->shape.dim[0]),
                sound > 0 ? (double)(train->features + test->features + more->features) / (double)sound : 0);
    else
        fprintf(out, "example   %s of %s%s\n", tri_shape_text(info->shape, shape, sizeof shape), tri_type_name(info->type),
                info->several_sizes ? " (the first; photos have several sizes)" : "");
}

/* Describe labels that are not classes, over all parts. */
static void print_targets(FILE *out, const tri__info *info)
{
    double lowest = INFINITY, highest = -INFINITY, sum = 0, count = 0;
    for (int i = 0; i < TRI_PARTS; i++) {
        const tri__part_info *part = &info->part[i];
        lowest = part->present ? fmin(lowest, part->lowest) : lowest;
        highest = part->present ? fmax(highest, part->highest) : highest;
        sum += part->sum;
        count += (double)((part->records - part->damaged) * info->outputs);
    }
    if (info->labels == TRI_LABEL_SET)
        fprintf(out, "labels    sets of %lld, %.2f in each on average\n", (long long)info->outputs,
                count > 0 ? sum / count * (double)info->outputs : 0);
    else
        fprintf(out, "labels    %lld number%s each, from %g to %g, %g on average\n", (long long)info->outputs,
                info->outputs == 1 ? "" : "s", lowest, highest, count > 0 ? sum / count : 0);
}

static void print_table(tri__session *session, const tri__info *info)
{
    fprintf(session->out, "source    %s\nformat    %s\n", info->spec, info->format);
    print_example(session->out, info);
    if (info->labels == TRI_LABEL_CLASS)
        fprintf(session->out, "classes   %lld\n", (long long)info->classes);
    else
        print_targets(session->out, info);
    print_part(session->out, info, TRI_PART_TRAIN);
    print_part(session->out, info, TRI_PART_TEST);
    if (info->part[TRI_PART_VALIDATION].present)
        print_part(session->out, info, TRI_PART_VALIDATION);
    if (info->note)
        fprintf(session->out, "note      %s\n", info->note);
    print_classes(session->out, info);
}

/* The user interface while a source is read. */
typedef struct {
    tri__counting counting;
    int64_t damaged;
} onlooker;

/* The parts of a source are read one after another, each from record 0. */
static void show(void *context, int64_t done, int64_t all)
{
    onlooker *self = context;
    if (done == 0)
        tri__counting_restart(&self->counting);
    tri__counting_show(&self->counting, done, all);
}

static void tell_damage(void *context, const char *message)
{
    enum { MOST = 10 }; /* nobody would read more; the count has them all */
    onlooker *self = context;
    tri__log *log = self->counting.session->log;
    if (self->damaged++ < MOST)
        tri__log_line(log, TRI_LOG_WARNING, "%s", message);
    else if (self->damaged == MOST + 1)
        tri__log_line(log, TRI_LOG_WARNING, "more records are damaged; the count below has them all");
}

static tri_status run_data_info(tri__session *session, const tri__arguments *arguments)
{
    const tri_source_options options = {.seed = (uint64_t)tri__argument_integer(arguments, "seed"),
                                        .cache_folder = session->cache_folder,
                                        .any_size = true,
                                        .label = tri__argument_text(arguments, "label")};
    onlooker self = {.damaged = 0};
    tri__counting_init(&self.counting, session, "records");
    const tri__info_watch watch = {.progress = show, .damage = tell_damage, .context = &self};
    tri__info info;
    tri_status status = tri__data_info(arguments->operands[0], &options, &watch, &info);
    tri__counting_fini(&self.counting);
    TRI_TRY(status);
    if (session->json)
        status = print_json(session, &info);
    else
        print_table(session, &info);
    tri__info_fini(&info);
    return status;
}

static const tri__option info_options[] = {
    {.name = "label",
     .argument = "COLUMN",
     .kind = TRI_OPTION_TEXT,
     .group = "Data",
     .otherwise = "label, target, class, y or the last one",
     .meaning = "the column of a CSV table that is the label, by name or by number from 1"},
    DATA_SEED_ROW("Data", "seed of synthetic data"),
    ONLY_JSON_ROW,
    HELP_ROW,
    {0},
};

const tri__command tri__command_data_info = {
    .name = "data info",
    .usage = "SOURCE",
    .run = run_data_info,
    .least = 1,
    .most = 1,
    .options = info_options,
    .meaning = "what is in a source: format, records, shapes, classes",
    .detail = "Reads all of the source and counts its records, classes and damaged records.",
    .operands = {{"SOURCE", "as for train --data", SOURCES}},
    .examples = {{"trireme data info fashion", "the built-in data set"}},
};
