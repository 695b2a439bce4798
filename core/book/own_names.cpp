#include "book/own_names.h"

#include "syntax/fusion.h"
#include "syntax/target.h"

namespace fw {

namespace {

using Names = std::set<std::string>;

bool mark(PatternTree& p, const Names& names) {
    bool any =
        (p.kind == PatternKind::Capture || p.kind == PatternKind::Bind) && names.contains(p.name);
    p.value = p.value || any;
    for (PatternTree& part : p.args)
        any = mark(part, names) || any;
    return any;
}

bool mark(RuleTree& rule, const Names& names) {
    bool any = false;
    for (NamedPattern& named : rule.match)
        any = mark(named.pattern, names) || any;
    return any;
}

bool mark(FuseTree& fuse, const Names& names) {
    return mark(fuse.rule, names);
}

bool mark(PatternDeclTree& pattern, const Names& names) {
    return mark(pattern.pattern, names);
}

bool mark(TargetTree& target, const Names& names) {
    bool any = false;
    for (SequenceTree& sequence : target.required)
        any = mark(sequence.pattern, names) || any;
    return any;
}

template <class Tree>
DeclarationPtr marked(const DeclarationPtr& declaration, const Names& names) {
    const auto tree = declarationAs<Tree>(declaration);
    if (!tree)
        return nullptr;
    auto copy = std::make_shared<Tree>(*tree);
    return mark(*copy, names) ? DeclarationPtr(std::move(copy)) : declaration;
}

} // namespace

DeclarationPtr withValues(const DeclarationPtr& declaration, const Names& names) {
    for (const DeclarationPtr& one :
         {marked<RuleTree>(declaration, names), marked<FuseTree>(declaration, names),
          marked<PatternDeclTree>(declaration, names), marked<TargetTree>(declaration, names)})
        if (one)
            return one;
    return declaration;
}

} // namespace fw
