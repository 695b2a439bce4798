// What is wrong with a declaration, by its kind: the folder that owns its meaning checks it, and
// takes the valid ones.
#pragma once

#include "base/declaration_kind.h"
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
    BookOrigin origin = BookOrigin::User; // entries of shipped books are tried by a test alone
};

Diags checkDeclaration(const DeclarationTree& declaration, const BookNamesKnown& known,
                       const std::string& file);

} // namespace fw
