// Declared patterns and chains: what their names stand for, and patterns as text.
#pragma once

#include "syntax/rule.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fw {

// Declared patterns and chains by name; a call of one is replaced by what it stands for.
using PatternTable = std::map<std::string, const PatternDeclTree*, std::less<>>;

// Declarations and their table; a later one hides an earlier one of the same name.
class DeclaredPatterns {
public:
    void add(std::shared_ptr<const PatternDeclTree> pattern) {
        m_table.insert_or_assign(pattern->name, pattern.get());
        m_all.push_back(std::move(pattern));
    }
    const PatternTable& table() const { return m_table; }

private:
    std::vector<std::shared_ptr<const PatternDeclTree>> m_all;
    PatternTable m_table;
};

// A name that is bound to whatever is found: no element type, not "any".
bool isFreeName(const Tree& tree);
bool hasFreeName(const Tree& tree);

// Whether p is a name that a declaration may stand for: a capture, or a call but of a kind.
bool refers(const PatternTree& p);

// The body of a declared pattern with the arguments of a call in place of its parameters. Its parts
// take the place in the text of the call, if that has one; the arguments keep theirs. An argument
// that stands in several places is one value. Where a parameter is called, f(x), the argument is
// the name of an operator, a pattern or a chain.
struct Unfolding {
    int level = 0;                // how often a pattern that names itself stands in itself here
    std::set<std::string> listed; // names that have a value of their own at every level
};
PatternTree withArguments(const PatternDeclTree& declared, const PatternTree& call,
                          const Unfolding& unfolding = {});
// Parameters that are called: f of `pattern twice(f, x) = f(f(x))`.
std::set<std::string> calledParameters(const PatternDeclTree& declared);
// With what the declared patterns and chains stand for in place of their names, so that it need not
// be made at every node. What is too large, or leads back to itself, stays a name.
PatternTree withDeclared(const PatternTree& pattern, const PatternTable& table);
// Whether a name leads back to itself, as in pattern relus(x) = (relu(relus(x)) | x), or to more
// names than anyone looks through.
bool namesItself(const std::string& name, const PatternTable& table);

// Text of a pattern, as written in messages.
std::string patternText(const PatternTree& pattern);
std::size_t callCount(const PatternTree& pattern); // operators in its longest form

} // namespace fw
