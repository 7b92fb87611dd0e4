/* message_test.c: what is encoded is decoded, and what no peer of ours would send is refused. */
#include <string.h>

#include "store/ps/protocol/layout.h"
#include "store/ps/protocol/message.h"
#include "support.h"

static void a_push_keeps_all_its_parts(void **state)
{
    (void)state;
    const tri__message push = {
        .type = TRI_MSG_PUSH,
        .size = 1024,
        .chunk = 4000000000u,
        .view = 7,
        .step = INT64_C(1) << 40,
        .serial = -3,
        .rate = 0.01F,
        .weight = 99.5F,
    };
    tri__frame frame = tri__message_encode(&push);
    tri__message back;
    assert_ok(tri__message_decode(&frame, &back));
    assert_int_equal(back.type, TRI_MSG_PUSH);
    assert_int_equal(back.size, 1024);
    assert_int_equal(back.chunk, 4000000000u);
    assert_int_equal(back.view, 7);
    assert_int_equal(back.step, INT64_C(1) << 40);
    assert_int_equal(back.serial, -3);
    assert_float_equal(back.rate, 0.01F, 0);
    assert_float_equal(back.weight, 99.5F, 0);
}

static void a_token_keeps_all_its_parts(void **state)
{
    (void)state;
    const tri__message token = {.type = TRI_MSG_TOKEN, .step = 5, .position = INT64_MAX, .index = 1023, .workers = 1024};
    tri__frame frame = tri__message_encode(&token);
    tri__message back;
    assert_ok(tri__message_decode(&frame, &back));
    assert_int_equal(back.position, INT64_MAX);
    assert_int_equal(back.index, 1023);
    assert_int_equal(back.workers, 1024);
}

static void messages_of_wrong_type_or_size_are_refused(void **state)
{
    (void)state;
    tri__message out;
    assert_fails(tri__message_decode(&(tri__frame){.type = 0}, &out), TRI_BAD_DATA, "unknown type 0");
    assert_fails(tri__message_decode(&(tri__frame){.type = TRI_MSG_TYPES}, &out), TRI_BAD_DATA, "unknown type");
    assert_fails(tri__message_decode(&(tri__frame){.type = UINT32_MAX}, &out), TRI_BAD_DATA, "unknown type");
    assert_fails(tri__message_decode(&(tri__frame){.type = TRI_MSG_PUSH, .size = TRI_CHUNK_BYTES + 1}, &out), TRI_BAD_DATA, "push");
    assert_fails(tri__message_decode(&(tri__frame){.type = TRI_MSG_BEAT, .size = 1}, &out), TRI_BAD_DATA, "beat");
    for (uint32_t type = 1; type < TRI_MSG_TYPES; type++)
        assert_string_not_equal(tri__message_name(type), "unknown");
}

static void steps_to_which_no_job_comes_are_refused(void **state)
{
    (void)state;
    tri__message out;
    tri__frame frame = {.type = TRI_MSG_RESTORED, .word = {0, TRI_FURTHEST}};
    assert_ok(tri__message_decode(&frame, &out));
    frame.word[1]++;
    assert_fails(tri__message_decode(&frame, &out), TRI_BAD_DATA, "to which no job comes");
    frame.word[1] = (uint64_t)-1;
    assert_fails(tri__message_decode(&frame, &out), TRI_BAD_DATA, "to which no job comes");
}

static void the_json_of_a_message_must_be_an_object(void **state)
{
    (void)state;
    json_t *json;
    const tri__message message = {.type = TRI_MSG_HELLO, .size = 2};
    assert_ok(tri__message_json(&message, "{}", &json));
    json_decref(json);
    assert_fails(tri__message_json(&message, "[]", &json), TRI_BAD_DATA, "hello");
    assert_fails(tri__message_json(&message, "{x", &json), TRI_BAD_DATA, "hello");
    assert_fails(tri__message_json(&(tri__message){.type = TRI_MSG_HELLO}, NULL, &json), TRI_BAD_DATA, "hello");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_push_keeps_all_its_parts),
        cmocka_unit_test(a_token_keeps_all_its_parts),
        cmocka_unit_test(messages_of_wrong_type_or_size_are_refused),
        cmocka_unit_test(steps_to_which_no_job_comes_are_refused),
        cmocka_unit_test(the_json_of_a_message_must_be_an_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
