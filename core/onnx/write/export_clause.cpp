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

// What an attribute is where the node of the graph says nothing.
std::optional<AttrValue> valueOf(const Node& node, const Operator& op, const std::string& name) {
    const AttrValue* given = node.attrs.find(name);
    return given != nullptr ? std::optional(*given) : op.attrDefault(name);
}

// How the node has it; nullptr: it has no such value.
const AttrValue* spelledAs(const OnnxAttribute& source, const std::optional<AttrValue>& value) {
    const auto found = std::find_if(source.spellings.begin(), source.spellings.end(),
                                    [&](const auto& one) { return value == one.second; });
    return found == source.spellings.end() ? nullptr : &found->first;
}

std::size_t rankOf(const Graph& graph, const Node& node, const Operator& op,
                   const std::string& operand) {
    const std::vector<std::string> names = op.inputNames();
    const auto place =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), operand) - names.begin());
    return place < node.inputs.size() && node.inputs[place].valid()
               ? graph.type(node.inputs[place]).rank()
               : 0;
}

// Whether the attributes that have one value in the clause, or one of several, have it.
bool agrees(const Graph& graph, const Node& node, const Operator& op, const OnnxBinding& clause) {
    return std::all_of(clause.attributes.begin(), clause.attributes.end(), [&](const auto& one) {
        const auto& [ours, source] = one;
        const auto value = valueOf(node, op, ours);
        if (!source.spellings.empty())
            return spelledAs(source, value) != nullptr;
        const auto* list = value ? std::get_if<Integers>(&*value) : nullptr;
        if (source.takesEmptyAsAbsent() && (!value || (list != nullptr && list->empty())))
            return rankOf(graph, node, op, source.axesOf) == 0;
        return !source.isFixed ||
               value == std::optional(asDeclared(*source.value, op.attrType(ours)));
    });
}

// Whether that is what makes its first result, where it stands for calls.
bool endsIn(const Operator& reader, const OpCall& call, const std::string& op) {
    const auto all = reader.calls(call);
    const auto* last = all ? std::get_if<CallSequence::Result>(&all->results.front()) : nullptr;
    return last != nullptr && all->calls[last->call].op == op;
}

// The one size of a list as an operand without axes.
Result<std::string> asNumber(GraphWriter& out, const Node& node, const std::string& name,
                             const AttrValue& value) {
    const std::string wish = node.name + "." + name;
    if (const auto* fixed = std::get_if<Integers>(&value); fixed != nullptr && fixed->size() == 1)
        return out.initializer(wish, dataFromIntegers(DType::I64, {}, *fixed));
    FW_TRY(const std::string list, out.dims(wish, dimsOf(node, name)));
    return out.step(node, "Squeeze", {list, out.integers(wish + ".first", {0})}, name);
}

// An operand that has the elements of an attribute; empty: the attribute has no value.
Result<std::string> asOperand(GraphWriter& out, const Node& node, const Operator& op,
                              const std::string& name, const OnnxAttribute& source) {
    const auto value = valueOf(node, op, name);
    if (!value)
        return std::string();
    const std::string wish = node.name + "." + name;
    const AttrValue declared = asDeclared(*value, op.attrType(name));
    if (source.isNumber)
        return asNumber(out, node, name, declared);
    if (const auto* integers = std::get_if<Integers>(&declared))
        return out.integers(wish, *integers);
    if (const auto* exprs = std::get_if<Exprs>(&declared))
        return out.dims(wish, *exprs);
    if (const auto* integer = std::get_if<std::int64_t>(&declared)) {
        const DType dtype = op.attrType(name) == AttrType::Bool ? DType::Bool : DType::I64;
        return out.initializer(wish, dataFromIntegers(dtype, {}, {*integer}));
    }
    // Of the element type of the first operand, where that is a real number.
    const DType own = node.inputs.empty() ? DType::F32 : out.graph().type(node.inputs[0]).dtype;
    const DType dtype = isFloat(own) ? own : DType::F32;
    if (const auto* real = std::get_if<double>(&declared))
        return out.initializer(wish, dataFromDoubles(dtype, {}, {*real}));
    if (const auto* reals = std::get_if<Reals>(&declared))
        return out.initializer(
            wish, dataFromDoubles(dtype, {static_cast<std::int64_t>(reals->size())}, *reals));
    return makeDiag(DiagCode::UnsupportedAttribute,
                    fmt::format("the attribute {} is no operand of a node", name));
}

} // namespace

// Those of the graph, and attributes where the clause has them among the operands.
Result<std::vector<std::string>> GraphWriter::clauseOperands(const Node& node, const Operator& op,
                                                             const OnnxBinding& clause) {
    std::map<std::size_t, std::string> attributes; // by operand
    for (const auto& [ours, source] : clause.attributes)
        if (source.operand) {
            FW_TRY(attributes[*source.operand], asOperand(*this, node, op, ours, source));
        }
    std::vector<std::string> out;
    auto next = node.inputs.begin();
    while (next != node.inputs.end() || !attributes.empty()) {
        if (const auto found = attributes.find(out.size()); found != attributes.end()) {
            out.push_back(found->second);
            attributes.erase(found);
        } else {
            out.push_back(next != node.inputs.end() ? use(*next++) : std::string());
        }
    }
    return out;
}

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
// that goes first is the last, one of the standard domain before others.
std::vector<const OnnxBinding*> GraphWriter::clausesOf(const Node& node) const {
    std::vector<const OnnxBinding*> out;
    for (const OnnxReading& reading : m_graph.operators().onnxReadings())
        if (reading.op == node.op &&
            (reading.source != OperatorSource::Shipped || findWriter(node.op) == nullptr))
            out.push_back(&reading.binding);
    std::stable_sort(out.begin(), out.end(), [](const OnnxBinding* a, const OnnxBinding* b) {
        return std::pair(a->where.line, a->where.column) <
               std::pair(b->where.line, b->where.column);
    });
    std::stable_partition(out.begin(), out.end(),
                          [](const OnnxBinding* one) { return !one->domain.empty(); });
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

bool GraphWriter::saysAll(const Node& node, const OnnxBinding& clause) const {
    return agrees(m_graph, node, *m_graph.operators().find(node.op), clause);
}

Result<const OnnxBinding*> GraphWriter::clauseFor(const Node& node) const {
    const auto clauses = clausesOf(node);
    const Operator& op = *m_graph.operators().find(node.op);
    const auto opsetOf = [&](const OnnxBinding& clause) {
        return clause.domain.empty() ? m_opset : m_domains.at(clause.domain);
    };
    const auto found = std::find_if(clauses.rbegin(), clauses.rend(), [&](const auto* clause) {
        return (clause->domain.empty() || m_domains.contains(clause->domain)) &&
               clause->takes(opsetOf(*clause)) && agrees(m_graph, node, op, *clause);
    });
    if (found == clauses.rend()) {
        const OnnxBinding& wanted = *clauses.back();
        if (std::none_of(clauses.begin(), clauses.end(),
                         [&](const auto* clause) { return agrees(m_graph, node, op, *clause); }))
            return makeDiag(
                DiagCode::UnsupportedAttribute,
                fmt::format("no clause of {} has the attributes {}", node.op, node.attrs.print()),
                {}, "give the operator a clause for them");
        return makeDiag(DiagCode::UnknownOperator,
                        fmt::format("no clause of {} holds in opset {} of '{}', which the rest of "
                                    "the model is written in",
                                    node.op, opsetOf(wanted), wanted.domain),
                        {}, "give the operator a clause for that opset");
    }
    const OnnxBinding& clause = **found;
    // Of several readers the first that takes the operands.
    const OnnxReading* reader = nullptr;
    bool leadsBack = false;
    for (const OnnxReading* one : m_graph.operators().onnxReadings(clause.domain, clause.type,
                                                                   opsetOf(clause), clause.fixed)) {
        const Operator& other = *m_graph.operators().findReader(one->op);
        OpCall call = callOf(m_graph, node);
        for (const std::string& ours : other.attrNames())
            if (const auto said = clause.fixed.find(one->binding.nodeAttribute(ours));
                said != clause.fixed.end())
                call.attrs.set(ours, said->second);
        leadsBack = one->op == node.op || endsIn(other, call, node.op);
        reader = reader == nullptr || leadsBack ? one : reader;
        if (leadsBack || other.infer(call).ok())
            break;
    }
    if (!leadsBack)
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
    FW_TRY(const std::vector<std::string> inputs, clauseOperands(node, op, clause));
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
        const OnnxAttribute* source = clause.attribute(name);
        const auto value = valueOf(node, op, name);
        if (!value || (source != nullptr && (source->operand || source->isFixed)))
            continue;
        auto& attribute = *written.add_attribute();
        attribute.set_name(clause.nodeAttribute(name));
        const bool isSpelled = source != nullptr && !source->spellings.empty();
        FW_CHECK(fillAttribute(attribute, isSpelled ? *spelledAs(*source, value)
                                                    : asDeclared(*value, op.attrType(name))));
    }
    // What a node of the standard domain does not give has the value of the clause that reads it,
    // if it is the only one: of several the standard says which holds then. Some it has to give.
    const auto isOther = [&](const OnnxReading& reading) {
        return reading.binding.domain.empty() && reading.binding.type == clause.type &&
               reading.binding.takes(m_opset) && &reading.binding != &clause;
    };
    const auto& readings = m_graph.operators().onnxReadings();
    const bool saysAll =
        !clause.domain.empty() || std::any_of(readings.begin(), readings.end(), isOther);
    for (const auto& [name, value] : clause.fixed)
        if (saysAll || needsAttribute(clause.type, m_opset, name)) {
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
