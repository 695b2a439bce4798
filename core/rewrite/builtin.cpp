#include "rewrite/builtin.h"

#include "tensor/work_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

// Those that read something else behind the last application.
std::vector<NodeId> changedReaders(const RewriteProgress& progress) {
    std::vector<NodeId> out;
    for (const GraphStep::Edit& edit : progress.applications().back().step.edits)
        if (edit.before && edit.after)
            out.push_back(edit.after->id);
    return out;
}

class FoldConstants : public BuiltinRewrite {
public:
    Result<std::size_t> run(RewriteProgress& progress, std::size_t entry) override {
        std::set<std::pair<std::int64_t, NodeId>> waiting; // by rank
        const auto add = [&](const std::vector<NodeId>& nodes) {
            for (const NodeId id : nodes)
                waiting.emplace(progress.editor().rank(id), id);
        };
        add(progress.changedNodes(m_since));
        std::size_t count = 0;
        while (!waiting.empty()) {
            const NodePtr node =
                progress.editor().share(waiting.extract(waiting.begin()).value().second);
            if (!node || node->isLeaf() || node->isUnknown() || node->inputs.empty())
                continue;
            if (progress.options().cancel.cancelled())
                return makeDiag(DiagCode::Cancelled, "rewriting was cancelled");
            FW_TRY(const bool folded, fold(progress, entry, node));
            if (!folded)
                continue;
            ++count;
            add(changedReaders(progress));
        }
        return count;
    }

private:
    static bool isTooLarge(const Node& node, const RewriteOptions& options) {
        std::size_t bytes = 0;
        for (const Output& output : node.outputs) {
            const auto extents = fixedExtents(output.type.shape);
            const Result<std::int64_t> count =
                extents ? checkedCount(*extents) : Result<std::int64_t>(INT64_MAX);
            bytes += count && *count < INT64_MAX / 16
                         ? static_cast<std::size_t>(*count) * dtypeBytes(output.type.dtype)
                         : SIZE_MAX / 4;
        }
        return bytes > options.foldBytes;
    }

    static bool takesTooLong(const Operator& op, const OpCall& call) {
        constexpr std::int64_t most = std::int64_t(1) << 31; // of a stage
        const Result<OpInst> inst = op.instantiate(call);
        return inst && std::any_of(inst->stages.begin(), inst->stages.end(),
                                   [](const Stage& one) { return !checkPoints(one, most); });
    }

    static Result<bool> fold(RewriteProgress& progress, std::size_t entry, const NodePtr& shared) {
        const Node& node = *shared;
        const Graph& graph = progress.graph();
        if (graph.operators().bindsDims(node.op))
            return false; // the dimensions that it binds would be free
        std::vector<const TensorData*> operands;
        for (const ValueRef& input : node.inputs) {
            operands.push_back(input.valid() ? graph.constant(input) : nullptr);
            if (input.valid() &&
                (operands.back() == nullptr || operands.back()->dtype() == DType::Text))
                return false;
        }
        if (isTooLarge(node, progress.options())) {
            progress.decisions.push_back({node.name, Verdict::No, ReasonCode::FoldedConstant,
                                          "the result would be too large"});
            return false;
        }
        const Operator* op = graph.operators().find(node.op);
        if (takesTooLong(*op, callOf(graph, node))) {
            progress.decisions.push_back({node.name, Verdict::No, ReasonCode::FoldedConstant,
                                          "the reference would take too long"});
            return false;
        }
        Result<std::vector<TensorData>> results = op->reference(callOf(graph, node), operands);
        if (!results)
            return false; // stays as it is; whoever runs it says why it cannot
        if (progress.leavesOut("fold_constants", node))
            return false;
        GraphEditor& editor = progress.editor();
        Application out;
        out.entry = entry;
        out.matched = {shared};
        editor.begin();
        editor.remove(node.id);
        for (std::size_t i = 0; i < results->size(); ++i) {
            const ValueRef value{node.id, static_cast<int>(i)};
            const ValueRef folded = editor.addConstant(node.outputs[i].name + "_folded",
                                                       std::move((*results)[i]), node.origins);
            editor.replaceUses(value, folded);
            out.results.emplace_back(value, folded);
        }
        FW_CHECK(editor.settle());
        progress.commit(std::move(out));
        progress.decisions.push_back(
            {node.name, Verdict::Yes, ReasonCode::FoldedConstant, node.op});
        return true;
    }

    std::size_t m_since = 0;
};

class CommonNodes : public BuiltinRewrite {
public:
    Result<std::size_t> run(RewriteProgress& progress, std::size_t entry) override {
        std::size_t count = 0;
        // Round by round, since nodes that are one give their readers the same operands.
        for (std::vector<NodeId> round = progress.changedNodes(m_since); !round.empty();) {
            if (progress.options().cancel.cancelled())
                return makeDiag(DiagCode::Cancelled, "rewriting was cancelled");
            std::vector<NodeId> next;
            for (std::vector<NodePtr>& same : groups(progress.editor(), round)) {
                std::erase_if(same, [&](const NodePtr& node) { // unused since the round began
                    return progress.editor().find(node->id) == nullptr;
                });
                for (std::size_t i = same.size(); i-- > 1;)
                    if (progress.leavesOut("cse", *same[i]))
                        same.erase(same.begin() + std::ptrdiff_t(i));
                if (same.size() < 2)
                    continue;
                count += same.front()->isConstant() ? 0 : same.size() - 1;
                FW_CHECK(merge(progress, entry, same));
                const std::vector<NodeId> readers = changedReaders(progress);
                next.insert(next.end(), readers.begin(), readers.end());
            }
            round = std::move(next);
            progress.sort(round);
            round.erase(std::unique(round.begin(), round.end()), round.end());
        }
        return count;
    }

private:
    // Elements of a constant; the bytes of larger ones are shared when they are packed.
    static constexpr std::size_t mostShared = 64;

    static Hash keyOf(const Node& node) {
        std::string text = node.op + node.attrs.print();
        if (node.isConstant())
            text += node.data->hash().hex();
        for (const ValueRef& input : node.inputs)
            text += fmt::format(" {}.{}", input.node, input.output);
        return hashOf(text);
    }

    // Nodes of this round, and those known before, that compute the same: the first one first.
    std::vector<std::vector<NodePtr>> groups(const GraphEditor& editor,
                                             const std::vector<NodeId>& round) {
        std::vector<std::vector<NodePtr>> out;
        std::map<Hash, std::size_t> place;
        for (const NodeId id : round) {
            const NodePtr node = editor.share(id);
            if (!node || node->isInput() || node->isUnknown() || !node->bodies.empty() ||
                (node->isConstant() && node->data->count() > mostShared))
                continue;
            const Hash key = keyOf(*node);
            m_keys[id] = key;
            NodeId& known = m_known.emplace(key, id).first->second;
            const NodePtr other = known == id ? nullptr : editor.share(known);
            if (!other || m_keys.at(known) != key) { // gone, or reads something else by now
                known = id;
                continue;
            }
            const auto [found, isNew] = place.emplace(key, out.size());
            if (isNew)
                out.push_back({other});
            out[found->second].push_back(node);
        }
        for (std::vector<NodePtr>& same : out) {
            std::stable_sort(same.begin(), same.end(), [&](const NodePtr& a, const NodePtr& b) {
                return editor.rank(a->id) < editor.rank(b->id);
            });
            m_known[m_keys.at(same.front()->id)] = same.front()->id;
        }
        return out;
    }

    static Status merge(RewriteProgress& progress, std::size_t entry,
                        const std::vector<NodePtr>& same) {
        GraphEditor& editor = progress.editor();
        const NodePtr& first = same.front();
        Application out;
        out.entry = entry;
        std::vector<NodeId> origins;
        editor.begin();
        for (const NodePtr& node : same) {
            origins.insert(origins.end(), node->origins.begin(), node->origins.end());
            if (node == first)
                continue;
            out.matched.push_back(node);
            for (std::size_t i = 0; i < node->outputs.size(); ++i) {
                const ValueRef from{node->id, static_cast<int>(i)},
                    to{first->id, static_cast<int>(i)};
                editor.replaceUses(from, to);
                out.results.emplace_back(from, to);
            }
            editor.remove(node->id);
        }
        editor.setOrigins(first->id, std::move(origins));
        FW_CHECK(editor.settle());
        progress.commit(std::move(out));
        return {};
    }

    std::size_t m_since = 0;
    std::map<Hash, NodeId> m_known;
    std::unordered_map<NodeId, Hash> m_keys; // of those that are or were known
};

} // namespace

std::unique_ptr<BuiltinRewrite> makeBuiltin(std::string_view name) {
    if (name == "fold_constants")
        return std::make_unique<FoldConstants>();
    if (name == "cse")
        return std::make_unique<CommonNodes>();
    return nullptr;
}

const std::vector<std::string>& builtinNames() {
    static const std::vector<std::string> names = {"fold_constants", "cse"};
    return names;
}

Diags checkBuiltin(const BuiltinTree& builtin, const std::string& file) {
    if (makeBuiltin(builtin.name) != nullptr)
        return {};
    return {makeDiag(DiagCode::RuleIllegal, "there is no built-in rewrite " + builtin.name,
                     {file, {}, builtin.nameSpan.line, builtin.nameSpan.column},
                     fmt::format("{}", fmt::join(builtinNames(), " or ")))};
}

} // namespace fw
