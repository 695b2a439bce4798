// What there is to say about a part: attributes of its operators, types and elements of its
// operands.
#pragma once

#include "sketch/sketch_part.h"

namespace fw {

std::vector<SketchFact> factsOf(const SketchPart& part, const SketchWish& wish);

// Facts by key, and the words that they put into a pattern.
class SketchWords {
public:
    // `types`: what operands must be, whatever the facts say of their types.
    SketchWords(const SketchPart& part, const std::vector<SketchFact>& facts, SketchKind kind,
                std::map<ValueRef, std::string> types = {});

    // Of an operator, with a blank before it; empty: it says nothing of its attributes.
    std::string attributes(NodeId node) const;
    // Of an operand, behind its name: ": const & f32[N, C]". Empty: it may be anything.
    std::string constraint(ValueRef operand) const;
    // Of attributes and sizes that are captured, and of all values.
    const std::set<std::string>& names() const { return m_names; }
    // What a right side writes to have the attributes of a node again.
    std::string again(NodeId node) const;

private:
    const SketchFact* fact(const std::string& key) const;

    const SketchPart& m_part;
    std::map<ValueRef, std::string> m_types;
    std::map<std::string, const SketchFact*> m_facts;
    std::map<std::string, std::string> m_captures; // by key: names of attributes, lists of dims
    std::set<std::string> m_names;
    std::map<NodeId, std::string> m_rest; // name of `{*a}` where the kind wants one
};

// Keys of facts.
std::string attributeKey(const SketchPart& part, NodeId node, const std::string& attribute);
std::string operandKey(const SketchPart& part, ValueRef operand, const char* what);

} // namespace fw
