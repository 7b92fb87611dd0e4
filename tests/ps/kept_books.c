/* kept_books.c: the books stand in the head of a checkpoint, a safetensors file, as JSON within JSON. */
#include "ps/kept_books.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ps/process.h"

/* "trireme" of the metadata; NULL where there is no such file any more: only the last few are kept. */
static json_t *read_head(const char *folder, int64_t step)
{
    char name[64];
    snprintf(name, sizeof name, "run/checkpoint/step-%08lld.safetensors", (long long)step);
    char *path = test_path(folder, name);
    FILE *file = fopen(path, "rbe");
    free(path);
    if (!file)
        return NULL;
    uint64_t size;
    assert_int_equal(fread(&size, sizeof size, 1, file), 1);
    assert_true(size < 1 << 24);
    char *text = malloc(size);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    json_t *head = json_loadb(text, size, 0, NULL);
    free(text);
    const json_t *kept = json_object_get(json_object_get(head, "__metadata__"), "trireme");
    json_t *described = json_loads(json_string_value(kept), 0, NULL);
    assert_non_null(described);
    json_decref(head);
    return described;
}

static void check_workers(const json_t *described, int64_t step, int64_t all_examples)
{
    const json_t *books = json_object_get(json_object_get(described, "state"), "books");
    const json_t *workers = json_object_get(books, "workers"), *options = json_object_get(described, "options");
    int64_t steps = 0, examples = 0;
    for (size_t i = 0; i < json_array_size(workers); i++) {
        int64_t own = integer_of(json_array_get(workers, i), "steps");
        assert_in_range(own, 0, step);
        steps += own;
        examples += integer_of(json_array_get(workers, i), "examples");
    }
    assert_int_equal(examples, all_examples);
    if (json_object_get(options, "sync"))
        assert_true(steps >= step);
    else
        assert_int_equal(steps, step);
}

void expect_kept_books(const char *folder, int64_t after, kept_books *last)
{
    json_t *described = NULL;
    int64_t step = after;
    while (!described)
        described = read_head(folder, step = await_checkpoint(folder, after));
    const json_t *state = json_object_get(described, "state");
    kept_books now = {
        .step = integer_of(state, "step"),
        .lost = integer_of(json_object_get(state, "books"), "lost"),
        .seconds = number_of(state, "seconds"),
        .total_seconds = number_of(state, "total_seconds"),
    };
    assert_int_equal(now.step, step);
    check_workers(described, now.step, integer_of(state, "examples"));
    assert_true(now.seconds <= now.total_seconds);
    assert_true(now.total_seconds >= last->total_seconds);
    assert_true(now.lost >= last->lost);
    *last = now;
    json_decref(described);
}
