/* An index outside of its axis ends the run with the node and the element, or stands for the
 * nearest element where the program asks for that; the run after it is as if it had not been. */
#include "embedded.h"

static inputs in;

/* The inputs by which the model picks hold integers. */
static int64_t* indices_of(int input) {
    const fw_tensor_info* info = api->input(model, input);
    return info->dtype.code == FW_INT && info->dtype.bits == 64 ? in.data[input] : NULL;
}

static void open_with(int clamp) {
    fw_options options = {sizeof options, 2, 0, 0, clamp};
    CHECK(api->open(NULL, &options, &model) == FW_OK, "%s", api->last_error(NULL));
    make_inputs(&in);
    set_inputs(&in);
}

int main(int count, char** words) {
    static const int64_t bad[] = {1000000, -1000000, INT64_MAX, INT64_MIN};
    int tried = 0;
    CHECK(count == 2, "MODULE");
    load(words[1]);
    open_with(0);
    OK(api->run(model));
    const uint64_t wanted = outputs_digest();
    for (int i = 0; i < api->input_count(model); ++i)
        for (int k = 0; indices_of(i) && k < 4; ++k, ++tried) {
            char told[128];
            const int64_t before = indices_of(i)[1];
            indices_of(i)[1] = bad[k];
            CHECK(api->run(model) == FW_BAD_INDEX, "input %d takes %lld", i, (long long)bad[k]);
            snprintf(told, sizeof told, ": element 1 of %s is %lld, which lies outside",
                     api->input(model, i)->name, (long long)bad[k]);
            CHECK(strstr(api->last_error(model), told), "%s", api->last_error(model));
            indices_of(i)[1] = before;
            OK(api->run(model));
            CHECK(outputs_digest() == wanted, "other numbers");
        }
    CHECK(tried > 0, "the model picks by no input");
    api->close(model);

    open_with(1);
    for (int i = 0; i < api->input_count(model); ++i)
        if (indices_of(i))
            indices_of(i)[1] = INT64_MIN;
    OK(api->run(model));
    const uint64_t nearest = outputs_digest();
    for (int i = 0; i < api->input_count(model); ++i)
        if (indices_of(i))
            indices_of(i)[1] = 0;
    OK(api->run(model));
    CHECK(outputs_digest() == nearest, "not the nearest element");
    api->close(model);

    /* A program of before the option was there. */
    fw_options old = {16, 2, 0, 0, 1};
    CHECK(api->open(NULL, &old, &model) == FW_OK, "%s", api->last_error(NULL));
    make_inputs(&in);
    set_inputs(&in);
    indices_of(0)[1] = INT64_MAX;
    CHECK(api->run(model) == FW_BAD_INDEX, "it is clamped");
    api->close(model);
    return 0;
}
