#include "tensor/facts.h"

#include "expr/operations.h"
#include "tensor/operand_kinds.h"
#include "tensor/work_class.h"

#include <algorithm>
#include <set>

namespace fw {

namespace {

FusionKind worse(FusionKind a, FusionKind b) {
    return std::max(a, b);
}

struct Cost {
    double operations = 0;
    double transcendentals = 0;
};

void addCost(const Expr& e, Cost& cost) {
    if (e.op() == ExprOp::Load) // index arithmetic is not counted
        return;
    if (e.op() == ExprOp::Select && !hasLoad(e.arg(0))) { // nor is a condition on indices
        addCost(e.arg(1), cost);
        return addCost(e.arg(2), cost);
    }
    cost.operations += rowOf(e.op()).flops;
    if (e.op() == ExprOp::Call && rowOf(e->fn).transcendental)
        cost.transcendentals += 1;
    for (const Expr& arg : e.args())
        addCost(arg, cost);
}

void collectSteps(const Expr& condition, Exprs& out) {
    if (condition.op() == ExprOp::And) {
        collectSteps(condition.arg(0), out);
        return collectSteps(condition.arg(1), out);
    }
    if (condition.op() == ExprOp::Eq && condition.arg(1).isInt(0) &&
        condition.arg(0).op() == ExprOp::Mod && !hasLoad(condition) &&
        std::find(out.begin(), out.end(), condition) == out.end())
        out.push_back(condition);
}

// Of so many points of a sum one adds something: select(i % 2 == 0, x, 0). Loops leave out the
// others.
std::int64_t stepsOf(const Stage& stage) {
    Exprs steps;
    if (stage.reducer == Reducer::Sum)
        visitExpr(stage.body, [&](const Expr& e) {
            if (e.op() == ExprOp::Select &&
                (e.arg(2).isInt(0) || (e.arg(2).op() == ExprOp::Float && e.arg(2)->real == 0)))
                collectSteps(e.arg(0), steps);
        });
    std::int64_t out = 1;
    for (const Expr& step : steps)
        out *= std::clamp<std::int64_t>(step.arg(0).arg(1).asInt().value_or(1), 1, 64);
    return out;
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
        facts.inputKinds = operandKinds(m_inst);
        for (FusionKind& kind : facts.inputKinds)
            if (facts.kind == FusionKind::Rowwise && kind >= FusionKind::Reduction)
                kind = std::max(kind, FusionKind::Rowwise);
        for (const TensorDecl& input : m_inst.inputs) {
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
            const std::int64_t steps = stepsOf(stage);
            points /= static_cast<double>(steps);
            facts.flops += points * each;
            facts.flopsExpr =
                facts.flopsExpr +
                floorDivExpr(pointsExpr * Expr(static_cast<std::int64_t>(each)), Expr(steps));
            facts.transcendentals += points * cost.transcendentals;
        }
        return facts;
    }

private:
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
                    accessKind(stage, access.indices, extentsOf(m_inst, access.tensor),
                               extentsOf(m_inst, stage.out));
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
                    accessKind(stage, access.indices, input.type.shape,
                               extentsOf(m_inst, stage.out)) != FusionKind::Elementwise ||
                    access.indices != stage.store)
                    return false;
            }
        }
        return reads && writers == 1;
    }

    const OpInst& m_inst;
};

} // namespace

Facts deriveFacts(const OpInst& inst) {
    return Analysis(inst).run();
}

} // namespace fw
