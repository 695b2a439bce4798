// Names of repeated steps, which have a value of their own in every repetition.
#pragma once

#include "pattern/declared.h"

#include <functional>

namespace fw {

struct RepeatedNames {
    std::set<std::string> values, attributes; // captures and named parts; of attributes
};

// Those that stand inside `*`, `{..}`, `...p` and patterns that name themselves, and nowhere else.
RepeatedNames repeatedNames(const std::vector<NamedPattern>& patterns, const PatternTable& table);

// Gives `listed` names the repetition that they stand for, counted from the end: 0 is the last one.
using Repetition = std::function<int(int)>; // from the one that they are named for
void nameRepetition(PatternTree& step, const std::set<std::string>& listed,
                    const Repetition& repetition);
void nameRepetition(Tree& term, const std::set<std::string>& listed, const Repetition& repetition);
std::string repetitionMark(int number);

std::string writtenName(const std::string& name); // without the repetition
int repetitionOf(const std::string& name);

} // namespace fw
