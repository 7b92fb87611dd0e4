/* strategies.c: the table of strategies. */
#include "train/options/strategies.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"
#include "base/text/words.h"
#include "data/stream/stream.h"

#define ADDRESS(name, meaning) &tri__strategy_##name,

const tri__strategy *const tri__strategies[] = {TRI_STRATEGIES(ADDRESS, ADDRESS) NULL};

const tri__strategy *tri__strategies_find(const char *name)
{
    for (int i = 0; name && tri__strategies[i]; i++)
        if (!strcmp(tri__strategies[i]->name, name))
            return tri__strategies[i];
    return tri__strategies[0];
}

const tri__strategy *tri__strategies_meeting(tri__meeting meeting)
{
    for (int i = 0; tri__strategies[i]; i++)
        if (tri__strategies[i]->meeting == meeting)
            return tri__strategies[i];
    return NULL;
}

bool tri__strategies_carry(const tri__strategy *to, const char *option)
{
    return strcmp(option, "workers") ? tri__words_among(to->options, option) : !to->one_worker;
}

static bool owns(const tri__strategy *strategy, const char *option)
{
    return option ? tri__words_among(strategy->options, option) : strategy->reads_stream;
}

/* "ps, allreduce and placed": the strategies that have the option or, where option is NULL, that can read streams. */
static const char *name_owners(const char *option, char *owners, size_t size)
{
    int count = 0, named = 0;
    tri__text list;
    tri__text_init(&list, owners, size);
    for (int i = 0; tri__strategies[i]; i++)
        count += owns(tri__strategies[i], option);
    for (int i = 0; tri__strategies[i]; i++)
        if (owns(tri__strategies[i], option))
            tri__text_list(&list, named++, count, "and", tri__strategies[i]->name);
    return owners;
}

tri_status tri__strategies_check(const tri__strategy *strategy, const tri__train_options *options)
{
    if (strategy->check)
        TRI_TRY(strategy->check(options));
    if (strategy->one_worker && options->workers != TRI_UNSET && options->workers != 1)
        return tri_fail(TRI_BAD_CALL,
                        "--workers %" PRId64 ": strategy %s has one worker, which uses all CPUs (--threads sets how many; "
                        "another --strategy has several workers)",
                        options->workers, strategy->name);
    char owners[128] = "";
    if (!strategy->reads_stream && tri__source_is_stream(options->data))
        return tri_fail(TRI_BAD_CALL, "--data -: one process reads standard input, in its order: it is for --strategy %s, not %s",
                        name_owners(NULL, owners, sizeof owners), strategy->name);
    if (strategy->meeting != TRI_MEET_NOBODY && options->schedule && !strncmp(options->schedule, "plateau", strlen("plateau")))
        return tri_fail(
            TRI_BAD_CALL,
            "--schedule %s: one process evaluates, and the others would not hear of it: it is for --strategy local and mirrored "
            "(step:10epochs:0.1 cuts the rate at fixed steps)",
            options->schedule);
    for (int i = 0; tri__strategies[i]; i++)
        for (const char *const *option = tri__strategies[i]->options; option && *option; option++)
            if (!tri__words_among(strategy->options, *option) && tri__train_options_given(options, *option))
                return tri_fail(TRI_BAD_CALL, "--%s belongs to --strategy %s, and the strategy is %s", *option,
                                name_owners(*option, owners, sizeof owners), strategy->name);
    return NULL;
}
