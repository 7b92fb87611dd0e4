/* records.h: sources over TFRecord files that hold tf.Examples: pictures, or clicks. Their features show which:
 *
 *   pictures   image/encoded (JPEG, PNG or WebP), or image/raw with image/height, image/width and image/channels; image/class/label, and
 *              image/class/text if there is one
 *   clicks     index (integers), value (as many floats; left out: all 1), label
 *
 * Where the framing of a file is damaged, there is one record that cannot be read, and it is the file's last. */
#ifndef TRI_DATA_FORMAT_RECORDS_H
#define TRI_DATA_FORMAT_RECORDS_H

#include "data/source/file_format.h"

extern const tri__file_format tri__tfrecord_format;

#endif
