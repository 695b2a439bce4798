#include "onnx/write/graph_writer.h"

#include "expr/simplify.h"
#include "ir/missing_type.h"
#include "onnx/model/foreign_values.h"
#include "onnx/model/subgraphs.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/schema/own.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace fw {

namespace {

bool byText(const Expr& a, const Expr& b) {
    return a.text() < b.text();
}

bool isSource(const Node& node) {
    return node.isLeaf() || isForeignLeaf(node);
}

} // namespace

const WriterRow* findWriter(std::string_view op) {
    for (const auto& family :
         {plainWriters(), windowWriters(), movementWriters(), selectionWriters(), resampleWriters(),
          runningWriters(), unknownWriters()})
        for (const WriterRow& row : family)
            if (row.op == op)
                return &row;
    return nullptr;
}

GraphWriter::GraphWriter(const Graph& graph, proto::GraphProto& out, std::int64_t least)
    : m_graph(graph), m_out(out), m_least(least), m_dims(byText) {}

Status GraphWriter::run() {
    m_out.set_name(m_graph.name());
    FW_CHECK(readUnknown());
    FW_CHECK(chooseOpset());
    writeFunctions();
    nameValues();
    for (const NodeId id : modelInputs(m_graph)) {
        const Node& node = m_graph.node(id);
        const std::string& name = m_names.at({id, 0});
        if (isForeignInput(node)) {
            FW_CHECK(writeForeignInput(node, name, *m_out.add_input()));
        } else {
            declare(*m_out.add_input(), name, {id, 0});
        }
    }
    for (const NodePtr& node : m_graph.nodes())
        if (isForeignConstant(*node)) {
            FW_CHECK(writeForeignConstant(*node, m_names.at({node->id, 0}), m_out));
        }
    for (const NodePtr& node : m_graph.nodes()) {
        if (isSource(*node) || m_written.contains(node->id))
            continue;
        if (auto status = writeNode(*node); !status)
            return status.takeDiag().at({{}, node->name});
        m_written.insert(node->id);
    }
    for (const NamedValue& result : m_graph.results()) {
        const std::string name = use(result.value);
        if (name != result.name)
            node("Identity", {name}, result.name, fresh(result.name + ".result"));
        declare(*m_out.add_output(), result.name, result.value);
    }
    dropUnread();
    return {};
}

// Nodes of the library's own domain that nothing written reads: what they stand for was said
// otherwise. Their functions go with them.
void GraphWriter::dropUnread() {
    std::set<std::string> read, types;
    for (const auto& result : m_out.output())
        read.insert(result.name());
    std::vector<proto::NodeProto> kept;
    for (int i = m_out.node_size() - 1; i >= 0; --i) {
        proto::NodeProto& written = *m_out.mutable_node(i);
        const bool isOwn = written.domain() == ownDomain;
        if (isOwn && std::none_of(written.output().begin(), written.output().end(),
                                  [&](const std::string& name) { return read.contains(name); }))
            continue;
        read.insert(written.input().begin(), written.input().end());
        for (const std::string& name : capturedNames(written))
            read.insert(name);
        if (isOwn)
            types.insert(written.op_type());
        kept.push_back(std::move(written));
    }
    m_out.clear_node();
    for (auto it = kept.rbegin(); it != kept.rend(); ++it)
        *m_out.add_node() = std::move(*it);
    std::erase_if(m_functions, [&](const proto::FunctionProto& function) {
        return function.domain() == ownDomain && !types.contains(function.name());
    });
    std::erase_if(m_decisions, [&](const Decision& decision) {
        const auto type = m_ownTypes.find(decision.subject);
        return type != m_ownTypes.end() && !types.contains(type->second);
    });
    if (types.empty())
        m_domains.erase(ownDomain);
}

Status GraphWriter::readUnknown() {
    for (const NodePtr& node : m_graph.nodes()) {
        if (!node->isUnknown() || isForeignLeaf(*node))
            continue;
        auto spelling = unknownSpelling(*node);
        if (!spelling)
            return spelling.takeDiag().at({{}, node->name});
        m_inner.merge(innerNames(spelling->node));
        m_unknown.emplace(node->id, spelling.take());
    }
    return {};
}

// What clauses and rows say of the operators.
OpsetChoice GraphWriter::opsetsOfOperators() const {
    OpsetChoice out(m_least); // by what this program writes in its own words
    for (const NodePtr& node : m_graph.nodes()) {
        const auto clauses = clausesOf(*node);
        if (clauses.empty()) {
            if (const WriterRow* row = findWriter(node->op))
                out.atLeast(row->since);
            continue;
        }
        if (!clauses.back()->domain.empty()) {
            if (const BodyRow* body = isOfBook(*node) ? nullptr : findBody(node->op))
                out.atLeast(body->since);
            continue;
        }
        std::vector<OpsetRange> forms;
        for (const OnnxBinding* clause : clauses)
            if (clause->domain.empty() && saysAll(*node, *clause))
                forms.push_back({clause->since, clause->until});
        if (!forms.empty())
            out.inOneOf(std::move(forms));
    }
    return out;
}

Status GraphWriter::chooseOpset() {
    OpsetChoice choice = opsetsOfOperators();
    for (auto& [id, spelling] : m_unknown) {
        const std::int64_t from = spelling.standardOpset();
        OpsetRange own = from > 0 ? opsetsOf(spelling.node, from)
                                  : OpsetRange{1, std::numeric_limits<std::int64_t>::max()};
        const std::int64_t needed = choice.first();
        if (own.most < needed && raise(spelling, needed)) {
            own = opsetsOf(spelling.node, needed);
            m_inner.merge(innerNames(spelling.node));
        }
        choice.within(own);
        if (!choice.best())
            return makeDiag(
                DiagCode::UnknownOperator,
                fmt::format("{} was read from opset {} and is not known; it means the same in "
                            "opsets {} to {} only, and the rest of the model is written in opset "
                            "{} or later",
                            spelling.node.op_type(), from, own.least, own.most, needed),
                {{}, m_graph.node(id).name}, "convert the model to opset 17 first");
    }
    m_opset = choice.best().value_or(choice.first());
    markDomain("", m_opset);
    chooseDomains();
    for (const auto& [id, spelling] : m_unknown)
        if (spelling.standardOpset() > 0)
            for (Diag& diag : problemsOf(spelling.node, m_opset)) {
                diag.hint = "other programs will refuse the file; it was so in the model read";
                m_diagnostics.push_back(std::move(diag.at({{}, m_graph.node(id).name})));
            }
    return {};
}

// A computed value that is a result takes the result's name; another value of that name gives way.
void GraphWriter::nameValues() {
    m_taken = m_inner;
    std::map<std::string, ValueRef> results;
    std::map<ValueRef, std::string> wanted;
    for (const NamedValue& result : m_graph.results()) {
        m_taken.insert(result.name);
        const Node& producer = m_graph.node(result.value.node);
        if (results.emplace(result.name, result.value).second && !isSource(producer))
            wanted.emplace(result.value, result.name);
    }
    for (const NodePtr& node : m_graph.nodes())
        for (std::size_t i = 0; i < node->outputs.size(); ++i) {
            const ValueRef value{node->id, static_cast<int>(i)};
            const bool isInput = node->isInput() || isForeignInput(*node);
            const std::string& name = node->outputs[i].name;
            const auto asResult = wanted.find(value);
            const auto result = results.find(name);
            if (asResult != wanted.end())
                m_names[value] = asResult->second;
            else if ((result == results.end() || result->second == value || isInput) &&
                     (!m_inner.contains(name) || isInput))
                m_names[value] = name;
            else
                m_names[value] = fresh(name + ".inner");
            m_taken.insert(m_names[value]);
        }
}

Status GraphWriter::writeNode(const Node& node) {
    if (isByClause(node))
        return writeByClause(node);
    const WriterRow* row = findWriter(node.op);
    if (!row)
        return makeDiag(DiagCode::UnknownOperator,
                        "the operator " + node.op + " has no spelling in ONNX", {},
                        "give it a clause: onnx \"my.domain\" \"Type\" since 1");
    return row->write(*this, node);
}

std::vector<std::string> GraphWriter::operands(const Node& node) {
    std::vector<std::string> names;
    for (const ValueRef& input : node.inputs)
        names.push_back(use(input));
    return names;
}

std::string GraphWriter::use(ValueRef value) {
    if (!value.valid())
        return {};
    const Node& producer = m_graph.node(value.node);
    const std::string& name = m_names.at(value);
    if (producer.isConstant() && m_initializers.insert(producer.id).second)
        fillTensor(*m_out.add_initializer(), *producer.data, name);
    return name;
}

std::string GraphWriter::fresh(const std::string& wish) {
    std::string name = wish;
    for (int i = 1; !m_taken.insert(name).second; ++i)
        name = fmt::format("{}_{}", wish, i);
    return name;
}

std::string GraphWriter::initializer(const std::string& wish, const TensorData& data) {
    const std::string name = fresh(wish);
    fillTensor(*m_out.add_initializer(), data, name);
    return name;
}

std::string GraphWriter::integers(const std::string& wish, const Integers& values) {
    return initializer(
        wish, dataFromIntegers(DType::I64, {static_cast<std::int64_t>(values.size())}, values));
}

proto::NodeProto& GraphWriter::node(const std::string& type, const std::vector<std::string>& inputs,
                                    const std::string& output, const std::string& name) {
    proto::NodeProto& out = *m_out.add_node();
    out.set_op_type(type);
    out.set_name(name);
    std::size_t count = inputs.size();
    while (count > 0 && inputs[count - 1].empty())
        --count;
    for (std::size_t i = 0; i < count; ++i)
        out.add_input(inputs[i]);
    if (!output.empty())
        out.add_output(output);
    return out;
}

proto::NodeProto& GraphWriter::main(const Node& n, const std::string& type,
                                    const std::vector<std::string>& inputs) {
    return node(type, inputs, nameOf({n.id, 0}), n.name);
}

std::string GraphWriter::step(const Node& n, const std::string& type,
                              const std::vector<std::string>& inputs, const std::string& suffix) {
    const std::string name = fresh(n.name + "." + suffix);
    node(type, inputs, name, fresh(name + ".node"));
    return name;
}

const Node* GraphWriter::foldedBias(const Node& n, std::int64_t axis) {
    const ValueRef value{n.id, 0};
    const auto uses = m_graph.uses(value);
    if (uses.size() != 1 || uses[0].operand != 0 || m_graph.isResult(value))
        return nullptr;
    // One node is rounded once.
    if (const DType dtype = m_graph.type(value).dtype; dtype == DType::F16 || dtype == DType::BF16)
        return nullptr;
    const Node& user = m_graph.node(uses[0].node);
    if (user.op != "bias" || user.attrs.integer("axis", 1) != axis)
        return nullptr;
    // The bias value must exist before `n` is written: constants and inputs do, and what is made of
    // them only may be written ahead.
    const auto isGiven = [&](const Node& node) { return node.isConstant() || node.isInput(); };
    const Node& operand = m_graph.node(user.inputs.at(1).node);
    if (!isGiven(operand) && !m_written.contains(operand.id)) {
        if (!std::all_of(operand.inputs.begin(), operand.inputs.end(),
                         [&](ValueRef input) {
                             return !input.valid() || isGiven(m_graph.node(input.node));
                         }) ||
            !writeNode(operand))
            return nullptr;
        m_written.insert(operand.id);
    }
    m_written.insert(user.id);
    return &user;
}

std::vector<const proto::FunctionProto*> GraphWriter::functions() const {
    std::vector<const proto::FunctionProto*> out;
    std::set<std::string> known;
    for (const auto& [id, spelling] : m_unknown)
        for (const proto::FunctionProto& function : spelling.functions)
            if (known.insert(function.SerializeAsString()).second)
                out.push_back(&function);
    for (const proto::FunctionProto& function : m_functions)
        out.push_back(&function);
    return out;
}

bool GraphWriter::hasFunction(std::string_view domain, std::string_view name) const {
    return std::any_of(m_functions.begin(), m_functions.end(),
                       [&](const proto::FunctionProto& function) {
                           return function.domain() == domain && function.name() == name;
                       });
}

void GraphWriter::markDomain(const std::string& domain, std::int64_t version) {
    auto& known = m_domains[domain];
    known = std::max(known, version);
}

// What was not known of a result of an unknown node is not made up.
void GraphWriter::declare(proto::ValueInfoProto& out, const std::string& name, ValueRef value) {
    out.set_name(name);
    const TensorType& type = m_graph.type(value);
    const auto unknown = m_unknown.find(value.node);
    if (isForeignLeaf(m_graph.node(value.node)))
        return;
    if (unknown != m_unknown.end())
        if (const auto given = unknown->second.declared.find(value.output);
            given != unknown->second.declared.end()) {
            *out.mutable_type() = given->second;
            return;
        }
    if (unknown != m_unknown.end() && unknown->second.untyped.contains(value.output))
        return;
    auto* tensor = out.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(onnxFromDtype(type.dtype));
    if (unknown != m_unknown.end() && unknown->second.unranked.contains(value.output))
        return;
    auto* shape = tensor->mutable_shape();
    for (const Dim& dim : type.shape) {
        auto* entry = shape->add_dim();
        if (const auto extent = dim.asInt())
            entry->set_dim_value(*extent);
        else if (dim.isVar())
            entry->set_dim_param(dim.text());
    }
}

void GraphWriter::declareInner(ValueRef value) {
    declare(*m_out.add_value_info(), nameOf(value), value);
}

Exprs dimsOf(const Node& node, const std::string& attribute) {
    if (const AttrValue* value = node.attrs.find(attribute))
        if (const auto* exprs = std::get_if<Exprs>(value))
            return *exprs;
    const Integers fixed = node.attrs.integers(attribute);
    return Exprs(fixed.begin(), fixed.end());
}

void setAttribute(proto::NodeProto& node, const std::string& name, std::int64_t value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(proto::AttributeProto::INT);
    attribute->set_i(value);
}

void setAttribute(proto::NodeProto& node, const std::string& name, double value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(proto::AttributeProto::FLOAT);
    attribute->set_f(static_cast<float>(value));
}

void setAttribute(proto::NodeProto& node, const std::string& name, const Integers& values) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(proto::AttributeProto::INTS);
    for (const std::int64_t value : values)
        attribute->add_ints(value);
}

void setAttribute(proto::NodeProto& node, const std::string& name, const std::string& value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(proto::AttributeProto::STRING);
    attribute->set_s(value);
}

} // namespace fw
