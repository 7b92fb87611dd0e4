/* machine.h: the machine that a study was run on. */
#ifndef TRI_LAB_RESULTS_MACHINE_H
#define TRI_LAB_RESULTS_MACHINE_H

#include "base/file/json.h"

json_t *tri__machine_json(void); /* {"host", "kernel", "cpu", "cpus", "memory_mb"}; NULL when memory is short */

/* Writes such JSON into text as "2 CPUs (AMD EPYC …), 24 GB, Linux 6.1". Returns text. */
const char *tri__machine_text(const json_t *machine, char *text, size_t size);

#endif
