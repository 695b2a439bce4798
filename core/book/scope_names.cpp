#include "book/scope_names.h"

#include "book/reached.h"
#include "rewrite/matches.h"
#include "syntax/declarations.h"
#include "syntax/fusion.h"
#include "syntax/include.h"
#include "syntax/target.h"

namespace fw {

namespace {

using Names = std::set<std::string>;

// Behind >>, and where a chain begins, only a chain makes sense.
bool markIn(PatternTree& p, const Names& names, bool isStep) {
    const bool isName = p.kind == PatternKind::Bind || (p.kind == PatternKind::Capture && !isStep);
    bool any = isName && names.contains(p.name);
    p.value = p.value || any;
    const bool passesOn = p.kind == PatternKind::Alternatives || p.kind == PatternKind::Optional ||
                          p.kind == PatternKind::Repeat || p.kind == PatternKind::Not;
    const bool follows = p.kind == PatternKind::Sequence || p.kind == PatternKind::Dominated;
    for (std::size_t i = 0; i < p.args.size(); ++i)
        any = markIn(p.args[i], names, follows ? isStep || i > 0 : isStep && passesOn) || any;
    return any;
}

bool markAll(RuleTree& rule, const Names& names) {
    bool any = false;
    for (NamedPattern& named : rule.match)
        any = markIn(named.pattern, names, false) || any;
    return any;
}

bool markAll(FuseTree& fuse, const Names& names) {
    return markAll(fuse.rule, names);
}

bool markAll(PatternDeclTree& pattern, const Names& names) {
    return markIn(pattern.pattern, names, pattern.isChain);
}

bool markAll(TargetTree& target, const Names& names) {
    bool any = false;
    for (SequenceTree& sequence : target.required)
        any = markIn(sequence.pattern, names, false) || any;
    return any;
}

DeclarationPtr withValues(const DeclarationPtr& declaration, const Names& names) {
    DeclarationPtr out = declaration;
    const auto mark = [&]<class Tree>(const Tree& tree) {
        auto copy = std::make_shared<Tree>(tree);
        if (markAll(*copy, names))
            out = std::move(copy);
    };
    byKind(
        *declaration, [&](const RuleTree& rule) { mark(rule); },
        [&](const FuseTree& fuse) { mark(fuse); },
        [&](const PatternDeclTree& pattern) { mark(pattern); },
        [&](const TargetTree& target) { mark(target); });
    return out;
}

void addBound(const PatternTree& p, Names& out) {
    if (p.kind == PatternKind::Bind)
        out.insert(p.name);
    for (const PatternTree& part : p.args)
        addBound(part, out);
}

// Parameters, roots and parts: what a declaration itself gives a name to.
Names boundIn(const DeclarationTree& declaration) {
    Names out;
    if (const RuleTree* rule = ruleOf(declaration))
        for (const NamedPattern& named : rule->match) {
            out.insert(named.name);
            addBound(named.pattern, out);
        }
    byKind(declaration, [&](const PatternDeclTree& pattern) {
        for (const PatternParam& param : pattern.params)
            out.insert(param.name);
        addBound(pattern.pattern, out);
    });
    return out;
}

// Patterns, chains and operators that a book declares.
Names declaredBy(const ReadBook& book, bool operators = true) {
    Names out;
    for (const auto& pattern : each<PatternDeclTree>(book.written))
        out.insert(pattern->name);
    if (operators)
        for (const auto& op : each<OpTree>(book.written))
            out.insert(op->name);
    return out;
}

} // namespace

void scopeNames(std::vector<ReadBook>& books, const std::vector<bool>& isShipped,
                const OperatorSet& operators) {
    Names all, shipped;
    for (std::size_t i = 0; i < books.size(); ++i)
        (isShipped[i] ? shipped : all).merge(declaredBy(books[i]));
    std::erase_if(all, [&](const std::string& name) {
        return shipped.contains(name) || operators.find(name) != nullptr;
    });
    const ReachedBooks reached(books);
    for (std::size_t i = 0; i < books.size(); ++i) {
        Names values = all; // what stands for nothing else in this book
        Names patterns;     // that it sees
        if (!isShipped[i]) {
            std::vector<const ReadBook*> seen{&books[i]};
            for (const auto& [item, include] : books[i].each<IncludeTree>())
                for (const ReadBook* other : reached.through(books[i], item))
                    seen.push_back(other);
            for (const ReadBook* one : seen) {
                for (const std::string& name : declaredBy(*one))
                    values.erase(name);
                patterns.merge(declaredBy(*one, false));
            }
        }
        for (DeclarationPtr& one : books[i].written) {
            Names here = values;
            for (const std::string& name : boundIn(*one))
                if (patterns.contains(name))
                    here.insert(name);
            if (!here.empty())
                one = withValues(one, here);
        }
    }
}

} // namespace fw
