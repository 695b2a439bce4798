#include "ir/typed_attributes.h"

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

} // namespace fw
