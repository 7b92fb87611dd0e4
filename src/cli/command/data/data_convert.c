/* data_convert.c: trireme data convert. */
#include <string.h>
#include <unistd.h>

#include "base/text/text.h"
#include "base/thread/clock.h"
#include "cli/command/data/data_options.h"
#include "cli/command/data/data_samples.h"
#include "cli/command/data/data_spread.h"
#include "cli/process/counting.h"
#include "cli/process/signals.h"
#include "cli/table/commands.h"
#include "cli/table/size.h"
#include "data/convert/convert.h"
#include "train/job/command_line.h"
#include "watch/host/resources.h"

static json_t *counts_json(const tri__convert_result *result)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < result->classes; i++)
        json_array_append_new(list, json_integer(result->class_counts[i]));
    return list;
}

static json_t *names_json(const tri__convert_result *result)
{
    json_t *list = result->class_names ? json_array() : json_null();
    for (int64_t i = 0; result->class_names && i < result->classes; i++)
        json_array_append_new(list, json_string(result->class_names[i]));
    return list;
}

static json_t *result_json(const tri__convert_result *result, double seconds, double cpu_percent)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:f, s:f, s:I, s:I, s:I, s:o, s:o}", "records", (json_int_t)result->records, "partitions",
                     (json_int_t)result->partitions, "bytes", (json_int_t)result->bytes, "seconds", seconds, "records_per_second",
                     (double)result->written / seconds, "cpu_percent", cpu_percent, "classes", (json_int_t)result->classes, "written",
                     (json_int_t)result->written, "damaged", (json_int_t)result->damaged, "class_counts", counts_json(result),
                     "class_names", names_json(result));
}

static void print_classes(FILE *out, const tri__convert_result *result)
{
    enum { MOST = 30 }; /* nobody would read more; --json has them all */
    if (result->classes < 1)
        return;
    fprintf(out, "\n%-20s %9s\n", "class", "records");
    for (int64_t i = 0; i < result->classes && i < MOST; i++) {
        char count[TRI_TEXT_SHORT], number[TRI_TEXT_SHORT];
        snprintf(number, sizeof number, "%lld", (long long)i);
        fprintf(out, "%-20s %9s\n", result->class_names ? result->class_names[i] : number,
                tri__text_count(count, (double)result->class_counts[i]));
    }
    if (result->classes > MOST)
        fprintf(out, "… and %lld more (--json tells all)\n", (long long)result->classes - MOST);
}

static void print_table(FILE *out, const char *folder, const tri__convert_result *result, double seconds)
{
    char records[TRI_TEXT_SHORT], bytes[TRI_TEXT_SHORT], written[TRI_TEXT_SHORT], rate[TRI_TEXT_SHORT];
    fprintf(out, "%s  %s records in %lld files, %s\n", folder, tri__text_count(records, (double)result->records),
            (long long)result->partitions, tri__text_bytes(bytes, (double)result->bytes));
    fprintf(out, "%s of them written by this process in %.2f s, %s records/s\n", tri__text_count(written, (double)result->written), seconds,
            tri__text_count(rate, (double)result->written / seconds));
    if (result->damaged)
        fprintf(out, "%s damaged records left out\n", tri__text_count(records, (double)result->damaged));
    print_classes(out, result);
}

static tri_status read_request(tri__session *session, const tri__arguments *arguments, tri__convert_request *request)
{
    int64_t workers = tri__argument_integer(arguments, "workers");
    *request = (tri__convert_request){
        .spec = arguments->operands[0],
        .out = tri__argument_text(arguments, "out"),
        .partitions = tri__argument_integer(arguments, "partitions"),
        .encoding = strcmp(tri__argument_text(arguments, "encode"), "jpeg") ? TRI_ENCODE_RAW : TRI_ENCODE_JPEG,
        .seed = (uint64_t)tri__argument_integer(arguments, "seed"),
        .skip_bad = tri__argument_integer(arguments, "skip-bad"),
        .workers = (int)(workers ? workers : sysconf(_SC_NPROCESSORS_ONLN)),
        .stop = tri__signals_catch(1),
        .progress = tri__counting_show,
    };
    request->source = (tri_source_options){
        .seed = request->seed,
        .cache_folder = session->cache_folder,
        .features = tri__argument_integer(arguments, "features"),
        .grey = tri__argument_given(arguments, "grey"),
    };
    if (!request->out)
        return tri_fail(TRI_BAD_CALL, "data convert needs --out DIR, the folder for its files");
    return tri__argument_size(arguments, "resize", &request->source.width, &request->source.height);
}

/* ---- on virtual hosts ---- */

static tri_status convert_on(const tri__arguments *arguments, tri__data_spread *on, json_t **results)
{
    static const char *const options[] = {"partitions", "resize", "encode", "features", "skip-bad", "seed", "workers"};
    tri__command_line line = TRI_COMMAND_LINE_INIT;
    tri__command_line_add_all(
        &line, (const char *const[]){"data", "convert", arguments->operands[0], "--out", tri__argument_text(arguments, "out"), NULL});
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (tri__argument_given(arguments, options[i]))
            tri__command_line_add_format(&line, "--%s=%s", options[i], tri__argument_text(arguments, options[i]));
    if (tri__argument_given(arguments, "grey"))
        tri__command_line_add_all(&line, (const char *const[]){"--grey", NULL});
    tri__data_samples_add(arguments, &line);
    tri_status status = tri__command_line_check(&line);
    on->spread.words = tri__command_line_words(&line);
    if (!status)
        status = tri__spread_run(&on->spread, results);
    tri__command_line_fini(&line);
    return status;
}

/* What all hosts wrote together, from the result of each. Every host's result says the same about the whole. */
static json_t *whole_json(const tri__data_spread *on, const json_t *results, double seconds)
{
    json_t *whole = json_copy((json_t *)(uintptr_t)json_array_get(results, 0)), *hosts = json_array();
    json_int_t written = 0, damaged = 0;
    double used = 0; /* CPU seconds */
    for (int i = 0; i < on->hosts.hosts; i++) {
        const json_t *one = json_array_get(results, (size_t)i);
        json_int_t here = json_integer_value(json_object_get(one, "written"));
        double time = json_number_value(json_object_get(one, "seconds")), busy = json_number_value(json_object_get(one, "cpu_percent"));
        written += here;
        used += busy / 100 * time;
        damaged += json_integer_value(json_object_get(one, "damaged"));
        json_array_append_new(hosts, json_pack("{s:s, s:I, s:f, s:f, s:f}", "host", on->hosts.host[i].name, "written", here, "seconds",
                                               time, "records_per_second", (double)here / time, "cpu_percent", busy));
    }
    json_object_update_new(whole,
                           json_pack("{s:I, s:I, s:f, s:f, s:f, s:o}", "written", written, "damaged", damaged, "seconds", seconds,
                                     "records_per_second", (double)written / seconds, "cpu_percent", 100 * used / seconds, "hosts", hosts));
    return whole;
}

static void print_hosts(FILE *out, const char *folder, const json_t *whole)
{
    char text[TRI_TEXT_SHORT], bytes[TRI_TEXT_SHORT];
    size_t i;
    json_t *host;
    fprintf(out, "%s  %s records in %lld files, %s, written in %.2f s\n\n%-20s %9s %12s %8s\n", folder,
            tri__text_count(text, json_number_value(json_object_get(whole, "records"))),
            (long long)json_integer_value(json_object_get(whole, "partitions")),
            tri__text_bytes(bytes, json_number_value(json_object_get(whole, "bytes"))),
            json_number_value(json_object_get(whole, "seconds")), "host", "records", "records/s", "CPU, %");
    json_array_foreach(json_object_get(whole, "hosts"), i, host)
        fprintf(out, "%-20s %9lld %12.1f %8.0f\n", json_string_value(json_object_get(host, "host")),
                (long long)json_integer_value(json_object_get(host, "written")),
                json_number_value(json_object_get(host, "records_per_second")), json_number_value(json_object_get(host, "cpu_percent")));
}

static tri_status run_on_hosts(tri__session *session, const tri__arguments *arguments, const char *folder)
{
    tri__data_spread on;
    json_t *results = NULL;
    int64_t begun = tri__clock_now();
    TRI_TRY(tri__data_spread_open(session, arguments, &on));
    TRI_TRY(convert_on(arguments, &on, &results));
    json_t *whole = whole_json(&on, results, tri__clock_seconds(tri__clock_now() - begun));
    json_decref(results);
    if (session->json)
        return tri__session_print_json(session, whole);
    print_hosts(session->out, folder, whole);
    json_decref(whole);
    return NULL;
}

static tri_status run_data_convert(tri__session *session, const tri__arguments *arguments)
{
    tri__convert_request request;
    TRI_TRY(read_request(session, arguments, &request));
    if (tri__argument_given(arguments, "on") || tri__argument_given(arguments, "hosts"))
        return run_on_hosts(session, arguments, request.out);
    tri__data_samples samples;
    TRI_TRY(tri__data_samples_start(arguments, &samples));
    tri__counting counting;
    tri__counting_init(&counting, session, "records");
    request.context = &counting;
    tri__convert_result result;
    const tri__usage before = tri__usage_now();
    tri_status status = tri__data_convert(&request, &result);
    const tri__usage after = tri__usage_now();
    tri__counting_fini(&counting);
    tri__data_samples_stop(&samples);
    TRI_TRY(status);
    double seconds = tri__clock_seconds(tri__clock_now() - counting.begun);
    if (session->json)
        status = tri__session_print_json(session, result_json(&result, seconds, tri__usage_cpu_percent(&before, &after)));
    else
        print_table(session->out, request.out, &result, seconds);
    tri__convert_result_fini(&result);
    return status;
}

static const tri__option convert_options[] = {
    OUT_FOLDER_ROW("Files", NULL, "the folder for the files: a new or empty one, or one of the same conversion, which then continues"),
    {.name = "partitions",
     .argument = "P",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 99999,
     .standard = "8",
     .meaning = "how many files, for the training and the test part each"},
    {.name = "resize", .argument = "WxH", .kind = TRI_OPTION_TEXT, .otherwise = "as they are", .meaning = RESIZE_MEANING},
    {.name = "grey", .kind = TRI_OPTION_FLAG, .meaning = "photos, also coloured ones, as one channel: their brightness"},
    {.name = "encode",
     .argument = "HOW",
     .kind = TRI_OPTION_CHOICE,
     .choices = "raw jpeg",
     .standard = "raw",
     .meaning = "pictures as raw pixels, quick to read, or as JPEG photos, small"},
    FEATURES_ROW,
    SKIP_BAD_ROW("skip up to N damaged records; one more ends the conversion"),
    DATA_SEED_ROW(NULL, "seed of the shuffle and of synthetic data"),
    WORKERS_ROW("threads that convert; changes speed, not results"),
    ON_ROW("by the hosts of a virtual cluster; --workers is of each host"),
    HOSTS_ROW,
    SAMPLES_ROW,
    SAMPLE_EVERY_ROW,
    QUIET_ROW,
    JSON_ROW,
    HELP_ROW,
    {0},
};

const tri__command tri__command_data_convert = {
    .name = "data convert",
    .usage = "SOURCE --out DIR [options]",
    .run = run_data_convert,
    .least = 1,
    .most = 1,
    .options = convert_options,
    .meaning = "write a source as TFRecord files, in parallel partitions",
    .detail = "Shuffles the records and deals them out to files whose sizes differ by one record at most: pictures as image/raw or "
              "image/encoded with their class, sparse examples as index, value and label. The bytes written depend on source, options and "
              "seed alone, not on who writes them.\n"
              "Several processes may convert into the same folder at once, on one machine or on several that share it, started by hand, by "
              "mpirun or by srun: each takes the next partition that nobody has, and each ends when all are finished. After a crash or "
              "Ctrl-C, the same command goes on with the partitions that are missing.",
    .operands = {{"SOURCE", "as for train --data", SOURCES}},
    .examples = {{"trireme data convert photos/ --out decoded --resize 192x192", "a JPEG folder, decoded and resized"},
                 {"mpirun -n 8 trireme data convert photos/ --out decoded --partitions 64 --workers 1", "by eight processes"}},
};
