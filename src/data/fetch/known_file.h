/* known_file.h: takes one file of a known data set from an archive, or makes it from pictures and labels there, and verifies it. */
#ifndef TRI_DATA_FETCH_KNOWN_FILE_H
#define TRI_DATA_FETCH_KNOWN_FILE_H

#include "data/fetch/archive.h"
#include "data/file/catalogue.h"

/* Write file into folder, if its content has the SHA-256 of the catalogue. */
TRI_MUST_CHECK tri_status tri__known_file_make(const tri__known_file *file, tri__archive *archive, const char *folder);

#endif
