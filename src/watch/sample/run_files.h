/* run_files.h: the names of the files and folders in a run folder. */
#ifndef TRI_WATCH_SAMPLE_RUN_FILES_H
#define TRI_WATCH_SAMPLE_RUN_FILES_H

#define TRI_RUN_SUMMARY     "summary.json"
#define TRI_RUN_COMMAND     "command"      /* the command that repeats the run: a line for each start and resume */
#define TRI_RUN_CHECKPOINTS "checkpoint"   /* a folder */
#define TRI_RUN_EVENTS      "events"       /* a folder with a folder for each task */
#define TRI_RUN_LOGS        "log"          /* a folder with TASK.txt */
#define TRI_RUN_SAMPLES     "samples"      /* a folder with TASK.csv */
#define TRI_RUN_PEERS       "peers"        /* a folder with TASK.csv: what tasks exchanged with each other (peers.h) */
#define TRI_RUN_MARKS       "marks.csv"    /* what happened (marks.h) */
#define TRI_RUN_TRACES      "trace"        /* a folder with TASK.part, as long as the run goes on */
#define TRI_RUN_TIMELINE    "trace.json"   /* all parts of the trace, merged */
#define TRI_RUN_CLUSTER     "cluster.yaml" /* the tasks that a supervisor started, and their addresses */

#endif
