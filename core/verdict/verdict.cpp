#include "verdict/verdict.h"

#include "ir/graph_text.h"
#include "tensor/disagreement.h"
#include "verdict/draw_graph.h"
#include "verdict/vary_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace fw {

namespace {

constexpr int wantedCases = 40, mostDraws = 2500;
constexpr int casesWhileCheap = 120;
constexpr int mostProofs = 40;
constexpr int mostWrong = 6;             // counterexamples, of which the smallest is kept
constexpr int variations = 8;            // of a graph at which it acts
constexpr std::size_t mostWork = 150000; // calls that inference is asked about
constexpr std::size_t cheapWork = 6000;
constexpr double ofAttributes = 2.4e-7; // relative, 4 u of f32: so exact is what models write

std::int64_t sizeOf(const Graph& graph) {
    constexpr std::int64_t ofNothing = 1000; // a tensor without elements shows little
    std::int64_t out = 0;
    for (const NodePtr& node : graph.nodes())
        for (const Output& output : node->outputs) {
            const std::int64_t count = elementCount(output.type.shape).asInt().value_or(0);
            out += 4 + (count > 0 ? count : ofNothing);
        }
    return out;
}

enum class Operands { Whole, Any, NotFinite };

bool reads(const Graph& graph, NodeId input) {
    const auto is = [&](ValueRef value) { return value.node == input; };
    return std::any_of(graph.results().begin(), graph.results().end(),
                       [&](const auto& result) { return is(result.value); }) ||
           std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const NodePtr& node) {
               return std::any_of(node->inputs.begin(), node->inputs.end(), is);
           });
}

// Inputs that the one graph reads and the other does not: x * 0 is not 0 where x has no end.
std::vector<std::size_t> noLongerRead(const Graph& before, const Graph& after) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < before.inputs().size() && i < after.inputs().size(); ++i)
        if (isFloat(before.type({before.inputs()[i], 0}).dtype) &&
            reads(before, before.inputs()[i]) && !reads(after, after.inputs()[i]))
            out.push_back(i);
    return out;
}

TensorData withoutEnd(const TensorData& data, Random& random) {
    std::vector<double> values = data.toDoubles();
    for (double& value : values)
        if (random.chance(50))
            value = random.chance(50)   ? std::numeric_limits<double>::quiet_NaN()
                    : random.chance(50) ? std::numeric_limits<double>::infinity()
                                        : -std::numeric_limits<double>::infinity();
    return dataFromDoubles(data.dtype(), data.extents(), values);
}

class Trial {
public:
    Trial(const std::shared_ptr<const RuleTree>& rule, const RuleBook& around,
          const std::shared_ptr<const OperatorSet>& operators, std::uint64_t seed,
          const CancelToken& cancel)
        : m_random(seed) {
        const auto once = std::make_shared<RuleTree>(*rule);
        once->strategy = "once";
        m_book.entries = {once};
        m_book.patterns = around.patterns;
        const PatternTable table = m_book.table();
        m_patterns = rule->match;
        for (NamedPattern& named : m_patterns)
            named.pattern = withDeclared(named.pattern, table);
        m_literals = literalsOf(*rule, m_patterns);
        GraphDrawer drawer(m_patterns, m_literals, operators, m_random);
        const auto enough = [&] {
            return cancel.cancelled() || m_wrong >= mostWrong || drawer.work() >= mostWork ||
                   m_out.cases >= (drawer.work() < cheapWork ? casesWhileCheap : wantedCases);
        };
        for (int draw = 0; draw < mostDraws && !enough(); ++draw)
            if (std::optional<GraphPtr> graph = drawer.draw(); graph && tryAt(*graph))
                for (int near = 0; near < variations; ++near)
                    if (auto other = variedGraph(**graph, m_random); other && tryAt(*other))
                        graph = std::move(other);
        if (!m_out.wrong)
            m_out.wrong = std::move(m_undone);
        if (m_out.wrong) {
            m_out.proof = Proof::None;
            m_out.proved = 0;
        }
    }

    RuleTrial take() { return std::move(m_out); }

private:
    // Whether it acts there.
    bool tryAt(const GraphPtr& graph) {
        const Result<Rewritten> rewritten = rewriteGraph(graph, m_book, {});
        if (!rewritten)
            return false;
        if (rewritten->trace.applications.empty()) {
            for (const Decision& decision : rewritten->trace.decisions)
                if (decision.code == ReasonCode::RuleUndone)
                    cannotAct(graph, decision.evidence.substr(decision.evidence.find(": ") + 2));
            return false;
        }
        const std::vector<std::size_t> unread = noLongerRead(*graph, *rewritten->graph);
        bool computed = false;
        for (const Operands operands : {Operands::Whole, Operands::Any, Operands::NotFinite}) {
            if (operands == Operands::NotFinite && unread.empty())
                continue;
            std::vector<TensorData> inputs;
            for (const NodeId id : graph->inputs())
                inputs.push_back(drawnData(m_random, m_literals, graph->type({id, 0}),
                                           operands != Operands::Any));
            if (operands == Operands::NotFinite)
                for (const std::size_t i : unread)
                    inputs[i] = withoutEnd(inputs[i], m_random);
            const auto wanted = evaluateGraphBounded(*graph, inputs);
            const auto got = evaluateGraphBounded(*rewritten->graph, inputs);
            // What the reference does not compute says nothing.
            if (!wanted || !got)
                return true;
            const auto where =
                disagreementOf(*graph, *got, *wanted, {ofAttributes, operands != Operands::Any});
            if (!where) {
                computed = true;
                continue;
            }
            ++m_wrong;
            if (smallerThan(m_out.wrong, *graph))
                m_out.wrong = {graph, rewritten->graph, std::move(inputs),
                               "computes something else: " +
                                   where->text(graph->results()[where->result].name)};
            return true;
        }
        if (computed) {
            ++m_out.cases;
            prove(*graph, *rewritten->graph);
        }
        return true;
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

    void cannotAct(const GraphPtr& graph, const std::string& why) {
        // Fewer operators take integers and truth values, which such models do not have.
        const bool real =
            std::all_of(graph->nodes().begin(), graph->nodes().end(), [](const NodePtr& node) {
                return !node->isLeaf() || isFloat(node->outputs[0].type.dtype);
            });
        if (!real || !smallerThan(m_undone, *graph))
            return;
        std::vector<TensorData> inputs;
        for (const NodeId id : graph->inputs())
            inputs.push_back(drawnData(m_random, m_literals, graph->type({id, 0}), true));
        m_undone = {graph, nullptr, std::move(inputs), "does not fit wherever it matches: " + why};
    }

    static bool smallerThan(const std::optional<RuleTrial::Counterexample>& known,
                            const Graph& graph) {
        return !known || sizeOf(graph) < sizeOf(*known->before);
    }

    Random m_random;
    RuleBook m_book;
    std::vector<NamedPattern> m_patterns;
    Literals m_literals;
    RuleTrial m_out;
    std::optional<RuleTrial::Counterexample> m_undone;
    int m_wrong = 0;
    Prover m_prover;
    bool m_unproved = false;
};

} // namespace

RuleTrial tryRule(const std::shared_ptr<const RuleTree>& rule, const RuleBook& around,
                  const std::shared_ptr<const OperatorSet>& operators, std::uint64_t seed,
                  const CancelToken& cancel) {
    return Trial(rule, around, operators, seed, cancel).take();
}

std::string withValues(const Graph& graph, const std::vector<TensorData>& inputs) {
    GraphEditor editor(graph);
    std::map<ValueRef, ValueRef> constants;
    for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
        const Output& output = graph.node(graph.inputs()[i]).outputs[0];
        constants[{graph.inputs()[i], 0}] =
            editor.addConstant(output.name + "_value", inputs.at(i));
    }
    editor.replaceUses(constants);
    for (const NodeId id : graph.inputs())
        editor.remove(id);
    const Result<GraphPtr> out = editor.finish();
    return out ? printGraph(**out, std::numeric_limits<std::size_t>::max()) : out.diag().message;
}

} // namespace fw
