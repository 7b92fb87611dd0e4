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

/* What has been read: all lines, those that begin with a number, the last of these, and how many the relay says that it left out. */
typedef struct {
    int lines, numbered;
    long last, left_out;
} heard;

/* Read until a line with this text has come. */
static void read_until(int fd, const char *wanted, heard *all)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = fdopen(dup(fd), "r");
    assert_non_null(file);
    setvbuf(file, NULL, _IONBF, 0); /* not a byte more */
    bool found = false;
    while (!found && getline(&line, &size, file) > 0) {
        const char *loss = strstr(line, "; ");
        all->lines++;
        if (*line >= '0' && *line <= '9') {
            assert_int_equal(strlen(line), LINE + 1); /* each whole, and in their order */
            assert_true(strtol(line, NULL, 10) > all->last);
            all->last = strtol(line, NULL, 10);
            all->numbered++;
        } else if (loss && strstr(line, "left out"))
            all->left_out += strtol(loss + 2, NULL, 10);
        found = strstr(line, wanted);
    }
    assert_true(found);
    free(line);
    fclose(file);
}

/* Which lines are left out depends on when the relay's thread gets to write; that each is written or counted does not. */
static void writers_do_not_wait_for_a_stopped_reader_and_results_are_kept(void **state)
{
    (void)state;
    fixture self;
    heard all = {.last = -1};
    init(&self);
    char line[LINE + 1];
    for (int i = 0; i < LINES; i++) {
        snprintf(line, sizeof line, "%0*d", LINE, i);
        say(self.err, line);
    }
    assert_true(tri__relay_is_behind(self.relay));
    say(self.out, "the result");
    read_until(self.ends[0], "the result", &all);
    assert_in_range(all.numbered, 1000, LINES - 1000); /* some, and not all */
    tri__relay_drain(self.relay);
    assert_false(tri__relay_is_behind(self.relay));
    say(self.err, "afterwards");
    read_until(self.ends[0], "afterwards", &all);
    assert_int_equal(all.numbered + all.left_out, LINES);
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
    heard all = {.last = -1};
    read_until(self.ends[0], "the end", &all);
    assert_int_equal(all.lines, 2);
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
    heard all = {.last = -1};
    read_until(self.ends[0], "the disk is full", &all);
    assert_in_range(all.lines, 1, 4000); /* what the pipe held, not more */
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
