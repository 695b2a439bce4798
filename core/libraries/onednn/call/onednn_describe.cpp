#include "libraries/onednn/call/onednn_describe.h"

#include <cstring>

namespace fw::runtime {

bool addsToOutput(const ShapedCall& call) {
    for (const PostOp& op : call.postOps)
        if (op.kind == PostOpKind::Sum)
            return true;
    return false;
}

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

namespace {

// The descriptors of a call by what they are for, its numbers as oneDNN wants them.
struct Described {
    Described(const ShapedCall& call, const std::vector<dnnl_memory_desc_t>& arguments) {
        const auto find = [&](Role role) -> const dnnl_memory_desc_t* {
            for (std::size_t i = 0; i < call.arguments.size(); ++i)
                if (call.arguments[i].role == role)
                    return &arguments[i];
            return nullptr;
        };
        output = find(Role::Output);
        input = find(Role::Input);
        weights = find(Role::Weights);
        bias = find(Role::Bias);
        const std::size_t images =
            output->ndims < 2 ? 0 : static_cast<std::size_t>(output->ndims - 2);
        for (std::size_t i = 0; images > 0 && i < call.attributes.size() && i < 5 * images; ++i)
            lists[i / images][i % images] = call.attributes[i];
        for (std::size_t i = 0; i < images; ++i)
            lists[1][i] -= 1;
    }

    const dnnl_memory_desc_t *output, *input, *weights, *bias;
    dnnl_dims_t lists[5] = {}; // of numbers among the attributes; oneDNN counts dilations from 0
};

union OperationDescriptor {
    dnnl_matmul_desc_t matmul;
    dnnl_convolution_desc_t convolution;
    dnnl_deconvolution_desc_t deconvolution;
    dnnl_pooling_v2_desc_t pooling;
    dnnl_softmax_desc_t softmax;
    dnnl_layer_normalization_desc_t layerNorm;
};

// Of every call but a reorder, which has none.
dnnl_status_t describeOperation(const ShapedCall& call, const Described& d,
                                OperationDescriptor& out) {
    const OneDnnTable& dnnl = oneDnn();
    const auto& lists = d.lists;
    const auto pool = [&](dnnl_alg_kind_t algorithm) {
        return dnnl.pooling_v2_forward_desc_init(&out.pooling, dnnl_forward_inference, algorithm,
                                                 d.input, d.output, lists[0], lists[2], lists[1],
                                                 lists[3], lists[4]);
    };
    const auto softmax = [&](auto init) {
        if (!dnnl.memory_desc_equal(d.input, d.output))
            return dnnl_unimplemented;
        return init(&out.softmax, dnnl_forward_inference, d.input,
                    static_cast<int>(call.attributes[0]));
    };
    switch (call.kind) {
    case CallKind::Matmul:
        return dnnl.matmul_desc_init(&out.matmul, d.input, d.weights, d.bias, d.output);
    case CallKind::Convolution:
    case CallKind::Winograd:
        return dnnl.dilated_convolution_forward_desc_init(
            &out.convolution, dnnl_forward_inference,
            call.kind == CallKind::Winograd ? dnnl_convolution_winograd : dnnl_convolution_direct,
            d.input, d.weights, d.bias, d.output, lists[0], lists[1], lists[2], lists[3]);
    case CallKind::Deconvolution:
        return dnnl.dilated_deconvolution_forward_desc_init(
            &out.deconvolution, dnnl_forward_inference, dnnl_deconvolution_direct, d.input,
            d.weights, d.bias, d.output, lists[0], lists[1], lists[2], lists[3]);
    case CallKind::MaxPool:
        return pool(dnnl_pooling_max);
    case CallKind::AveragePool:
        return pool(dnnl_pooling_avg_exclude_padding);
    case CallKind::FullAveragePool:
        return pool(dnnl_pooling_avg_include_padding);
    case CallKind::Softmax:
        return softmax(dnnl.softmax_forward_desc_init);
    case CallKind::LogSoftmax:
        return softmax(dnnl.logsoftmax_forward_desc_init);
    case CallKind::LayerNorm:
        if (!dnnl.memory_desc_equal(d.input, d.output))
            return dnnl_unimplemented;
        return dnnl.layer_normalization_forward_desc_init(&out.layerNorm, dnnl_forward_inference,
                                                          d.input, nullptr, call.epsilon,
                                                          dnnl_use_scale | dnnl_use_shift);
    case CallKind::Reorder:
    case CallKind::Kernel: // of another library
        break;
    }
    return dnnl_unimplemented;
}

} // namespace

Status OneDnnPlan::operation(const ShapedCall& call) {
    const OneDnnTable& dnnl = oneDnn();
    const Described described(call, m_arguments);
    dnnl_status_t status = dnnl_success;
    if (call.kind == CallKind::Reorder) {
        status = dnnl.reorder_primitive_desc_create(&m_plan, described.input, dnnl.engine,
                                                    described.output, dnnl.engine, m_attributes);
    } else {
        OperationDescriptor operation;
        std::memset(&operation, 0, sizeof operation);
        status = describeOperation(call, described, operation);
        if (status == dnnl_success)
            status =
                dnnl.primitive_desc_create(&m_plan, &operation, m_attributes, dnnl.engine, nullptr);
    }
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
