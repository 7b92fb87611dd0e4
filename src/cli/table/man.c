/* man.c: prints the table of commands as a manual page in mdoc(7). */
#include "cli/table/man.h"

#include <string.h>

#include "cli/table/commands.h"

enum { LINE = 64 }; /* columns after which a line of the source ends at the next space */

/* Print one word. A character at its start that roff would take for a command is escaped. */
static void word(FILE *out, const char *from, size_t length, bool begins)
{
    if (begins && (*from == '.' || *from == '\''))
        fputs("\\&", out);
    for (size_t i = 0; i < length; i++)
        fputs(from[i] == '\\' ? "\\e" : (char[]){from[i], 0}, out);
}

/* Print paragraphs as roff needs them: short lines, and a new line after each sentence. */
static void text(FILE *out, const char *words)
{
    size_t column = 0;
    while (*words) {
        size_t length = strcspn(words, " \n");
        word(out, words, length, column == 0);
        bool sentence = length && words[length - 1] == '.';
        words += length;
        column += length + 1;
        if (!*words)
            break;
        if (*words == '\n')
            fputs("\n.Pp\n", out);
        else
            fputc(sentence || column > LINE ? '\n' : ' ', out);
        if (*words == '\n' || sentence || column > LINE)
            column = 0;
        words++;
    }
    fputc('\n', out);
}

/* Print words as one argument of a macro, in quotes. */
static void argument(FILE *out, const char *words)
{
    fputc('"', out);
    for (const char *at = words; *at; at++)
        fputs(*at == '"' ? "\\(dq" : *at == '\\' ? "\\e" : (char[]){*at, 0}, out);
    fputc('"', out);
}

static void option_item(FILE *out, const tri__option *option)
{
    bool shown_off = tri__option_is_on(option);
    if (option->letter)
        fprintf(out, ".It Fl %c , Fl Fl %s", option->letter, option->name);
    else
        fprintf(out, ".It Fl Fl %s%s", shown_off ? "no-" : "", option->name);
    if (option->argument)
        fprintf(out, " Ar %s", option->argument);
    fputc('\n', out);
    char first[512];
    snprintf(first, sizeof first, "%s%s.", shown_off ? "do not " : "", option->meaning);
    first[0] -= first[0] >= 'a' && first[0] <= 'z' ? 'a' - 'A' : 0;
    text(out, first);
    const char *standard = option->otherwise ? option->otherwise : option->argument ? option->standard : NULL;
    if (standard)
        fprintf(out, "Default: %s.\n", standard);
    if (option->off && option->argument)
        fprintf(out, ".Fl Fl no-%s\nis short for\n.Fl Fl %s Cm %s .\n", option->name, option->name, option->off);
    if (option->detail)
        text(out, option->detail);
}

static void options(FILE *out, const tri__command *command)
{
    const tri__option *option;
    fputs(".Bl -tag -width Ds\n", out);
    for (int row = 0; (option = tri__command_option(command, row)); row++)
        if (!option->hidden && strcmp(option->name, "help"))
            option_item(out, option);
    fputs(".El\n", out);
}

static void command_section(FILE *out, const tri__command *command)
{
    fprintf(out, ".Ss %s\n.Dl trireme %s", command->name, command->name);
    fprintf(out, "%s%s\n.Pp\n", *command->usage ? " " : "", command->usage);
    text(out, command->detail ? command->detail : command->meaning);
    if (command->operands[0].name)
        fputs(".Bl -tag -width Ds\n", out);
    for (const tri__command_operand *operand = command->operands; operand->name; operand++) {
        fputs(".It Ar ", out);
        argument(out, operand->name);
        fputc('\n', out);
        text(out, operand->meaning);
    }
    if (command->operands[0].name)
        fputs(".El\n", out);
    if (strcmp(tri__command_option(command, 0)->name, "help")) {
        fputs(".Pp\nOptions:\n", out);
        options(out, command);
    }
}

static void examples(FILE *out)
{
    const tri__command *command;
    fputs(".Sh EXAMPLES\n.Bl -tag -width Ds\n", out);
    for (int i = 0; (command = tri__commands[i]); i++)
        for (const tri__command_example *example = command->examples; example->line; example++) {
            fputs(".It Li ", out);
            argument(out, example->line);
            fputc('\n', out);
            text(out, example->meaning);
        }
    fputs(".El\n", out);
}

void tri__help_man(FILE *out)
{
    fputs(".Dd November 15, 2026\n.Dt TRIREME 1\n.Os\n.Sh NAME\n.Nm trireme\n.Nd train models and see where the time went\n"
          ".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar options\n.Sh DESCRIPTION\n.Nm\n"
          "trains models, evaluates them, and tells where the time went.\n"
          "Options are whole words; a value follows after a space or an equals sign.\n"
          "Messages and progress go to standard error, results to standard output.\n"
          "Every command has\n.Fl Fl help .\n",
          out);
    const tri__command *command;
    for (int i = 0; (command = tri__commands[i]); i++)
        command_section(out, command);
    fputs(
        ".Sh ENVIRONMENT\n.Bl -tag -width XDG_CACHE_HOME\n"
        ".It Ev XDG_CACHE_HOME\nData sets are kept in its folder trireme.\n"
        ".It Ev HOME\nWhere the one above is not set, they are kept in its folder .cache/trireme.\n"
        ".It Ev NO_COLOR\nWhere it is set, nothing is written in colour or bold.\n.El\n"
        ".Sh FILES\n.Bl -tag -width Ds\n"
        ".It Pa runs/MODEL-DATE-N\nA run folder:\n.Pa summary.json ,\n.Pa checkpoint/ ,\n.Pa events/ ,\n.Pa log/\nand\n.Pa command .\n.El\n"
        ".Sh EXIT STATUS\n.Nm\nexits 0 on success, 1 when the work failed, and 2 on a wrong call. Asked to end by a signal, it ends in "
        "good order "
        "(train writes a checkpoint) and exits 130 after Ctrl-C, 143 after SIGTERM and 129 after SIGHUP.\n",
        out);
    examples(out);
}
