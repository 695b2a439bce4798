#include "rewrite/progress.h"

#include <algorithm>

namespace fw {

namespace {

std::size_t indexOf(NodeId id) {
    return static_cast<std::size_t>(id);
}

} // namespace

RewriteProgress::RewriteProgress(const Graph& graph, const RewriteOptions& options)
    : m_editor(graph), m_options(options) {
    m_editor.removeUnused();
    for (const NodePtr& node : this->graph().nodes())
        know(*node);
}

int RewriteProgress::numberOf(const std::string& op) {
    const auto [found, isNew] = m_numbers.emplace(op, static_cast<int>(m_byOperator.size()));
    if (isNew)
        m_byOperator.emplace_back();
    return found->second;
}

void RewriteProgress::know(const Node& node) {
    const int number = numberOf(node.op);
    m_byOperator[static_cast<std::size_t>(number)].push_back(node.id);
    if (indexOf(node.id) >= m_operatorOf.size()) {
        m_operatorOf.resize(indexOf(node.id) + 1, -1);
        m_maker.resize(indexOf(node.id) + 1, -1);
        m_seen.resize(indexOf(node.id) + 1, 0);
    }
    m_operatorOf[indexOf(node.id)] = number;
    m_operators += node.isLeaf() ? 0 : 1;
}

std::ptrdiff_t RewriteProgress::makerOf(NodeId node) const {
    return indexOf(node) < m_maker.size() ? m_maker[indexOf(node)] : -1;
}

bool RewriteProgress::leavesOut(const std::string& rule, const Node& first) {
    if (!m_options.leftOut.contains({rule, first.name}))
        return false;
    decisions.push_back({leftOutText(rule, first.name), Verdict::No, ReasonCode::RuleLeftOut, {}});
    return true;
}

void RewriteProgress::commit(Application application) {
    application.step = m_editor.commit();
    note(application.step);
    m_applications.push_back(std::move(application));
}

void RewriteProgress::note(const GraphStep& step) {
    const auto readers = [&](const Node& node) {
        for (const ValueRef& input : node.inputs)
            if (input.valid())
                m_changed.push_back({input.node, true});
    };
    for (const GraphStep::Edit& edit : step.edits) {
        if (m_index && edit.after)
            m_index->put(*edit.after, edit.rank);
        else if (m_index)
            m_index->drop(*edit.before);
        if (edit.before)
            readers(*edit.before);
        if (!edit.after) {
            m_operators -= edit.before->isLeaf() ? 0 : 1;
            continue;
        }
        readers(*edit.after);
        if (!edit.before) {
            know(*edit.after);
            m_maker[indexOf(edit.after->id)] = static_cast<std::ptrdiff_t>(m_applications.size());
        }
        m_changed.push_back({edit.after->id, false});
    }
    for (const GraphStep::Result& result : step.results)
        for (const ValueRef& value : {result.before, result.after})
            m_changed.push_back({value.node, true});
}

void RewriteProgress::sort(std::vector<NodeId>& nodes) const {
    std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
        const std::int64_t left = m_editor.rank(a), right = m_editor.rank(b);
        return left != right ? left < right : a < b;
    });
}

const NodeIndex& RewriteProgress::index() {
    if (!m_index) {
        m_index.emplace();
        for (const NodePtr& node : graph().nodes())
            m_index->put(*node, m_editor.rank(node->id));
    }
    return *m_index;
}

std::vector<NodeId> RewriteProgress::everyRoot(const RuleReach& reach) {
    std::vector<NodeId> out;
    const auto add = [&](std::vector<NodeId>& nodes) {
        std::erase_if(nodes, [&](NodeId id) { return m_editor.find(id) == nullptr; });
        out.insert(out.end(), nodes.begin(), nodes.end());
    };
    if (reach.anyRoot)
        for (std::vector<NodeId>& nodes : m_byOperator)
            add(nodes);
    else
        for (const std::string& op : reach.roots)
            if (const auto found = m_numbers.find(op); found != m_numbers.end())
                add(m_byOperator[static_cast<std::size_t>(found->second)]);
    sort(out);
    return out;
}

bool RewriteProgress::canBegin(const RuleReach& reach, NodeId node) const {
    return reach.anyRoot || m_wanted[static_cast<std::size_t>(m_operatorOf[indexOf(node)])];
}

std::size_t RewriteProgress::readersOf(NodeId node) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < m_editor.find(node)->outputs.size(); ++i)
        out += graph().uses({node, static_cast<int>(i)}).size();
    return out;
}

std::vector<NodeId> RewriteProgress::toAsk(const RuleReach& reach, std::size_t& since) {
    const std::size_t first = since;
    since = m_changed.size() + 1;
    if (first == since)
        return {};
    if (first == 0 || !reach.depth)
        return everyRoot(reach);
    std::vector<NodeId> out;
    m_wanted.assign(m_byOperator.size(), false);
    for (const std::string& op : reach.roots)
        if (const auto found = m_numbers.find(op); found != m_numbers.end())
            m_wanted[static_cast<std::size_t>(found->second)] = true;
    ++m_search;
    std::vector<NodeId> level, next;
    const auto meet = [&](NodeId id, std::vector<NodeId>& into) {
        if (m_editor.find(id) == nullptr || m_seen[indexOf(id)] == m_search)
            return;
        m_seen[indexOf(id)] = m_search;
        into.push_back(id);
    };
    for (std::size_t i = first - 1; i < m_changed.size(); ++i) {
        const auto& [node, readersOnly] = m_changed[i];
        if (m_editor.find(node) != nullptr &&
            (!readersOnly || !reach.readers || readersOf(node) <= *reach.readers))
            meet(node, level);
    }
    if (reach.several) // down to what the patterns share, and from there to their roots
        for (std::size_t begin = 0, step = 0; step < *reach.depth; ++step) {
            const std::size_t end = level.size();
            for (; begin < end; ++begin)
                for (const ValueRef& input : m_editor.find(level[begin])->inputs)
                    if (input.valid())
                        meet(input.node, level);
        }
    for (std::size_t step = 0; !level.empty(); ++step) {
        next.clear();
        for (const NodeId id : level) {
            if (canBegin(reach, id))
                out.push_back(id);
            if (step == *reach.depth)
                continue;
            for (std::size_t i = 0; i < m_editor.find(id)->outputs.size(); ++i)
                for (const Use& use : graph().uses({id, static_cast<int>(i)}))
                    meet(use.node, next);
        }
        std::swap(level, next);
    }
    sort(out);
    return out;
}

std::vector<NodeId> RewriteProgress::changedNodes(std::size_t& since) {
    RuleReach reach;
    reach.anyRoot = true;
    reach.depth = 0;
    reach.readers = 0; // who reads a node does not matter
    return toAsk(reach, since);
}

} // namespace fw
