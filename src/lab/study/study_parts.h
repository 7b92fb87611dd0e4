/* study_parts.h: which parts a study's file may have, and of which kind each is. */
#ifndef TRI_LAB_STUDY_STUDY_PARTS_H
#define TRI_LAB_STUDY_STUDY_PARTS_H

#include "lab/study/study.h"

/* object: the study's document, or its `quick` or `full`. TRI_BAD_DATA where it, or an entry of tables, plots, fits and reported, has a
 * part that no study has, or a part of the wrong kind. Code that reads the document later can rely on that. */
TRI_MUST_CHECK tri_status tri__study_check_parts(const tri__study *study, const json_t *object);

#endif
