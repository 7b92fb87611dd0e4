/* model_loop.h: the lines of graph files that make up a loop, while they are read.
 *
 *   while(most=N)          begins a loop; its lines follow
 *   x = carry(start)       begins as `start`, a line before the loop
 *   y = next(x, value)     x is `value` in the next round; behind the loop, y is the last x
 *   end(p)                 ends the loop: there is another round where p is above 0
 *
 * Lines inside a loop can be read in that loop and in loops inside it. Behind the loop, only its `next` lines can be read. */
#ifndef TRI_GRAPH_MODEL_MODEL_LOOP_H
#define TRI_GRAPH_MODEL_MODEL_LOOP_H

#include "graph/model/model_scan.h"

/* Whether the next line may read the line at index. */
bool tri__model_loop_shows(const tri_model *model, int index);

/* The error that says why it may not. */
TRI_MUST_CHECK tri_status tri__model_loop_hides(const tri__scan *scan, int index, const char *where);

/* Check that the line, which has all its inputs, may stand where it does. */
TRI_MUST_CHECK tri_status tri__model_loop_check(const tri__scan *scan, const tri__statement *statement, const char *where);

/* The last line was added to the model: note whether a loop begins or ends with it. */
void tri__model_loop_follow(tri_model *model);

/* At the end of the file: check that every loop has an end. */
TRI_MUST_CHECK tri_status tri__model_loop_finish(const tri_model *model);

#endif
