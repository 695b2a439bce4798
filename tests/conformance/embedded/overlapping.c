/* Outputs bound to memory of other outputs and of inputs: right, or a status; never other numbers.
 */
#include "embedded.h"

static int64_t dims[MOST][MOST_RANK], strides[MOST][MOST_RANK];
static size_t bytes[MOST];
static uint64_t wanted[MOST];
static int outputs;

/* Output `index` at `data`, every extent but the last `gap` times as far apart, elements too. */
static fw_tensor spread(int index, void* data, int64_t gap) {
    fw_tensor out = tensor_of(data, api->output(model, index), dims[index]);
    int64_t stride = gap;
    for (int d = out.ndim; d-- > 0;) {
        strides[index][d] = stride;
        stride *= dims[index][d];
    }
    out.strides = strides[index];
    return out;
}

static void dense_digest(int index, const char* data, int64_t gap, uint64_t* hash) {
    const size_t size = element_bytes(api->output(model, index)->dtype);
    char* dense = malloc(bytes[index] + 1);
    for (size_t i = 0; i < bytes[index] / size; ++i)
        memcpy(dense + i * size, data + i * size * (size_t)gap, size);
    *hash = digest(dense, bytes[index]);
    free(dense);
}

static void back_to_own(void) {
    for (int i = 0; i < outputs; ++i)
        OK(api->bind_output(model, i, NULL));
    OK(api->run(model));
    for (int i = 0; i < outputs; ++i)
        CHECK(output_digest(i) == wanted[i], "output %d", i);
}

int main(int count, char** words) {
    CHECK(count == 2, "give a module with several outputs");
    load(words[1]);
    model = open_model(0);
    inputs in;
    make_inputs(&in);
    set_inputs(&in);
    OK(api->run(model));
    outputs = api->output_count(model);
    CHECK(outputs > 2, "%d outputs are too few", outputs);
    size_t most = 0;
    for (int i = 0; i < outputs; ++i) {
        bytes[i] = output_bytes(i, dims[i]);
        wanted[i] = output_digest(i);
        most = bytes[i] > most ? bytes[i] : most;
    }
    char* memory = aligned_alloc(64, ((size_t)outputs * most + 4096) / 64 * 64);

    /* All but the first in one place, whole and by a part, aligned or not. */
    for (int shift = 0; shift < 3; ++shift) {
        for (int i = 1; i < outputs; ++i) {
            const size_t step = shift == 0 ? 0 : shift == 1 ? 64 : 4;
            fw_tensor out = tensor_of(memory + (size_t)i * step, api->output(model, i), dims[i]);
            OK(api->bind_output(model, i, &out));
        }
        memset(memory, 0x5a, (size_t)outputs * most);
        CHECK(api->run(model) == FW_BAD_ARGUMENT, "shift %d", shift);
        for (size_t i = 0; i < (size_t)outputs * most; ++i)
            CHECK(memory[i] == 0x5a, "byte %zu was written", i);
        CHECK(strstr(api->last_error(model), api->output(model, 1)->name) &&
                  strstr(api->last_error(model), api->output(model, 2)->name),
              "%s", api->last_error(model));
        back_to_own();
    }

    /* The same elements by strides; only one of them dense. */
    fw_tensor first = spread(1, memory, 2);
    fw_tensor second = spread(2, memory, 2);
    OK(api->bind_output(model, 1, &first));
    OK(api->bind_output(model, 2, &second));
    CHECK(api->run(model) == FW_BAD_ARGUMENT, "strided outputs on each other");
    second = tensor_of(memory, api->output(model, 2), dims[2]);
    OK(api->bind_output(model, 2, &second));
    CHECK(api->run(model) == FW_BAD_ARGUMENT, "a dense output on a strided one");
    back_to_own();

    /* One between the elements of the other. */
    const size_t size = element_bytes(api->output(model, 1)->dtype);
    CHECK(size == element_bytes(api->output(model, 2)->dtype), "outputs 1 and 2 differ in type");
    first = spread(1, memory, 2);
    second = spread(2, memory + size, 2);
    OK(api->bind_output(model, 1, &first));
    OK(api->bind_output(model, 2, &second));
    OK(api->run(model));
    uint64_t got = 0;
    dense_digest(1, memory, 2, &got);
    CHECK(got == wanted[1], "output 1 between the elements of output 2");
    dense_digest(2, memory + size, 2, &got);
    CHECK(got == wanted[2], "output 2 between the elements of output 1");
    back_to_own();

    /* An output whose elements lie on each other. */
    second = spread(2, memory, 1);
    int axis = 0;
    while (dims[2][axis] < 2)
        ++axis;
    strides[2][axis] = 0;
    CHECK(api->bind_output(model, 2, &second) == FW_BAD_SHAPE, "a stride of 0");
    back_to_own();

    /* Memory of the model itself, of another output and of the same; as an input, too. */
    for (int i = 0; i < 2; ++i) {
        fw_tensor view;
        OK(api->output_view(model, 1, &view));
        fw_tensor out = tensor_of(view.data, api->output(model, 1 + i), dims[1 + i]);
        CHECK(api->bind_output(model, 1 + i, &out) == FW_BAD_ARGUMENT,
              "output %d in the model's own", 1 + i);
        CHECK(strstr(api->last_error(model), api->output(model, 1 + i)->name), "%s",
              api->last_error(model));
        back_to_own();
    }
    for (int i = 0; i < api->input_count(model); ++i) {
        fw_tensor view;
        OK(api->output_view(model, 1, &view));
        fw_tensor own = tensor_of(view.data, api->input(model, i), in.dims[i]);
        CHECK(api->set_input(model, i, &own) == FW_BAD_ARGUMENT, "input %d in the model's own", i);
        set_inputs(&in);
        back_to_own();
    }

    /* An output over an input: the input is read first. */
    for (int i = 0; i < api->input_count(model); ++i) {
        char* both = aligned_alloc(64, (most + in.bytes[i] + 128) / 64 * 64);
        memcpy(both, in.data[i], in.bytes[i]);
        fw_tensor over = tensor_of(both, api->input(model, i), in.dims[i]);
        OK(api->set_input(model, i, &over));
        fw_tensor out = tensor_of(both, api->output(model, 1), dims[1]);
        OK(api->bind_output(model, 1, &out));
        OK(api->run(model));
        CHECK(digest(both, bytes[1]) == wanted[1], "output 1 over input %d", i);
        for (int k = 0; k < outputs; ++k)
            CHECK(output_digest(k) == wanted[k], "output %d with output 1 over input %d", k, i);
        set_inputs(&in);
        back_to_own();
        free(both);
    }
    api->close(model);
    return 0;
}
