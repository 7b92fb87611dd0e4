/* speed_write.h: the files of a speed study. */
#ifndef TRI_LAB_SPEED_SPEED_WRITE_H
#define TRI_LAB_SPEED_SPEED_WRITE_H

#include "lab/speed/speed.h"

/* Write speed.csv and speed.svg into folder, which is made where it does not exist. title: of the plot. */
TRI_MUST_CHECK tri_status tri__speed_write(const tri__speed_result *result, const char *folder, const char *title);

#endif
