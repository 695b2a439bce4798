#include "verdict/verdict.h"

#include "ir/graph_text.h"
#include "tensor/disagreement.h"
#include "verdict/draw_graph.h"
#include "verdict/vary_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr int wantedCases = 40, mostDraws = 2500;
constexpr int casesWhileCheap = 120;
constexpr int mostWrong = 6;             // counterexamples, of which the smallest is kept
constexpr int variations = 8;            // of a graph at which it acts
constexpr std::size_t mostWork = 150000; // calls that inference is asked about
constexpr std::size_t cheapWork = 6000;
constexpr double ofAttributes = 2.4e-7;  // relative, 4 u of f32: so exact is what models write

std::int64_t sizeOf(const Graph& graph) {
    std::int64_t out = 0;
    for (const NodePtr& node : graph.nodes())
        for (const Output& output : node->outputs)
            out += 4 + elementCount(output.type.shape).asInt().value_or(0);
    return out;
}

class Trial {
public:
    Trial(const std::shared_ptr<const RuleTree>& rule, const RuleBook& around,
          const std::shared_ptr<const OperatorSet>& operators, std::uint64_t seed)
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
            return m_wrong >= mostWrong || drawer.work() >= mostWork ||
                   m_out.cases >= (drawer.work() < cheapWork ? casesWhileCheap : wantedCases);
        };
        for (int draw = 0; draw < mostDraws && !enough(); ++draw)
            if (std::optional<GraphPtr> graph = drawer.draw(); graph && tryAt(*graph))
                for (int near = 0; near < variations; ++near)
                    if (auto other = variedGraph(**graph, m_random); other && tryAt(*other))
                        graph = std::move(other);
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
                if (decision.code == ReasonCode::RuleUndone && m_out.undone.empty())
                    m_out.undone = decision.evidence;
            return false;
        }
        bool computed = false;
        for (const bool whole : {true, false}) {
            std::vector<TensorData> inputs;
            for (const NodeId id : graph->inputs())
                inputs.push_back(drawnData(m_random, m_literals, graph->type({id, 0}), whole));
            const auto wanted = evaluateGraphBounded(*graph, inputs);
            if (!wanted)
                return true;
            const auto got = evaluateGraphBounded(*rewritten->graph, inputs);
            // What the reference does not compute says nothing.
            if (!got)
                return true;
            const auto where = disagreementOf(*graph, *got, *wanted, {ofAttributes, whole});
            if (!where) {
                computed = true;
                continue;
            }
            ++m_wrong;
            if (!m_out.wrong || sizeOf(*graph) < sizeOf(*m_out.wrong->before))
                m_out.wrong = {graph, rewritten->graph, std::move(inputs),
                               where->text(graph->results()[where->result].name)};
            return true;
        }
        m_out.cases += computed ? 1 : 0;
        return true;
    }

    Random m_random;
    RuleBook m_book;
    std::vector<NamedPattern> m_patterns;
    Literals m_literals;
    RuleTrial m_out;
    int m_wrong = 0;
};

} // namespace

RuleTrial tryRule(const std::shared_ptr<const RuleTree>& rule, const RuleBook& around,
                  const std::shared_ptr<const OperatorSet>& operators, std::uint64_t seed) {
    return Trial(rule, around, operators, seed).take();
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
    return out ? printGraph(**out) : out.diag().message;
}

} // namespace fw
