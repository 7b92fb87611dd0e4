/* convert.c: writes a source as TFRecord files, in partitions that threads and processes share.
 *
 * The output folder has a folder .convert, which readers of data sets ignore. In it, job.json says what is being converted, <name>.lock
 * says which process works on a partition (claim.h), and <name>.json says how many records of each class a finished partition holds. Files
 * are written there before they get their final name. A thread claims a partition, writes it, and looks for the next. When none is left to
 * claim, it waits for those of others, and takes over the partitions of processes that have died. */
#define _GNU_SOURCE /* asprintf */
#include "data/convert/convert.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes/random.h"
#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/file/json.h"
#include "base/memory/memory.h"
#include "base/thread/clock.h"
#include "base/thread/pool.h"
#include "data/convert/convert_example.h"
#include "data/convert/convert_job.h"
#include "data/file/claim.h"
#include "data/format/tfrecord.h"

#define TOUCH TRI_SECOND             /* time between two touches of our claims, which show that we live */
#define POLL  (20 * TRI_MILLISECOND) /* time between two looks at the partitions of other processes */

static const char *const part_name[] = {[TRI_PART_TRAIN] = "train", [TRI_PART_TEST] = "test", [TRI_PART_VALIDATION] = "validation"};

typedef enum { OPEN, TAKEN, FINISHED } partition_state; /* TAKEN: by a thread of this process */

typedef struct {
    char name[48]; /* "train-00003-of-00008" */
    tri_part part;
    int64_t first, count; /* of the part's shuffled records */
    atomic_int state;
} partition;

typedef struct {
    const tri__convert_request *request;
    tri_source *source[TRI_PARTS]; /* by part; NULL: there is none */
    int64_t *shuffled[TRI_PARTS];  /* [examples] */
    partition *partitions;         /* [count] */
    int64_t count;
    char *folder; /* out/.convert */
    tri__claims claims;
    atomic_llong done;    /* records that all processes have finished */
    atomic_llong written; /* records that this process has written */
    atomic_llong damaged; /* records that this process has left out */
    atomic_llong touched; /* when our claims were touched last */
    int64_t records;      /* of all parts */
} conversion;

/* ---- what is to be done ---- */

static tri_status no_memory(const char *what)
{
    return tri_fail(TRI_NO_MEMORY, "no memory for %s", what);
}

/* folder/name+ending */
static char *path_of(const char *folder, const char *name, const char *ending)
{
    char *path;
    return asprintf(&path, "%s/%s%s", folder, name, ending) < 0 ? NULL : path;
}

static tri_status open_sources(conversion *self)
{
    for (int part = 0; part < TRI_PARTS; part++) {
        tri_status status = tri_source_open(self->request->spec, (tri_part)part, &self->request->source, &self->source[part]);
        bool missing = tri_status_code(status) == TRI_NOT_FOUND && part != TRI_PART_TRAIN && self->source[TRI_PART_TRAIN];
        if (missing)
            tri_status_free(status);
        else
            TRI_TRY(status);
        if (self->source[part] && self->request->source.grey)
            TRI_TRY(tri__source_check_grey(tri_source_describe(self->source[part])));
        if (self->source[part])
            TRI_TRY(tri__translator_check(self->source[part], self->request->encoding));
    }
    return NULL;
}

/* How many files a part has: as many as asked for, but no empty ones. */
static int64_t files_of(const conversion *self, int part)
{
    int64_t examples = self->source[part] ? self->source[part]->info.examples : 0;
    return examples < self->request->partitions ? examples : self->request->partitions;
}

static void deal_out(conversion *self, int part, partition *to)
{
    int64_t files = files_of(self, part), examples = self->source[part]->info.examples;
    int64_t each = examples / files, more = examples % files, first = 0;
    for (int64_t i = 0; i < files; i++) {
        to[i].part = (tri_part)part;
        to[i].first = first;
        to[i].count = each + (i < more);
        first += to[i].count;
        snprintf(to[i].name, sizeof to[i].name, "%s-%05" PRId64 "-of-%05" PRId64, part_name[part], i, files);
    }
}

static tri_status plan_partitions(conversion *self)
{
    const tri_source *train = self->source[TRI_PART_TRAIN];
    if (self->request->partitions > train->info.examples)
        return tri_fail(TRI_BAD_CALL, "--partitions %" PRId64 ": %s has %" PRId64 " records, and no file may be empty",
                        self->request->partitions, self->request->spec, train->info.examples);
    for (int part = 0; part < TRI_PARTS; part++)
        self->count += files_of(self, part);
    TRI_TRY(tri__allocate((size_t)self->count, sizeof *self->partitions, "partitions", &self->partitions));
    partition *next = self->partitions;
    for (int part = 0; part < TRI_PARTS; part++) {
        if (!self->source[part])
            continue;
        int64_t examples = self->source[part]->info.examples;
        TRI_TRY(tri__allocate((size_t)examples, sizeof(int64_t), "the order of the records", &self->shuffled[part]));
        tri__key key = tri__key_split_name(tri__key_of(self->request->seed), part_name[part]);
        tri__random_permutation(tri__key_split_name(key, "convert"), examples, self->shuffled[part]);
        deal_out(self, part, next);
        next += files_of(self, part);
        self->records += examples;
    }
    return NULL;
}

/* ---- partitions ---- */

static bool is_finished(const conversion *self, const partition *p)
{
    char *path = path_of(self->request->out, p->name, ".tfrecord");
    bool there = path && tri__file_exists(path);
    free(path);
    return there;
}

static void tell(conversion *self, int64_t records)
{
    int64_t done = atomic_fetch_add(&self->done, records) + records, now = tri__clock_now(), last = atomic_load(&self->touched);
    if (now - last >= TOUCH && atomic_compare_exchange_strong(&self->touched, &(long long){last}, now))
        tri__claims_touch(&self->claims);
    if (self->request->progress)
        self->request->progress(self->request->context, done, self->records);
}

/* records: those of the partition that are not reported as progress yet, as another process wrote them */
static void finish(conversion *self, partition *p, int64_t records)
{
    atomic_store(&p->state, FINISHED);
    tell(self, records);
}

static tri_status check_stop(const conversion *self)
{
    const volatile sig_atomic_t *stop = self->request->stop;
    return stop && __atomic_load_n(stop, __ATOMIC_RELAXED) ? tri_fail(TRI_STOPPED, "stopped; the same command goes on from here") : NULL;
}

/* What a partition holds. */
typedef struct {
    int64_t *class_counts; /* [classes] */
    int64_t damaged;       /* records left out */
} outcome;

/* A record could not be read: leave it out if that is allowed. Takes status. */
static tri_status leave_out(conversion *self, tri_status status, outcome *came)
{
    int64_t allowed = self->request->skip_bad;
    if (tri_status_code(status) != TRI_BAD_DATA || allowed == 0)
        return status;
    came->damaged++;
    if (atomic_fetch_add(&self->damaged, 1) >= allowed)
        return tri_wrap(status, "more records are damaged than --skip-bad %" PRId64 " allows; the last", allowed);
    tri_status_free(status);
    return NULL;
}

static tri_status write_records(conversion *self, const partition *p, tri__translator *translator, tri__tfrecord_writer *writer,
                                outcome *came)
{
    const int64_t *records = self->shuffled[p->part] + p->first;
    for (int64_t i = 0; i < p->count; i++) {
        const uint8_t *data;
        size_t size;
        TRI_TRY(check_stop(self));
        tri_status status = tri__translate(translator, records[i], &data, &size);
        tell(self, 1);
        if (status) {
            TRI_TRY(leave_out(self, status, came));
            continue;
        }
        tri__tfrecord_write(writer, data, size);
        if (translator->label >= 0 && translator->label < translator->source->info.classes)
            came->class_counts[translator->label]++;
        atomic_fetch_add(&self->written, 1);
    }
    return NULL;
}

/* Write how many records of each class the partition holds: another process may have to sum them up. */
static tri_status write_facts(const conversion *self, const partition *p, const outcome *came)
{
    char *path = path_of(self->folder, p->name, ".json");
    json_t *list = json_array();
    for (int64_t i = 0; i < self->source[p->part]->info.classes; i++)
        json_array_append_new(list, json_integer(came->class_counts[i]));
    json_t *facts = json_pack("{s:o, s:I}", "class_counts", list, "damaged", (json_int_t)came->damaged);
    tri_status status = path && facts ? tri__json_write(path, facts) : no_memory("what a partition holds");
    json_decref(facts);
    free(path);
    return status;
}

/* Give the draft its final name. If another process was quicker and has removed the draft, the file is there, with the same bytes. */
static tri_status publish(const conversion *self, const partition *p, const char *draft)
{
    char *path = path_of(self->request->out, p->name, ".tfrecord");
    tri_status status = NULL;
    if (!path)
        return no_memory("the name of a partition");
    if (rename(draft, path) && !tri__file_exists(path))
        status = tri_fail(TRI_IO, "%s: cannot be given its name: %s", path, strerror(errno));
    if (!status)
        status = tri__folder_sync(self->request->out);
    free(path);
    return status;
}

static tri_status write_draft(conversion *self, const partition *p, const char *draft, outcome *came)
{
    tri__translator translator;
    tri__tfrecord_writer *writer;
    TRI_TRY(tri__translator_init(&translator, self->source[p->part], self->request->encoding));
    tri_status status = tri__tfrecord_writer_create(draft, TRI_UNCOMPRESSED, &writer);
    if (!status) {
        status = write_records(self, p, &translator, writer, came);
        if (status)
            tri__tfrecord_writer_abandon(writer);
        else
            status = tri__tfrecord_writer_commit(writer);
    }
    tri__translator_fini(&translator);
    return status;
}

static tri_status convert_partition(conversion *self, const partition *p)
{
    outcome came = {0};
    char *draft;
    TRI_TRY(tri__allocate((size_t)self->source[p->part]->info.classes + 1, sizeof(int64_t), "counts of classes", &came.class_counts));
    if (asprintf(&draft, "%s.%s", self->claims.own, p->name) < 0) {
        free(came.class_counts);
        return no_memory("the name of a partition");
    }
    tri_status status = write_draft(self, p, draft, &came);
    if (!status)
        status = write_facts(self, p, &came);
    if (!status)
        status = publish(self, p, draft);
    free(draft);
    free(came.class_counts);
    return status;
}

/* Claims the partition and converts it, unless it is finished or another process works on it. */
static tri_status try_partition(conversion *self, partition *p)
{
    int open = OPEN;
    if (!atomic_compare_exchange_strong(&p->state, &open, TAKEN))
        return NULL;
    if (is_finished(self, p)) {
        finish(self, p, p->count);
        return NULL;
    }
    bool got;
    tri_status status = tri__claim_take(&self->claims, p->name, &got);
    if (status || !got) {
        atomic_store(&p->state, OPEN);
        return status;
    }
    bool late = is_finished(self, p); /* another process may have finished it before we claimed it */
    if (!late)
        status = convert_partition(self, p);
    tri__claim_release(&self->claims, p->name);
    if (status)
        atomic_store(&p->state, OPEN);
    else
        finish(self, p, late ? p->count : 0);
    return status;
}

/* One thread: try all partitions again and again, until each is finished or taken by another thread of this process. */
static tri_status work(void *context, int64_t index)
{
    conversion *self = context;
    (void)index;
    for (;;) {
        bool open = false;
        for (int64_t i = 0; i < self->count; i++) {
            TRI_TRY(try_partition(self, &self->partitions[i]));
            open |= atomic_load(&self->partitions[i].state) == OPEN;
        }
        if (!open)
            return NULL;
        TRI_TRY(check_stop(self));
        tell(self, 0);
        nanosleep(&(struct timespec){.tv_nsec = POLL}, NULL);
    }
}

/* ---- the end ---- */

static tri_status count_partition(const conversion *self, const partition *p, tri__convert_result *out)
{
    char *facts_path = path_of(self->folder, p->name, ".json"), *path = path_of(self->request->out, p->name, ".tfrecord");
    json_t *facts = NULL;
    struct stat about;
    tri_status status = facts_path && path ? tri__json_read(facts_path, &facts) : no_memory("the name of a partition");
    if (!status && stat(path, &about))
        status = tri_fail(TRI_IO, "%s: %s", path, strerror(errno));
    if (!status) {
        out->bytes += about.st_size;
        int64_t damaged = json_integer_value(json_object_get(facts, "damaged"));
        out->damaged += damaged;
        out->records += p->count - damaged;
        for (int64_t i = 0; i < out->classes; i++)
            out->class_counts[i] += json_integer_value(json_array_get(json_object_get(facts, "class_counts"), (size_t)i));
    }
    json_decref(facts);
    free(facts_path);
    free(path);
    return status;
}

static tri_status sum_up(const conversion *self, tri__convert_result *out)
{
    const tri_source_info *info = &self->source[TRI_PART_TRAIN]->info;
    out->partitions = self->count;
    out->written = atomic_load(&self->written);
    out->classes = info->classes;
    TRI_TRY(tri__allocate((size_t)info->classes + 1, sizeof *out->class_counts, "counts of classes", &out->class_counts));
    TRI_TRY(tri__class_names_copy(info, &out->class_names));
    for (int64_t i = 0; i < self->count; i++)
        TRI_TRY(count_partition(self, &self->partitions[i], out));
    if (out->damaged > self->request->skip_bad)
        return tri_fail(TRI_BAD_DATA, "%s: %" PRId64 " records are damaged and left out, more than --skip-bad %" PRId64 " allows",
                        self->request->spec, out->damaged, self->request->skip_bad);
    return NULL;
}

/* When all is finished, remove the drafts and locks that killed processes left behind. */
static void sweep(const conversion *self)
{
    char **names = NULL;
    size_t count = 0;
    tri_status_free(tri__folder_list(self->folder, &names, &count));
    for (size_t i = 0; i < count; i++) {
        const char *ending = strrchr(names[i], '.');
        bool kept = ending && (!strcmp(ending, ".json") || !strcmp(ending, ".alive"));
        char *path = kept ? NULL : tri__path_join(self->folder, names[i]);
        if (path)
            unlink(path);
        free(path);
    }
    tri__folder_free(names, count);
    tri__claims_sweep(&self->claims);
}

static void conversion_fini(conversion *self)
{
    tri__claims_fini(&self->claims);
    for (int part = 0; part < TRI_PARTS; part++) {
        tri_source_destroy(self->source[part]);
        free(self->shuffled[part]);
    }
    free(self->partitions);
    free(self->folder);
}

static tri_status prepare(conversion *self)
{
    TRI_TRY(open_sources(self));
    TRI_TRY(plan_partitions(self));
    TRI_TRY(tri__folder_create(self->request->out));
    if (!(self->folder = tri__path_join(self->request->out, TRI_CONVERT_FOLDER)))
        return no_memory("the name of a folder");
    tri__convert_job job = {.request = self->request, .source = self->source, .folder = self->folder};
    TRI_TRY(tri__convert_job_refuse_foreign(&job));
    TRI_TRY(tri__folder_create(self->folder));
    TRI_TRY(tri__claims_init(&self->claims, self->folder));
    job.own = self->claims.own;
    return tri__convert_job_settle(&job);
}

static tri_status convert(conversion *self, tri__convert_result *out)
{
    tri__pool *pool;
    TRI_TRY(prepare(self));
    TRI_TRY(tri__pool_create(self->request->workers, &pool));
    tri_status status = tri__pool_for(pool, tri__pool_threads(pool), work, self);
    tri__pool_destroy(pool);
    TRI_TRY(status);
    TRI_TRY(sum_up(self, out));
    sweep(self);
    return NULL;
}

tri_status tri__data_convert(const tri__convert_request *request, tri__convert_result *out)
{
    *out = (tri__convert_result){0};
    conversion self = {.request = request};
    tri_status status = convert(&self, out);
    if (status)
        tri__convert_result_fini(out);
    conversion_fini(&self);
    return status;
}

void tri__convert_result_fini(tri__convert_result *result)
{
    tri__class_names_free(result->class_names, result->classes);
    free(result->class_counts);
    *result = (tri__convert_result){0};
}
