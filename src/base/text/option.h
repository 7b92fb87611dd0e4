/* option.h: what an option of a command looks like: its name, the values that it takes, and what it means to people.
 *
 * A room that has something to set describes it in rows of this kind; cli parses, explains and completes command lines by them. */
#ifndef TRI_BASE_TEXT_OPTION_H
#define TRI_BASE_TEXT_OPTION_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    TRI_OPTION_FLAG,    /* --json */
    TRI_OPTION_TEXT,    /* --out DIR */
    TRI_OPTION_INTEGER, /* --batch 64 */
    TRI_OPTION_NUMBER,  /* --rate 0.01 */
    TRI_OPTION_CHOICE,  /* --rule adam */
} tri__option_kind;

typedef struct tri__option tri__option;

struct tri__option {
    const char *name;     /* without the dashes */
    char letter;          /* -b as well as --batch; 0: it has none */
    const char *argument; /* what help calls its value; NULL for a flag */
    tri__option_kind kind;
    double least, most;     /* integer and number: the range; most 0 means no upper bound */
    bool above, below;      /* number: the range excludes `least`, excludes `most` */
    const char *hint;       /* number: what to do instead of going beyond the range; may be NULL */
    const char *choices;    /* choice: the words, with spaces between */
    const char *standard;   /* the value where the option is not given; NULL is none */
    const char *otherwise;  /* what applies where the option is not given and there is no fixed value: "the model's" */
    const char *implied;    /* integer: the value where the option is given without one; NULL: it must be given with one */
    const char *off;        /* where --no-NAME is allowed: the value that it stands for */
    const char *group;      /* the heading it stands under; NULL: the one before */
    const char *meaning;    /* one line */
    const char *detail;     /* further sentences of the man page; may be NULL */
    const char *completion; /* "file", "folder" or words to complete with; may be NULL */
    const char *elsewhere;  /* its names in other programs, separated by spaces: an error about one of them names ours; may be NULL */
    bool hidden;            /* for processes that this program starts itself: in no help, manual or completion */

    /* In place of all of the above: rows of another table stand here. Returns a row by its number, from 0; NULL past the last. */
    const tri__option *(*rows)(int index);
};

bool tri__option_takes(const tri__option *option, double number); /* whether the number is in the range; NaN is in none */

/* The range in words: "above 0 and below 1 (rule sgd is without momentum)", "from 1 to 9", "at least 0". */
const char *tri__option_range(const tri__option *option, char *text, size_t size);

#endif
