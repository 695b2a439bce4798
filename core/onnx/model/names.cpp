#include "onnx/model/names.h"

#include <cctype>
#include <fmt/format.h>

namespace fw {

namespace {

// Length of a valid UTF-8 sequence at the front; 0 if there is none.
std::size_t sequenceLength(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = at(0);
    if (first < 0x80)
        return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((at(i) & 0xc0) != 0x80)
            return 0;
    if ((first == 0xe0 && at(1) < 0xa0) || (first == 0xed && at(1) > 0x9f) ||
        (first == 0xf0 && at(1) < 0x90) || (first == 0xf4 && at(1) > 0x8f))
        return 0;
    return length;
}

// What exporters write where they know no size: each such dimension is one of its own.
bool isNoName(std::string_view param) {
    return param.empty() || param == "?" || param == "-1" || param == "None";
}

} // namespace

std::string dimName(std::string_view text) {
    std::string out;
    for (const char c : text)
        out += std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 128
                   ? c
                   : '_';
    if (out.empty() || !std::isalpha(static_cast<unsigned char>(out.front())))
        out.insert(0, "D");
    out.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(out.front())));
    return out;
}

std::string cleanText(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = sequenceLength(text);
        const auto first = static_cast<unsigned char>(text.front());
        if (length == 0 || (length == 1 && (first < 0x20 || first == 0x7f)))
            out += "\xef\xbf\xbd";
        else
            out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

Dim DimNames::bindOrVar(const std::string& key, const std::string& name) {
    for (const std::string& candidate : {key, name})
        if (const auto found = m_bound.find(candidate); found != m_bound.end()) {
            m_used.insert(candidate);
            return intExpr(found->second);
        }
    return varExpr(Symbol(name));
}

std::vector<std::string> DimNames::unusedBindings() const {
    std::vector<std::string> out;
    for (const auto& [name, extent] : m_bound)
        if (!m_used.contains(name))
            out.push_back(name);
    return out;
}

Dim DimNames::named(const std::string& param) {
    auto found = m_names.find(param);
    if (found == m_names.end()) {
        const std::string wish = dimName(param);
        std::string name = wish;
        for (int i = 1; !m_taken.insert(name).second; ++i)
            name = fmt::format("{}_{}", wish, i);
        found = m_names.emplace(param, name).first;
    }
    return bindOrVar(param, found->second);
}

Dim DimNames::fresh(const std::string& wish) {
    const std::string base = dimName(wish);
    std::string name = base;
    for (int i = 1; !m_taken.insert(name).second; ++i)
        name = fmt::format("{}_{}", base, i);
    return varExpr(Symbol(name));
}

Dim DimNames::known(const std::string& name) {
    for (const auto& [param, given] : m_names)
        if (given == name)
            return bindOrVar(param, given);
    return named(name);
}

Dim DimNames::unnamed(const std::string& value, std::size_t axis) {
    const std::string key = fmt::format("{}_d{}", value, axis);
    return named(key);
}

Result<std::optional<Shape>> DimNames::shape(const proto::TypeProto::Tensor& type,
                                             const std::string& value) {
    if (!type.has_shape())
        return std::optional<Shape>();
    Shape out;
    for (const auto& dim : type.shape().dim()) {
        if (dim.has_dim_value() && dim.dim_value() >= 0) {
            out.push_back(intExpr(dim.dim_value()));
        } else if (dim.has_dim_param() && !isNoName(dim.dim_param())) {
            out.push_back(named(dim.dim_param()));
        } else {
            out.push_back(unnamed(value, out.size()));
        }
    }
    return std::optional(std::move(out));
}

} // namespace fw
