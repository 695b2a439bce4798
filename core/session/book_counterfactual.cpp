#include "session/book_counterfactual.h"

#include "session/document.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using namespace snapshot;

constexpr std::size_t mostOff = 4; // each is another plan

// The operator that stands for most of what a node stands for; null: none does.
const Node* counterpart(const Graph& graph, const std::vector<NodeId>& origins) {
    const Node* out = nullptr;
    std::ptrdiff_t most = 0;
    for (const NodePtr& node : graph.nodes()) {
        if (!isOperator(*node))
            continue;
        const auto shared =
            std::count_if(node->origins.begin(), node->origins.end(), [&](NodeId origin) {
                return std::find(origins.begin(), origins.end(), origin) != origins.end();
            });
        if (shared > most) {
            most = shared;
            out = node.get();
        }
    }
    return out;
}

std::string groupText(const Group& group) {
    return fmt::format("{} by {}", group.name, group.computedBy());
}

} // namespace

Result<std::vector<CounterfactualRecord>>
bookCounterfactuals(PipelineStore& store, const Arguments& arguments, const Context& context,
                    const Graph& graph, const FusionPlan& plan, const std::vector<NodeId>& nodes) {
    std::vector<std::vector<NodeId>> origins;
    for (const NodeId id : nodes)
        origins.push_back(graph.node(id).origins);
    const std::string current = nodes.size() == 1 ? groupText(plan.groupAt(nodes[0])) : "";
    std::vector<CounterfactualRecord> out;
    for (const BookSource& off : arguments.texts) {
        if (!off.text.empty() || !isShippedBook(off.file) || out.size() == mostOff)
            continue;
        Arguments with = arguments;
        std::erase(with.texts, off);
        context.report("plan", "with " + off.file);
        FW_TRY(Pipeline * pipeline, store.find(inputsOf(with)));
        FW_TRY(const Simplified* simplified, pipeline->simplified(context));
        const Result<const FusionPlan*> then = pipeline->plan(context);
        if (!then && then.diag().code == DiagCode::Cancelled)
            return then.diag();
        CounterfactualRecord record;
        record.change = "with " + off.file;
        record.book = off.file;
        std::vector<int> in;
        for (const std::vector<NodeId>& one : origins)
            if (const Node* node = then ? counterpart(*simplified->graph, one) : nullptr) {
                const Group& group = (*then)->groupAt(node->id);
                in.push_back(group.id);
                if (std::string text = groupText(group);
                    std::find(record.groups.begin(), record.groups.end(), text) ==
                    record.groups.end())
                    record.groups.push_back(std::move(text));
            }
        if (in.size() != nodes.size())
            continue; // nothing can be said of it
        record.verdict = nodes.size() == 2                  ? (in[0] == in[1] ? "yes" : "no")
                         : record.groups.front() == current ? "same"
                                                            : "other";
        out.push_back(std::move(record));
    }
    return out;
}

} // namespace fw
