/* relay_test.c: nobody waits for a reader that does not read; what must not be lost is there when it does. */
#include "cli/process/relay.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/process/spawned.h"
#include "support.h"

enum { LINES = 40000, LINE = 100 }; /* four times what may wait, and far more than a pipe holds */

typedef struct {
    int ends[2];
    tri__relay *relay;
    FILE *out, *err;
} fixture;

static void init(fixture *self)
{
    assert_false(pipe(self->ends));
    assert_ok(tri__relay_create(&self->relay));
    self->out = tri__relay_open(self->relay, self->ends[1], false);
    self->err = tri__relay_open(self->relay, self->ends[1], true);
    assert_true(self->out && self->err);
}

static void fini(fixture *self)
{
    fclose(self->out);
    fclose(self->err);
    tri__relay_destroy(self->relay);
    close(self->ends[1]);
}

static void say(FILE *file, const char *line)
{
    fprintf(file, "%s\n", line);
    fflush(file);
}

/* All that comes until a line is there: how many lines; in *first and *last those that begin with a number. */
static int read_until(int fd, const char *wanted, long *last)
{
    char *line = NULL;
    size_t size = 0;
    int lines = 0;
    FILE *file = fdopen(dup(fd), "r");
    assert_non_null(file);
    setvbuf(file, NULL, _IONBF, 0); /* not a byte more */
    while (getline(&line, &size, file) > 0) {
        lines++;
        if (last && *line >= '0' && *line <= '9') {
            assert_int_equal(strlen(line), LINE + 1); /* each whole, and in their order */
            assert_true(strtol(line, NULL, 10) > *last);
            *last = strtol(line, NULL, 10);
        }
        if (strstr(line, wanted))
            break;
    }
    assert_true(line && strstr(line, wanted));
    free(line);
    fclose(file);
    return lines;
}

static void writers_do_not_wait_for_a_stopped_reader_and_results_are_kept(void **state)
{
    (void)state;
    fixture self;
    init(&self);
    char line[LINE + 1];
    for (int i = 0; i < LINES; i++) {
        snprintf(line, sizeof line, "%0*d", LINE, i);
        say(self.err, line);
    }
    assert_true(tri__relay_is_behind(self.relay));
    say(self.out, "the result");
    long last = -1;
    int lines = read_until(self.ends[0], "the result", &last);
    assert_in_range(lines, 1000, LINES - 1000); /* the first ones, and not all */
    assert_int_equal(last, lines - 2);
    tri__relay_drain(self.relay);
    assert_false(tri__relay_is_behind(self.relay));
    say(self.err, "afterwards");
    char told[64];
    snprintf(told, sizeof told, "%d lines were left out", LINES - (lines - 1));
    read_until(self.ends[0], told, NULL);
    read_until(self.ends[0], "afterwards", NULL);
    close(self.ends[0]);
    fini(&self);
}

static void a_relay_without_a_reader_ends_at_once(void **state)
{
    (void)state;
    fixture self;
    init(&self);
    close(self.ends[0]);
    say(self.out, "the result"); /* the signal of a broken pipe does not end this process */
    tri__relay_drain(self.relay);
    say(self.out, "once more");
    fini(&self);
}

static void long_lines_arrive_whole(void **state)
{
    (void)state;
    fixture self;
    init(&self);
    size_t size = 1 << 20;
    char *long_line = malloc(size + 1);
    assert_non_null(long_line);
    memset(long_line, 'x', size);
    long_line[size] = 0;
    say(self.out, long_line);
    say(self.out, "the end");
    assert_int_equal(read_until(self.ends[0], "the end", NULL), 2);
    free(long_line);
    close(self.ends[0]);
    fini(&self);
}

/* The progress of a moment is worth nothing in the next. */
static void progress_is_dropped_while_nobody_reads(void **state)
{
    (void)state;
    fixture self;
    init(&self);
    tri__session session = {.out = self.out, .terminal = {.file = self.err}, .relay = self.relay};
    const tri__progress progress = {.step = 3};
    for (int i = 0; i < LINES; i++)
        tri__spawned_progress(&session, &progress);
    tri_status failure = tri_fail(TRI_IO, "the disk is full");
    tri__spawned_failure(&session, failure);
    tri_status_free(failure);
    assert_in_range(read_until(self.ends[0], "the disk is full", NULL), 1, 4000); /* what the pipe held, not more */
    tri__spawned_drain(&session);
    close(self.ends[0]);
    fini(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writers_do_not_wait_for_a_stopped_reader_and_results_are_kept),
        cmocka_unit_test(a_relay_without_a_reader_ends_at_once),
        cmocka_unit_test(long_lines_arrive_whole),
        cmocka_unit_test(progress_is_dropped_while_nobody_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
