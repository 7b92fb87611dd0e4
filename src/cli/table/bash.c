/* bash.c: the table of commands as a completion for bash: one case a command, no lookups at run time. */
#include "cli/table/bash.h"

#include <string.h>

#include "cli/table/option.h"

static void option_names(FILE *out, const tri__command *command)
{
    const tri__option *option;
    for (int row = 0; (option = tri__command_option(command, row)); row++) {
        bool shown_off = tri__option_is_on(option);
        if (option->hidden)
            continue;
        fprintf(out, "%s--%s%s", row == 0 ? "" : " ", shown_off ? "no-" : "", option->name);
        if (option->off && !shown_off)
            fprintf(out, " --no-%s", option->name);
    }
}

/* What completes a value: words, a file or a folder. A source may be a path too. */
static void value_case(FILE *out, const tri__command *command, const tri__option *option)
{
    const char *words = option->choices ? option->choices : option->completion;
    if (!option->argument || !words || option->hidden)
        return;
    fprintf(out, "    '%s --%s') ", command->name, option->name);
    if (!strcmp(words, "file"))
        fputs("COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", out);
    else if (!strcmp(words, "folder"))
        fputs("COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n", out);
    else
        fprintf(out, "COMPREPLY=($(compgen %s-W '%s' -- \"$word\")); return ;;\n", strstr(option->argument, "SOURCE") ? "-f " : "", words);
}

/* First words of commands, each once, then the second words of those that have one. */
static void command_cases(FILE *out)
{
    const char *last = "";
    fputs("    '') words='", out);
    for (const tri__command *command = tri__commands; command->name; command++) {
        size_t length = strcspn(command->name, " ");
        if (!strncmp(last, command->name, length) && last[length] == ' ')
            continue;
        fprintf(out, "%s%.*s", *last ? " " : "", (int)length, command->name);
        last = command->name;
    }
    fputs("' ;;\n    data) words='", out);
    for (const tri__command *command = tri__commands; command->name; command++)
        if (!strncmp(command->name, "data ", 5))
            fprintf(out, "%s ", command->name + 5);
    fputs("' ;;\n", out);
}

void tri__help_bash(FILE *out)
{
    fputs("# bash completion for trireme; made by 'trireme help --bash'\n"
          "_trireme() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' words=''\n"
          "    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    [ \"$word\" = = ] && word='' before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    [ $COMP_CWORD -gt 1 ] && command=${COMP_WORDS[1]}\n"
          "    [ \"$command\" = data ] && [ $COMP_CWORD -gt 2 ] && command=\"data ${COMP_WORDS[2]}\"\n"
          "    case \"$command $before\" in\n",
          out);
    const tri__option *option;
    for (const tri__command *command = tri__commands; command->name; command++)
        for (int row = 0; (option = tri__command_option(command, row)); row++)
            value_case(out, command, option);
    fputs("    esac\n    case \"$command\" in\n", out);
    command_cases(out);
    for (const tri__command *command = tri__commands; command->name; command++) {
        const char *operand = command->operands[0].completion;
        fprintf(out, "    '%s') words='", command->name);
        option_names(out, command);
        fprintf(out, "'; [[ $word = -* ]] || words='%s' ;;\n", operand ? operand : "");
    }
    fputs("    esac\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "    [ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "}\n"
          "complete -o filenames -F _trireme trireme\n",
          out);
}
