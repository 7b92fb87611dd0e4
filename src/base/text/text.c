/* text.c: lines for people in a fixed buffer. */
#include "base/text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void tri__text_init(tri__text *text, char *buffer, size_t size)
{
    *text = (tri__text){.data = buffer, .size = size};
    buffer[0] = '\0';
}

static bool continues_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* A cut may have left half of the last character: remove it. */
static void drop_half_character(tri__text *text)
{
    size_t begin = text->used;
    while (begin > 0 && continues_character(text->data[begin - 1]))
        begin--;
    if (begin == 0)
        return;
    unsigned char lead = (unsigned char)text->data[begin - 1];
    size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (text->used - (begin - 1) < wanted)
        text->used = begin - 1;
    text->data[text->used] = '\0';
}

void tri__text_add(tri__text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = text->size - text->used;
    int length = vsnprintf(text->data + text->used, room, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < room) {
        text->used += (size_t)length;
    } else if (length > 0) {
        text->used = text->size - 1;
        drop_half_character(text);
    }
}

void tri__text_repeat(tri__text *text, const char *what, int times)
{
    for (int i = 0; i < times; i++)
        tri__text_add(text, "%s", what);
}

void tri__text_list(tri__text *text, int index, int count, const char *last, const char *word)
{
    if (index > 0 && index == count - 1)
        tri__text_add(text, " %s %s", last, word);
    else
        tri__text_add(text, "%s%s", index > 0 ? ", " : "", word);
}

int tri__text_columns(const char *utf8)
{
    int columns = 0;
    for (; *utf8; utf8++)
        columns += !continues_character(*utf8);
    return columns;
}

const char *tri__text_count(char out[TRI_TEXT_SHORT], double number)
{
    char digits[TRI_TEXT_SHORT];
    if (!isfinite(number) || fabs(number) >= 1e18) {
        snprintf(out, TRI_TEXT_SHORT, isfinite(number) ? "%.3g" : "-", number);
        return out;
    }
    int length = snprintf(digits, sizeof digits, "%.0f", fabs(number)), used = 0;
    if (number < 0)
        out[used++] = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

/* Write number with three digits, in the largest unit in which it is at least 1. Each unit is a thousand times the one before. */
static const char *scaled(char out[TRI_TEXT_SHORT], double number, const char *const *units, int count)
{
    int unit = 0;
    if (!isfinite(number)) {
        snprintf(out, TRI_TEXT_SHORT, "-");
        return out;
    }
    for (; unit < count - 1 && fabs(number) >= 999.5; unit++)
        number /= 1000;
    int decimals = (unit == 0 && number == floor(number)) || fabs(number) >= 99.95 ? 0 : 1;
    snprintf(out, TRI_TEXT_SHORT, "%.*f%s", decimals, number, units[unit]);
    return out;
}

const char *tri__text_brief(char out[TRI_TEXT_SHORT], double number)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    return scaled(out, number, units, 5);
}

const char *tri__text_bytes(char out[TRI_TEXT_SHORT], double bytes)
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB"};
    return scaled(out, bytes, units, 5);
}

const char *tri__text_duration(char out[TRI_TEXT_SHORT], double seconds)
{
    if (!(seconds >= 0 && seconds < 1e9)) {
        snprintf(out, TRI_TEXT_SHORT, "-");
        return out;
    }
    long whole = lround(seconds), minutes = whole / 60, hours = minutes / 60;
    if (hours >= 24)
        snprintf(out, TRI_TEXT_SHORT, "%ldd %02ldh", hours / 24, hours % 24);
    else if (hours > 0)
        snprintf(out, TRI_TEXT_SHORT, "%ld:%02ld:%02ld", hours, minutes % 60, whole % 60);
    else
        snprintf(out, TRI_TEXT_SHORT, "%ld:%02ld", minutes, whole % 60);
    return out;
}
