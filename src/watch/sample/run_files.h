/* run_files.h: the names of what is in a run folder. */
#ifndef TRI_WATCH_SAMPLE_RUN_FILES_H
#define TRI_WATCH_SAMPLE_RUN_FILES_H

#define TRI_RUN_SUMMARY     "summary.json"
#define TRI_RUN_COMMAND     "command"      /* what to type to repeat the run, a line for each time that it was begun or resumed */
#define TRI_RUN_CHECKPOINTS "checkpoint"   /* a folder */
#define TRI_RUN_EVENTS      "events"       /* a folder with a folder for each task */
#define TRI_RUN_LOGS        "log"          /* a folder with TASK.txt */
#define TRI_RUN_SAMPLES     "samples"      /* a folder with TASK.csv */
#define TRI_RUN_MARKS       "marks.csv"    /* what happened */
#define TRI_RUN_TRACES      "trace"        /* a folder with TASK.part, as long as the run goes on */
#define TRI_RUN_TIMELINE    "trace.json"   /* all of them, merged */
#define TRI_RUN_CLUSTER     "cluster.yaml" /* the tasks that a supervisor started, and their addresses */

#endif
