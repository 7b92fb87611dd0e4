/* machine.h: on what a study was run. */
#ifndef TRI_LAB_RESULTS_MACHINE_H
#define TRI_LAB_RESULTS_MACHINE_H

#include "base/file/json.h"

json_t *tri__machine_json(void); /* {"host", "kernel", "cpu", "cpus", "memory_mb"}; NULL when memory is short */

/* "2 CPUs (AMD EPYC …), 24 GB, Linux 6.1": of such JSON, into text. Returns it. */
const char *tri__machine_text(const json_t *machine, char *text, size_t size);

#endif
