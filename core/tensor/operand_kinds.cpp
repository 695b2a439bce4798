#include "tensor/operand_kinds.h"

#include "expr/affine.h"
#include "expr/simplify.h"
#include "tensor/broadcast.h"

#include <algorithm>
#include <map>
#include <optional>

namespace fw {

namespace {

bool isUnit(const Expr& extent) {
    return extent.isInt(1);
}

// The factor of `axis` in an index that is factor * axis + rest, both free of it.
struct Step {
    Expr factor, rest;
};

std::optional<Step> stepOf(const Expr& index, Symbol axis) {
    Step out{Expr(0), Expr(0)};
    const Affine sum = toAffine(index);
    for (const auto& [atom, coefficient] : sum.terms) {
        const Expr term = atom * Expr(coefficient);
        if (!usesVar(atom, axis)) {
            out.rest = out.rest + term;
            continue;
        }
        Exprs factors;
        collectFactors(atom, factors);
        const auto place = std::find(factors.begin(), factors.end(), varExpr(axis));
        if (place == factors.end())
            return std::nullopt;
        factors.erase(place);
        const Expr others = productOf(factors);
        if (usesVar(others, axis) || hasLoad(others))
            return std::nullopt;
        out.factor = out.factor + others * Expr(coefficient);
    }
    out.rest = out.rest + Expr(sum.constant);
    return out;
}

// A place that is told by a quotient and its rest is told by what was divided.
Exprs withWholes(Exprs indices) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const Expr rest = indices[i];
        if (rest.op() != ExprOp::Mod)
            continue;
        const Expr quotient = simplify(floorDivExpr(rest.arg(0), rest.arg(1)));
        const auto is = [&](const Expr& whole) {
            return std::find(indices.begin(), indices.end(), whole) != indices.end();
        };
        if (is(quotient) && !is(rest.arg(0)))
            indices.push_back(rest.arg(0));
    }
    return indices;
}

// A read inside a reduction that touches some element for several of its results, or may: results
// that read the same element are proved to be one, axis by axis.
bool hasReuse(const Stage& stage, const Exprs& read) {
    const Exprs indices = withWholes(read);
    Ranges ranges;
    Substitution other; // another point of the domain
    for (const auto* axes : {&stage.space, &stage.reduce})
        for (const Axis& axis : *axes) {
            const Symbol twin("$" + axis.var.text());
            ranges.push(axis.var, Expr(0), axis.extent - Expr(1));
            ranges.push(twin, Expr(0), axis.extent - Expr(1));
            other[axis.var] = varExpr(twin);
        }
    for (const Axis& axis : stage.reduce) // each element once
        if (!isUnit(axis.extent) &&
            std::none_of(indices.begin(), indices.end(),
                         [&](const Expr& index) { return usesVar(index, axis.var); }))
            return true;
    std::vector<Symbol> open;
    for (const Axis& axis : stage.space)
        if (!isUnit(axis.extent))
            open.push_back(axis.var);
        else
            other.erase(axis.var);
    const auto isTold = [&](Symbol axis) {
        return std::any_of(indices.begin(), indices.end(), [&](const Expr& index) {
            const auto step = usesVar(index, axis) ? stepOf(index, axis) : std::nullopt;
            if (!step)
                return false;
            const Expr apart = step->rest - substitute(step->rest, other);
            return proveNonNegative(step->factor - Expr(1) - apart, ranges) ||
                   proveNonNegative(-step->factor - Expr(1) - apart, ranges);
        });
    };
    for (bool found = true; found && !open.empty();) {
        const auto told = std::find_if(open.begin(), open.end(), isTold);
        found = told != open.end();
        if (found) {
            other.erase(*told);
            open.erase(told);
        }
    }
    return !open.empty();
}

void factorsOf(const Expr& e, Exprs& factors) {
    if (e.op() == ExprOp::Mul) {
        factorsOf(e.arg(0), factors);
        factorsOf(e.arg(1), factors);
    } else if (hasLoad(e) && std::find(factors.begin(), factors.end(), e) == factors.end()) {
        factors.push_back(e);
    }
}

// How elements of a tensor reach those of the first output.
struct Reach {
    FusionKind kind = FusionKind::Elementwise;
    // Which index of the tensor each index of the output is, where that is known: two ways with the
    // same answer lead to the same element.
    std::optional<std::vector<std::size_t>> places;

    bool operator==(const Reach&) const = default;
};

// What reads a tensor, and what becomes of what that writes.
FusionKind behind(FusionKind first, FusionKind next) {
    const FusionKind both = std::max(first, next);
    if (both != FusionKind::Reduction || first == next ||
        std::min(first, next) == FusionKind::Elementwise)
        return both;
    // Spread after it was reduced, or reduced after it was spread.
    return first == FusionKind::Reduction ? FusionKind::Rowwise : FusionKind::Window;
}

// Two ways from a tensor to the output.
Reach joined(const Reach& a, const Reach& b) {
    const FusionKind both = std::max(a.kind, b.kind);
    if (a.kind == b.kind && (both == FusionKind::Elementwise || (a.places && a.places == b.places)))
        return a;
    switch (both) {
    case FusionKind::Broadcast:
        return {FusionKind::Injective, {}};
    case FusionKind::Reduction:
        return {FusionKind::Rowwise, {}};
    default:
        return {both, {}};
    }
}

// Whether what is computed depends on where it is stored, beside what is read there.
bool isPositional(const Stage& stage, const Expr& e) {
    if (e.op() == ExprOp::Load)
        return false;
    if (e.isVar())
        return std::any_of(stage.space.begin(), stage.space.end(), [&](const Axis& axis) {
            return !isUnit(axis.extent) && e == varExpr(axis.var);
        });
    return std::any_of(e.args().begin(), e.args().end(),
                       [&](const Expr& part) { return isPositional(stage, part); });
}

std::optional<std::vector<std::size_t>> placesOf(const Stage& stage, const Exprs& indices) {
    std::vector<std::size_t> out;
    for (const Expr& stored : stage.store) {
        const auto place = std::find(indices.begin(), indices.end(), stored);
        if (place == indices.end() && stage.isMap()) {
            out.push_back(indices.size()); // an axis that the tensor lacks
            continue;
        }
        if (place == indices.end() || !stored.isVar())
            return std::nullopt;
        out.push_back(static_cast<std::size_t>(place - indices.begin()));
    }
    return out;
}

class OperandKinds {
public:
    explicit OperandKinds(const OpInst& inst) : m_inst(inst) {
        for (const Stage& stage : inst.stages)
            for (const Access& access : accessesOf(stage)) {
                std::vector<const Stage*>& readers = m_readers[access.tensor];
                if (readers.empty() || readers.back() != &stage)
                    readers.push_back(&stage);
            }
    }

    Reach towardsOutput(Symbol tensor) {
        if (!m_inst.outputs.empty() && tensor == m_inst.outputs[0].name)
            return {};
        if (const auto known = m_known.find(tensor); known != m_known.end())
            return known->second;
        std::optional<Reach> out;
        for (const Stage* reader : readersOf(tensor)) {
            const Stage& stage = *reader;
            const bool other =
                std::any_of(m_inst.outputs.begin(), m_inst.outputs.end(),
                            [&](const TensorDecl& one) { return one.name == stage.out; }) &&
                stage.out != m_inst.outputs[0].name;
            for (const Access& access : accessesOf(stage)) {
                if (access.tensor != tensor)
                    continue;
                FusionKind read = stage.isMap()
                                      ? accessKind(stage, access.indices, extentsOf(m_inst, tensor),
                                                   extentsOf(m_inst, stage.out))
                                      : reductionKind(stage);
                // No function of elements: somewhere else they become something else.
                if (stage.isMap() && isPositional(stage, stage.body))
                    read = std::max(read, FusionKind::Injective);
                Reach way{read, placesOf(stage, access.indices)};
                if (!other || isRead(stage.out)) {
                    const Reach rest = towardsOutput(stage.out);
                    way.kind = behind(read, rest.kind);
                    if (rest.kind != FusionKind::Elementwise)
                        way.places.reset();
                }
                out = out ? joined(*out, way) : way;
            }
        }
        return m_known[tensor] = out.value_or(Reach{FusionKind::Opaque, {}}); // not read at all
    }

private:
    std::vector<const Stage*> readersOf(Symbol tensor) const {
        const auto found = m_readers.find(tensor);
        return found == m_readers.end() ? std::vector<const Stage*>() : found->second;
    }
    bool isRead(Symbol tensor) const {
        const std::vector<const Stage*> readers = readersOf(tensor);
        return std::any_of(readers.begin(), readers.end(),
                           [&](const Stage* stage) { return stage->out != tensor; });
    }

    std::map<Symbol, std::vector<const Stage*>> m_readers; // in order
    const OpInst& m_inst;
    std::map<Symbol, Reach> m_known;
};

} // namespace

std::vector<Access> accessesOf(const Stage& stage) {
    std::vector<Access> out;
    visitExpr(stage.body, [&](const Expr& e) {
        if (e.op() == ExprOp::Load)
            out.push_back({e->symbol, e.args()});
    });
    return out;
}

Shape extentsOf(const OpInst& inst, Symbol tensor) {
    const TensorDecl* found = inst.find(tensor);
    return found == nullptr ? Shape() : found->type.shape;
}

FusionKind accessKind(const Stage& stage, const Exprs& indices, const Shape& extents,
                      const Shape& written) {
    for (std::size_t i = 0; i < stage.store.size(); ++i) {
        const bool whole =
            std::any_of(stage.space.begin(), stage.space.end(), [&](const Axis& axis) {
                return stage.store[i] == varExpr(axis.var) && i < written.size() &&
                       axis.extent == written[i];
            });
        if (!whole)
            return FusionKind::Injective;
    }
    if (indices == stage.store && extents == written)
        return FusionKind::Elementwise;
    // An ordered part of the output's own indices, 0 where the extent is 1 or turns out to be.
    std::size_t at = 0;
    bool stretched = false;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (indices[i].isInt(0) && i < extents.size() && isUnit(extents[i]))
            continue;
        const auto whole = i < extents.size() ? unstretched(indices[i], extents[i]) : std::nullopt;
        stretched = stretched || whole;
        const Expr& index = whole ? *whole : indices[i];
        while (at < stage.store.size() && !(stage.store[at] == index))
            ++at;
        if (at == stage.store.size() || !index.isVar())
            return FusionKind::Injective;
        // A longer or shorter axis has its elements elsewhere, whatever they are numbered.
        if (!whole && (i >= extents.size() || at >= written.size() || !(extents[i] == written[at])))
            return FusionKind::Injective;
        ++at;
    }
    if (stretched) // for all that is known
        return FusionKind::Broadcast;
    // What is missing has extent 1: still the same element.
    for (const Axis& axis : stage.space)
        if (!isUnit(axis.extent) &&
            std::find(indices.begin(), indices.end(), varExpr(axis.var)) == indices.end())
            return FusionKind::Broadcast;
    return FusionKind::Elementwise;
}

FusionKind reductionKind(const Stage& stage) {
    bool reuse = false;
    for (const Access& access : accessesOf(stage))
        reuse = reuse || hasReuse(stage, access.indices);
    Exprs factors;
    factorsOf(stage.body, factors);
    if (stage.reducer == Reducer::Sum && factors.size() >= 2 && reuse)
        return FusionKind::Contraction;
    return reuse ? FusionKind::Window : FusionKind::Reduction;
}

std::vector<FusionKind> operandKinds(const OpInst& inst) {
    OperandKinds kinds(inst);
    std::vector<FusionKind> out;
    for (const TensorDecl& input : inst.inputs)
        out.push_back(kinds.towardsOutput(input.name).kind);
    return out;
}

} // namespace fw
