#include "fusion/group_planner.h"

#include "base/stopwatch.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace fw {

GroupPlanner::GroupPlanner(const Graph& graph, const Target& target, const PlanOptions& options)
    : m_graph(graph), m_target(target), m_catalog(*options.catalog), m_book(*options.book),
      m_cancel(options.cancel), m_missing(graph), m_levels(graph), m_facts(graph),
      m_position(graph), m_where(graph), m_reach(graph.nodes().size()), m_pins(graph, m_position) {}

Status GroupPlanner::mayGoOn() const {
    if (m_cancel.cancelled())
        return makeDiag(DiagCode::Cancelled, "planning was cancelled");
    return {};
}

Status GroupPlanner::readFacts() {
    std::size_t position = 0;
    for (const NodePtr& node : m_graph.nodes()) {
        FW_CHECK(mayGoOn());
        m_position.set(node->id, position++);
        if (isOperator(*node)) {
            auto facts = m_graph.operators().find(node->op)->facts(callOf(m_graph, *node));
            m_facts.set(node->id, facts ? facts.take() : Facts());
        }
    }
    return {};
}

std::string GroupPlanner::whyNoGroup(const std::vector<NodeId>& nodes) {
    if (m_graph.nodes().empty() || !m_position.contains(m_graph.nodes().front()->id))
        if (const Status read = readFacts(); !read)
            return read.diag().message;
    return illegal(inOrder(nodes));
}

Result<FusionPlan> GroupPlanner::run() {
    FW_CHECK(readFacts());
    m_pins.read(m_book, m_catalog, m_plan.notices);
    for (const PinRule& pin : m_book.pins())
        if (pin.clause.kind == PinKind::Together)
            holdTogether(pin);
    for (const FuseRule& rule : m_book.fuseRules()) {
        const auto start = std::chrono::steady_clock::now();
        FW_CHECK(mayGoOn());
        const std::size_t before = m_forming.size();
        applyRule(rule);
        std::vector<NodeId> formed;
        for (std::size_t i = before; i < m_forming.size(); ++i)
            formed.push_back(m_forming[i].nodes.front());
        m_plan.asked.push_back(
            {std::move(formed), millisecondsSince(start), std::exchange(m_toldOfRule, {})});
    }
    joinMeasured();
    for (const NodePtr& node : m_graph.nodes()) {
        FW_CHECK(mayGoOn());
        if (!isOperator(*node))
            continue;
        const std::size_t* where = m_where.find(node->id);
        if (where == nullptr)
            form(*node);
        else if (std::exchange(m_forming[*where].waiting, false))
            growOn(*where);
    }
    finish();
    FW_CHECK(mayGoOn());
    return std::move(m_plan);
}

std::string GroupPlanner::labels(const std::vector<NodeId>& ids) const {
    std::string out;
    for (const NodeId id : ids)
        out += (out.empty() ? "" : ", ") + label(id);
    return out;
}

std::string GroupPlanner::edgeName(NodeId from, NodeId to) const {
    return fmt::format("{} -> {}", label(from), label(to));
}

void GroupPlanner::claim(std::size_t group, NodeId id) {
    m_where.set(id, group);
    m_reach.raise(m_position.at(m_forming[group].nodes.front()), m_position.at(id));
}

} // namespace fw
