/* eval_page.h: eval --html: what a model gets right and wrong, as one page that needs no other file. */
#ifndef TRI_CLI_COMMAND_MODEL_EVAL_PAGE_H
#define TRI_CLI_COMMAND_MODEL_EVAL_PAGE_H

#include "cli/command/model/class_names.h"
#include "train/evaluate/evaluate.h"

/* All is borrowed. */
typedef struct {
    const char *model;   /* its name, and what of it was evaluated */
    const char *figures; /* lines of text, as eval prints them */
    tri_source *source;  /* of the examples, to show pictures of them */
    const tri__confusion *confusion;
    const tri__mistakes *mistakes;
    const tri__class_names *names;
} tri__eval_page;

/* The figures, the matrix of which class was taken for which with a row of scores a class, and the surest mistakes: with their pictures
 * where examples are pictures of bytes with one or three channels. */
TRI_MUST_CHECK tri_status tri__eval_page_write(const char *path, const tri__eval_page *page);

#endif
