/* lab.h: what commands of the lab share. */
#ifndef TRI_CLI_COMMAND_LAB_LAB_H
#define TRI_CLI_COMMAND_LAB_LAB_H

#include <stddef.h>

/* The folder that `named` means: itself, or, where it is the name of a study, the one where `lab run` puts its results. Uses folder. */
const char *tri__lab_find_results(const char *named, char *folder, size_t size);

#endif
