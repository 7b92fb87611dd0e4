/* stream.h: standard input as a source: Criteo text, LIBSVM text or TFRecord files of clicks, read once, in order.
 *
 * Nothing is known about examples that have not come yet. So LIBSVM text and records need options->features; there are two classes, with
 * labels 0 or −1, and 1; indices of LIBSVM text count from 1, unless the first line has an index 0. The longest example bounds the memory.
 * Opening waits for the first example. */
#ifndef TRI_DATA_STREAM_STREAM_H
#define TRI_DATA_STREAM_STREAM_H

#include "data/source/source.h"

/* Whether spec names standard input: "-". False for NULL. */
bool tri__source_is_stream(const char *spec);

/* fd is borrowed. name is for messages, and must live as long as the source. TRI_STOPPED if options->stop is set before the first example
 * has come. */
TRI_MUST_CHECK tri_status tri__stream_open(int fd, const char *name, const tri_source_options *options, tri_source **out);

#endif
