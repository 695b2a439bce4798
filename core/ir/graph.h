// Graph: an immutable snapshot of an operator graph. A pass is a function from snapshot to
// snapshot.
//
// Graph inputs and constants are nodes too (operators "input" and "constant"), so a value is always
// (node, output index). Nodes are shared between snapshots; ids are never reused within a lineage,
// and `origins` lists the nodes of the imported graph a node stands for: provenance is data. The
// only way to build a Graph is a GraphEditor, whose finish() infers types, verifies and orders
// topologically.
#pragma once

#include "ir/attributes.h"
#include "ir/operator.h"

#include <map>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace fw {

using NodeId = std::int64_t;

struct ValueRef {
    NodeId node = -1; // -1: an absent optional operand
    int output = 0;
    auto operator<=>(const ValueRef&) const = default;
    bool valid() const { return node >= 0; }
};

struct Output {
    std::string name; // of the value, unique in the graph
    TensorType type;
    bool operator==(const Output&) const = default;
};

class Graph;
class GraphEditor;

// A graph inside a node: a branch, the body of a loop, the function that is called.
struct Body {
    std::string name; // "then_branch"; of a call: the function
    std::shared_ptr<const Graph> graph;
    // For each input of `graph`, the operand of the node that it is; givenByOperator: the operator
    // says what it is (the counter of a loop, what it carries). Values that the body takes from the
    // graph around it are operands of the node, too.
    std::vector<int> operands;
    static constexpr int givenByOperator = -1;

    bool operator==(const Body& other) const; // by content
};

struct Node {
    NodeId id = -1;
    std::string name; // unique; ONNX node name or made from the operator
    std::string op; // operator name, e.g. "conv2d"; "input", "constant"; "unknown" and "call" keep
                    // domain and op_type in attrs
    std::vector<ValueRef> inputs;
    Attrs attrs;
    std::vector<Output> outputs;
    std::vector<Body> bodies;
    std::vector<NodeId> origins;            // nodes of the imported graph, sorted
    std::shared_ptr<const TensorData> data; // of a constant

    bool isInput() const { return op == "input"; }
    bool isConstant() const { return op == "constant"; }
    bool isLeaf() const { return isInput() || isConstant(); }
    bool isUnknown() const { return op == "unknown"; }
    // Stands for one of its bodies, whose results are its own: inlineCalls() (ir/inline_calls.h).
    bool isCall() const { return op == "call"; }
    const Body& called() const; // of a call: the body in attribute "runs", 0 if there is none
    // What people call its operator: the type in the model, of an unknown one or a call.
    std::string shownOp() const;
};
using NodePtr = std::shared_ptr<const Node>;

struct NamedValue {
    std::string name;
    ValueRef value;
};

struct Use {
    NodeId node;
    std::size_t operand;
};

class Graph {
public:
    const std::string& name() const { return m_name; }
    const std::vector<NodePtr>& nodes() const { // topological, stable
        if (m_editor != nullptr)
            sortEdited();
        return m_nodes;
    }
    const std::vector<NodeId>& inputs() const { return m_inputs; } // in the model's order
    const std::vector<NamedValue>& results() const { return m_results; }
    const OperatorSet& operators() const { return *m_operators; }
    std::shared_ptr<const OperatorSet> operatorSet() const { return m_operators; }

    const Node* find(NodeId id) const;                   // nullptr if absent
    const Node& node(NodeId id) const;                   // InternalError if absent
    const Node* findByName(std::string_view name) const; // node name or output value name
    const Output& output(ValueRef value) const;
    const TensorType& type(ValueRef value) const { return output(value).type; }
    // In node order, in any while the graph is edited; results are not uses.
    std::span<const Use> uses(ValueRef value) const;
    bool isResult(ValueRef value) const;
    // Sorted by name; of all shapes and assumptions, but those that nodes bind while the graph runs
    // (ir/bound_dims.h).
    std::vector<Symbol> freeDims() const;
    std::vector<Symbol> boundDims() const;            // sorted by name
    const TensorData* constant(ValueRef value) const; // data if the value is a constant
    // What must hold of the free dimensions: what the nodes ask for, and what nodes asked for that
    // a pass has taken out (a rewritten model takes the inputs that the written one takes, no
    // others). No two conditions are equal.
    const std::vector<Assumption>& assumptions() const { return m_assumptions; }
    NodeId nextId() const { return m_nextId; }
    Hash hash() const; // of everything but ids and origins

private:
    friend class GraphEditor;
    void collectUses();
    void sortEdited() const;

    std::string m_name;
    std::vector<NodePtr> m_nodes;
    std::vector<NodePtr> m_byId; // empty where there is none
    std::vector<NodeId> m_inputs;
    std::vector<NamedValue> m_results;
    std::vector<Use> m_uses;               // of the outputs of the first id, and so on
    std::vector<std::size_t> m_firstUse;   // by value: its first in m_uses; and the end
    std::vector<std::size_t> m_firstValue; // by id: its first entry in m_firstUse
    std::shared_ptr<const OperatorSet> m_operators;
    std::vector<Assumption> m_assumptions;
    NodeId m_nextId = 0;
    GraphEditor* m_editor = nullptr; // of a graph that is edited: knows its order and its uses
};
using GraphPtr = std::shared_ptr<const Graph>;

// What one step of an editor changed. Nodes are shared with the graphs before and behind it, so
// that it costs what it changed.
struct GraphStep {
    struct Edit {
        NodePtr before, after; // empty: there is none; one and the same: it moved
        std::int64_t rank = 0; // where `after` stands in the order
    };
    struct Result {
        std::size_t index = 0; // of the graph's results
        ValueRef before, after;
    };
    std::vector<Edit> edits; // by id
    std::vector<Result> results;
    std::vector<Assumption> assumptions; // that it brought
};

// Edits a graph; nodes are shared with the one that it began with until they change. Types of the
// nodes added are inferred at once, so a builder can look at them; replacing operands re-infers at
// finish() or commit(). Errors name the node. Not thread-safe.
//
// Edits may be bundled in steps, which can be undone: begin(), edits, commit() or rollback(). A
// step costs what it changes, and the graph can be looked at between edits.
class GraphEditor {
public:
    explicit GraphEditor(std::shared_ptr<const OperatorSet> operators, std::string name = "graph");
    explicit GraphEditor(const Graph& base);
    GraphEditor(const GraphEditor&) = delete;
    GraphEditor& operator=(const GraphEditor&) = delete;
    ~GraphEditor() = default;

    ValueRef addInput(const std::string& name, TensorType type);
    ValueRef addConstant(const std::string& name, TensorData data,
                         std::vector<NodeId> origins = {});
    struct NewNode {
        std::string op;
        std::vector<ValueRef> inputs;
        Attrs attrs;
        std::string name; // made from the operator if empty; made unique if taken
        std::vector<std::string> outputNames; // made from the node's name if missing
        std::vector<NodeId> origins;
        std::vector<Body> bodies;
        std::vector<TensorType> declaredTypes; // of an unknown operator's outputs
    };
    Result<std::vector<ValueRef>> add(NewNode node); // one ValueRef per output
    void addResult(const std::string& name, ValueRef value);
    void replaceUses(ValueRef from, ValueRef to);               // operands and results
    void replaceUses(const std::map<ValueRef, ValueRef>& with); // all at once, each at most once
    void setOrder(const std::vector<NodeId>& order); // of all nodes; kept where operands allow it
    void remove(NodeId node);                        // must be unused at finish()
    void removeUnused();                             // everything no result needs; inputs stay
    void setOrigins(NodeId node, std::vector<NodeId> origins);
    void setBodies(NodeId node, std::vector<Body> bodies); // with the results of the old ones
    void
    assume(Assumption assumption); // holds whatever becomes of the nodes; a known one is left out
    // What the nodes added so far, or in this step, ask for beyond the graph that is edited.
    const std::vector<Assumption>& demands() const { return m_demands; }

    const Node* find(NodeId id) const { return m_graph.find(id); }
    NodePtr share(NodeId id) const {
        return has(id) ? m_graph.m_byId[static_cast<std::size_t>(id)] : nullptr;
    }
    const TensorType& type(ValueRef value) const;
    NodeId nextId() const { return m_graph.m_nextId; }
    // As it is between two edits; until this editor is gone or finished.
    const Graph& graph();
    // Grows along the order of the nodes, equal for those that were added in one step.
    std::int64_t rank(NodeId id) const { return m_rank.at(static_cast<std::size_t>(id)); }

    // What is removed in a step can be looked at until it ends; its name is free at once.
    void begin();
    // Takes out what the step left without readers, infers again what reads another type. Nodes
    // that were added stand where those stood whose users they have. Refused: an operand that was
    // removed, a cycle, types that do not fit; rollback() is what is left then.
    Status settle();
    GraphStep commit();               // behind settle()
    void rollback();                  // as before begin()
    void redo(const GraphStep& step); // of another editor that began with the same graph

    // Orders, infers, verifies. With Origins::Fresh every node becomes its own origin (after
    // import). Ends the editing: the nodes belong to the graph from then on.
    enum class Origins : std::uint8_t { Keep, Fresh };
    Result<GraphPtr> finish(Origins origins = Origins::Keep);

private:
    friend class Graph;

    void giveName(std::string& place, const std::string& wish); // `place` in a node, and stays
    void takeNames(const Node& node);
    void freeNames(const Node& node);
    void knowNames();
    void knowReaders();
    void link(NodeId reader, std::size_t operand, ValueRef value);
    void unlink(NodeId reader, std::size_t operand, ValueRef value);
    void linkAll(const Node& node);
    void unlinkAll(const Node& node);
    void grow(NodeId id);
    bool has(NodeId id) const { return find(id) != nullptr; }
    bool isUsed(const Node& node) const;
    void keep(std::shared_ptr<Node> node, bool typed); // under its id
    Node& own(NodeId id);                              // that may be written to
    bool isOwned(NodeId id) const;
    enum class Names : std::uint8_t { Free, AreFree };
    void drop(NodeId id, Names names = Names::Free);
    void putAll(const std::vector<std::pair<NodeId, NodePtr>>& nodes); // empty: there is none
    void handOver(NodeId reader, std::size_t operand, ValueRef to);
    Status removeGoing();
    void removeUnusedOfStep();
    Status placeAdded();
    bool leadsTo(NodeId from, NodeId to) const; // among nodes of equal rank
    Status inferReaders();
    void endStep();
    Result<std::vector<NodeId>> sorted() const;
    void sort(); // m_graph.m_nodes
    Result<Inferred> infer(const Node& node) const;

    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
    static constexpr std::uint32_t unlinked = static_cast<std::uint32_t>(-1);

    Graph m_graph;                        // its order and its uses are kept here
    std::vector<std::int64_t> m_rank;     // by id
    std::vector<bool> m_typed;            // by id: its types hold and what it assumes is known
    std::vector<std::uint32_t> m_ownedIn; // by id: the bundle of edits that made the node
    std::uint32_t m_bundle = 1;           // a step, or what is edited between two
    bool m_isSorted = false;              // m_graph.m_nodes

    bool m_readersKnown = false;
    std::vector<std::vector<Use>> m_readers;          // by value, in any order
    std::vector<std::vector<std::uint32_t>> m_placed; // by id and operand: place in m_readers

    bool m_namesKnown = false;
    std::pmr::monotonic_buffer_resource m_nameMemory;
    std::pmr::unordered_set<std::string_view> m_names{&m_nameMemory}; // texts lie there, too
    std::unordered_map<std::string, int> m_numbers; // the last one behind a name that was taken

    std::vector<Assumption> m_demands;

    bool m_inStep = false;
    std::map<NodeId, NodePtr> m_before; // what the step changed; empty: it was not there
    std::vector<NodeId> m_going, m_perhapsUnused, m_otherTypes;
    std::vector<GraphStep::Result> m_handedResults;
    std::vector<std::pair<NodeId, NodeId>> m_handedReaders; // and what they read
    std::int64_t m_handedRank = -1;                         // of what they read before, the last
    std::vector<Assumption> m_stepAssumptions;
    std::vector<std::int64_t> m_ranksBefore; // of nodes that it moved: id, rank
};

// The call that a node makes: operand types, attributes, declared output types.
OpCall callOf(const Graph& graph, const Node& node);

// What the verifier finds wrong; empty if nothing. GraphEditor::finish() calls it.
Diags verify(const Graph& graph);

} // namespace fw
