/* option.h: commands and their options, and the parser of command lines.
 *
 * Each command is a row of the list in commands.h. Values are checked when they are parsed, so a number is valid and in range before any
 * work begins. */
#ifndef TRI_CLI_TABLE_OPTION_H
#define TRI_CLI_TABLE_OPTION_H

#include <stdint.h>

#include "base/text/option.h"
#include "trireme/status.h"

#define TRI_COMPLETE_COMMANDS "command" /* complete with the names of commands */

typedef struct {
    const char *name, *meaning;
    const char *completion; /* words to complete with, or TRI_COMPLETE_COMMANDS; may be NULL */
} tri__command_operand;

typedef struct {
    const char *line, *meaning;
} tri__command_example;

#define TRI_MAX_OPERANDS 2
#define TRI_MAX_OPTIONS  160 /* more than any command has, so that a new option does not change it */

typedef struct tri__arguments tri__arguments;
typedef struct tri__session tri__session;

/* Options of other programs for which this one has another way. */
typedef struct {
    const char *names;   /* with spaces between them */
    const char *instead; /* what to do here */
} tri__foreign_option;

typedef struct tri__command {
    const char *name;                                    /* "train", "data get" */
    const char *usage;                                   /* what follows the name */
    const char *meaning;                                 /* one line */
    const char *detail;                                  /* paragraphs, a newline between them */
    tri__command_operand operands[TRI_MAX_OPERANDS + 1]; /* ends with a NULL name */
    int least, most;                                     /* operands */
    bool takes_rest;                                     /* the words after `most` operands are another program's command line */
    const tri__option *options;                          /* ends with a row of zeros; read it with tri__command_option */
    tri__foreign_option foreign[5];                      /* ends with NULL names */
    tri__command_example examples[5];                    /* ends with a NULL line */
    tri_status (*run)(tri__session *session, const tri__arguments *arguments);
} tri__command;

/* A parsed command line. It borrows the words of argv. */
struct tri__arguments {
    const tri__command *command;
    const char *operands[TRI_MAX_OPERANDS];
    int count;
    const char *const *rest;             /* the words of another program; ends with NULL; NULL: there are none */
    const char *values[TRI_MAX_OPTIONS]; /* by the option's row; NULL where the option was not given */
    bool help;                           /* --help was given */
};

/* Parse words (without the program's name) into out. TRI_BAD_CALL says what is wrong and, for a name that is nearly right, which name was
 * probably meant. */
TRI_MUST_CHECK tri_status tri__arguments_parse(int count, const char *const *words, tri__arguments *out);

/* The command that the first words name, and how many words its name took; TRI_BAD_CALL where there is none. */
TRI_MUST_CHECK tri_status tri__command_find(int count, const char *const *words, const tri__command **out, int *used);

/* Whether the option is a switch that is on unless --no-NAME is given. Help shows it as --no-NAME. */
static inline bool tri__option_is_on(const tri__option *option)
{
    return option->kind == TRI_OPTION_FLAG && option->off && option->standard;
}

/* The options by number, from 0; a row that refers to another table is replaced by the rows of that table. NULL after the last. */
const tri__option *tri__command_option(const tri__command *command, int row);
bool tri__command_has_option(const tri__command *command, const char *name);

/* Values by the option's name. The command must have such an option, except for tri__argument_has. Where it was not given: its standard
 * value, or NULL, 0, false. */
bool tri__argument_has(const tri__arguments *arguments, const char *name); /* the command has such an option, and it is on */
bool tri__argument_given(const tri__arguments *arguments, const char *name);
const char *tri__argument_text(const tri__arguments *arguments, const char *name);
int64_t tri__argument_integer(const tri__arguments *arguments, const char *name);
double tri__argument_number(const tri__arguments *arguments, const char *name);
bool tri__argument_flag(const tri__arguments *arguments, const char *name);

#endif
