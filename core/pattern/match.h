// The matcher: one for rules, composites and library chains alike.
//
// A pattern is matched from a value backward to its operands, with backtracking. Deterministic:
// nodes and alternatives in order, optional and repeated steps greedy, then shorter. Bounded by a
// budget of steps. Commutative operators are tried in both orders. Two calls of a pattern are two
// nodes of the graph. A name stands for one value and one attribute throughout; one that stands in
// repeated steps only is a list, with a value of its own in every repetition.
// `>>` hands the value before a step on as `^`; an absent step hands on what it got.
#pragma once

#include "condition/condition.h"
#include "ir/graph.h"
#include "pattern/declared.h"
#include "pattern/node_index.h"

#include <functional>
#include <span>

namespace fw {

struct MatchBindings {
    std::map<std::string, ValueRef> values; // captures and named parts
    // Names of repeated steps, from the first repetition to the last; `values` has them, too, where
    // there is one value.
    std::map<std::string, std::vector<ValueRef>> lists;
    std::map<std::string, Attrs> attrs;          // {*a}
    std::map<std::string, AttrValue> attrValues; // {axis}, {axis = a}
    // Dims, packs and element types of typed captures, elements of attributes: x: T[N, S...],
    // {strides = [s, s]}.
    std::map<std::string, TermValue> terms;
};

// What is bound, for conditions and computed attributes. Names that are not in it are absent parts.
Scope scopeOf(const Graph& graph, const MatchBindings& bindings);

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
    Type,     // another element type, shape or value of a dim
    Operands, // how many there are
    Condition,
    Step, // behind the end of a match, where steps may be absent
    Other,
};

// The attempt that got furthest before it failed, so that "why does this not match?" has an answer:
// most operators, then most operands, then the one that found the operator it looked for.
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
    // Of the target, for conditions of declared patterns; null: what they want of it is there.
    const TargetOffer* offer = nullptr;
    const NodeIndex* index = nullptr; // of the graph, where somebody keeps one up to date
    bool nearMisses = true;           // whether what came closest is kept
};

std::optional<FusionKind> parseKind(std::string_view text); // "elementwise", ...
const std::vector<std::string>& kindNames();                // that text may say
// The kind that `kind k(...)` asks for: that of the operator, or of an operand that reaches the
// result in a harder way, as where the place of an element counts. None if some operand, or every
// one, is not read, as by `shape`: what is true of a kind says nothing of such an operator.
std::optional<FusionKind> patternKind(const Facts& facts);
// Whether an operator of kind `found` counts as `wanted`: maps and movements include what is
// easier; none counts as none.
bool countsAs(std::optional<FusionKind> found, FusionKind wanted);

// Names that stand in repeated steps only: captures and named parts, attributes.
struct RepeatedNames {
    std::set<std::string> values, attributes;
};

// Patterns that are matched at once, each with what declared ones stand for in place of their
// names: what is the same at every node is made here.
class PreparedPatterns {
public:
    PreparedPatterns(std::vector<NamedPattern> patterns, const PatternTable& table);
    PreparedPatterns(const PatternTree& pattern, const PatternTable& table) // without a name
        : PreparedPatterns(std::vector<NamedPattern>{{"", pattern}}, table) {}

    const std::vector<NamedPattern>& all() const { return m_all; }
    const PatternTree& first() const { return m_all.front().pattern; }
    std::size_t operators() const { return m_operators; } // in the longest forms
    const RepeatedNames& repeated() const { return m_repeated; }

private:
    std::vector<NamedPattern> m_all;
    std::size_t m_operators = 0;
    RepeatedNames m_repeated;
};

// The last of what must hold: false lets the search go on with the next way to match.
using AcceptMatch = std::function<bool(const Match&)>;

class Matcher {
public:
    Matcher(const Graph& graph, const PatternTable& table, MatchOptions options = {});

    // All patterns at once, the first of them at `root`. LimitReached if the budget ran out.
    Result<std::optional<Match>> matchAt(const PreparedPatterns& patterns, ValueRef root,
                                         const AcceptMatch& accept = {});
    // Whether they match operators there; no reason is kept if not.
    bool matchesAt(const PreparedPatterns& patterns, ValueRef root);
    void setOffer(const TargetOffer* offer) { m_options.offer = offer; } // of the target
    const NearMiss& nearMiss() const { return m_best; } // of the last matchAt that found nothing
    // "relu"; "constant w"; of one that is not understood also why: what is found, in a reason.
    std::string describe(ValueRef v) const;

private:
    // A value at which the paths of `dominated` are entered from their end.
    struct Entry {
        ValueRef value;
        bool required = true; // not by "...", where inputs of the graph may stand
    };
    using Entries = std::vector<Entry>;
    class Refused;    // places of a sequence at which what is before was refused
    struct Previous { // "^": the first `count` steps of a sequence, in front of `outer`
        const PatternTree* sequence = nullptr;
        std::size_t count = 0;
        const Previous* outer = nullptr;
        Entries* entries = nullptr; // or a value from which the paths lead up
        std::int64_t taken = 0;     // repetitions of the last of these steps, behind this place
        Refused* refused = nullptr; // of the sequence; null: none is kept
    };
    using Next = std::function<bool()>;
    // A term that had names without a value yet when it was met; it must equal `found`. Or a
    // condition of a declared pattern.
    struct Pending {
        const ConditionTree* condition = nullptr;
        const Tree* term = nullptr;
        TermValue found;
        const PatternTree* at = nullptr;
        std::string clause;
    };
    struct State;
    struct Ways;

    bool pattern(const PatternTree& p, ValueRef v, const Previous* previous, const Next& next);
    bool unconditioned(const PatternTree& p, ValueRef v, const Previous* previous,
                       const Next& next);
    bool unconstrained(const PatternTree& p, ValueRef v, const Previous* previous,
                       const Next& next);
    bool absent(const PatternTree& p, ValueRef v);
    // Whether p matches here at all; what it binds is forgotten.
    bool matches(const PatternTree& p, ValueRef v, const Previous* previous,
                 std::vector<NodeId>* nodes = nullptr);
    State state() const;
    void restore(State&& state);

    bool wholeSequence(const PatternTree& p, ValueRef v, const Previous* outer, const Next& next);
    bool sequence(Previous steps, ValueRef v, const Next& next);
    bool repeatedStep(const Previous& steps, ValueRef v, const Next& next);
    bool onceMore(const Previous& steps, ValueRef v, const Next& next);
    bool previousValue(ValueRef v, const Previous* previous, const Next& next);

    bool declared(const PatternDeclTree& declaration, const PatternTree& call, ValueRef v,
                  const Previous* previous, const Next& next);
    bool call(const PatternTree& p, ValueRef v, const Previous* previous, const Next& next);
    using Values = std::span<const ValueRef>;
    bool operands(const PatternTree& p, Values values, std::size_t at, const Previous* previous,
                  const Next& next);
    bool furtherOperand(const PatternTree& rest, ValueRef v, std::size_t fromTheEnd,
                        const Previous* previous, const Next& next);
    bool likePrevious(const PatternTree& call, const PatternTree& p, Values values, ValueRef v);

    bool dominated(const PatternTree& p, ValueRef v, const Previous* previous, const Next& next);
    std::optional<Entries> step(const PatternTree& path, ValueRef v, std::vector<NodeId>& nodes);
    void addEntries(const Entries& entries, Ways& ways) const;
    std::string readElsewhere(ValueRef value, std::size_t first) const;
    bool takeStep(const PatternTree& p, ValueRef v, std::size_t first, Ways& ways);
    bool followUp(const PatternTree& p, Ways ways, std::size_t first, const Previous* previous,
                  const Next& next);

    bool associative(const PatternTree& p, ValueRef v, const Previous* previous, const Next& next);
    bool leavesFrom(const PatternTree& p, std::vector<ValueRef> leaves, std::size_t from,
                    const Previous* previous, const Next& next);
    bool assigned(const PatternTree& p, std::vector<ValueRef> leaves, std::size_t at,
                  const Previous* previous, const Next& next);

    bool attributes(const PatternTree& p, const Node& node);
    bool attribute(const PatternTree& p, const PatternAttrTree& attr, const AttrValue& value);
    bool equalAttribute(const PatternTree& p, const PatternAttrTree& attr, const AttrValue& value);
    bool bindAll(const PatternTree& p, const PatternAttrTree& attr, const Node& node);
    bool bindAttribute(const PatternTree& p, const PatternAttrTree& attr, const std::string& name,
                       const AttrValue& value);

    bool constrained(const PatternTree& p, ValueRef v);
    bool constant(const PatternTree& p, const PatternConstraint& wanted, ValueRef v);
    bool type(const PatternTree& p, const PatternConstraint& wanted, ValueRef v);
    // Asked when p has matched, so that names of p itself are bound.
    bool sameTypes(const PatternTree& p, ValueRef v);
    bool sameType(const PatternTree& p, const std::string& name, std::optional<ValueRef> other,
                  ValueRef v);
    // A name is bound, or must stand for this; another term must equal it, once its names are
    // known.
    bool term(const PatternTree& p, const Tree& written, const TermValue& found,
              const std::string& clause);
    bool bindTerm(const PatternTree& p, const std::string& name, const TermValue& found);
    bool pendingHold();
    bool holds(const Pending& one);

    std::optional<FusionKind> kindOf(const Node& node);
    bool bind(const std::string& name, ValueRef v, const PatternTree& p, const Next& next);
    // Notes the attempt if none got further; the texts are made only then.
    template <class Expected, class Found>
    bool refuse(Missed why, const PatternTree& p, Expected expected, Found found,
                const PatternAttrTree* attr = nullptr);
    bool furthest(Missed why) const;
    bool met(const Next& next); // an operand is what it has to be
    void note(Missed why, const PatternTree& p, std::string expected, std::string found,
              const PatternAttrTree* attr);
    bool noValue(const PatternTree& p);
    // Whether `take` takes a value at which a further pattern can match, given what is bound: in
    // the order of the graph.
    bool anyCandidate(const PatternTree& p, const std::function<bool(ValueRef)>& take);

    const Graph& m_graph;
    const PatternTable& m_table;
    MatchOptions m_options;
    MatchBindings m_bindings;
    std::vector<Pending> m_pending;
    std::vector<NodeId> m_nodes;
    std::vector<Span> m_places;                // beside m_nodes
    const RepeatedNames* m_repeated = nullptr; // of the patterns that are matched
    std::size_t m_steps = 0;
    int m_depth = 0;
    int m_quiet = 0;                         // tries whose failure is no reason
    std::map<std::string, int> m_unfolded;   // patterns that name themselves, how deep
    std::map<std::string, bool> m_recursive; // of declared patterns that were met
    NodeId m_root = -1;
    std::size_t m_total = 0;
    std::size_t m_met = 0; // operands on the way to here
    NearMiss m_best;
    std::size_t m_bestMet = 0;
    std::unordered_map<NodeId, std::optional<FusionKind>> m_kinds; // of nodes that were asked for
    std::optional<NodeIndex> m_ownIndex;                           // once it is needed
};

template <class Expected, class Found>
bool Matcher::refuse(Missed why, const PatternTree& p, Expected expected, Found found,
                     const PatternAttrTree* attr) {
    if (furthest(why))
        note(why, p, expected(), found(), attr);
    return false;
}

} // namespace fw
