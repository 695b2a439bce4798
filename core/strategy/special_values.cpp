#include "strategy/special_values.h"

#include "tensor/beside_padding.h"
#include "tensor/disagreement.h"
#include "tensor/draw_values.h"
#include "tensor/evaluate_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace fw {

namespace {

using Inputs = std::vector<TensorData>;

constexpr double roundings = 4; // times the bounds, of what is rounded at every step
constexpr double relative = 1e-3;

double halfOfLargest(DType dtype) {
    return dtype == DType::F16   ? 32752
           : dtype == DType::F64 ? std::numeric_limits<double>::max() / 2
                                 : 1.69e38; // of bf16 and f32
}

class SpecialValues {
public:
    SpecialValues(const Graph& call, const Node& node, const Graph& own, Random& random)
        : m_call(call), m_node(node), m_own(own), m_besidePadding(inputsBesidePadding(call)),
          m_random(random) {
        const Operator* op = call.operators().find(node.op);
        const Result<OpInst> inst = op->instantiate(callOf(call, node));
        m_products = inst && op->facts(callOf(call, node))->kind == FusionKind::Contraction;
        m_sums = !inst || std::any_of(inst->stages.begin(), inst->stages.end(), [](const auto& s) {
            return s.reducer == Reducer::Sum || s.reducer == Reducer::Prod;
        });
    }

    std::optional<std::string> atNoNumbers(const Inputs& whole, bool nan) {
        Inputs inputs = whole;
        const std::vector<std::size_t> real = realInputs(true);
        if (real.empty())
            return std::nullopt;
        const std::size_t one = m_random.pick(real);
        const bool all = m_random.chance(40);
        for (const std::size_t i : real)
            if (all || i == one)
                inputs[i] =
                    nan ? withNaN(inputs[i], m_random) : withInfinities(inputs[i], m_random);
        if (std::none_of(real.begin(), real.end(), [&](std::size_t i) {
                const std::vector<double> values = inputs[i].toDoubles();
                return std::any_of(values.begin(), values.end(),
                                   [](double value) { return !std::isfinite(value); });
            }))
            return std::nullopt;
        BoundedOptions options;
        options.sharp = true;
        options.most = std::int64_t(1) << 24;
        const auto wanted = evaluateGraphBounded(m_call, inputs, options);
        const auto got = evaluateGraphBounded(m_own, operandsOf(m_call, m_node, inputs), options);
        if (!wanted || !got)
            return std::nullopt;
        for (std::size_t k = 0; k < wanted->size(); ++k)
            for (std::size_t i = 0; i < (*wanted)[k].values.data.size(); ++i)
                if (isApart((*got)[k], (*wanted)[k], i, nan))
                    return text(k, i, valueOf((*got)[k].values, i), valueOf((*wanted)[k].values, i),
                                nan ? "operands hold NaN" : "operands hold infinities");
        return std::nullopt;
    }

    std::optional<std::string> atLargeNumbers(const Inputs& whole) {
        const Inputs inputs = large(whole);
        const Inputs operands = operandsOf(m_call, m_node, inputs);
        BoundedOptions options;
        options.sharp = true;
        options.ends = BoundedOptions::Ends::All;
        options.most = std::int64_t(1) << 24;
        const auto exact = evaluateGraphBounded(m_call, inputs, options);
        const auto exactOwn = evaluateGraphBounded(m_own, operands, options);
        // As code of the element types rounds it, and leaves them on the way.
        const auto wanted = evaluateGraph(m_call, inputs, {}, Precision::Steps);
        const auto got = evaluateGraph(m_own, operands, {}, Precision::Steps);
        if (!wanted || !got || !exact || !exactOwn)
            return std::nullopt;
        for (std::size_t k = 0; k < wanted->size(); ++k)
            for (std::size_t i = 0; i < (*wanted)[k].count(); ++i)
                if (isFloat((*wanted)[k].dtype())) {
                    const double w = (*wanted)[k].at(i), g = (*got)[k].at(i);
                    const double error = (*exact)[k].error(i) + (*exactOwn)[k].error(i);
                    const double is = (*exact)[k].values.data[i].real;
                    if (leaves(g, w, is, error, (*wanted)[k].dtype()))
                        return text(k, i, numberText(g), numberText(w), "operands are large");
                } else if ((*exact)[k].error(i) == 0 && (*exactOwn)[k].error(i) == 0 &&
                           (*wanted)[k].integerAt(i) != (*got)[k].integerAt(i)) {
                    return text(k, i, fmt::format("{}", (*got)[k].integerAt(i)),
                                fmt::format("{}", (*wanted)[k].integerAt(i)), "operands are large");
                }
        return std::nullopt;
    }

private:
    std::vector<std::size_t> realInputs(bool noNumbers) const {
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < m_call.inputs().size(); ++i) {
            const NodeId id = m_call.inputs()[i];
            if (isFloat(m_call.type({id, 0}).dtype) && !(noNumbers && m_besidePadding.contains(id)))
                out.push_back(i);
        }
        return out;
    }

    // Sums overflow in one order and not in another, so theirs stay far from the largest.
    Inputs large(const Inputs& whole) {
        Inputs out = whole;
        const std::vector<std::size_t> real = realInputs(false);
        for (std::size_t i = 0; i < out.size(); ++i) {
            const TensorType& type = m_call.type({m_call.inputs()[i], 0});
            if (!isFloat(type.dtype)) { // beside floats they are places, mostly
                if (real.empty())
                    out[i] = drawnData(m_random, {}, type, DrawnValues::Ends);
                continue;
            }
            if (!m_sums) {
                out[i] = drawnData(m_random, {}, type, DrawnValues::Ends);
                continue;
            }
            std::vector<double> values = drawnData(m_random, {}, type).toDoubles();
            const bool narrow = type.dtype == DType::F16;
            const double factor = std::pow(10, m_random.between(0, narrow ? 1 : 4));
            for (double& value : values)
                value *= factor;
            out[i] = dataFromDoubles(type.dtype, out[i].extents(), values);
        }
        return out;
    }

    bool isApart(const BoundedValues& got, const BoundedValues& wanted, std::size_t i,
                 bool nan) const {
        const double error = got.error(i) + wanted.error(i);
        if (!std::isfinite(error))
            return false;
        if (!isFloat(wanted.values.dtype))
            return error == 0 && got.values.data[i].integer != wanted.values.data[i].integer;
        const double w = wanted.values.data[i].real, g = got.values.data[i].real;
        if (std::isnan(w))
            return nan && !std::isnan(g);
        if (std::isnan(g) || (std::isinf(g) && std::isfinite(w)))
            return std::isinf(w) ? !m_sums : !m_products;
        if (std::isinf(w))
            return std::isfinite(g);
        return std::abs(g - w) > error + leastNormal(wanted.values.dtype) +
                                     relative * std::max(std::abs(g), std::abs(w));
    }

    // Of a value that the operator keeps within its type.
    static bool leaves(double got, double wanted, double exact, double error, DType dtype) {
        if (!std::isfinite(wanted) || std::abs(wanted) > halfOfLargest(dtype))
            return false;
        if (!std::isfinite(got))
            return true;
        const double bound = roundings * error + leastNormal(dtype) + relative * std::abs(exact);
        return std::isfinite(exact) && std::isfinite(error) && std::abs(wanted - exact) <= bound &&
               std::abs(got - exact) > bound;
    }

    static std::string numberText(double value) { // the sign of NaN or 0 says nothing
        return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value == 0 ? 0 : value);
    }
    static std::string valueOf(const Values& values, std::size_t i) {
        return isFloat(values.dtype) ? numberText(values.data[i].real)
                                     : fmt::format("{}", values.data[i].integer);
    }

    std::string text(std::size_t result, std::size_t element, const std::string& got,
                     const std::string& wanted, std::string_view where) const {
        return fmt::format("its result{} is {} instead of {}, where {}",
                           placeText(m_call.type(m_call.results()[result].value).shape, element),
                           got, wanted, where);
    }

    const Graph& m_call;
    const Node& m_node;
    const Graph& m_own;
    const std::set<NodeId> m_besidePadding;
    Random& m_random;
    bool m_products = false, m_sums = false;
};

} // namespace

std::vector<TensorData> operandsOf(const Graph& call, const Node& node,
                                   const std::vector<TensorData>& inputs) {
    std::vector<TensorData> out;
    auto next = inputs.begin();
    for (const ValueRef& operand : node.inputs)
        if (operand.valid()) {
            const TensorData* constant = call.constant(operand);
            out.push_back(constant != nullptr ? *constant : *next++);
        }
    return out;
}

std::optional<std::string> differenceAtSpecialValues(const Graph& call, const Node& node,
                                                     const Graph& own,
                                                     const std::vector<TensorData>& inputs,
                                                     Random& random) {
    SpecialValues values(call, node, own, random);
    if (auto out = values.atNoNumbers(inputs, true))
        return out;
    if (auto out = values.atNoNumbers(inputs, false))
        return out;
    return values.atLargeNumbers(inputs);
}

} // namespace fw
