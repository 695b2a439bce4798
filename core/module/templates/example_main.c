/* Runs the exported model @NAME@: with files or a made-up pattern, and compares with expected outputs.
 *
 *     example [INPUT]... [-o FILE]... [--expect FILE]... [--symbol NAME=VALUE]... [--weights FILE] [--threads N]
 *             [--runs N] [--rtol X] [--atol X] [--seed N]
 *
 *     example image.npy -o scores.npy
 *     example tokens=t.npy mask=m.npy -o y.npy --expect wanted.npy
 *
 * Files are .npy, or else raw row-major elements, in the order of the model's inputs and outputs; an input may also be
 * written as NAME=FILE. A .npy input brings its shape, from which free dimensions take their value; for raw and
 * made-up inputs they take it from --symbol, else 1 (or their minimum). Outputs are written as .npy if FILE is named
 * so, else raw. Exit code: 0 all well, 1 outputs differ, 2 anything else.
 */
#define _POSIX_C_SOURCE 200112L /* clock_gettime and posix_memalign beside C99 */
#include "@NAME@.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64, MOST_RANK = 16 };

typedef struct {
    const char* inputs[MOST]; /* files, or NAME=FILE */
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
    fprintf(stderr,
            "%s: not understood\n"
            "usage: example [INPUT]... [-o FILE]... [--expect FILE]... [--symbol NAME=VALUE]... [--weights FILE]\n"
            "               [--threads N] [--runs N] [--rtol X] [--atol X] [--seed N]\n"
            "files are .npy or raw elements; the top of example_main.c says more\n",
            word);
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
    for (int i = 1; i < count; ++i) {
        const char* option = words[i];
        int error = 0;
        if (option[0] != '-') {
            if (append(a->inputs, &a->input_count, option))
                return 2;
            continue;
        }
        const char* value = i + 1 < count ? words[++i] : NULL;
        if (!value)
            return usage(option);
        if (!strcmp(option, "--input"))
            error = append(a->inputs, &a->input_count, value);
        else if (!strcmp(option, "--expect"))
            error = append(a->expected, &a->expected_count, value);
        else if (!strcmp(option, "--output") || !strcmp(option, "-o"))
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

/* What the head of a .npy file says. */
typedef struct {
    int found; /* 0: the file is not .npy */
    long start; /* of the elements */
    fw_dtype dtype;
    int rank;
    int64_t shape[MOST_RANK];
} npy_head;

static int bad_file(const char* path, const char* what) {
    fprintf(stderr, "%s: %s\n", path, what);
    return 2;
}

/* The code of a NumPy kind: 'f' float, 'i', 'u', 'b' boolean. */
static int code_of(char kind) {
    return kind == 'f' ? FW_FLOAT : kind == 'i' ? FW_INT : kind == 'u' ? FW_UINT : kind == 'b' ? FW_BOOL : -1;
}

static int read_head(const char* path, npy_head* head) {
    unsigned char start[12] = {0};
    char text[1024] = {0};
    FILE* file = fopen(path, "rb");
    memset(head, 0, sizeof *head);
    if (!file)
        return bad_file(path, "cannot be read");
    const size_t got = fread(start, 1, 10, file);
    if (got < 10 || memcmp(start, "\x93NUMPY", 6) != 0) {
        fclose(file);
        return 0;
    }
    unsigned long length = start[8] + 256UL * start[9];
    head->found = 1;
    head->start = 10 + (long)length;
    if (start[6] > 1) { /* versions 2 and 3 have four bytes of length */
        if (fread(start + 10, 1, 2, file) == 2)
            length += 65536UL * start[10] + 16777216UL * start[11];
        head->start = 12 + (long)length;
    }
    const int whole = length < sizeof text && fread(text, 1, length, file) == length;
    fclose(file);
    const char* type = strstr(text, "'descr': '");
    const char* shape = strstr(text, "'shape': (");
    if (!whole || !type || !shape)
        return bad_file(path, "its .npy header was not understood");
    if (!strstr(text, "'fortran_order': False"))
        return bad_file(path, "its elements are in Fortran order; save numpy.ascontiguousarray(a)");
    type += 10;
    const int bytes = atoi(type + 2);
    if ((type[0] != '<' && type[0] != '|') || code_of(type[1]) < 0 || bytes < 1 || bytes > 8)
        return bad_file(path, "only little-endian numbers and booleans are read");
    head->dtype.code = (uint8_t)code_of(type[1]);
    head->dtype.bits = (uint8_t)(8 * bytes);
    head->dtype.lanes = 1;
    for (const char* at = shape + 10; *at && *at != ')';) {
        char* end = NULL;
        const long long extent = strtoll(at, &end, 10);
        if (end == at || extent < 0 || head->rank == MOST_RANK)
            return bad_file(path, "its shape was not understood");
        head->shape[head->rank++] = extent;
        for (at = end; *at == ',' || *at == ' ';)
            ++at;
    }
    return 0;
}

/* Elements of another kind, or another count of them, must never be taken for the model's. */
static int fits(const char* path, const npy_head* head, fw_dtype type, const int64_t* shape, int rank) {
    if (head->dtype.code != type.code || head->dtype.bits != type.bits)
        return bad_file(path, "its element type is not the model's");
    if (head->rank != rank)
        return bad_file(path, "its rank is not the model's");
    for (int d = 0; shape && d < rank; ++d)
        if (head->shape[d] != shape[d])
            return bad_file(path, "its shape is not the model's");
    return 0;
}

/* Reads exactly `bytes` bytes of elements from `start` to the end of the file. */
static int read_elements(const char* path, long start, void* data, size_t bytes) {
    FILE* file = fopen(path, "rb");
    if (!file)
        return bad_file(path, "cannot be read");
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
    return count == bytes ? 0 : bad_file(path, "cannot be read");
}

/* As .npy if the file is named so, else the raw elements. */
static int write_file(const char* path, const fw_tensor* tensor, size_t bytes) {
    const size_t name = strlen(path);
    const int npy = name > 4 && !strcmp(path + name - 4, ".npy");
    FILE* file = fopen(path, "wb");
    int written = file != NULL;
    if (npy && written) {
        char text[512];
        const char kind = tensor->dtype.code == FW_FLOAT  ? 'f'
                          : tensor->dtype.code == FW_INT  ? 'i'
                          : tensor->dtype.code == FW_UINT ? 'u'
                                                          : 'b';
        int length = snprintf(text, sizeof text, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (",
                              tensor->dtype.bits == 8 ? '|' : '<', kind, tensor->dtype.bits / 8);
        for (int d = 0; d < tensor->ndim; ++d)
            length += snprintf(text + length, sizeof text - (size_t)length, "%lld%s", (long long)tensor->shape[d],
                               d + 1 < tensor->ndim ? ", " : tensor->ndim == 1 ? "," : "");
        length += snprintf(text + length, sizeof text - (size_t)length, "), }");
        const int whole = (10 + length + 1 + 63) / 64 * 64; /* elements start at a multiple of 64 */
        const unsigned char head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)((whole - 10) & 255),
                                        (unsigned char)((whole - 10) >> 8)};
        written = tensor->ndim <= MOST_RANK && fwrite(head, 1, 10, file) == 10 &&
                  fprintf(file, "%-*s\n", whole - 11, text) == whole - 10;
    }
    written = written && (bytes == 0 || fwrite(tensor->data, 1, bytes, file) == bytes);
    if (file && fclose(file) != 0)
        written = 0;
    return written ? 0 : bad_file(path, "cannot be written");
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

/* The file of NAME=FILE; null if `word` does not name the input. */
static const char* file_for(const fw_model* model, const char* word, int index) {
    const char* name = fw_input(model, index)->name;
    const size_t length = strlen(name);
    return !strncmp(word, name, length) && word[length] == '=' ? word + length + 1 : NULL;
}

/* The file given for an input: by its name, else by its place; null if there is none. */
static const char* file_of(const fw_model* model, const arguments* a, int index) {
    for (int i = 0; i < a->input_count; ++i)
        if (file_for(model, a->inputs[i], index))
            return file_for(model, a->inputs[i], index);
    if (index >= a->input_count)
        return NULL;
    for (int k = 0; k < fw_input_count(model); ++k)
        if (file_for(model, a->inputs[index], k))
            return NULL;
    return a->inputs[index];
}

/* Free dimensions: those of --symbol; with inputs that bring no shape also the others, as 1 within their bounds. */
static int set_symbols(fw_model* model, const arguments* a) {
    int shapeless = fw_input_count(model) == 0, used = 0;
    for (int i = 0; i < fw_input_count(model); ++i) {
        npy_head head;
        const char* path = file_of(model, a, i);
        if (path && read_head(path, &head))
            return 2;
        shapeless = shapeless || !path || !head.found;
        used += path != NULL;
    }
    if (used != a->input_count)
        return usage("an input file that stands for no input, or for one that has another");
    for (int i = 0; i < fw_symbol_count(model); ++i) {
        const fw_symbol_info* symbol = fw_symbol(model, i);
        const size_t length = strlen(symbol->name);
        int64_t value = symbol->minimum > 1 ? symbol->minimum : symbol->maximum < 1 ? symbol->maximum : 1;
        int given = 0;
        for (int k = 0; k < a->symbol_count; ++k)
            if (!strncmp(a->symbols[k], symbol->name, length) && a->symbols[k][length] == '=') {
                value = strtoll(a->symbols[k] + length + 1, NULL, 10);
                given = 1;
            }
        if ((given || shapeless) && fw_set_symbol(model, symbol->name, value) != FW_OK)
            return failed(model, symbol->name);
    }
    return 0;
}

static int set_input(fw_model* model, const arguments* a, int index) {
    const fw_tensor_info* info = fw_input(model, index);
    const char* path = file_of(model, a, index);
    int64_t* shape = malloc(sizeof(int64_t) * (size_t)(info->rank + 1));
    npy_head head = {0};
    fw_tensor tensor;
    int64_t count = 1;
    memset(&tensor, 0, sizeof tensor);
    if (!shape || (path && read_head(path, &head)))
        return 2;
    if (head.found) {
        if (fits(path, &head, info->dtype, NULL, info->rank))
            return 2;
        memcpy(shape, head.shape, sizeof(int64_t) * (size_t)info->rank);
    } else if (fw_input_shape(model, index, shape) != FW_OK)
        return failed(model, info->name);
    for (int d = 0; d < info->rank; ++d)
        count *= shape[d];
    const size_t bytes = (size_t)count * (info->dtype.bits / 8);
    if (posix_memalign(&tensor.data, 64, bytes + 1)) /* aligned: used in place */
        return 2;
    tensor.device.device_type = 1;
    tensor.ndim = info->rank;
    tensor.dtype = info->dtype;
    tensor.shape = shape;
    if (path) {
        if (read_elements(path, head.start, tensor.data, bytes))
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
    npy_head head;
    if (!wanted || read_head(path, &head) ||
        (head.found && fits(path, &head, tensor->dtype, tensor->shape, tensor->ndim)) ||
        read_elements(path, head.start, wanted, bytes)) {
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
    if (index < a->output_count && write_file(a->outputs[index], &tensor, bytes))
        return 2;
    return index < a->expected_count ? compare(&tensor, a->expected[index], a) : 0;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
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
    options.clamp_indices = a.input_count == 0; /* made-up ones are 0 or 1 in axes of any length */
    if (fw_open(a.weights, &options, &model) != FW_OK)
        return failed(NULL, "open");
    if (a.input_count > fw_input_count(model) || a.expected_count > fw_output_count(model) ||
        a.output_count > fw_output_count(model))
        return usage("more files than the model has inputs or outputs");
    if (set_symbols(model, &a))
        return 2;
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
