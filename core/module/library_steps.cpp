#include "module/library_steps.h"

#include "extern/call.h"
#include "module/program_expression.h"
#include "runtime/breadcrumb.h"
#include "strategy/library.h"

#include <fmt/format.h>

namespace fw {

runtime::LibraryCall libraryCallOf(ProgramTensors& tensors, const ExternStep& part) {
    runtime::LibraryCall out;
    out.library = part.library;
    out.kind = part.kind;
    out.postOps = part.postOps;
    out.epsilon = part.epsilon;
    out.attributes = tensors.expressions(part.attributes);
    for (const ExternArgument& argument : part.arguments)
        out.arguments.push_back({argument.role, argument.operand,
                                 tensors.expression(argument.offset),
                                 tensors.expressions(argument.dims),
                                 tensors.expressions(argument.strides), argument.layout});
    out.user = part.user;
    for (const ExternTensor& one : part.tensors)
        out.user.tensors.push_back(
            {programType(one.type), one.role, one.operand, tensors.expressions(one.dims)});
    return out;
}

Expr movedBy(const ProgramTensors& tensors, const ExternStep& part) {
    for (const ExternOperand& operand : part.operands)
        if (operand.kind == ExternOperand::Kind::Value)
            return tensors.bytesOf(operand.value);
    return 0;
}

runtime::TensorId memoryOf(ProgramTensors& tensors, const Graph& graph,
                           const ExternOperand& operand, const Group& group,
                           std::map<std::string, runtime::TensorId>& between) {
    switch (operand.kind) {
    case ExternOperand::Kind::Value:
        return tensors.value(operand.value);
    case ExternOperand::Kind::Packed: {
        const PackedConstant& packed = operand.packed;
        const Expr elements = static_cast<std::int64_t>(packed.bytes / 4);
        const auto id = tensors.add(operand.name, {DType::F32, {elements}}, elements,
                                    runtime::Storage::Constant);
        tensors.store(id, packed.content,
                      [&](std::vector<std::byte>& scratch) -> Result<std::span<const std::byte>> {
                          const runtime::Crumb crumb{
                              fmt::format("{} packed for {}", operand.name, group.implementation),
                              group.by->library()->name(),
                              {graph.node(group.anchor).name}};
                          const runtime::Breadcrumb at(crumb);
                          scratch.resize(packed.bytes);
                          FW_CHECK(packed.write(*graph.constant(packed.from), scratch));
                          return std::span<const std::byte>(scratch);
                      });
        return id;
    }
    case ExternOperand::Kind::Between:
        break;
    }
    const auto known = between.find(operand.name);
    if (known != between.end())
        return known->second;
    const auto id = tensors.add(group.name + "." + operand.name, {DType::F32, {operand.elements}},
                                operand.elements, runtime::Storage::Arena);
    between.emplace(operand.name, id);
    return id;
}

} // namespace fw
