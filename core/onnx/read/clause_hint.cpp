// The declaration of a node that nobody knows, for who has to write it.
#include "onnx/read/declaration.h"
#include "onnx/read/model_importer.h"
#include "onnx/schema/standard_operators.h"

#include <fmt/format.h>

namespace fw {

namespace {

const char* attributeType(proto::AttributeProto::AttributeType type) {
    switch (type) {
    case proto::AttributeProto::INT:
        return "int";
    case proto::AttributeProto::FLOAT:
        return "float";
    case proto::AttributeProto::STRING:
        return "text";
    case proto::AttributeProto::INTS:
        return "int[]";
    case proto::AttributeProto::FLOATS:
        return "float[]";
    case proto::AttributeProto::STRINGS:
        return "text[]";
    default:
        return nullptr; // has no form in the text of an operator
    }
}

} // namespace

std::string ModelImporter::clauseHint(const proto::NodeProto& node) {
    UnknownCall call;
    call.domain = isStandardDomain(node.domain()) ? "" : node.domain();
    call.type = node.op_type();
    call.opset = opsetOf(node.domain());
    for (const OnnxReading& reading : m_run.operators->onnxReadings())
        if (const OnnxBinding& binding = reading.binding;
            binding.domain == call.domain && binding.type == call.type)
            return fmt::format("{} ({}) reads it in other opsets; the model has opset {} of '{}'",
                               reading.op, binding.where.text(), call.opset,
                               cleanText(call.domain));
    for (const std::string& input : node.input()) {
        call.operands.emplace_back();
        if (input.empty())
            continue;
        auto type = typeOf(input);
        if (!type)
            return {};
        call.operands.back() = type.take();
    }
    for (const auto& attribute : node.attribute()) {
        const char* const type = attributeType(attribute.type());
        if (type == nullptr)
            return {};
        call.attributes.emplace_back(cleanText(attribute.name()), type);
    }
    for (const std::string& output : node.output()) {
        auto declared = declaredType(output);
        call.results.push_back(declared ? declared.take() : std::nullopt);
    }
    call.opset = 1; // whichever: nothing else reads such nodes
    call.domain = cleanText(call.domain);
    call.type = cleanText(call.type);
    const std::string text = declarationOf(call, *m_run.operators, OnnxClause::With).text;
    m_run.out.declarations.emplace(typeName(node), text);
    return "say what it computes in a book, which is given with --rules: " + text;
}

} // namespace fw
