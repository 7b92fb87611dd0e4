/* make_images.h: writes drawn photos as JPEG files, one folder for each class. A row of the table in make.c. */
#ifndef TRI_DATA_MAKE_MAKE_IMAGES_H
#define TRI_DATA_MAKE_MAKE_IMAGES_H

#include "data/make/make.h"

TRI_MUST_CHECK tri_status tri__make_images(const tri__make_request *request, tri__make_result *out);

#endif
