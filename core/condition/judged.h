// Comparisons of values, and what follows from their answers.
#pragma once

#include "condition/condition.h"

#include <optional>
#include <string>

namespace fw {

struct Judged {
    Truth truth = Truth::Unknown;
    std::optional<Expr> open = {}; // see ConditionResult
};

Truth known(bool truth);
Judged inverse(const Judged& judged);
// `decisive` No: both must hold. Yes: one is enough.
Judged joined(const Judged& a, const Judged& b, Truth decisive);
// `sign`: "==", "!=", "<", "<=", ">" or ">=".
Judged compare(const std::string& sign, const Expr& a, const Expr& b);
Truth compare(const std::string& sign, double a, double b);
Judged equal(const TermValue& a, const TermValue& b);

} // namespace fw
