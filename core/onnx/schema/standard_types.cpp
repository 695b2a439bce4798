#include "onnx/schema/standard_types.h"

#include "base/numbers.h"
#include "onnx/model/tensor_proto.h"
#include "onnx/schema/standard_lines.h"
#include "onnx/schema/standard_operators.h"

#include <algorithm>
#include <map>

namespace fw {

namespace {

// The letters of the table.
constexpr std::string_view letters = "BcCsSiIlLhbfdt";
constexpr DType lettered[] = {DType::Bool, DType::I8,  DType::U8,  DType::I16, DType::U16,
                              DType::I32,  DType::U32, DType::I64, DType::U64, DType::F16,
                              DType::BF16, DType::F32, DType::F64, DType::Text};
static_assert(letters.size() == std::size(lettered));

struct Formal {
    std::string_view type;    // a name of `types`
    bool repeated = false;    // so are all behind it, of this type
    bool independent = false; // each of a type of its own
};

struct TypedVersion {
    std::int64_t since = 1;
    std::vector<Formal> operands, results;
    std::map<std::string_view, std::string_view> types; // their letters

    const Formal* formal(const std::vector<Formal>& formals, std::size_t i) const {
        if (i < formals.size())
            return &formals[i];
        return !formals.empty() && formals.back().repeated ? &formals.back() : nullptr;
    }
};

std::vector<Formal> formalsOf(std::string_view text, TypedVersion& version) {
    std::vector<Formal> out;
    while (!text.empty()) {
        Formal formal{cut(text, ' ')};
        formal.independent = formal.type.ends_with('+');
        formal.repeated = formal.independent || formal.type.ends_with('*');
        formal.type.remove_suffix(formal.repeated ? 1 : 0);
        if (formal.type.starts_with(':')) // the letters themselves
            version.types[formal.type] = formal.type.substr(1);
        out.push_back(formal);
    }
    return out;
}

std::vector<TypedVersion> typedVersionsOf(std::string_view line) {
    std::vector<TypedVersion> out;
    while (!line.empty()) {
        TypedVersion version;
        version.since = parseInteger(std::string(cut(line, '('))).value_or(1);
        std::string_view signature = cut(line, ')');
        version.operands = formalsOf(cut(signature, ';'), version);
        version.results = formalsOf(cut(signature, ';'), version);
        while (!signature.empty()) {
            std::string_view entry = cut(signature, ' ');
            const std::string_view name = cut(entry, '=');
            version.types[name] = entry;
        }
        if (line.starts_with(' '))
            line.remove_prefix(1);
        out.push_back(std::move(version));
    }
    return out;
}

const std::vector<TypedVersion>* findOperator(const proto::NodeProto& node) {
    static const auto operators = operatorLines(standardTypesTable(), typedVersionsOf);
    if (!isStandardDomain(node.domain()))
        return nullptr;
    const auto found = operators.find(node.op_type());
    return found == operators.end() ? nullptr : &found->second;
}

// The first one holds before it, too: the table begins with what opset 13 has.
const TypedVersion& versionFor(const std::vector<TypedVersion>& versions, std::int64_t opset) {
    const TypedVersion* out = versionAt(versions, opset);
    return out != nullptr ? *out : versions.front();
}

// The type that a name stands for in one node; false where it stands for two, or for one that the
// version does not take.
using Bound = std::map<std::string_view, DType>;

bool bind(const TypedVersion& version, const std::vector<Formal>& formals,
          std::span<const KnownType> given, Bound& bound) {
    for (std::size_t i = 0; i < given.size(); ++i) {
        const Formal* formal = given[i] ? version.formal(formals, i) : nullptr;
        const auto type = formal ? version.types.find(formal->type) : version.types.end();
        if (type == version.types.end())
            continue;
        const auto* at = std::find(std::begin(lettered), std::end(lettered), *given[i]);
        if (at != std::end(lettered) &&
            type->second.find(letters[static_cast<std::size_t>(at - lettered)]) ==
                std::string_view::npos)
            return false;
        if (!formal->independent &&
            bound.emplace(formal->type, *given[i]).first->second != *given[i])
            return false;
    }
    return true;
}

// Texts of attributes that came with a later opset than the attribute.
struct LaterText {
    std::string_view type, attribute, text;
    std::int64_t since;
};
constexpr LaterText laterTexts[] = {
    {"ScatterND", "reduction", "max", 18},
    {"ScatterND", "reduction", "min", 18},
    {"ScatterElements", "reduction", "max", 18},
    {"ScatterElements", "reduction", "min", 18},
    {"Pad", "mode", "wrap", 19},
    {"Resize", "coordinate_transformation_mode", "half_pixel_symmetric", 19},
};

std::int64_t opsetOfTexts(const proto::NodeProto& node, std::int64_t opset) {
    for (const LaterText& row : laterTexts)
        if (row.type == node.op_type() && isStandardDomain(node.domain()))
            for (const auto& attribute : node.attribute())
                if (attribute.name() == row.attribute && attribute.s() == row.text)
                    opset = std::max(opset, row.since);
    return opset;
}

// The least opset from there on that has all attributes of the node that a later one has.
std::int64_t opsetOfAttributes(const proto::NodeProto& node, std::int64_t opset) {
    if (!isStandardDomain(node.domain()))
        return opset;
    for (const auto& attribute : node.attribute()) {
        std::int64_t later = opset;
        while (later < newestOpset && !hasAttribute(node.op_type(), later, attribute.name()))
            ++later;
        if (hasAttribute(node.op_type(), later, attribute.name()))
            opset = later;
    }
    return opset;
}

} // namespace

std::optional<std::int64_t> opsetThatTakes(const proto::NodeProto& node, std::int64_t opset,
                                           std::span<const KnownType> operands,
                                           std::span<const KnownType> results) {
    opset = opsetOfAttributes(node, opsetOfTexts(node, opset));
    const std::vector<TypedVersion>* versions = findOperator(node);
    if (versions == nullptr)
        return opset;
    const auto takes = [&](const TypedVersion& version) {
        Bound bound;
        return bind(version, version.operands, operands, bound) &&
               bind(version, version.results, results, bound);
    };
    if (takes(versionFor(*versions, opset)))
        return opset;
    for (const TypedVersion& later : *versions)
        if (later.since > opset && later.since <= newestOpset && takes(later))
            return later.since;
    return std::nullopt;
}

std::vector<KnownType> resultTypes(const proto::NodeProto& node, std::int64_t opset,
                                   std::span<const KnownType> operands) {
    std::vector<KnownType> out(static_cast<std::size_t>(node.output_size()));
    if (!isStandardDomain(node.domain()))
        return out;
    for (const auto& attribute : node.attribute()) {
        // Of Cast and its kind, and of what makes tensors.
        if (attribute.name() == "to" || attribute.name() == "dtype" ||
            attribute.name() == "output_dtype" || attribute.name() == "output_datatype") {
            if (!out.empty() && attribute.i() > 0)
                out[0] = dtypeFromOnnx(attribute.i());
            return out;
        }
        if (attribute.name() == "value" && attribute.has_t() && !out.empty()) {
            out[0] = dtypeFromOnnx(attribute.t().data_type());
            return out;
        }
    }
    const std::vector<TypedVersion>* versions = findOperator(node);
    if (versions == nullptr)
        return out;
    const TypedVersion& version = versionFor(*versions, opset);
    Bound bound;
    if (!bind(version, version.operands, operands, bound))
        return out;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Formal* formal = version.formal(version.results, i);
        if (formal == nullptr || formal->independent)
            continue;
        const auto known = bound.find(formal->type);
        const auto types = version.types.find(formal->type);
        if (known != bound.end())
            out[i] = known->second;
        else if (types != version.types.end() && types->second.size() == 1)
            out[i] = lettered[letters.find(types->second[0])];
    }
    return out;
}

} // namespace fw
