#include "verdict/compare_graphs.h"

#include "verdict/small_graph.h"

#include "tensor/evaluate_graph.h"
#include "verdict/common_end.h"
#include "verdict/common_values.h"
#include "verdict/graph_literals.h"

#include <algorithm>
#include <cmath>

namespace fw {

namespace {

constexpr double ofAttributes = 2.4e-7; // relative, 4 u of f32: so exact is what models write
constexpr double ofDoubles = 1e-13;     // what the reference itself may round

using BoundedEnds = BoundedOptions::Ends;
using Inputs = std::vector<TensorData>;

// Graphs of trials are small; what an attribute makes large is left out.
BoundedOptions ofTrial() {
    BoundedOptions out;
    out.sharp = true;
    out.most = std::int64_t(1) << 24;
    return out;
}

class Comparison {
public:
    Comparison(const Graph& before, const Graph& after, const Literals& literals,
               std::uint64_t seed)
        : m_before(before), m_after(after), m_literals(literalsWith(literals, before, after)),
          m_relative(bringsNumbers(before, after) ? ofAttributes : ofDoubles),
          m_ends(commonEnds(before, after)), m_seeds(seed), m_random(seed) {}

    GraphComparison run(const std::set<ButFor>& enough, ComparedValues values) {
        if (values == ComparedValues::Whole) {
            ofNumbers(DrawnValues::Whole, enough);
            return std::move(m_out);
        }
        const DrawnValues ends = m_seeds.chance(30) ? DrawnValues::Largest : DrawnValues::Ends;
        for (const DrawnValues how : {DrawnValues::Whole, DrawnValues::Any, ends}) {
            drawAnew();
            if (!ofNumbers(how, enough))
                return std::move(m_out);
        }
        drawAnew();
        if (!droppedMayBeNoNumber())
            return std::move(m_out);
        drawAnew();
        if (!enough.contains(ButFor::NaN))
            ofNoNumbers(ButFor::NaN, withNaN);
        drawAnew();
        if (!enough.contains(ButFor::Infinities))
            ofNoNumbers(ButFor::Infinities, withInfinities);
        drawAnew();
        ofNumbers(DrawnValues::Smallest, enough);
        return std::move(m_out);
    }

    std::optional<GraphDifference> atNoNumbers() {
        Inputs inputs = drawn(DrawnValues::Whole);
        const auto both = computed(inputs, ofTrial());
        if (const auto where = both ? apart(*both, false, true) : std::nullopt)
            return difference(std::move(inputs), *where);
        return std::nullopt;
    }

private:
    struct Both {
        std::vector<BoundedValues> got, wanted;
    };

    // Each kind of values follows from the seed alone, not from how many the others took.
    void drawAnew() { m_random = Random(m_seeds.next()); }

    // nullopt: what the reference does not compute says nothing.
    static std::optional<Both> computedBy(const Graph& before, const Graph& after,
                                          const Inputs& inputs, const BoundedOptions& options) {
        auto wanted = evaluateGraphBounded(before, inputs, options);
        auto got = wanted ? evaluateGraphBounded(after, inputs, options) : wanted;
        if (!got)
            return std::nullopt;
        return Both{got.take(), wanted.take()};
    }
    std::optional<Both> computed(const Inputs& inputs, const BoundedOptions& options) const {
        return computedBy(m_before, m_after, inputs, options);
    }

    std::optional<Disagreement> apart(const Both& both, bool exactOnly = false,
                                      bool noNumbers = false) const {
        AgreementOptions options;
        options.relative = m_relative;
        options.sharp = true;
        options.exactOnly = exactOnly;
        options.noNumbers = noNumbers;
        if (auto out = disagreementOf(m_before, both.got, both.wanted, options))
            return out;
        options.signs = true;
        auto out = disagreementOf(m_before, both.got, both.wanted, options);
        return out && !divides(m_before) && !divides(m_after) ? out : std::nullopt;
    }

    // Beyond what rounding may do, conversions to narrower types among it, unless nothing else
    // rounds.
    bool differs(const Inputs& inputs, BoundedEnds ends, bool wraps) const {
        BoundedOptions options = ofTrial();
        options.ends = ends;
        options.wraps = wraps;
        const auto sharp = computed(inputs, options);
        if (!sharp || !apart(*sharp))
            return false;
        if (apart(*sharp, true))
            return true;
        options.converts = false;
        const auto loose = computed(inputs, options);
        return loose && apart(*loose).has_value();
    }

    Inputs drawn(DrawnValues how) {
        Inputs out;
        for (const NodeId id : m_before.inputs()) {
            // Not all at an end: what leads to one place or size must lead there.
            const bool ends = how == DrawnValues::Ends || how == DrawnValues::Smallest;
            const DrawnValues own = ends && m_random.chance(25) ? DrawnValues::Any : how;
            out.push_back(drawnData(m_random, m_literals, m_before.type({id, 0}), own));
        }
        return out;
    }

    GraphDifference difference(Inputs inputs, const Disagreement& where) const {
        return {std::move(inputs), where.text(m_before.results()[where.result].name)};
    }

    // False if there is no more to look for.
    bool ofNumbers(DrawnValues how, const std::set<ButFor>& enough) {
        Inputs inputs = drawn(how);
        BoundedOptions options = ofTrial();
        options.ends = BoundedEnds::All;
        const auto both = computed(inputs, options);
        if (!both)
            return how != DrawnValues::Whole && how != DrawnValues::Any;
        const auto where = apart(*both);
        for (const auto* values : {&both->got, &both->wanted})
            for (const BoundedValues& one : *values)
                m_out.rounds = m_out.rounds || !one.errors.empty();
        if (!where || !differs(inputs, BoundedEnds::All, true)) {
            m_out.computed = true;
            noteRounding(inputs);
            if (how == DrawnValues::Any) {
                auto rounded = roundsApart(inputs);
                if (!rounded)
                    rounded = apartBeforeTheEnd(inputs);
                if (rounded) {
                    m_out.ordinary = difference(std::move(inputs), *rounded);
                    m_out.computed = false;
                    return false;
                }
            }
            return true;
        }
        const bool ofAttribute = bringsEnds(m_before, m_after);
        const bool ordinary = !ofAttribute && (differs(inputs, BoundedEnds::None, false) ||
                                               differs(inputs, BoundedEnds::Narrow, false));
        const auto beyond = ordinary ? behindNoNumbers(inputs) : std::nullopt;
        if (ordinary && !beyond) {
            m_out.ordinary = difference(std::move(inputs), *where);
            m_out.computed = false;
            return false;
        }
        const ButFor what =
            beyond                                                     ? *beyond
            : !ofAttribute && differs(inputs, BoundedEnds::None, true) ? ButFor::Wrapping
            : leavesTheNumbers(m_before, inputs) || leavesTheNumbers(m_after, inputs)
                ? ButFor::Overflow
                : ButFor::Underflow;
        m_out.computed = true;
        if (!enough.contains(what))
            m_out.butFor.try_emplace(what, difference(std::move(inputs), *where));
        return true;
    }

    // Of operands at which both come to something else: whether that takes what both compute alike
    // to be no finite number, as where it is divided by 0. Elements that stay as they are with
    // others in place of these take it not.
    std::optional<ButFor> behindNoNumbers(const Inputs& inputs) const {
        const std::vector<CommonValue> common = commonValues(m_before, m_after);
        if (common.empty())
            return std::nullopt;
        std::vector<ValueRef> inBefore, inAfter;
        GraphEditor editor(m_before);
        for (const CommonValue& one : common) {
            inBefore.push_back(one.before);
            inAfter.push_back(one.after);
            editor.addResult("common", one.before);
        }
        const Result<GraphPtr> whole = editor.finish();
        BoundedOptions options = ofTrial();
        options.ends = BoundedEnds::Narrow;
        const auto known = whole ? evaluateGraphBounded(**whole, inputs, options)
                                 : Result<std::vector<BoundedValues>>(whole.diag());
        const auto before = withInputsFor(m_before, inBefore);
        const auto after = withInputsFor(m_after, inAfter);
        if (!known || !before || !after)
            return std::nullopt;
        Inputs own = inputs, other = inputs;
        std::optional<ButFor> out;
        const std::size_t first = m_before.results().size();
        for (std::size_t i = first; i < known->size(); ++i) {
            const Replaced one((*known)[i].values);
            own.push_back(one.own);
            other.push_back(one.other);
            if (one.why && readsNothing(common[i - first].before.node))
                return std::nullopt;
            if (one.why == ButFor::Infinities || !out)
                out = one.why ? one.why : out;
        }
        if (!out)
            return std::nullopt;
        const auto with = computedBy(**before, **after, own, ofTrial());
        auto without = computedBy(**before, **after, other, ofTrial());
        if (!with || !without)
            return std::nullopt;
        for (std::size_t k = 0; k < without->wanted.size(); ++k) {
            BoundedValues &got = without->got[k], &wanted = without->wanted[k];
            for (std::size_t i = 0; i < wanted.values.data.size(); ++i)
                if (!sameAt(with->got[k], got, i) || !sameAt(with->wanted[k], wanted, i))
                    got.values.data[i] = wanted.values.data[i];
        }
        return apart(*without) ? std::nullopt : out;
    }

    // The largest of nothing is an infinity that belongs to no operand.
    bool readsNothing(NodeId node) const {
        const std::vector<ValueRef>& operands = m_before.node(node).inputs;
        return std::any_of(operands.begin(), operands.end(), [&](ValueRef value) {
            return value.valid() && elementCount(m_before.type(value).shape).isInt(0);
        });
    }

    static bool sameAt(const BoundedValues& a, const BoundedValues& b, std::size_t i) {
        const Value &x = a.values.data[i], &y = b.values.data[i];
        return isFloat(a.values.dtype)
                   ? x.real == y.real || (std::isnan(x.real) && std::isnan(y.real))
                   : x.integer == y.integer;
    }

    // Where what is exact agrees, what is rounded may not.
    void noteRounding(const Inputs& inputs) {
        if (m_out.rounds || (coarsestUnit(m_before) == 0 && coarsestUnit(m_after) == 0))
            return;
        const auto wanted = evaluateGraph(m_before, inputs);
        const auto got = wanted ? evaluateGraph(m_after, inputs) : wanted;
        m_out.rounds = got && roundedApart(*wanted, *got);
    }

    // One side rounds in a type that the other has not: its rounding, held to the other's bounds.
    std::optional<Disagreement> roundsApart(const Inputs& inputs) const {
        const double before = coarsestUnit(m_before), after = coarsestUnit(m_after);
        if (before == 0 || after == 0 || before == after)
            return std::nullopt;
        const bool afterRounds = after > before;
        const auto rounded = evaluateGraph(afterRounds ? m_after : m_before, inputs);
        BoundedOptions options = ofTrial();
        const auto fine = evaluateGraphBounded(afterRounds ? m_before : m_after, inputs, options);
        if (!rounded || !fine)
            return std::nullopt;
        std::vector<BoundedValues> coarse;
        for (const TensorData& one : *rounded)
            coarse.push_back(exactValues(one));
        AgreementOptions agreement;
        agreement.relative = std::min(ofAttributes, 4 * std::min(before, after));
        agreement.sharp = true;
        agreement.errors = 4;
        return afterRounds ? disagreementOf(m_before, coarse, *fine, agreement)
                           : disagreementOf(m_before, *fine, coarse, agreement);
    }

    // An element at which the operands of what both do last differ, as exact numbers, and so do the
    // results as they are rounded.
    std::optional<Disagreement> apartBeforeTheEnd(const Inputs& inputs) const {
        if (m_ends.empty())
            return std::nullopt;
        const auto results = [&](const Graph& graph, bool before) -> Result<GraphPtr> {
            GraphEditor editor(graph);
            for (const CommonEnd& end : m_ends)
                editor.addResult("operand", before ? end.before : end.after);
            return editor.finish();
        };
        const Result<GraphPtr> before = results(m_before, true), after = results(m_after, false);
        BoundedOptions options;
        options.sharp = true;
        options.ends = BoundedEnds::All;
        const auto wanted = before ? evaluateGraphBounded(**before, inputs, options)
                                   : Result<std::vector<BoundedValues>>(before.diag());
        const auto got = after ? evaluateGraphBounded(**after, inputs, options)
                               : Result<std::vector<BoundedValues>>(after.diag());
        const auto made = evaluateGraph(m_before, inputs), other = evaluateGraph(m_after, inputs);
        if (!wanted || !got || !made || !other)
            return std::nullopt;
        for (std::size_t k = 0; k < m_ends.size(); ++k) {
            const BoundedValues& a = (*got)[m_before.results().size() + k];
            const BoundedValues& b = (*wanted)[m_before.results().size() + k];
            const std::size_t result = m_ends[k].result;
            for (std::size_t i = 0; isFloat(a.values.dtype) && i < a.values.data.size(); ++i) {
                const double x = a.values.data[i].real, y = b.values.data[i].real;
                const double is = (*other)[result].at(i), was = (*made)[result].at(i);
                if (a.error(i) != 0 || b.error(i) != 0 || !std::isfinite(is) ||
                    !std::isfinite(was) || is == was ||
                    !(std::abs(x - y) > m_relative * std::max(std::abs(x), std::abs(y))))
                    continue;
                std::vector<BoundedValues> rounded, known;
                for (std::size_t r = 0; r < made->size(); ++r) {
                    rounded.push_back(exactValues((*other)[r]));
                    known.push_back(exactValues((*made)[r]));
                }
                AgreementOptions agreement;
                agreement.relative = m_relative;
                agreement.sharp = true;
                return disagreementOf(m_before, rounded, known, agreement);
            }
        }
        return std::nullopt;
    }

    // Inputs that only the left side reads: x * 0 is not 0 where x has no end. False if so.
    bool droppedMayBeNoNumber() {
        std::vector<std::size_t> dropped;
        for (std::size_t i = 0; i < m_before.inputs().size(); ++i)
            if (const NodeId id = m_before.inputs()[i]; isFloat(m_before.type({id, 0}).dtype) &&
                                                        reads(m_before, id) &&
                                                        !reads(m_after, m_after.inputs()[i]))
                dropped.push_back(i);
        if (dropped.empty())
            return true;
        Inputs inputs = drawn(DrawnValues::Whole);
        for (const std::size_t i : dropped)
            inputs[i] = withInfinities(withNaN(inputs[i], m_random), m_random);
        const auto both = computed(inputs, {});
        if (!both)
            return true;
        const auto where = disagreementOf(m_before, both->got, both->wanted, {ofAttributes, true});
        if (where) {
            m_out.ordinary = difference(std::move(inputs), *where);
            m_out.computed = false;
        }
        return !where;
    }

    template <class Replace>
    void ofNoNumbers(ButFor what, const Replace& replace) {
        Inputs inputs = drawn(DrawnValues::Whole);
        std::vector<std::size_t> real;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (isFloat(inputs[i].dtype()))
                real.push_back(i);
        if (real.empty())
            return;
        const std::size_t one = real[m_random.below(real.size())];
        const bool all = m_random.chance(40);
        for (const std::size_t i : real)
            if (all || i == one)
                inputs[i] = replace(inputs[i], m_random);
        BoundedOptions options = ofTrial();
        const auto both = computed(inputs, options);
        if (!both)
            return;
        if (const auto where = apart(*both, false, true))
            m_out.butFor.try_emplace(what, difference(std::move(inputs), *where));
    }

    const Graph &m_before, &m_after;
    const Literals m_literals;
    const double m_relative; // beside the bounds
    const std::vector<CommonEnd> m_ends;
    Random m_seeds, m_random;
    GraphComparison m_out;
};

} // namespace

GraphComparison compareGraphs(const Graph& before, const Graph& after, const Literals& literals,
                              const std::set<ButFor>& enough, std::uint64_t seed,
                              ComparedValues values) {
    return Comparison(before, after, literals, seed).run(enough, values);
}

std::optional<GraphDifference> compareAtNoNumbers(const Graph& before, const Graph& after,
                                                  const Literals& literals, std::uint64_t seed) {
    return Comparison(before, after, literals, seed).atNoNumbers();
}

} // namespace fw
