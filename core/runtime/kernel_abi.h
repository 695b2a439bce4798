/* What a generated kernel sees: the contract between code generation and the runtime.
 *
 * A kernel is called on the thread that runs the model. It calls `parallel_for` for each of its
 * outermost parallel loops; the body gets the same context and a range of iterations, and must not
 * call parallel_for to gain threads (nested calls run serially). Kernels keep no state and call
 * nothing but libm and the context.
 *
 * buffers[i] is the start of the step's i-th buffer, never null, aligned for its elements only:
 * inputs, outputs and arena tensors start at multiples of 64, but views and the constants of a JIT
 * session may lie anywhere. symbols[i] is the value of the step's i-th symbol expression for the
 * shapes of this run. `grain` is the number of iterations that is worth a thread of its own (1 at
 * least).
 */
#ifndef FUSEWRIGHT_KERNEL_ABI_H
#define FUSEWRIGHT_KERNEL_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fw_kernel_context {
    void* const* buffers;
    const int64_t* symbols;
    void (*parallel_for)(const struct fw_kernel_context* context,
                         void (*body)(const struct fw_kernel_context* context, int64_t begin,
                                      int64_t end),
                         int64_t count, int64_t grain);
    const void* settings; /* of the runtime; opaque to kernels */
} fw_kernel_context;

typedef void (*fw_kernel)(const fw_kernel_context* context);

#ifdef __cplusplus
}
#endif
#endif
