// Operators that a clause says to be nodes of ONNX, written as those.
#include "onnx/schema/standard_operators.h"
#include "onnx/write/graph_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// In the form of the attribute's type: a number may be given as an integer.
AttrValue asDeclared(const AttrValue& value, std::optional<AttrType> type) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    const auto* integers = std::get_if<Integers>(&value);
    if (type == AttrType::Float && integer != nullptr)
        return static_cast<double>(*integer);
    if (type == AttrType::FloatList && integers != nullptr)
        return Reals(integers->begin(), integers->end());
    if (type == AttrType::TextList && integers != nullptr && integers->empty())
        return Texts();
    return value;
}

} // namespace

bool GraphWriter::isByClause(const Node& node) const {
    return !clausesOf(node).empty();
}

bool GraphWriter::isOfBook(const Node& node) const {
    const auto& readings = m_graph.operators().onnxReadings();
    return std::any_of(readings.begin(), readings.end(), [&](const OnnxReading& reading) {
        return reading.op == node.op && reading.source != OperatorSource::Shipped;
    });
}

// Of a book those of its own, else of the library those of operators that no row writes; the one
// that goes first is the last.
std::vector<const OnnxBinding*> GraphWriter::clausesOf(const Node& node) const {
    std::vector<const OnnxBinding*> out;
    for (const OnnxReading& reading : m_graph.operators().onnxReadings())
        if (reading.op == node.op &&
            (reading.source != OperatorSource::Shipped || findWriter(node.op) == nullptr))
            out.push_back(&reading.binding);
    return out;
}

// The opset of every domain that is not the standard one: that of the unknown nodes where there
// are any and the clauses hold in it, else the least in which all do.
void GraphWriter::chooseDomains() {
    for (const auto& [id, spelling] : m_unknown)
        if (const std::string& domain = spelling.node.domain(); !isStandardDomain(domain))
            markDomain(domain, spelling.opset);
    const std::map<std::string, std::int64_t> unknown = m_domains;
    for (const NodePtr& node : m_graph.nodes()) {
        const auto clauses = clausesOf(*node);
        if (clauses.empty() || clauses.back()->domain.empty())
            continue;
        const OnnxBinding& clause = *clauses.back();
        const auto given = unknown.find(clause.domain);
        if (given == unknown.end() || !clause.takes(given->second))
            markDomain(clause.domain, clause.since);
    }
}

Result<const OnnxBinding*> GraphWriter::clauseFor(const Node& node) const {
    const auto clauses = clausesOf(node);
    const auto opsetOf = [&](const OnnxBinding& clause) {
        return clause.domain.empty() ? m_opset : m_domains.at(clause.domain);
    };
    const auto found = std::find_if(clauses.rbegin(), clauses.rend(), [&](const auto* clause) {
        return (clause->domain.empty() || m_domains.contains(clause->domain)) &&
               clause->takes(opsetOf(*clause));
    });
    if (found == clauses.rend()) {
        const OnnxBinding& wanted = *clauses.back();
        return makeDiag(DiagCode::UnknownOperator,
                        fmt::format("no clause of {} holds in opset {} of '{}', which the rest of "
                                    "the model is written in",
                                    node.op, opsetOf(wanted), wanted.domain),
                        {}, "give the operator a clause for that opset");
    }
    const OnnxBinding& clause = **found;
    const OnnxReading* reader =
        m_graph.operators().onnxReading(clause.domain, clause.type, opsetOf(clause), clause.fixed);
    if (reader == nullptr || reader->op != node.op)
        return makeDiag(DiagCode::UnknownOperator,
                        fmt::format("{} would be read as {} again, not as {}", clause.type,
                                    reader == nullptr ? "nothing" : reader->op, node.op),
                        {}, "one clause for such nodes is enough");
    return &clause;
}

Status GraphWriter::writeByClause(const Node& node) {
    FW_TRY(const OnnxBinding* found, clauseFor(node));
    const OnnxBinding& clause = *found;
    const Operator& op = *m_graph.operators().find(node.op);
    if (isOfBook(node))
        m_ofBooks.emplace(op.name(), op.source());
    std::vector<std::string> inputs;
    for (const ValueRef& input : node.inputs)
        inputs.push_back(use(input));
    proto::NodeProto& written = this->node(clause.type, inputs, {}, node.name);
    if (!clause.domain.empty())
        written.set_domain(clause.domain);
    int results = static_cast<int>(node.outputs.size());
    const auto isUsed = [&](int output) {
        const ValueRef value{node.id, output};
        return !m_graph.uses(value).empty() || m_graph.isResult(value);
    };
    if (!hasFunction(clause.domain, clause.type)) // a body gives all of its results
        while (results > 1 && !isUsed(results - 1))
            --results;
    for (int i = 0; i < results; ++i) {
        written.add_output(nameOf({node.id, i}));
        if (!clause.domain.empty()) // nobody else can tell its type
            declareInner({node.id, i});
    }
    for (const std::string& name : op.attrNames()) { // another program may have another default
        const AttrValue* given = node.attrs.find(name);
        const auto value = given != nullptr ? std::optional(*given) : op.attrDefault(name);
        if (!value)
            continue;
        auto& attribute = *written.add_attribute();
        attribute.set_name(clause.nodeAttribute(name));
        FW_CHECK(fillAttribute(attribute, asDeclared(*value, op.attrType(name))));
    }
    // What a node of the standard domain does not give has the value of the clause that reads it,
    // if it is the only one: of several the standard says which holds then.
    const auto isOther = [&](const OnnxReading& reading) {
        return reading.binding.domain.empty() && reading.binding.type == clause.type &&
               reading.binding.takes(m_opset) && reading.op != node.op;
    };
    const auto& readings = m_graph.operators().onnxReadings();
    if (!clause.domain.empty() || std::any_of(readings.begin(), readings.end(), isOther))
        for (const auto& [name, value] : clause.fixed) {
            auto& attribute = *written.add_attribute();
            attribute.set_name(name);
            FW_CHECK(fillAttribute(attribute, value));
        }
    return {};
}

std::string GraphWriter::operatorText() const {
    std::string out;
    for (const auto& [name, text] : m_ofBooks)
        out += text + "\n";
    return out;
}

} // namespace fw
