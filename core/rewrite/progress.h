// A graph on its way through a book: what was done to it, and what that changed.
#pragma once

#include "rewrite/driver.h"
#include "rewrite/rule_reach.h"

#include <unordered_map>

namespace fw {

class RewriteProgress {
public:
    RewriteProgress(const Graph& graph, const RewriteOptions& options);

    GraphEditor& editor() { return m_editor; }
    const Graph& graph() { return m_editor.graph(); }
    const RewriteOptions& options() const { return m_options; }
    std::size_t operators() const { return m_operators; }
    // Whether the user does not want it; then it is told.
    bool leavesOut(const std::string& rule, const Node& first);

    // Ends the step of the editor, which is settled, as the next application.
    void commit(Application application);
    const std::vector<Application>& applications() const { return m_applications; }
    std::vector<Application> takeApplications() { return std::move(m_applications); }
    // The application that created a node, -1: none.
    std::ptrdiff_t makerOf(NodeId node) const;

    // Where one who asked last at `since`, 0 at first, must ask again, by rank; `since` moves on.
    std::vector<NodeId> toAsk(const RuleReach& reach, std::size_t& since);
    // Nodes that were created or read something else, by rank; all of them at first.
    std::vector<NodeId> changedNodes(std::size_t& since);
    void sort(std::vector<NodeId>& nodes) const; // by rank
    const NodeIndex& index(); // of the graph as it is; kept up to date from the first call on

    Decisions decisions;

private:
    struct Changed {
        NodeId node;
        bool readersOnly; // other operators read its values than before
    };

    int numberOf(const std::string& op);
    void know(const Node& node);
    void note(const GraphStep& step);
    std::vector<NodeId> everyRoot(const RuleReach& reach);
    bool canBegin(const RuleReach& reach, NodeId node) const;
    std::size_t readersOf(NodeId node);

    GraphEditor m_editor;
    const RewriteOptions& m_options;
    std::size_t m_operators = 0;
    std::vector<Application> m_applications;
    std::vector<Changed> m_changed;
    std::unordered_map<std::string, int> m_numbers; // of operators
    std::vector<std::vector<NodeId>> m_byOperator;  // may name nodes that are gone
    std::vector<int> m_operatorOf;                  // by id
    std::vector<std::ptrdiff_t> m_maker;            // by id
    std::vector<std::uint32_t> m_seen;              // by id: the search that met it
    std::uint32_t m_search = 0;
    std::optional<NodeIndex> m_index;
    std::vector<bool> m_wanted; // by number: operators that can begin what is searched for
};

} // namespace fw
