#include "ir/typed_attributes.h"

#include <charconv>
#include <utility>
#include <vector>

namespace fw {

void typeReals(Attrs& attrs, const Operator& op) {
    std::vector<std::pair<std::string, AttrValue>> typed;
    for (const auto& [name, value] : attrs) {
        const auto* integer = std::get_if<std::int64_t>(&value);
        const auto* integers = std::get_if<Integers>(&value);
        if (integer == nullptr && integers == nullptr)
            continue;
        const std::optional<AttrType> type = op.attrType(name);
        if (integer != nullptr && type == AttrType::Float)
            typed.emplace_back(name, static_cast<double>(*integer));
        else if (integers != nullptr && type == AttrType::FloatList)
            typed.emplace_back(name, Reals(integers->begin(), integers->end()));
    }
    for (auto& [name, value] : typed)
        attrs.set(name, std::move(value));
}

std::optional<std::int64_t> lengthOf(const Operator& op, std::string_view attr) {
    const std::string signature = op.signature();
    const std::string declared = "attr " + std::string(attr) + ":";
    const std::size_t at = signature.find(declared);
    if (at == std::string::npos)
        return std::nullopt;
    const std::size_t end = signature.find_first_of("[=,)", at + declared.size());
    if (end == std::string::npos || signature[end] != '[')
        return std::nullopt;
    std::int64_t length = 0;
    const char* const digits = signature.data() + end + 1;
    const auto read = std::from_chars(digits, signature.data() + signature.size(), length);
    return read.ec == std::errc() && *read.ptr == ']' ? std::optional(length) : std::nullopt;
}

} // namespace fw
