#include "verdict/verdict.h"

#include "verdict/small_graph.h"

#include "ir/graph_text.h"
#include "verdict/draw_graph.h"
#include "verdict/vary_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fw {

namespace {

constexpr int wantedCases = 40, mostDraws = 2500;
constexpr int casesWhileCheap = 120;
constexpr int mostProofs = 40;
constexpr int mostWrong = 6;              // counterexamples, of which the smallest is kept
constexpr int variations = 8;             // of a graph at which it acts
constexpr int leastGraphs = 24;           // at which it acts, of those that are drawn, while cheap
constexpr std::size_t mostAsked = 150000; // calls that inference is asked about
constexpr std::size_t cheapWork = 6000;
constexpr int mostReshaped = 16;  // graphs of which some with other shapes are tried
constexpr int otherShapes = 2;    // beside one with an empty axis and larger ones
constexpr int mostOfText = 3;     // graphs of text at which it acts: these say nothing
constexpr int mostBeside = 16;    // graphs that are tried with other constants and extents
constexpr int otherConstants = 4; // of each kind
constexpr int otherExtents = 6;
constexpr std::int64_t largerExtents[] = {7, 12}; // than those that are drawn
constexpr std::size_t mostWrapping = 16;          // differences by wrapping that are kept

class Trial {
public:
    Trial(const std::shared_ptr<const RuleTree>& rule, const RuleBook& around,
          const std::shared_ptr<const OperatorSet>& operators, std::uint64_t seed,
          const CancelToken& cancel, Proofs proofs)
        : m_random(seed) {
        const auto once = std::make_shared<RuleTree>(*rule);
        once->strategy = "once";
        m_book.entries = {once};
        m_out.changes = rule->changes;
        m_book.patterns = around.patterns;
        const PatternTable table = m_book.table();
        m_patterns = rule->match;
        for (NamedPattern& named : m_patterns)
            named.pattern = withDeclared(named.pattern, table);
        m_literals = literalsOf(*rule, m_patterns);
        m_extents = extentsNear(*rule, m_patterns);
        m_atConstants = literalsAtConstants(*rule, m_patterns, *operators);
        GraphDrawer drawer(m_patterns, m_literals, operators, seed);
        std::vector<std::string> exposed;
        for (const RuleTree::Exposed& one : rule->expose)
            exposed.push_back(one.name);
        drawer.expose(std::move(exposed));
        drawer.name(namesAskedBy(*rule));
        const auto enough = [&] {
            return cancel.cancelled() || m_wrong >= mostWrong || m_ofText >= mostOfText ||
                   drawer.work() >= mostAsked ||
                   (drawer.work() < cheapWork
                        ? m_out.cases >= casesWhileCheap && m_drawnActed >= leastGraphs
                        : m_out.cases >= wantedCases);
        };
        int reshaped = 0, reshapedOthers = 0, beside = 0;
        for (int draw = 0; draw < mostDraws && !enough(); ++draw) {
            std::optional<GraphPtr> graph = drawer.draw();
            m_random = Random(seedOf(~seed, static_cast<std::uint64_t>(draw)));
            m_holes = &drawer.holes();
            ++m_out.draws;
            m_drawn += graph || drawer.leftOne();
            if (!graph)
                continue;
            // Where it acts not, too: conditions may hold of no elements.
            const bool acts = tryAt(*graph);
            if (m_applied)
                m_out.acted.push_back(*graph);
            int& shapes = acts ? reshaped : reshapedOthers;
            if (shapes < mostReshaped) {
                ++shapes;
                if (const auto empty = resizedGraph(**graph, 0, m_random))
                    tryAt(*empty);
                if (acts)
                    for (const GraphPtr& grown : grownGraphs(**graph, m_random))
                        tryAt(grown);
                for (int near = 0; near < otherShapes; ++near)
                    if (const auto other = reshapedGraph(**graph, m_random))
                        tryAt(*other);
                if (reshapedOthers == mostReshaped)
                    drawer.leaveWhatCannotMatch();
            }
            if (!acts)
                continue;
            ++m_drawnActed;
            const GraphPtr drawn = *graph;
            for (int near = 0; near < variations; ++near)
                if (auto other = variedGraph(**graph, m_random); other && tryAt(*other))
                    graph = std::move(other);
            if (beside < mostBeside) {
                ++beside;
                tryBeside(drawn);
            }
        }
        if (!rule->expose.empty()) {
            m_out.draws = 0;
            m_out.acted.clear();
        }
        judge();
        if (!m_out.wrong && m_out.cases == 0 && !cancel.cancelled())
            m_out.untried = whyUntried();
        if (!m_out.wrong && proofs == Proofs::Look)
            proveAll(cancel);
    }

    RuleTrial take() { return std::move(m_out); }

private:
    // Whether it acts there.
    bool tryAt(const GraphPtr& graph, ComparedValues values = ComparedValues::All) {
        const Result<Rewritten> rewritten = rewriteGraph(graph, m_book, {});
        m_applied = rewritten && !rewritten->trace.applications.empty();
        if (!rewritten)
            return false;
        if (readsText(*graph)) { // no side is computed
            m_ofText += !rewritten->trace.applications.empty();
            return false;
        }
        if (rewritten->trace.applications.empty()) {
            for (const Decision& decision : rewritten->trace.decisions)
                if (m_out.changes) {
                    if (decision.code == ReasonCode::RuleTurnsResult)
                        turnsResult(graph, decision.evidence);
                } else if (decision.code == ReasonCode::RuleUndone) {
                    noteTypes(*graph);
                    cannotAct(graph, decision.evidence.substr(decision.evidence.find(": ") + 2));
                }
            return false;
        }
        ++m_actedAt;
        std::set<ButFor> enough;
        for (const auto& [what, difference] : m_out.butFor)
            enough.insert(what);
        GraphComparison compared =
            compareGraphs(*graph, *rewritten->graph, m_literals, enough, m_random.next(), values);
        const bool ofReals = noteTypes(*graph);
        if (compared.ordinary) {
            ++m_wrong;
            keep(m_out.wrong, graph, rewritten->graph, std::move(*compared.ordinary));
            return true;
        }
        for (auto& [what, difference] : compared.butFor)
            if (what == ButFor::Wrapping)
                noteWrapping(graph, rewritten->graph, std::move(difference));
            else
                m_out.butFor.emplace(what, std::move(difference.text));
        if (!compared.computed)
            return true;
        m_rounds = m_rounds || compared.rounds;
        ++m_out.cases;
        m_acted.push_back({graph, rewritten->graph, ofReals});
        return true;
    }

    // Where it is a result that gets another type; inside a model its readers take it, or not.
    void turnsResult(const GraphPtr& graph, const std::string& how) {
        ++m_wrong;
        if (smallerThan(m_out.wrong, *graph))
            m_out.wrong = {graph, nullptr, inputsOf(*graph), "gives another type: " + how};
    }

    std::string whyUntried() const {
        if (m_ofText > 0)
            return "what it matches is text, which nothing here computes";
        if (m_drawn == 0)
            return "no small graph was found that has what its pattern asks for";
        if (m_actedAt == 0)
            return fmt::format("it acted at none of the {} small graphs that were drawn for its "
                               "pattern",
                               m_drawn);
        return fmt::format("at the {} small graphs at which it acted nothing could be computed",
                           m_actedAt);
    }

    // At other constants and other extents than those that are drawn, which are no cases.
    void tryBeside(const GraphPtr& graph) {
        const int cases = m_out.cases;
        const std::size_t acted = m_acted.size();
        for (int k = 0; k < otherConstants; ++k)
            if (const auto other = withEndsAsConstants(*graph, m_literals, m_random))
                tryAt(*other);
        for (int k = 0; k < otherExtents && !m_extents.empty(); ++k)
            if (const auto other =
                    resizedGraph(*graph, m_extents[m_nextExtent++ % m_extents.size()], m_random))
                tryAt(*other);
        // Where more lies between two places.
        constexpr auto whole = ComparedValues::Whole;
        for (const std::int64_t extent : largerExtents)
            if (const auto other = resizedGraph(*graph, extent, m_random);
                other && tryAt(*other, whole))
                if (const auto near = variedGraph(**other, m_random))
                    tryAt(*near, whole);
        for (const auto& [what, holds] : {std::pair(ButFor::NaN, NoNumber::NaN),
                                          std::pair(ButFor::Infinities, NoNumber::Infinity)})
            for (int k = 0; k < otherConstants && !m_byConstants.contains(what); ++k) {
                const auto other = withNoNumbersAsConstants(*graph, holds, m_random);
                const Result<Rewritten> rewritten =
                    other ? rewriteGraph(*other, m_book, {}) : Result<Rewritten>(Diag());
                if (!rewritten || rewritten->trace.applications.empty())
                    continue;
                if (auto differs =
                        compareAtNoNumbers(**other, *rewritten->graph, m_literals, m_random.next()))
                    noteConstants(what, **other, std::move(differs->text));
            }
        for (int k = 0; k < otherConstants && !m_atConstants.reals.empty(); ++k)
            if (const auto other = withLiteralsAsConstants(*graph, m_atConstants, m_random))
                tryAt(*other);
        m_out.cases = cases;
        m_acted.resize(acted);
    }

    // What is known while compiling may be kept out, so it is told before what operands hold.
    void noteConstants(ButFor what, const Graph& graph, std::string text) {
        std::set<std::string> names;
        for (const NodePtr& node : graph.nodes()) {
            if (!node->isConstant() || !isFloat(node->data->dtype()))
                continue;
            const std::vector<double> data = node->data->toDoubles();
            const auto hole = m_holes->find(node->outputs[0].name);
            const bool named = hole != m_holes->end() && !hole->second.starts_with('_');
            if (named && !std::all_of(data.begin(), data.end(),
                                      [](double value) { return std::isfinite(value); }))
                names.insert(hole->second);
        }
        if (!names.empty())
            text += fmt::format(" where {} {} not finite", fmt::join(names, ", "),
                                names.size() == 1 ? "is" : "are");
        m_out.notFinite.merge(names);
        m_byConstants.emplace(what, std::move(text));
    }

    // Whether no leaf holds integers. What a leaf stands for may be a real number, if it was one.
    bool noteTypes(const Graph& graph) {
        bool ofReals = true;
        for (const NodePtr& node : graph.nodes()) {
            if (!node->isLeaf())
                continue;
            const DType dtype = node->outputs[0].type.dtype;
            ofReals = ofReals && !isInteger(dtype);
            const auto hole = m_holes->find(node->outputs[0].name);
            if (hole != m_holes->end() && isFloat(dtype))
                m_real.insert(hole->second);
        }
        return ofReals;
    }

    // What its leaves stand for that hold no real numbers.
    std::set<std::string> holesWithout(const Graph& graph, bool truths) const {
        std::set<std::string> out;
        for (const NodePtr& node : graph.nodes()) {
            const Output& output = node->outputs[0];
            const auto hole = node->isLeaf() ? m_holes->find(output.name) : m_holes->end();
            if (hole != m_holes->end() &&
                (isInteger(output.type.dtype) || (truths && output.type.dtype == DType::Bool)))
                out.insert(hole->second);
        }
        return out;
    }

    bool mayBeReal(const std::set<std::string>& holes) const {
        return std::any_of(holes.begin(), holes.end(),
                           [&](const std::string& hole) { return m_real.contains(hole); });
    }

    void noteWrapping(const GraphPtr& before, const GraphPtr& after, GraphDifference difference) {
        if (m_wrapping.size() >= mostWrapping)
            return;
        Wrapping one;
        one.integers = holesWithout(*before, false);
        one.text = difference.text;
        keep(one.example, before, after, std::move(difference));
        m_wrapping.push_back(std::move(one));
    }

    static void keep(std::optional<RuleTrial::Counterexample>& out, const GraphPtr& before,
                     const GraphPtr& after, GraphDifference difference) {
        if (smallerThan(out, *before))
            out = {before, after, std::move(difference.inputs),
                   "computes something else: " + difference.text};
    }

    // When all draws are done.
    void judge() {
        for (auto& [what, text] : m_byConstants)
            m_out.butFor.insert_or_assign(what, std::move(text));
        for (Wrapping& one : m_wrapping) {
            if (mayBeReal(one.integers))
                m_out.butFor.emplace(ButFor::Wrapping, one.text);
            else if (smallerThan(m_out.wrong, *one.example->before))
                m_out.wrong = std::move(one.example);
        }
        if (m_out.wrong)
            return;
        for (auto& [holes, example] : m_undone)
            if (!mayBeReal(holes) && smallerThan(m_out.wrong, *example->before))
                m_out.wrong = std::move(example);
    }

    void proveAll(const CancelToken& cancel) {
        for (const Acted& one : m_acted)
            if (!cancel.cancelled() && (one.ofReals || !m_out.butFor.contains(ButFor::Wrapping)))
                prove(*one.before, *one.after);
        if (m_rounds && m_out.proof != Proof::Exact)
            m_out.butFor.emplace(ButFor::Rounding, std::string());
    }

    void prove(const Graph& before, const Graph& after) {
        if (m_unproved || m_out.proved >= mostProofs)
            return;
        const Proof proof = m_prover.equal(before, after);
        if (proof == Proof::TooLarge)
            return;
        m_unproved = proof == Proof::None;
        m_out.proof = m_unproved                                         ? Proof::None
                      : m_out.proved == 0 || m_out.proof == Proof::Exact ? proof
                                                                         : Proof::OverReals;
        m_out.proved = m_unproved ? 0 : m_out.proved + 1;
    }

    // Fewer operators take integers and truth values: where an operand holds them that could hold
    // real numbers, the rule speaks of these.
    void cannotAct(const GraphPtr& graph, const std::string& why) {
        auto& known = m_undone[holesWithout(*graph, true)];
        if (!smallerThan(known, *graph))
            return;
        known = {graph, nullptr, inputsOf(*graph), "does not fit wherever it matches: " + why};
    }

    std::vector<TensorData> inputsOf(const Graph& graph) {
        std::vector<TensorData> out;
        for (const NodeId id : graph.inputs())
            out.push_back(drawnData(m_random, m_literals, graph.type({id, 0}), DrawnValues::Whole));
        return out;
    }

    static bool smallerThan(const std::optional<RuleTrial::Counterexample>& known,
                            const Graph& graph) {
        return !known || sizeOf(graph) < sizeOf(*known->before);
    }

    struct Wrapping {
        std::set<std::string> integers; // what its leaves of integers stand for
        std::string text;
        std::optional<RuleTrial::Counterexample> example;
    };
    struct Acted {
        GraphPtr before, after;
        bool ofReals = true;
    };

    Random m_random;
    RuleBook m_book;
    std::vector<NamedPattern> m_patterns;
    Literals m_literals;
    Literals m_atConstants;              // that graphs do not show
    std::vector<std::int64_t> m_extents; // at which what is written may begin to differ
    std::size_t m_nextExtent = 0;
    RuleTrial m_out;
    // By what their leaves that hold no real numbers stand for.
    std::map<std::set<std::string>, std::optional<RuleTrial::Counterexample>> m_undone;
    bool m_applied = false; // at the last graph that was tried
    int m_wrong = 0;
    int m_drawn = 0;      // graphs
    int m_drawnActed = 0; // of these those at which it acted
    int m_actedAt = 0;    // of them and of what was varied, where both sides may be computed
    int m_ofText = 0;     // at which it acted
    bool m_rounds = false;
    const std::map<std::string, std::string>* m_holes = nullptr; // of the last graph
    std::set<std::string> m_real;                // what leaves of real numbers stand for
    std::map<ButFor, std::string> m_byConstants; // that hold NaN or infinities
    std::vector<Wrapping> m_wrapping;
    std::vector<Acted> m_acted;
    Prover m_prover;
    bool m_unproved = false;
};

} // namespace

std::string RuleTrial::verdict() const {
    if (wrong)
        return changes ? "changes results" : "refuted";
    if (cases == 0)
        return "unknown";
    std::string out = proof == Proof::Exact       ? "proved exact"
                      : proof == Proof::OverReals ? "proved"
                                                  : "tested";
    std::size_t told = 0;
    for (const auto& [what, difference] : butFor) {
        out += told == 0 ? " but for " : told + 1 == butFor.size() ? " and " : ", ";
        out += butForText(what);
        ++told;
    }
    return out;
}

RuleTrial tryRule(const std::shared_ptr<const RuleTree>& rule, const RuleBook& around,
                  const std::shared_ptr<const OperatorSet>& operators, std::uint64_t seed,
                  const CancelToken& cancel, Proofs proofs) {
    return Trial(rule, around, operators, seed, cancel, proofs).take();
}

} // namespace fw
