// What the engine does not know stays in the graph as an "unknown" node that can be drawn and
// written back: domain, type and attributes are kept, its outputs have the types the model
// declares.
#include "onnx/model_importer.h"

#include <fmt/format.h>

namespace fw {

namespace {

// Names that sub-graphs read but do not define themselves.
void collectCaptures(const proto::GraphProto& graph, std::set<std::string> defined,
                     std::set<std::string>& out) {
    for (const auto& input : graph.input())
        defined.insert(input.name());
    for (const auto& tensor : graph.initializer())
        defined.insert(tensor.name());
    for (const auto& node : graph.node())
        defined.insert(node.output().begin(), node.output().end());
    const auto read = [&](const std::string& name) {
        if (!name.empty() && !defined.contains(name))
            out.insert(name);
    };
    for (const auto& node : graph.node()) {
        for (const std::string& input : node.input())
            read(input);
        for (const auto& attribute : node.attribute()) {
            if (attribute.has_g())
                collectCaptures(attribute.g(), defined, out);
            for (const auto& body : attribute.graphs())
                collectCaptures(body, defined, out);
        }
    }
    for (const auto& output : graph.output())
        read(output.name());
}

} // namespace

std::vector<std::string> ModelImporter::captures(const proto::NodeProto& node) const {
    std::set<std::string> out;
    for (const auto& attribute : node.attribute()) {
        if (attribute.has_g())
            collectCaptures(attribute.g(), {}, out);
        for (const auto& body : attribute.graphs())
            collectCaptures(body, {}, out);
    }
    std::erase_if(out, [&](const std::string& name) {
        return !m_producers.contains(name) && !m_values.contains(name);
    });
    return {out.begin(), out.end()};
}

Result<Attrs> ModelImporter::unknownAttrs(const proto::NodeProto& node) {
    Attrs attrs;
    for (const auto& attribute : node.attribute()) {
        const std::string name = cleanText(attribute.name());
        switch (attribute.type()) {
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
            std::string bytes = attribute.SerializeAsString();
            const auto owner = std::make_shared<const std::string>(std::move(bytes));
            attrs.set("onnx:" + name,
                      TensorData(DType::U8, {static_cast<std::int64_t>(owner->size())},
                                 std::as_bytes(std::span(owner->data(), owner->size())), owner));
        }
        }
    }
    attrs.set("domain", cleanText(node.domain()));
    attrs.set("op_type", cleanText(node.op_type()));
    std::int64_t opset = m_opset;
    for (const auto& entry : m_model.opset_import())
        if (entry.domain() == node.domain())
            opset = entry.version();
    attrs.set("opset", opset);
    return attrs;
}

Status ModelImporter::importUnknown(int index, const std::string& name, Diag why) {
    const auto& node = m_graph.node(index);
    GraphEditor::NewNode wish;
    wish.op = "unknown";
    wish.name = name;
    FW_TRY(wish.attrs, unknownAttrs(node));
    for (const std::string& input : node.input()) {
        if (input.empty()) {
            wish.inputs.push_back({});
            continue;
        }
        FW_TRY(const ValueRef value, use(input));
        wish.inputs.push_back(value);
    }
    if (const auto captured = captures(node); !captured.empty()) {
        Texts names;
        for (const std::string& capture : captured) {
            FW_TRY(const ValueRef value, use(capture));
            wish.inputs.push_back(value);
            names.push_back(cleanText(capture));
        }
        wish.attrs.set("captures", std::move(names));
    }
    std::vector<bool> untyped;
    for (int i = 0; i < node.output_size(); ++i) {
        const std::string output =
            node.output(i).empty() ? fmt::format("{}.{}", name, i) : node.output(i);
        auto declared = declaredType(output);
        if (!declared)
            return inNode(index, declared.takeDiag());
        untyped.push_back(!*declared);
        wish.outputNames.push_back(cleanText(output));
        // Without a declared type one is made up so that the graph stays typed; nothing is derived
        // from it.
        const DType guess = !wish.inputs.empty() && wish.inputs[0].valid()
                                ? m_editor.type(wish.inputs[0]).dtype
                                : DType::F32;
        wish.declaredTypes.push_back(
            *declared ? **declared : TensorType{guess, {m_dims.unnamed(output + "_unknown", 0)}});
    }
    auto values = m_editor.add(std::move(wish));
    if (!values)
        return inNode(index, values.takeDiag());
    if (values->empty()) // a node without outputs computes nothing that could be seen
        return {};
    for (std::size_t i = 0; i < values->size(); ++i)
        if (const std::string& output = node.output(static_cast<int>(i)); !output.empty()) {
            Value& value = m_values[output];
            value = {};
            value.ref = (*values)[i];
            value.untyped = untyped[i];
        }
    why.severity = Severity::Error;
    why.where.node.clear();
    m_nodeDiags.emplace_back(values->front().node, inNode(index, std::move(why)));
    return {};
}

} // namespace fw
