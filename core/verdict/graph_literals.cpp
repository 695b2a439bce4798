#include "verdict/graph_literals.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace fw {

namespace {

constexpr std::size_t mostNumbers = 64; // of both graphs

class Collector {
public:
    explicit Collector(Literals& out) : m_out(out), m_types(out.types.begin(), out.types.end()) {}

    void add(const Graph& graph) {
        for (const NodePtr& node : graph.nodes()) {
            for (const Output& output : node->outputs)
                add(output.type.dtype);
            if (node->isConstant())
                add(*node->data);
            const Operator* op = node->isLeaf() ? nullptr : graph.operators().find(node->op);
            if (op == nullptr || !m_seen.insert({op, node->attrs.print()}).second)
                continue;
            if (const Result<OpInst> inst = op->instantiate(callOf(graph, *node)); inst)
                for (const Stage& stage : inst->stages)
                    add(stage.body);
        }
    }

private:
    void add(DType dtype) {
        if (m_types.insert(dtype).second)
            m_out.types.push_back(dtype);
    }

    // Of others the elements were drawn.
    void add(const TensorData& data) {
        if (data.count() == 0 || !data.isUniform())
            return;
        if (isFloat(data.dtype()))
            add(data.at(0));
        else if (isInteger(data.dtype()))
            add(data.integerAt(0));
    }

    void add(const Expr& body) {
        visitExpr(body, [&](const Expr& e) {
            const bool rounds =
                e.op() == ExprOp::Call &&
                (e->fn == MathFn::Floor || e->fn == MathFn::Ceil || e->fn == MathFn::Round);
            m_out.cut = m_out.cut || rounds || (e.op() == ExprOp::Cast && isInteger(e.dtype()));
            if (e.op() == ExprOp::Cast)
                add(e.dtype());
            else if (e.op() == ExprOp::Float)
                add(e->real);
            else if (e.op() == ExprOp::Int && isInteger(e.dtype()))
                add(e->integer);
        });
    }

    void add(std::int64_t integer) {
        if ((integer >= -3 && integer <= 3) || m_out.integers.size() >= mostNumbers ||
            !m_integers.insert(integer).second)
            return;
        m_out.integers.push_back(integer);
        m_out.reals.push_back(static_cast<double>(integer));
    }

    void add(double real) {
        const bool usual = std::abs(real) <= 3 && 2 * real == std::floor(2 * real);
        if (!std::isfinite(real) || usual || m_out.reals.size() >= mostNumbers ||
            !m_reals.insert(real).second)
            return;
        m_out.reals.push_back(real);
    }

    Literals& m_out;
    std::set<DType> m_types;
    std::set<std::int64_t> m_integers;
    std::set<double> m_reals;
    std::set<std::pair<const Operator*, std::string>> m_seen;
};

std::string bytesOf(const TensorData& data) {
    const auto bytes = data.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Those of few bits are as they were meant.
std::set<std::string> numbersOf(const Graph& graph) {
    std::set<std::string> out;
    const auto add = [&](double real) {
        constexpr int fewBits = 8;
        if (std::ldexp(real, fewBits) != std::floor(std::ldexp(real, fewBits)))
            out.insert(std::to_string(std::bit_cast<std::uint64_t>(real)));
    };
    for (const NodePtr& node : graph.nodes()) {
        if (node->isConstant() && isFloat(node->data->dtype()))
            out.insert(bytesOf(*node->data));
        const Operator* op = node->isLeaf() ? nullptr : graph.operators().find(node->op);
        const Result<OpInst> inst =
            op != nullptr ? op->instantiate(callOf(graph, *node)) : Result<OpInst>(OpInst());
        if (!inst)
            continue;
        for (const Stage& stage : inst->stages)
            visitExpr(stage.body, [&](const Expr& e) {
                if (e.op() == ExprOp::Float)
                    add(e->real);
            });
    }
    return out;
}

std::vector<double> realAttributesOf(const Graph& graph) {
    std::vector<double> out;
    for (const NodePtr& node : graph.nodes())
        for (const auto& [name, value] : node->attrs)
            if (const auto* real = std::get_if<double>(&value))
                out.push_back(*real);
            else if (const auto* reals = std::get_if<Reals>(&value))
                out.insert(out.end(), reals->begin(), reals->end());
    return out;
}

} // namespace

bool bringsEnds(const Graph& before, const Graph& after) {
    constexpr double large = 1e154; // of two such numbers a product may have no end
    std::vector<double> known = realAttributesOf(before);
    for (const NodePtr& node : before.nodes())
        if (node->isConstant() && isFloat(node->data->dtype())) {
            const std::vector<double> data = node->data->toDoubles();
            known.insert(known.end(), data.begin(), data.end());
        }
    const auto isNearAnEnd = [&](double value) {
        const double size = std::abs(value);
        return std::isfinite(size) && size != 0 && (size >= large || size <= 1 / large);
    };
    const std::vector<double> made = realAttributesOf(after);
    return std::any_of(known.begin(), known.end(), isNearAnEnd) &&
           std::any_of(made.begin(), made.end(),
                       [](double value) { return !std::isfinite(value) || value == 0; });
}

bool bringsNumbers(const Graph& before, const Graph& after) {
    const std::set<std::string> known = numbersOf(before), own = numbersOf(after);
    return !std::includes(known.begin(), known.end(), own.begin(), own.end());
}

Literals literalsWith(const Literals& ofRule, const Graph& before, const Graph& after) {
    Literals out = ofRule;
    Collector all(out);
    all.add(before);
    all.add(after);
    return out;
}

} // namespace fw
