#include "onnx/model/attributes.h"

#include "base/numbers.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace fw {

namespace {

Diag wrongKind(std::string_view name, std::string_view expected) {
    return makeDiag(DiagCode::OnnxMalformed,
                    fmt::format("attribute '{}' is not {}", name, expected));
}

using Kind = proto::AttributeProto;

// IR version 1 and 2 models may leave the type out; then the field that is set speaks.
bool isKind(const proto::AttributeProto& attribute, Kind::AttributeType kind) {
    if (attribute.type() != Kind::UNDEFINED)
        return attribute.type() == kind;
    switch (kind) {
    case Kind::INT:
        return attribute.has_i();
    case Kind::FLOAT:
        return attribute.has_f();
    case Kind::STRING:
        return attribute.has_s();
    case Kind::TENSOR:
        return attribute.has_t();
    case Kind::INTS: // an empty list leaves no trace
        return !attribute.has_i() && !attribute.has_f() && !attribute.has_s() &&
               !attribute.has_t() && attribute.floats_size() == 0 && attribute.strings_size() == 0;
    case Kind::FLOATS:
        return attribute.ints_size() == 0 &&
               (attribute.floats_size() > 0 || isKind(attribute, Kind::INTS));
    default:
        return false;
    }
}

} // namespace

const proto::AttributeProto* findAttribute(const proto::NodeProto& node, std::string_view name) {
    for (const auto& attribute : node.attribute())
        if (attribute.name() == name)
            return &attribute;
    return nullptr;
}

Result<std::int64_t> integerAttribute(const proto::NodeProto& node, std::string_view name,
                                      std::int64_t fallback) {
    const auto* attribute = findAttribute(node, name);
    if (!attribute)
        return fallback;
    if (!isKind(*attribute, proto::AttributeProto::INT))
        return wrongKind(name, "an integer");
    return attribute->i();
}

Result<double> realAttribute(const proto::NodeProto& node, std::string_view name, double fallback) {
    const auto* attribute = findAttribute(node, name);
    if (!attribute)
        return fallback;
    if (!isKind(*attribute, proto::AttributeProto::FLOAT))
        return wrongKind(name, "a number");
    return readableReal(attribute->f());
}

Result<std::string> textAttribute(const proto::NodeProto& node, std::string_view name,
                                  const std::string& fallback) {
    const auto* attribute = findAttribute(node, name);
    if (!attribute)
        return fallback;
    if (!isKind(*attribute, proto::AttributeProto::STRING))
        return wrongKind(name, "a text");
    return attribute->s();
}

Result<std::optional<std::vector<std::int64_t>>> integersAttribute(const proto::NodeProto& node,
                                                                   std::string_view name) {
    const auto* attribute = findAttribute(node, name);
    if (!attribute)
        return std::optional<std::vector<std::int64_t>>();
    if (!isKind(*attribute, proto::AttributeProto::INTS))
        return wrongKind(name, "a list of integers");
    return std::optional(
        std::vector<std::int64_t>(attribute->ints().begin(), attribute->ints().end()));
}

Result<std::optional<std::vector<double>>> realsAttribute(const proto::NodeProto& node,
                                                          std::string_view name) {
    const auto* attribute = findAttribute(node, name);
    if (!attribute)
        return std::optional<std::vector<double>>();
    if (!isKind(*attribute, proto::AttributeProto::FLOATS))
        return wrongKind(name, "a list of numbers");
    std::vector<double> out;
    for (const float value : attribute->floats())
        out.push_back(readableReal(value));
    return std::optional(std::move(out));
}

Result<std::optional<std::vector<std::string>>> textsAttribute(const proto::NodeProto& node,
                                                               std::string_view name) {
    const auto* attribute = findAttribute(node, name);
    if (!attribute)
        return std::optional<std::vector<std::string>>();
    if (!isKind(*attribute, proto::AttributeProto::STRINGS))
        return wrongKind(name, "a list of texts");
    return std::optional(
        std::vector<std::string>(attribute->strings().begin(), attribute->strings().end()));
}

Result<const proto::TensorProto*> tensorAttribute(const proto::NodeProto& node,
                                                  std::string_view name) {
    const auto* attribute = findAttribute(node, name);
    if (!attribute)
        return nullptr;
    if (!isKind(*attribute, proto::AttributeProto::TENSOR) || !attribute->has_t())
        return wrongKind(name, "a tensor");
    return &attribute->t();
}

double readableReal(float value) {
    if (!std::isfinite(value))
        return static_cast<double>(value);
    char text[64];
    const auto printed = std::to_chars(text, text + sizeof text, value);
    double out = static_cast<double>(value);
    std::from_chars(text, printed.ptr, out);
    return out;
}

} // namespace fw
