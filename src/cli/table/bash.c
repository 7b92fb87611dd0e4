/* bash.c: prints the table of commands as a completion for bash: one case for each command, nothing is looked up at run time. */
#include "cli/table/bash.h"

#include <string.h>

#include "cli/table/commands.h"

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

/* What completes a value: words, a file or a folder. A source may also be a path. */
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

/* Whether this row is the first of the commands that begin with its first word. length: of that word. */
static bool begins_group(int row, size_t *length)
{
    const char *name = tri__commands[row]->name, *before = row > 0 ? tri__commands[row - 1]->name : "";
    *length = strcspn(name, " ");
    return strncmp(name, before, *length) != 0 || before[*length] != ' ';
}

/* Print the first words of commands, each once. groups: only of commands that have a second word. */
static void first_words(FILE *out, bool groups, const char *between)
{
    size_t length;
    const char *before = "";
    for (int row = 0; tri__commands[row]; row++)
        if (begins_group(row, &length) && (!groups || tri__commands[row]->name[length])) {
            fprintf(out, "%s%.*s", before, (int)length, tri__commands[row]->name);
            before = between;
        }
}

static void second_words(FILE *out, const char *group, size_t length)
{
    const tri__command *command;
    fprintf(out, "    %.*s) words='", (int)length, group);
    for (int row = 0; (command = tri__commands[row]); row++)
        if (!strncmp(command->name, group, length) && command->name[length] == ' ')
            fprintf(out, "%s ", command->name + length + 1);
    fputs("' ;;\n", out);
}

/* The words that follow the program's name, and those that follow the first word of a group such as data. */
static void command_cases(FILE *out)
{
    size_t length;
    fputs("    '') words='", out);
    first_words(out, false, " ");
    fputs("' ;;\n", out);
    for (int row = 0; tri__commands[row]; row++)
        if (begins_group(row, &length) && tri__commands[row]->name[length])
            second_words(out, tri__commands[row]->name, length);
}

static void operand_words(FILE *out, const tri__command *command)
{
    const char *words = command->operands[0].completion;
    if (words && !strcmp(words, TRI_COMPLETE_COMMANDS))
        first_words(out, false, " ");
    else
        fputs(words ? words : "", out);
}

void tri__help_bash(FILE *out)
{
    fputs("# bash completion for trireme; made by 'trireme help --bash'\n"
          "_trireme() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' words=''\n"
          "    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    [ \"$word\" = = ] && word='' before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    [ $COMP_CWORD -gt 1 ] && command=${COMP_WORDS[1]}\n"
          "    [ $COMP_CWORD -gt 2 ] && case $command in ",
          out);
    first_words(out, true, "|");
    fputs(") command=\"$command ${COMP_WORDS[2]}\" ;; esac\n"
          "    case \"$command $before\" in\n",
          out);
    const tri__command *command;
    const tri__option *option;
    for (int i = 0; (command = tri__commands[i]); i++)
        for (int row = 0; (option = tri__command_option(command, row)); row++)
            value_case(out, command, option);
    fputs("    esac\n    case \"$command\" in\n", out);
    command_cases(out);
    for (int i = 0; (command = tri__commands[i]); i++) {
        fprintf(out, "    '%s') words='", command->name);
        option_names(out, command);
        fputs("'; [[ $word = -* ]] || words='", out);
        operand_words(out, command);
        fputs("' ;;\n", out);
    }
    fputs("    esac\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "    [ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "}\n"
          "complete -o filenames -F _trireme trireme\n",
          out);
}
