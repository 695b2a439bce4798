/* The rest of the C interface, on a model whose first dimension of input 0 is free: what is set can
 * be taken back, what is refused leaves nothing behind, a run ends when it is told to. */
#include "embedded.h"

#include <limits.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

static inputs in;
static uint64_t wanted;

static long pages_mapped(void) {
    long pages = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld", &pages) == 1, "no /proc");
    fclose(file);
    return pages;
}

static void refusals_name_the_index(void) {
    static const int32_t indices[] = {-1, 99, INT_MIN, INT_MAX};
    int64_t dims[MOST_RANK];
    fw_tensor view;
    for (int i = 0; i < 4; ++i) {
        char number[32];
        snprintf(number, sizeof number, "put %d", indices[i]);
        const fw_status answers[] = {
            api->set_input(model, indices[i], &view), api->input_shape(model, indices[i], dims),
            api->bind_output(model, indices[i], NULL), api->output_shape(model, indices[i], dims),
            api->output_view(model, indices[i], &view)};
        for (int k = 0; k < 5; ++k)
            CHECK(answers[k] == FW_BAD_ARGUMENT, "call %d gives %d", k, (int)answers[k]);
        CHECK(strstr(api->last_error(model), number), "%s", api->last_error(model));
        CHECK(!api->input(model, indices[i]) && !api->output(model, indices[i]), "an info");
    }
}

static void refused_inputs_are_forgotten(void) {
    fw_tensor wrong[4];
    for (int i = 0; i < 4; ++i)
        wrong[i] = tensor_of(in.data[0], api->input(model, 0), in.dims[0]);
    wrong[0].data = NULL;
    wrong[1].dtype.bits = 16;
    wrong[2].ndim += 1;
    int64_t changed[MOST_RANK];
    memcpy(changed, in.dims[0], sizeof changed);
    changed[api->input(model, 0)->rank - 1] += 1;
    wrong[3].shape = changed;
    for (int i = 0; i < 5; ++i) {
        set_inputs(&in);
        OK(api->run(model));
        CHECK(api->set_input(model, 0, i < 4 ? &wrong[i] : NULL) != FW_OK, "tensor %d", i);
        CHECK(api->run(model) == FW_INPUT_MISSING, "tensor %d: %s", i, api->last_error(model));
    }
    set_inputs(&in);
    OK(api->run(model));
    CHECK(outputs_digest() == wanted, "other numbers");
}

static void symbols_can_be_taken_back(void) {
    const fw_symbol_info* symbol = api->symbol(model, 0);
    OK(api->set_symbol(model, symbol->name, free_extent + 1));
    CHECK(api->run(model) == FW_BAD_SHAPE, "another size than the input's");
    OK(api->unset_symbol(model, symbol->name));
    OK(api->run(model));
    CHECK(outputs_digest() == wanted, "other numbers");
    int64_t dims[MOST_RANK];
    CHECK(api->input_shape(model, 0, dims) == FW_SYMBOL_UNBOUND, "it is still set");
    CHECK(api->unset_symbol(model, "no such") == FW_BAD_ARGUMENT, "an unknown name");
    CHECK(api->unset_symbol(model, NULL) == FW_BAD_ARGUMENT, "no name");
}

static void memory_is_given_back(void) {
    const int64_t usual = free_extent;
    inputs large;
    free_extent = 20000;
    make_inputs(&large);
    set_inputs(&large);
    OK(api->run(model));
    const int64_t arena = api->arena_bytes(model);
    const long before = pages_mapped();
    OK(api->trim(model));
    const long given = (before - pages_mapped()) * sysconf(_SC_PAGESIZE);
    CHECK(arena > 0 && given >= arena, "%ld bytes of an arena of %ld", given, (long)arena);
    fw_tensor view;
    CHECK(api->output_view(model, 0, &view) == FW_BAD_ARGUMENT, "outputs that are gone");
    OK(api->run(model));
    OK(api->trim(model));
    OK(api->trim(model));
    free_extent = usual;
    set_inputs(&in);
    OK(api->run(model));
    CHECK(outputs_digest() == wanted, "other numbers");
    CHECK(api->arena_bytes(model) < arena, "the arena of the large input");
}

static int32_t asked, answer_from;

static int32_t cancelled(void* data) {
    CHECK(data == &asked, "other data");
    return ++asked >= answer_from;
}

static void runs_end_when_told(void) {
    OK(api->set_cancel(model, cancelled, &asked));
    const int32_t steps = api->step_count(model);
    for (answer_from = 1; answer_from <= steps; ++answer_from) {
        asked = 0;
        CHECK(api->run(model) == FW_CANCELLED, "step %d", (int)answer_from);
        CHECK(asked == answer_from, "asked %d times", (int)asked);
        CHECK(strstr(api->last_error(model), api->step(model, answer_from - 1)->name), "%s",
              api->last_error(model));
    }
    answer_from = INT_MAX;
    OK(api->run(model));
    CHECK(outputs_digest() == wanted, "other numbers");
    asked = 0;
    OK(api->set_cancel(model, NULL, NULL));
    OK(api->run(model));
    CHECK(asked == 0, "somebody was asked");
}

static int loops;

static void backwards(void* data, int32_t count, void (*share)(void*, int32_t), void* argument) {
    CHECK(data == &loops && count <= 7, "%d shares", (int)count);
    ++loops;
    for (int32_t i = count; i-- > 0;)
        share(argument, i);
}

static void threads_of_the_program(void) {
    const int64_t usual = free_extent;
    inputs large;
    free_extent = 2000;
    make_inputs(&large);
    api->close(model);
    model = open_model(1);
    set_inputs(&large);
    OK(api->run(model));
    const uint64_t alone = outputs_digest();
    const int before = threads_alive();
    fw_thread_pool pool = {sizeof pool, 7, backwards, &loops};
    OK(api->set_thread_pool(model, &pool));
    OK(api->run(model));
    CHECK(loops > 0, "the pool was not asked");
    CHECK(outputs_digest() == alone, "other numbers");
    CHECK(threads_alive() == before, "threads were started");
    const int asked_for = loops;
    OK(api->set_thread_pool(model, NULL));
    OK(api->run(model));
    CHECK(loops == asked_for && outputs_digest() == alone, "without a pool");
    static const int32_t wrong[] = {0, -1, 257};
    for (int i = 0; i < 3; ++i) {
        pool.threads = wrong[i];
        CHECK(api->set_thread_pool(model, &pool) == FW_BAD_ARGUMENT, "%d threads", (int)wrong[i]);
    }
    free_extent = usual;
    set_inputs(&in);
}

/* As they lie in the file, so that processes share them. */
static void weights_are_mapped(const char* file) {
    char line[4096];
    int found = 0;
    FILE* maps = fopen("/proc/self/maps", "r");
    CHECK(maps, "no /proc");
    while (fgets(line, sizeof line, maps)) {
        if (!strstr(line, file))
            continue;
        ++found;
        CHECK(strstr(line, " r--"), "%s", line);
    }
    fclose(maps);
    CHECK(found == 1, "%d mappings of %s", found, file);
}

/* What an older program does not know is as if it had not been asked for. */
static void options_of_another_age(void) {
    struct {
        fw_options known;
        int64_t later;
    } options = {{sizeof options, 1, 0, 1}, -1};
    fw_model* other = NULL;
    CHECK(api->open(NULL, &options.known, &other) == FW_OK, "%s", api->last_error(NULL));
    api->close(other);
    options.known.struct_size = offsetof(fw_options, threads);
    options.known.threads = -77;
    CHECK(api->open(NULL, &options.known, &other) == FW_OK, "%s", api->last_error(NULL));
    api->close(other);
    options.known.struct_size = 0;
    CHECK(api->open(NULL, &options.known, &other) == FW_BAD_ARGUMENT && !other, "no size");
}

static void arenas_that_do_not_fit(void) {
    const int64_t usual = free_extent;
    inputs large;
    free_extent = 200000;
    make_inputs(&large);
    set_inputs(&large);
    struct rlimit before;
    CHECK(getrlimit(RLIMIT_AS, &before) == 0, "no limits");
    const struct rlimit little = {(rlim_t)(pages_mapped() * sysconf(_SC_PAGESIZE)) + (1 << 20),
                                  before.rlim_max};
    CHECK(setrlimit(RLIMIT_AS, &little) == 0, "no limit");
    const fw_status status = api->run(model);
    CHECK(setrlimit(RLIMIT_AS, &before) == 0, "no way back");
    CHECK(status == FW_OUT_OF_MEMORY, "status %d: %s", (int)status, api->last_error(model));
    CHECK(strstr(api->last_error(model), "bytes of memory are not available"), "%s",
          api->last_error(model));
    OK(api->run(model));
    free_extent = usual;
    set_inputs(&in);
    OK(api->run(model));
    CHECK(outputs_digest() == wanted, "other numbers");
    OK(api->trim(model));
    free(large.data[0]);
}

static void weights_in_memory(const char* file) {
    FILE* weights = fopen(file, "rb");
    CHECK(weights, "no %s", file);
    fseek(weights, 0, SEEK_END);
    const size_t bytes = (size_t)ftell(weights);
    rewind(weights);
    char* memory = aligned_alloc(64, (bytes + 128) / 64 * 64);
    CHECK(fread(memory, 1, bytes, weights) == bytes, "%s cannot be read", file);
    fclose(weights);
    const fw_options careful = {sizeof careful, 1, 0, 1, 0};
    fw_model* other = NULL;
    CHECK(api->open_memory(memory, bytes - 1, &careful, &other) == FW_BAD_WEIGHTS && !other, "%s",
          api->last_error(NULL));
    CHECK(api->open_memory(memory + 1, bytes, &careful, &other) == FW_BAD_ARGUMENT, "%s",
          api->last_error(NULL));
    CHECK(api->open_memory(NULL, bytes, &careful, &other) == FW_BAD_ARGUMENT, "no memory");
    memory[bytes - 1] ^= 1;
    CHECK(api->open_memory(memory, bytes, &careful, &other) == FW_BAD_WEIGHTS, "damaged ones");
    memory[bytes - 1] ^= 1;
    CHECK(api->open_memory(memory, bytes, &careful, &other) == FW_OK, "%s", api->last_error(NULL));
    api->close(model);
    model = other;
    set_inputs(&in);
    OK(api->run(model));
    CHECK(outputs_digest() == wanted, "other numbers");
    free(in.data[0]);
    api->close(model);
    free(memory);
}

int main(int count, char** words) {
    CHECK(count == 3, "give a module with one input and its weights");
    load(words[1]);
    CHECK(api->struct_size == sizeof *api && api->abi_version == FW_ABI_VERSION, "another header");
    model = open_model(1);
    CHECK(api->input_count(model) == 1 && api->symbol_count(model) == 1, "another kind of model");
    make_inputs(&in);
    set_inputs(&in);
    OK(api->run(model));
    wanted = outputs_digest();
    weights_are_mapped(words[2]);
    options_of_another_age();
    refusals_name_the_index();
    refused_inputs_are_forgotten();
    symbols_can_be_taken_back();
    memory_is_given_back();
    runs_end_when_told();
    arenas_that_do_not_fit();
    threads_of_the_program();
    weights_in_memory(words[2]);
    return 0;
}
