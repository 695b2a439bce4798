// Small random graphs for a rule to act on: what its patterns say, with drawn operands, shapes and
// attributes. Whether the rule matches there, with its conditions, is for the matcher to say.
#pragma once

#include "verdict/draw_call.h"

#include "pattern/match.h"

namespace fw {

// Integers and numbers of a rule's patterns and conditions.
Literals literalsOf(const RuleTree& rule, const std::vector<NamedPattern>& patterns);

// What constants may meet while it acts, and leave no trace of: numbers of the right side and those
// in the texts of the operators of both sides, without usual ones.
Literals literalsAtConstants(const RuleTree& rule, const std::vector<NamedPattern>& patterns,
                             const OperatorSet& operators);

// Extents near the integers of both sides and of the conditions, their sums and products: slices
// and paddings end there. In the order of their size.
std::vector<std::int64_t> extentsNear(const RuleTree& rule,
                                      const std::vector<NamedPattern>& patterns);

// What the rule calls operators of a graph: those that compute what it binds, and others whose
// values it reads.
struct AskedNames {
    std::map<std::string, std::vector<std::string>> bound; // by capture: one of these
    std::vector<std::string> others;
};
AskedNames namesAskedBy(const RuleTree& rule);

// Of the n-th of several things that are drawn: what one of them draws moves no other.
inline std::uint64_t seedOf(std::uint64_t seed, std::uint64_t which) {
    return Random(Random(seed).next() ^ which).next();
}

class GraphDrawer {
public:
    // `patterns`: those of the rule with what declared ones stand for. All must outlive it.
    // `attempts` to find a call that fits, at each call.
    GraphDrawer(const std::vector<NamedPattern>& patterns, const Literals& literals,
                std::shared_ptr<const OperatorSet> operators, std::uint64_t seed,
                int attempts = 400)
        : m_patterns(patterns), m_literals(literals), m_operators(std::move(operators)),
          m_seed(seed), m_attempts(attempts), m_random(seed) {}

    // Inner values that others may read: most graphs have them as results.
    void expose(std::vector<std::string> names) { m_exposed = std::move(names); }

    void name(AskedNames names) { m_names = std::move(names); }

    // nullopt: the draw came to a call that nothing fits, or to a form of pattern that is not
    // drawn. Each follows from the seed and from how many were drawn before.
    std::optional<GraphPtr> draw();
    // From now on a draw ends at a call that is the only one of its operator and has another type
    // than the pattern asks for: nothing of the graph can match.
    void leaveWhatCannotMatch();
    bool leftOne() const { return m_cannotMatch; } // was the last draw left for that
    void skip(std::uint64_t draws);
    std::size_t work() const {
        return m_work;
    } // calls that inference was asked about, before the last draw
    // What of the patterns a leaf of the last graph stands for, by its name: a capture, wherever
    // it is written; what has no name goes by its place.
    const std::map<std::string, std::string>& holes() const { return m_holes; }

private:
    // A part of a pattern: a value, or an operand of which only its user says what it can be.
    struct Drawn {
        ValueRef value;
        const PatternTree* hole = nullptr;
        std::vector<const PatternTree*> names; // bound around the hole
    };
    using Previous = std::function<std::optional<Drawn>()>; // what ^ stands for

    DType drawnType(); // of most values of a graph
    void addOthers();
    std::optional<GraphPtr> named(const Graph& graph);
    std::optional<Drawn> build(const PatternTree& p, const Previous& previous);
    std::optional<Drawn> bound(const PatternTree& p, const Previous& previous);
    std::optional<Drawn> output(const PatternTree& p, const Previous& previous);
    std::optional<Drawn> sequence(const PatternTree& p, const Previous& previous);
    std::optional<Drawn> call(const PatternTree& p, const std::string& op,
                              const Previous& previous);
    std::optional<Drawn> dominated(const PatternTree& p, const Previous& previous);
    std::optional<Drawn> associative(const PatternTree& p, const Previous& previous);
    std::optional<Drawn> repeated(const PatternTree& p, const Previous& previous);
    // The values of an operator behind these operands, some of them holes.
    std::optional<std::vector<ValueRef>> add(const std::string& op, std::vector<Drawn> operands,
                                             Attrs attrs, const PatternTree* attributes,
                                             std::optional<std::size_t> rank = {});
    const std::vector<OpCall>* fittingOf(const Operator& op, std::size_t operands);
    // Of an operand of a call the one rank that fits, if it is one.
    std::optional<std::size_t> rankOf(const Operator& op, std::size_t operands, std::size_t which);
    std::optional<ValueRef> fill(const Drawn& part, const TensorType& type);
    std::optional<ValueRef> valueOf(const Drawn& part); // a hole becomes an operand of any type
    // What a constraint says of a hole; nullopt: nothing, or nothing of its shape.
    std::optional<TensorType> typeFrom(const PatternTree& hole);
    static std::optional<DType> dtypeFrom(const PatternTree& hole);
    bool shapeFrom(const std::vector<Tree>& dims, Shape& shape);
    std::optional<Attrs> attributesFrom(const PatternTree& call, const Operator& op);
    std::map<std::string, std::vector<WantedItem>> listsFrom(const PatternTree& call) const;
    void bindNames(const PatternTree& call, const Node& node);
    std::optional<std::string> operatorOfKind(const std::string& kind, std::size_t operands);

    const std::vector<NamedPattern>& m_patterns;
    const Literals& m_literals;
    const std::shared_ptr<const OperatorSet> m_operators;
    const std::uint64_t m_seed;
    const int m_attempts;
    std::vector<std::string> m_exposed;
    AskedNames m_names;
    std::uint64_t m_draws = 0;
    Random m_random;
    std::size_t m_work = 0;
    std::set<std::string> m_calledOnce; // where what cannot match is left
    bool m_cannotMatch = false;
    std::size_t m_ofIntegers = 0; // graphs, whose types come in turn
    std::map<std::pair<std::string, std::size_t>, std::vector<std::string>> m_ofKind;
    std::map<std::pair<const Operator*, std::size_t>, std::shared_ptr<const std::vector<OpCall>>>
        m_fitting;
    KnownCalls m_knownCalls;

    // Of one graph.
    std::optional<GraphEditor> m_editor;
    std::optional<CallDrawer> m_calls;
    DType m_real = DType::F32;
    std::map<std::string, ValueRef> m_values;
    std::map<std::string, std::string> m_holes;
    std::optional<std::size_t> m_rank; // of what is built next, where its reader takes one only
    Scope m_terms;                     // attributes, dims and element types that have a name
    int m_leaves = 0;
};

} // namespace fw
