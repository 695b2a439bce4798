/* SPDX-License-Identifier: Apache-2.0
 *
 * A library of one kernel: conv2d, bias and relu in one pass, f32, plain loops, one group.
 *
 *     cc -std=c99 -O2 -shared -fPIC -fvisibility=hidden -I ../../core/runtime \
 *        toylib.c -o libtoylib.so
 *     fw fuse ../lenet --rules toylib.fw -libs=toylib
 */
#include "fusewright_library.h"

#include <stdio.h>
#include <string.h>

static const fwl_attribute* find(const fwl_step* step, const char* name) {
    for (int32_t i = 0; i < step->attribute_count; ++i)
        if (strcmp(step->attributes[i].name, name) == 0)
            return &step->attributes[i];
    return NULL;
}

static int32_t refuse(char* why, int32_t why_size, const char* words) {
    snprintf(why, (size_t)why_size, "toylib: %s", words);
    return 1;
}

/* Entry i of a list of integers; a list may be missing or shorter. */
static int64_t entry(const fwl_step* step, const char* name, int32_t i, int64_t otherwise) {
    const fwl_attribute* found = find(step, name);
    return found && found->kind == FWL_INTEGERS && i < found->count ? found->integers[i]
                                                                    : otherwise;
}

/* The match of toylib.fw: conv2d(x, w), bias(., b), relu(.). */
static int32_t check(const fwl_call* call, char* why, int32_t why_size) {
    if (call->step_count != 3 || strcmp(call->steps[0].op, "conv2d") != 0 ||
        strcmp(call->steps[1].op, "bias") != 0 || strcmp(call->steps[2].op, "relu") != 0)
        return refuse(why, why_size, "only conv2d, bias, relu");
    const fwl_step* conv = &call->steps[0];
    for (int32_t i = 0; i < call->tensor_count; ++i)
        if (call->tensors[i].type != FWL_F32)
            return refuse(why, why_size, "only f32");
    const fwl_tensor* x = &call->tensors[conv->operands[0]];
    const fwl_tensor* w = &call->tensors[conv->operands[1]];
    if (x->rank != 4 || w->rank != 4)
        return refuse(why, why_size, "only images, of rank 4");
    if (entry(conv, "groups", 0, 1) != 1)
        return refuse(why, why_size, "only groups = 1");
    if (entry(&call->steps[1], "axis", 0, 1) != 1)
        return refuse(why, why_size, "only a bias along the channels, axis = 1");
    return 0;
}

static int32_t run(const fwl_call* call, void* const* data, void* workspace, char* why,
                   int32_t why_size) {
    (void)workspace, (void)why, (void)why_size;
    const fwl_step* conv = &call->steps[0];
    const int32_t input = conv->operands[0], weights = conv->operands[1];
    const int32_t shift = call->steps[1].operands[1], output = call->steps[2].results[0];
    const float* x = data[input];
    const float* w = data[weights];
    const float* b = data[shift];
    float* y = data[output];
    const int64_t *in = call->tensors[input].dims, *filter = call->tensors[weights].dims,
                  *out = call->tensors[output].dims;
    const int64_t down = entry(conv, "strides", 0, 1), right = entry(conv, "strides", 1, 1);
    const int64_t fall = entry(conv, "dilations", 0, 1), step = entry(conv, "dilations", 1, 1);
    const int64_t top = entry(conv, "pads", 0, 0), left = entry(conv, "pads", 1, 0);
    for (int64_t n = 0; n < out[0]; ++n)
        for (int64_t o = 0; o < out[1]; ++o)
            for (int64_t r = 0; r < out[2]; ++r)
                for (int64_t c = 0; c < out[3]; ++c) {
                    float sum = 0;
                    for (int64_t i = 0; i < in[1]; ++i)
                        for (int64_t p = 0; p < filter[2]; ++p)
                            for (int64_t q = 0; q < filter[3]; ++q) {
                                const int64_t row = r * down + p * fall - top;
                                const int64_t column = c * right + q * step - left;
                                if (row < 0 || row >= in[2] || column < 0 || column >= in[3])
                                    continue;
                                sum += x[((n * in[1] + i) * in[2] + row) * in[3] + column] *
                                       w[((o * in[1] + i) * filter[2] + p) * filter[3] + q];
                            }
                    sum += b[o];
                    y[((n * out[1] + o) * out[2] + r) * out[3] + c] = sum < 0 ? 0 : sum; /* NaN stays */
                }
    return 0;
}

FWL_EXPORT const fwl_library* fusewright_library(void) {
    static const fwl_kernel kernels[] = {{"conv_bias_relu", check, NULL, run}};
    static const fwl_library library = {FWL_ABI_VERSION, sizeof(fwl_library), "toylib", "1.0", 1,
                                        kernels};
    return &library;
}
