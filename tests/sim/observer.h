/* observer.h: everything that tasks log and send passes here. */
#ifndef TESTS_SIM_OBSERVER_H
#define TESTS_SIM_OBSERVER_H

#include <stdint.h>

#include "base/report/log.h"

extern tri__log sim_log; /* of all tasks */

/* Told of every message that is sent: by faults that wait for one. */
extern void (*sim_message_sent)(int place, uint32_t type);

#endif
