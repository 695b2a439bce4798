/* Fusewright modules: the C interface of a compiled model.
 *
 * This file is copied unchanged beside every exported module; it needs C99 and <stdint.h> only.
 * Open a model, give it its inputs, run it, read its outputs. No function prints, none ends the
 * process, but that a small allocation fails. Functions return an fw_status; fw_last_error says in
 * a sentence what went wrong. One fw_model serves one caller at a time: a call beside another is
 * refused (FW_BAD_ARGUMENT). Open it several times for concurrent runs, which share its weights.
 * Threads are started by the first loop that wants them and kept until the last model is closed;
 * those of oneDNN and OpenBLAS belong to the thread that runs the model: keep running it there.
 */
#ifndef FUSEWRIGHT_H
#define FUSEWRIGHT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FW_ABI_VERSION 1

#if defined(FW_BUILDING_MODULE)
#define FW_API __attribute__((visibility("default")))
#else
#define FW_API
#endif

typedef enum fw_status {
    FW_OK = 0,
    FW_BAD_ARGUMENT = 1,      /* null, out of range, unknown name, outputs on each other, busy */
    FW_BAD_SHAPE = 2,         /* rank, extents or strides do not fit the model */
    FW_BAD_DTYPE = 3,         /* element type does not fit the model */
    FW_INPUT_MISSING = 4,     /* fw_run before every input was set */
    FW_SYMBOL_UNBOUND = 5,    /* a free dimension has no value */
    FW_ASSUMPTION_FAILED = 6, /* the shapes contradict what the model was compiled for */
    FW_OVERFLOW = 7,          /* a size does not fit 64 bits */
    FW_OUT_OF_MEMORY = 8,
    FW_BAD_FILE = 9,         /* a file cannot be read or is not what it should be */
    FW_BAD_WEIGHTS = 10,     /* the weights belong to another model or are damaged */
    FW_BAD_PROGRAM = 11,     /* the compiled program is damaged or of another version */
    FW_CPU_UNSUPPORTED = 12, /* this CPU lacks instructions that the kernels use */
    FW_LIBRARY_MISSING = 13, /* a library that steps call is not there or of the wrong kind */
    FW_LIBRARY_FAILED = 14,  /* such a library refused a call */
    FW_CANCELLED = 15,       /* what fw_set_cancel names said so */
    FW_BAD_INDEX = 16        /* an index lies outside of the axis that it counts */
} fw_status;

/* Type codes and structures have the values and layout of DLPack: a DLTensor* may be passed as
 * fw_tensor*. */
enum { FW_INT = 0, FW_UINT = 1, FW_FLOAT = 2, FW_BFLOAT = 4, FW_BOOL = 6 };

typedef struct fw_dtype {
    uint8_t code; /* FW_INT .. FW_BOOL */
    uint8_t bits;
    uint16_t lanes; /* always 1 */
} fw_dtype;

typedef struct fw_device {
    int32_t device_type; /* 1: CPU */
    int32_t device_id;
} fw_device;

typedef struct fw_tensor {
    void* data;
    fw_device device;
    int32_t ndim;
    fw_dtype dtype;
    int64_t* shape;   /* ndim extents; may be null when ndim is 0 */
    int64_t* strides; /* in elements; null: row-major without gaps */
    uint64_t byte_offset;
} fw_tensor;

typedef struct fw_tensor_info {
    const char* name;
    fw_dtype dtype;
    int32_t rank;
    const int64_t* dims; /* rank extents; -1 where the extent depends on a free dimension */
} fw_tensor_info;

typedef struct fw_symbol_info {
    const char* name; /* of a free dimension, "batch" */
    int64_t minimum;
    int64_t maximum;
} fw_symbol_info;

typedef struct fw_step_info {
    const char* name;
    int32_t node_count;
    const char* const* nodes; /* names of the model's nodes that this step computes */
} fw_step_info;

typedef struct fw_step_time {
    int64_t start_ns; /* since the start of the run */
    int64_t end_ns;
    int64_t flops; /* estimated for the current shapes; -1 if unknown */
    int64_t bytes; /* read and written, estimated; -1 if unknown */
} fw_step_time;

typedef struct fw_options {
    uint32_t struct_size;    /* sizeof(fw_options) */
    int32_t threads;         /* 0: one per CPU that this process may use; 256 at most */
    int32_t flush_denormals; /* 0: denormal numbers are kept */
    int32_t verify_weights;  /* not 0: hash the whole weights file when opening */
    int32_t clamp_indices;   /* 0: an index outside of its axis ends the run with FW_BAD_INDEX;
                                not 0: it stands for the nearest element */
} fw_options;

typedef struct fw_model fw_model;

/* `weights` null: the file that was exported with the module, looked for beside the shared library.
 * `options` null: defaults. On failure *model is null and fw_last_error(0) tells the calling thread
 * why. */
FW_API fw_status fw_open(const char* weights, const fw_options* options, fw_model** model);
FW_API void fw_close(fw_model* model); /* beside a call: when that returns (FW_CANCELLED) */

/* The same with the contents of the weights file in memory: `bytes` bytes at a multiple of 64,
 * which the caller keeps as they are until fw_close. */
FW_API fw_status fw_open_memory(const void* weights, uint64_t bytes, const fw_options* options,
                                fw_model** model);

/* Infos live as long as the model; null when the index is out of range. */
FW_API int32_t fw_input_count(const fw_model* model);
FW_API int32_t fw_output_count(const fw_model* model);
FW_API int32_t fw_symbol_count(const fw_model* model);
FW_API int32_t fw_step_count(const fw_model* model);
FW_API const fw_tensor_info* fw_input(const fw_model* model, int32_t index);
FW_API const fw_tensor_info* fw_output(const fw_model* model, int32_t index);
FW_API const fw_symbol_info* fw_symbol(const fw_model* model, int32_t index);
FW_API const fw_step_info* fw_step(const fw_model* model, int32_t index);

/* Free dimensions take their values from the input shapes. Only one that is no extent of any input
 * by itself has to be set by name. A value set by name must agree with the inputs. */
FW_API fw_status fw_set_symbol(fw_model* model, const char* name, int64_t value);

/* Takes back what was set by name. */
FW_API fw_status fw_unset_symbol(fw_model* model, const char* name);

/* The extents of an input for the free dimensions that were set by name; `dims` has room for the
 * input's rank. */
FW_API fw_status fw_input_shape(fw_model* model, int32_t index, int64_t* dims);

/* The memory is borrowed and read by each fw_run until another tensor is set. Contiguous and
 * 64-byte aligned memory is used in place, anything else is copied at each run. `shape` and
 * `strides` are copied here. A tensor that is refused takes the place of the one before: the input
 * has none then. */
FW_API fw_status fw_set_input(fw_model* model, int32_t index, const fw_tensor* tensor);

/* Lets fw_run write output `index` into the caller's memory (directly if contiguous, 64-byte
 * aligned and apart from the inputs, else at the end of the run). Null, and a tensor that is
 * refused: back to the model's own memory. fw_run refuses outputs of which an element lies on an
 * element of another one. */
FW_API fw_status fw_bind_output(fw_model* model, int32_t index, const fw_tensor* tensor);

/* The extents of an output for the inputs that are set; `dims` has room for the output's rank. An
 * output whose extents the model computes has them behind fw_run only (FW_SYMBOL_UNBOUND before).
 */
FW_API fw_status fw_output_shape(fw_model* model, int32_t index, int64_t* dims);

/* Describes where the output of the last run lies. Valid until the next call that changes the
 * model. */
FW_API fw_status fw_output_view(fw_model* model, int32_t index, fw_tensor* view);

FW_API fw_status fw_run(fw_model* model);

/* `cancelled` is asked on the thread that runs the model before each step, with `data`; another
 * answer than 0 ends the run with FW_CANCELLED. The next run begins anew. Null: nobody is asked. */
FW_API fw_status fw_set_cancel(fw_model* model, int32_t (*cancelled)(void* data), void* data);

/* Threads of the program for the loops of a model, in place of those that it would start. run()
 * calls share(argument, i) once for every i from 0 to count - 1, on any threads and in any order,
 * and returns when all have returned; count is `threads` at most. Steps that call a library compute
 * on the thread that runs the model. `pool` is copied; what it points to is used by each fw_run.
 * Null: back to fw_options.threads. */
typedef struct fw_thread_pool {
    uint32_t struct_size; /* sizeof(fw_thread_pool) */
    int32_t threads;      /* 1 to 256 */
    void (*run)(void* data, int32_t count, void (*share)(void* argument, int32_t index),
                void* argument);
    void* data;
} fw_thread_pool;
FW_API fw_status fw_set_thread_pool(fw_model* model, const fw_thread_pool* pool);

/* Runs and fills up to *count times, one per step; *count becomes the number of steps. Of steps of
 * which one or another runs, by the sizes, those that did not have start and end 0. */
FW_API fw_status fw_run_profiled(fw_model* model, fw_step_time* times, int32_t* count);

/* Bytes of working memory for the current shapes; 0 before the inputs are set. */
FW_API int64_t fw_arena_bytes(const fw_model* model);

/* Gives the working memory back to the system, which otherwise stays as large as the largest shapes
 * wanted it. The next run takes what its shapes need; what fw_output_view told is gone. */
FW_API fw_status fw_trim(fw_model* model);

/* The sentence for the last failed call on this model; null: for the last failed fw_open of this
 * thread. */
FW_API const char* fw_last_error(const fw_model* model);

/* What this module is: target, graph hash, symbols, groups with their nodes and decisions. JSON,
 * UTF-8. */
FW_API const char* fw_metadata_json(void);

/* All of the above as a table. A program that links several modules calls each through its own
 * table, because the names fw_open, fw_run ... exist once per program only: fw_NAME_api(), declared
 * in NAME.h. */
typedef struct fw_api {
    uint32_t abi_version; /* FW_ABI_VERSION */
    uint32_t struct_size; /* sizeof(fw_api): later versions append */
    fw_status (*open)(const char* weights, const fw_options* options, fw_model** model);
    void (*close)(fw_model* model);
    int32_t (*input_count)(const fw_model* model);
    int32_t (*output_count)(const fw_model* model);
    int32_t (*symbol_count)(const fw_model* model);
    int32_t (*step_count)(const fw_model* model);
    const fw_tensor_info* (*input)(const fw_model* model, int32_t index);
    const fw_tensor_info* (*output)(const fw_model* model, int32_t index);
    const fw_symbol_info* (*symbol)(const fw_model* model, int32_t index);
    const fw_step_info* (*step)(const fw_model* model, int32_t index);
    fw_status (*set_symbol)(fw_model* model, const char* name, int64_t value);
    fw_status (*input_shape)(fw_model* model, int32_t index, int64_t* dims);
    fw_status (*set_input)(fw_model* model, int32_t index, const fw_tensor* tensor);
    fw_status (*bind_output)(fw_model* model, int32_t index, const fw_tensor* tensor);
    fw_status (*output_shape)(fw_model* model, int32_t index, int64_t* dims);
    fw_status (*output_view)(fw_model* model, int32_t index, fw_tensor* view);
    fw_status (*run)(fw_model* model);
    fw_status (*run_profiled)(fw_model* model, fw_step_time* times, int32_t* count);
    int64_t (*arena_bytes)(const fw_model* model);
    const char* (*last_error)(const fw_model* model);
    const char* (*metadata_json)(void);
    /* A module whose struct_size does not reach these has none of them. */
    fw_status (*open_memory)(const void* weights, uint64_t bytes, const fw_options* options,
                             fw_model** model);
    fw_status (*unset_symbol)(fw_model* model, const char* name);
    fw_status (*set_cancel)(fw_model* model, int32_t (*cancelled)(void* data), void* data);
    fw_status (*set_thread_pool)(fw_model* model, const fw_thread_pool* pool);
    fw_status (*trim)(fw_model* model);
} fw_api;
FW_API const fw_api* fw_module_api(void);

#ifdef __cplusplus
}
#endif
#endif
