#include "tensor/wide.h"

#include "expr/evaluate.h"
#include "expr/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace fw {

namespace {

class Widening : private Evaluate<Widening, Expr> {
public:
    explicit Widening(const OpInst& inst) : m_inst(inst) {
        for (const auto* border : {&inst.inputs, &inst.outputs})
            for (const TensorDecl& decl : *border)
                if (decl.type.dtype == DType::F16 || decl.type.dtype == DType::BF16)
                    m_narrow.insert(decl.type.dtype);
    }

    OpInst run() {
        if (m_narrow.empty())
            return std::move(m_inst);
        for (std::size_t i = 0; i < m_inst.outputs.size(); ++i)
            if (isNarrow(m_inst.outputs[i].type.dtype) && isRead(m_inst.outputs[i].name))
                keepApart(i);
        for (Stage& stage : m_inst.stages)
            widen(stage);
        // Where one stage of a tensor is wide, all are.
        for (Stage& stage : m_inst.stages)
            if (m_wide.contains(stage.out))
                stage.body = asWide(stage.body);
        for (TensorDecl& decl : m_inst.temporaries)
            if (m_wide.contains(decl.name))
                decl.type.dtype = DType::F32;
        return std::move(m_inst);
    }

private:
    friend Evaluate;
    bool isNarrow(DType dtype) const { return m_narrow.contains(dtype); }

    bool isRead(Symbol tensor) const {
        bool out = false;
        for (const Stage& stage : m_inst.stages)
            visitExpr(stage.body, [&](const Expr& e) {
                out = out || (e.op() == ExprOp::Load && e->symbol == tensor);
            });
        return out;
    }

    bool isTemporary(Symbol tensor) const {
        return std::any_of(m_inst.temporaries.begin(), m_inst.temporaries.end(),
                           [&](const TensorDecl& decl) { return decl.name == tensor; });
    }

    Symbol fresh(const std::string& wish) const {
        const std::set<Symbol> axes = axesOf(m_inst), dims = freeDimsOf(m_inst);
        Symbol name(wish);
        for (int n = 1; axes.contains(name) || dims.contains(name) || m_inst.find(name) != nullptr;
             ++n)
            name = Symbol(fmt::format("{}_{}", wish, n));
        return name;
    }

    // The output becomes a temporary, of which a map behind its last stage is the result.
    void keepApart(std::size_t output) {
        TensorDecl& decl = m_inst.outputs[output];
        const TensorDecl kept = decl;
        m_inst.temporaries.push_back(kept);
        decl.name = fresh(kept.name.text() + "_rounded");
        Stage copy;
        copy.out = decl.name;
        std::size_t last = 0;
        for (std::size_t i = 0; i < m_inst.stages.size(); ++i)
            if (m_inst.stages[i].out == kept.name) {
                last = i;
                copy.nodes = m_inst.stages[i].nodes;
            }
        auto at = m_inst.stages.insert(
            m_inst.stages.begin() + static_cast<std::ptrdiff_t>(last) + 1, copy);
        for (std::size_t d = 0; d < kept.type.rank(); ++d) {
            const Symbol var = fresh(fmt::format("{}{}", kept.name.text(), d));
            at->space.push_back({var, kept.type.shape[d]});
            at->store.push_back(varExpr(var));
        }
        at->body = loadExpr(kept.name, at->store, kept.type.dtype);
    }

    void widen(Stage& stage) {
        for (Expr& index : stage.store)
            index = of(index);
        const DType stored = m_inst.find(stage.out)->type.dtype;
        const bool sums = stage.reducer == Reducer::Sum || stage.reducer == Reducer::Prod;
        Expr body = of(stage.body);
        if (isNarrow(stored)) {
            const bool isKept = isTemporary(stage.out);
            if (stage.isMap() && !isKept)
                body = castExpr(body, stored);
            else if (sums || !isMoved(body))
                body = asWide(body);
            if (isKept && body.dtype() != stored)
                m_wide.insert(stage.out);
        }
        stage.body = body;
    }

    // Values of the narrow type that are none but those of the tensors read.
    static bool isMoved(const Expr& e) {
        if (e.op() == ExprOp::Float)
            return std::isnan(e->real) || roundReal(e.dtype(), e->real) == e->real;
        if (e.op() == ExprOp::Pad)
            return isMoved(e.arg(0)) && isMoved(e.arg(1));
        if (e.op() == ExprOp::Select)
            return isMoved(e.arg(1)) && isMoved(e.arg(2));
        return e.op() == ExprOp::Load;
    }

    // A value that was rewritten, in f32 if it was narrow.
    Expr asWide(const Expr& e) const {
        if (!isNarrow(e.dtype()))
            return e;
        if (e.op() == ExprOp::Float)
            return floatExpr(e->real, DType::F32);
        if (e.op() == ExprOp::Cast) // not rounded yet
            return castExpr(e.arg(0), DType::F32);
        if (e.op() == ExprOp::Select)
            return selectExpr(e.arg(0), asWide(e.arg(1)), asWide(e.arg(2)));
        return castExpr(e, DType::F32);
    }

    Exprs partsOf(const Expr& e) {
        Exprs out;
        for (const Expr& arg : e.args())
            out.push_back(of(arg));
        return out;
    }

    Expr integer(const Expr& e) const { return e; }
    Expr real(const Expr& e) const { return e; }
    Expr variable(const Expr& e) const { return e; }
    Expr load(const Expr& e) {
        return loadExpr(e->symbol, partsOf(e), m_wide.contains(e->symbol) ? DType::F32 : e.dtype());
    }
    Expr pad(const Expr& e) {
        Exprs args = partsOf(e);
        if (args[0].dtype() != args[1].dtype())
            args[1] = args[0].dtype() == DType::F32 ? asWide(args[1])
                                                    : castExpr(args[1], args[0].dtype());
        return padExpr(args[0], args[1]);
    }
    Expr select(const Expr& e) {
        Exprs args = partsOf(e);
        if (args[1].dtype() != args[2].dtype())
            return selectExpr(args[0], asWide(args[1]), asWide(args[2]));
        return withArgs(e, std::move(args));
    }
    Expr cast(const Expr& e) { return castExpr(of(e.arg(0)), e.dtype()); }
    Expr bitCast(const Expr& e) { // of the value as it is stored
        return bitCastExpr(castExpr(of(e.arg(0)), e.arg(0).dtype()), e.dtype());
    }
    Expr other(ExprOp, const Expr& e) {
        Exprs args = partsOf(e);
        if (isNarrow(e.arg(0).dtype()))
            for (Expr& arg : args)
                arg = asWide(arg);
        return withArgs(e, std::move(args));
    }

    OpInst m_inst;
    std::set<DType> m_narrow;
    std::set<Symbol> m_wide; // temporaries that are f32
};

} // namespace

OpInst widened(const OpInst& inst) {
    return Widening(inst).run();
}

} // namespace fw
