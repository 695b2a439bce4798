#include "module/program_tensors.h"

#include "base/mapped_pages.h"
#include "extern/call.h"
#include "module/program_expression.h"

#include <fmt/format.h>

namespace fw {

namespace {

// As they lie in the graph, and some room for padding.
std::size_t constantBytes(const Graph& graph) {
    std::size_t out = 0;
    for (const NodePtr& node : graph.nodes())
        if (node->data && node->data->dtype() != DType::Text)
            out += node->data->bytes().size();
    return out + out / 16;
}

} // namespace

ProgramTensors::ProgramTensors(const Graph& graph, const FusionPlan& plan,
                               const std::vector<Symbol>& symbols, runtime::Program& program,
                               KnownWeights* known)
    : m_graph(graph), m_plan(plan), m_symbols(symbols), m_program(program),
      m_weights(constantBytes(graph), known) {}

runtime::ExpressionId ProgramTensors::expression(const Expr& e) {
    return m_program.add(programExpression(e, m_symbols));
}

runtime::TensorId ProgramTensors::add(const std::string& name, const TensorType& type,
                                      const Expr& elements, runtime::Storage storage) {
    runtime::Tensor out;
    out.name = name;
    out.type = programType(type.dtype);
    for (const Dim& dim : type.shape)
        out.dims.push_back(expression(dim));
    out.bytes = expression(elements * Expr(static_cast<std::int64_t>(dtypeBytes(type.dtype))));
    out.storage = storage;
    m_program.tensors.push_back(std::move(out));
    return static_cast<runtime::TensorId>(m_program.tensors.size() - 1);
}

std::vector<runtime::ExpressionId> ProgramTensors::expressions(const Exprs& list) {
    std::vector<runtime::ExpressionId> out;
    for (const Expr& e : list)
        out.push_back(expression(e));
    return out;
}

Expr ProgramTensors::bytesOf(ValueRef ref) const {
    const TensorType& type = m_graph.type(ref);
    return elementCount(type.shape) * Expr(static_cast<std::int64_t>(dtypeBytes(type.dtype)));
}

runtime::TensorId ProgramTensors::constant(ValueRef value, const StorageMap& map) {
    const TensorType& type = m_graph.type(value);
    const auto key = std::pair(value, map.text(type.rank()));
    if (const auto known = m_constants.find(key); known != m_constants.end())
        return known->second;
    const auto id = add(m_graph.output(value).name, type, storageSize(map, type.shape),
                        runtime::Storage::Constant);
    const TensorData& data = *m_graph.constant(value);
    store(id, hashOf(data.hash().hex() + key.second),
          [&](std::vector<std::byte>& scratch) -> Result<std::span<const std::byte>> {
              if (map.isRowMajor())
                  return data.bytes();
              pack(data, map, scratch);
              return std::span<const std::byte>(scratch);
          });
    releasePages(data.bytes()); // the weights have them
    m_constants.emplace(key, id);
    return id;
}

void ProgramTensors::store(runtime::TensorId id, const Hash& content, const Make& make) {
    if (Result<std::uint64_t> offset = m_weights.add(content, [&] { return make(m_scratch); }))
        m_program.tensors[id].offset = *offset;
    else if (!m_problem)
        m_problem = offset.takeDiag();
}

runtime::TensorId ProgramTensors::value(ValueRef ref) {
    if (m_graph.constant(ref) != nullptr)
        return constant(ref, StorageMap{});
    const auto known = m_values.find(ref);
    if (known != m_values.end())
        return known->second;
    if (const auto home = m_plan.homes.find(ref); home != m_plan.homes.end())
        return value(home->second);
    if (isText(m_graph.output(ref)))
        return 0;
    const TensorType& type = m_graph.type(ref);
    const auto id =
        add(m_graph.output(ref).name, type, storedElements(ref), runtime::Storage::Arena);
    m_values[ref] = id;
    return id;
}

Expr ProgramTensors::storedElements(ValueRef ref) const {
    return storageSize(m_plan.layout(ref), m_graph.type(ref).shape);
}

void ProgramTensors::share(ValueRef ref, ValueRef with, const Expr& elements) {
    const runtime::TensorId base = value(with);
    const Output& output = m_graph.output(ref);
    const auto id = add(output.name, output.type, elements, runtime::Storage::View);
    m_program.tensors[id].base = base;
    m_program.tensors[id].viewOffset = m_program.addConstant(0);
    m_values[ref] = id;
}

bool ProgramTensors::isText(const Output& output) {
    if (output.type.dtype != DType::Text)
        return false;
    if (!m_problem)
        m_problem = makeDiag(DiagCode::NotRunnable,
                             fmt::format("{} is text, which no code works with", output.name));
    return true;
}

} // namespace fw
