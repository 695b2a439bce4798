// Inside fusion: the planner forms groups in three rounds, each of which takes what is still free.
//
//   1. pins of the user             rules.cpp
//   2. fusion rules of the books    rules.cpp, contest.cpp, composites.cpp
//   3. growth, node by node         grow.cpp
//
// Then every edge that nobody looked at gets its reason, and groups are ordered (plan.cpp).
#pragma once

#include "fusion/plan.h"
#include "ir/bound_dims.h"
#include "ir/missing_type.h"
#include "ir/node_table.h"

#include <set>

namespace fw {

bool isOperator(const Node& node);
bool isMapKind(FusionKind kind);

// A group being formed.
struct Forming {
    std::vector<NodeId> nodes; // in topological order
    Workload anchor;
    std::shared_ptr<const Selection> chosen;   // null without code; copies of a group share it
    FusionKind kind = FusionKind::Elementwise; // the hardest of its nodes
    bool anchored = false;                     // the anchor is more than a map
    bool closed = false;                       // formed by a pin or a rule: it does not grow
    bool view = false;
    bool opaque = false;
    std::string host;         // why no code is made for it; empty: there is some
    std::string runtimeKernel; // that the runtime has for it instead
    bool stacked = false;     // the implementation does not take all of it
    std::vector<NodeId> call; // a library's: the anchor and what follows in its call
    Decisions warnings;

    const Selection& selection() const; // empty without code
    void choose(Selection selection);
    bool has(NodeId id) const;
    Growing growing() const; // what the anchor's implementation took behind it
};

// The gates of one edge, in order; the first that fails names the reason.
class GateList {
public:
    explicit GateList(std::string subject) { m_edge.decision.subject = std::move(subject); }

    bool pass(std::string_view name, bool ok, ReasonCode code, std::string evidence);
    bool ask(std::string_view name, const Answer& answer);
    bool passed() const { return m_edge.decision.verdict == Verdict::Yes; }
    std::string reason() const { return m_edge.decision.sentence(); }
    EdgeDecision take(NodeId from, NodeId to) const;

private:
    void decide(Verdict verdict, ReasonCode code, std::string evidence);
    EdgeDecision m_edge;
};

class GroupPlanner {
public:
    GroupPlanner(const Graph& graph, const Target& target, const PlanOptions& options);
    Result<FusionPlan> run();

private:
    // plan.cpp
    Status mayGoOn() const; // Cancelled
    Workload workload(NodeId id) const { return {&m_graph, &m_graph.node(id), m_facts.at(id)}; }
    const std::string& label(NodeId id) const { return m_graph.node(id).name; }
    std::string labels(const std::vector<NodeId>& ids) const;
    std::string edgeName(NodeId from, NodeId to) const;
    std::string whose(NodeId id, const Forming& group) const; // for CLM01
    void claim(std::size_t group, NodeId id);
    void finish();
    void noteUnread(const Group& group);
    Group describe(const Forming& forming) const; // a group, but for its place among the others
    EdgeDecision unvisited(ValueRef value, const Node& reader) const;
    void order(std::vector<Group> groups);

    // grow.cpp
    void form(const Node& seed);
    bool grow(std::size_t group);
    void merge(std::size_t group);
    // The readers on all ways out of the group up to the first operator where they meet; empty with
    // a reason if they do not.
    std::vector<NodeId> wayOut(const Forming& group, const std::vector<NodeId>& readers,
                               std::string& why) const;
    std::optional<Decision> pull(Forming& group, NodeId next,
                                 std::vector<EdgeDecision>& edges) const;
    bool join(Forming& group, NodeId from, NodeId next, GateList& gates) const;
    bool joinMap(Forming& group, const Workload& next, GateList& gates) const;
    bool sameSpace(const Forming& group, const Node& map, GateList& gates) const;
    bool joinAnchor(Forming& group, const Workload& next, GateList& gates) const;
    bool mayJoin(const Forming& group, NodeId next, std::size_t count, const GrowRule& rule,
                 GateList& gates) const;
    bool mergeInto(const Forming& group, const Forming& host, NodeId reader, GateList& gates) const;
    std::vector<NodeId> readersOf(const Forming& group) const; // outside, in node order
    // Why the two cannot be computed by one kernel: what it needs is not known at one time.
    std::optional<std::string> knownLater(NodeId a, NodeId b) const;
    std::size_t operandCount(const std::set<NodeId>& nodes) const;
    // A way from the nodes through others and back: "a, d, b"; empty if there is none.
    std::string wayBack(const std::set<NodeId>& nodes) const;
    void record(EdgeDecision edge);

    // rules.cpp
    void readPins();
    std::optional<std::vector<NodeId>> pinnedNodes(const PinRule& pin);
    void refusePin(const PinRule& pin, std::string why);
    void holdTogether(const PinRule& pin);
    std::optional<std::string> apart(NodeId a, NodeId b) const; // the pin that says so
    std::string pinned(NodeId id) const;
    void avoid(const PinRule& pin);
    const Avoided* avoided(NodeId id, const std::string& code, const std::string& library) const;
    Selection choose(NodeId id, const std::string& use) const;
    void applyRule(const FuseRule& rule);
    // composites.cpp: of a library that a book declares. The kernel that the composite names is
    // asked for the whole match; what it refuses is a candidate that others are told of.
    void callKernel(const FuseRule& rule, const Library& library, const Node& root,
                    const std::vector<NodeId>& nodes);
    // Who reads an inner value of a match that the rule does not expose; empty if nobody does.
    std::string escapeFrom(const RuleTree& rule, const Match& match) const;
    // Of the candidates that are code of ours, the one that would compute the node; empty if none.
    std::string bestOwn(const Selection& selection) const;
    // Why the nodes cannot be one group at all; empty if they can.
    std::string illegal(const std::vector<NodeId>& nodes) const;
    // A group of exactly these nodes by that selection; `refusal` tells what its implementation
    // does not take.
    Forming assemble(const std::vector<NodeId>& nodes, NodeId anchor, Selection selection,
                     std::string& refusal) const;
    NodeId anchorOf(const std::vector<NodeId>& nodes) const;

    // contest.cpp
    // What growth alone makes of a group's operators, and what that costs.
    struct Split {
        double us = 0;
        std::string groups; // "batch_matmul_1 by onednn.matmul 9.1 us, ..."
    };
    Result<Split> split(const Forming& group) const;
    double costOf(const Forming& group) const; // microseconds, estimated
    void add(Forming group, std::string_view gate, ReasonCode code, const std::string& evidence);

    const Graph& m_graph;
    const Target& m_target;
    const Catalog& m_catalog;
    const FusionBook& m_book;
    const CancelToken m_cancel;
    MissingTypes m_missing;
    BindingLevels m_levels;
    NodeTable<Facts> m_facts;
    NodeTable<std::size_t> m_position; // in topological order
    NodeTable<std::size_t> m_where;    // node -> its group
    std::size_t m_lastClaimed = 0;     // position of the last node that a group has
    std::vector<Forming> m_forming;    // merged ones are left empty
    std::map<std::pair<NodeId, NodeId>, EdgeDecision> m_edges;
    std::map<std::pair<NodeId, NodeId>, std::string> m_apart;
    std::map<NodeId, std::string> m_use; // the implementation that the user wants
    std::map<NodeId, std::vector<Avoided>> m_avoid;
    std::vector<Avoided> m_avoidAlways;
    std::map<NodeId, Candidates> m_refusedCalls; // by the anchor of what a composite matched
    SharedTexts m_evidence;                      // of gates, of which most say the same
    FusionPlan m_plan;
};

} // namespace fw
