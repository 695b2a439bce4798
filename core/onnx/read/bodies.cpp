// Graphs inside nodes: each is read as the graph of the model is, with what is known of the values
// it is given.
#include "onnx/read/model_importer.h"

#include "onnx/model/subgraphs.h"
#include "onnx/schema/standard_operators.h"
#include "onnx/schema/stated_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// What makes a model wrong rather than new to us.
bool refusesModel(const Diag& diag) {
    return diag.code == DiagCode::Cancelled || diag.code == DiagCode::LimitReached ||
           diag.code == DiagCode::OnnxMalformed || diag.code == DiagCode::OnnxCycle;
}

bool isLoop(const proto::NodeProto& node) {
    return isStandardDomain(node.domain()) && node.op_type() == "Loop";
}

bool isScan(const proto::NodeProto& node) {
    return isStandardDomain(node.domain()) && node.op_type() == "Scan";
}

// Of a Scan, the lengths of sequences, which older ones take first.
int operandsBeforeStates(const proto::NodeProto& node, std::int64_t opset) {
    return isScan(node) && opset < 9 ? 1 : 0;
}

// What a round takes from the one before: which input, and which result becomes it.
std::vector<std::pair<int, int>> carriedBy(const proto::NodeProto& node,
                                           const proto::GraphProto& body) {
    std::vector<std::pair<int, int>> out;
    const proto::AttributeProto* scanned = findAttribute(node, "num_scan_inputs");
    const auto rest = static_cast<int>(
        std::clamp<std::int64_t>(scanned == nullptr ? 0 : scanned->i(), 0, body.input_size()));
    if (isLoop(node))
        for (int i = 2; i < body.input_size(); ++i)
            out.emplace_back(i, i - 1);
    else if (isScan(node))
        for (int i = 0; i < body.input_size() - rest; ++i)
            out.emplace_back(i, i);
    return out;
}

// A body takes what the node hands on, of a Loop behind the trip and whether there is another one.
std::optional<Diag> wrongInputs(const proto::NodeProto& node, std::int64_t opset,
                                const proto::GraphProto& body) {
    if (!isLoop(node) && !isScan(node))
        return std::nullopt;
    const int given = isLoop(node) ? std::max(node.input_size(), 2)
                                   : node.input_size() - operandsBeforeStates(node, opset);
    if (body.input_size() == given)
        return std::nullopt;
    return makeDiag(DiagCode::OnnxMalformed,
                    fmt::format("{}: its body takes {} values, and it is given {}",
                                cleanText(node.op_type()), body.input_size(), given));
}

// Loop and Scan say what their bodies take where the bodies themselves do not.
void fillInputTypes(const proto::NodeProto& node, std::int64_t opset, proto::GraphProto& body,
                    const std::vector<std::optional<DType>>& operands) {
    if (!isLoop(node) && !isScan(node))
        return;
    const auto skipped = static_cast<std::size_t>(operandsBeforeStates(node, opset));
    for (int i = 0; i < body.input_size(); ++i) {
        auto& type = *body.mutable_input(i)->mutable_type();
        if (type.has_tensor_type() ? type.tensor_type().elem_type() != 0
                                   : type.value_case() != proto::TypeProto::VALUE_NOT_SET)
            continue;
        const std::size_t operand = static_cast<std::size_t>(i) + skipped;
        auto& tensor = *type.mutable_tensor_type();
        if (isLoop(node) && i < 2) { // the trip and whether there is another one
            tensor.set_elem_type(i == 0 ? proto::TensorProto::INT64 : proto::TensorProto::BOOL);
            tensor.mutable_shape();
        } else if (operand < operands.size() && operands[operand]) {
            tensor.set_elem_type(onnxFromDtype(*operands[operand]));
        }
    }
}

} // namespace

ModelImporter::Value ModelImporter::known(const std::string& name) const {
    const Value& value = this->value(name);
    Value out;
    out.data = value.data;
    out.small = value.small;
    out.untyped = value.untyped;
    out.foreignShape = value.foreignShape;
    return out;
}

ModelImporter::Value ModelImporter::knownWithin(const std::string& name) {
    Value out = known(name);
    const KnownValue* known = out.data || out.small ? nullptr : knownInGraph(name);
    if (const TensorData* data = numbersIn(known))
        out.data = *data;
    else if (known != nullptr)
        out.small = std::get<SmallTensor>(*known);
    return out;
}

// An operand that became an attribute or another constant is no input any more.
std::vector<int> ModelImporter::dropUnread() {
    std::set<ValueRef> read;
    for (NodeId id = 0; id < m_editor.nextId(); ++id)
        if (const Node* node = m_editor.find(id))
            read.insert(node->inputs.begin(), node->inputs.end());
    for (const auto& output : m_graph.output())
        if (const auto& ref = value(output.name()).ref)
            read.insert(*ref);
    std::vector<int> out;
    const auto visit = [&](const std::string& name) {
        const auto given = std::find_if(m_given.begin(), m_given.end(),
                                        [&](const Given& one) { return one.name == name; });
        const Value& value = this->value(name);
        if (!value.ref || m_editor.find(value.ref->node) == nullptr)
            return; // a weight
        const bool keeps = given == m_given.end() || (!given->value.data && !given->value.small) ||
                           read.contains(*value.ref);
        if (keeps)
            out.push_back(given == m_given.end() ? Body::givenByOperator : given->operand);
        else
            m_editor.remove(value.ref->node);
    };
    std::set<std::string_view> declared;
    for (const auto& input : m_graph.input()) {
        declared.insert(input.name());
        visit(input.name());
    }
    for (const Given& given : m_given)
        if (!declared.contains(given.name))
            visit(given.name);
    return out;
}

Result<ModelImporter::ReadBody> ModelImporter::readBody(proto::GraphProto graph, BodyPlace place,
                                                        std::vector<Given> given) {
    const std::string name = place.name;
    ModelImporter inner(m_run, graph, std::move(place), std::move(given));
    FW_CHECK(inner.build());
    ReadBody out;
    out.body.name = name;
    out.body.operands = inner.dropUnread();
    for (const auto& output : graph.output())
        out.results.push_back(inner.known(output.name()));
    for (auto& [node, diag] : inner.m_nodeDiags)
        if (inner.m_editor.find(node))
            out.diagnostics.push_back(std::move(diag));
    FW_TRY(out.body.graph, inner.m_editor.finish());
    return out;
}

// What a loop carries keeps its shape in most models. Where the body does not say one, that of the
// first value is tried: if the body gives such a value back, every round has one.
std::optional<ModelImporter::ReadBody> ModelImporter::readAsCarried(int index,
                                                                    const proto::GraphProto& graph,
                                                                    const BodyPlace& place,
                                                                    std::vector<Given> given) {
    const auto& node = m_graph.node(index);
    std::vector<std::pair<TensorType, std::size_t>> expected; // of which result
    for (const auto& [input, result] : carriedBy(node, graph)) {
        const int operand = input + operandsBeforeStates(node, m_opset);
        const auto& type = graph.input(input).type();
        if (!type.has_tensor_type() || type.tensor_type().has_shape() ||
            operand >= node.input_size() || node.input(operand).empty() ||
            value(node.input(operand)).untyped || result >= graph.output_size())
            continue;
        const auto first = typeOf(node.input(operand));
        if (!first || type.tensor_type().elem_type() != onnxFromDtype(first->dtype))
            continue;
        given.push_back({graph.input(input).name(), *first, {}, Body::givenByOperator});
        expected.emplace_back(*first, static_cast<std::size_t>(result));
    }
    constexpr int mostFailures = 100; // each is read twice, and those inside each time
    if (expected.empty() || m_run.wrongShapes >= mostFailures)
        return std::nullopt;
    const auto said = static_cast<std::ptrdiff_t>(m_run.out.diagnostics.size());
    const auto decided = static_cast<std::ptrdiff_t>(m_run.out.decisions.size());
    auto body = readBody(graph, place, std::move(given));
    const auto holds = [&](const auto& one) {
        const Graph& read = *body->body.graph;
        return !body->results[one.second].untyped &&
               read.type(read.results()[one.second].value) == one.first;
    };
    if (body && std::all_of(expected.begin(), expected.end(), holds))
        return body.take();
    ++m_run.wrongShapes;
    Imported& out = m_run.out;
    out.diagnostics.erase(out.diagnostics.begin() + said, out.diagnostics.end());
    out.decisions.erase(out.decisions.begin() + decided, out.decisions.end());
    return std::nullopt;
}

Result<ModelImporter::ReadBodies>
ModelImporter::readBodies(int index, const std::vector<std::string>& captured,
                          const std::string& taken) {
    if (m_bodiesRead && m_bodiesRead->first == index)
        return std::move(m_bodiesRead->second);
    const auto& node = m_graph.node(index);
    for (const auto& some :
         {std::vector<std::string>(node.input().begin(), node.input().end()), captured})
        for (const std::string& name : some)
            FW_CHECK(asWhole(name));
    std::vector<std::optional<DType>> operands;
    for (const std::string& input : node.input()) {
        const auto type = input.empty() ? Result<TensorType>(TensorType{}) : typeOf(input);
        operands.push_back(input.empty() || !type ? std::nullopt : std::optional(type->dtype));
    }
    ReadBodies out;
    const auto read = [&](const proto::GraphProto& graph, const std::string& name) -> Status {
        if (auto wrong = wrongInputs(node, m_opset, graph))
            return inNode(index, std::move(*wrong));
        std::vector<Given> given;
        for (const std::string& outer : capturedNames(graph)) {
            const auto place = std::find(captured.begin(), captured.end(), outer);
            if (place == captured.end())
                continue; // the reader of the body says that there is none
            FW_TRY(TensorType type, typeOf(outer));
            given.push_back({outer, std::move(type), knownWithin(outer),
                             node.input_size() + static_cast<int>(place - captured.begin())});
        }
        proto::GraphProto copy = graph;
        fillInputTypes(node, m_opset, copy, operands);
        const BodyPlace place{name, fmt::format("{}/{}/", pathOf(index), name), m_opsets, this};
        if (auto typed = readAsCarried(index, copy, place, given)) {
            out.bodies.push_back(std::move(*typed));
            return {};
        }
        auto body = readBody(std::move(copy), place, std::move(given));
        if (body) {
            out.bodies.push_back(body.take());
            return {};
        }
        Diag diag = body.takeDiag();
        const bool runs = taken.empty() || taken == name || diag.code != DiagCode::OnnxMalformed;
        if (refusesModel(diag) && runs) {
            if (diag.where.node.empty()) // of none of its nodes
                diag.message = fmt::format("its {}: {}", name, diag.message);
            return inNode(index, std::move(diag));
        }
        diag.message = fmt::format("its body {} is not shown: {}", name, diag.message);
        diag.severity = Severity::Warning;
        out.warnings.push_back(inNode(index, std::move(diag)));
        return {};
    };
    std::map<std::string, const proto::AttributeProto*> byName; // files have them in any order
    for (const auto& attribute : node.attribute())
        byName.emplace(cleanText(attribute.name()), &attribute);
    for (const auto& [name, attribute] : byName) {
        if (attribute->has_g())
            FW_CHECK(read(attribute->g(), name));
        for (int i = 0; i < attribute->graphs_size(); ++i)
            FW_CHECK(read(attribute->graphs(i), fmt::format("{}_{}", name, i)));
    }
    return out;
}

} // namespace fw
