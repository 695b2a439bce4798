// What is noticed of operators that are accepted, beside what is wrong with them.
#pragma once

#include "book/book.h"
#include "snapshot/book_records.h"

namespace fw {

// Warnings and notes: calls in its body that are always refused, and on how many they were tried;
// clauses that read a node because the node does not say which of them it means.
void remarkOnOperator(const OpTree& op, const OperatorSet& operators, const std::string& file,
                      snapshot::CheckItem& row);

} // namespace fw
