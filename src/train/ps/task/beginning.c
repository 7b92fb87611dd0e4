/* beginning.c: keeps the beginning of a job in a file. */
#include "train/ps/task/beginning.h"

#include <math.h>
#include <stdlib.h>

#include "base/file/folder.h"
#include "base/file/json.h"

static tri_status find_path(const char *folder, char **out)
{
    *out = tri__path_join(folder, "beginning.json");
    return *out ? NULL : tri_fail(TRI_NO_MEMORY, "no memory for a path in %s", folder);
}

tri_status tri__beginning_write(const char *folder, const tri__beginning *began)
{
    char *path;
    TRI_TRY(find_path(folder, &path));
    json_t *value =
        json_pack("{s:I, s:I, s:f}", "step", (json_int_t)began->step, "examples", (json_int_t)began->examples, "seconds", began->seconds);
    tri_status status = value ? tri__json_write(path, value) : tri_fail(TRI_NO_MEMORY, "no memory for %s", path);
    json_decref(value);
    free(path);
    return status;
}

static tri_status take(const json_t *value, const char *path, tri__beginning *out)
{
    *out = (tri__beginning){.step = tri__json_integer_of(value, "step", -1),
                            .examples = tri__json_integer_of(value, "examples", -1),
                            .seconds = tri__json_number_of(value, "seconds")};
    if (out->step >= 0 && out->examples >= 0 && isfinite(out->seconds) && out->seconds >= 0)
        return NULL;
    return tri_fail(TRI_BAD_DATA, "%s: does not say where the job began", path);
}

tri_status tri__beginning_read(const char *folder, tri__beginning *out)
{
    char *path;
    json_t *value = NULL;
    TRI_TRY(find_path(folder, &path));
    tri_status status = tri__json_read(path, &value);
    if (!status)
        status = take(value, path, out);
    json_decref(value);
    free(path);
    return status;
}
