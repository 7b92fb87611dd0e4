/* study_cells.h: the factors and cells of a study's file. */
#ifndef TRI_LAB_STUDY_STUDY_CELLS_H
#define TRI_LAB_STUDY_STUDY_CELLS_H

#include "lab/study/study.h"

/* `factors` maps names to lists of values, which are crossed. `rows` is a list of mappings: combinations that are written out. Where there
 * are both, each row is crossed with the factors. Fills factors, values and cell_count of study. */
TRI_MUST_CHECK tri_status tri__study_read_cells(tri__study *study);

#endif
