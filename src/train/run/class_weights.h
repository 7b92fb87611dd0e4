/* class_weights.h: the weights of the training examples, by class. */
#ifndef TRI_TRAIN_RUN_CLASS_WEIGHTS_H
#define TRI_TRAIN_RUN_CLASS_WEIGHTS_H

#include "train/options/options.h"
#include "trireme/dataset.h"

/* TRI_BAD_CALL where --class-weights was given and does not fit what the model learns, or the source's classes. */
TRI_MUST_CHECK tri_status tri__class_weights_check(const tri__train_settings *settings, tri_label_kind model, const tri_source_info *info);

/* The weights that --class-weights asks for, [classes of the source]; free() them. `balanced` counts the examples that options select, and
 * may have to read all of them. */
TRI_MUST_CHECK tri_status tri__class_weights_find(const tri__train_settings *settings, tri_label_kind model, tri_source *source,
                                                  const tri_dataset_options *options, float **out);

/* "cat 0.5, dog 2"; where there are many classes, only the first. */
void tri__class_weights_text(const tri_source_info *info, const float *weights, char *text, size_t size);

#endif
