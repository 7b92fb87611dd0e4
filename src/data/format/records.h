/* records.h: sources over TFRecord files that hold tf.Examples: pictures, or clicks. Which they are is plain from their features:
 *
 *   pictures   image/encoded (a JPEG photo), or image/raw with image/height, image/width and image/channels; image/class/label, and
 *              image/class/text if there is one
 *   clicks     index (integers), value (as many floats; left out: all 1), label
 *
 * A place where the framing of a file is damaged is a record that cannot be read, and that file's last one. */
#ifndef TRI_DATA_FORMAT_RECORDS_H
#define TRI_DATA_FORMAT_RECORDS_H

#include "data/source/file_format.h"

extern const tri__file_format tri__tfrecord_format;

#endif
