// The matcher: one for rules, composites and library chains alike.
//
// A pattern is matched from a value backward to its operands, with backtracking. Deterministic:
// nodes and alternatives in order, optional and repeated steps greedy, then shorter. Bounded by a
// budget of steps. Commutative operators are tried in both orders. Two calls of a pattern are two
// nodes of the graph. A name stands for one value and one attribute throughout; one that stands in
// repeated steps only is a list, with a value of its own in every repetition.
// `>>` hands the value before a step on as `^`; an absent step hands on what it got.
#pragma once

#include "base/function_ref.h"
#include "pattern/kinds.h"
#include "pattern/node_index.h"
#include "pattern/prepared.h"

#include <functional>
#include <memory>
#include <tuple>
#include <unordered_map>

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
    // A part of a pattern, in some repetition of what it stands in.
    struct Part {
        const PatternNode* node = nullptr;
        int repetition = 0;        // before the one that its names say
        bool isFromTheEnd = false; // it is that one, whatever they say

        const PatternNode* operator->() const { return node; }
        const PatternTree& tree() const { return *node->tree; }
        Part arg(std::size_t i) const { return {&node->args[i], repetition, isFromTheEnd}; }
        int repetitionOf(int written) const {
            return isFromTheEnd ? repetition : written + repetition;
        }
    };
    // A value at which the paths of `dominated` are entered from their end.
    struct Entry {
        ValueRef value;
        bool required = true; // not by "...", where inputs of the graph may stand
    };
    using Entries = std::vector<Entry>;
    class Refused;    // places of a sequence at which what is before was refused
    struct Previous { // "^": the first `count` steps of a sequence, in front of `outer`
        Part sequence = {};
        std::size_t count = 0;
        const Previous* outer = nullptr;
        Entries* entries = nullptr; // or a value from which the paths lead up
        std::int64_t taken = 0;     // repetitions of the last of these steps, behind this place
        Refused* refused = nullptr; // of the sequence; null: none is kept
    };
    using Next = FunctionRef<bool()>;
    // A term that had names without a value yet when it was met; it must equal `found`. Or a
    // condition of a declared pattern.
    struct Pending {
        const ConditionTree* condition = nullptr;
        const PreparedTerm* term = nullptr;
        TermValue found;
        Part at;
        std::string_view clause;
    };
    // What was bound, in this order, so that a way that fails takes back what it added.
    struct Bound {
        enum class Of : std::uint8_t { Value, Attributes, Attribute, Term };
        Of of = Of::Value;
        int name = 0;
        int repetition = 0;
    };
    struct Mark {
        std::size_t bound = 0, pending = 0, nodes = 0;
    };
    struct Ways;
    struct Operands { // of a call
        Part call;
        std::span<const ValueRef> values;
        const Previous* previous = nullptr;
    };
    struct Unfolded { // a declared pattern that names itself, inside itself
        PatternTree tree;
        PatternNodes nodes;
        PatternNode node;
    };

    void begin(const PreparedPatterns& prepared, ValueRef root);
    void makeRoom(); // for every name
    Mark mark() const;
    bool undo(const Mark& mark); // false, for who fails
    bool rootsFrom(std::size_t i, Match& found, const AcceptMatch& accept);
    MatchBindings bindings();
    Scope scope(); // as scopeOf(), for terms that are met on the way

    bool pattern(Part p, ValueRef v, const Previous* previous, const Next& next);
    bool unconditioned(Part p, ValueRef v, const Previous* previous, const Next& next);
    bool unconstrained(Part p, ValueRef v, const Previous* previous, const Next& next);
    bool part(Part p, ValueRef v, const Previous* previous, const Next& next); // named
    bool absent(Part p, ValueRef v);
    bool isTaken(NodeId node) const; // by another call of the pattern
    // Whether p matches here at all; what it binds is forgotten.
    bool matches(Part p, ValueRef v, const Previous* previous,
                 std::vector<NodeId>* nodes = nullptr);

    bool wholeSequence(Part p, ValueRef v, const Previous* outer, const Next& next);
    bool sequence(Previous steps, ValueRef v, const Next& next);
    bool repeatedStep(const Previous& steps, ValueRef v, const Next& next);
    bool onceMore(const Previous& steps, ValueRef v, const Next& next);
    bool previousValue(ValueRef v, const Previous* previous, const Next& next);

    bool declared(Part p, ValueRef v, const Previous* previous, const Next& next);
    Part unfolded(Part p, const Unfolding& unfolding);
    bool call(Part p, ValueRef v, const Previous* previous, const Next& next);
    bool isCalled(Part p, ValueRef v); // whether the operator is the one
    bool operands(const Operands& all, const Next& next);
    bool operandsFrom(const Operands& all, std::size_t at, const Next& next);
    bool takeOneByOne(const Operands& all, std::size_t& at);
    bool furtherOperand(Part rest, ValueRef v, std::size_t fromTheEnd, const Previous* previous,
                        const Next& next);
    bool likePrevious(const Operands& all, std::size_t at);

    bool dominated(Part p, ValueRef v, const Previous* previous, const Next& next);
    std::optional<Entries> step(Part path, ValueRef v, std::vector<NodeId>& nodes);
    void addEntries(const Entries& entries, Ways& ways) const;
    std::string readElsewhere(ValueRef value, std::size_t first) const;
    bool takeStep(Part p, ValueRef v, std::size_t first, Ways& ways);
    bool followUp(Part p, Ways ways, std::size_t first, const Previous* previous, const Next& next);

    bool associative(Part p, ValueRef v, const Previous* previous, const Next& next);
    bool leavesFrom(Part p, std::vector<ValueRef> leaves, std::size_t from,
                    const Previous* previous, const Next& next);
    bool assigned(Part p, std::vector<ValueRef> leaves, std::size_t at, const Previous* previous,
                  const Next& next);

    bool attributes(Part p, const Node& node);
    bool attribute(Part p, const PreparedAttr& attr, const AttrValue& value);
    bool bindAll(Part p, const PreparedAttr& attr, const Node& node);
    bool bindAttribute(Part p, const PreparedAttr& attr, const AttrValue& value);

    bool constrained(Part p, ValueRef v);
    bool constant(Part p, const PreparedConstraint& wanted, ValueRef v);
    bool type(Part p, const PreparedConstraint& wanted, ValueRef v);
    bool shape(Part p, const PreparedConstraint& wanted, const TensorType& found);
    // Asked when p has matched, so that names of p itself are bound.
    bool sameTypes(Part p, ValueRef v);
    bool sameType(Part p, const std::string& name, std::optional<ValueRef> other, ValueRef v);
    // A name is bound, or must stand for this; another term must equal it, once its names are
    // known.
    bool term(Part p, const PreparedTerm& written, const TermValue& found, std::string_view clause);
    bool bindTerm(Part p, int name, const TermValue& found);
    bool equalsTerm(Part p, const PreparedTerm& written, const Scope& scope, const TermValue& found,
                    std::string_view clause);
    bool pendingHold();
    bool holds(const Pending& one);

    std::optional<FusionKind> kindOf(const Node& node);
    bool bind(const ValueName& name, Part p, ValueRef v, const Next& next);
    std::optional<ValueRef>& valueAt(int name, int repetition);
    std::optional<ValueRef> boundValue(const ValueName& name, Part p);
    std::string nameText(const ValueName& name, Part p) const;
    const PatternNames& names() const { return m_ownNames ? *m_ownNames : m_prepared->names(); }
    PatternNames& ownNames(); // to which some are added
    // Notes the attempt if none got further; the texts are made only then.
    template <class Expected, class Found>
    bool refuse(Missed why, Part p, Expected expected, Found found,
                const PatternAttrTree* attr = nullptr);
    bool furthest(Missed why) const;
    bool met(const Next& next); // an operand is what it has to be
    void note(Missed why, Part p, std::string expected, std::string found,
              const PatternAttrTree* attr);
    bool noValue(Part p);
    // Whether `take` takes a value at which a further pattern can match, given what is bound: in
    // the order of the graph.
    bool anyCandidate(const PreparedPatterns::Root& root, FunctionRef<bool(ValueRef)> take);

    const Graph& m_graph;
    const PatternTable& m_table;
    MatchOptions m_options;
    const PreparedPatterns* m_prepared = nullptr; // what is matched
    std::optional<PatternNames> m_ownNames;       // with those that it does not have
    std::vector<Bound> m_bound;
    // By name, what it stands for; `m_earlier` of repetitions before the last.
    std::vector<std::optional<ValueRef>> m_values;
    std::vector<std::vector<std::optional<ValueRef>>> m_earlier;
    std::vector<const Attrs*> m_attrs;
    std::vector<std::optional<AttrValue>> m_attrValues;
    std::vector<std::optional<TermValue>> m_terms;
    std::vector<Pending> m_pending;
    std::vector<NodeId> m_nodes;
    std::vector<Span> m_places; // beside m_nodes
    std::size_t m_steps = 0;
    int m_depth = 0;
    std::size_t m_apart = 0; // of m_nodes: what is asked of a value may meet these again
    int m_quiet = 0;         // tries whose failure is no reason
    std::map<const PatternDeclTree*, int> m_levels; // patterns that name themselves, how deep
    // By call, its repetition and the level.
    std::map<std::tuple<const PatternNode*, int, bool, int>, std::unique_ptr<Unfolded>> m_unfolded;
    NodeId m_root = -1;
    int m_rootOutput = 0;
    std::size_t m_total = 0;
    std::size_t m_met = 0; // operands on the way to here
    NearMiss m_best;
    std::size_t m_bestMet = 0;
    std::unordered_map<NodeId, std::optional<FusionKind>> m_kinds; // of nodes that were asked for
    std::optional<NodeIndex> m_ownIndex;                           // once it is needed
};

template <class Expected, class Found>
bool Matcher::refuse(Missed why, Part p, Expected expected, Found found,
                     const PatternAttrTree* attr) {
    if (furthest(why))
        note(why, p, expected(), found(), attr);
    return false;
}

} // namespace fw
