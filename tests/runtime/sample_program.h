// A small program over one free dimension n, with kernels written by hand:
//
//     a = x * w[3] (rows of 3)      step 0, kernel 0    x: f32[n, 3], w: constant f32[3]
//     b = a + a                     step 1, kernel 1
//     c = b + a                     step 2, kernel 1    c takes no memory of b or a
//     v = the bytes of c behind row 0 (view, n >= 1 rows: n - 1 rows, at least 0)
//     s = sum of v, or of nothing   step 3, kernel 2    output s: f32[1]
//     y = c copied                  step 4, copy step   output y: f32[n, 3]
#pragma once

#include "runtime/executor.h"

#include <cstring>

namespace sample {

using namespace fw::runtime;

inline void scaleRows(const fw_kernel_context* context) {
    context->parallel_for(
        context,
        [](const fw_kernel_context* c, std::int64_t begin, std::int64_t end) {
            auto* out = static_cast<float*>(c->buffers[0]);
            const auto* in = static_cast<const float*>(c->buffers[1]);
            const auto* weights = static_cast<const float*>(c->buffers[2]);
            for (std::int64_t i = begin; i < end; ++i)
                for (std::int64_t j = 0; j < 3; ++j)
                    out[3 * i + j] = in[3 * i + j] * weights[j];
        },
        context->symbols[0], 1);
}

inline void addRows(const fw_kernel_context* context) {
    context->parallel_for(
        context,
        [](const fw_kernel_context* c, std::int64_t begin, std::int64_t end) {
            auto* out = static_cast<float*>(c->buffers[0]);
            const auto* a = static_cast<const float*>(c->buffers[1]);
            const auto* b = static_cast<const float*>(c->buffers[2]);
            for (std::int64_t i = 3 * begin; i < 3 * end; ++i)
                out[i] = a[i] + b[i];
        },
        context->symbols[0], 4);
}

inline void sumAll(const fw_kernel_context* context) {
    const auto* in = static_cast<const float*>(context->buffers[1]);
    float sum = 0;
    for (std::int64_t i = 0; i < context->symbols[0]; ++i)
        sum += in[i];
    *static_cast<float*>(context->buffers[0]) = sum;
}

inline constexpr fw_kernel kernels[] = {scaleRows, addRows, sumAll};
alignas(64) inline constexpr float weights[3] = {1, 2, 3};

inline Program program() {
    Program p;
    p.name = "sample";
    p.target = "x86-64";
    p.engine = "test";
    p.metadata = "{\"model\":\"sample\"}";
    p.kernelCount = 3;
    p.weightsBytes = sizeof weights;
    p.weightsHash = hashWeights(reinterpret_cast<const std::byte*>(weights), sizeof weights);
    p.symbols = {{"n", 0, 100000}};

    const Expression n = symbol(0);
    const ExpressionId rows = p.add(n);
    const ExpressionId three = p.addConstant(3);
    const ExpressionId one = p.addConstant(1);
    const ExpressionId unknown = p.addConstant(-1);
    const ExpressionId bytes = p.add(binary(Op::Multiply, n, constant(12)));
    const Expression fewer = binary(Op::Maximum, binary(Op::Subtract, n, constant(1)), constant(0));
    const ExpressionId tailRows = p.add(fewer);
    const ExpressionId tailBytes = p.add(binary(Op::Multiply, fewer, constant(12)));
    const ExpressionId tailElements = p.add(binary(Op::Multiply, fewer, constant(3)));
    const ExpressionId tailStart =
        p.add(binary(Op::Multiply, binary(Op::Minimum, n, constant(1)), constant(12)));

    const auto add = [&](const char* name, std::vector<ExpressionId> dims, ExpressionId size,
                         Storage storage) {
        Tensor t;
        t.name = name;
        t.dims = std::move(dims);
        t.bytes = size;
        t.storage = storage;
        p.tensors.push_back(t);
        return static_cast<TensorId>(p.tensors.size() - 1);
    };
    const TensorId x = add("x", {rows, three}, bytes, Storage::Input);
    const TensorId w = add("w", {three}, p.addConstant(12), Storage::Constant);
    const TensorId a = add("a", {rows, three}, bytes, Storage::Arena);
    const TensorId b = add("b", {rows, three}, bytes, Storage::Arena);
    const TensorId c = add("c", {rows, three}, bytes, Storage::Arena);
    const TensorId v = add("v", {tailRows, three}, tailBytes, Storage::View);
    const TensorId s = add("s", {one}, p.addConstant(4), Storage::Output);
    const TensorId y = add("y", {rows, three}, bytes, Storage::Output);
    p.tensors[v].base = c;
    p.tensors[v].viewOffset = tailStart;
    p.tensors[y].index = 1;
    p.inputs = {x};
    p.outputs = {s, y};

    const auto step = [&](const char* name, std::uint32_t kernel, TensorId out,
                          std::vector<TensorId> in, ExpressionId count) {
        Step entry;
        entry.name = name;
        entry.kernel = kernel;
        entry.group = kernel == copyKernel ? noGroup : static_cast<std::uint32_t>(p.steps.size());
        entry.part = kernel == copyKernel ? 0 : kernel;
        entry.buffers.push_back({out, Access::Write});
        for (TensorId id : in)
            entry.buffers.push_back({id, Access::Read});
        entry.symbols = {count};
        entry.nodes = {std::string("node_") + name};
        entry.flops = count;
        entry.bytes = unknown;
        p.steps.push_back(entry);
    };
    step("scale", 0, a, {x, w}, rows);
    step("twice", 1, b, {a, a}, rows);
    step("thrice", 1, c, {b, a}, rows);
    step("sum", 2, s, {v}, tailElements);
    step("copy", copyKernel, y, {c}, rows);
    p.assumptions.push_back({p.add(binary(Op::NotEqual, n, constant(13))), "n is not 13"});
    deriveLifetimes(p);
    return p;
}

inline Weights memoryWeights() {
    Weights w;
    w.payload = reinterpret_cast<const std::byte*>(weights);
    return w;
}

inline fw_tensor floats(void* data, std::vector<std::int64_t>& shape) {
    fw_tensor t = {};
    t.data = data;
    t.device.device_type = 1;
    t.ndim = static_cast<std::int32_t>(shape.size());
    t.dtype = {FW_FLOAT, 32, 1};
    t.shape = shape.data();
    return t;
}

} // namespace sample
