/* photo_folder.h: photos in folders, one folder for each class. */
#ifndef TRI_DATA_PHOTO_PHOTO_FOLDER_H
#define TRI_DATA_PHOTO_PHOTO_FOLDER_H

#include "data/source/file_format.h"

/* A source over the photos of one part, which may be a mix of JPEG, PNG and WebP. A photo's class is the name of its folder; classes are
 * numbered in the order of their names over all parts. Photos are resized to height and width of the options. If these are 0, all photos
 * must have one size, unless the options allow any_size. */
extern const tri__file_format tri__jpeg_folder_format, tri__png_folder_format, tri__webp_folder_format;

#endif
