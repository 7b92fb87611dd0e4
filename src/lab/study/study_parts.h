/* study_parts.h: which parts a study's file may have, and of which kind each is. */
#ifndef TRI_LAB_STUDY_STUDY_PARTS_H
#define TRI_LAB_STUDY_STUDY_PARTS_H

#include "lab/study/study.h"

/* object: the study's document, or its `quick` or `full`. TRI_BAD_DATA where it has a part that no study has, or one of another kind,
 * here or in an entry of tables, plots, fits and reported. So whoever reads the document later finds words where there must be words. */
TRI_MUST_CHECK tri_status tri__study_check_parts(const tri__study *study, const json_t *object);

#endif
