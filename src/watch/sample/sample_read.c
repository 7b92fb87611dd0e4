/* sample_read.c: reads files of samples. A file has a header of six lines, then one line of numbers for each sample. The second line of the
 * header has the pace, the third the host, the last the names of the columns. */
#include "watch/sample/sample_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text/task.h"

enum { PACE_LINE = 1, HOST_LINE = 2, TAIL = 1 << 15 };

struct tri__sample_reader {
    FILE *file;
    char *line;
    size_t room;
    char host[TRI_SAMPLE_HOST];
    double every;
    char *names;   /* the last line of the header */
    int columns;   /* how many it names */
    double *value; /* [columns] */
};

bool tri__sample_task(const char *file, char task[TRI_SAMPLE_TASK])
{
    const size_t length = strlen(file), suffix = strlen(".csv");
    if (length <= suffix || length - suffix >= TRI_SAMPLE_TASK || strcmp(file + length - suffix, ".csv") != 0)
        return false;
    memcpy(task, file, length - suffix);
    task[length - suffix] = 0;
    tri__task_name_from_file(task);
    return true;
}

static int count_columns(const char *names)
{
    int count = 1;
    for (; (names = strchr(names, ',')); names++)
        count++;
    return count;
}

static bool read_header(tri__sample_reader *reader)
{
    for (int i = 0; i < TRI_SAMPLE_HEADER_LINES; i++) {
        if (getline(&reader->line, &reader->room, reader->file) < 0 || !strchr(reader->line, '\n'))
            return false;
        if (i == PACE_LINE)
            sscanf(reader->line, "\"Layout:\",\"dstat\",,,,\"Every:\",\"%lf\"", &reader->every);
        if (i == HOST_LINE)
            sscanf(reader->line, "\"Host:\",\"%255[^\"]\"", reader->host);
    }
    reader->names = strdup(reader->line);
    reader->columns = count_columns(reader->line);
    reader->value = calloc((size_t)reader->columns, sizeof *reader->value);
    return reader->names && reader->value;
}

tri__sample_reader *tri__sample_reader_open(const char *path)
{
    tri__sample_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->file = fopen(path, "re");
    if (reader->file && read_header(reader))
        return reader;
    tri__sample_reader_close(reader);
    return NULL;
}

void tri__sample_reader_close(tri__sample_reader *reader)
{
    if (!reader)
        return;
    if (reader->file)
        fclose(reader->file);
    free(reader->line);
    free(reader->names);
    free(reader->value);
    free(reader);
}

const char *tri__sample_reader_host(const tri__sample_reader *reader)
{
    return reader->host;
}

const char *tri__sample_reader_names(const tri__sample_reader *reader)
{
    return reader->names;
}

double tri__sample_reader_every(const tri__sample_reader *reader)
{
    return reader->every;
}

double tri__sample_reader_changed(const tri__sample_reader *reader)
{
    struct stat about;
    return fstat(fileno(reader->file), &about) ? 0 : (double)about.st_mtim.tv_sec + (double)about.st_mtim.tv_nsec * 1e-9;
}

bool tri__sample_reader_is_of(const tri__sample_reader *reader, const char *path)
{
    struct stat own, other;
    return !fstat(fileno(reader->file), &own) && !stat(path, &other) && own.st_ino == other.st_ino && own.st_dev == other.st_dev;
}

int tri__sample_reader_column(const tri__sample_reader *reader, const char *name)
{
    return tri__sample_reader_column_after(reader, name, -1);
}

int tri__sample_reader_column_after(const tri__sample_reader *reader, const char *name, int after)
{
    const size_t length = strlen(name);
    const char *at = reader->names;
    for (int i = 0; i < reader->columns; i++, at += strcspn(at, ",\n") + 1) {
        const char *own = at + (*at == '"');
        if (i > after && !strncmp(own, name, length) && strchr("\",\n", own[length]))
            return i;
    }
    return -1;
}

bool tri__sample_reader_link(const tri__sample_reader *reader, int index, char name[TRI_SAMPLE_LINK])
{
    for (const char *at = reader->names; (at = strstr(at, "\"net/")); at += strcspn(at, ",\n")) {
        char what[8];
        if (sscanf(at, "\"net/%15[^:]:%7[a-z]", name, what) == 2 && !strcmp(what, "most") && index-- == 0)
            return true;
    }
    return false;
}

void tri__sample_reader_skip(tri__sample_reader *reader)
{
    const long at = ftell(reader->file);
    if (!fseek(reader->file, -TAIL, SEEK_END) && ftell(reader->file) > at)
        (void)!getline(&reader->line, &reader->room, reader->file); /* skip the rest of a line */
    else
        fseek(reader->file, at, SEEK_SET);
}

const double *tri__sample_reader_next(tri__sample_reader *reader)
{
    const long from = ftell(reader->file);
    if (getline(&reader->line, &reader->room, reader->file) < 0 || !strchr(reader->line, '\n')) {
        fseek(reader->file, from, SEEK_SET); /* the rest of the line may come later */
        return NULL;
    }
    const char *at = reader->line;
    for (int i = 0; i < reader->columns; i++) {
        char *end;
        const double value = strtod(at ? at : "", &end);
        reader->value[i] = at && end != at ? value : NAN;
        at = at ? strchr(at, ',') : NULL;
        at = at ? at + 1 : NULL;
    }
    return reader->value;
}
