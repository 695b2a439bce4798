// Attributes of a node: a sorted list of name and value. A missing attribute takes the operator's
// default.
#pragma once

#include "ir/tensor_data.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fw {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;
// Shapes (Exprs) are for native operators whose operand was a shape, such as reshape.
using AttrValue = std::variant<std::int64_t, double, std::string, DType, Integers, Reals, Texts,
                               Exprs, TensorData>;

class Attrs {
public:
    void set(const std::string& name, AttrValue value);
    void erase(const std::string& name);
    const AttrValue* find(const std::string& name) const;
    bool has(const std::string& name) const { return find(name) != nullptr; }
    // Typed reads: the fallback if missing or of another kind. An integer reads as a real.
    std::int64_t integer(const std::string& name, std::int64_t fallback) const;
    double real(const std::string& name, double fallback) const;
    std::string text(const std::string& name, const std::string& fallback) const;
    Integers integers(const std::string& name, const Integers& fallback = {}) const;

    bool empty() const { return m_items.empty(); }
    std::size_t size() const { return m_items.size(); }
    auto begin() const { return m_items.begin(); }
    auto end() const { return m_items.end(); }
    bool operator==(const Attrs&) const = default;
    std::string print() const; // "{axis = 1, strides = [2, 2]}", empty text if there are none

private:
    std::vector<std::pair<std::string, AttrValue>> m_items;
};

std::string
attrText(const AttrValue& value); // reads back; a large tensor as tensor(f32[300], "hash")

} // namespace fw
