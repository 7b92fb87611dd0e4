/* counting_test.c: work that is counted shows a line, where output is no terminal, too, and none when the session is quiet. */
#include "cli/process/counting.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

typedef struct {
    tri__session session;
    tri__counting counting;
} fixture;

static void init(fixture *self, bool quiet)
{
    *self = (fixture){.session.quiet = quiet};
    FILE *file = tmpfile();
    assert_non_null(file);
    tri__terminal_init(&self->session.terminal, file, true);
    tri__counting_init(&self->counting, &self->session, "records");
}

/* What was shown, and the end of the fixture. free() it. */
static char *fini(fixture *self)
{
    FILE *file = self->session.terminal.file;
    tri__counting_fini(&self->counting);
    tri__terminal_fini(&self->session.terminal);
    rewind(file);
    char *text = calloc(1, 1000);
    assert_non_null(text);
    assert_true(fread(text, 1, 999, file) < 999);
    fclose(file);
    return text;
}

/* As if the interval between two lines had passed. */
static void show_at_once(fixture *self, int64_t done, int64_t all)
{
    self->counting.next = 0;
    tri__counting_show(&self->counting, done, all);
}

static void line_has_counts_and_share(void **state)
{
    (void)state;
    fixture self;
    init(&self, false);
    tri__counting_show(&self.counting, 0, 60000); /* too early for a line */
    show_at_once(&self, 1500, 60000);
    tri__counting_show(&self.counting, 1600, 60000);
    char *text = fini(&self);
    assert_memory_equal(text, "1,500 of 60,000 records  2 %  ", 30);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    free(text);
}

static void quiet_session_shows_nothing(void **state)
{
    (void)state;
    fixture self;
    init(&self, true);
    show_at_once(&self, 1500, 60000);
    char *text = fini(&self);
    assert_string_equal(text, "");
    free(text);
}

/* What a part had done before is not in the speed of the next part, which begins at 0 again. */
static void second_part_has_a_speed_of_its_own(void **state)
{
    (void)state;
    fixture self;
    init(&self, false);
    tri__counting_show(&self.counting, 500, 1000);
    tri__counting_restart(&self.counting);
    tri__counting_show(&self.counting, 0, 2000);
    show_at_once(&self, 400, 2000);
    assert_int_equal(self.counting.before, 0);
    char *text = fini(&self);
    assert_memory_equal(text, "400 of 2,000 records  20 %  ", 28);
    assert_null(strstr(text, "%  -"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_has_counts_and_share),
        cmocka_unit_test(quiet_session_shows_nothing),
        cmocka_unit_test(second_part_has_a_speed_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
