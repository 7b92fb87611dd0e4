/* line.h: one end of a connection that a test plays itself, message by message: it says what it wants, whenever it wants, and waits for
 * what it is told. Every wait fails the test after a generous time. */
#ifndef TESTS_STORE_PS_LINE_H
#define TESTS_STORE_PS_LINE_H

#include <jansson.h>
#include <stdbool.h>

#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/message.h"

typedef struct {
    int fd;
    tri__message heard; /* the last message … */
    union {
        char text[TRI_CHUNK_BYTES + 1]; /* … and its body */
        float floats[TRI_CHUNK_FLOATS];
    };
} line;

int line_listen(uint16_t *port); /* on 127.0.0.1, at a port of the kernel's choice */
line *line_call(uint16_t port);
line *line_answer(int fd);    /* the next one that calls */
void line_hang_up(line *end); /* and frees it */

void line_say(line *end, tri__message message, const void *body, size_t size);
void line_say_part(line *end, tri__message message, const void *body, size_t size, size_t part); /* so much of the body … */
void line_say_rest(line *end, const void *rest, size_t size);                                    /* … and the rest of it, later */
void line_say_floats(line *end, tri__message message, float value, size_t count);                /* all the same */
void line_say_json(line *end, tri__message_type type, const char *format, ...) __attribute__((format(printf, 3, 4)));

bool line_hear_next(line *end); /* any message; false: the other end has hung up */

/* Wait for a message of this type, past all others. */
const tri__message *line_hear(line *end, tri__message_type type);
tri__message_type line_hear_any(line *end, tri__message_type one, tri__message_type other); /* of either type: which it was */
json_t *line_hear_json(line *end, tri__message_type type);                                  /* the caller's */
void line_hear_end(line *end); /* until the other end hangs up: it has read all that was said */

#endif
