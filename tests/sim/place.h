/* place.h: the number of each task's place: ps:0 …, worker:0 …, evaluator:0. With --replicas 2 the second servers of ps:0 … follow, each in
 * a process of its own, so that it can be lost alone. */
#ifndef TESTS_SIM_PLACE_H
#define TESTS_SIM_PLACE_H

#include "sim/job.h"

int sim_place_server(int index);
int sim_place_second(const sim_job *job, int server);
bool sim_is_second(const sim_job *job, int place);
int sim_range_at(const sim_job *job, int place); /* the server whose range lives there; 0 if it is not a server */
int sim_place_worker(const sim_job *job, int index);
int sim_place_evaluator(const sim_job *job);
int sim_places(const sim_job *job);
const char *sim_place_name(int place);

#endif
