// The tensors of a program while it is assembled: where the values of a graph lie, and the bytes of
// its constants.
#pragma once

#include "fusion/group.h"
#include "module/constants.h"
#include "runtime/program.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fw {

class ProgramTensors {
public:
    // All of them live longer.
    ProgramTensors(const Graph& graph, const FusionPlan& plan, const std::vector<Symbol>& symbols,
                   runtime::Program& program, KnownWeights* known);

    runtime::ExpressionId expression(const Expr& e);
    std::vector<runtime::ExpressionId> expressions(const Exprs& list);
    Expr bytesOf(ValueRef ref) const;

    runtime::TensorId add(const std::string& name, const TensorType& type, const Expr& elements,
                          runtime::Storage storage);
    // A constant in the layout that is asked for; equal bytes are stored once.
    runtime::TensorId constant(ValueRef value, const StorageMap& map);
    // The bytes of a constant, which may be made in the memory that is handed over.
    using Make = std::function<Result<std::span<const std::byte>>(std::vector<std::byte>& scratch)>;
    void store(runtime::TensorId id, const Hash& content, const Make& make);

    runtime::TensorId value(ValueRef ref);
    bool has(ValueRef ref) const { return m_values.contains(ref); }
    void set(ValueRef ref, runtime::TensorId id) { m_values[ref] = id; }
    // As many elements as its layout takes.
    Expr storedElements(ValueRef ref) const;
    // The value takes the memory of another one.
    void share(ValueRef ref, ValueRef with, const Expr& elements);
    // Only operators that are not known read or make text; it is a problem.
    bool isText(const Output& output);

    WeightsBuilder& weights() { return m_weights; }
    const std::optional<Diag>& problem() const { return m_problem; } // the first

private:
    const Graph& m_graph;
    const FusionPlan& m_plan;
    const std::vector<Symbol>& m_symbols;
    runtime::Program& m_program;
    WeightsBuilder m_weights;
    std::vector<std::byte> m_scratch;
    std::optional<Diag> m_problem;
    std::map<ValueRef, runtime::TensorId> m_values;
    std::map<std::pair<ValueRef, std::string>, runtime::TensorId> m_constants;
};

} // namespace fw
