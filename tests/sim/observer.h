/* observer.h: sees everything that tasks log and send. */
#ifndef TESTS_SIM_OBSERVER_H
#define TESTS_SIM_OBSERVER_H

#include <stdint.h>

#include "base/report/log.h"

extern tri__log sim_log; /* of all tasks */

/* Called for every message that is sent. Faults that wait for a message set it; NULL: no call. */
extern void (*sim_message_sent)(int place, uint32_t type);

#endif
