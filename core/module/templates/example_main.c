/* Runs the exported model @NAME@: with its own data or a made-up pattern, and compares with expected outputs.
 *
 *     example [--input FILE]... [--expect FILE]... [--symbol NAME=VALUE]... [--output FILE]...
 *             [--weights FILE] [--threads N] [--runs N] [--rtol X] [--atol X] [--seed N]
 *
 * FILEs are raw row-major elements or .npy, in the order of the model's inputs and outputs. Free dimensions take their
 * value from --symbol, else 1 (or their minimum). Exit code: 0 all well, 1 outputs differ, 2 anything else.
 */
#include "@NAME@.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64 };

typedef struct {
    const char* inputs[MOST];
    const char* expected[MOST];
    const char* outputs[MOST];
    const char* symbols[MOST];
    int input_count, expected_count, output_count, symbol_count;
    const char* weights;
    int threads, runs;
    unsigned long long seed;
    double rtol, atol;
} arguments;

static int usage(const char* word) {
    fprintf(stderr, "%s: not understood; see the top of example_main.c\n", word);
    return 2;
}

static int append(const char** list, int* count, const char* word) {
    if (*count == MOST)
        return usage(word);
    list[(*count)++] = word;
    return 0;
}

static int parse(int count, char** words, arguments* a) {
    memset(a, 0, sizeof *a);
    a->runs = 1;
    a->seed = 1;
    a->rtol = 1e-3;
    a->atol = 1e-5;
    for (int i = 1; i < count; i += 2) {
        const char* option = words[i];
        const char* value = i + 1 < count ? words[i + 1] : NULL;
        if (!value)
            return usage(option);
        int error = 0;
        if (!strcmp(option, "--input"))
            error = append(a->inputs, &a->input_count, value);
        else if (!strcmp(option, "--expect"))
            error = append(a->expected, &a->expected_count, value);
        else if (!strcmp(option, "--output"))
            error = append(a->outputs, &a->output_count, value);
        else if (!strcmp(option, "--symbol"))
            error = append(a->symbols, &a->symbol_count, value);
        else if (!strcmp(option, "--weights"))
            a->weights = value;
        else if (!strcmp(option, "--threads"))
            a->threads = atoi(value);
        else if (!strcmp(option, "--runs"))
            a->runs = atoi(value) > 0 ? atoi(value) : 1;
        else if (!strcmp(option, "--seed"))
            a->seed = strtoull(value, NULL, 10);
        else if (!strcmp(option, "--rtol"))
            a->rtol = atof(value);
        else if (!strcmp(option, "--atol"))
            a->atol = atof(value);
        else
            return usage(option);
        if (error)
            return error;
    }
    return 0;
}

static int failed(const fw_model* model, const char* what) {
    fprintf(stderr, "%s: %s\n", what, fw_last_error(model));
    return 2;
}

/* Reads a whole file of exactly `bytes` bytes of elements; skips the header of a .npy file. */
static int read_file(const char* path, void* data, size_t bytes) {
    FILE* file = fopen(path, "rb");
    unsigned char head[10];
    long start = 0;
    if (!file) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return 2;
    }
    if (fread(head, 1, 10, file) == 10 && !memcmp(head, "\x93NUMPY", 6)) {
        if (head[6] == 1) {
            start = 10 + head[8] + 256L * head[9];
        } else { /* versions 2 and 3 have four bytes of length */
            unsigned char more[2] = {0, 0};
            if (fread(more, 1, 2, file) == 2)
                start = 12 + head[8] + 256L * head[9] + 65536L * more[0] + 16777216L * more[1];
        }
    }
    fseek(file, 0, SEEK_END);
    const long size = ftell(file) - start;
    if (size < 0 || (size_t)size != bytes) {
        fprintf(stderr, "%s: holds %ld bytes of elements, the model wants %lu\n", path, size, (unsigned long)bytes);
        fclose(file);
        return 2;
    }
    fseek(file, start, SEEK_SET);
    const size_t count = bytes ? fread(data, 1, bytes, file) : 0;
    fclose(file);
    return count == bytes ? 0 : 2;
}

/* The same numbers on every machine: floats in [-1, 1) on a grid of 1/1024, integers and booleans 0 or 1. */
static void make_up(void* data, int64_t count, fw_dtype type, unsigned long long seed) {
    for (int64_t i = 0; i < count; ++i) {
        unsigned long long x = seed * 0x9e3779b97f4a7c15ULL + (unsigned long long)i;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
        x ^= x >> 31;
        const double value = (double)(x >> 53) / 1024.0 - 1.0;
        if (type.code == FW_FLOAT && type.bits == 32)
            ((float*)data)[i] = (float)value;
        else if (type.code == FW_FLOAT && type.bits == 64)
            ((double*)data)[i] = value;
        else if (type.code == FW_INT || type.code == FW_UINT || type.code == FW_BOOL) {
            memset((char*)data + i * (type.bits / 8), 0, type.bits / 8);
            ((char*)data)[i * (type.bits / 8)] = (char)(x & 1);
        } else
            memset((char*)data + i * (type.bits / 8), 0, type.bits / 8);
    }
}

static double element(const void* data, int64_t i, fw_dtype type) {
    if (type.code == FW_FLOAT && type.bits == 32)
        return ((const float*)data)[i];
    if (type.code == FW_FLOAT && type.bits == 64)
        return ((const double*)data)[i];
    if (type.code == FW_INT && type.bits == 64)
        return (double)((const int64_t*)data)[i];
    if (type.code == FW_INT && type.bits == 32)
        return ((const int32_t*)data)[i];
    if (type.code == FW_INT && type.bits == 8)
        return ((const int8_t*)data)[i];
    return type.bits == 8 ? ((const uint8_t*)data)[i] : 0;
}

/* The value for a free dimension from --symbol, else 1 within its bounds. */
static int64_t symbol_value(const arguments* a, const fw_symbol_info* symbol) {
    const size_t length = strlen(symbol->name);
    for (int i = 0; i < a->symbol_count; ++i)
        if (!strncmp(a->symbols[i], symbol->name, length) && a->symbols[i][length] == '=')
            return strtoll(a->symbols[i] + length + 1, NULL, 10);
    return symbol->minimum > 1 ? symbol->minimum : symbol->maximum < 1 ? symbol->maximum : 1;
}

static int set_input(fw_model* model, const arguments* a, int index) {
    const fw_tensor_info* info = fw_input(model, index);
    int64_t* shape = malloc(sizeof(int64_t) * (size_t)(info->rank + 1));
    fw_tensor tensor;
    int64_t count = 1;
    memset(&tensor, 0, sizeof tensor);
    if (!shape || fw_input_shape(model, index, shape) != FW_OK)
        return failed(model, info->name);
    for (int d = 0; d < info->rank; ++d)
        count *= shape[d];
    const size_t bytes = (size_t)count * (info->dtype.bits / 8);
    tensor.data = aligned_alloc(64, (bytes / 64 + 1) * 64); /* aligned: used in place */
    tensor.device.device_type = 1;
    tensor.ndim = info->rank;
    tensor.dtype = info->dtype;
    tensor.shape = shape;
    if (!tensor.data)
        return 2;
    if (index < a->input_count) {
        if (read_file(a->inputs[index], tensor.data, bytes))
            return 2;
    } else
        make_up(tensor.data, count, info->dtype, a->seed + (unsigned)index);
    return fw_set_input(model, index, &tensor) == FW_OK ? 0 : failed(model, info->name);
}

static int64_t elements(const fw_tensor* tensor) {
    int64_t count = 1;
    for (int d = 0; d < tensor->ndim; ++d)
        count *= tensor->shape[d];
    return count;
}

/* 0 equal within the tolerances, 1 different, 2 cannot be compared. */
static int compare(const fw_tensor* tensor, const char* path, const arguments* a) {
    const int64_t count = elements(tensor);
    const size_t bytes = (size_t)count * (tensor->dtype.bits / 8);
    void* wanted = malloc(bytes + 1);
    double worst = 0;
    int64_t wrong = 0;
    if (!wanted || read_file(path, wanted, bytes)) {
        free(wanted);
        return 2;
    }
    for (int64_t i = 0; i < count; ++i) {
        const double x = element(tensor->data, i, tensor->dtype);
        const double y = element(wanted, i, tensor->dtype);
        const double difference = x > y ? x - y : y - x;
        const double allowed = a->atol + a->rtol * (y < 0 ? -y : y);
        const int both_nan = x != x && y != y;
        if (!(difference <= allowed) && x != y && !both_nan)
            ++wrong;
        if (difference > worst)
            worst = difference;
    }
    free(wanted);
    printf("  %s %s: largest difference %g, %lld of %lld elements out of tolerance\n", wrong ? "DIFFERS from" : "equals",
           path, worst, (long long)wrong, (long long)count);
    return wrong ? 1 : 0;
}

static int show_output(fw_model* model, const arguments* a, int index) {
    fw_tensor tensor;
    if (fw_output_view(model, index, &tensor) != FW_OK)
        return failed(model, "output");
    const int64_t count = elements(&tensor);
    const size_t bytes = (size_t)count * (tensor.dtype.bits / 8);
    uint64_t hash = 0xcbf29ce484222325ULL; /* FNV-1a of the bytes */
    double sum = 0;
    for (size_t i = 0; i < bytes; ++i)
        hash = (hash ^ ((const unsigned char*)tensor.data)[i]) * 0x100000001b3ULL;
    for (int64_t i = 0; i < count; ++i)
        sum += element(tensor.data, i, tensor.dtype);
    printf("output %d %s [", index, fw_output(model, index)->name);
    for (int d = 0; d < tensor.ndim; ++d)
        printf(d ? ", %lld" : "%lld", (long long)tensor.shape[d]);
    printf("] sum %.9g checksum %016llx\n", sum, (unsigned long long)hash);
    if (index < a->output_count) {
        FILE* file = fopen(a->outputs[index], "wb");
        const int written = file && (bytes == 0 || fwrite(tensor.data, 1, bytes, file) == bytes);
        if (!file || fclose(file) != 0 || !written) {
            fprintf(stderr, "%s: cannot be written\n", a->outputs[index]);
            return 2;
        }
    }
    return index < a->expected_count ? compare(&tensor, a->expected[index], a) : 0;
}

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char** words) {
    arguments a;
    fw_options options;
    fw_model* model = NULL;
    int result = parse(count, words, &a);
    if (result)
        return result;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.threads = a.threads;
    if (fw_open(a.weights, &options, &model) != FW_OK)
        return failed(NULL, "open");
    if (a.input_count > fw_input_count(model) || a.expected_count > fw_output_count(model) ||
        a.output_count > fw_output_count(model))
        return usage("more files than the model has inputs or outputs");
    for (int i = 0; i < fw_symbol_count(model); ++i) {
        const fw_symbol_info* symbol = fw_symbol(model, i);
        if (fw_set_symbol(model, symbol->name, symbol_value(&a, symbol)) != FW_OK)
            return failed(model, symbol->name);
    }
    for (int i = 0; i < fw_input_count(model); ++i)
        if (set_input(model, &a, i))
            return 2;
    double best = 0;
    for (int run = 0; run < a.runs; ++run) {
        const double start = seconds();
        if (fw_run(model) != FW_OK)
            return failed(model, "run");
        const double time = seconds() - start;
        if (run == 0 || time < best)
            best = time;
    }
    printf("@NAME@: %d steps, arena %lld bytes, best of %d runs %.3f ms\n", fw_step_count(model),
           (long long)fw_arena_bytes(model), a.runs, 1e3 * best);
    for (int i = 0; i < fw_output_count(model); ++i) {
        const int shown = show_output(model, &a, i);
        if (shown > result)
            result = shown;
    }
    fw_close(model); /* the input buffers live until here */
    return result;
}
