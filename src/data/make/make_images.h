/* make_images.h: drawn photos written as JPEG files, a folder for each class; a row of make.c. */
#ifndef TRI_DATA_MAKE_MAKE_IMAGES_H
#define TRI_DATA_MAKE_MAKE_IMAGES_H

#include "data/make/make.h"

TRI_MUST_CHECK tri_status tri__make_images(const tri__make_request *request, tri__make_result *out);

#endif
