/* assemble.h: one file of a known data set, taken from a supply as it is or made from pictures and labels, and verified. */
#ifndef TRI_DATA_FETCH_ASSEMBLE_H
#define TRI_DATA_FETCH_ASSEMBLE_H

#include "data/fetch/supply.h"
#include "data/file/catalogue.h"

/* Write file into folder, if what the supply gives has the SHA-256 that it should have. */
TRI_MUST_CHECK tri_status tri__assemble_file(const tri__known_file *file, tri__supply *supply, const char *folder);

#endif
