/* line.c: blocking sockets. */
#include "store/ps/line.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/connection/inbox.h"
#include "support.h"

enum { PATIENCE = 300 }; /* seconds */

static line *new_line(int fd)
{
    line *end = calloc(1, sizeof *end);
    assert_non_null(end);
    assert_true(fd >= 0);
    const struct timeval patience = {.tv_sec = PATIENCE};
    assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience), 0);
    end->fd = fd;
    return end;
}

int line_listen(uint16_t *port)
{
    char host[] = "127.0.0.1";
    int fd;
    assert_ok(tri__address_listen(&(tri__address){host, 0}, &fd, port));
    return fd;
}

line *line_call(uint16_t port)
{
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return new_line(fd);
}

line *line_answer(int fd)
{
    const struct timeval patience = {.tv_sec = PATIENCE};
    assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    return new_line(accept(fd, NULL, NULL));
}

void line_hang_up(line *end)
{
    close(end->fd);
    free(end);
}

void line_say_rest(line *end, const void *rest, size_t size)
{
    if (size)
        assert_int_equal(send(end->fd, rest, size, MSG_NOSIGNAL), size);
}

void line_say_part(line *end, tri__message message, const void *body, size_t size, size_t part)
{
    uint8_t head[TRI_HEAD_SIZE];
    message.size = (uint32_t)size;
    tri__frame frame = tri__message_encode(&message);
    tri__head_write(&frame, head);
    assert_int_equal(send(end->fd, head, sizeof head, MSG_NOSIGNAL), sizeof head);
    line_say_rest(end, body, part);
}

void line_say(line *end, tri__message message, const void *body, size_t size)
{
    line_say_part(end, message, body, size, size);
}

void line_say_floats(line *end, tri__message message, float value, size_t count)
{
    float floats[TRI_CHUNK_FLOATS];
    for (size_t i = 0; i < count; i++)
        floats[i] = value;
    line_say(end, message, floats, count * sizeof *floats);
}

void line_say_json(line *end, tri__message_type type, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    line_say(end, (tri__message){.type = type}, text, (size_t)size);
}

bool line_hear_next(line *end)
{
    uint8_t head[TRI_HEAD_SIZE];
    tri__frame frame;
    ssize_t got = recv(end->fd, head, sizeof head, MSG_WAITALL);
    if (got <= 0 || got != sizeof head) {
        assert_true(got == 0); /* it hung up; otherwise nothing came for long */
        return false;
    }
    tri__head_read(head, &frame);
    assert_ok(tri__message_decode(&frame, &end->heard));
    assert_true(frame.size <= TRI_CHUNK_BYTES);
    if (frame.size)
        assert_int_equal(recv(end->fd, end->text, frame.size, MSG_WAITALL), frame.size);
    end->text[frame.size] = 0;
    return true;
}

tri__message_type line_hear_any(line *end, tri__message_type one, tri__message_type other)
{
    do {
        if (!line_hear_next(end))
            fail_msg("it hung up before it said %s", tri__message_name(one));
    } while (end->heard.type != one && end->heard.type != other);
    return end->heard.type;
}

const tri__message *line_hear(line *end, tri__message_type type)
{
    line_hear_any(end, type, type);
    return &end->heard;
}

json_t *line_hear_json(line *end, tri__message_type type)
{
    json_t *json;
    line_hear(end, type);
    assert_ok(tri__message_json(&end->heard, end->text, &json));
    return json;
}

void line_hear_end(line *end)
{
    while (line_hear_next(end))
        ;
}
