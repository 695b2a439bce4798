// What the engine does not know stays in the graph as an "unknown" node that can be drawn and
// written back: domain, type and attributes are kept, its outputs have the types the model
// declares, or that the standard gives them.
#include "onnx/read/model_importer.h"

#include "ir/missing_type.h"
#include "onnx/model/beyond_texts.h"
#include "onnx/model/foreign_values.h"
#include "onnx/model/subgraphs.h"
#include "onnx/schema/standard_operators.h"
#include "onnx/schema/stated_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// What the writer reads of an unknown node; an attribute of the model with one of these names is
// kept as bytes.
const std::set<std::string> ownAttributes{"domain",        "op_type",          "opset",
                                          "inner_opsets",  "captures",         "untyped_outputs",
                                          "functions",     "unranked_outputs", "absent_outputs",
                                          foreignTypesKey, declaredResultsKey, leafKey,
                                          placeKey,        "untyped_operands"};

void collectDomains(const proto::NodeProto& node, std::set<std::string>& out) {
    forSubgraphs(node, [&](const auto& body) {
        for (const auto& inner : body.node()) {
            out.insert(isStandardDomain(inner.domain()) ? "" : inner.domain());
            collectDomains(inner, out);
        }
    });
}

BeyondTexts beyondOf(const proto::NodeProto& node) {
    return beyondTexts(isStandardDomain(node.domain()) ? "" : node.domain(), node.op_type());
}

} // namespace

std::vector<std::string> ModelImporter::captures(const proto::NodeProto& node) const {
    std::set<std::string> out = capturedNames(node);
    std::erase_if(out, [&](const std::string& name) { return find(name) == nullptr; });
    return {out.begin(), out.end()};
}

std::int64_t ModelImporter::opsetOf(const std::string& domain) const {
    if (isStandardDomain(domain))
        return m_opset;
    const auto found = m_opsets.find(domain);
    return found == m_opsets.end() ? 1 : found->second;
}

// Weights that lie in other files are taken into the attribute: the file written has no others.
Status ModelImporter::embedExternal(proto::GraphProto& graph) {
    for (auto& tensor : *graph.mutable_initializer())
        FW_CHECK(embedExternal(tensor));
    for (auto& node : *graph.mutable_node())
        for (auto& attribute : *node.mutable_attribute())
            FW_CHECK(embedExternal(attribute));
    return {};
}

Status ModelImporter::embedExternal(proto::AttributeProto& attribute) {
    if (attribute.has_t())
        FW_CHECK(embedExternal(*attribute.mutable_t()));
    for (auto& tensor : *attribute.mutable_tensors())
        FW_CHECK(embedExternal(tensor));
    if (attribute.has_g())
        FW_CHECK(embedExternal(*attribute.mutable_g()));
    for (auto& body : *attribute.mutable_graphs())
        FW_CHECK(embedExternal(body));
    return {};
}

Status ModelImporter::embedExternal(proto::TensorProto& tensor) {
    if (tensor.data_location() != proto::TensorProto::EXTERNAL)
        return {};
    const std::string name = tensor.name();
    if (!foreignElement(tensor.data_type()).empty()) {
        FW_TRY(const ForeignTensor foreign, takeForeignTensor(tensor, m_run.external, limits()));
        tensor.set_raw_data(foreign.data.bytes().data(), foreign.data.bytes().size());
        return {};
    }
    FW_TRY(const TensorData data, takeTensorHere(tensor));
    tensor.Clear();
    fillTensor(tensor, data, name);
    return {};
}

Result<Attrs> ModelImporter::unknownAttrs(const proto::NodeProto& node) {
    Attrs attrs;
    for (const auto& attribute : node.attribute()) {
        const std::string name = cleanText(attribute.name());
        const bool plain = name == attribute.name() && !ownAttributes.contains(name) &&
                           !attrs.has(name) && !attribute.has_ref_attr_name();
        switch (plain ? attribute.type() : proto::AttributeProto::UNDEFINED) {
        case proto::AttributeProto::FLOAT:
            attrs.set(name, readableReal(attribute.f()));
            break;
        case proto::AttributeProto::INT:
            attrs.set(name, attribute.i());
            break;
        case proto::AttributeProto::FLOATS: {
            Reals values;
            for (const float value : attribute.floats())
                values.push_back(readableReal(value));
            attrs.set(name, std::move(values));
            break;
        }
        case proto::AttributeProto::INTS:
            attrs.set(name, Integers(attribute.ints().begin(), attribute.ints().end()));
            break;
        case proto::AttributeProto::STRING:
            if (cleanText(attribute.s()) == attribute.s()) {
                attrs.set(name, attribute.s());
                break;
            }
            [[fallthrough]];
        default: { // kept as the bytes of the message, for writing it back
            proto::AttributeProto whole = attribute;
            FW_CHECK(embedExternal(whole));
            attrs.set("onnx:" + name, bytesOf(whole));
        }
        }
    }
    attrs.set("domain", isStandardDomain(node.domain()) ? "" : cleanText(node.domain()));
    attrs.set("op_type", cleanText(node.op_type()));
    attrs.set("opset", opsetOf(node.domain()));
    std::set<std::string> domains;
    collectDomains(node, domains);
    if (const auto functions = m_run.functions.neededBy(node); !functions.empty()) {
        proto::ModelProto kept;
        for (const proto::FunctionProto* function : functions)
            *kept.add_functions() = *function;
        attrs.set("functions", bytesOf(kept));
    }
    Texts inner; // "OPSET DOMAIN" of the nodes in sub-graphs
    for (const std::string& domain : domains)
        inner.push_back(fmt::format("{} {}", opsetOf(domain), cleanText(domain)));
    if (!inner.empty())
        attrs.set("inner_opsets", std::move(inner));
    return attrs;
}

// The type that every branch of an If gives to a result, if that is one.
std::optional<TensorType> ModelImporter::branchType(const proto::NodeProto& node,
                                                    const std::vector<ReadBody>& read,
                                                    const std::vector<Body>& bodies, int output) {
    std::optional<TensorType> out;
    const auto place = static_cast<std::size_t>(output);
    if (!isStandardDomain(node.domain()) || node.op_type() != "If" || bodies.size() != 2)
        return out;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Graph& graph = *bodies[i].graph;
        if (place >= graph.results().size() || read[i].results[place].untyped)
            return std::nullopt;
        const TensorType& type = graph.type(graph.results()[place].value);
        if (out && !(*out == type))
            return std::nullopt;
        out = type;
    }
    return out;
}

// Operands of the node, and behind them the values that its bodies capture.
Status ModelImporter::addOperands(int index, const std::vector<std::string>& captured,
                                  GraphEditor::NewNode& wish) {
    const auto& node = m_graph.node(index);
    Integers untyped; // that no node of the graph makes
    for (int i = 0; i < node.input_size(); ++i) {
        wish.inputs.emplace_back();
        if (node.input(i).empty())
            continue;
        FW_TRY(wish.inputs.back(), use(node.input(i)));
    }
    for (int i = 0; i < node.input_size(); ++i)
        if (const ValueRef value = wish.inputs[static_cast<std::size_t>(i)];
            value.valid() && this->value(node.input(i)).untyped &&
            !m_editor.find(value.node)->isUnknown())
            untyped.push_back(i);
    if (!untyped.empty())
        wish.attrs.set("untyped_operands", std::move(untyped));
    Texts names;
    for (const std::string& capture : captured) {
        FW_TRY(wish.inputs.emplace_back(), use(capture));
        names.push_back(cleanText(capture));
    }
    if (!names.empty())
        wish.attrs.set("captures", std::move(names));
    return {};
}

// Results with their types, as far as the user, the model, its bodies or the standard say them.
Status ModelImporter::addUnknownResults(int index, const std::vector<ReadBody>& bodies,
                                        GraphEditor::NewNode& wish,
                                        std::vector<UnknownResult>& out) {
    const auto& node = m_graph.node(index);
    const auto operandType = [&](int operand) -> std::optional<TensorType> {
        if (operand >= node.input_size() || node.input(operand).empty() ||
            value(node.input(operand)).untyped)
            return std::nullopt;
        return m_editor.type(wish.inputs[static_cast<std::size_t>(operand)]);
    };
    const std::vector<std::optional<TensorType>> standard = typesByStandard(index);
    const std::vector<ForeignResult> ofForeign = typesOfForeign(index);
    Integers untyped;  // nothing is known of them
    Integers unranked; // the element type is
    Integers absent;
    Texts foreignTypes;
    proto::GraphProto declaredResults;
    for (int i = 0; i < node.output_size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::string output =
            node.output(i).empty() ? fmt::format("{}.{}", wish.name, i) : node.output(i);
        if (node.output(i).empty())
            absent.push_back(i);
        auto type = declaredType(output);
        if (!type)
            return inNode(index, type.takeDiag());
        foreignTypes.push_back(*type ? std::string() : declaredForeign(output));
        UnknownResult& result = out.emplace_back();
        if (!foreignTypes.back().empty()) {
            auto& kept = *declaredResults.add_value_info();
            kept.set_name(std::to_string(i));
            *kept.mutable_type() = find(output)->declared->type();
            result.foreignShape = declaredForeignShape(output);
        } else {
            if (!*type)
                *type = branchType(node, bodies, wish.bodies, i);
            if (!*type)
                *type = statedType(node, i, opsetOf(node.domain()), operandType);
            if (!*type && at < standard.size())
                *type = standard[at];
            if (!*type && at < ofForeign.size())
                *type = ofForeign[at].type;
        }
        if (!*type && !result.foreignShape && at < ofForeign.size())
            result.foreignShape = ofForeign[at].foreignShape;
        result.untyped = !*type;
        wish.outputNames.push_back(cleanText(output));
        // Without a declared type one is made up so that the graph stays typed; nothing is derived
        // from it, and it has no size that one could be asked for.
        const auto element = declaredElement(output);
        if (!*type)
            (element ? unranked : untyped).push_back(i);
        const DType guess = element ? *element
                            : !wish.inputs.empty() && wish.inputs[0].valid()
                                ? m_editor.type(wish.inputs[0]).dtype
                                : DType::F32;
        wish.declaredTypes.push_back(*type ? **type : TensorType{guess, {}});
    }
    for (auto& [key, list] :
         {std::pair(untypedOutputsKey, &untyped), std::pair(unrankedOutputsKey, &unranked),
          std::pair<const char*, Integers*>("absent_outputs", &absent)})
        if (!list->empty())
            wish.attrs.set(key, std::move(*list));
    if (declaredResults.value_info_size() > 0) {
        wish.attrs.set(foreignTypesKey, std::move(foreignTypes));
        wish.attrs.set(declaredResultsKey, bytesOf(declaredResults));
    }
    return {};
}

// Why a node reads a value that has no type, and what would give it one.
Diag ModelImporter::reasonUntyped(int index, const Node& made) {
    if (!m_missing)
        m_missing.emplace(m_editor.graph());
    auto told = m_missing->readBy(made);
    if (!told)
        return makeDiag(DiagCode::TypeUnknown, fmt::format("{} reads a value of unknown type",
                                                           typeName(m_graph.node(index))));
    for (const ValueRef& input : made.inputs) {
        const auto missing = m_missing->find(input);
        if (!missing)
            continue;
        const Name* cause = find(missing->value);
        if (cause != nullptr && cause->place >= 0 && missing->foreign.empty() &&
            beyondOf(m_graph.node(cause->place)) != BeyondTexts::None)
            told->hint = fmt::format("--type '{}=f32[N, 4]' would say what it is", missing->value);
        break;
    }
    if (!m_prefix.empty())
        told->hint.clear(); // --type names values of the model, not of its bodies
    return std::move(*told);
}

Status ModelImporter::importUnknown(int index, const std::string& name, Diag why) {
    const auto& node = m_graph.node(index);
    GraphEditor::NewNode wish;
    wish.op = "unknown";
    wish.name = name;
    FW_TRY(wish.attrs, unknownAttrs(node));
    const std::vector<std::string> captured = captures(node);
    FW_CHECK(addOperands(index, captured, wish));
    FW_TRY(ReadBodies read, readBodies(index, captured));
    Diags inside = std::move(read.warnings);
    // Nobody has looked at the attributes of what waits for a type, or would run graphs.
    if (why.code == DiagCode::TypeUnknown || why.code == DiagCode::NotRunnable)
        for (Diag& problem : ownProblemsOf(node, m_opset)) {
            problem.where = {};
            if (why.code == DiagCode::NotRunnable)
                why = std::move(problem);
            else
                inside.push_back(inNode(index, std::move(problem)));
        }
    for (ReadBody& one : read.bodies) {
        for (Diag& diag : one.diagnostics) { // nothing in it runs as long as the node does not
            diag.severity = Severity::Warning;
            inside.push_back(std::move(diag));
        }
        wish.bodies.push_back(std::move(one.body));
    }
    std::vector<UnknownResult> results;
    FW_CHECK(addUnknownResults(index, read.bodies, wish, results));
    auto values = m_editor.add(std::move(wish));
    if (!values)
        return inNode(index, values.takeDiag());
    if (values->empty()) // a node without outputs computes nothing that could be seen
        return {};
    for (std::size_t i = 0; i < values->size(); ++i)
        if (const std::string& output = node.output(static_cast<int>(i)); !output.empty()) {
            Value& value = this->value(output);
            value = {};
            value.ref = (*values)[i];
            value.untyped = results[i].untyped;
            value.foreignShape = results[i].foreignShape;
        }
    const NodeId made = values->front().node;
    if (why.code == DiagCode::TypeUnknown)
        why = reasonUntyped(index, *m_editor.find(made));
    const bool typed = std::none_of(results.begin(), results.end(),
                                    [](const UnknownResult& one) { return one.untyped; });
    if (const BeyondTexts beyond = beyondOf(node);
        typed && !why.hint.empty() && why.hint == whyBeyondTexts(beyond, false))
        why.hint = whyBeyondTexts(beyond, true);
    why.severity = Severity::Error;
    why.where.node.clear();
    m_nodeDiags.emplace_back(made, inNode(index, std::move(why)));
    for (Diag& diag : inside)
        m_nodeDiags.emplace_back(made, std::move(diag));
    return {};
}

Diag ModelImporter::reasonUnknown(const proto::NodeProto& node) {
    const std::string type = typeName(node);
    if (isStandardDomain(node.domain()) &&
        (hasSubgraphs(node) || needsAttribute(node.op_type(), m_opset, "body") ||
         needsAttribute(node.op_type(), m_opset, "then_branch")))
        return makeDiag(DiagCode::NotRunnable,
                        fmt::format("{} runs graphs of its own, which cannot be done yet", type),
                        {},
                        "its bodies are shown (fw info); a condition that is constant, or a loop "
                        "written out by the exporter, runs");
    if (m_run.functions.knowsDomain(node))
        return makeDiag(DiagCode::UnknownOperator,
                        fmt::format("the operator {} is not known: the model has functions of "
                                    "this domain, but none of this name",
                                    type),
                        {}, "export the model again with all its functions");
    if (isRandom(node, opsetOf(node.domain())))
        return makeDiag(DiagCode::UnknownOperator,
                        fmt::format("{} draws random numbers, which is not done: nothing could be "
                                    "said of what comes out",
                                    type),
                        {},
                        "make what it gives an input of the model, or a constant; or say what it "
                        "computes in a book, which is given with --rules");
    const BeyondTexts beyond = beyondOf(node);
    if (beyond != BeyondTexts::None)
        return makeDiag(DiagCode::UnknownOperator,
                        fmt::format("the operator {} is not known", type), {},
                        whyBeyondTexts(beyond, false));
    const std::string clause = clauseHint(node);
    return makeDiag(DiagCode::UnknownOperator, fmt::format("the operator {} is not known", type),
                    {},
                    clause.empty() ? "the model can be looked at but not run: a value of this kind "
                                     "has no form in the text of an operator"
                                   : clause);
}

} // namespace fw
