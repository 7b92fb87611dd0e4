/* make_clicks.h: writes click records as files: TFRecord, LIBSVM or Criteo text. A row of the table in make.c. */
#ifndef TRI_DATA_MAKE_MAKE_CLICKS_H
#define TRI_DATA_MAKE_MAKE_CLICKS_H

#include "data/make/make.h"

TRI_MUST_CHECK tri_status tri__make_clicks(const tri__make_request *request, tri__make_result *out);

#endif
