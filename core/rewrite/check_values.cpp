// Values of attributes as patterns and right sides write them.
#include "ir/tensor_text.h"
#include "ir/typed_attributes.h"
#include "rewrite/declaration_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

void checkHasResult(const PatternTree& part, std::int64_t which, const Span& span,
                    const OperatorSet& operators, Refusals& out) {
    const PatternTree* inner = &part;
    while (inner->kind == PatternKind::Bind || inner->kind == PatternKind::Output)
        inner = &inner->args[0];
    const bool isOperator = inner->kind == PatternKind::Call && !inner->ofKind;
    const Operator* op = isOperator ? operators.find(inner->name) : nullptr;
    if (op == nullptr || op->isNative())
        return;
    const auto count = static_cast<std::int64_t>(op->outputNames().size());
    if (which >= count)
        out.refuse(DiagCode::RuleIllegal,
                   fmt::format("{} has {} result{}, counted from 0", op->name(), count,
                               count == 1 ? "" : "s"),
                   span, op->signature());
}

void checkConditions(const std::vector<ConditionTree>& conditions, const Bound& bound,
                     const std::vector<std::string>* targetKeys, Refusals& out) {
    Vocabulary known = bound.vocabulary();
    TargetOffer wanted;
    for (const ConditionTree& condition : conditions)
        addWanted(condition.tree, wanted);
    known.targetKeys = targetKeys != nullptr ? targetKeys : &wanted.keys;
    for (const ConditionTree& condition : conditions)
        out.add(checkCondition(condition.tree, known, out.file()));
}

void checkWrittenValue(const Operator& op, const std::string& name, const Tree& written,
                       const Span& span, Refusals& out) {
    const bool isList = written.kind == TreeKind::List;
    const bool isOpen = std::any_of(written.args.begin(), written.args.end(),
                                    [](const Tree& one) { return one.kind == TreeKind::Pack; });
    const auto length = lengthOf(op, name);
    if (isList && !isOpen && length && *length != static_cast<std::int64_t>(written.args.size()))
        out.refuse(DiagCode::UnsupportedAttribute,
                   fmt::format("{} of {} has {} elements, not {}", name, op.name(), *length,
                               written.args.size()),
                   span, fmt::format("fw ops {} says what it holds", op.name()));
    if (op.attrType(name) == AttrType::Bool)
        if (const auto value = integerFromTree(written); value && *value != 0 && *value != 1)
            out.refuse(DiagCode::UnsupportedAttribute,
                       fmt::format("{} of {} is true or false, not {}", name, op.name(), *value),
                       span);
}

void checkRange(const PatternAttrTree& attr, Refusals& out) {
    if (attr.kind == PatternAttrTree::Kind::Among && attr.among.args.empty())
        return out.refuse(DiagCode::RuleIllegal,
                          fmt::format("{} is one of no values: nothing matches", attr.name),
                          attr.span);
    const auto low = evaluate(attr.low, {}), high = evaluate(attr.high, {});
    const auto least = low ? numberOf(*low) : std::nullopt;
    const auto most = high ? numberOf(*high) : std::nullopt;
    if (attr.kind == PatternAttrTree::Kind::Range && least && most && *least > *most)
        out.refuse(DiagCode::RuleIllegal,
                   fmt::format("the range of {} is empty: nothing matches", attr.name), attr.span);
}

} // namespace fw
