// The part as a pattern, and as the right side that makes it again.
#pragma once

#include "sketch/facts.h"

namespace fw {

class PatternText {
public:
    // With Constraints::AtNames an operand says where it stands first what it must be.
    enum class Constraints : std::uint8_t { AtNames, None };
    PatternText(const SketchPart& part, const SketchWords& words, Constraints constraints)
        : m_part(part), m_words(words), m_constraints(constraints) {}

    // What ends with the value; what was written before is named.
    std::string of(ValueRef value);
    // From now on the value is written as its name: `match c = ..., y = relu(c)`.
    void isNamed(ValueRef value) { m_named.insert(value.node); }
    // Where the value stands first it gets its name.
    void wantsName(ValueRef value) { m_wanted.insert(value.node); }

private:
    struct Piece {
        std::string text;
        bool sequence = false; // needs parentheses as an operand
    };
    Piece piece(ValueRef value);
    Piece call(NodeId node);
    std::string operand(ValueRef value);
    bool needsName(NodeId node) const; // read more than once, or by a further result
    static std::string plain(Piece piece);

    const SketchPart& m_part;
    const SketchWords& m_words;
    Constraints m_constraints;
    std::set<ValueRef> m_said; // operands that were constrained
    std::set<NodeId> m_wanted;
    std::set<NodeId> m_named; // operators whose value has a name by now
};

// `let` and `emit` of a rule that makes the part again, one line each.
std::vector<std::string> rightSide(const SketchPart& part, const SketchWords& words);

// "(p, q)" or "p": the results of a part or of an operator, by name.
std::string tupleOf(const std::vector<std::string>& names);

} // namespace fw
