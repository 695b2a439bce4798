// What a book has to say so that a node that nobody knows becomes an operator: everything but its
// computation.
#include "onnx/model_importer.h"
#include "onnx/standard_operators.h"
#include "syntax/lexer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace fw {

namespace {

// "MyConv" -> "my_conv"
std::string operatorName(const std::string& type) {
    std::string out;
    bool small = false; // the letter before
    for (const char c : type) {
        const auto byte = static_cast<unsigned char>(c);
        if (small && std::isupper(byte) != 0)
            out += '_';
        small = std::islower(byte) != 0 || std::isdigit(byte) != 0;
        out += byte < 128 && std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '_';
    }
    return out.empty() || std::isalpha(static_cast<unsigned char>(out[0])) == 0 ? "op_" + out : out;
}

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

// Neither quoted nor one of the names that are made up here: x1, y, D2, i3.
bool isPlainName(const std::string& name) {
    const bool madeUp = name.find_first_not_of("0123456789", 1) == std::string::npos &&
                        std::string_view("xyDi").find(name[0]) != std::string_view::npos;
    return !madeUp && nameOrQuoted(name) == name && name.find('.') == std::string::npos;
}

// Names for the extents of operands and results: the same one for what is likely the same.
class Dims {
public:
    std::string operand(const TensorType& type) {
        for (const auto& [shape, names] : m_known)
            if (shape == type.shape)
                return text(type, names);
        std::vector<std::string> names;
        for (std::size_t i = 0; i < type.rank(); ++i)
            names.push_back(next());
        m_known.emplace_back(type.shape, names);
        return text(type, names);
    }

    // Its extents are those of operands where one has the same, or else written out. What the model
    // does not declare is left out.
    std::string result(const std::string& name, const std::optional<TensorType>& type) {
        if (!type) {
            m_statements.push_back(name + "[...] = ...");
            return name + ": f32[...]";
        }
        std::vector<std::string> dims, indices;
        for (std::size_t i = 0; i < type->rank(); ++i) {
            dims.push_back(find(type->shape, i, dims));
            indices.push_back(fmt::format("i{}", i + 1));
        }
        m_statements.push_back(fmt::format("{}[{}] = ...", name, fmt::join(indices, ", ")));
        return name + ": " + text(*type, dims);
    }

    const std::vector<std::string>& where() const { return m_where; }
    const std::vector<std::string>& statements() const { return m_statements; }

private:
    static std::string text(const TensorType& type, const std::vector<std::string>& dims) {
        return fmt::format("{}[{}]", dtypeText(type.dtype), fmt::join(dims, ", "));
    }

    std::string next() { return fmt::format("D{}", ++m_count); }

    std::string find(const Shape& shape, std::size_t at, const std::vector<std::string>& used) {
        for (const auto& [known, names] : m_known)
            if (known == shape)
                return names[at];
        for (const auto& [known, names] : m_known)
            for (std::size_t i = 0; i < known.size(); ++i)
                if (known[i] == shape[at] &&
                    std::find(used.begin(), used.end(), names[i]) == used.end())
                    return names[i];
        if (const auto extent = shape[at].asInt())
            return std::to_string(*extent);
        std::string name = next();
        m_where.push_back(name + " = ...");
        return name;
    }

    std::vector<std::pair<Shape, std::vector<std::string>>> m_known;
    std::vector<std::string> m_where, m_statements;
    int m_count = 0;
};

} // namespace

std::string ModelImporter::clauseHint(const proto::NodeProto& node) {
    const std::string domain = isStandardDomain(node.domain()) ? "" : node.domain();
    for (const OnnxReading& reading : m_run.operators->onnxReadings())
        if (const OnnxBinding& binding = reading.binding;
            binding.domain == domain && binding.type == node.op_type())
            return fmt::format("{} ({}) reads it in other opsets; the model has opset {} of '{}'",
                               reading.op, binding.where.text(), opsetOf(domain),
                               cleanText(domain));
    Dims dims;
    std::vector<std::string> parameters, renamed, results;
    for (int i = 0; i < node.input_size(); ++i) {
        const std::string name = node.input_size() == 1 ? "x" : fmt::format("x{}", i + 1);
        if (node.input(i).empty()) {
            parameters.push_back(name + "?: f32[]");
            continue;
        }
        const auto type = typeOf(node.input(i));
        if (!type)
            return {};
        parameters.push_back(name + ": " + dims.operand(*type));
    }
    for (int i = 0; i < node.attribute_size(); ++i) {
        const auto& attribute = node.attribute(i);
        const char* const type = attributeType(attribute.type());
        if (type == nullptr)
            return {};
        const std::string& theirs = attribute.name();
        const std::string name = isPlainName(theirs) ? theirs : fmt::format("attr{}", i + 1);
        parameters.push_back(fmt::format("attr {}: {}", name, type));
        if (name != theirs)
            renamed.push_back(fmt::format("{} = {}", name, quoteText(cleanText(theirs))));
    }
    for (int i = 0; i < node.output_size(); ++i) {
        const auto declared = declaredType(node.output(i));
        results.push_back(dims.result(node.output_size() == 1 ? "y" : fmt::format("y{}", i + 1),
                                      declared ? *declared : std::nullopt));
    }
    std::string name = operatorName(node.op_type());
    while (m_run.operators->find(name) != nullptr)
        name = "my_" + name;
    const std::string outputs =
        results.size() == 1 ? results[0] : fmt::format("({})", fmt::join(results, ", "));
    return fmt::format(
        "say what it computes in a book, which is given with --rules: op {}({}) -> {} {}onnx {} {} "
        "since {} {}{{ {} }}",
        name, fmt::join(parameters, ", "), outputs,
        dims.where().empty() ? "" : fmt::format("where {} ", fmt::join(dims.where(), ", ")),
        quoteText(isStandardDomain(node.domain()) ? "" : cleanText(node.domain())),
        quoteText(cleanText(node.op_type())), opsetOf(node.domain()),
        renamed.empty() ? "" : fmt::format("{{{}}} ", fmt::join(renamed, ", ")),
        fmt::join(dims.statements(), "  "));
}

} // namespace fw
