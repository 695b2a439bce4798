#include "onnx/write/unknown_spelling.h"

#include "base/numbers.h"
#include "ir/missing_type.h"
#include "onnx/model/foreign_values.h"
#include "onnx/model/tensor_proto.h"

#include <fmt/format.h>

#include <variant>

namespace fw {

namespace {

struct AttributeWriter {
    proto::AttributeProto& out;

    Status operator()(std::int64_t value) const {
        out.set_type(proto::AttributeProto::INT);
        out.set_i(value);
        return {};
    }
    Status operator()(double value) const {
        out.set_type(proto::AttributeProto::FLOAT);
        out.set_f(static_cast<float>(value));
        return {};
    }
    Status operator()(const std::string& value) const {
        out.set_type(proto::AttributeProto::STRING);
        out.set_s(value);
        return {};
    }
    Status operator()(const Integers& values) const {
        out.set_type(proto::AttributeProto::INTS);
        out.mutable_ints()->Add(values.begin(), values.end());
        return {};
    }
    Status operator()(const Reals& values) const {
        out.set_type(proto::AttributeProto::FLOATS);
        for (const double value : values)
            out.add_floats(static_cast<float>(value));
        return {};
    }
    Status operator()(const Texts& values) const {
        out.set_type(proto::AttributeProto::STRINGS);
        for (const std::string& value : values)
            out.add_strings(value);
        return {};
    }
    Status operator()(const TensorData& value) const {
        out.set_type(proto::AttributeProto::TENSOR);
        fillTensor(*out.mutable_t(), value, {});
        return {};
    }
    Status operator()(DType value) const { return (*this)(std::int64_t{onnxFromDtype(value)}); }
    Status operator()(const Exprs&) const {
        return makeDiag(DiagCode::UnsupportedAttribute,
                        fmt::format("attribute '{}' is a symbolic shape", out.name()));
    }
};

} // namespace

Status fillAttribute(proto::AttributeProto& out, const AttrValue& value) {
    return std::visit(AttributeWriter{out}, value);
}

namespace {

Status restore(proto::AttributeProto& out, const std::string& name, const AttrValue& value) {
    const auto* bytes = name.starts_with("onnx:") ? std::get_if<TensorData>(&value) : nullptr;
    if (!bytes) {
        out.set_name(name);
        return fillAttribute(out, value);
    }
    if (!out.ParseFromArray(bytes->bytes().data(), static_cast<int>(bytes->bytes().size())))
        return makeDiag(DiagCode::UnsupportedAttribute,
                        fmt::format("attribute '{}' is damaged", name));
    return {};
}

const Texts& textsOf(const AttrValue& value) {
    static const Texts none;
    const auto* texts = std::get_if<Texts>(&value);
    return texts ? *texts : none;
}

std::set<int> indicesOf(const AttrValue& value) {
    const auto* list = std::get_if<Integers>(&value);
    return list ? std::set<int>(list->begin(), list->end()) : std::set<int>();
}

} // namespace

std::int64_t UnknownSpelling::standardOpset() const {
    if (isStandardDomain(node.domain()))
        return opset;
    const auto inner = innerOpsets.find("");
    return inner == innerOpsets.end() ? 0 : inner->second;
}

namespace {

// Of a node whose graph does not say: the usual opset, or the first later one that has the
// operator.
std::int64_t likelyOpset(const proto::NodeProto& node) {
    if (!isStandardDomain(node.domain()))
        return 1;
    for (std::int64_t opset = writtenOpset; opset <= newestOpset; ++opset)
        if (problemsOf(node, opset).empty())
            return opset;
    return writtenOpset;
}

} // namespace

Result<UnknownSpelling> unknownSpelling(const Node& node) {
    UnknownSpelling out;
    out.node.set_name(node.name);
    for (const auto& [name, value] : node.attrs) {
        if (name == "domain") {
            const std::string domain = node.attrs.text(name, {});
            out.node.set_domain(isStandardDomain(domain) ? "" : domain);
        } else if (name == "op_type") {
            out.node.set_op_type(node.attrs.text(name, {}));
        } else if (name == "opset") {
            out.opset = node.attrs.integer(name, 1);
        } else if (name == "inner_opsets") {
            for (const std::string& entry : textsOf(value)) {
                const std::size_t blank = std::min(entry.find(' '), entry.size());
                const std::string domain = entry.substr(std::min(blank + 1, entry.size()));
                out.innerOpsets[domain] = parseInteger(entry.substr(0, blank)).value_or(1);
            }
        } else if (name == "functions") {
            const auto* bytes = std::get_if<TensorData>(&value);
            proto::ModelProto kept;
            if (!bytes || !kept.ParseFromArray(bytes->bytes().data(),
                                               static_cast<int>(bytes->bytes().size())))
                return makeDiag(DiagCode::UnsupportedAttribute,
                                "the functions that it calls are damaged");
            out.functions.assign(kept.functions().begin(), kept.functions().end());
        } else if (name == "captures") {
            out.captures = textsOf(value);
        } else if (name == untypedOutputsKey) {
            out.untyped = indicesOf(value);
        } else if (name == unrankedOutputsKey) {
            out.unranked = indicesOf(value);
        } else if (name == "absent_outputs") {
            out.absent = indicesOf(value);
        } else if (name == foreignTypesKey || name == "untyped_operands") {
            continue; // as text
        } else if (name == declaredResultsKey) {
            proto::GraphProto kept;
            if (!parseAttribute(node.attrs, name, kept))
                return makeDiag(DiagCode::UnsupportedAttribute,
                                "what was declared of its results is damaged");
            for (const auto& one : kept.value_info())
                if (const auto place = parseInteger(one.name()))
                    out.declared[static_cast<int>(*place)] = one.type();
        } else {
            FW_CHECK(restore(*out.node.add_attribute(), name, value));
        }
    }
    if (out.captures.size() > node.inputs.size())
        return makeDiag(DiagCode::OperatorArity, "it captures more values than it has operands");
    const std::size_t operands = node.inputs.size() - out.captures.size();
    for (std::size_t i = 0; i < operands; ++i)
        out.node.add_input(node.inputs[i].valid() ? "x" : "");
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        out.node.add_output(out.absent.contains(static_cast<int>(i)) ? "" : "x");
    if (!node.attrs.has("opset"))
        out.opset = likelyOpset(out.node);
    return out;
}

} // namespace fw
