/* place.c: which task lives where, and what it is called. */
#include "sim/place.h"

#include <stdio.h>

#include "sim/history.h"

int sim_place_server(int index)
{
    return index;
}

int sim_place_worker(const sim_job *job, int index)
{
    return job->settings.servers + index;
}

int sim_place_evaluator(const sim_job *job)
{
    return job->settings.servers + job->settings.workers;
}

int sim_place_second(const sim_job *job, int server)
{
    return sim_place_evaluator(job) + job->evaluator + server;
}

int sim_places(const sim_job *job)
{
    return sim_place_second(job, job->settings.replicas == 2 ? job->settings.servers : 0);
}

bool sim_is_second(const sim_job *job, int place)
{
    return place >= sim_place_second(job, 0);
}

int sim_range_at(const sim_job *job, int place)
{
    return place < job->settings.servers ? place : sim_is_second(job, place) ? place - sim_place_second(job, 0) : 0;
}

const char *sim_place_name(int place)
{
    static char name[SIM_PLACES][24];
    const sim_job *job = &sim_all.job;
    if (place < job->settings.servers)
        snprintf(name[place], sizeof name[place], "ps:%d", place);
    else if (place < sim_place_evaluator(job))
        snprintf(name[place], sizeof name[place], "worker:%d", place - job->settings.servers);
    else if (sim_is_second(job, place))
        snprintf(name[place], sizeof name[place], "second:%d", sim_range_at(job, place));
    else
        snprintf(name[place], sizeof name[place], "evaluator:0");
    return name[place];
}
