/* make_digits.h: writes drawn digits as IDX files. A row of the table in make.c. */
#ifndef TRI_DATA_MAKE_MAKE_DIGITS_H
#define TRI_DATA_MAKE_MAKE_DIGITS_H

#include "data/make/make.h"

TRI_MUST_CHECK tri_status tri__make_digits(const tri__make_request *request, tri__make_result *out);

#endif
