// What is known of a declaration when its book is read: the names that a left side binds, and the
// checks of patterns and right sides.
#pragma once

#include "condition/condition.h"
#include "pattern/match.h"

#include <set>

namespace fw {

// What the left side binds.
struct Bound {
    std::set<std::string> values;
    std::map<std::string, TermKind> attrs; // {axis}, {axis = a}, dims and element types
    std::set<std::string> attrSets;        // {*a}

    Vocabulary vocabulary() const; // for conditions and terms
    bool any(const std::string& name) const;
};
Bound boundBy(const std::vector<NamedPattern>& patterns, const OperatorSet& operators,
              const PatternTable& table);

// Collects what is wrong with a declaration of `file`.
class Refusals {
public:
    explicit Refusals(const std::string& file) : m_file(file) {}
    void refuse(DiagCode code, std::string message, const Span& span, std::string hint = {}) {
        m_out.push_back(makeDiag(code, std::move(message), {m_file, {}, span.line, span.column},
                                 std::move(hint)));
    }
    void warn(DiagCode code, std::string message, const Span& span) {
        m_out.push_back(
            makeWarning(code, std::move(message), {m_file, {}, span.line, span.column}));
    }
    void add(Diags diags) { std::move(diags.begin(), diags.end(), std::back_inserter(m_out)); }
    const std::string& file() const { return m_file; }
    Diags take() { return std::move(m_out); }

private:
    const std::string& m_file;
    Diags m_out;
};

// Whether names of values are those of operators, too: a graph may have operators that nobody knew
// when a book was read. A name of a value stands for it all the same.
enum class ValueNames : std::uint8_t { Apart, MayBeOperators };

// As in apply.h.
Diags checkRule(const RuleTree& rule, const OperatorSet& operators, const PatternTable& table,
                const std::string& file, const std::vector<std::string>* targetKeys,
                ValueNames names);
Diags checkPattern(const PatternDeclTree& pattern, const OperatorSet& operators,
                   const PatternTable& table, const std::string& file,
                   const std::vector<std::string>* targetKeys, ValueNames names);
// That the operator with which a part ends has so many results; `which` below 0: any.
void checkHasResult(const PatternTree& part, std::int64_t which, const Span& span,
                    const OperatorSet& operators, Refusals& out);
// `targetKeys` as of checkRule().
void checkConditions(const std::vector<ConditionTree>& conditions, const Bound& bound,
                     const std::vector<std::string>* targetKeys, Refusals& out);
// `chain`: what the pattern is applied to is `^` in it. `bound`: what it and those beside it bind.
void checkPatternTree(const PatternTree& pattern, bool chain, const OperatorSet& operators,
                      const PatternTable& table, const Bound& bound, Refusals& out,
                      ValueNames names = ValueNames::Apart);
// An attribute of a call: that it exists and holds what is written. `kind` is nullopt where only
// the name is.
void checkAttribute(const Operator& op, const std::string& name, std::optional<TermKind> kind,
                    const Span& span, Refusals& out);
// What is written for an attribute beyond its kind: a list that has the wrong length, a number for
// a truth. Lists whose length a name says may be right.
void checkWrittenValue(const Operator& op, const std::string& name, const Tree& written,
                       const Span& span, Refusals& out);
// A range or a set of values that holds none.
void checkRange(const PatternAttrTree& attr, Refusals& out);
std::vector<std::string> chainNames(const PatternTable& table);
// What a misspelt operator was meant to be; patterns and chains may stand there, too, if there is a
// table.
std::string operatorHint(const std::string& word, const OperatorSet& operators,
                         const PatternTable* table);

} // namespace fw
