/* npy_source.h: a source over arrays that NumPy wrote: x.npy and y.npy, or one .npz with x and y.
 *
 * x: [examples][…] of float32, float64, uint8 or integers; uint8 stays bytes, the others become floats. y: [examples] whole numbers are
 * classes, unless the model learns numbers; fractions are numbers; [examples][k] of 0 and 1 are sets of labels. Without y the examples are
 * unlabelled, and can only be predicted. Files with `test` or `val` in their name are those parts, as for all formats. */
#ifndef TRI_DATA_FORMAT_NPY_SOURCE_H
#define TRI_DATA_FORMAT_NPY_SOURCE_H

#include "data/source/file_format.h"

extern const tri__file_format tri__npy_format, tri__npz_format;

#endif
