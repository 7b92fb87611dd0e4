/* data_digest.h: digests of the data that a study reads. */
#ifndef TRI_LAB_RUN_DATA_DIGEST_H
#define TRI_LAB_RUN_DATA_DIGEST_H

#include "lab/study/study.h"

/* {source: digest} of every source that a command of the study names (--data, or the operand of a data command); null where a source cannot
 * be opened without more options. The caller drops *out. */
TRI_MUST_CHECK tri_status tri__study_data_digests(const tri__study *study, const char *folder, const char *cache_folder, json_t **out);

#endif
