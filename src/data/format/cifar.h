/* cifar.h: CIFAR-10 in its binary form: records of one label and three planes of 32×32. */
#ifndef TRI_DATA_FORMAT_CIFAR_H
#define TRI_DATA_FORMAT_CIFAR_H

#include "data/source/file_format.h"

enum {
    TRI_CIFAR_SIDE = 32,
    TRI_CIFAR_PLANE = TRI_CIFAR_SIDE * TRI_CIFAR_SIDE,
    TRI_CIFAR_RECORD = 1 + 3 * TRI_CIFAR_PLANE, /* label, red, green, blue */
    TRI_CIFAR_CLASSES = 10,
};

/* Whether the bytes can be such a file: whole records, the first of which have labels that are classes. */
bool tri__cifar_is(const uint8_t *data, size_t size);

extern const tri__file_format tri__cifar_format;

#endif
