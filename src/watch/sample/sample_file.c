/* sample_file.c: compares the header of a file with that of new samples, and adds lines to it. */
#include "watch/sample/sample_file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "watch/sample/sample_read.h"

static bool continues(const char *path, const char *host, const char *names)
{
    tri__sample_reader *reader = tri__sample_reader_open(path);
    const bool same = reader && !strcmp(names, tri__sample_reader_names(reader)) && !strcmp(host, tri__sample_reader_host(reader));
    tri__sample_reader_close(reader);
    return same;
}

/* Rename the file to the first free name: path.1, path.2 … */
static tri_status set_aside(const char *path)
{
    char other[PATH_MAX];
    for (int number = 1;; number++) {
        snprintf(other, sizeof other, "%s.%d", path, number);
        if (access(other, F_OK) != 0)
            break;
    }
    return rename(path, other) ? tri_fail(TRI_IO, "%s: cannot be renamed to %s: %s", path, other, strerror(errno)) : NULL;
}

tri_status tri__sample_file_prepare(const char *path, const char *host, const char *names)
{
    return access(path, F_OK) == 0 && !continues(path, host, names) ? set_aside(path) : NULL;
}

/* When the last sample of the file was taken; −∞: it has none. */
static double last_moment(const char *path)
{
    double last = -INFINITY;
    const double *sample;
    tri__sample_reader *reader = tri__sample_reader_open(path);
    if (reader)
        tri__sample_reader_skip(reader);
    while (reader && (sample = tri__sample_reader_next(reader)))
        last = fmax(last, sample[0]);
    tri__sample_reader_close(reader);
    return last;
}

/* The first line after the header, whose last line is *names, up to and with its end; NULL: text has no whole header. */
static const char *find_lines(const char *text, const char **names)
{
    for (int line = 0; text && line < TRI_SAMPLE_HEADER_LINES; line++) {
        *names = text;
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text;
}

static bool read_host(const char *text, char host[TRI_SAMPLE_HOST])
{
    const char *line = strstr(text, "\n\"Host:\",");
    return line && sscanf(line, "\n\"Host:\",\"%255[^\"]\"", host) == 1;
}

static void write_newer(FILE *file, const char *line, double last)
{
    for (const char *end; (end = strchr(line, '\n')); line = end + 1)
        if (strtod(line, NULL) > last)
            fwrite(line, 1, (size_t)(end + 1 - line), file);
}

tri_status tri__sample_file_add(const char *path, const char *text)
{
    const char *start = NULL, *lines = find_lines(text, &start);
    char host[TRI_SAMPLE_HOST];
    if (!lines || !read_host(text, host))
        return tri_fail(TRI_BAD_DATA, "%s: no samples: what came has no header", path);
    char *names = strndup(start, (size_t)(lines - start));
    if (!names)
        return tri_fail(TRI_NO_MEMORY, "%s: no memory for its header", path);
    tri_status status = tri__sample_file_prepare(path, host, names);
    free(names);
    TRI_TRY(status);
    const double last = last_moment(path);
    FILE *file = fopen(path, "ae");
    if (!file)
        return tri__path_failure(path, "write", errno);
    if (ftell(file) == 0)
        fwrite(text, 1, (size_t)(lines - text), file);
    write_newer(file, lines, last);
    return fclose(file) ? tri__path_failure(path, "write", errno) : NULL;
}
