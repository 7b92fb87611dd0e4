/* task.c: the names of a job's tasks. */
#include "base/text/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tri__role_name(tri__role role)
{
    static const char *const names[] = {
        [TRI_ROLE_SERVER] = TRI_SERVER_ROLE, [TRI_ROLE_WORKER] = TRI_WORKER_ROLE, [TRI_ROLE_EVALUATOR] = TRI_EVALUATOR_ROLE};
    return names[role];
}

const char *tri__task_name(tri__task task, char name[TRI_TASK_SIZE])
{
    if (task.index < 0)
        snprintf(name, TRI_TASK_SIZE, "%s", "a worker that joins");
    else
        snprintf(name, TRI_TASK_SIZE, "%s:%d", tri__role_name(task.role), task.index);
    return name;
}

const char *tri__task_file_name(tri__task task, char name[TRI_TASK_SIZE])
{
    snprintf(name, TRI_TASK_SIZE, "%s-%d", tri__role_name(task.role), task.index);
    return name;
}

void tri__task_name_from_file(char *name)
{
    char *dash = strrchr(name, '-');
    if (dash)
        *dash = ':';
}

void tri__task_name_to_file(char *name)
{
    char *colon = strrchr(name, ':');
    if (colon)
        *colon = '-';
}

bool tri__task_name_has_role(const char *name, tri__role role)
{
    const char *wanted = tri__role_name(role);
    const size_t length = strlen(wanted);
    return !strncmp(name, wanted, length) && name[length] == ':';
}

/* Roles come in the order of tri__role; other processes come last. */
static int place_of(const char *name)
{
    int role = TRI_ROLE_SERVER;
    while (role <= TRI_ROLE_EVALUATOR && !tri__task_name_has_role(name, (tri__role)role))
        role++;
    return role;
}

int tri__task_name_order(const char *name, const char *other)
{
    const int place = place_of(name), difference = place - place_of(other);
    if (difference || place > TRI_ROLE_EVALUATOR)
        return difference ? difference : strcmp(name, other);
    return atoi(strchr(name, ':') + 1) - atoi(strchr(other, ':') + 1);
}
