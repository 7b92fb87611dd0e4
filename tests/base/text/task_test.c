/* task_test.c: names of tasks, made and read. */
#include "base/text/task.h"

#include "support.h"

static void a_task_has_a_name_for_people_and_one_for_its_files(void **state)
{
    (void)state;
    char name[TRI_TASK_SIZE];
    assert_string_equal(tri__task_name((tri__task){TRI_ROLE_WORKER, 12}, name), "worker:12");
    assert_string_equal(tri__task_name((tri__task){TRI_ROLE_SERVER, 0}, name), TRI_FIRST_SERVER);
    assert_string_equal(tri__task_name((tri__task){TRI_ROLE_EVALUATOR, 0}, name), TRI_ONE_EVALUATOR);
    assert_string_equal(tri__task_file_name((tri__task){TRI_ROLE_WORKER, 0}, name), TRI_FIRST_WORKER_FILE);
    assert_string_equal(tri__task_name((tri__task){TRI_ROLE_WORKER, -1}, name), "a worker that joins");
}

static void the_name_of_a_file_tells_the_task(void **state)
{
    (void)state;
    char name[TRI_TASK_SIZE], other[] = "supervisor";
    tri__task_file_name((tri__task){TRI_ROLE_SERVER, 3}, name);
    tri__task_name_from_file(name);
    assert_string_equal(name, "ps:3");
    tri__task_name_to_file(name);
    assert_string_equal(name, "ps-3");
    tri__task_name_from_file(other);
    assert_string_equal(other, "supervisor");
    tri__task_name_to_file(other);
    assert_string_equal(other, "supervisor");
}

static void a_name_has_the_role_that_it_begins_with(void **state)
{
    (void)state;
    assert_true(tri__task_name_has_role("worker:1", TRI_ROLE_WORKER));
    assert_false(tri__task_name_has_role("worker:1", TRI_ROLE_SERVER));
    assert_false(tri__task_name_has_role("workers", TRI_ROLE_WORKER));
    assert_false(tri__task_name_has_role("supervisor", TRI_ROLE_WORKER));
}

static void tasks_are_sorted_by_role_and_then_by_number(void **state)
{
    (void)state;
    assert_true(tri__task_name_order("worker:2", "worker:10") < 0);
    assert_true(tri__task_name_order("ps:9", "worker:0") < 0);
    assert_true(tri__task_name_order("worker:3", "evaluator:0") < 0);
    assert_true(tri__task_name_order("evaluator:0", "supervisor") < 0);
    assert_true(tri__task_name_order("supervisor", "worker:0") > 0);
    assert_true(tri__task_name_order("launcher", "supervisor") < 0);
    assert_int_equal(tri__task_name_order("supervisor", "supervisor"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_has_a_name_for_people_and_one_for_its_files),
        cmocka_unit_test(the_name_of_a_file_tells_the_task),
        cmocka_unit_test(a_name_has_the_role_that_it_begins_with),
        cmocka_unit_test(tasks_are_sorted_by_role_and_then_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
