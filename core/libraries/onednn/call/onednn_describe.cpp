#include "libraries/onednn/call/onednn_describe.h"

#include <cstring>

namespace fw::runtime {

OneDnnPlan::~OneDnnPlan() {
    if (m_plan)
        oneDnn().primitive_desc_destroy(m_plan);
    if (m_attributes)
        oneDnn().primitive_attr_destroy(m_attributes);
}

namespace {

dnnl_alg_kind_t codeOf(PostOpKind kind) {
    switch (kind) {
#define FW_MAP(id, number, text, code, ...)                                                        \
    case PostOpKind::id:                                                                           \
        return code;
#define FW_JOIN FW_MAP
#include "libraries/onednn/post_ops.def"
    }
    return dnnl_alg_kind_undef;
}

Status refused(const ShapedCall& call, dnnl_status_t status) {
    return fail(FW_LIBRARY_FAILED, "oneDNN refuses this %s: %s", kindText(call.kind),
                dnnlText(status));
}

} // namespace

Status OneDnnPlan::attributes(const ShapedCall& call) {
    const OneDnnTable& dnnl = oneDnn();
    dnnl_status_t status = dnnl.primitive_attr_create(&m_attributes);
    if (status != dnnl_success)
        return refused(call, status);
    dnnl.primitive_attr_set_scratchpad_mode(m_attributes, dnnl_scratchpad_mode_user);
    if (call.postOps.empty())
        return {};
    dnnl_post_ops_t chain = nullptr;
    if (status = dnnl.post_ops_create(&chain); status != dnnl_success)
        return refused(call, status);
    for (const PostOp& op : call.postOps) {
        if (status != dnnl_success)
            break;
        if (op.kind == PostOpKind::Sum)
            status = dnnl.post_ops_append_sum(chain, 1.0f);
        else if (takesOperand(op.kind))
            status = dnnl.post_ops_append_binary(chain, codeOf(op.kind), &m_arguments[op.argument]);
        else
            status = dnnl.post_ops_append_eltwise(chain, 1.0f, codeOf(op.kind), op.alpha, op.beta);
    }
    if (status == dnnl_success)
        status = dnnl.primitive_attr_set_post_ops(m_attributes, chain);
    dnnl.post_ops_destroy(chain);
    return status == dnnl_success ? Status{} : refused(call, status);
}

Status OneDnnPlan::operation(const ShapedCall& call) {
    const OneDnnTable& dnnl = oneDnn();
    const auto find = [&](Role role) -> const dnnl_memory_desc_t* {
        for (std::size_t i = 0; i < call.arguments.size(); ++i)
            if (call.arguments[i].role == role)
                return &m_arguments[i];
        return nullptr;
    };
    const dnnl_memory_desc_t* output = find(Role::Output);
    const dnnl_memory_desc_t* input = find(Role::Input);
    const dnnl_memory_desc_t* weights = find(Role::Weights);
    const dnnl_memory_desc_t* bias = find(Role::Bias);
    const std::size_t images = output->ndims < 2 ? 0 : static_cast<std::size_t>(output->ndims - 2);
    // The n-th list of numbers among the attributes; oneDNN counts dilations from 0.
    dnnl_dims_t lists[5] = {};
    for (std::size_t i = 0; images > 0 && i < call.attributes.size() && i < 5 * images; ++i)
        lists[i / images][i % images] = call.attributes[i];
    for (std::size_t i = 0; i < images; ++i)
        lists[1][i] -= 1;

    union {
        dnnl_matmul_desc_t matmul;
        dnnl_convolution_desc_t convolution;
        dnnl_deconvolution_desc_t deconvolution;
        dnnl_pooling_v2_desc_t pooling;
        dnnl_softmax_desc_t softmax;
        dnnl_layer_normalization_desc_t layerNorm;
    } operation;
    std::memset(&operation, 0, sizeof operation);
    dnnl_status_t status = dnnl_invalid_arguments;
    const auto pool = [&](dnnl_alg_kind_t algorithm) {
        return dnnl.pooling_v2_forward_desc_init(&operation.pooling, dnnl_forward_inference,
                                                 algorithm, input, output, lists[0], lists[2],
                                                 lists[1], lists[3], lists[4]);
    };
    const auto softmax = [&](auto init) {
        if (!dnnl.memory_desc_equal(input, output))
            return dnnl_unimplemented;
        return init(&operation.softmax, dnnl_forward_inference, input,
                    static_cast<int>(call.attributes[0]));
    };
    switch (call.kind) {
    case CallKind::Reorder:
        status = dnnl.reorder_primitive_desc_create(&m_plan, input, dnnl.engine, output,
                                                    dnnl.engine, m_attributes);
        return status == dnnl_success ? Status{} : refused(call, status);
    case CallKind::Matmul:
        status = dnnl.matmul_desc_init(&operation.matmul, input, weights, bias, output);
        break;
    case CallKind::Convolution:
    case CallKind::Winograd:
        status = dnnl.dilated_convolution_forward_desc_init(
            &operation.convolution, dnnl_forward_inference,
            call.kind == CallKind::Winograd ? dnnl_convolution_winograd : dnnl_convolution_direct,
            input, weights, bias, output, lists[0], lists[1], lists[2], lists[3]);
        break;
    case CallKind::Deconvolution:
        status = dnnl.dilated_deconvolution_forward_desc_init(
            &operation.deconvolution, dnnl_forward_inference, dnnl_deconvolution_direct, input,
            weights, bias, output, lists[0], lists[1], lists[2], lists[3]);
        break;
    case CallKind::MaxPool:
        status = pool(dnnl_pooling_max);
        break;
    case CallKind::AveragePool:
        status = pool(dnnl_pooling_avg_exclude_padding);
        break;
    case CallKind::FullAveragePool:
        status = pool(dnnl_pooling_avg_include_padding);
        break;
    case CallKind::Softmax:
        status = softmax(dnnl.softmax_forward_desc_init);
        break;
    case CallKind::LogSoftmax:
        status = softmax(dnnl.logsoftmax_forward_desc_init);
        break;
    case CallKind::LayerNorm:
        if (dnnl.memory_desc_equal(input, output))
            status = dnnl.layer_normalization_forward_desc_init(
                &operation.layerNorm, dnnl_forward_inference, input, nullptr, call.epsilon,
                dnnl_use_scale | dnnl_use_shift);
        else
            status = dnnl_unimplemented;
        break;
    case CallKind::Kernel: // of another library
        status = dnnl_unimplemented;
        break;
    }
    if (status == dnnl_success)
        status =
            dnnl.primitive_desc_create(&m_plan, &operation, m_attributes, dnnl.engine, nullptr);
    return status == dnnl_success ? Status{} : refused(call, status);
}

Status OneDnnPlan::make(const ShapedCall& call) {
    m_arguments.resize(call.arguments.size());
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
        if (Status s = describeMemory(call.arguments[i], m_arguments[i]); !s.ok())
            return s;
    if (Status s = attributes(call); !s.ok())
        return s;
    return operation(call);
}

std::string OneDnnPlan::kernel() const {
    const char* text = nullptr;
    oneDnn().primitive_desc_query(m_plan, dnnl_query_impl_info_str, 0, &text);
    return text ? text : "";
}

bool OneDnnPlan::slow() const {
    return kernel().find("ref") != std::string::npos;
}

const dnnl_memory_desc_t& OneDnnPlan::memory(dnnl_query_t which) const {
    return *oneDnn().primitive_desc_query_md(m_plan, which, 0);
}

} // namespace fw::runtime
