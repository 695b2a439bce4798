// Names of repeated steps, which have a value of their own in every repetition.
#pragma once

#include "pattern/match.h"

namespace fw {

// Those that stand inside `*` and `{..}` and nowhere else.
RepeatedNames repeatedNames(const std::vector<NamedPattern>& patterns, const PatternTable& table);

// `listed` names in a repeated step, for the repetition before the one that they are named for.
void nameNextRepetition(PatternTree& step, const std::set<std::string>& listed);

std::string writtenName(const std::string& name); // without the repetition

// What the repetitions bound becomes lists.
void gatherLists(const std::set<std::string>& listed, MatchBindings& bindings);

} // namespace fw
