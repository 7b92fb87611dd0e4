/* study_cells.h: the factors and cells of a study's file. */
#ifndef TRI_LAB_STUDY_STUDY_CELLS_H
#define TRI_LAB_STUDY_STUDY_CELLS_H

#include "lab/study/study.h"

/* `factors` maps names to lists of values; every combination of them is a cell. `rows` is a list of mappings: each is one combination.
 * Where there are both, each row is combined with every combination of the factors. Fills factors, values and cell_count of study. */
TRI_MUST_CHECK tri_status tri__study_read_cells(tri__study *study);

#endif
