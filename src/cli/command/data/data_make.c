/* data_make.c: trireme data make. */
#include <string.h>
#include <unistd.h>

#include "base/text/text.h"
#include "base/text/words.h"
#include "base/thread/clock.h"
#include "cli/command/data/data_options.h"
#include "cli/process/counting.h"
#include "cli/process/signals.h"
#include "cli/table/commands.h"
#include "data/make/make.h"

/* Options that only some makers have. */
static const char *const special[] = {"classes", "size", "features", "partitions", "format"};

/* "320x240" → width 320, height 240 */
static tri_status read_size(const char *text, tri__make_request *request)
{
    long long width, height;
    char rest;
    if (sscanf(text, "%lldx%lld%c", &width, &height, &rest) != 2 || width < 1 || height < 1)
        return tri_fail(TRI_BAD_CALL, "--size %s: should be WIDTHxHEIGHT, such as 320x240", text);
    request->width = width;
    request->height = height;
    return NULL;
}

static tri_status check_options(const tri__arguments *arguments, const tri__make_kind *kind)
{
    if (!tri__argument_text(arguments, "out"))
        return tri_fail(TRI_BAD_CALL, "data make %s needs --out DIR, a new folder for its files", kind->name);
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (tri__argument_given(arguments, special[i]) && !tri__words_have(kind->options, special[i]))
            return tri_fail(TRI_BAD_CALL, "--%s does not belong to data make %s", special[i], kind->name);
    return NULL;
}

static tri_status read_request(const tri__arguments *arguments, tri__make_request *request)
{
    *request = (tri__make_request){
        .out = tri__argument_text(arguments, "out"),
        .count = tri__argument_integer(arguments, "count"),
        .classes = tri__argument_integer(arguments, "classes"),
        .features = tri__argument_integer(arguments, "features"),
        .partitions = tri__argument_integer(arguments, "partitions"),
        .format = tri__argument_text(arguments, "format"),
        .seed = (uint64_t)tri__argument_integer(arguments, "seed"),
        .stop = tri__signals_catch(1),
    };
    const char *size = tri__argument_text(arguments, "size");
    return size ? read_size(size, request) : NULL;
}

static tri_status print_result(tri__session *session, const char *out, const tri__make_result *result, double seconds)
{
    if (session->json)
        return tri__session_print_json(session,
                                       json_pack("{s:s, s:I, s:I, s:I, s:f, s:f}", "out", out, "records", (json_int_t)result->records,
                                                 "files", (json_int_t)result->files, "bytes", (json_int_t)result->bytes, "seconds", seconds,
                                                 "records_per_second", (double)result->records / seconds));
    char records[TRI_TEXT_SHORT], files[TRI_TEXT_SHORT], bytes[TRI_TEXT_SHORT];
    fprintf(session->out, "%s  %s examples in %s files, %s\n", out, tri__text_count(records, (double)result->records),
            tri__text_count(files, (double)result->files), tri__text_bytes(bytes, (double)result->bytes));
    return NULL;
}

static tri_status run_data_make(tri__session *session, const tri__arguments *arguments)
{
    const tri__make_kind *kind;
    tri__make_request request;
    TRI_TRY(tri__make_find(arguments->operands[0], &kind));
    TRI_TRY(check_options(arguments, kind));
    TRI_TRY(read_request(arguments, &request));
    int64_t workers = tri__argument_integer(arguments, "workers");
    TRI_TRY(tri__pool_create((int)(workers ? workers : sysconf(_SC_NPROCESSORS_ONLN)), &request.pool));
    tri__counting counting;
    tri__counting_init(&counting, session, "examples");
    request.progress = tri__counting_show;
    request.context = &counting;
    tri__make_result result;
    tri_status status = tri__data_make(kind, &request, &result);
    tri__counting_fini(&counting);
    tri__pool_destroy(request.pool);
    return status ? status : print_result(session, request.out, &result, tri__clock_seconds(tri__clock_now() - counting.begun));
}

static const tri__option make_options[] = {
    OUT_FOLDER_ROW("Data", NULL, "the folder to make; must be new or empty"),
    {.name = "count",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .otherwise = "as the kind has it",
     .meaning = "how many training examples; a sixth as many test examples come with them"},
    {.name = "classes", .argument = "C", .kind = TRI_OPTION_INTEGER, .least = 1, .otherwise = "5", .meaning = "images: how many classes"},
    {.name = "size", .argument = "WxH", .kind = TRI_OPTION_TEXT, .otherwise = "320x240", .meaning = "images: width and height of a photo"},
    {.name = "features",
     .argument = "F",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = INT32_MAX,
     .otherwise = "1048576",
     .meaning = "clicks: how many features the fields are hashed into"},
    {.name = "format",
     .argument = "NAME",
     .kind = TRI_OPTION_CHOICE,
     .choices = "tfrecord libsvm criteo",
     .otherwise = "tfrecord",
     .meaning = "clicks: tfrecord, libsvm or criteo"},
    {.name = "partitions",
     .argument = "P",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .otherwise = "8",
     .meaning = "clicks: how many files hold the training examples"},
    DATA_SEED_ROW(NULL, "the same seed and options make the same bytes"),
    WORKERS_ROW("threads that make examples; changes speed, not results"),
    QUIET_ROW,
    JSON_ROW,
    HELP_ROW,
    {0},
};

const tri__command tri__command_data_make = {
    .name = "data make",
    .usage = "NAME --out DIR [options]",
    .run = run_data_make,
    .least = 1,
    .most = 1,
    .options = make_options,
    .meaning = "synthetic data of any size, written as files",
    .detail = "clicks are records like Criteo's, 13 numbers and 26 categories, which a hidden logistic regression labelled. digits are "
              "drawn, as four IDX files.\n"
              "images are JPEG photos in one folder a class, under train and test: drawn flowers that a model can learn to tell apart.\n"
              "The folder appears when all of it is there: an interrupted command leaves nothing under its name.",
    .operands = {{"NAME", "clicks, digits or images", "clicks digits images"}},
    .examples = {{"trireme data make clicks --out clicks --count 2000000 --features 33000000", "a click log as TFRecord files"},
                 {"trireme data make images --out flowers --count 3000", "five classes of photos, 320x240"},
                 {"trireme data make images --out large --size 1024x768 --classes 20", "larger ones of more classes"}},
};
