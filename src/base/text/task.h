/* task.h: the tasks of a job, and how they are called: "worker:1" on command lines and for people, "worker-1" in names of files. */
#ifndef TRI_BASE_TEXT_TASK_H
#define TRI_BASE_TEXT_TASK_H

#include <stdbool.h>

typedef enum { TRI_ROLE_SERVER, TRI_ROLE_WORKER, TRI_ROLE_EVALUATOR } tri__role;

#define TRI_SERVER_ROLE    "ps"
#define TRI_WORKER_ROLE    "worker"
#define TRI_EVALUATOR_ROLE "evaluator"

/* Names that are known at compile time. */
#define TRI_FIRST_SERVER      TRI_SERVER_ROLE ":0"
#define TRI_FIRST_WORKER      TRI_WORKER_ROLE ":0"
#define TRI_ONE_EVALUATOR     TRI_EVALUATOR_ROLE ":0"
#define TRI_FIRST_WORKER_FILE TRI_WORKER_ROLE "-0"

typedef struct {
    tri__role role;
    int index; /* −1: a worker that joins; ps:0 gives it a number */
} tri__task;   /* "ps:0", "worker:1", "evaluator:0" */

enum { TRI_TASK_SIZE = 24 };

const char *tri__role_name(tri__role role);                                /* "ps" */
const char *tri__task_name(tri__task task, char name[TRI_TASK_SIZE]);      /* "worker:1" */
const char *tri__task_file_name(tri__task task, char name[TRI_TASK_SIZE]); /* "worker-1", as its files in a run folder are called */

/* Names of tasks, as they were read from files. Other processes have names without a number, such as "supervisor". */
void tri__task_name_from_file(char *name);                      /* "worker-1" becomes "worker:1" */
void tri__task_name_to_file(char *name);                        /* and back */
bool tri__task_name_has_role(const char *name, tri__role role); /* "worker:1" has the role of a worker */
/* For qsort: servers, workers, the evaluator, then processes without a role; by number, so that worker:2 is before worker:10. */
int tri__task_name_order(const char *name, const char *other);

#endif
