// Inside expr: what expressions were simplified to, and what was proved of them. The sizes behind
// many operators are long, and every index, guard and extent of a nest is made of them and asked
// about again.
#pragma once

#include "expr/ranges.h"

#include <optional>
#include <unordered_map>

namespace fw {

// Of one thread. What is forgotten is only found again, so nothing depends on what is kept.
class SimplifyMemo {
public:
    static SimplifyMemo& ofThread();
    static SimplifyMemo& proofsOfThread(); // whether they are shown to be >= 0, as Bool constants

    // A number for all that is known of variables, the same for equal ranges and facts.
    std::size_t contextOf(const Ranges& ranges);
    std::optional<Expr> find(const Expr& e, const Ranges& ranges, std::size_t context) const;
    void keep(const Expr& e, const Ranges& ranges, std::size_t context, const Expr& result);

private:
    struct Context {
        std::size_t number = 0; // never given again
        std::vector<Range> ranges;
        Exprs facts;
    };
    struct SimplifiedForms {
        // Where no fact and no range says anything of it, it is the same everywhere.
        std::optional<Expr> anywhere;
        std::vector<Symbol> vars;
        std::unordered_map<std::size_t, Expr> in; // by context
    };

    static constexpr std::size_t mostKept = 1 << 16;
    static constexpr std::size_t mostContexts = 1 << 12;

    void forget();

    std::unordered_multimap<std::uint64_t, Context> m_contexts; // by hash
    std::size_t m_numbers = 0;
    std::unordered_map<Expr, SimplifiedForms> m_known;
    std::size_t m_kept = 0;
};

} // namespace fw
