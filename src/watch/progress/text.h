/* text.h: lines for people, made in a buffer of the caller's: appending, numbers and times as people read them, columns of UTF-8. */
#ifndef TRI_WATCH_PROGRESS_TEXT_H
#define TRI_WATCH_PROGRESS_TEXT_H

#include <stddef.h>

#include "trireme/status.h"

/* Text that grows in a fixed buffer. What does not fit is left out, at a character's boundary; the buffer is always a string. */
typedef struct {
    char *data;
    size_t size, used;
} tri__text;

void tri__text_init(tri__text *text, char *buffer, size_t size); /* size ≥ 1 */
void tri__text_add(tri__text *text, const char *format, ...) TRI_FORMAT(2, 3);
void tri__text_repeat(tri__text *text, const char *what, int times);

/* Columns on a terminal: one for each code point. */
int tri__text_columns(const char *utf8);

enum { TRI_TEXT_SHORT = 32 };                                             /* holds any of these */
const char *tri__text_count(char out[TRI_TEXT_SHORT], double number);     /* "98,210"; "-" where it is not a number */
const char *tri__text_brief(char out[TRI_TEXT_SHORT], double number);     /* "98.2k", at most 5 columns */
const char *tri__text_duration(char out[TRI_TEXT_SHORT], double seconds); /* "0:07", "12:34", "3:02:01", "4d 03h"; "-" */
const char *tri__text_bytes(char out[TRI_TEXT_SHORT], double bytes);      /* "31.4 kB" */

#endif
