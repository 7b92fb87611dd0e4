/* builtin_studies.h: the studies that the binary carries: the files of experiments/, turned into C by cmake/builtin_texts.cmake. */
#ifndef TRI_LAB_STUDY_BUILTIN_STUDIES_H
#define TRI_LAB_STUDY_BUILTIN_STUDIES_H

typedef struct {
    const char *name; /* "A1"; for a published table "a1-batch" */
    const char *text; /* the whole file */
} tri__builtin_text;

extern const tri__builtin_text tri__builtin_studies[];  /* experiments/NAME.yaml, by name; ends with a row of NULLs */
extern const tri__builtin_text tri__builtin_reported[]; /* experiments/reported/NAME.csv: what was published */
extern const char tri__builtin_study_names[];           /* "A1 A2 …", as completion takes them */

#endif
