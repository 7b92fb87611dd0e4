/* kept_books.h: the books that a checkpoint of a running job holds, checked as a summary's are. */
#ifndef TESTS_PS_KEPT_BOOKS_H
#define TESTS_PS_KEPT_BOOKS_H

#include <stdint.h>

/* What the last checkpoint that was looked at had; {0} before the first one. */
typedef struct {
    int64_t step, lost;
    double seconds, total_seconds;
} kept_books;

/* Wait for a checkpoint after a step in FOLDER/run, and check its books: what workers brought is what is in the model, no worker has made
 * more steps than the job, time has not run backwards, and no loss was forgotten. */
void expect_kept_books(const char *folder, int64_t after, kept_books *last);

#endif
