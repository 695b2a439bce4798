// The domain "sizes" of expr/evaluate.h: integers as index expressions over free dimensions.
#include "base/numbers.h"
#include "expr/evaluate.h"
#include "expr/scalar.h"
#include "expr/simplify.h"
#include "ir/known_value.h"
#include "ir/size_value.h"

#include <algorithm>
#include <unordered_map>

namespace fw {

namespace {

using namespace size_values;

constexpr std::size_t mostElements = std::size_t(1) << 16; // of what a call keeps between
constexpr std::size_t mostPoints = std::size_t(1) << 18;

struct Tensor {
    DType dtype = DType::I64;
    std::vector<std::int64_t> extents;
    std::vector<Maybe> elements;
};

class Sizes : private Evaluate<Sizes, Maybe> {
public:
    Sizes(const OpInst& inst, const std::vector<const KnownValue*>& operands) : m_inst(inst) {
        for (std::size_t i = 0; i < operands.size(); ++i)
            m_operands.emplace(m_inst.inputs[i].name, operands[i]);
    }

    std::optional<std::vector<SmallTensor>> run() {
        for (const TensorDecl& tensor : m_inst.outputs)
            if (isFloat(tensor.type.dtype) || tensor.type.dtype == DType::Text ||
                !allocate(tensor, smallTensorLimit))
                return std::nullopt;
        for (const TensorDecl& tensor : m_inst.temporaries)
            if (!allocate(tensor, mostElements))
                return std::nullopt;
        for (const Stage& stage : m_inst.stages)
            if (!runStage(stage))
                return std::nullopt;
        std::vector<SmallTensor> out;
        for (const TensorDecl& tensor : m_inst.outputs) {
            const Tensor& made = m_tensors.at(tensor.name);
            SmallTensor& result = out.emplace_back(SmallTensor{made.dtype, made.extents, {}});
            for (const Maybe& element : made.elements) {
                if (!element || (made.dtype == DType::Bool && !element->number()))
                    return std::nullopt;
                result.elements.push_back(element->number() ? intExpr(*element->number())
                                                            : simplify(element->over));
            }
        }
        return out;
    }

private:
    friend Evaluate;

    bool allocate(const TensorDecl& tensor, std::size_t most) {
        const auto extents = fixedExtents(tensor.type.shape);
        std::size_t count = 1;
        for (const std::int64_t extent : extents ? *extents : std::vector<std::int64_t>{-1}) {
            if (extent < 0 || static_cast<std::size_t>(extent) > most)
                return false;
            count *= static_cast<std::size_t>(extent);
            if (count > most)
                return false;
        }
        m_tensors[tensor.name] = {tensor.type.dtype, *extents, std::vector<Maybe>(count)};
        return true;
    }

    bool runStage(const Stage& stage) {
        return overAxes(stage.space, [&] {
            Maybe value;
            if (stage.isMap() && stage.reduce.empty()) {
                value = of(stage.body);
            } else {
                bool isFirst = true;
                const bool isWhole = overAxes(stage.reduce, [&] {
                    const Maybe next = of(stage.body);
                    value = isFirst ? next : combined(stage, value, next);
                    isFirst = false;
                    return value.has_value();
                });
                if (!isWhole)
                    return false;
                if (isFirst)
                    value = ofNothing(stage);
            }
            Tensor& out = m_tensors.at(stage.out);
            const auto place = placeOf(stage.store, out.extents);
            if (!value || !place)
                return false;
            out.elements[*place] = held(out.dtype, value);
            return out.elements[*place].has_value();
        });
    }

    static Maybe ofNothing(const Stage& stage) {
        if (stage.reducer == Reducer::Sum || stage.reducer == Reducer::Prod)
            return whole(stage.reducer == Reducer::Prod ? 1 : 0);
        return std::nullopt;
    }

    static Maybe combined(const Stage& stage, const Maybe& a, const Maybe& b) {
        const DType dtype = stage.body.dtype();
        switch (stage.reducer) {
        case Reducer::Sum:
            return sum(dtype, a, b);
        case Reducer::Prod:
            return product(dtype, a, b);
        case Reducer::Max:
        case Reducer::Min:
            return extreme(stage.reducer == Reducer::Max, a, b);
        case Reducer::None:
            break;
        }
        return std::nullopt;
    }

    // False as soon as one visit is, and where there are too many.
    template <class Visit>
    bool overAxes(const std::vector<Axis>& axes, const Visit& visit, std::size_t depth = 0) {
        if (depth == axes.size())
            return ++m_points <= mostPoints && visit();
        const auto extent = number(axes[depth].extent);
        if (!extent)
            return false;
        for (std::int64_t i = 0; i < *extent; ++i) {
            m_at[axes[depth].var] = i;
            if (!overAxes(axes, visit, depth + 1))
                return false;
        }
        return true;
    }

    std::optional<std::int64_t> number(const Expr& e) {
        if (const auto known = evalIndex(e, m_at)) // of places on axes
            return known;
        const Maybe value = of(e);
        return value ? value->number() : std::nullopt;
    }

    // nullopt: outside, or not known.
    std::optional<std::size_t> placeOf(const Exprs& indices,
                                       const std::vector<std::int64_t>& extents) {
        std::size_t out = 0;
        for (std::size_t d = 0; d < indices.size(); ++d) {
            const auto index = number(indices[d]);
            if (!index || *index < 0 || *index >= extents[d])
                return std::nullopt;
            out = out * static_cast<std::size_t>(extents[d]) + static_cast<std::size_t>(*index);
        }
        return out;
    }

    Maybe integer(const Expr& e) const { return whole(e->integer); }
    Maybe real(const Expr& e) const {
        const double value = literalValue(e).real;
        constexpr double most = 9007199254740992.0; // 2^53
        if (!(value > -most && value < most) || value != static_cast<double>(std::int64_t(value)))
            return std::nullopt;
        return whole(std::int64_t(value));
    }
    Maybe variable(const Expr& e) const {
        const auto found = m_at.find(e->symbol);
        return found == m_at.end() ? Size{e} : whole(found->second);
    }
    Maybe add(const Expr& e) { return sum(e.dtype(), of(e.arg(0)), of(e.arg(1))); }
    Maybe sub(const Expr& e) {
        const Maybe a = of(e.arg(0)), b = of(e.arg(1));
        if (!a || !b || !a->isWhole() || !b->isWhole())
            return std::nullopt;
        const auto x = a->number(), y = b->number();
        std::int64_t exact = 0;
        if (!x || !y)
            return held(e.dtype(), Size{simplify(a->over - b->over)});
        return __builtin_sub_overflow(*x, *y, &exact) ? std::nullopt
                                                      : held(e.dtype(), whole(exact));
    }
    Maybe mul(const Expr& e) { return product(e.dtype(), of(e.arg(0)), of(e.arg(1))); }
    Maybe neg(const Expr& e) { return minus(e.dtype(), of(e.arg(0))); }
    Maybe fma(const Expr& e) {
        return sum(e.dtype(), product(e.dtype(), of(e.arg(0)), of(e.arg(1))), of(e.arg(2)));
    }
    // Integers towards zero, which is down where nothing is negative.
    Maybe div(const Expr& e) {
        const Maybe a = of(e.arg(0)), b = of(e.arg(1));
        if (!a || !b)
            return std::nullopt;
        if (isFloat(e.dtype())) {
            if (b->number() && *b->number() < 0)
                return quotient(minus(e.dtype(), a), minus(e.dtype(), b));
            return quotient(a, b);
        }
        const auto x = a->number(), y = b->number();
        if (x && y)
            return *y == 0 || (*x == INT64_MIN && *y == -1) ? std::nullopt : whole(*x / *y);
        if (!isNonNegative(a->over) || !isPositive(b->over))
            return std::nullopt;
        return Size{simplify(floorDivExpr(a->over, b->over))};
    }
    Maybe floorDiv(const Expr& e) { return divided(e, fw::floorDiv, floorDivExpr); }
    Maybe mod(const Expr& e) { return divided(e, floorMod, modExpr); }
    Maybe divided(const Expr& e, std::int64_t (*fold)(std::int64_t, std::int64_t),
                  Expr (*build)(const Expr&, const Expr&)) {
        const Maybe a = of(e.arg(0)), b = of(e.arg(1));
        if (isFloat(e.dtype()) || !a || !b || !isPositive(b->over))
            return std::nullopt;
        if (const auto x = a->number(), y = b->number(); x && y)
            return whole(fold(*x, *y));
        return Size{simplify(build(a->over, b->over))};
    }
    Maybe min(const Expr& e) { return extreme(false, of(e.arg(0)), of(e.arg(1))); }
    Maybe max(const Expr& e) { return extreme(true, of(e.arg(0)), of(e.arg(1))); }

    Maybe compared(const Expr& e, Expr (*build)(const Expr&, const Expr&)) {
        const Maybe a = of(e.arg(0)), b = of(e.arg(1));
        if (!a || !b || !a->isWhole() || !b->isWhole())
            return std::nullopt;
        return truth(build(a->over, b->over));
    }
    Maybe eq(const Expr& e) { return compared(e, eqExpr); }
    Maybe ne(const Expr& e) { return compared(e, neExpr); }
    Maybe lt(const Expr& e) { return compared(e, ltExpr); }
    Maybe le(const Expr& e) { return compared(e, leExpr); }
    Maybe both(const Expr& e) { return joined(e, false, andExpr); }
    Maybe either(const Expr& e) { return joined(e, true, orExpr); }
    Maybe joined(const Expr& e, bool decides, Expr (*build)(const Expr&, const Expr&)) {
        const Maybe a = of(e.arg(0));
        if (a && a->number() == std::int64_t(decides))
            return a;
        const Maybe b = of(e.arg(1));
        if (b && b->number() == std::int64_t(decides))
            return b;
        if (!a || !b)
            return std::nullopt;
        return a->number() ? b : b->number() ? a : truth(build(a->over, b->over));
    }
    Maybe opposite(const Expr& e) {
        const Maybe a = of(e.arg(0));
        return a ? truth(notExpr(a->over)) : std::nullopt;
    }
    Maybe select(const Expr& e) {
        const Maybe condition = of(e.arg(0));
        if (!condition)
            return std::nullopt;
        if (const auto known = condition->number())
            return of(e.arg(*known != 0 ? 1 : 2));
        const Maybe then = of(e.arg(1)), otherwise = of(e.arg(2));
        if (!then || !otherwise || !then->isWhole() || !otherwise->isWhole())
            return std::nullopt;
        return held(e.dtype(),
                    Size{simplify(selectExpr(condition->over, then->over, otherwise->over))});
    }
    Maybe cast(const Expr& e) {
        const DType from = e.arg(0).dtype(), to = e.dtype();
        Maybe a = of(e.arg(0));
        if (!a || from == to)
            return a;
        if (to == DType::Bool)
            return a->isWhole() ? truth(neExpr(a->over, Expr(0))) : std::nullopt;
        if (from == DType::Bool)
            return held(to, a->number() ? whole(*a->number())
                                        : Size{simplify(selectExpr(a->over, Expr(1), Expr(0)))});
        if (isFloat(from) && !isFloat(to) && !a->isWhole()) // towards zero
            a = isNonNegative(a->over) ? rounded(a, floorDivExpr) : std::nullopt;
        return held(to, a);
    }

    Maybe load(const Expr& e) {
        if (const auto own = m_tensors.find(e->symbol); own != m_tensors.end()) {
            const auto place = placeOf(e.args(), own->second.extents);
            return place ? own->second.elements[*place] : std::nullopt;
        }
        const KnownValue* operand = m_operands.at(e->symbol);
        if (operand == nullptr)
            return std::nullopt;
        const auto* sizes = std::get_if<SmallTensor>(operand);
        const TensorData* data = numbersIn(operand);
        const auto place = placeOf(e.args(), sizes != nullptr ? sizes->extents : data->extents());
        if (!place)
            return std::nullopt;
        if (data != nullptr && isFloat(data->dtype()))
            return real(floatExpr(data->at(*place), DType::F64));
        const Expr element =
            sizes != nullptr ? sizes->elements[*place] : intExpr(data->integerAt(*place));
        const DType dtype = sizes != nullptr ? sizes->dtype : data->dtype();
        return dtype == DType::U64 && element.asInt().value_or(0) < 0 ? std::nullopt
                                                                      : Maybe(Size{element});
    }
    Maybe pad(const Expr& e) {
        const Expr& read = e.arg(0);
        const TensorDecl& tensor = *m_inst.find(read->symbol);
        for (std::size_t d = 0; d < read.args().size(); ++d) {
            const auto index = number(read.arg(d)), extent = number(tensor.type.shape[d]);
            if (!index || !extent)
                return std::nullopt;
            if (*index < 0 || *index >= *extent)
                return of(e.arg(1));
        }
        return load(read);
    }
    Maybe call(const Expr& e) { return of(e->fn, e); }
    Maybe floor(const Expr& e) { return rounded(of(e.arg(0)), floorDivExpr); }
    Maybe ceil(const Expr& e) { return rounded(of(e.arg(0)), ceilDivExpr); }
    Maybe round(const Expr& e) {
        const Maybe a = of(e.arg(0));
        return a && a->isWhole() ? a : std::nullopt;
    }
    Maybe abs(const Expr& e) {
        const Maybe a = of(e.arg(0));
        if (!a || isNonNegative(a->over))
            return a;
        return isNonNegative(simplify(-a->over)) ? minus(e.dtype(), a) : std::nullopt;
    }
    template <class Kind>
    Maybe other(Kind, const Expr&) const {
        return std::nullopt;
    }

    const OpInst& m_inst;
    std::unordered_map<Symbol, const KnownValue*> m_operands;
    std::unordered_map<Symbol, Tensor> m_tensors;
    Bindings m_at;
    std::size_t m_points = 0;
};

} // namespace

std::optional<std::vector<SmallTensor>> sizesOf(const OpInst& inst,
                                                const std::vector<const KnownValue*>& operands) {
    return Sizes(inst, operands).run();
}

} // namespace fw
