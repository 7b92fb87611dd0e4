/* owner.h: the owner of ps:0, in memory instead of files. */
#ifndef TESTS_SIM_OWNER_H
#define TESTS_SIM_OWNER_H

#include "store/ps/server/server.h"

extern const tri__ps_owner sim_owner;
extern const char sim_digest[65], sim_terms[12]; /* what a worker's hello must say */

#endif
