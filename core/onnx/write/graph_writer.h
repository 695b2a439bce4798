// The state of one export: names of values, initializers that are needed, nodes written so far.
#pragma once

#include "base/decision.h"
#include "ir/graph.h"
#include "onnx/model/proto.h"
#include "onnx/schema/standard_types.h"
#include "onnx/write/opset_choice.h"
#include "onnx/write/unknown_spelling.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fw {

using NamedTypes = std::map<std::string, KnownType, std::less<>>; // by the name of a value

// Of the operands of a function, called with these.
NamedTypes typesInside(const proto::FunctionProto& function, std::span<const KnownType> operands);
// What no opset has for the element types of such a call.
std::optional<std::string> typeWithoutForm(const proto::FunctionProto& function, std::int64_t opset,
                                           std::span<const KnownType> operands);

class FunctionNodes;

class GraphWriter {
public:
    // In no opset before `least`.
    GraphWriter(const Graph& graph, proto::GraphProto& out,
                std::int64_t least = oldestWrittenOpset);

    const Graph& graph() const { return m_graph; }
    Status run();
    std::int64_t opset() const { return m_opset; } // of the standard domain, since run()
    // The least opset from there on that takes the element types of all nodes written; behind
    // run().
    std::int64_t opsetForTypes() const;
    // Nodes that no opset has for their element types compute in a wider one; DtypeMismatch names
    // one that cannot. Behind run(), in the last opset.
    Status fitTypes();
    const UnknownSpelling& spelling(const Node& n) const { return m_unknown.at(n.id); }
    const Diags& diagnostics() const { return m_diagnostics; }
    const Decisions& decisions() const { return m_decisions; }
    // Of the models read, that unknown nodes call, and of operators of books; each once.
    std::vector<const proto::FunctionProto*> functions() const;

    bool hasFunction(std::string_view domain, std::string_view name) const;
    void addFunction(proto::FunctionProto function) { m_functions.push_back(std::move(function)); }

    // The declarations of operators of books that were written as nodes of their clauses.
    std::string operatorText() const;

    // Names. A constant that is asked for becomes an initializer.
    std::string use(ValueRef value);
    std::vector<std::string> operands(const Node& node); // each used
    const std::string& nameOf(ValueRef value) const { return m_names.at(value); }
    std::string fresh(const std::string& wish); // a name nobody has

    std::string initializer(const std::string& wish, const TensorData& data);
    std::string integers(const std::string& wish, const Integers& values); // i64[n]
    // i64[n] whose elements may mention free dimensions: computed by nodes from the shapes of
    // inputs.
    Result<std::string> dims(const std::string& wish, const Exprs& values);

    // The value, of i64[1], is what the dimension is; for those that nodes bind.
    void bindDim(const Expr& dim, const std::string& value) { m_dims.emplace(dim, value); }

    proto::NodeProto& add() { return *m_out.add_node(); }
    proto::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs,
                           const std::string& output, const std::string& name = {});
    // The node that stands for `n`: its name, its outputs (the used ones).
    proto::NodeProto& main(const Node& n, const std::string& type,
                           const std::vector<std::string>& inputs);
    std::string step(const Node& n, const std::string& type, const std::vector<std::string>& inputs,
                     const std::string& suffix); // one inner result, its name is returned

    // The bias that can be folded into `n`: the only use of its first output, along `axis`. Written
    // with it.
    const Node* foldedBias(const Node& n, std::int64_t axis);
    void declareInner(ValueRef value); // its type, for those who read it
    void markDomain(const std::string& domain, std::int64_t version);
    const std::map<std::string, std::int64_t>& domains() const { return m_domains; }

private:
    NamedTypes writtenTypes() const; // of every name
    void writeWider(proto::NodeProto node, std::span<const KnownType> operands,
                    std::span<const KnownType> results, DType dtype, DType wider);
    Status readUnknown();
    OpsetChoice opsetsOfOperators() const;
    Status chooseOpset();
    void nameValues();
    void dropUnread();
    Status writeNode(const Node& node);
    bool isByClause(const Node& node) const;
    bool isOfBook(const Node& node) const; // what its clause says is none of the library
    std::vector<const OnnxBinding*> clausesOf(const Node& node) const;
    // Whether the clause can say the attributes that the node has.
    bool saysAll(const Node& node, const OnnxBinding& clause) const;
    void chooseDomains();
    Result<const OnnxBinding*> clauseFor(const Node& node) const; // in the opsets chosen
    void writeFunctions();
    Result<proto::FunctionProto> functionFor(const Operator& op,
                                             std::span<const Node* const> calls) const;
    Status writeByClause(const Node& node);
    Result<std::vector<std::string>> clauseOperands(const Node& node, const Operator& op,
                                                    const OnnxBinding& clause);
    void declare(proto::ValueInfoProto& out, const std::string& name, ValueRef value);
    Result<std::string> dimValue(const std::string& wish, const Expr& dim);

    const Graph& m_graph;
    proto::GraphProto& m_out;
    std::map<ValueRef, std::string> m_names;
    std::set<std::string> m_taken;
    std::set<NodeId> m_initializers; // constants written
    std::set<NodeId> m_written;      // nodes, some of them with another or ahead of it
    std::map<std::string, std::int64_t> m_domains;
    std::map<NodeId, UnknownSpelling> m_unknown;
    std::map<std::string, std::string> m_ofBooks; // operators written by a clause, with their text
    std::set<std::string> m_inner; // names inside sub-graphs, which no value of the graph may have
    std::int64_t m_least;
    std::int64_t m_opset = writtenOpset;
    std::vector<proto::FunctionProto> m_functions; // of operators of books
    std::map<std::string, std::string> m_ownTypes; // of operators of the library's own domain
    Diags m_diagnostics;
    Decisions m_decisions;
    std::map<Expr, std::string, bool (*)(const Expr&, const Expr&)> m_dims;
};

// What an operator without a text computes, as nodes of a function. Its operands are those of the
// node, attributes among them under their own names.
struct BodyRow {
    std::string_view op;
    void (*write)(FunctionNodes& nodes, proto::FunctionProto& out);
    std::int64_t since; // opset that has such nodes
};
const BodyRow* findBody(std::string_view op); // nullptr if there is none

// One operator of the library that no clause says how to write.
struct WriterRow {
    std::string_view op;
    Status (*write)(GraphWriter& out, const Node& node);
    std::int64_t since = oldestWrittenOpset; // from here on its form holds
};
const WriterRow* findWriter(std::string_view op); // nullptr if there is none
std::span<const WriterRow> plainWriters();        // elementwise, normalisation, reductions
std::span<const WriterRow> windowWriters();       // contractions and pools
std::span<const WriterRow> movementWriters();     // what moves elements
std::span<const WriterRow> selectionWriters();    // what picks, spectra
std::span<const WriterRow> resampleWriters();
std::span<const WriterRow> runningWriters(); // sizes that are computed, what selects by value
std::span<const WriterRow> unknownWriters(); // "unknown", as it was read

Exprs dimsOf(const Node& node, const std::string& attribute); // integers or free dimensions
void setAttribute(proto::NodeProto& node, const std::string& name, std::int64_t value);
void setAttribute(proto::NodeProto& node, const std::string& name, double value);
void setAttribute(proto::NodeProto& node, const std::string& name, const Integers& values);
void setAttribute(proto::NodeProto& node, const std::string& name, const std::string& value);

} // namespace fw
