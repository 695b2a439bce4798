#include "tensor/facts.h"

#include "expr/simplify.h"
#include "tensor/broadcast.h"
#include "tensor/work_class.h"

#include <algorithm>
#include <map>
#include <set>

namespace fw {

namespace {

bool isUnit(const Expr& extent) {
    return extent.isInt(1);
}

FusionKind worse(FusionKind a, FusionKind b) {
    return std::max(a, b);
}

// How a map reads a tensor at `indices` while it writes at `store`.
// `written` are the extents of the output: a stage that writes a part of it moves elements.
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
    if (indices == stage.store)
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

bool usesAny(const Exprs& indices, Symbol var) {
    return std::any_of(indices.begin(), indices.end(),
                       [&](const Expr& e) { return usesVar(e, var); });
}

// A read inside a reduction that touches some element more than once over the whole domain.
bool hasReuse(const Stage& stage, const Exprs& indices) {
    for (const auto* axes : {&stage.space, &stage.reduce})
        for (const Axis& axis : *axes)
            if (!isUnit(axis.extent) && !usesAny(indices, axis.var))
                return true;
    // A window i * s + r * d overlaps when the step is not larger than its reach.
    for (const Expr& index : indices) {
        for (const Axis& outer : stage.space) {
            const auto step = usesVar(index, outer.var) && !isUnit(outer.extent)
                                  ? linearIn(index, outer.var)
                                  : std::nullopt;
            if (!step)
                continue;
            std::int64_t reach = 0;
            for (const Axis& inner : stage.reduce) {
                const auto inside =
                    usesVar(index, inner.var) ? linearIn(index, inner.var) : std::nullopt;
                const auto extent = inner.extent.asInt();
                if (!inside)
                    continue;
                if (!extent)
                    return true;
                reach += std::abs(inside->coefficient) * (*extent - 1);
            }
            if (reach > 0 && std::abs(step->coefficient) <= reach)
                return true;
        }
    }
    return false;
}

void factorsOf(const Expr& e, Exprs& factors) {
    if (e.op() == ExprOp::Mul) {
        factorsOf(e.arg(0), factors);
        factorsOf(e.arg(1), factors);
    } else if (hasLoad(e) && std::find(factors.begin(), factors.end(), e) == factors.end()) {
        factors.push_back(e);
    }
}

struct Access {
    Symbol tensor;
    Exprs indices;
};

std::vector<Access> accessesOf(const Stage& stage) {
    std::vector<Access> out;
    visitExpr(stage.body, [&](const Expr& e) {
        if (e.op() == ExprOp::Load)
            out.push_back({e->symbol, e.args()});
    });
    return out;
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

struct Cost {
    double operations = 0;
    double transcendentals = 0;
};

void addCost(const Expr& e, Cost& cost) {
    switch (e.op()) {
    case ExprOp::Load: // index arithmetic is not counted
    case ExprOp::Int:
    case ExprOp::Float:
    case ExprOp::Var:
        return;
    case ExprOp::Fma:
        cost.operations += 2;
        break;
    case ExprOp::Call:
        cost.operations += 1;
        switch (e->fn) {
        case MathFn::Exp:
        case MathFn::Log:
        case MathFn::Tanh:
        case MathFn::Erf:
        case MathFn::Sigmoid:
        case MathFn::Sin:
        case MathFn::Cos:
        case MathFn::Pow:
            cost.transcendentals += 1;
            break;
        case MathFn::Sqrt:
        case MathFn::Rsqrt:
        case MathFn::Abs:
        case MathFn::Floor:
        case MathFn::Ceil:
        case MathFn::Round:
        case MathFn::Sign:
            break;
        }
        break;
    case ExprOp::Pad:
    case ExprOp::Cast:
        break;
    case ExprOp::Add:
    case ExprOp::Sub:
    case ExprOp::Mul:
    case ExprOp::Div:
    case ExprOp::FloorDiv:
    case ExprOp::Mod:
    case ExprOp::Min:
    case ExprOp::Max:
    case ExprOp::Neg:
    case ExprOp::Eq:
    case ExprOp::Ne:
    case ExprOp::Lt:
    case ExprOp::Le:
    case ExprOp::And:
    case ExprOp::Or:
    case ExprOp::Not:
    case ExprOp::Select:
        cost.operations += 1;
        break;
    }
    for (const Expr& arg : e.args())
        addCost(arg, cost);
}

double extentOf(const Expr& e) {
    Bindings ones;
    for (const Symbol var : freeVars(e))
        ones[var] = 1;
    return static_cast<double>(std::max<std::int64_t>(evalIndex(e, ones).value_or(1), 0));
}

double bytesOf(const TensorType& type) {
    double out = static_cast<double>(dtypeBytes(type.dtype));
    for (const Dim& dim : type.shape)
        out *= extentOf(dim);
    return out;
}

class Analysis {
public:
    explicit Analysis(const OpInst& inst) : m_inst(inst) {}

    Facts run() {
        Facts facts;
        facts.kind = wholeKind();
        facts.work = workClassOf(m_inst, facts.kind);
        for (const TensorDecl& input : m_inst.inputs) {
            const FusionKind kind = kindTowardsOutput(input.name);
            const bool reduces = kind >= FusionKind::Reduction && kind < FusionKind::Rowwise;
            facts.inputKinds.push_back(
                facts.kind == FusionKind::Rowwise && reduces ? FusionKind::Rowwise : kind);
            facts.inPlace.push_back(mayOverwrite(input));
            facts.bytesRead += bytesOf(input.type);
        }
        for (const TensorDecl& output : m_inst.outputs)
            facts.bytesWritten += bytesOf(output.type);
        for (const Stage& stage : m_inst.stages) {
            double points = 1;
            Expr pointsExpr = 1;
            for (const auto* axes : {&stage.space, &stage.reduce})
                for (const Axis& axis : *axes) {
                    points *= extentOf(axis.extent);
                    pointsExpr = pointsExpr * axis.extent;
                }
            Cost cost;
            addCost(stage.body, cost);
            const double each = cost.operations + (stage.isMap() ? 0 : 1);
            facts.flops += points * each;
            facts.flopsExpr = facts.flopsExpr + pointsExpr * Expr(static_cast<std::int64_t>(each));
            facts.transcendentals += points * cost.transcendentals;
        }
        return facts;
    }

private:
    Shape extents(Symbol tensor) const {
        const TensorDecl* found = m_inst.find(tensor);
        return found == nullptr ? Shape() : found->type.shape;
    }

    FusionKind wholeKind() const {
        FusionKind kind = FusionKind::Elementwise;
        std::set<Symbol> reduced; // tensors that hold the result of a reduction, or depend on one
        bool rowwise = false;
        for (const Stage& stage : m_inst.stages) {
            if (!stage.isMap()) {
                kind = worse(kind, reductionKind(stage));
                reduced.insert(stage.out);
                continue;
            }
            for (const Access& access : accessesOf(stage)) {
                const FusionKind read =
                    accessKind(stage, access.indices, extents(access.tensor), extents(stage.out));
                kind = worse(kind, read);
                if (!reduced.contains(access.tensor))
                    continue;
                rowwise = rowwise || read == FusionKind::Broadcast;
                reduced.insert(stage.out);
            }
        }
        if (rowwise && kind < FusionKind::Contraction)
            return FusionKind::Rowwise;
        return kind;
    }

    FusionKind kindTowardsOutput(Symbol tensor) {
        if (!m_inst.outputs.empty() && tensor == m_inst.outputs[0].name)
            return FusionKind::Elementwise;
        const auto known = m_kinds.find(tensor);
        if (known != m_kinds.end())
            return known->second;
        FusionKind kind = FusionKind::Elementwise;
        for (const Stage& stage : m_inst.stages) {
            const bool other =
                std::any_of(m_inst.outputs.begin(), m_inst.outputs.end(),
                            [&](const TensorDecl& out) { return out.name == stage.out; }) &&
                stage.out != m_inst.outputs[0].name;
            for (const Access& access : accessesOf(stage)) {
                if (access.tensor != tensor)
                    continue;
                const FusionKind read =
                    stage.isMap()
                        ? accessKind(stage, access.indices, extents(tensor), extents(stage.out))
                        : reductionKind(stage);
                kind = worse(kind, read);
                if (!other || readsLater(stage.out))
                    kind = worse(kind, kindTowardsOutput(stage.out));
            }
        }
        m_kinds[tensor] = kind;
        return kind;
    }

    bool readsLater(Symbol tensor) const {
        for (const Stage& stage : m_inst.stages)
            for (const Access& access : accessesOf(stage))
                if (access.tensor == tensor && stage.out != tensor)
                    return true;
        return false;
    }

    // The only stage that reads the input is the map that writes the output, element by element.
    bool mayOverwrite(const TensorDecl& input) const {
        if (m_inst.outputs.empty() || !(m_inst.outputs[0].type == input.type))
            return false;
        std::size_t writers = 0;
        bool reads = false;
        for (const Stage& stage : m_inst.stages) {
            const bool writes = stage.out == m_inst.outputs[0].name;
            writers += writes ? 1 : 0;
            for (const Access& access : accessesOf(stage)) {
                if (access.tensor != input.name)
                    continue;
                reads = true;
                if (!writes || !stage.isMap() ||
                    accessKind(stage, access.indices, input.type.shape, extents(stage.out)) !=
                        FusionKind::Elementwise ||
                    access.indices != stage.store)
                    return false;
            }
        }
        return reads && writers == 1;
    }

    const OpInst& m_inst;
    std::map<Symbol, FusionKind> m_kinds;
};

} // namespace

Facts deriveFacts(const OpInst& inst) {
    return Analysis(inst).run();
}

} // namespace fw
