/* eval_page.h: eval --html: what a model gets right and wrong, as one page that needs no other file. */
#ifndef TRI_CLI_COMMAND_MODEL_EVAL_PAGE_H
#define TRI_CLI_COMMAND_MODEL_EVAL_PAGE_H

#include "cli/command/model/class_names.h"
#include "train/evaluate/evaluate.h"

/* Everything is borrowed. */
typedef struct {
    const char *model;   /* its name, and the source that it was evaluated on */
    const char *figures; /* lines of text, as eval prints them */
    tri_source *source;  /* of the examples: the page shows pictures from it */
    const tri__confusion *confusion;
    const tri__mistakes *mistakes;
    const tri__class_names *names;
} tri__eval_page;

/* Write the page: the figures, the confusion matrix with the scores of each class, and the surest mistakes. Mistakes have their pictures
 * where examples are pictures of bytes with one or three channels. */
TRI_MUST_CHECK tri_status tri__eval_page_write(const char *path, const tri__eval_page *page);

#endif
