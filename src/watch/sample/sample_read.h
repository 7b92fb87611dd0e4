/* sample_read.h: reads the files that samplers write (sample.h), also while they are written. */
#ifndef TRI_WATCH_SAMPLE_SAMPLE_READ_H
#define TRI_WATCH_SAMPLE_SAMPLE_READ_H

#include <stdbool.h>
#include <stddef.h>

enum { TRI_SAMPLE_TASK = 64, TRI_SAMPLE_LINK = 16 };

/* The task of a file in RUN/samples: "worker-0.csv" is of worker:0. False where it is no file of samples. */
bool tri__sample_task(const char *file, char task[TRI_SAMPLE_TASK]);

typedef struct tri__sample_reader tri__sample_reader;

tri__sample_reader *tri__sample_reader_open(const char *path); /* NULL where there is no such file, or its header is not there yet */
void tri__sample_reader_close(tri__sample_reader *reader);     /* accepts NULL */
const char *tri__sample_reader_host(const tri__sample_reader *reader);
const char *tri__sample_reader_names(const tri__sample_reader *reader); /* the line of the columns' names */
double tri__sample_reader_every(const tri__sample_reader *reader);      /* seconds between two samples; 0 where the file does not tell */
double tri__sample_reader_changed(const tri__sample_reader *reader);    /* when the file was written last, in seconds since 1970 */

bool tri__sample_reader_is_of(const tri__sample_reader *reader, const char *path); /* path is still the file that was opened */

/* The number of a column by its name; −1 where there is none. */
int tri__sample_reader_column(const tri__sample_reader *reader, const char *name);

/* The names of the interfaces whose speed the file tells, by number from 0; false past the last. */
bool tri__sample_reader_link(const tri__sample_reader *reader, int index, char name[TRI_SAMPLE_LINK]);

/* Go on near the end of the file, with its last few samples. */
void tri__sample_reader_skip(tri__sample_reader *reader);

/* The next sample, a number for each column; what was left empty is NaN. NULL at the end, also where the last line is not whole yet:
 * what is written later comes with a later call. */
const double *tri__sample_reader_next(tri__sample_reader *reader);

#endif
