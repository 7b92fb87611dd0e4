/* sample_read.h: reads the files that samplers write (sample.h), also while they are being written. */
#ifndef TRI_WATCH_SAMPLE_SAMPLE_READ_H
#define TRI_WATCH_SAMPLE_SAMPLE_READ_H

#include <stdbool.h>
#include <stddef.h>

enum { TRI_SAMPLE_TASK = 64, TRI_SAMPLE_LINK = 16, TRI_SAMPLE_HOST = 256, TRI_SAMPLE_HEADER_LINES = 6 };

/* The task of a file in RUN/samples: "worker-0.csv" belongs to worker:0. False if it is not a file of samples. */
bool tri__sample_task(const char *file, char task[TRI_SAMPLE_TASK]);

typedef struct tri__sample_reader tri__sample_reader;

tri__sample_reader *tri__sample_reader_open(const char *path); /* NULL if there is no such file, or its header is not written yet */
void tri__sample_reader_close(tri__sample_reader *reader);     /* accepts NULL */
const char *tri__sample_reader_host(const tri__sample_reader *reader);
const char *tri__sample_reader_names(const tri__sample_reader *reader); /* the line with the names of the columns */
double tri__sample_reader_every(const tri__sample_reader *reader);      /* seconds between two samples; 0 if the file does not say */
double tri__sample_reader_changed(const tri__sample_reader *reader);    /* when the file was last written, in seconds since 1970 */

bool tri__sample_reader_is_of(const tri__sample_reader *reader, const char *path); /* path is still the file that was opened */

/* The number of the column with this name; −1 if there is none. */
int tri__sample_reader_column(const tri__sample_reader *reader, const char *name);

/* The same, of the columns after number `after`: two columns may have one name, such as bytes and operations of disks. */
int tri__sample_reader_column_after(const tri__sample_reader *reader, const char *name, int after);

/* The names of the interfaces whose speed is in the file, by index from 0; false after the last. */
bool tri__sample_reader_link(const tri__sample_reader *reader, int index, char name[TRI_SAMPLE_LINK]);

/* Skip all but the last few samples of the file. */
void tri__sample_reader_skip(tri__sample_reader *reader);

/* The next sample, a number for each column; an empty field is NaN. NULL at the end, and if the last line is incomplete: a later call gives
 * what is written later. */
const double *tri__sample_reader_next(tri__sample_reader *reader);

#endif
