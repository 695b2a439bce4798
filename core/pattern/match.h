// The matcher: one for rules, composites and library chains alike.
//
// A pattern is matched from a value backward to its operands, with backtracking. Deterministic:
// nodes and alternatives in order, optional and repeated steps greedy, then shorter. Bounded by a
// budget of steps. Commutative operators are tried in both orders. Two calls of a pattern are two
// nodes of the graph. A name stands for one value and one attribute throughout; one that stands in
// repeated steps only is a list, with a value of its own in every repetition.
// `>>` hands the value before a step on as `^`; an absent step hands on what it got.
#pragma once

#include "ir/graph.h"
#include "syntax/rule.h"

#include <map>
#include <optional>
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

struct MatchBindings {
    std::map<std::string, ValueRef> values; // captures and named parts
    // Names of repeated steps, from the first repetition to the last; `values` has them, too, where
    // there is one value.
    std::map<std::string, std::vector<ValueRef>> lists;
    std::map<std::string, Attrs> attrs;          // {*a}
    std::map<std::string, AttrValue> attrValues; // {axis}
};

struct Match {
    std::vector<ValueRef> roots; // one per named pattern
    MatchBindings bindings;
    std::vector<NodeId> nodes; // operators matched, in the order found
    // In the text, of the calls that took them. What a declared pattern or chain stands for has the
    // place of its name.
    std::vector<Span> places;
};

// What kind of clause refused a node.
enum class Missed : std::uint8_t {
    Operator, // another one, or of another kind
    Attribute,
    Constant,
    SameValue, // a capture that stands for another value already
    SameType,
    Operands, // how many there are
    Condition,
    Step, // behind the end of a match, where steps may be absent
    Other,
};

// The deepest attempt that failed, so that "why does this not match?" has an answer.
struct NearMiss {
    NodeId root = -1;
    std::size_t matched = 0;
    std::size_t total = 0;
    std::string clause; // "relu(^)"
    std::string expected;
    std::string found;
    Missed why = Missed::Other;
    Span span = {};        // of the clause in the text; line 0: nowhere
    std::string name = {}; // of the operator, capture or attribute that the clause is about; Step:
                           // the step that would take what follows, "sigmoid(^)"
    std::size_t where = 0; // Condition: its index; as many as there are: values used outside
};

struct MatchOptions {
    std::size_t budget = 100000;           // steps per root
    std::map<std::string, ValueRef> bound; // captures that stand for these values from the start
};

// The body of a declared pattern with the arguments of a call in place of its parameters. Its parts
// take the place in the text of the call, if that has one; the arguments keep theirs.
PatternTree withArguments(const PatternDeclTree& declared, const PatternTree& call);
// With what the declared patterns and chains stand for in place of their names, so that it need not
// be made at every node. What is too large stays a name.
PatternTree withDeclared(const PatternTree& pattern, const PatternTable& table);

std::optional<FusionKind> parseKind(std::string_view text); // "elementwise", ...
const std::vector<std::string>& kindNames();                // that text may say
// Whether an operator of kind `found` counts as `wanted`: maps and movements include what is
// easier.
bool countsAs(FusionKind found, FusionKind wanted);

// Text of a pattern, as written in messages.
std::string patternText(const PatternTree& pattern);
std::size_t callCount(const PatternTree& pattern); // operators in its longest form

// Names that stand in repeated steps only: captures and named parts, attributes.
struct RepeatedNames {
    std::set<std::string> values, attributes;
};

// The last of what must hold: false lets the search go on with the next way to match.
using AcceptMatch = std::function<bool(const Match&)>;

class Matcher {
public:
    Matcher(const Graph& graph, const PatternTable& table, MatchOptions options = {});

    // All named patterns at once, the first of them at `root`. LimitReached if the budget ran out.
    Result<std::optional<Match>> matchAt(const std::vector<NamedPattern>& patterns, ValueRef root,
                                         const AcceptMatch& accept = {});
    const NearMiss& nearMiss() const { return m_best; } // of the last matchAt that found nothing

private:
    struct Previous { // "^": the first `count` steps of a sequence, in front of `outer`
        const PatternTree* sequence = nullptr;
        std::size_t count = 0;
        const Previous* outer = nullptr;
    };
    using Next = std::function<bool()>;

    bool pattern(const PatternTree& p, ValueRef v, const Previous* previous, const Next& next);
    // The first `count` steps of p.
    bool sequence(const PatternTree& p, std::size_t count, ValueRef v, const Previous* outer,
                  const Next& next);
    bool onceMore(const PatternTree& p, std::size_t count, ValueRef v, const Previous* outer,
                  const Next& next);
    bool previousValue(ValueRef v, const Previous* previous, const Next& next);
    bool call(const PatternTree& p, ValueRef v, const Previous* previous, const Next& next);
    bool operands(const PatternTree& p, const std::vector<ValueRef>& values, std::size_t at,
                  const Previous* previous, const Next& next);
    bool attributes(const PatternTree& p, const Node& node);
    bool bindAll(const PatternTree& p, const PatternAttrTree& attr, const Node& node);
    bool bindAttribute(const PatternTree& p, const PatternAttrTree& attr, const AttrValue& value);
    bool sameType(const PatternTree& call, const std::vector<ValueRef>& values, std::size_t at);
    FusionKind kindOf(const Node& node);
    bool bind(const std::string& name, ValueRef v, const PatternTree& p, const Next& next);
    // Notes the attempt if none got further; the texts are made only then.
    template <class Expected, class Found>
    bool refuse(Missed why, const PatternTree& p, Expected expected, Found found,
                const PatternAttrTree* attr = nullptr);
    bool noValue(const PatternTree& p);
    // Where a further pattern can match, given what is bound: in the order of the graph.
    std::vector<ValueRef> candidates(const PatternTree& p);
    std::string describe(ValueRef v) const;

    const Graph& m_graph;
    const PatternTable& m_table;
    MatchOptions m_options;
    MatchBindings m_bindings;
    std::vector<NodeId> m_nodes;
    std::vector<Span> m_places; // beside m_nodes
    RepeatedNames m_repeated;
    std::size_t m_steps = 0;
    int m_depth = 0;
    NodeId m_root = -1;
    std::size_t m_total = 0;
    NearMiss m_best;
    std::map<NodeId, FusionKind> m_kinds;                    // of nodes that were asked for
    std::map<std::string, std::vector<NodeId>> m_byOperator; // once it is needed
};

} // namespace fw
