#include "book/scope_names.h"

#include "book/reached.h"
#include "rewrite/matches.h"
#include "syntax/fusion.h"
#include "syntax/include.h"
#include "syntax/target.h"

namespace fw {

namespace {

using Names = std::set<std::string>;

// Behind >>, and where a chain begins, only a chain makes sense.
bool mark(PatternTree& p, const Names& names, bool isStep) {
    const bool isName = p.kind == PatternKind::Bind || (p.kind == PatternKind::Capture && !isStep);
    bool any = isName && names.contains(p.name);
    p.value = p.value || any;
    const bool passesOn = p.kind == PatternKind::Alternatives || p.kind == PatternKind::Optional ||
                          p.kind == PatternKind::Repeat || p.kind == PatternKind::Not;
    const bool follows = p.kind == PatternKind::Sequence || p.kind == PatternKind::Dominated;
    for (std::size_t i = 0; i < p.args.size(); ++i)
        any = mark(p.args[i], names, follows ? isStep || i > 0 : isStep && passesOn) || any;
    return any;
}

bool mark(RuleTree& rule, const Names& names) {
    bool any = false;
    for (NamedPattern& named : rule.match)
        any = mark(named.pattern, names, false) || any;
    return any;
}

bool mark(FuseTree& fuse, const Names& names) {
    return mark(fuse.rule, names);
}

bool mark(PatternDeclTree& pattern, const Names& names) {
    return mark(pattern.pattern, names, pattern.isChain);
}

bool mark(TargetTree& target, const Names& names) {
    bool any = false;
    for (SequenceTree& sequence : target.required)
        any = mark(sequence.pattern, names, false) || any;
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

DeclarationPtr withValues(const DeclarationPtr& declaration, const Names& names) {
    for (const DeclarationPtr& one :
         {marked<RuleTree>(declaration, names), marked<FuseTree>(declaration, names),
          marked<PatternDeclTree>(declaration, names), marked<TargetTree>(declaration, names)})
        if (one)
            return one;
    return declaration;
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
    if (const auto* pattern = dynamic_cast<const PatternDeclTree*>(&declaration)) {
        for (const PatternParam& param : pattern->params)
            out.insert(param.name);
        addBound(pattern->pattern, out);
    }
    return out;
}

// Patterns, chains and operators that a book declares.
Names declaredBy(const ReadBook& book, bool operators = true) {
    Names out;
    for (const DeclarationPtr& one : book.written)
        if (declarationAs<PatternDeclTree>(one) || (operators && declarationAs<OpTree>(one)))
            out.insert(one->name);
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
            for (std::size_t item = 0; item < books[i].written.size(); ++item)
                if (declarationAs<IncludeTree>(books[i].written[item]))
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
