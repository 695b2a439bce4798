/* What the programs of this folder share: each loads an exported module as a stranger's program
 * does and holds a sentence of modules.md to it. Exit code 0: it held; 1: what did not is printed.
 */
#pragma once

#include "runtime/fusewright.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, MOST_RANK = 8 };

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fprintf(stderr, "\n");                                                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define OK(call)                                                                                   \
    do {                                                                                           \
        const fw_status status_of_this = (call);                                                   \
        CHECK(status_of_this == FW_OK, "status %d: %s", (int)status_of_this,                       \
              api->last_error(model) ? api->last_error(model) : "");                               \
    } while (0)

static const fw_api* api;
static fw_model* model;
static int64_t free_extent = 20; /* of every dimension that is free: OpenBLAS takes more than 16 */

static void load(const char* library) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle, "%s", dlerror());
    const fw_api* (*table)(void) = NULL;
    *(void**)&table = dlsym(handle, "fw_module_api");
    CHECK(table, "%s has no fw_module_api", library);
    api = table();
}

static fw_model* open_model(int threads) {
    fw_options options = {sizeof options, 0, 0, 0, 0};
    options.threads = threads;
    fw_model* opened = NULL;
    const fw_status status = api->open(NULL, &options, &opened);
    CHECK(status == FW_OK, "status %d: %s", (int)status, api->last_error(NULL));
    return opened;
}

static size_t element_bytes(fw_dtype type) {
    return type.bits / 8u;
}

/* Row-major, with the extents of `dims`. */
static fw_tensor tensor_of(void* data, const fw_tensor_info* info, int64_t* dims) {
    fw_tensor tensor;
    memset(&tensor, 0, sizeof tensor);
    tensor.data = data;
    tensor.device.device_type = 1;
    tensor.ndim = info->rank;
    tensor.dtype = info->dtype;
    tensor.shape = dims;
    return tensor;
}

typedef struct {
    void* data[MOST];
    size_t bytes[MOST];
    int64_t dims[MOST][MOST_RANK];
} inputs;

/* Memory with numbers that every rounding mode makes alike: small integers, and sixteenths. */
static void make_inputs(inputs* in) {
    memset(in, 0, sizeof *in);
    for (int i = 0; i < api->input_count(model); ++i) {
        const fw_tensor_info* info = api->input(model, i);
        size_t count = 1;
        for (int d = 0; d < info->rank; ++d) {
            in->dims[i][d] = info->dims[d] < 0 ? free_extent : info->dims[d];
            count *= (size_t)in->dims[i][d];
        }
        in->bytes[i] = count * element_bytes(info->dtype);
        in->data[i] = aligned_alloc(64, (in->bytes[i] + 64) / 64 * 64);
        CHECK(in->data[i], "no memory");
        unsigned state = 7u + (unsigned)i;
        for (size_t k = 0; k < count; ++k) {
            state = state * 1664525u + 1013904223u;
            const int drawn = (int)(state >> 16) % 33 - 16;
            if (info->dtype.code == FW_FLOAT && info->dtype.bits == 32)
                ((float*)in->data[i])[k] = (float)drawn / 16;
            else if (info->dtype.code == FW_INT && info->dtype.bits == 64)
                ((int64_t*)in->data[i])[k] = drawn & 1;
            else if (info->dtype.code == FW_INT && info->dtype.bits == 32)
                ((int32_t*)in->data[i])[k] = drawn & 1;
            else
                CHECK(0, "input %s has a type that is not made up here", info->name);
        }
    }
}

static void set_inputs(inputs* in) {
    for (int i = 0; i < api->input_count(model); ++i) {
        fw_tensor tensor = tensor_of(in->data[i], api->input(model, i), in->dims[i]);
        OK(api->set_input(model, i, &tensor));
    }
}

static uint64_t digest(const void* data, size_t bytes) {
    uint64_t hash = 14695981039346656037ull;
    for (size_t i = 0; i < bytes; ++i)
        hash = (hash ^ ((const unsigned char*)data)[i]) * 1099511628211ull;
    return hash;
}

static size_t output_bytes(int index, int64_t* dims) {
    OK(api->output_shape(model, index, dims));
    size_t bytes = element_bytes(api->output(model, index)->dtype);
    for (int d = 0; d < api->output(model, index)->rank; ++d)
        bytes *= (size_t)dims[d];
    return bytes;
}

static uint64_t output_digest(int index) {
    int64_t dims[MOST_RANK];
    fw_tensor view;
    OK(api->output_view(model, index, &view));
    return digest(view.data, output_bytes(index, dims));
}

static uint64_t outputs_digest(void) {
    uint64_t hash = 0;
    for (int i = 0; i < api->output_count(model); ++i)
        hash = hash * 31 + output_digest(i);
    return hash;
}

static int threads_alive(void) {
    int count = 0;
    DIR* tasks = opendir("/proc/self/task");
    CHECK(tasks, "no /proc");
    for (const struct dirent* entry = readdir(tasks); entry; entry = readdir(tasks))
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}
