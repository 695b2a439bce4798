#include "tensor/verify_computation.h"

#include "expr/simplify.h"
#include "tensor/safety.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace fw {

namespace {

class Verifier {
public:
    Verifier(const OpInst& inst, const std::vector<Assumption>& assumptions)
        : m_inst(inst), m_assumptions(assumptions) {}

    Status run() {
        FW_CHECK(declarations());
        FW_CHECK(axes());
        for (const Stage& stage : m_inst.stages)
            ++m_writesLeft[stage.out];
        for (const TensorDecl& output : m_inst.outputs)
            if (!m_writesLeft.contains(output.name))
                return broken("no stage writes the output " + output.name.text());
        for (const Stage& stage : m_inst.stages)
            FW_CHECK(check(stage));
        if (Status covered = checkCoverage(m_inst); !covered)
            return broken(covered.diag().message);
        return {};
    }

private:
    struct Tensor {
        const TensorType* type;
        bool written; // by a stage, not handed in
    };

    static Diag broken(std::string what) {
        return makeDiag(DiagCode::Internal, std::move(what), {},
                        "this is a mistake of the program, please report it");
    }

    // A reduction in f32 of which a narrower float is stored; a map says so by a cast.
    static bool isRounded(const Stage& stage, DType stored) {
        return !stage.isMap() && stage.body.dtype() == DType::F32 &&
               (stored == DType::F16 || stored == DType::BF16);
    }

    static Diag broken(const Stage& stage, const std::string& what) {
        return broken(fmt::format("the stage of {} {}", stage.out.text(), what));
    }

    Status declarations() {
        for (const auto* list : {&m_inst.inputs, &m_inst.outputs, &m_inst.temporaries})
            for (const TensorDecl& decl : *list)
                if (!m_tensors.try_emplace(decl.name, Tensor{&decl.type, list != &m_inst.inputs})
                         .second)
                    return broken("the tensor " + decl.name.text() + " is declared twice");
        return {};
    }

    Status axes() {
        for (const Stage& stage : m_inst.stages)
            for (const auto* list : {&stage.space, &stage.reduce})
                for (const Axis& axis : *list)
                    if (!m_axes.try_emplace(axis.var, &stage).second)
                        return broken(stage, fmt::format("has the variable {}, which another axis "
                                                         "has too",
                                                         axis.var.text()));
        // An axis named like a dimension of a tensor would hide it.
        for (const auto& [name, tensor] : m_tensors)
            for (const Dim& dim : tensor.type->shape)
                for (const Symbol var : freeVars(dim))
                    if (m_axes.contains(var))
                        return broken(*m_axes.at(var),
                                      fmt::format("has the variable {}, which is a dimension of {}",
                                                  var.text(), name.text()));
        return {};
    }

    // `e` uses free dimensions and axes of the stage; of these only the ones that it may.
    Status scope(const Stage& stage, const Expr& e, bool reduced) const {
        for (const Symbol var : freeVars(e)) {
            const auto axis = m_axes.find(var);
            if (axis == m_axes.end())
                continue;
            bool own = false;
            for (const Axis& known : stage.space)
                own = own || known.var == var;
            for (const Axis& known : stage.reduce)
                own = own || (reduced && known.var == var);
            if (!own)
                return broken(stage, fmt::format("uses the variable {} of the stage of {}",
                                                 var.text(), axis->second->out.text()));
        }
        return {};
    }

    // Whatever the free dimensions from 1 on, the stage computes something.
    bool isReached(const Stage& stage) const {
        Ranges sizes;
        for (const Symbol dim : freeDimsOf(m_inst))
            sizes.assume(leExpr(Expr(1), varExpr(dim)));
        for (const auto* list : {&stage.space, &stage.reduce})
            for (const Axis& axis : *list)
                if (!proveNonNegative(axis.extent - Expr(1), sizes))
                    return false;
        return !isAssumedEmpty(stage);
    }

    // What is assumed of the dimensions of these extents, and of those that it ties to them.
    Exprs assumedOf(const Exprs& extents) const {
        std::set<Symbol> dims;
        for (const Expr& extent : extents)
            dims.merge(freeVars(extent));
        std::vector<bool> taken(m_assumptions.size());
        Exprs out;
        for (bool more = true; more;) {
            more = false;
            for (std::size_t i = 0; i < m_assumptions.size(); ++i) {
                std::set<Symbol> own =
                    taken[i] ? std::set<Symbol>() : freeVars(m_assumptions[i].condition);
                if (std::none_of(own.begin(), own.end(),
                                 [&](const Symbol dim) { return dims.contains(dim); }))
                    continue;
                taken[i] = more = true;
                dims.merge(own);
                out.push_back(m_assumptions[i].condition);
            }
        }
        return out;
    }

    // Were there elements along all axes of the stage, something would not hold that is assumed.
    bool isAssumedEmpty(const Stage& stage) const {
        if (m_assumptions.empty())
            return false;
        Exprs extents;
        for (const auto* list : {&stage.space, &stage.reduce})
            for (const Axis& axis : *list)
                extents.push_back(axis.extent);
        Exprs conditions = assumedOf(extents);
        // To the prover a name like N is at least 0, so an extent that is one dimension is 1 +
        // such.
        Substitution counted;
        const auto count = [&](const Symbol dim, std::int64_t least) {
            counted.try_emplace(dim, varExpr(Symbol("N." + dim.text())) + Expr(least));
        };
        for (const Expr& extent : extents)
            if (extent.isVar())
                count(extent->symbol, 1);
        for (const Exprs* list : {&extents, &conditions})
            for (const Expr& e : *list)
                for (const Symbol dim : freeVars(e))
                    count(dim, 0);
        for (Expr& condition : conditions)
            condition = substitute(condition, counted);
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            Ranges known;
            for (const Expr& extent : extents)
                known.assume(leExpr(Expr(1), substitute(extent, counted)));
            for (std::size_t k = 0; k < conditions.size(); ++k)
                if (k != i)
                    known.assume(conditions[k]);
            if (decide(conditions[i], known) == std::optional(false))
                return true;
        }
        return false;
    }

    Status check(const Stage& stage) {
        const auto out = m_tensors.find(stage.out);
        if (out == m_tensors.end() || !out->second.written)
            return broken(stage, "writes a tensor that is no output and no temporary");
        const TensorType& type = *out->second.type;
        if (stage.store.size() != type.rank())
            return broken(
                stage, fmt::format("writes {} with {} indices", type.text(), stage.store.size()));
        if (stage.body.dtype() != type.dtype && !isRounded(stage, type.dtype))
            return broken(stage, fmt::format("writes {} into {}", dtypeText(stage.body.dtype()),
                                             type.text()));
        if (stage.isMap() && !stage.reduce.empty())
            return broken(stage, "has axes to reduce but no reducer");
        Ranges ranges;
        for (const auto* list : {&stage.space, &stage.reduce})
            for (const Axis& axis : *list) {
                for (const Symbol var : freeVars(axis.extent))
                    if (m_axes.contains(var))
                        return broken(stage,
                                      "has an extent that is no number: " + axis.extent.text());
                ranges.push(axis.var, Expr(0), axis.extent - Expr(1));
            }
        for (const Expr& index : stage.store)
            FW_CHECK(scope(stage, index, false));
        FW_CHECK(scope(stage, stage.body, true));
        if (outOfRange(stage.store, type.shape, ranges) && isReached(stage))
            return broken(stage, "writes outside " + type.text());
        FW_CHECK(reads(stage, stage.body, ranges, false));
        --m_writesLeft[stage.out];
        return {};
    }

    // Below `guarded` a read may never be made.
    Status reads(const Stage& stage, const Expr& e, const Ranges& ranges, bool guarded) const {
        if (e.op() == ExprOp::Load) {
            const auto tensor = m_tensors.find(e->symbol);
            if (tensor == m_tensors.end())
                return broken(stage, "reads a tensor that is not declared: " + e.text());
            const TensorType& type = *tensor->second.type;
            if (e.args().size() != type.rank() || e.dtype() != type.dtype)
                return broken(stage, fmt::format("reads {} as {}[{} indices]: {}", type.text(),
                                                 dtypeText(e.dtype()), e.args().size(), e.text()));
            const auto left = m_writesLeft.find(e->symbol);
            if (tensor->second.written && (left == m_writesLeft.end() || left->second > 0))
                return broken(stage, "reads " + e->symbol.text() + " before it is written");
            if (!guarded && outOfRange(e.args(), type.shape, ranges) && isReached(stage))
                return broken(stage, fmt::format("reads outside {}: {}", type.text(), e.text()));
        }
        for (std::size_t i = 0; i < e.args().size(); ++i)
            FW_CHECK(reads(stage, e.arg(i), ranges,
                           guarded || (e.op() == ExprOp::Pad && i == 0) ||
                               (e.op() == ExprOp::Select && i > 0)));
        return {};
    }

    const OpInst& m_inst;
    const std::vector<Assumption>& m_assumptions;
    std::map<Symbol, Tensor> m_tensors;
    std::map<Symbol, const Stage*> m_axes;
    std::map<Symbol, int> m_writesLeft; // of stages that have not been passed yet
};

} // namespace

Status verify(const OpInst& inst, const std::vector<Assumption>& assumptions) {
    return Verifier(inst, assumptions).run();
}

} // namespace fw
