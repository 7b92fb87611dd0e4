/* photo_folder.h: photos in folders, one folder a class. */
#ifndef TRI_DATA_PHOTO_PHOTO_FOLDER_H
#define TRI_DATA_PHOTO_PHOTO_FOLDER_H

#include "data/source/file_format.h"

/* A source over the photos of one part, which may be JPEG, PNG and WebP together: a photo's class is the name of the folder that it lies
 * in, and classes are numbered in the order of their names over all parts. Photos are brought to the options' height and width; where these
 * are 0, all must be of one size. */
extern const tri__file_format tri__jpeg_folder_format, tri__png_folder_format, tri__webp_folder_format;

#endif
