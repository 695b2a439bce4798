/* Libraries of users as they should not be, one per definition. */
#include "fusewright_library.h"

#include <signal.h>
#include <string.h>

#ifdef BAD_OPENING
__attribute__((constructor)) static void die(void) {
    raise(SIGSEGV);
}
#endif

#ifdef BAD_ABI
#define ABI 99
#else
#define ABI FWL_ABI_VERSION
#endif

static int32_t check(const fwl_call* call, char* why, int32_t why_size) {
#ifdef BAD_CHECK_DIES
    raise(SIGSEGV);
#endif
#ifdef BAD_CHECK_NUMBER
    return 7;
#endif
#ifdef BAD_CHECK_SILENT
    return 1;
#endif
#ifdef BAD_CHECK_WORDS /* no zero at the end, no UTF-8 */
    memset(why, 0xff, (size_t)why_size);
    return 1;
#endif
#ifdef BAD_SIZES /* takes what is not known yet, and refuses it when it is */
    const fwl_tensor* x = &call->tensors[0];
    strncpy(why, "toylib: only batches of 1", (size_t)why_size - 1);
    return x->dims[0] > 1;
#endif
    (void)call, (void)why, (void)why_size;
    return 0;
}

static int64_t workspace(const fwl_call* call) {
    (void)call;
#ifdef BAD_WORKSPACE
    return -8;
#else
    return 64;
#endif
}

static int32_t run(const fwl_call* call, void* const* data, void* room, char* why,
                   int32_t why_size) {
#ifdef BAD_RUN_DIES
    raise(SIGSEGV);
#endif
#ifdef BAD_RUN_FAILS
    strncpy(why, "the device is gone", (size_t)why_size - 1);
    return 5;
#endif
    (void)why, (void)why_size;
    memset(room, 0, 64);
    for (int32_t i = 0; i < call->tensor_count; ++i) /* wrong: all zeros */
        if (call->tensors[i].role == FWL_OUTPUT) {
            size_t count = 1;
            for (int32_t d = 0; d < call->tensors[i].rank; ++d)
                count *= (size_t)call->tensors[i].dims[d];
            memset(data[i], 0, count * sizeof(float));
        }
    return 0;
}

#ifndef BAD_SYMBOL
FWL_EXPORT const fwl_library* fusewright_library(void) {
    static const fwl_kernel kernels[] = {
#ifdef BAD_KERNEL
        {"something_else", check, workspace, run}
#else
        {"conv_bias_relu", check, workspace, run}
#endif
    };
    static const fwl_library library = {ABI,        sizeof(fwl_library),
#ifdef BAD_NAME
                                        "otherlib",
#else
                                        "toylib",
#endif
                                        "0.1",      1,
                                        kernels};
#ifdef BAD_NULL
    return NULL;
#endif
    return &library;
}
#endif
