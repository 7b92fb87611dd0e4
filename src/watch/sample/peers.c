/* peers.c: a process keeps what it has written of each peer, so that a line has what came since. */
#include "watch/sample/peers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/folder.h"
#include "base/memory/memory.h"

enum { LINE = 128 /* more than the longest line */, END = 2 * TRI_TRAFFIC_PEERS * LINE };

struct tri__peers_file {
    char *path;
    FILE *file; /* NULL: there was nothing to write yet, or it cannot be written */
    struct {
        int64_t sent, received;
    } written[TRI_TRAFFIC_PEERS];
};

/* ---- writing ---- */

tri_status tri__peers_create(const char *path, tri__peers_file **out)
{
    TRI_TRY(tri__allocate(1, sizeof **out, "the traffic of peers", out));
    **out = (tri__peers_file){.path = strdup(path)};
    if ((*out)->path)
        return NULL;
    free(*out);
    *out = NULL;
    return tri_fail(TRI_NO_MEMORY, "no memory for the name of a file");
}

void tri__peers_destroy(tri__peers_file *file)
{
    if (!file)
        return;
    if (file->file)
        fclose(file->file);
    free(file->path);
    free(file);
}

static bool open_file(tri__peers_file *file)
{
    char *slash = strrchr(file->path, '/');
    if (file->file)
        return true;
    if (slash) {
        *slash = 0;
        tri_status_free(tri__folder_create(file->path)); /* where there is no folder, there will be no file */
        *slash = '/';
    }
    file->file = fopen(file->path, "ae");
    if (file->file && ftell(file->file) == 0)
        fputs("epoch,peer,sent,received\n", file->file);
    return file->file;
}

void tri__peers_take(tri__peers_file *file, double wall, const tri__traffic *traffic)
{
    const int count = file ? atomic_load_explicit(&traffic->peers, memory_order_acquire) : 0;
    for (int i = 0; i < count; i++) {
        const int64_t sent = atomic_load_explicit(&traffic->peer[i].sent, memory_order_relaxed);
        const int64_t received = atomic_load_explicit(&traffic->peer[i].received, memory_order_relaxed);
        if ((sent == file->written[i].sent && received == file->written[i].received) || !open_file(file))
            continue;
        fprintf(file->file, "%.3f,%s,%" PRId64 ",%" PRId64 "\n", wall, traffic->peer[i].name, sent - file->written[i].sent,
                received - file->written[i].received);
        file->written[i].sent = sent;
        file->written[i].received = received;
    }
    if (count > 0 && file->file)
        fflush(file->file);
}

/* ---- reading ---- */

static tri_status add(tri__peer_sum **all, int64_t *room, int *count, const tri__peer_sum *line)
{
    for (int i = 0; i < *count; i++)
        if (!strcmp((*all)[i].name, line->name)) {
            (*all)[i].sent += line->sent;
            (*all)[i].received += line->received;
            return NULL;
        }
    TRI_TRY(tri__grow(all, room, *count + 1, sizeof **all, "the traffic of peers"));
    (*all)[(*count)++] = *line;
    return NULL;
}

/* file may be NULL. Closes it. */
static tri_status add_lines(FILE *file, double since, tri__peer_sum **out, int *count)
{
    char text[LINE];
    int64_t room = 0;
    tri_status status = NULL;
    *out = NULL;
    *count = 0;
    while (file && !status && fgets(text, sizeof text, file)) {
        double wall;
        tri__peer_sum line;
        if (strchr(text, '\n') && sscanf(text, "%lf,%23[^,],%lf,%lf", &wall, line.name, &line.sent, &line.received) == 4 && wall > since)
            status = add(out, &room, count, &line);
    }
    if (file)
        fclose(file);
    if (status) {
        free(*out);
        *out = NULL;
        *count = 0;
    }
    return status;
}

tri_status tri__peers_read(const char *path, double since, tri__peer_sum **out, int *count)
{
    return add_lines(fopen(path, "re"), since, out, count);
}

/* The first line may be a part of one: it is skipped. */
tri_status tri__peers_read_end(const char *path, double since, tri__peer_sum **out, int *count)
{
    char part[LINE];
    FILE *file = fopen(path, "re");
    if (file && !fseek(file, -(long)END, SEEK_END)) /* fails if the file is shorter, and then changes nothing */
        (void)!fgets(part, sizeof part, file);
    return add_lines(file, since, out, count);
}
