// Names of repeated steps, which have a value of their own in every repetition.
#pragma once

#include "pattern/match.h"

namespace fw {

// Those that stand inside `*`, `{..}`, `...p` and patterns that name themselves, and nowhere else.
RepeatedNames repeatedNames(const std::vector<NamedPattern>& patterns, const PatternTable& table);

// `listed` names in a repeated step, for the repetition so many before the one that they are named
// for.
void nameEarlierRepetition(PatternTree& step, const std::set<std::string>& listed, int before);

// The same, for a repetition that is counted from the end: 0 is the last one.
void nameRepetition(PatternTree& step, const std::set<std::string>& listed, int number);
std::string repetitionMark(int number);

std::string writtenName(const std::string& name); // without the repetition

// What the repetitions bound becomes lists.
void gatherLists(const std::set<std::string>& listed, MatchBindings& bindings);

} // namespace fw
