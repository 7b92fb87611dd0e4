/* eval_page_test.c: eval --html. */
#include "cli/binary_json.h"

#define TRAIN_DIGITS "train", "softmax", "--data", "digits:500", "--quiet", "--threads", "1"

/* A page of pictures, and one of examples that are none. */
static void eval_writes_a_page(void **state)
{
    const char *here = *state;
    expect(RUN(here, TRAIN_DIGITS, "--steps", "2", "--out", "run"), 0, "", "");
    expect(RUN(here, "eval", "run", "--html", "page.html"), 0, "accuracy", "");
    expect(SHELL(here,
                 "test $(grep -c 'src=\"data:image/png;base64,iVBORw0KGgo' page.html) -gt 20 && grep -q 'surest mistakes' page.html && "
                 "! grep -q 'http' page.html && grep -c 'background:rgba(var(--right)' page.html"),
           0, "", "");
    expect(SHELL(here,
                 "printf '1 1:0.5 2:1\\n2 1:0.25 2:2\\n3 2:0.5\\n1 1:1 2:0.125\\n' >a.libsvm; \"$0\" train softmax --data a.libsvm "
                 "--test a.libsvm --steps 1 --quiet --out text >/dev/null && \"$0\" eval text --data a.libsvm --html text.html --quiet "
                 ">/dev/null && grep -q '<h2>Classes' text.html && ! grep -q base64 text.html"),
           0, "", "");
    expect(RUN(here, "eval", "run", "--html", "no/such/folder.html"), 1, "", "no/such/folder.html");
}

int main(void)
{
    const struct CMUnitTest tests[] = {FOLDER_TEST(eval_writes_a_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
