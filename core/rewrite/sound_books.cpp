#include "rewrite/sound_books.h"

#include "rewrite/apply.h"
#include "rewrite/declaration_check.h"
#include "syntax/declarations.h"

#include <algorithm>
#include <list>
#include <mutex>

namespace fw {

namespace {

template <class Tree>
using Sound = std::map<const Tree*, std::weak_ptr<const Tree>>;

template <class Tree>
bool holds(const Sound<Tree>& sound, const std::shared_ptr<const Tree>& tree) {
    const auto known = sound.find(tree.get());
    return known != sound.end() && known->second.lock() == tree;
}

// What a declaration was checked with decides what is said of it. Trees do not change.
struct Around {
    std::weak_ptr<const OperatorSet> operators;
    std::vector<std::weak_ptr<const PatternDeclTree>> patterns;
    Sound<RuleTree> rules;
    bool patternsAreSound = false;

    bool is(const RuleBook& book, const std::shared_ptr<const OperatorSet>& set) const {
        return operators.lock() == set &&
               std::equal(patterns.begin(), patterns.end(), book.patterns.begin(),
                          book.patterns.end(),
                          [](const auto& own, const auto& its) { return own.lock() == its; });
    }
};

constexpr std::size_t mostBooks = 8;
constexpr std::size_t mostRules = 4096; // of one

std::mutex mutex;

Around& aroundOf(const RuleBook& book, const std::shared_ptr<const OperatorSet>& operators) {
    static std::list<Around> all; // the last one asked for first
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const Around& one) { return one.is(book, operators); });
    if (found == all.end()) {
        if (all.size() >= mostBooks)
            all.pop_back();
        Around made;
        made.operators = operators;
        made.patterns.assign(book.patterns.begin(), book.patterns.end());
        found = all.insert(all.begin(), std::move(made));
    }
    all.splice(all.begin(), all, found);
    return all.front();
}

// The place is one in the book, whatever is rewritten.
Diag inItsBook(Diag wrong, const RuleBook& book, const DeclarationTree& declaration) {
    const auto file = book.files.find(&declaration);
    wrong.where = file == book.files.end()
                      ? Where()
                      : Where{file->second, {}, wrong.where.line, wrong.where.column};
    return wrong;
}

} // namespace

std::optional<Diag> firstErrorOf(const RuleBook& book,
                                 const std::shared_ptr<const OperatorSet>& operators) {
    const std::lock_guard lock(mutex);
    Around& around = aroundOf(book, operators);
    const PatternTable table = book.table();
    if (!around.patternsAreSound)
        for (const auto& pattern : book.patterns)
            if (auto wrong = firstError(checkPattern(*pattern, *operators, table, {}, nullptr,
                                                     ValueNames::MayBeOperators)))
                return inItsBook(std::move(*wrong), book, *pattern)
                    .advise(pattern->name + " cannot be used; fw check BOOK.fw tells more");
    around.patternsAreSound = true;
    if (around.rules.size() > mostRules)
        around.rules.clear();
    for (const auto& rule : each<RuleTree>(book.entries)) {
        if (holds(around.rules, rule))
            continue;
        if (auto wrong = firstError(
                checkRule(*rule, *operators, table, {}, nullptr, ValueNames::MayBeOperators)))
            return inItsBook(std::move(*wrong), book, *rule)
                .advise("rule " + rule->name + " cannot be used; fw check BOOK.fw tells more");
        around.rules.insert_or_assign(rule.get(), rule);
    }
    return std::nullopt;
}

} // namespace fw
