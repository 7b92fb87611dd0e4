/* text.h: makes lines for people in the caller's buffer: appends text, formats numbers and times, counts columns of UTF-8. */
#ifndef TRI_BASE_TEXT_TEXT_H
#define TRI_BASE_TEXT_TEXT_H

#include <stddef.h>

#include "trireme/status.h"

/* Text that grows in a fixed buffer. Text that does not fit is cut between two characters; a NUL always ends the buffer's text. */
typedef struct {
    char *data;
    size_t size, used;
} tri__text;

void tri__text_init(tri__text *text, char *buffer, size_t size); /* size ≥ 1 */
void tri__text_add(tri__text *text, const char *format, ...) TRI_FORMAT(2, 3);
void tri__text_repeat(tri__text *text, const char *what, int times);

/* Append word `index`, from 0, of a list of `count` words: "a, b or c", where last is "or". */
void tri__text_list(tri__text *text, int index, int count, const char *last, const char *word);

/* Columns on a terminal: one for each code point. */
int tri__text_columns(const char *utf8);

enum { TRI_TEXT_SHORT = 32 };                                             /* bytes that the functions below need */
const char *tri__text_count(char out[TRI_TEXT_SHORT], double number);     /* "98,210"; "-" if it is not a number */
const char *tri__text_brief(char out[TRI_TEXT_SHORT], double number);     /* "98.2k", at most 5 columns */
const char *tri__text_duration(char out[TRI_TEXT_SHORT], double seconds); /* "0:07", "12:34", "3:02:01", "4d 03h"; "-" if not a number */
const char *tri__text_bytes(char out[TRI_TEXT_SHORT], double bytes);      /* "31.4 kB" */

#endif
