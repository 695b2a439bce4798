// The values of a graph that is being built that are known, found when somebody asks.
#pragma once

#include "ir/graph.h"
#include "ir/known_value.h"

#include <map>

namespace fw {

class KnownValues {
public:
    KnownValues(const GraphEditor& editor, const OperatorSet& operators)
        : m_editor(editor), m_operators(operators) {}

    void give(ValueRef input, KnownValue value); // of an input, before it is asked for
    // nullptr: it is not known. Of nodes whose results are small, and constants. Nodes that were
    // asked for keep their answers.
    const KnownValue* find(ValueRef value);

private:
    std::vector<KnownValue> own(const Node& node) const; // of a constant; empty: none
    std::vector<KnownValue> made(const Node& node) const;

    const GraphEditor& m_editor;
    const OperatorSet& m_operators;
    std::map<NodeId, std::vector<KnownValue>> m_known; // of every result, or empty
};

} // namespace fw
