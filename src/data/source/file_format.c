/* file_format.c: to which part files and folders belong, by their names. */
#include "data/source/file_format.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

size_t tri__file_set_count(const tri__file_set *set)
{
    size_t count = 0;
    for (int part = 0; part < TRI_PARTS; part++)
        count += set->part[part].count;
    return count;
}

static tri_part part_of_word(const char *word, size_t length)
{
    static const struct {
        const char *word;
        tri_part part;
    } words[] = {{"test", TRI_PART_TEST},        {"t10k", TRI_PART_TEST},       {"val", TRI_PART_VALIDATION},
                 {"valid", TRI_PART_VALIDATION}, {"eval", TRI_PART_VALIDATION}, {"validation", TRI_PART_VALIDATION}};
    size_t digits = length; /* the length of the word without digits at its end */
    while (digits > 0 && isdigit((unsigned char)word[digits - 1]))
        digits--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t size = strlen(words[i].word);
        if ((size == length || size == digits) && strncasecmp(word, words[i].word, size) == 0)
            return words[i].part;
    }
    return TRI_PART_TRAIN;
}

/* The part by the words of a name: "t10k-images", "cats_test2.bin", "val", but not "oval" or "contest". */
static tri_part part_by_words(const char *name)
{
    for (const char *at = name; *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]))
            length++;
        tri_part part = part_of_word(at, length);
        if (part != TRI_PART_TRAIN)
            return part;
        at += length + (length == 0);
    }
    return TRI_PART_TRAIN;
}

/* LIBSVM's collection has "a9a" and "a9a.t". */
static bool ends_in_t(const char *name)
{
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0)
        length -= 3;
    return length > 2 && strncmp(name + length - 2, ".t", 2) == 0;
}

tri_part tri__file_part(const char *name)
{
    return ends_in_t(name) ? TRI_PART_TEST : part_by_words(name);
}

tri_part tri__folder_part(const char *name)
{
    return strpbrk(name, " -_.") ? TRI_PART_TRAIN : part_by_words(name);
}
