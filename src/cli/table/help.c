/* help.c: prints the table of commands as text for a terminal. */
#include "cli/table/help.h"

#include <string.h>

#include "cli/table/commands.h"

/* Columns that text takes: bytes of UTF-8 that begin a character. */
static int columns_of(const char *text, size_t length)
{
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += (text[i] & 0xC0) != 0x80;
    return columns;
}

void tri__page_wrap(const tri__page *page, const char *text, int at, int indent)
{
    bool fresh = true; /* the line has no word of this text yet */
    while (*text) {
        if (*text == '\n') {
            fprintf(page->out, "\n\n%*s", indent, "");
            at = indent, fresh = true;
            text++;
            continue;
        }
        size_t length = strcspn(text, " \n");
        int columns = columns_of(text, length);
        bool fits_elsewhere = indent + columns <= page->width; /* a word that is longer than a line is not moved to the next */
        if (!fresh && fits_elsewhere && at + 1 + columns > page->width) {
            fprintf(page->out, "\n%*s", indent, "");
            at = indent, fresh = true;
        }
        fprintf(page->out, "%s%.*s", fresh ? "" : " ", (int)length, text);
        at += columns + !fresh, fresh = false;
        text += length + (text[length] == ' ');
    }
    fputc('\n', page->out);
}

static void heading(const tri__page *page, const char *text)
{
    fprintf(page->out, page->bold ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

/* Print a name in a left column of the given width, and its meaning beside it, or below it where the name is too long. */
static void entry(const tri__page *page, const char *name, const char *meaning, int column)
{
    int columns = columns_of(name, strlen(name));
    fprintf(page->out, "  %s", name);
    if (columns + 4 > column)
        fprintf(page->out, "\n%*s", column, "");
    else
        fprintf(page->out, "%*s", column - columns - 2, "");
    tri__page_wrap(page, meaning, column, column);
}

static void usage(const tri__page *page, const tri__command *command)
{
    fprintf(page->out, "Usage: trireme %s%s%s\n", command->name, *command->usage ? " " : "", command->usage);
}

static const char *option_name(const tri__option *option, char *buffer, size_t size)
{
    bool shown_off = tri__option_is_on(option);
    char letter[8] = "";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(buffer, size, "%s--%s%s%s%s", letter, shown_off ? "no-" : "", option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    return buffer;
}

static void option_entry(const tri__page *page, const tri__option *option)
{
    bool shown_off = tri__option_is_on(option);
    const char *standard = option->otherwise ? option->otherwise : option->argument ? option->standard : NULL;
    char name[64], meaning[512];
    snprintf(meaning, sizeof meaning, "%s%s%s%s%s", shown_off ? "do not " : "", option->meaning, standard ? " (default: " : "",
             standard ? standard : "", standard ? ")" : "");
    entry(page, option_name(option, name, sizeof name), meaning, 26);
}

void tri__help_command(const tri__page *page, const tri__command *command)
{
    usage(page, command);
    fputc('\n', page->out);
    tri__page_wrap(page, command->detail ? command->detail : command->meaning, 0, 0);
    if (command->operands[0].name)
        fputc('\n', page->out);
    for (const tri__command_operand *operand = command->operands; operand->name; operand++)
        entry(page, operand->name, operand->meaning, 26);
    const tri__option *option;
    for (int row = 0; (option = tri__command_option(command, row)); row++) {
        if (option->hidden)
            continue;
        if (option->group)
            heading(page, option->group);
        option_entry(page, option);
    }
    if (command->examples[0].line)
        heading(page, "Examples");
    for (const tri__command_example *example = command->examples; example->line; example++)
        fprintf(page->out, "  %s\n      %s\n", example->line, example->meaning);
}

bool tri__help_group(const tri__page *page, const char *word)
{
    size_t length = strlen(word);
    bool found = false;
    const tri__command *command;
    for (int i = 0; (command = tri__commands[i]); i++) {
        if (strncmp(command->name, word, length) || command->name[length] != ' ')
            continue;
        if (found)
            fputs("\n\n", page->out);
        tri__help_command(page, command);
        found = true;
    }
    return found;
}

void tri__help_overview(const tri__page *page)
{
    fprintf(page->out, "Usage: trireme COMMAND [options]\n\n");
    tri__page_wrap(page, "Trireme trains models and tells you where the time went.", 0, 0);
    const tri__command *command;
    heading(page, "Commands");
    for (int i = 0; (command = tri__commands[i]); i++)
        entry(page, command->name, command->meaning, 14);
    heading(page, "To begin with");
    fprintf(page->out, "  trireme train softmax --data fashion\n  trireme help train\n");
}
