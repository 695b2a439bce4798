/* SPDX-License-Identifier: Apache-2.0
 *
 * A library of your own: how Fusewright calls code that you bring as a shared library.
 *
 * The library exports one function, fusewright_library(), which returns a descriptor: its name and
 * its kernels. A book declares the library and says which operators a kernel computes:
 *
 *     library toylib "libtoylib.so"
 *     composite conv_block for toylib.conv_bias_relu {
 *       match conv2d(x, w: const) >> bias(^, b: const) >> relu(^)
 *     }
 *
 * Each match is one call: its operators are the steps, in an order in which they can be computed,
 * and check() may refuse it. The file needs C99; build it with
 *
 *     cc -std=c99 -O2 -shared -fPIC -fvisibility=hidden -I FOLDER_OF_THIS_FILE \
 *        toylib.c -o libtoylib.so
 *
 * Ownership: all that the descriptor points to belongs to the library and stays as it is until the
 * process ends; the library is never closed. All that a call points to belongs to the caller and is
 * valid until the function returns. Nothing that one side allocates is freed by the other.
 *
 * Threads: the functions may be called from any thread, and for different models at the same time.
 * They must not keep state between calls and must not end the process.
 *
 * Values: tensors lie row by row without gaps (the last axis has stride 1) and are aligned for
 * their elements only. Extents are counted in elements, the workspace in bytes. FWL_BOOL is one
 * byte, 0 or 1; FWL_F16 and FWL_BF16 are two bytes of those formats. An output overlaps no other
 * tensor.
 */
#ifndef FUSEWRIGHT_LIBRARY_H
#define FUSEWRIGHT_LIBRARY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this file. A library says which one it was compiled with; another one is refused. */
#define FWL_ABI_VERSION 1

#define FWL_EXPORT __attribute__((visibility("default")))

typedef enum fwl_type {
    FWL_F32 = 0,
    FWL_F64 = 1,
    FWL_F16 = 2,
    FWL_BF16 = 3,
    FWL_I8 = 4,
    FWL_I16 = 5,
    FWL_I32 = 6,
    FWL_I64 = 7,
    FWL_U8 = 8,
    FWL_U16 = 9,
    FWL_U32 = 10,
    FWL_U64 = 11,
    FWL_BOOL = 12
} fwl_type;

typedef enum fwl_role {
    FWL_INPUT = 0,    /* computed before the call */
    FWL_CONSTANT = 1, /* of the model: the same at every call */
    FWL_INNER = 2,    /* between two steps; it has no memory */
    FWL_OUTPUT = 3    /* what the call computes */
} fwl_role;

/* An extent that is not known yet: of a free dimension, when the model is planned. check() is asked
 * again when it is known. */
#define FWL_UNKNOWN (-1)

typedef struct fwl_tensor {
    int32_t type; /* fwl_type */
    int32_t role; /* fwl_role */
    int32_t rank;
    const int64_t* dims; /* rank extents */
} fwl_tensor;

typedef enum fwl_kind {
    FWL_INTEGERS = 0, /* `integers`; booleans are 0 and 1 */
    FWL_NUMBERS = 1,  /* `numbers` */
    FWL_TEXT = 2      /* `text`, zero-terminated UTF-8; an element type is its name: "f32" */
} fwl_kind;

/* Attributes that the model does not write are there with the operator's default. */
typedef struct fwl_attribute {
    const char* name;
    int32_t kind;  /* fwl_kind */
    int32_t count; /* of integers or numbers; 1 unless it is a list */
    const int64_t* integers;
    const double* numbers;
    const char* text;
} fwl_attribute;

/* One operator. Operands and results are positions in fwl_call::tensors, an absent operand is -1.
 */
typedef struct fwl_step {
    const char* op; /* as in `fw ops`: "conv2d" */
    int32_t operand_count;
    const int32_t* operands;
    int32_t result_count;
    const int32_t* results;
    int32_t attribute_count;
    const fwl_attribute* attributes;
} fwl_step;

typedef struct fwl_call {
    uint32_t struct_size; /* sizeof(fwl_call): later versions append */
    int32_t threads;      /* how many the call may use, 1 at least */
    int32_t tensor_count;
    const fwl_tensor* tensors;
    int32_t step_count;
    const fwl_step* steps;
} fwl_call;

typedef struct fwl_kernel {
    const char* name; /* letters, digits and _; behind "NAME." in books */

    /* 0: the kernel computes this call. 1: it does not, and `why` says so in a sentence
     * (zero-terminated UTF-8, `why_size` bytes at most), which is shown as the reason. Asked when
     * the model is planned and again when all extents are known. */
    int32_t (*check)(const fwl_call* call, char* why, int32_t why_size);

    /* Bytes of working memory that run() wants for this call, at a multiple of 64. Null: none. */
    int64_t (*workspace)(const fwl_call* call);

    /* Computes the call. data[i] is the memory of tensors[i], null for FWL_INNER; inputs and
     * constants must not be written, every element of an output must be. 0: done. Another number:
     * it failed; the run ends with that number and with `why`, if it was written. */
    int32_t (*run)(const fwl_call* call, void* const* data, void* workspace, char* why,
                   int32_t why_size);
} fwl_kernel;

typedef struct fwl_library {
    uint32_t abi_version; /* FWL_ABI_VERSION */
    uint32_t struct_size; /* sizeof(fwl_library): later versions append */
    const char* name;     /* the name under which books declare it */
    const char* version;  /* for people: "1.0" */
    int32_t kernel_count;
    const fwl_kernel* kernels;
} fwl_library;

/* The one function of the library. Called once per process. */
FWL_EXPORT const fwl_library* fusewright_library(void);

#ifdef __cplusplus
}
#endif
#endif
