#include "onnx/read/declaration.h"

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

Declaration declarationOf(const UnknownCall& call, const OperatorSet& known, OnnxClause clause) {
    Dims dims;
    std::vector<std::string> parameters, renamed, results;
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
        const std::string name = call.operands.size() == 1 ? "x" : fmt::format("x{}", i + 1);
        parameters.push_back(call.operands[i] ? name + ": " + dims.operand(*call.operands[i])
                                              : name + "?: f32[]");
    }
    for (std::size_t i = 0; i < call.attributes.size(); ++i) {
        const auto& [theirs, type] = call.attributes[i];
        const std::string name = isPlainName(theirs) ? theirs : fmt::format("attr{}", i + 1);
        parameters.push_back(fmt::format("attr {}: {}", name, type));
        if (name != theirs)
            renamed.push_back(fmt::format("{} = {}", name, quoteText(theirs)));
    }
    for (std::size_t i = 0; i < call.results.size(); ++i)
        results.push_back(dims.result(call.results.size() == 1 ? "y" : fmt::format("y{}", i + 1),
                                      call.results[i]));
    Declaration out;
    out.name = operatorName(call.type);
    while (known.find(out.name) != nullptr)
        out.name = "my_" + out.name;
    const std::string outputs =
        results.size() == 1 ? results[0] : fmt::format("({})", fmt::join(results, ", "));
    const std::string where =
        dims.where().empty() ? "" : fmt::format("where {} ", fmt::join(dims.where(), ", "));
    const std::string read =
        clause == OnnxClause::Without
            ? ""
            : fmt::format("onnx {} {} {}{}", quoteText(call.domain), quoteText(call.type),
                          call.opset > 1 ? fmt::format("since {} ", call.opset) : "",
                          renamed.empty() ? "" : fmt::format("{{{}}} ", fmt::join(renamed, ", ")));
    out.text = fmt::format("op {}({}) -> {} {}{}{{ {} }}", out.name, fmt::join(parameters, ", "),
                           outputs, where, read, fmt::join(dims.statements(), "  "));
    return out;
}

std::string attributeType(const AttrValue& value) {
    struct Named {
        std::string operator()(std::int64_t) const { return "int"; }
        std::string operator()(double) const { return "float"; }
        std::string operator()(const std::string&) const { return "text"; }
        std::string operator()(const Integers&) const { return "int[]"; }
        std::string operator()(const Reals&) const { return "float[]"; }
        std::string operator()(const Texts&) const { return "text[]"; }
        std::string operator()(DType) const { return {}; }
        std::string operator()(const Exprs&) const { return {}; }
        std::string operator()(const TensorData&) const { return {}; }
    };
    return std::visit(Named(), value);
}

} // namespace fw
