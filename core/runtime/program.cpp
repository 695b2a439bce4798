#include "runtime/program.h"

#include <algorithm>

namespace fw::runtime {

std::int64_t elementBytes(DataType type) {
    switch (type) {
    case DataType::I8:
    case DataType::U8:
    case DataType::Bool:
        return 1;
    case DataType::F16:
    case DataType::Bf16:
    case DataType::I16:
    case DataType::U16:
        return 2;
    case DataType::F32:
    case DataType::I32:
    case DataType::U32:
        return 4;
    case DataType::F64:
    case DataType::I64:
    case DataType::U64:
        return 8;
    }
    return 1;
}

fw_dtype dlpackType(DataType type) {
    std::uint8_t code = FW_FLOAT;
    switch (type) {
    case DataType::F32:
    case DataType::F64:
    case DataType::F16:
        break;
    case DataType::Bf16:
        code = FW_BFLOAT;
        break;
    case DataType::I8:
    case DataType::I16:
    case DataType::I32:
    case DataType::I64:
        code = FW_INT;
        break;
    case DataType::U8:
    case DataType::U16:
    case DataType::U32:
    case DataType::U64:
        code = FW_UINT;
        break;
    case DataType::Bool:
        code = FW_BOOL;
        break;
    }
    return fw_dtype{code, static_cast<std::uint8_t>(8 * elementBytes(type)), 1};
}

const char* typeName(DataType type) {
    static const char* const names[] = {"f32", "f64", "f16", "bf16", "i8",  "i16", "i32",
                                        "i64", "u8",  "u16", "u32",  "u64", "bool"};
    return names[static_cast<std::size_t>(type)];
}

ExpressionId Program::add(const Expression& expression) {
    for (std::size_t i = 0; i < expressions.size(); ++i)
        if (expressions[i] == expression)
            return static_cast<ExpressionId>(i);
    expressions.push_back(expression);
    return static_cast<ExpressionId>(expressions.size() - 1);
}

TensorId rootOf(const Program& program, TensorId tensor) {
    while (program.tensors[tensor].storage == Storage::View)
        tensor = program.tensors[tensor].base;
    return tensor;
}

std::uint32_t Phases::of(const Expression& expression) const {
    std::uint32_t out = 0;
    for (const Instruction& instruction : expression.code)
        if (instruction.op == Op::Symbol)
            out = std::max(out, ofSymbol[static_cast<std::size_t>(instruction.value)]);
    return out;
}

Phases phasesOf(const Program& program) {
    Phases out;
    out.ofSymbol.assign(program.symbols.size(), 0);
    bool binding = false;
    for (const Step& step : program.steps) {
        const bool binds = step.kernel == bindKernel;
        out.count += binding && !binds ? 1 : 0;
        binding = binds;
        out.ofStep.push_back(out.count - 1);
        for (const std::uint32_t symbol : step.binds)
            out.ofSymbol[symbol] = out.count;
    }
    out.count += binding ? 1 : 0; // shapes of outputs may still wait for the last ones
    for (const Tensor& tensor : program.tensors) {
        std::uint32_t phase = out.of(program.expressions[tensor.bytes]);
        for (const ExpressionId dim : tensor.dims)
            phase = std::max(phase, out.of(program.expressions[dim]));
        if (tensor.storage == Storage::View)
            phase = std::max(
                {phase, out.of(program.expressions[tensor.viewOffset]), out.ofTensor[tensor.base]});
        else if (tensor.storage == Storage::Arena && tensor.firstStep < out.ofStep.size())
            phase = std::max(phase, out.ofStep[tensor.firstStep]);
        out.ofTensor.push_back(phase);
    }
    return out;
}

void deriveLifetimes(Program& program) {
    std::vector<bool> used(program.tensors.size(), false);
    for (Tensor& tensor : program.tensors)
        tensor.firstStep = tensor.lastStep = 0;
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
        const auto step = static_cast<std::uint32_t>(s);
        const auto use = [&](TensorId id) {
            const TensorId root = rootOf(program, id);
            Tensor& tensor = program.tensors[root];
            if (tensor.storage != Storage::Arena)
                return;
            if (!used[root])
                tensor.firstStep = step;
            used[root] = true;
            tensor.lastStep = step;
        };
        for (const BufferUse& buffer : program.steps[s].buffers)
            use(buffer.tensor);
        for (const IndexUse& indices : program.steps[s].indices)
            use(indices.tensor);
    }
}

} // namespace fw::runtime
