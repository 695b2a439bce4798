// Steps of a GraphEditor: bundles of edits that are checked together and can be undone.
#include "ir/missing_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace fw {

namespace {

std::size_t placeOfNode(NodeId id) {
    return static_cast<std::size_t>(id);
}

bool isAmong(const std::vector<Assumption>& list, const Assumption& assumption) {
    return std::any_of(list.begin(), list.end(), [&](const Assumption& known) {
        return known.condition == assumption.condition;
    });
}

} // namespace

void GraphEditor::begin() {
    if (m_inStep)
        throw InternalError("a step inside a step");
    graph();
    m_inStep = true;
    ++m_bundle;
    m_demands.clear();
}

void GraphEditor::endStep() {
    m_inStep = false;
    ++m_bundle;
    m_before.clear();
    m_going.clear();
    m_perhapsUnused.clear();
    m_otherTypes.clear();
    m_handedResults.clear();
    m_handedReaders.clear();
    m_handedRank = -1;
    m_stepAssumptions.clear();
    m_ranksBefore.clear();
}

bool GraphEditor::isUsed(const Node& node) const {
    if (m_graph.operators().bindsDims(node.op))
        return true; // by types, which removeUnused() looks at
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        if (!m_readers[m_graph.m_firstValue[placeOfNode(node.id)] + i].empty())
            return true;
    return std::any_of(m_graph.m_results.begin(), m_graph.m_results.end(),
                       [&](const NamedValue& result) { return result.value.node == node.id; });
}

Status GraphEditor::removeGoing() {
    const std::set<NodeId> going(m_going.begin(), m_going.end());
    for (const NodeId id : going)
        if (const Node* node = find(id))
            for (std::size_t i = 0; i < node->outputs.size(); ++i) {
                const ValueRef value{id, static_cast<int>(i)};
                for (const Use& use : m_graph.uses(value))
                    if (!going.contains(use.node))
                        return makeDiag(DiagCode::GraphInvalid,
                                        fmt::format("it takes {} out, which {} reads", node->name,
                                                    find(use.node)->name),
                                        {{}, node->name});
                if (m_graph.isResult(value))
                    return makeDiag(
                        DiagCode::GraphInvalid,
                        fmt::format("it takes {} out, a result of the model", node->name),
                        {{}, node->name});
            }
    for (const NodeId id : going)
        if (has(id))
            drop(id, Names::AreFree);
    return {};
}

void GraphEditor::removeUnusedOfStep() {
    while (!m_perhapsUnused.empty()) {
        const NodeId id = m_perhapsUnused.back();
        m_perhapsUnused.pop_back();
        if (const Node* node = find(id);
            node != nullptr && !node->isInput() && !isForeignInput(*node) && !isUsed(*node))
            drop(id);
    }
}

// Ranks never fall from what is read to its reader, so a cycle lies among nodes of equal rank.
// Where rules move an operator along a chain there are as many of those as moves, on one side of
// it: the search goes from both ends in turn, and is over when one of them has nowhere to go.
bool GraphEditor::leadsTo(NodeId from, NodeId to) const {
    const std::int64_t equal = rank(to);
    std::set<NodeId> behind{from}, before{to};
    std::vector<NodeId> down{from}, up{to};
    while (!down.empty() && !up.empty()) {
        const NodeId lower = down.back(), upper = up.back();
        down.pop_back();
        up.pop_back();
        if (before.contains(lower) || behind.contains(upper))
            return true;
        for (std::size_t i = 0; i < find(lower)->outputs.size(); ++i)
            for (const Use& use : m_graph.uses({lower, static_cast<int>(i)}))
                if (rank(use.node) == equal && behind.insert(use.node).second)
                    down.push_back(use.node);
        for (const ValueRef& input : find(upper)->inputs)
            if (input.valid() && rank(input.node) == equal && before.insert(input.node).second)
                up.push_back(input.node);
    }
    return false;
}

Status GraphEditor::placeAdded() {
    std::int64_t last = m_handedRank;
    std::vector<NodeId> added;
    for (const auto& [id, before] : m_before)
        if (!before && has(id))
            added.push_back(id);
    for (const NodeId id : added)
        for (const ValueRef& input : find(id)->inputs)
            if (input.valid() && !std::binary_search(added.begin(), added.end(), input.node))
                last = std::max(last, rank(input.node));
    if (m_handedRank >= 0)
        for (const NodeId id : added)
            m_rank[placeOfNode(id)] = last;
    // Of several results that stand apart, the readers of the first ones move behind the last.
    std::vector<NodeId> open;
    const auto stepBehind = [&](NodeId id, std::int64_t least) {
        if (rank(id) >= least)
            return;
        m_ranksBefore.insert(m_ranksBefore.end(), {id, rank(id)});
        m_rank[placeOfNode(id)] = least;
        open.push_back(id);
    };
    for (const auto& [reader, read] : m_handedReaders)
        if (has(reader) && has(read))
            stepBehind(reader, rank(read));
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        for (std::size_t i = 0; i < find(id)->outputs.size(); ++i)
            for (const Use& use : m_graph.uses({id, static_cast<int>(i)}))
                stepBehind(use.node, rank(id));
    }
    for (const auto& [reader, read] : m_handedReaders)
        if (has(reader) && has(read) && rank(reader) == rank(read) && leadsTo(reader, read))
            return makeDiag(DiagCode::OnnxCycle, "it makes an operator depend on its own result",
                            {{}, find(read)->name});
    return {};
}

Status GraphEditor::inferReaders() {
    std::set<std::pair<std::int64_t, NodeId>> open;
    for (const NodeId id : m_otherTypes)
        open.emplace(rank(id), id);
    while (!open.empty()) {
        const NodeId id = open.begin()->second;
        open.erase(open.begin());
        const Node* node = find(id);
        if (node == nullptr || node->isLeaf() || node->isUnknown() || node->isCall())
            continue;
        FW_TRY(Inferred inferred, infer(*node));
        for (Assumption& assumption : inferred.assumptions)
            if (!isAmong(m_graph.m_assumptions, assumption) &&
                !isAmong(m_stepAssumptions, assumption)) {
                assumption.node = assumption.node.empty() ? node->name : assumption.node;
                m_demands.push_back(assumption);
                m_stepAssumptions.push_back(std::move(assumption));
            }
        for (std::size_t i = 0; i < inferred.outputs.size(); ++i) {
            if (find(id)->outputs[i].type == inferred.outputs[i])
                continue;
            own(id).outputs[i].type = std::move(inferred.outputs[i]);
            for (const Use& use : m_graph.uses({id, static_cast<int>(i)}))
                open.emplace(rank(use.node), use.node);
        }
    }
    return {};
}

Status GraphEditor::settle() {
    FW_CHECK(removeGoing());
    removeUnusedOfStep();
    FW_CHECK(placeAdded());
    return inferReaders();
}

GraphStep GraphEditor::commit() {
    GraphStep out;
    for (auto& [id, before] : m_before)
        if (const NodePtr& after = m_graph.m_byId[placeOfNode(id)]; before || after)
            out.edits.push_back({before, after, m_rank[placeOfNode(id)]});
    const std::size_t changed = out.edits.size();
    for (std::size_t i = 0; i < m_ranksBefore.size(); i += 2)
        if (const NodePtr node = share(m_ranksBefore[i]);
            node && m_before.emplace(node->id, node).second)
            out.edits.push_back({node, node, rank(node->id)});
    if (out.edits.size() > changed)
        std::sort(out.edits.begin(), out.edits.end(), [](const auto& a, const auto& b) {
            return (a.before ? a.before : a.after)->id < (b.before ? b.before : b.after)->id;
        });
    out.results = std::move(m_handedResults);
    out.assumptions = std::move(m_stepAssumptions);
    m_graph.m_assumptions.insert(m_graph.m_assumptions.end(), out.assumptions.begin(),
                                 out.assumptions.end());
    endStep();
    return out;
}

void GraphEditor::putAll(const std::vector<std::pair<NodeId, NodePtr>>& nodes) {
    m_isSorted = false;
    for (const auto& [id, node] : nodes)
        if (has(id))
            drop(id);
    for (const auto& [id, node] : nodes) {
        grow(id);
        m_graph.m_byId[placeOfNode(id)] = node;
        m_typed[placeOfNode(id)] = true;
        m_ownedIn[placeOfNode(id)] = 0;
    }
    for (const auto& [id, node] : nodes)
        if (node) {
            linkAll(*node);
            if (m_namesKnown)
                takeNames(*node);
        }
}

void GraphEditor::rollback() {
    for (auto handed = m_handedResults.rbegin(); handed != m_handedResults.rend(); ++handed)
        m_graph.m_results[handed->index].value = handed->before;
    for (std::size_t i = m_ranksBefore.size(); i > 0; i -= 2)
        m_rank[placeOfNode(m_ranksBefore[i - 2])] = m_ranksBefore[i - 1];
    const std::vector<std::pair<NodeId, NodePtr>> before(m_before.begin(), m_before.end());
    const std::vector<NodeId> going = std::move(m_going);
    endStep();
    putAll(before);
    for (const NodeId id : going)
        if (const Node* node = find(id); node != nullptr && m_namesKnown)
            takeNames(*node);
}

void GraphEditor::redo(const GraphStep& step) {
    graph();
    std::vector<std::pair<NodeId, NodePtr>> nodes;
    for (const GraphStep::Edit& edit : step.edits) {
        const NodeId id = edit.before ? edit.before->id : edit.after->id;
        nodes.emplace_back(id, edit.after);
        m_graph.m_nextId = std::max(m_graph.m_nextId, id + 1);
    }
    putAll(nodes);
    for (const GraphStep::Edit& edit : step.edits)
        if (edit.after)
            m_rank[placeOfNode(edit.after->id)] = edit.rank;
    for (const GraphStep::Result& handed : step.results)
        m_graph.m_results[handed.index].value = handed.after;
    m_graph.m_assumptions.insert(m_graph.m_assumptions.end(), step.assumptions.begin(),
                                 step.assumptions.end());
}

} // namespace fw
