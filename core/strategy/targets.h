// Targets that books declare.
#pragma once

#include "pattern/match.h"
#include "syntax/target.h"
#include "target/target.h"

namespace fw {

constexpr std::size_t mostTargets = 1000; // of all books together

// Declared targets by name; a later one takes the place of an earlier one.
using TargetTable = std::map<std::string, std::shared_ptr<const TargetTree>, std::less<>>;

// A name that no book may declare.
bool isTakenTarget(const std::string& name);

// What `on` and `target has` may name: the keys of the program, and names and keys of declared
// targets.
std::vector<std::string> targetKeysKnown(const TargetTable& declared);

// Keys that are not there. `known`: targetKeysKnown().
// Whether a declaration is for a target.
bool isFor(const DeclarationTree& declaration, const TargetOffer& offer);
Diags checkKeys(const std::vector<KeyTree>& keys, const std::vector<std::string>& known,
                const std::string& file);

// Clauses that name what is not there or contradict the CPU that the target stands on, a name that
// is taken, a circle.
Diags checkTarget(const TargetTree& target, const TargetTable& declared,
                  const OperatorSet& operators, const PatternTable& patterns,
                  const std::string& file);

// Of a target without errors.
DeclaredTarget declaredTarget(const TargetTree& target);

// The sequences that a target requires, and those that it stands on: its own first.
std::vector<const SequenceTree*> requiredBy(std::string_view target, const TargetTable& declared);

} // namespace fw
