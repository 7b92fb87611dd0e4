/* rows.h: the options of a training run, one row each. options.h and options.c include this file several times. They make from it the
 * fields of a request, the fields of the settings, the table that the command line, help and checkpoints read, and the rules of resuming.
 *
 *   ROW(kind, field, name, when resumed, what cli and help must know …)                  its field in a request; options.c resolves it
 *   SETTING(kind, field, name, when resumed, standard, what cli and help must know …)    the same, and a field of the settings, which has
 *                                                                                        the standard value where the option is not given
 *   RULES                                                                                --rule, and the numbers of all update rules
 *
 * When a run is resumed, an option is KEPT (it cannot be changed), KEPT_BY a function that compares two of its texts, FREE, or one of
 * several that together answer a question, such as "how long". A new value of an option that ANSWERS the question unsets all old options
 * of that question, also those that are only PART_OF it. A new --strategy keeps the old options of its question that it has, too, such as
 * --workers; a new --until keeps --max-steps. */

ROW(TEXT, data, "data", KEPT, .group = "Data", .letter = 'd', .argument = "SOURCE", .completion = TRI_SOURCE_WORDS,
    .meaning = "the examples: fashion, mnist, cifar10, digits[:N], fake:HxWxC:CLASSES[:N], clicks:FEATURES[:N], a path, or -",
    .detail =
        "A path is a folder, a file or a glob: TFRecord files, JPEG, PNG or WebP photos in one folder a class (under train and test, where "
        "there are "
        "such), IDX files, plain or gzip, CIFAR-10's binary files, LIBSVM or Criteo text, CSV tables, NumPy arrays; its content tells "
        "which. digits are drawn and "
        "fake examples are random: neither needs files. For mnist and cifar10, see 'trireme data get'. - is standard input, for sparse "
        "models: Criteo or LIBSVM text or click records, learnt once, in their order, each predicted before it is learnt.")
ROW(TEXT, test, "test", FREE, .argument = "SOURCE", .otherwise = "the test part of --data", .completion = TRI_SOURCE_WORDS,
    .meaning = "the examples to evaluate on")
ROW(TEXT, validation, "validation", KEPT, .argument = "P%", .otherwise = "none", .completion = "10% 20%",
    .meaning = "hold out this share of the training examples, drawn by --seed, and evaluate on these",
    .detail = "For a source without a test part. One that has a test part keeps it for 'trireme eval'.")
ROW(INTEGER, limit_train, "limit-train", KEPT, .argument = "N", .least = 1, .otherwise = "all",
    .meaning = "use N examples only: a sample over all of the source, drawn by --seed")
ROW(INTEGER, shuffle, "shuffle", KEPT, .argument = "N", .least = 0, .otherwise = "the whole epoch", .off = "0",
    .meaning = "shuffle within a window of N examples; 0 keeps the source's order",
    .detail = "The order of an epoch depends on the seed and the epoch alone.")
ROW(TEXT, label, "label", KEPT, .argument = "COLUMN", .otherwise = "label, target, class, y or the last one",
    .meaning = "the column of a CSV table that is to be predicted, by name or by number from 1; several with commas between them")
SETTING(INTEGER, features, "features", KEPT, 0, .argument = "N", .least = 1, .most = INT32_MAX, .otherwise = "as found",
        .meaning = "how many features a sparse source has, or how many to hash its features into")
SETTING(FLAG, hash_keys, "hash-keys", KEPT, 0,
        .meaning = "hash the indices of LIBSVM text and click records, of up to 64 bits in records, into --features")
ROW(INTEGER, min_count, "min-count", KEPT, .argument = "N", .least = 1, .most = 1 << 30, .otherwise = "every key has a row",
    .meaning = "sparse models: tables grow, and a key gets its row when it is seen for the Nth time",
    .detail = "Until then it counts as 0 and learns nothing. How often that happened stands in the summary.")
ROW(INTEGER, table_memory, "table-memory", KEPT, .argument = "MB", .least = 1, .most = 1 << 30, .otherwise = "half of what is free",
    .meaning = "sparse models: tables grow to at most this size; later keys get no row")
SETTING(FLAG, nonzero_rows, "nonzero-rows", FREE, 0, .meaning = "checkpoints of sparse models hold only rows of tables that are not 0")
SETTING(FLAG, grey, "grey", KEPT, 0, .elsewhere = "grayscale gray greyscale",
        .meaning = "read photos, also coloured ones, as one channel: their brightness",
        .detail = "A model whose input line asks for one channel, as input(28x28x1), gets such photos in any case.")
ROW(TEXT, class_weights, "class-weights", KEPT, .argument = "HOW", .otherwise = "all weigh 1", .completion = "balanced",
    .meaning = "let training examples weigh by their class: balanced, or a weight for each class with commas between them",
    .detail =
        "balanced gives a class n / (classes × its examples), counted over the training examples, as scikit-learn does. A step's loss is "
        "divided by the sum of its weights, as PyTorch's CrossEntropyLoss does. Evaluation is not weighted.")
ROW(TEXT, augment, "augment", KEPT_BY(tri__augment_same), .argument = "HOW", .completion = "flip crop rotate colour mixup flip,crop",
    .meaning = "change examples at random each time: some of flip, crop, rotate, colour and mixup[:ALPHA], with commas between them",
    .detail =
        "flip mirrors every second picture, crop moves it by up to an eighth, rotate turns it by up to 15 degrees, and colour changes "
        "brightness, contrast and saturation by up to a fifth. mixup mixes each example, picture or not, with another one, and their "
        "labels alike; the shares are from Beta(ALPHA, ALPHA), 0.2 unless given. What happens follows from seed, epoch and example alone.")
SETTING(FLAG, cache, "cache", FREE, 0, .off = "off", .meaning = "keep decoded examples, so that epochs after the first decode nothing",
        .detail = "They stay in memory as far as --cache-memory allows. The rest goes to a file in the cache folder, which is removed when "
                  "the run ends.")
ROW(INTEGER, cache_memory, "cache-memory", FREE, .argument = "MB", .least = 1, .otherwise = "half of what is free",
    .meaning = "with --cache: how many megabytes of memory to use at most")
SETTING(INTEGER, skip_bad, "skip-bad", FREE, 0, .argument = "N", .least = 0, .standard = "0",
        .meaning = "skip up to N damaged records; one more ends the run")
ROW(CHOICE, shard, "shard", KEPT, .argument = "BY", .choices = "examples files", .standard = "examples",
    .meaning = "how workers share the data: they divide the examples of each step, or each reads its own files",
    .detail =
        "With files, each machine reads the files that it finds itself, and the run can be resumed only with the same number of workers.")

ROW(INTEGER, epochs, "epochs", ANSWERS(HOW_LONG), .group = "How long: one of these", .letter = 'e', .elsewhere = "num-epochs max-iter",
    .argument = "E", .least = 1, .otherwise = "the model's", .meaning = "passes over the training examples")
ROW(INTEGER, steps, "steps", ANSWERS(HOW_LONG), .argument = "N", .least = 1, .meaning = "updates of the model")
ROW(TEXT, until, "until", ANSWERS(HOW_LONG), .argument = "TARGET", .meaning = "until 'loss<=0.35' or 'accuracy>=0.98' on the test examples",
    .detail =
        "Two classes also have logloss, auc and calibration, numbers mse, mae and r2, sets of labels f1. Of a stream's own examples "
        "there are progressive_logloss, progressive_accuracy, progressive_auc and progressive_calibration. "
        "Checked by an evaluation every --eval-every steps. Put it in quotes, because < and > mean something else to the shell. "
        "--max-steps guards against a "
        "target that is never reached. A resumed run that has reached its target ends at once, unless its tasks are started one by one.")

SETTING(INTEGER, max_steps, "max-steps", PART_OF(HOW_LONG), 0, .group = "Ending earlier", .argument = "N", .least = 1,
        .meaning = "with --until: give up after N steps")
SETTING(INTEGER, patience, "patience", FREE, 0, .elsewhere = "early-stopping", .argument = "N", .least = 1,
        .meaning = "stop after N evaluations in a row without a lower test loss")
SETTING(INTEGER, steps_per_epoch, "steps-per-epoch", KEPT, 0, .argument = "N", .least = 1, .otherwise = "one pass",
        .meaning = "with --epochs: let an epoch be N steps")

ROW(INTEGER, batch, "batch", KEPT, .group = "Learning", .letter = 'b', .elsewhere = "batch-size bs minibatch", .argument = "B", .least = 1,
    .most = 1 << 20, .otherwise = "the model's", .meaning = "examples in a step, for each worker")
ROW(INTEGER, global_batch, "global-batch", KEPT, .argument = "B", .least = 1, .most = 1 << 30,
    .meaning = "instead of --batch: examples in a step, for all workers together")
SETTING(INTEGER, accumulate, "accumulate", KEPT, 1, .argument = "N", .least = 1, .most = 1 << 20, .standard = "1",
        .meaning = "make an update of N batches: their gradients are added up, in the memory of one batch",
        .detail = "An update is that of a batch N times as large, up to rounding; only batch_norm sees each batch by itself.")
ROW(NUMBER, rate, "rate", FREE, .letter = 'r', .elsewhere = "lr learning-rate learning_rate eta", .argument = "R", .least = 0,
    .above = true, .otherwise = "the model's", .meaning = "learning rate")
RULES
ROW(TEXT, schedule, "schedule", FREE, .argument = "S", .standard = "constant",
    .completion = "constant step: exponential: cosine plateau: sweep:",
    .meaning = "constant, step:EVERY:FACTOR, cosine[:FLOOR], plateau:N:FACTOR, sweep:LOW:HIGH or exponential:EVERY:FACTOR",
    .detail =
        "step:1000:0.5 halves the rate every 1000 steps and step:10epochs:0.1 divides it by ten every ten epochs. exponential:1000:0.5 "
        "halves it over 1000 steps, a little in each. cosine lets the rate "
        "fall along half a cosine to FLOOR times itself (0 where left out) at the last step. plateau:3:0.1 divides the rate by ten after "
        "every "
        "three evaluations in a row without a lower test loss (--strategy local and mirrored). sweep:1e-6:10 lets it rise from one rate to "
        "the other, as --find-rate does.")
ROW(INTEGER, warmup, "warmup", FREE, .argument = "N", .least = 0,
    .meaning = "raise the rate from near 0 over the first N steps, before the schedule")
ROW(NUMBER, clip, "clip", FREE, .argument = "NORM", .least = 0, .otherwise = "none",
    .meaning = "scale the gradient down to NORM if its norm is larger")
ROW(NUMBER, average, "average", KEPT, .elsewhere = "ema ema-decay ema-momentum use-ema moving-average", .argument = "DECAY", .least = 0,
    .most = 1, .below = true, .otherwise = "the model's, or none", .off = "0",
    .meaning = "keep a moving average of all weights, such as 0.999, and evaluate, save and export that; for dense models",
    .detail =
        "After each update, the average keeps DECAY of itself and takes the rest from the weights. In the first updates it keeps less: "
        "t / (t + 9) after t updates. Training goes on with the weights themselves.")
ROW(TEXT, init, "init", KEPT, .argument = "CHECKPOINT", .completion = "file",
    .meaning = "start from the parameters of a checkpoint, run or any .safetensors file instead of random ones",
    .detail =
        "Parameters go by name and shape. What does not fit, such as the last layer of a model with other classes, begins as usual and "
        "is named.")
ROW(TEXT, init_names, "init-names", KEPT, .argument = "LAYER=NAME,…",
    .meaning = "with --init: what the file calls layers of this model, such as dense1=fc1,dense2=fc2")
ROW(TEXT, freeze, "freeze", KEPT, .argument = "PATTERN,…",
    .meaning = "do not train the parameters whose names match, such as 'conv*': they stay as --init or the seed made them",
    .detail = "A pattern names parameters (conv1.weight) or layers (conv1), with * for any letters; 'trireme model' lists them. Nothing is "
              "computed for a frozen parameter that training does not need. Running statistics of a frozen batch_norm stay, too.")
ROW(INTEGER, seed, "seed", KEPT, .elsewhere = "random-state random-seed", .argument = "S", .least = 0, .standard = "1",
    .meaning = "seed of initial values, order, dropout and synthetic data",
    .detail = "The same seed, options and threads on the same kind of CPU give the same figures, bit for bit.")

ROW(CHOICE, strategy, "strategy", ANSWERS(STRATEGY), .group = "Machine", .argument = "NAME", .choices = TRI_STRATEGIES(NAME, NEXT_NAME),
    .standard = "local", .meaning = TRI_STRATEGIES(MEANING, NEXT_MEANING),
    .detail = "With mirrored, --workers replicas share every step, and the parameters. With ps, servers hold the parameters, workers "
              "compute gradients and send them there. Without --cluster, this command starts all of them on this machine, watches "
              "them, and ends them with the run.")
ROW(INTEGER, threads, "threads", FREE, .argument = "T", .least = 1, .most = 4096, .otherwise = "every CPU, shared out",
    .meaning = "threads that compute, in each worker",
    .detail = "A resumed run keeps it, but a job of parameter servers does not: its tasks share out every CPU that is there then, unless "
              "it is given again.")
SETTING(FLAG, deterministic, "deterministic", FREE, 0, .meaning = "the same bits for any number of --threads; slower",
        .detail =
            "Without it, threads that train a sparse model with rule sgd add to one table without locks, which may lose an update now and "
            "then, and the sums of dense layers depend on the number of threads.")

ROW(INTEGER, workers, "workers", PART_OF(STRATEGY), .group = "With several workers", .elsewhere = "nproc num-workers processes",
    .argument = "N", .least = 1, .most = 4096, .standard = "1",
    .meaning = "workers to start on this machine: replicas, ranks, tasks or workers of parameter servers")
ROW(TEXT, timeout, "timeout", PART_OF(STRATEGY), .argument = "T", .standard = "60s", .completion = "10s 60s 5m",
    .meaning = "allreduce, placed, ps: how long a task waits for another one: 500ms, 60s, 2m")
ROW(INTEGER, restarts, "restarts", PART_OF(STRATEGY), .argument = "R", .least = 0, .most = 1000000, .standard = "0",
    .meaning = "allreduce, placed: when a rank is lost, start again from the last checkpoint, up to R times")
ROW(INTEGER, min_workers, "min-workers", PART_OF(STRATEGY), .argument = "N", .least = 1, .most = 4096,
    .meaning = "allreduce: if a restart fails, too, go on without the hosts that are gone, or with fewer ranks, but with at least N")

ROW(INTEGER, servers, "servers", PART_OF(STRATEGY), .group = "With --strategy ps", .argument = "M", .least = 1, .most = 4096,
    .standard = "1", .meaning = "parameter servers to start; each holds an equal share of the parameters")
ROW(FLAG, async, "async", ANSWERS(MODE),
    .meaning = "each gradient updates the model as soon as it arrives; no worker waits (this is the default)")
ROW(FLAG, sync, "sync", ANSWERS(MODE), .meaning = "every update is the mean of all workers' gradients",
    .detail = "The same seed and number of workers give the same figures, bit for bit.")
ROW(INTEGER, staleness, "staleness", ANSWERS(MODE), .argument = "S", .least = 0, .most = 1 << 20,
    .meaning = "like --async, but no worker runs more than S steps ahead of the slowest; 0 is --sync")
ROW(INTEGER, backup, "backup", PART_OF(MODE), .argument = "K", .least = 0, .most = 4095, .standard = "0",
    .meaning = "with --sync: do not wait for the K slowest workers of a step")
ROW(CHOICE, combine, "combine", PART_OF(MODE), .argument = "HOW", .choices = "mean sum", .standard = "mean",
    .meaning = "with --sync: how the gradients of a step are combined: mean or sum")
ROW(CHOICE, split, "split", PART_OF(STRATEGY), .argument = "HOW", .choices = "dynamic static", .standard = "dynamic",
    .meaning = "async, staleness: dynamic: a worker takes the next batch when it is ready; static: every worker has an equal, fixed part",
    .detail =
        "With static, of N workers each does every Nth batch, however fast it is, and ends when it has done its part: fast workers end "
        "early. The part of a worker that is lost is done by those that have ended. With --sync all parts are equal anyway.")
ROW(CHOICE, row_values, "row-values", PART_OF(STRATEGY), .argument = "TYPE", .choices = "fp32 fp16", .standard = "fp32",
    .meaning = "sparse models: how rows of tables and their gradients travel; fp16 takes half the bytes and rounds",
    .detail = "Servers keep and add up 32 bits in any case.")
ROW(CHOICE, gather, "gather", PART_OF(STRATEGY), .argument = "HOW", .choices = "sparse dense", .standard = "sparse",
    .meaning = "sparse models: what a step moves: the rows that its batch names, or, to compare, whole tables both ways",
    .detail = "Both learn the same.")
ROW(INTEGER, replicas, "replicas", PART_OF(STRATEGY), .argument = "K", .least = 1, .most = 2, .standard = "1",
    .meaning = "2: the parameters of every server live on two servers; when one is lost, no update is lost")
ROW(TEXT, heartbeat, "heartbeat", PART_OF(STRATEGY), .argument = "T", .standard = "1s", .completion = "500ms 1s 5s",
    .meaning = "how often a task says that it is alive; one that misses two is named")
ROW(FLAG, log_updates, "log-updates", PART_OF(STRATEGY),
    .meaning = "async, staleness: servers log every update and the worker that it came from (many lines)")

ROW(TEXT, checkpoint_every, "checkpoint-every", FREE, .group = "Run folder", .argument = "T", .standard = "60s", .off = "end",
    .completion = "60s 5m 500steps epoch end",
    .meaning = "how often to write a checkpoint: 60s, 5m, 500steps, epoch, or end for only the last one")
SETTING(INTEGER, keep, "keep", FREE, 3, .argument = "K", .least = 1, .standard = "3", .meaning = "keep the last K checkpoints")
SETTING(FLAG, keep_best, "keep-best", FREE, 0, .meaning = "also keep the checkpoint with the lowest test loss, as best.safetensors")
ROW(TEXT, eval_every, "eval-every", FREE, .argument = "N", .otherwise = "epoch; 100 with --until", .completion = "epoch end never 100 1000",
    .meaning = "evaluate every N steps, every epoch, at the end, or never")
SETTING(INTEGER, log_every, "log-every", FREE, 100, .argument = "N", .least = 1, .standard = "100",
        .meaning = "write loss, rate and speed to the event file every N steps")
ROW(TEXT, sample_every, "sample-every", FREE, .argument = "T", .standard = "1s", .off = "never", .completion = "1s 5s 500ms never",
    .meaning = "how often each task writes what it and its host do to the folder samples: 500ms, 1s, or never")
SETTING(FLAG, trace, "trace", FREE, 0, .meaning = "trace every step of every task into one timeline, trace.json of the run",
        .detail =
            "Steps, phases, layers and messages, for Perfetto (ui.perfetto.dev) or Chrome's about:tracing. A task keeps half a million "
            "events: trace a run of few steps.")
SETTING(INTEGER, histograms, "histograms", FREE, 0, .argument = "N", .least = 1, .otherwise = "none",
        .meaning = "write histograms of weights and gradients to the event file every N steps of a worker",
        .detail = "Of all parameters but rows of tables. A gradient is the mean over the worker's own examples, before --clip.")
SETTING(FLAG, events, "events", FREE, 1, .standard = "on", .off = "off", .meaning = "write TensorBoard event files")

#undef ROW
#undef SETTING
#undef RULES
