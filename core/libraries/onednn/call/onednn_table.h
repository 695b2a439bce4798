// The functions of oneDNN 2.x that we call, found with dlsym. The headers give their types; nothing
// is linked.
#pragma once

#include "runtime/libraries.h"

#include <oneapi/dnnl/dnnl.h>

namespace fw::runtime {

// X(name without the prefix)
#define FW_DNNL_FUNCTIONS(X)                                                                       \
    X(version)                                                                                     \
    X(set_max_cpu_isa)                                                                             \
    X(get_effective_cpu_isa)                                                                       \
    X(engine_create)                                                                               \
    X(stream_create)                                                                               \
    X(stream_wait)                                                                                 \
    X(memory_desc_init_by_strides)                                                                 \
    X(memory_desc_init_by_tag)                                                                     \
    X(memory_desc_get_size)                                                                        \
    X(memory_desc_equal)                                                                           \
    X(memory_create)                                                                               \
    X(memory_set_data_handle)                                                                      \
    X(memory_destroy)                                                                              \
    X(primitive_attr_create)                                                                       \
    X(primitive_attr_destroy)                                                                      \
    X(primitive_attr_set_scratchpad_mode)                                                          \
    X(primitive_attr_set_post_ops)                                                                 \
    X(post_ops_create)                                                                             \
    X(post_ops_destroy)                                                                            \
    X(post_ops_append_eltwise)                                                                     \
    X(post_ops_append_binary)                                                                      \
    X(post_ops_append_sum)                                                                         \
    X(primitive_desc_create)                                                                       \
    X(primitive_desc_destroy)                                                                      \
    X(primitive_desc_query)                                                                        \
    X(primitive_desc_query_md)                                                                     \
    X(primitive_create)                                                                            \
    X(primitive_destroy)                                                                           \
    X(primitive_execute)                                                                           \
    X(reorder_primitive_desc_create)                                                               \
    X(matmul_desc_init)                                                                            \
    X(dilated_convolution_forward_desc_init)                                                       \
    X(dilated_deconvolution_forward_desc_init)                                                     \
    X(pooling_v2_forward_desc_init)                                                                \
    X(softmax_forward_desc_init)                                                                   \
    X(logsoftmax_forward_desc_init)                                                                \
    X(layer_normalization_forward_desc_init)

struct OneDnnTable {
    LibraryInfo info;
    OpenMp openMp;
    dnnl_engine_t engine = nullptr;
    dnnl_stream_t stream = nullptr;
#define FW_X(name) decltype(&::dnnl_##name) name = nullptr;
    FW_DNNL_FUNCTIONS(FW_X)
#undef FW_X
};

// Opened on the first call and kept until the process ends. Check info.presence before use.
const OneDnnTable& oneDnn();

Status prepareOneDnn(const ShapedCall& call, int threads, std::unique_ptr<PreparedCall>& prepared);

const char* dnnlText(dnnl_status_t status); // "unimplemented"

} // namespace fw::runtime
