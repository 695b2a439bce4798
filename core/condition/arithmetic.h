// Values of terms under signs.
#pragma once

#include "condition/value.h"

#include <functional>
#include <optional>
#include <string>

namespace fw {

// The items of a list of numbers; nullopt: it is none.
std::optional<Reals> reals(const TermValue& value);

// "+", "-", "*", "/", "%", "min" or "max" of two numbers. Lists combine element by element, with
// each other or with one number. nullopt: there is no such value; `note` may be told why.
std::optional<TermValue> combined(const std::string& sign, const TermValue& a, const TermValue& b,
                                  const std::function<void(const std::string&)>& note);

} // namespace fw
