/* data_convert.c: trireme data convert. */
#include <string.h>
#include <unistd.h>

#include "base/thread/clock.h"
#include "cli/command/commands.h"
#include "cli/process/counting.h"
#include "cli/process/signals.h"
#include "cli/table/size.h"
#include "data/convert/convert.h"
#include "watch/progress/text.h"

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

static json_t *result_json(const tri__convert_result *result, double seconds)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:f, s:I, s:I, s:I, s:o, s:o}", "records", (json_int_t)result->records, "partitions",
                     (json_int_t)result->partitions, "bytes", (json_int_t)result->bytes, "seconds", seconds, "records_per_second",
                     (double)result->written / seconds, "classes", (json_int_t)result->classes, "written", (json_int_t)result->written,
                     "damaged", (json_int_t)result->damaged, "class_counts", counts_json(result), "class_names", names_json(result));
}

static void print_classes(FILE *out, const tri__convert_result *result)
{
    enum { MOST = 30 }; /* more would not be read by anybody; --json has them all */
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
        .seed = request->seed, .cache_folder = session->cache_folder, .features = tri__argument_integer(arguments, "features")};
    if (!request->out)
        return tri_fail(TRI_BAD_CALL, "data convert needs --out DIR, the folder for its files");
    return tri__argument_size(arguments, "resize", &request->source.width, &request->source.height);
}

tri_status tri__command_data_convert(tri__session *session, const tri__arguments *arguments)
{
    tri__convert_request request;
    TRI_TRY(read_request(session, arguments, &request));
    tri__counting counting;
    tri__counting_init(&counting, session, "records");
    request.context = &counting;
    tri__convert_result result;
    tri_status status = tri__data_convert(&request, &result);
    tri__counting_fini(&counting);
    TRI_TRY(status);
    double seconds = tri__clock_seconds(tri__clock_now() - counting.begun);
    if (session->json)
        status = tri__session_print_json(session, result_json(&result, seconds));
    else
        print_table(session->out, request.out, &result, seconds);
    tri__convert_result_fini(&result);
    return status;
}
