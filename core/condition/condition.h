// Conditions and terms over what is known of a match, a call and a target: the one language of
// `where` (rules, fusion rules), `when` (implementations), `requires` (operators) and of attributes
// that a rule computes.
//
// A condition is checked once, when its book is read: every name, function and kind. It is decided
// per match or call, and may be undecided where dimensions are free: Unknown, never guessed. What
// it says of an optional part that is absent holds, negated or not: it does not speak of this
// match.
#pragma once

#include "condition/value.h"
#include "syntax/tree.h"

#include <set>

namespace fw {

enum class Truth : std::uint8_t { No, Yes, Unknown };

struct ConditionResult {
    Truth truth = Truth::Yes;
    std::string seen;     // "M = 8, K = 64": what the names and calls in it were
    std::string evidence; // "M > 16: M = 8"
    // Unknown: what must hold of free dimensions so that it holds; nullopt if that is not it.
    std::optional<Expr> open = {};
};

// What a target offers.
struct TargetOffer {
    std::vector<std::string> keys; // most specific first, "any" last
    std::vector<std::string> libraries;
};

void addWanted(const Tree& condition, TargetOffer& out); // what it asks of a target

// The names that may be used.
struct Vocabulary {
    std::map<std::string, TermKind> names;
    // What `target has` may name; nullptr: no target is known where the condition is decided.
    const std::vector<std::string>* targetKeys = nullptr;
    std::string_view bind = "there are"; // "match binds": in front of the names, in a hint
};

// The values of a match or a call.
struct Scope {
    std::map<std::string, TermValue> names;
    bool restIsAbsent = false;        // names that are not in it: absent, or not known
    std::set<std::string> lists = {}; // names of several values, which have none alone
    const TargetOffer* offer = nullptr;
};

// What is wrong, each with its place in `file`.
Diags checkCondition(const Tree& condition, const Vocabulary& known, const std::string& file);
// The kind of a term; nullopt and diags if it is not understood.
std::optional<TermKind> checkTerm(const Tree& term, const Vocabulary& known,
                                  const std::string& file, Diags& diags);

ConditionResult decide(const ConditionTree& condition, const Scope& scope);
// nullopt: not known, or division by 0, or an index outside its list. `seen`: what the names and
// calls in it were, and why one of them is not known.
std::optional<TermValue> evaluate(const Tree& term, const Scope& scope,
                                  std::string* seen = nullptr);

// Numbers as the f32 of a model, lists element by element, free dimensions if they are one.
Truth equalTerms(const TermValue& a, const TermValue& b);
// What messages call a term: "1", "[2, N]", "f32", "dim(x, 0) + 1".
std::string termText(const Tree& term);
// Whether it holds of dimensions, of which none is negative.
std::optional<bool> decideDims(const Expr& condition);
// Adds the dims that a type of a signature names.
void addDims(const TypeTree& type, Vocabulary& out);

// A function of conditions and terms: used_once(v), dim(v, i).
struct ConditionFunction {
    std::string_view name;
    std::vector<TermKind> arguments;
    TermKind result;
    std::string_view sentence; // what it says, for people
    // Of arguments of these kinds; nullopt: not known.
    std::optional<TermValue> (*apply)(const std::vector<TermValue>&);
    // Why apply() gives nothing for these: "it is no constant"; nullptr, empty: that is plain to
    // see.
    std::string (*unknown)(const std::vector<TermValue>&) = nullptr;
};
const std::vector<ConditionFunction>& conditionFunctions();
const ConditionFunction* conditionFunction(std::string_view name);

} // namespace fw
