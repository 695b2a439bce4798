// FusionPlan: groups and implementations chosen together, a reason for every edge.
//
// Groups are convex and partition the operators (inputs and constants belong to none). A group is
// computed by one implementation, chosen for its anchor; what joins the anchor is what that
// implementation said it absorbs, asked step by step while the group grows. Deterministic: nodes
// are visited in topological order, ties go by order.
#pragma once

#include "base/decision.h"
#include "base/shared_text.h"
#include "ir/storage_map.h"
#include "strategy/selection.h"

#include <map>
#include <optional>

namespace fw {

struct Gate {
    std::string_view name; // written in the planner
    bool pass = false;
    SharedText evidence; // of one that failed, empty: that of the decision
};

// The gate whose evidence is the place of the growth rule that was asked.
inline constexpr std::string_view growthGate = "the kinds may join";

// What was considered for one edge of the graph. The first gate that fails decides.
struct EdgeDecision {
    NodeId from = -1;
    NodeId to = -1;
    Decision decision;
    std::vector<Gate> gates;
};

// View: nothing is computed. Kernel: loops of ours. Call: a library's. Parts: a library's call with
// kernels before or behind it. Choice: one of several ways, by the sizes. Opaque: an operator that
// nothing computes; what it reads is made, and its results have to be given. Host: one that no code
// is made for; a kernel of the runtime computes it, or its reference.
enum class GroupKind : std::uint8_t { View, Kernel, Call, Parts, Choice, Opaque, Host };

struct Group {
    int id = -1;
    GroupKind kind = GroupKind::Kernel;
    std::string name;          // from its operators: "conv2d_bias_relu_3"
    std::vector<NodeId> nodes; // in topological order
    NodeId anchor = -1;
    std::string implementation; // as the book names it; empty without code
    ImplementationPtr by;       // the code behind it; null where there is none
    std::string source;         // what decided: "pin", "priority", "only", "cost", "order", "log"
    bool untuned = false;       // Selection::untuned
    std::vector<Candidate> candidates;
    std::vector<ValueRef> inputs;  // read from outside, in order of first use
    std::vector<ValueRef> outputs; // used outside or results
    Facts work;                    // sums over the nodes; bytes are those that cross the border
    double estimateUs = 0;
    // Stages that the implementation did not absorb but that belong to the group by the user's
    // will: they are computed in nests of their own. Of a library: its call is one stage of the
    // group.
    bool stacked = false;
    std::vector<NodeId> call;  // what a library's call takes of a pinned group, from the anchor on
    Decisions warnings;        // extern-in-group
    std::string runtimeKernel; // of GroupKind::Host: what the runtime has for it; empty: nothing
    // Of GroupKind::Parts, in order of execution; of a Choice, the ways to compute it: the first
    // whose `when` holds, else the last. Without ids.
    std::vector<Group> parts;
    int branch = -1;          // of a Choice: which of its parts
    std::optional<Expr> when; // of one of them but the last
    Lowering lowering;        // of a kernel; calls of libraries are made when they are compiled

    bool isView() const { return kind == GroupKind::View; }
    bool isOpaque() const { return kind == GroupKind::Opaque; }
    bool isHost() const { return kind == GroupKind::Host; }
    bool hasCode() const { return !isView() && !isOpaque() && !isHost(); }
    void becomeView();
    // For people: the implementation, "view", "opaque", "reference", "runtime.compact".
    std::string computedBy() const;
};

// What became of a fusion rule.
struct AskedRule {
    std::vector<NodeId> formed;                    // a node of each group that it made
    double ms = 0;                                 // that looking for it and forming them took
    std::vector<std::pair<NodeId, Decision>> told; // of the roots at which it made none
};

struct FusionPlan {
    std::vector<Group> groups; // in an order in which they can run
    std::map<NodeId, int> groupOf;
    std::vector<EdgeDecision> edges;        // every edge between operators, in node order
    std::map<ValueRef, StorageMap> layouts; // values not listed are row-major
    std::map<ValueRef, ValueRef> homes;     // a value without memory of its own -> what it lies in
    Decisions notices;
    std::vector<AskedRule> asked; // FusionBook::fuseRules(), one by one
    double lowerMs = 0;           // what schedules and loops took of making it

    const Group& groupAt(NodeId node) const;
    const EdgeDecision* edge(NodeId from, NodeId to) const;
    StorageMap layout(ValueRef value) const;
};

double bytesOf(const Graph& graph, ValueRef value); // free dimensions count as 1

bool isOperator(const Node& node); // groups are made of these: no input, no constant

// True if the node hands on its first operand's elements in the same order (reshape and its
// spellings).
bool isView(const Graph& graph, const Node& node);

} // namespace fw
