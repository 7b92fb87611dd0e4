/* option.c: the range of an option's numbers. */
#include "base/text/option.h"

#include <math.h>
#include <stdio.h>

/* Written so that NaN fails. */
bool tri__option_takes(const tri__option *option, double number)
{
    bool enough = option->above ? number > option->least : number >= option->least;
    bool bounded = option->most > 0;
    return enough && (!bounded ? isfinite(number) : option->below ? number < option->most : number <= option->most);
}

const char *tri__option_range(const tri__option *option, char *text, size_t size)
{
    char bounds[80];
    bool open = option->above || option->below;
    if (option->most > 0 && !open)
        snprintf(bounds, sizeof bounds, "from %.15g to %.15g", option->least, option->most);
    else if (option->most > 0)
        snprintf(bounds, sizeof bounds, "%s %.15g and %s %.15g", option->above ? "above" : "at least", option->least,
                 option->below ? "below" : "at most", option->most);
    else
        snprintf(bounds, sizeof bounds, "%s %.15g", option->above ? "above" : "at least", option->least);
    snprintf(text, size, "%s%s%s%s", bounds, option->hint ? " (" : "", option->hint ? option->hint : "", option->hint ? ")" : "");
    return text;
}
