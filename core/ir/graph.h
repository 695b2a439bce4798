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
    const std::vector<NodePtr>& nodes() const { return m_nodes; }  // topological, stable
    const std::vector<NodeId>& inputs() const { return m_inputs; } // in the model's order
    const std::vector<NamedValue>& results() const { return m_results; }
    const OperatorSet& operators() const { return *m_operators; }
    std::shared_ptr<const OperatorSet> operatorSet() const { return m_operators; }

    const Node* find(NodeId id) const;                   // nullptr if absent
    const Node& node(NodeId id) const;                   // InternalError if absent
    const Node* findByName(std::string_view name) const; // node name or output value name
    const Output& output(ValueRef value) const;
    const TensorType& type(ValueRef value) const { return output(value).type; }
    std::span<const Use> uses(ValueRef value) const; // in node order; results are not uses
    bool isResult(ValueRef value) const;
    std::vector<Symbol> freeDims() const; // sorted by name; of all shapes and assumptions
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

    std::string m_name;
    std::vector<NodePtr> m_nodes;
    std::vector<std::int32_t> m_index; // by id: place in m_nodes, -1 if it is not in this graph
    std::vector<NodeId> m_inputs;
    std::vector<NamedValue> m_results;
    std::vector<Use> m_uses;               // of the outputs of the first node, and so on
    std::vector<std::size_t> m_firstUse;   // by value: its first in m_uses; and the end
    std::vector<std::size_t> m_firstValue; // by place in m_nodes: its first entry in m_firstUse
    std::shared_ptr<const OperatorSet> m_operators;
    std::vector<Assumption> m_assumptions;
    NodeId m_nextId = 0;
};
using GraphPtr = std::shared_ptr<const Graph>;

// Edits a copy. Types of the nodes added are inferred at once, so a builder can look at them;
// replacing operands re-infers at finish(). Errors name the node. Not thread-safe.
class GraphEditor {
public:
    explicit GraphEditor(std::shared_ptr<const OperatorSet> operators, std::string name = "graph");
    explicit GraphEditor(const Graph& base);

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
    void setOrder(std::vector<NodeId> order); // of all nodes; kept where operands allow it
    void remove(NodeId node);                 // must be unused at finish()
    void removeUnused();                      // everything no result needs; inputs stay
    void setOrigins(NodeId node, std::vector<NodeId> origins);
    void
    assume(Assumption assumption); // holds whatever becomes of the nodes; a known one is left out
    // What the nodes added so far ask for beyond the graph that is edited.
    const std::vector<Assumption>& demands() const { return m_demands; }

    const Node* find(NodeId id) const;
    const TensorType& type(ValueRef value) const;
    NodeId nextId() const { return m_nextId; }

    // Orders, infers, verifies. With Origins::Fresh every node becomes its own origin (after
    // import). Ends the editing: the nodes belong to the graph from then on.
    enum class Origins : std::uint8_t { Keep, Fresh };
    Result<GraphPtr> finish(Origins origins = Origins::Keep);

private:
    void giveName(std::string& place, const std::string& wish); // `place` in a node, and stays

    std::shared_ptr<const OperatorSet> m_operators;
    std::string m_name;
    bool has(NodeId id) const { return find(id) != nullptr; }
    void keep(std::shared_ptr<Node> node, bool typed); // under its id
    void addReader(const Node& node);
    void drop(NodeId id); // its names are free again
    Result<std::vector<NodeId>> sorted() const;

    std::vector<std::shared_ptr<Node>> m_nodes; // by id; empty where there is none
    std::vector<bool> m_typed;   // by id: its types hold and what it assumes is known
    std::vector<NodeId> m_order; // may name nodes that were removed
    // By id of what is read, once uses are replaced; may name nodes that were removed or read
    // something else.
    std::vector<std::vector<NodeId>> m_readers;
    std::vector<NodeId> m_inputs;
    std::vector<NamedValue> m_results;
    std::pmr::monotonic_buffer_resource m_nameMemory;
    std::pmr::unordered_set<std::string_view> m_names{&m_nameMemory}; // in nodes
    std::unordered_map<std::string, int> m_numbers; // the last one behind a name that was taken
    std::vector<Assumption> m_assumptions; // of the graph that is edited, and those of assume()
    std::vector<Assumption> m_demands;
    NodeId m_nextId = 0;
};

// The call that a node makes: operand types, attributes, declared output types.
OpCall callOf(const Graph& graph, const Node& node);

// What the verifier finds wrong; empty if nothing. GraphEditor::finish() calls it.
Diags verify(const Graph& graph);

} // namespace fw
