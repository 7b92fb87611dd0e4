/* known_file.h: one file of a known data set, taken from an archive as it is or made from pictures and labels, and verified. */
#ifndef TRI_DATA_FETCH_KNOWN_FILE_H
#define TRI_DATA_FETCH_KNOWN_FILE_H

#include "data/fetch/archive.h"
#include "data/file/catalogue.h"

/* Write file into folder, if what the archive gives has the SHA-256 that it should have. */
TRI_MUST_CHECK tri_status tri__known_file_make(const tri__known_file *file, tri__archive *archive, const char *folder);

#endif
