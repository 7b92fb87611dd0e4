/* plan_table.h: a plan's tables, step by step: which rows the batch names, and where they are. */
#ifndef TRI_GRAPH_PLAN_PLAN_TABLE_H
#define TRI_GRAPH_PLAN_PLAN_TABLE_H

#include "graph/plan/plan.h"

TRI_MUST_CHECK tri_status tri__plan_tables_init(tri_plan *plan); /* call it when the plan has its graph */
void tri__plan_tables_fini(tri_plan *plan);

/* Check the offsets and keys of a batch. */
TRI_MUST_CHECK tri_status tri__plan_tables_check(const tri_plan *plan, const tri_batch *batch);

/* A step begins: tell the store which rows it will read, or take the tables themselves. weight: Σ of the examples' weights. */
TRI_MUST_CHECK tri_status tri__plan_tables_begin(tri_plan *plan, const tri_batch *batch, double weight);

/* Tell the store which rows this step and the next one will read. */
TRI_MUST_CHECK tri_status tri__plan_tables_expect(tri_plan *plan, const tri_batch *batch, const tri_batch *next);

/* The step has ended: the next batch, where it was expected, becomes the present one. */
void tri__plan_tables_end(tri_plan *plan);

/* A run without training reads the tables where they lie. */
TRI_MUST_CHECK tri_status tri__plan_tables_read(tri_plan *plan, const tri_batch *batch);

/* From the next step on, `threads` of the plan's threads work for operators on tables. */
void tri__plan_tables_set_team(tri_plan *plan, int threads);

TRI_MUST_CHECK tri_status tri__plan_table_await(tri_plan *plan, int table);
TRI_MUST_CHECK tri_status tri__plan_table_offer(tri_plan *plan, int table, double weight);

#endif
