// Small calls of every operator of the library, with attributes that are not all defaults.
#pragma once

#include "ir/operator.h"

#include <set>
#include <string>
#include <vector>

namespace fw::test {

struct Instance {
    std::string op;
    std::vector<std::string> types; // of the operands, "f32[2, 3]"; those at the end may be absent
    Attrs attributes;
};

std::vector<Instance> instances();
OpCall callOf(const Instance& instance);
TensorType typeOf(const std::string& text);
Attrs attrs(std::vector<std::pair<std::string, AttrValue>> items);

// They hold values of the graph or have no meaning that is known.
extern const std::set<std::string> withoutExpression;

} // namespace fw::test
