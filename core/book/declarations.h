// The kinds of declarations: one row each, in the order in which the language page shows them.
//
// A row says what a book does with a declaration of that keyword. Its words are parsed in
// core/syntax (fwGrammar has the parser under the same keyword), its meaning is the folder's that
// owns it: that folder checks it and takes the valid ones.
#pragma once

#include "strategy/scheduled.h"
#include "strategy/targets.h"

namespace fw {

// Everything that is known by name while declarations are checked.
struct BookNamesKnown {
    const OperatorSet& operators;
    const PatternTable& patterns;
    const ScheduleTable& schedules;
    const TargetTable& targets;
    const std::vector<std::string>& targetKeys;
    const std::vector<std::string>& libraries;      // those that books declare
    std::shared_ptr<const OperatorSet> operatorSet; // `operators`, for graphs that hold it
};

// What a later declaration of the same keyword and name does to an earlier one.
enum class SameName : std::uint8_t {
    Adds,    // both count: blocks of implementations, growth rules, pins
    Hides,   // who names it means the later one: operators, patterns
    Replaces // the earlier one is not asked any more: rules, schedules, targets
};

struct DeclarationKind {
    std::string_view keyword;
    std::string_view noun; // of verdicts: "operator"
    SameName sameName;
    bool isUsed;      // others name it and cannot do without
    bool canBeTested; // by a test that stands behind it
    // What is wrong with it. nullptr: nothing can be, or the test is run instead.
    Diags (*check)(const DeclarationTree&, const BookNamesKnown&, const std::string& file);
};

const std::vector<DeclarationKind>& declarationKinds();
const DeclarationKind& kindOf(std::string_view keyword);

} // namespace fw
