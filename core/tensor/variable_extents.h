// How far the variables of a statement run, which nothing in it says: its output, what it reads, or
// the convention of names does.
#pragma once

#include "tensor/inst_builder.h"

namespace fw {

// The first name in an index of the left side that stands for nothing yet is its variable.
std::optional<Local> variableOf(const Tree& index, const Names& names);

// Of the variable of the index at `position` of the left side of `in`.
std::optional<Shape> extentsOf(const Local& variable, std::size_t position, const Statement& in,
                               const InstBuilder& builder);

} // namespace fw
