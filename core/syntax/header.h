// What stands between the name of a declaration and its block, the same for every kind:
//     ["on" key,+] ["where" expression,+]
#pragma once

#include "syntax/parser.h"

namespace fw {

KeyTree parseKey(Parser& parser, Expect stands = Expect::TargetKey);
std::vector<KeyTree> parseKeys(Parser& parser); // behind "on"

// Whether the next word begins one of the two.
bool atHeader(const Parser& parser);
// The targets become those of the declaration, the conditions are handed back.
std::vector<ConditionTree> parseHeader(Parser& parser, DeclarationTree& declaration,
                                       Expect stands = Expect::Condition);
// What `on` says, as a condition: target has A || target has B.
std::optional<ConditionTree> targetCondition(const DeclarationTree& declaration);
// Both, where a declaration has no other use for the targets.
std::vector<ConditionTree> headerConditions(Parser& parser, DeclarationTree& declaration);

// Of conditions that must hold together; nothing of none.
std::optional<ConditionTree> joinedConditions(const std::vector<ConditionTree>& conditions);

} // namespace fw
