#include "rewrite/rule_set.h"

#include "rewrite/apply.h"
#include "rewrite/declaration_check.h"

#include <algorithm>
#include <list>
#include <mutex>

namespace fw {

Rule::Rule(std::shared_ptr<const RuleTree> tree, const PatternTable& table)
    : m_tree(std::move(tree)), m_patterns(m_tree->match, table),
      m_reach(reachOf(*m_tree, m_patterns, table)) {}

Result<std::shared_ptr<const Rule>> Rule::make(std::shared_ptr<const RuleTree> tree,
                                               const OperatorSet& operators,
                                               const PatternTable& table) {
    if (auto wrong =
            firstError(checkRule(*tree, operators, table, {}, nullptr, ValueNames::MayBeOperators)))
        return std::move(*wrong);
    return std::shared_ptr<const Rule>(new Rule(std::move(tree), table));
}

// The rules that were found sound with certain operators and patterns: these decide what is said of
// a rule. Trees do not change.
class SoundRules {
public:
    SoundRules(const RuleBook& book, const std::shared_ptr<const OperatorSet>& operators)
        : m_operators(operators), m_patterns(book.patterns.begin(), book.patterns.end()),
          m_table(book.table()) {}

    bool areOf(const RuleBook& book, const std::shared_ptr<const OperatorSet>& operators) const {
        return m_operators.lock() == operators &&
               std::equal(m_patterns.begin(), m_patterns.end(), book.patterns.begin(),
                          book.patterns.end(),
                          [](const auto& own, const auto& its) { return own.lock() == its; });
    }

    Result<std::shared_ptr<const RuleSet>> of(const RuleBook& book) {
        FW_CHECK(checkPatterns(book));
        makeRoom();
        auto out = std::make_shared<RuleSet>();
        out->patterns = book.patterns;
        out->table = m_table;
        for (std::size_t i = 0; i < book.entries.size(); ++i) {
            std::shared_ptr<const Rule> made;
            if (const auto tree = book.ruleAt(i)) {
                FW_TRY(made, rule(tree, book));
            }
            out->rules.push_back(std::move(made));
        }
        return std::shared_ptr<const RuleSet>(std::move(out));
    }

private:
    static constexpr std::size_t mostRules = 4096;

    void makeRoom() {
        if (m_rules.size() > mostRules)
            m_rules.clear();
    }

    Result<std::shared_ptr<const Rule>> rule(const std::shared_ptr<const RuleTree>& tree,
                                             const RuleBook& book) {
        if (const auto known = m_rules.find(tree.get()); known != m_rules.end())
            return known->second;
        Result<std::shared_ptr<const Rule>> made = Rule::make(tree, *m_operators.lock(), m_table);
        if (!made)
            return inItsBook(made.takeDiag(), book, *tree)
                .advise("rule " + tree->name + " cannot be used; fw check BOOK.fw tells more");
        m_rules.emplace(tree.get(), *made);
        return made;
    }

    Status checkPatterns(const RuleBook& book) {
        if (m_patternsAreSound)
            return {};
        for (const auto& pattern : book.patterns)
            if (auto wrong = firstError(checkPattern(*pattern, *m_operators.lock(), m_table, {},
                                                     nullptr, ValueNames::MayBeOperators)))
                return inItsBook(std::move(*wrong), book, *pattern)
                    .advise(pattern->name + " cannot be used; fw check BOOK.fw tells more");
        m_patternsAreSound = true;
        return {};
    }

    // The place is one in the book, whatever is rewritten.
    static Diag inItsBook(Diag wrong, const RuleBook& book, const DeclarationTree& declaration) {
        const auto file = book.files.find(&declaration);
        wrong.where = file == book.files.end()
                          ? Where()
                          : Where{file->second, {}, wrong.where.line, wrong.where.column};
        return wrong;
    }

    std::weak_ptr<const OperatorSet> m_operators;
    std::vector<std::weak_ptr<const PatternDeclTree>> m_patterns;
    PatternTable m_table; // of these
    bool m_patternsAreSound = false;
    std::map<const RuleTree*, std::shared_ptr<const Rule>> m_rules; // which hold the trees
};

namespace {

// The last ones that were asked for.
template <class Use>
auto withSoundRules(const RuleBook& book, const std::shared_ptr<const OperatorSet>& operators,
                    const Use& use) {
    constexpr std::size_t most = 8;
    static std::mutex mutex;
    static std::list<SoundRules> all; // the last one asked for first
    const std::lock_guard lock(mutex);
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const SoundRules& one) { return one.areOf(book, operators); });
    if (found == all.end()) {
        if (all.size() >= most)
            all.pop_back();
        found = all.emplace(all.begin(), book, operators);
    }
    all.splice(all.begin(), all, found);
    return use(all.front());
}

} // namespace

Result<std::shared_ptr<const RuleSet>>
rulesOf(const RuleBook& book, const std::shared_ptr<const OperatorSet>& operators) {
    return withSoundRules(book, operators, [&](SoundRules& rules) { return rules.of(book); });
}

} // namespace fw
