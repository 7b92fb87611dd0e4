/* lab.h: what commands of the lab share. */
#ifndef TRI_CLI_COMMAND_LAB_LAB_H
#define TRI_CLI_COMMAND_LAB_LAB_H

#include <stddef.h>

/* The results folder that the user means: `named`, where that folder exists; otherwise studies/`named`, where `lab run` puts the results of
 * a study, if that exists. Returns named or folder; folder receives the second path. */
const char *tri__lab_find_results(const char *named, char *folder, size_t size);

#endif
