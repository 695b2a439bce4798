// Steps of a program that no machine code computes: a node by its reference, on the values as they
// lie in the memory of the program.
#pragma once

#include "ir/graph.h"
#include "ir/storage_map.h"
#include "runtime/executor.h"

#include <optional>
#include <string>
#include <vector>

namespace fw {

// A value as the program stores it. Extents are expressions over the free dimensions.
struct HostValue {
    TensorType type;
    StorageMap map;
};

struct HostNode {
    std::string node; // its name
    std::string op;
    std::shared_ptr<const OperatorSet> operators;
    OpCall call;
    std::vector<std::optional<HostValue>> operands; // as the node has them; nullopt: absent
    std::vector<std::pair<int, HostValue>> results; // those that somebody reads: which, how
};

// The buffers of such a step are its operands in order, then its results. Runs one at a time; what
// the operator refuses is kept as it said it.
class HostNodes final : public runtime::HostSteps {
public:
    // `nodes` outlive it; `symbols`: the program's, in its order.
    HostNodes(const std::vector<HostNode>& nodes, const std::vector<runtime::Symbol>& symbols);

    runtime::Status run(std::uint32_t node, void* const* buffers,
                        const std::int64_t* symbols) override;
    // Of the last step that failed; empty: none did.
    const std::optional<Diag>& refusal() const { return m_refusal; }

private:
    Status compute(const HostNode& node, void* const* buffers, const std::int64_t* symbols) const;

    const std::vector<HostNode>& m_nodes;
    std::vector<Symbol> m_symbols;
    std::optional<Diag> m_refusal;
};

} // namespace fw
