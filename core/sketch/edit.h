// Small edits of a graph as text: a rule that acts at one operator only, by its name.
#pragma once

#include "sketch/sketch.h"

namespace fw {

enum class EditKind : std::uint8_t { Delete, Insert, Rewire, Attribute, Rename };
std::optional<EditKind> editKind(std::string_view word); // "delete", ...
std::string editKinds();                                 // all of them, for a message

struct EditWish {
    EditKind kind = EditKind::Delete;
    std::string name; // of the rule
    // Delete: what takes its place; else the first one of its type. Rewire: what reads something
    // else; else the first.
    std::optional<std::size_t> operand;
    // Insert: an operator, or a call in which ^ is the value behind which it stands. Rewire: an
    // operator or a value. Rename: the name.
    std::string to;
    std::map<std::string, std::string> attributes; // as the language writes them
};

// The rule. Refused where none can say it (EditNoRule), where several results are read that one
// value cannot replace (EditReaders), where a name is taken (EditNameTaken) or there is none
// (EditUnfit). What is wrong with operators and attributes is found when the rule is read.
Result<std::string> editRule(const Graph& graph, NodeId node, const EditWish& wish);

// "stem_Relu" of "/stem/Relu": a name of the language out of any text.
std::string identifierOf(std::string_view text);

} // namespace fw
