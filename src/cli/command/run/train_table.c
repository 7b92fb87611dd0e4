/* train_table.c: the options of train: those of a run, which are in train/options/rows.h, and those that say which task this process is,
 * where the run folder is, and what is printed. */
#include "cli/command/run/train_table.h"

#include "cli/table/common_options.h"
#include "train/options/options.h"

const tri__option tri__train_options_table[] = {
    {.rows = tri__train_option},
    {.name = "config",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "options from a YAML file, a line each: 'rate: 0.1', 'sync: yes', and 'model: lenet'",
     .detail = "An option on the command line has the last word. The run folder's command has all of them written out."},
    {.name = "find-rate",
     .meaning = "train no model, but find a learning rate: let it rise over 100 steps, show the loss, and suggest one",
     .detail =
         "The run folder gets the curve, as find-rate.csv and find-rate.svg. --steps and --schedule sweep:LOW:HIGH (1e-6 to 10) say how "
         "finely and how far. The suggestion is a tenth of the rate with the least smoothed loss."},
    {.name = "out",
     .letter = 'o',
     .argument = "DIR",
     .kind = TRI_OPTION_TEXT,
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
         "that was never interrupted (async parameter servers apart, with which no two runs are alike). Options about how long and how "
         "often, the rate, its schedule, the threads, and the strategy with its "
         "workers, servers and mode may be changed by giving them anew. Model, data, batch, rule, seed and order may not: start a new run "
         "with --init instead."},

    {.name = "on",
     .argument = "NAME",
     .kind = TRI_OPTION_TEXT,
     .group = "On several machines",
     .meaning = "run on the hosts of a virtual cluster, which 'trireme cluster up NAME' has made",
     .detail = "Worker 0 and ps:0 are on the first host, worker 1 (and ps:1) on the second, and so on, beginning again after the last; the "
               "evaluator is beside ps:0. All of them are started, watched and ended from here, with a key that is made for the job. A "
               "strategy without other processes trains on the first host."},
    HOSTS_ROW,

    {.name = "cluster",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "a file with the tasks and their hosts: start all of them by ssh, or be one of them (--task)",
     .detail =
         "YAML: a line 'ps: [\"host:port\", ...]' and a line 'worker: [\"host\", ...]', one entry a task, and 'evaluator: [\"host\"]' "
         "where evaluation has a machine of its own; for allreduce, workers alone. Without --task, all tasks are started by ssh and "
         "supervised from here; the hosts must see this program, this folder and the run folder under the same names. With --on, the "
         "hosts are those of a virtual cluster. With --task, start the same command everywhere, in any order. Without it, TF_CONFIG is "
         "read as Kubernetes' training operators set it, then Slurm's variables."},
    {.name = "ssh",
     .argument = "COMMAND",
     .kind = TRI_OPTION_TEXT,
     .otherwise = "ssh -T -o BatchMode=yes",
     .meaning = "the command that reaches a host of --cluster; the host's name and a line for its shell follow"},
    {.name = "task",
     .argument = "ROLE:N",
     .kind = TRI_OPTION_TEXT,
     .completion = "ps:0 worker:0 worker:1 evaluator:0",
     .meaning = "which of them this process is: ps:0, worker:1, evaluator:0"},
    {.name = "join",
     .argument = "HOST:PORT",
     .kind = TRI_OPTION_TEXT,
     .meaning = "join the running job whose ps:0 is at this address, as one more worker"},
    {.name = "port",
     .argument = "P",
     .kind = TRI_OPTION_INTEGER,
     .least = 1,
     .most = 65535,
     .otherwise = "from the job's number",
     .meaning = "under Slurm: the first port that servers listen on"},
    {.name = "key",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "the cluster's identity, made by 'trireme keygen': encrypt, and admit nobody without it"},
    {.name = "cert",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "instead of --key: this task's certificate, with --cert-key and --ca"},
    {.name = "cert-key", .argument = "FILE", .kind = TRI_OPTION_TEXT, .completion = "file", .meaning = "the certificate's key"},
    {.name = "ca",
     .argument = "FILE",
     .kind = TRI_OPTION_TEXT,
     .completion = "file",
     .meaning = "the authority that signed the certificates of all tasks"},
    {.name = "insecure", .meaning = "use neither encryption nor authentication: for a network where everybody is trusted"},

    QUIET_ROW,
    JSON_ROW,
    HELP_ROW,

    {.name = "spawned",
     .argument = "DIR",
     .kind = TRI_OPTION_TEXT,
     .hidden = true,
     .meaning = "a supervisor started this task: use its run folder DIR, tell progress and result as JSON lines"},
    {.name = "listen-fd",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 3,
     .most = 1 << 20,
     .hidden = true,
     .meaning = "the descriptor of the socket that this server listens on"},
    {.name = "parent-fd",
     .argument = "N",
     .kind = TRI_OPTION_INTEGER,
     .least = 0,
     .most = 1 << 20,
     .hidden = true,
     .meaning = "a descriptor whose end is that of the supervisor"},
    {.name = "recover", .hidden = true, .meaning = "a server in place of one that died: begin with what it last kept"},
    {.name = "ended",
     .argument = "N,…",
     .kind = TRI_OPTION_TEXT,
     .hidden = true,
     .meaning = "with --recover: workers that do not live any more, and are not waited for"},
    {0},
};
