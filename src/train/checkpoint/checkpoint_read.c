/* checkpoint_read.c: finds, opens and checks checkpoints. Everything in a file is checked before it is used. */
#include "train/checkpoint/checkpoint_read.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"
#include "data/source/labels.h"
#include "train/checkpoint/checkpoint_file.h"
#include "watch/sample/run_files.h"

static bool step_of(const char *name, int64_t *step)
{
    char *end = NULL;
    if (strncmp(name, "step-", 5) || name[5] < '0' || name[5] > '9')
        return false;
    *step = strtoll(name + 5, &end, 10);
    return !strcmp(end, ".safetensors");
}

/* Add a name, sorted by step. Insertion is enough: a folder has few checkpoints. */
static void take_name(tri__checkpoint_names *names, char *name, int64_t step)
{
    size_t at = names->count++;
    for (; at > 0 && names->step[at - 1] < step; at--) {
        names->name[at] = names->name[at - 1];
        names->step[at] = names->step[at - 1];
    }
    names->name[at] = name;
    names->step[at] = step;
}

tri_status tri__checkpoint_list(const char *folder, tri__checkpoint_names *out)
{
    *out = (tri__checkpoint_names){0};
    char **all;
    size_t count;
    TRI_TRY(tri__folder_list(folder, &all, &count));
    tri_status status = tri__allocate(count + 1, sizeof *out->name, "names of checkpoints", &out->name);
    if (!status)
        status = tri__allocate(count + 1, sizeof *out->step, "names of checkpoints", &out->step);
    for (size_t i = 0; i < count && !status; i++) {
        int64_t step;
        if (step_of(all[i], &step)) {
            take_name(out, all[i], step);
            all[i] = NULL;
        }
    }
    tri__folder_free(all, count);
    if (status)
        tri__checkpoint_names_fini(out);
    return status;
}

void tri__checkpoint_names_fini(tri__checkpoint_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    free(names->step);
    *names = (tri__checkpoint_names){0};
}

int64_t tri__checkpoint_newest(const char *folder)
{
    tri__checkpoint_names names;
    tri_status status = tri__checkpoint_list(folder, &names);
    int64_t newest = status || names.count == 0 ? -1 : names.step[0];
    if (!status)
        tri__checkpoint_names_fini(&names);
    tri_status_free(status);
    return newest;
}

static tri_status damaged(const tri__checkpoint *checkpoint, const char *what)
{
    return tri_fail(TRI_BAD_DATA, "%s: %s (damaged, or written by another version?)", checkpoint->path, what);
}

static bool find_type(const char *name, tri_type *out)
{
    for (tri_type type = TRI_F32; type <= TRI_U8; type++)
        if (!strcmp(name, tri_type_name(type))) {
            *out = type;
            return true;
        }
    return false;
}

/* Checkpoints of earlier versions have none. */
static tri_status read_numbering(tri__checkpoint *checkpoint, json_t *numbering)
{
    if (!json_is_object(numbering))
        return NULL;
    json_int_t first_index, first_label, label_step;
    if (json_unpack(numbering, "{s:I, s:I, s:I}", "first_index", &first_index, "first_label", &first_label, "label_step", &label_step) ||
        first_index < -1 || first_index > 1 || first_label < -1 || first_label > TRI_MOST_LABELS || label_step < 1 ||
        label_step > TRI_MOST_LABELS)
        return damaged(checkpoint, "its numbering of features and classes makes no sense");
    checkpoint->numbering = (tri_numbering){first_index, first_label, label_step, checkpoint->input.classes};
    return NULL;
}

static tri_status read_input(tri__checkpoint *checkpoint, json_t *input)
{
    const char *type = json_string_value(json_object_get(input, "type"));
    json_t *shape = json_object_get(input, "shape");
    tri_model_input *out = &checkpoint->input;
    out->classes = json_integer_value(json_object_get(input, "classes"));
    out->outputs = json_integer_value(json_object_get(input, "outputs")); /* earlier versions have none */
    out->shape.rank = (int)json_array_size(shape);
    if (!type || !json_is_array(shape) || out->shape.rank > TRI_MAX_RANK || out->classes < 0 || out->outputs < 0)
        return damaged(checkpoint, "its description of the input is not whole");
    TRI_TRY(read_numbering(checkpoint, json_object_get(input, "numbering")));
    checkpoint->columns = json_string_value(json_object_get(input, "columns"));
    checkpoint->features_by = json_string_value(json_object_get(input, "features_by")); /* earlier versions have none */
    for (int i = 0; i < out->shape.rank; i++)
        out->shape.dim[i] = json_integer_value(json_array_get(shape, (size_t)i));
    if (!find_type(type, &out->type))
        return tri_fail(TRI_BAD_DATA, "%s: its input has the unknown type '%s' (written by another version?)", checkpoint->path, type);
    return tri_wrap(tri_shape_check(out->shape, &(int64_t){0}), "%s", checkpoint->path);
}

static tri_status read_class_names(tri__checkpoint *checkpoint, const json_t *names)
{
    if (!json_is_array(names))
        return NULL;
    size_t count = json_array_size(names);
    if ((int64_t)count != checkpoint->input.classes)
        return damaged(checkpoint, "it does not have one name for each class");
    TRI_TRY(tri__allocate(count + 1, sizeof *checkpoint->class_names, "class names", &checkpoint->class_names));
    for (size_t i = 0; i < count; i++) {
        checkpoint->class_names[i] = json_string_value(json_array_get(names, i));
        if (!checkpoint->class_names[i])
            return damaged(checkpoint, "a class name is not a string");
    }
    return NULL;
}

static tri_status read_state(tri__checkpoint *checkpoint, json_t *value)
{
    tri__run_state *state = &checkpoint->state;
    json_int_t step, examples, position, without_gain, losses;
    json_t *recent, *best;
    if (json_unpack(value, "{s:I, s:I, s:I, s:F, s:o, s:I, s:I, s:o}", "step", &step, "examples", &examples, "position", &position,
                    "seconds", &state->seconds, "best_loss", &best, "without_gain", &without_gain, "losses", &losses, "recent", &recent))
        return damaged(checkpoint, "its state is not whole");
    state->total_seconds = state->seconds; /* if an earlier version did not write it */
    (void)json_unpack(value, "{s:F}", "total_seconds", &state->total_seconds);
    bool negative = json_integer_value(json_object_get(value, "cuts")) < 0 || step < 0 || examples < 0 || position < 0 ||
                    without_gain < 0 || losses < 0 || state->seconds < 0 || state->total_seconds < 0;
    if (negative || (int64_t)json_array_size(recent) != (losses < TRI_RECENT ? losses : TRI_RECENT))
        return damaged(checkpoint, "its state makes no sense");
    state->step = step, state->examples = examples, state->position = position;
    state->without_gain = without_gain, state->recent.count = losses;
    state->cuts = json_integer_value(json_object_get(value, "cuts")); /* earlier versions have none */
    state->best_loss = json_is_number(best) ? json_number_value(best) : NAN;
    state->loss_sum = json_number_value(json_object_get(value, "loss_sum")); /* earlier versions have neither */
    state->loss_count = json_integer_value(json_object_get(value, "judged"));
    for (size_t i = 0; i < json_array_size(recent); i++)
        state->recent.loss[i] = json_number_value(json_array_get(recent, i));
    return NULL;
}

/* Checkpoints of earlier versions have none. */
static tri_status read_damaged(tri__checkpoint *checkpoint, const json_t *list)
{
    size_t count = json_array_size(list);
    TRI_TRY(tri__allocate(count + 1, sizeof *checkpoint->damaged, "damaged records", &checkpoint->damaged));
    for (size_t i = 0; i < count; i++) {
        checkpoint->damaged[i] = json_integer_value(json_array_get(list, i));
        if (!json_is_integer(json_array_get(list, i)) || checkpoint->damaged[i] < 0)
            return damaged(checkpoint, "its list of damaged records makes no sense");
    }
    checkpoint->damaged_count = (int64_t)count;
    return NULL;
}

static tri_status verify(const tri__checkpoint *checkpoint, const char *about, int version)
{
    const char *written = tri__safetensors_metadata(checkpoint->file, TRI_CHECKPOINT_SUM);
    char expected[TRI_CHECKPOINT_DIGITS];
    uint32_t sum = 0;
    for (size_t i = 0; i < tri__safetensors_count(checkpoint->file); i++)
        sum = tri__checkpoint_sum(sum, tri__safetensors_at(checkpoint->file, i), version);
    tri__checkpoint_sum_end(sum, about, checkpoint->model_text, expected);
    return written && !strcmp(written, expected) ? NULL : damaged(checkpoint, "its checksum does not match");
}

static tri_status read_about(tri__checkpoint *checkpoint)
{
    const char *about = tri__safetensors_metadata(checkpoint->file, TRI_CHECKPOINT_ABOUT);
    checkpoint->model_text = tri__safetensors_metadata(checkpoint->file, TRI_CHECKPOINT_MODEL);
    if (!about || !checkpoint->model_text)
        return tri_fail(TRI_BAD_DATA, "%s: a safetensors file, but not a checkpoint of this program: it does not name its model",
                        checkpoint->path);
    TRI_TRY(tri__json_parse(checkpoint->path, about, strlen(about), &checkpoint->about));
    int version;
    json_t *input, *names, *state, *options;
    if (json_unpack(checkpoint->about, "{s:i, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "version", &version, "model", &checkpoint->model_name,
                    "digest", &checkpoint->digest, "rule", &checkpoint->rule, "input", &input, "class_names", &names, "state", &state,
                    "options", &options))
        return damaged(checkpoint, "its description is not whole");
    if (version > TRI_CHECKPOINT_VERSION)
        return tri_fail(TRI_UNSUPPORTED, "%s: written by a newer version of trireme (format %d, this one reads %d)", checkpoint->path,
                        version, TRI_CHECKPOINT_VERSION);
    TRI_TRY(verify(checkpoint, about, version));
    TRI_TRY(read_input(checkpoint, input));
    TRI_TRY(read_damaged(checkpoint, json_object_get(checkpoint->about, "damaged")));
    TRI_TRY(read_class_names(checkpoint, names));
    TRI_TRY(read_state(checkpoint, state));
    return tri_wrap(tri__train_options_read(&checkpoint->options, options), "%s", checkpoint->path);
}

static tri_status open_file(const char *path, tri__checkpoint **out)
{
    *out = NULL;
    tri__checkpoint *checkpoint;
    TRI_TRY(tri__allocate(1, sizeof *checkpoint, "a checkpoint", &checkpoint));
    tri__train_options_init(&checkpoint->options);
    checkpoint->path = strdup(path);
    tri_status status = checkpoint->path ? tri__safetensors_open(path, &checkpoint->file) : tri_fail(TRI_NO_MEMORY, "no memory for a path");
    if (!status)
        status = read_about(checkpoint);
    if (status)
        tri__checkpoint_close(checkpoint);
    else
        *out = checkpoint;
    return status;
}

void tri__checkpoint_close(tri__checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    tri__train_options_fini(&checkpoint->options);
    tri__safetensors_close(checkpoint->file);
    json_decref(checkpoint->about);
    free(checkpoint->class_names);
    free(checkpoint->damaged);
    free(checkpoint->path);
    free(checkpoint);
}

/* The message where no checkpoint can be opened. For damage, we say what to do; other failures, such as a newer format, say it
 * themselves. */
static tri_status none_is_whole(tri_status failure, const char *folder, bool only)
{
    const tri_code code = tri_status_code(failure);
    tri_status status =
        tri_fail(code, "%s%s%s%s", only ? "" : folder, only ? "" : ": no checkpoint is whole; the oldest: ", tri_status_message(failure),
                 code == TRI_BAD_DATA ? " (restore a copy of it, or train again: the run's file 'command' has the line)" : "");
    tri_status_free(failure);
    return status;
}

/* Open the newest undamaged checkpoint. Damage in a newer one is logged: the user should know that steps were lost. */
static tri_status open_newest(const char *folder, const tri__checkpoint_names *names, tri__log *log, tri__checkpoint **out)
{
    for (size_t i = 0; i < names->count; i++) {
        char *path = tri__path_join(folder, names->name[i]);
        tri_status status = path ? open_file(path, out) : tri_fail(TRI_NO_MEMORY, "no memory for a path");
        free(path);
        if (!status)
            return NULL;
        if (i + 1 == names->count)
            return none_is_whole(status, folder, names->count == 1);
        tri__log_line(log, TRI_LOG_WARNING, "%s; taking the one before it", tri_status_message(status));
        tri_status_free(status);
    }
    return tri_fail(TRI_NOT_FOUND, "%s: there is no checkpoint in it (step-….safetensors)", folder);
}

static tri_status open_folder(const char *folder, tri__log *log, tri__checkpoint **out)
{
    tri__checkpoint_names names;
    TRI_TRY(tri__checkpoint_list(folder, &names));
    tri_status status = open_newest(folder, &names, log, out);
    tri__checkpoint_names_fini(&names);
    return status;
}

tri_status tri__checkpoint_open(const char *path, tri__log *log, tri__checkpoint **out)
{
    *out = NULL;
    if (!tri__folder_exists(path))
        return open_file(path, out);
    char *inner = tri__path_join(path, TRI_RUN_CHECKPOINTS);
    if (!inner)
        return tri_fail(TRI_NO_MEMORY, "no memory for a path");
    tri_status status = open_folder(tri__folder_exists(inner) ? inner : path, log, out);
    free(inner);
    return status;
}

tri_status tri__checkpoint_merge_options(const char *resume, const tri__train_options *given, tri__train_options *out)
{
    tri__checkpoint *checkpoint = NULL;
    if (!resume)
        return tri__train_options_copy(out, given);
    TRI_TRY(tri_wrap(tri__checkpoint_open(resume, NULL, &checkpoint), "--resume"));
    assert(checkpoint);
    tri_model *model = NULL;
    tri_status status = tri__train_options_copy(out, &checkpoint->options);
    if (!status)
        status = tri_model_parse(checkpoint->model_name, checkpoint->model_text, strlen(checkpoint->model_text), &model);
    if (!status)
        status = tri__train_options_resume(out, given, tri_model_default(model));
    tri_model_destroy(model);
    tri__checkpoint_close(checkpoint);
    return status;
}
