// Inside fusion: the planner forms groups in three rounds, each of which takes what is still free.
//
//   1. pins of the user             pins.cpp, together.cpp, assemble.cpp
//   2. fusion rules of the books    rules.cpp, assemble.cpp, contest.cpp, composites.cpp
//      and what the log says        measured.cpp
//   3. growth, node by node         grow.cpp, join.cpp, ways.cpp, of the groups of 1 and 2, too
//
// Then every edge that nobody looked at gets its reason, and groups are ordered (finish.cpp).
#pragma once

#include "fusion/group.h"
#include "fusion/pins.h"
#include "fusion/plan_options.h"
#include "fusion/prefix_maxima.h"
#include "ir/bound_dims.h"
#include "ir/missing_type.h"
#include "ir/node_table.h"
#include "rewrite/apply.h"

#include <set>

namespace fw {

// A group being formed.
struct Forming {
    std::vector<NodeId> nodes; // in topological order
    Workload anchor;
    std::shared_ptr<const Selection> chosen;   // null without code; copies of a group share it
    FusionKind kind = FusionKind::Elementwise; // the hardest of its nodes
    bool anchored = false;                     // the anchor is more than a map
    bool given = false;   // by a pin or a rule: it takes others, and joins none
    bool waiting = false; // given, and has not grown yet
    bool held = false;    // a pin or a rule says what computes it: no other anchor takes it
    bool byPin = false;   // the user holds it together
    bool open = false;    // what it took last is in its chain with what follows only
    bool view = false;
    bool opaque = false;
    std::string host;          // why no code is made for it; empty: there is some
    std::string runtimeKernel; // that the runtime has for it instead
    bool stacked = false;      // the implementation does not take all of it
    std::vector<NodeId> call;  // a library's: the anchor and what follows in its call
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
    bool ask(std::string_view name, const Acceptance& answer);
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
    // Why the nodes cannot be one group of the graph, whatever else there is; empty if they can.
    // Asked without a run.
    std::string whyNoGroup(const std::vector<NodeId>& nodes);

private:
    // planner.cpp
    Status mayGoOn() const; // Cancelled
    Status readFacts();
    Workload workload(NodeId id) const { return {&m_graph, &m_graph.node(id), m_facts.at(id)}; }
    const std::string& label(NodeId id) const { return m_graph.node(id).name; }
    std::string labels(const std::vector<NodeId>& ids) const;
    std::string edgeName(NodeId from, NodeId to) const;
    std::string whose(NodeId id, const Forming& group) const; // for CLM01
    void claim(std::size_t group, NodeId id);

    // finish.cpp
    void finish();
    void noteUnread(const Group& group);
    Group describe(const Forming& forming) const; // a group, but for its place among the others
    void describeNodes(Group& group) const;       // its border, name and work
    void describeCode(const Forming& forming, Group& group) const;
    EdgeDecision unvisited(ValueRef value, const Node& reader) const;
    void order(std::vector<Group> groups);

    // grow.cpp
    void form(const Node& seed);
    void growOn(std::size_t group); // as far as it goes
    bool grow(std::size_t group);
    void merge(std::size_t group);
    // What became of the next operators behind a group, up to where all ways out of it meet.
    struct Way {
        bool joined = false;
        std::string why;                 // it did not
        std::vector<EdgeDecision> edges; // to be recorded
    };
    Way takeWay(Forming& group) const;
    struct WaysOut {
        Forming group;               // as it was before any of them
        std::vector<NodeId> readers; // of it
        std::vector<NodeId> all;     // operators on the ways, up to where they meet
    };
    std::vector<NodeId> readBy(NodeId reader, const Forming& group) const; // nodes of the group
    void refuseReader(Way& out, const WaysOut& ways, NodeId reader, std::string_view gate,
                      ReasonCode code, const std::string& why) const;
    bool takeNext(Forming& group, NodeId next, const WaysOut& ways, Way& out) const;
    std::optional<Decision> pull(Forming& group, NodeId next,
                                 std::vector<EdgeDecision>& edges) const;
    bool mergeInto(const Forming& group, const Forming& host, NodeId reader, GateList& gates) const;
    void record(EdgeDecision edge);

    // join.cpp
    bool join(Forming& group, NodeId from, NodeId next, GateList& gates) const;
    bool joinMap(Forming& group, const Workload& next, GateList& gates) const;
    bool sameSpace(const Forming& group, const Node& map, GateList& gates) const;
    bool joinAnchor(Forming& group, const Workload& next, GateList& gates) const;
    // The line of the books about what `reader` reads of a group of that kind.
    const GrowRule* growRule(const Forming& group, NodeId reader, GrowDirection direction) const;
    bool mayCompute(const Selection& selection, NodeId id, GateList& gates) const; // not avoided
    bool mayJoin(const Forming& group, NodeId next, std::size_t count, const GrowRule& rule,
                 GateList& gates) const;

    // ways.cpp
    // Whether it is stored beside what a group makes of the first result of its operator.
    bool isFurther(ValueRef value) const;
    // The readers on all ways out of the group up to the first operator where they meet; empty with
    // a reason if they do not.
    std::vector<NodeId> pathOutside(const Forming& group, const std::vector<NodeId>& readers,
                                    std::string& why) const;
    // Outside, in node order; not of further results.
    std::vector<NodeId> readersOf(const Forming& group) const;
    // Why the two cannot be computed by one kernel: what it needs is not known at one time.
    std::optional<std::string> knownLater(NodeId a, NodeId b) const;
    std::size_t operandCount(const std::set<NodeId>& nodes) const;
    // A way from the nodes through others and back: "a, d, b"; empty if there is none.
    std::string wayBack(const std::set<NodeId>& nodes) const;

    // together.cpp
    void holdTogether(const PinRule& pin);
    // What computes nodes that a pin holds together.
    struct Held {
        NodeId anchor = -1;
        Selection selection;
        bool wished = false; // a pin wants this implementation
        bool melts = false;
        std::string refusal; // the pin cannot be followed
    };
    Held heldBy(const PinRule& pin, const std::vector<NodeId>& nodes);
    void refusePin(const PinRule& pin, std::string why);
    std::string pinned(NodeId id) const { return m_pins.use(id); }
    // A `use` of one of the nodes that could be followed, but not by the selection: "generated.map
    // for relu".
    std::string wishAgainst(const std::vector<NodeId>& nodes, const Selection& selection) const;
    void tellPinsNotFollowed();

    // rules.cpp
    void applyRule(const FuseRule& rule);
    void applyRuleAt(const Node& root, const FuseRule& rule, Matcher& matcher,
                     const TargetOffer& offer, std::size_t& alone);
    bool isMeant(const FuseRule& rule, const TargetOffer& offer) const;
    bool isOfUser(const FuseRule& rule) const; // a composite of a library that a book declares
    void tellOfRule(const FuseRule& rule, const Node& root, Decision told);
    // A match as a group, with what there is to tell of it; or why it is none.
    struct Made {
        std::optional<Forming> group;
        Decision told; // of a group: only if it has a subject
        int step = 0;
        // Of a kernel that refused it, with the anchor: others that compute that are told of it.
        std::optional<std::pair<NodeId, Candidate>> call;
    };
    enum Step { Illegal = 1, NoCode, NotAbsorbed, TooDear }; // Refusal::step
    Made refused(Step step, std::string why) const;
    Made groupOf(const FuseRule& rule, const std::vector<NodeId>& nodes, const Node& root) const;
    std::optional<std::string> takeLibrary(const std::string& name,
                                           const std::vector<NodeId>& nodes, NodeId anchor,
                                           Selection& selection) const;
    std::string wishOf(const FuseTree& tree, NodeId anchor) const;
    // `place` is that of the rule or pin; `wish` the implementation that a pin wants for the whole.
    void melt(Forming& group, const std::string& place, const std::string& wish) const;
    void meltHeld(Forming& group, const FuseRule& rule, Matcher& matcher,
                  const TargetOffer& offer) const;
    Made besideCall(const FuseRule& rule, const std::vector<NodeId>& nodes, const Node& root,
                    const std::string& own, const std::string& ofCall) const;
    // measured.cpp: groups and their operators apart, by the times of the log.
    // Why the group is none: its operators apart are faster than by any that could compute it.
    std::string fasterApart(const Forming& group) const;
    // Of stages inside the loops of others and nests one behind the other the faster; false: the
    // log does not say.
    bool meltByLog(Selection& chosen, Candidate& melted, const Forming& group) const;
    void joinMeasured(); // groups that are faster than their operators apart
    // composites.cpp: of a library that a book declares. The kernel that the composite names is
    // asked for the whole match.
    Made kernelGroup(const FuseRule& rule, const Library& library,
                     const std::vector<NodeId>& nodes) const;

    // assemble.cpp
    // For one node, or the anchor of a group of these, of which none is avoided.
    Selection choose(NodeId id, const std::string& use) const { return choose(id, use, {id}); }
    Selection choose(NodeId anchor, const std::string& use, const std::vector<NodeId>& nodes) const;
    // Of the candidates that are code of ours, the one that would compute the node; empty if none.
    std::string bestOwn(const Selection& selection) const;
    // Why the nodes cannot be one group at all; empty if they can.
    std::string illegal(const std::vector<NodeId>& nodes) const;
    // A group of exactly these nodes by that selection; `refusal` tells what its implementation
    // does not take.
    Forming assemble(const std::vector<NodeId>& nodes, NodeId anchor, Selection selection,
                     std::string& refusal) const;
    Forming assembleBy(const Computing& by, const std::vector<NodeId>& nodes, NodeId anchor,
                       std::string& refusal) const;
    // For what computes them where no branch does.
    Forming assemblePlain(const std::vector<NodeId>& nodes, NodeId anchor, Selection selection,
                          std::string& refusal) const;
    bool continuesCall(const Forming& group, const Node& node) const;
    NodeId anchorOf(const std::vector<NodeId>& nodes) const;
    std::vector<NodeId> inOrder(std::vector<NodeId> nodes) const;

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
    PrefixMaxima m_reach;              // by the first position of a group: its last one
    std::vector<Forming> m_forming;    // merged ones are left empty
    std::map<std::pair<NodeId, NodeId>, EdgeDecision> m_edges;
    GraphPins m_pins;
    std::map<NodeId, std::string> m_useRefused;            // why another computes it
    std::vector<std::pair<NodeId, Decision>> m_toldOfRule; // AskedRule::told of the one asked
    std::map<NodeId, Candidates> m_refusedCalls; // by the anchor of what a composite matched
    SharedTexts m_evidence;                      // of gates, of which most say the same
    FusionPlan m_plan;
};

} // namespace fw
