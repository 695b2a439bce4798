// Patterns made ready to be matched: declared ones stand in place of their names, names are
// numbers, and what a clause asks for is known as far as it can be before any graph.
#pragma once

#include "condition/condition.h"
#include "ir/number_operands.h"
#include "pattern/repeated.h"
#include "pattern/roots.h"

#include <deque>
#include <map>
#include <span>

namespace fw {

class PatternNames {
public:
    int of(const std::string& name) { // a new number if it has none
        const auto [known, isNew] = m_numbers.emplace(name, static_cast<int>(m_texts.size()));
        if (isNew)
            m_texts.push_back(name);
        return known->second;
    }
    int find(const std::string& name) const { // -1: it has none
        const auto known = m_numbers.find(name);
        return known != m_numbers.end() ? known->second : -1;
    }
    const std::string& text(int number) const { return m_texts[static_cast<std::size_t>(number)]; }
    std::size_t size() const { return m_texts.size(); }

private:
    std::map<std::string, int, std::less<>> m_numbers;
    std::vector<std::string> m_texts;
};

// The name of a value: in a repeated step it stands for a value of its own in every repetition,
// counted from the last one.
struct ValueName {
    int number = -1; // in PatternNames; -1: none
    int repetition = 0;
    bool isListed = false;
};

// A term of an attribute or a type.
struct PreparedTerm {
    const Tree* tree = nullptr;
    bool isAny = false;
    int name = -1;                       // it is one, of PatternNames
    bool isPack = false;                 // some dims; `name` may be none
    std::optional<TermValue> value = {}; // without names
};

// What a call asks of an attribute.
struct PreparedAttr {
    enum class Ask : std::uint8_t { All, Bind, Any, Among, Range, Term, Elements };
    Ask ask = Ask::Any;
    const PatternAttrTree* tree = nullptr;
    int name = -1;                   // All, Bind
    std::vector<TermValue> values;   // Among
    std::optional<double> low, high; // Range
    std::vector<PreparedTerm> terms; // Term: one; Elements
};

// What is demanded of a value behind ":".
struct PreparedConstraint {
    const PatternConstraint* tree = nullptr;
    std::vector<std::optional<Number>> numbers; // Equal
    ValueName same;                             // Same; none: "^"
    std::optional<DType> dtype;                 // Type
    int element = -1;                           // Type: a name for the element type
    std::vector<PreparedTerm> dims;             // Type
};

struct PatternNode {
    const PatternTree* tree = nullptr;
    ValueName name; // Capture, Bind
    // Capture, Call: what is declared under the name, where that could not be put in its place.
    const PatternDeclTree* declared = nullptr;
    bool namesItself = false;             // `declared`
    std::optional<FusionKind> fusionKind; // Call: of kind
    std::optional<std::size_t> rest;      // Call: the argument that stands for further operands
    std::size_t fixed = 0;                // Call: arguments beside it
    std::span<const PatternNode> args;
    std::vector<PreparedAttr> attrs;
    std::vector<PreparedConstraint> constraints;
    const PatternConstraint* likePrevious = nullptr; // `same(^)`
    // Sequence: for which steps a refusal counts wherever it is met again; empty: none is kept.
    std::vector<char> isFree;

    // Call: of `count` operands, the argument that the one at `at` belongs to.
    std::size_t argument(std::size_t at, std::size_t count) const {
        if (!rest || at < *rest)
            return at;
        const std::size_t further = count - fixed;
        return at < *rest + further ? *rest : at - further + 1;
    }
};
using PatternNodes = std::deque<std::vector<PatternNode>>; // arguments of one node each

// The tree must outlive the node; the nodes below it go to `nodes`.
PatternNode prepare(const PatternTree& tree, const PatternTable& table,
                    const RepeatedNames& repeated, PatternNames& names, PatternNodes& nodes);

// Patterns that are matched at once. What is the same at every node is made here.
class PreparedPatterns {
public:
    PreparedPatterns(std::vector<NamedPattern> patterns, const PatternTable& table);
    PreparedPatterns(const PatternTree& pattern, const PatternTable& table) // without a name
        : PreparedPatterns(std::vector<NamedPattern>{{"", pattern}}, table) {}
    PreparedPatterns(PreparedPatterns&&) noexcept = default;
    PreparedPatterns& operator=(PreparedPatterns&&) noexcept = default;
    PreparedPatterns(const PreparedPatterns&) = delete;
    PreparedPatterns& operator=(const PreparedPatterns&) = delete;
    ~PreparedPatterns() = default;

    // With what declared ones stand for in place of their names.
    const std::vector<NamedPattern>& all() const { return m_all; }
    const PatternTree& first() const { return m_all.front().pattern; }
    std::size_t operators() const { return m_operators; } // in the longest forms
    const RepeatedNames& repeated() const { return m_repeated; }

    struct Root { // beside all()
        ValueName name;
        PatternNode pattern;
        PossibleRoots possible;
    };
    const std::vector<Root>& roots() const { return m_roots; }
    const PossibleRoots& possible() const { return m_roots.front().possible; } // of the first
    const PatternNames& names() const { return m_names; }

private:
    std::vector<NamedPattern> m_all;
    std::size_t m_operators = 0;
    RepeatedNames m_repeated;
    PatternNames m_names;
    PatternNodes m_nodes;
    std::vector<Root> m_roots;
};

} // namespace fw
