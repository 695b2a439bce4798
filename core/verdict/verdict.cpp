#include "verdict/verdict.h"

#include "ir/graph_text.h"
#include "tensor/bounded.h"
#include "verdict/draw_graph.h"
#include "verdict/vary_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

constexpr int wantedCases = 40, mostDraws = 2500;
constexpr int mostWrong = 6;              // counterexamples, of which the smallest is kept
constexpr int variations = 8;             // of a graph at which it acts
constexpr std::size_t mostWork = 150000;  // calls that inference is asked about
constexpr double besideRounding = 2.4e-7; // relative, 4 u of f32: so exact are written attributes

double number(const Values& values, std::size_t i) {
    const Value& value = values.data.at(i);
    return isFloat(values.dtype) ? value.real : static_cast<double>(value.integer);
}

std::string placeText(const Shape& shape, std::size_t element) {
    std::vector<std::size_t> place;
    for (auto dim = shape.rbegin(); dim != shape.rend(); ++dim) {
        const auto extent = static_cast<std::size_t>(dim->asInt().value_or(1));
        place.insert(place.begin(), element % extent);
        element /= extent;
    }
    return place.empty() ? std::string() : fmt::format("[{}]", fmt::join(place, ", "));
}

// Whether two elements differ by more than `error`, which is infinite where nothing is known. What
// is no number of whole operands, as 0 / 0, is no matter of rounding.
bool differ(double a, double b, double error, bool whole) {
    if (a == b || (!std::isfinite(a) && !std::isfinite(b)))
        return false;
    if (std::isinf(error))
        return whole && (std::isnan(a) || std::isnan(b));
    if (!std::isfinite(a) || !std::isfinite(b))
        return true;
    return std::abs(a - b) > error + besideRounding * std::max(std::abs(a), std::abs(b));
}

// Empty if every result of `after` is that of `before`, as far as rounding lets it be known.
std::string differenceOf(const Graph& before, const std::vector<BoundedValues>& wanted,
                         const std::vector<BoundedValues>& got, bool whole) {
    for (std::size_t k = 0; k < wanted.size(); ++k)
        for (std::size_t i = 0; i < wanted[k].values.data.size(); ++i) {
            const double a = number(got[k].values, i), b = number(wanted[k].values, i);
            if (!differ(a, b, got[k].error(i) + wanted[k].error(i), whole))
                continue;
            const NamedValue& result = before.results()[k];
            return fmt::format("{}{} is {:.9g} instead of {:.9g}", result.name,
                               placeText(before.type(result.value).shape, i), a, b);
        }
    return {};
}

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
        for (int draw = 0; draw < mostDraws && m_out.cases < wantedCases && m_wrong < mostWrong &&
                           drawer.work() < mostWork;
             ++draw)
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
            const std::string difference =
                got ? differenceOf(*graph, *wanted, *got, whole) : got.diag().message;
            if (difference.empty()) {
                computed = true;
                continue;
            }
            ++m_wrong;
            if (!m_out.wrong || sizeOf(*graph) < sizeOf(*m_out.wrong->before))
                m_out.wrong = {graph, rewritten->graph, std::move(inputs), difference};
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
