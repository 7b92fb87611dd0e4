/* file_format.c: which files and folders are of the test part, by their names. */
#include "data/source/file_format.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Whether a word of the name says test: "t10k-images", "cats_test2.bin", "val", but not "oval" or "contest". */
bool tri__says_test(const char *name)
{
    static const char *const words[] = {"test", "t10k", "val", "valid", "validation", "eval"};
    for (const char *at = name; *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]))
            length++;
        size_t digits = length;
        while (digits > 0 && isdigit((unsigned char)at[digits - 1]))
            digits--;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t size = strlen(words[i]);
            if ((size == length || size == digits) && strncasecmp(at, words[i], size) == 0)
                return true;
        }
        at += length + (length == 0);
    }
    return false;
}

bool tri__is_test_folder(const char *name)
{
    return tri__says_test(name) && !strpbrk(name, " -_.");
}
