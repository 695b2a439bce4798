#include "sketch/pieces.h"

#include "expr/simplify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fw {

namespace {

Diag noText(Symbol tensor) {
    return makeDiag(DiagCode::Usage,
                    fmt::format("{} is written in a way that has no text", tensor.text()), {},
                    "select the operators around what makes it");
}

class Pieces {
public:
    explicit Pieces(OpInst inst) : m_inst(std::move(inst)) {}

    Result<OpInst> run() {
        std::map<Symbol, std::vector<std::size_t>> writers;
        for (std::size_t i = 0; i < m_inst.stages.size(); ++i)
            writers[m_inst.stages[i].out].push_back(i);
        std::vector<Stage> stages = std::move(m_inst.stages);
        m_inst.stages.clear();
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const std::vector<std::size_t>& all = writers.at(stages[i].out);
            if (all.size() == 1) {
                m_inst.stages.push_back(std::move(stages[i]));
                continue;
            }
            const TensorDecl whole = *m_inst.find(stages[i].out);
            FW_CHECK(addPiece(std::move(stages[i]), whole, i));
            if (i == all.back())
                join(whole);
        }
        return std::move(m_inst);
    }

private:
    static Symbol axisOf(const TensorDecl& whole, std::size_t d) {
        return Symbol(fmt::format("{}_axis{}", whole.name.text(), d));
    }

    Status addPiece(Stage stage, const TensorDecl& whole, std::size_t number) {
        Substitution first; // every variable 0: where the piece begins
        for (const Axis& axis : stage.space)
            first.emplace(axis.var, Expr(0));
        Exprs inside, store;
        Expr within = intExpr(1, DType::Bool);
        TensorDecl piece{Symbol(fmt::format("{}_{}", whole.name.text(), number)),
                         {whole.type.dtype, {}}};
        for (std::size_t d = 0; d < stage.store.size(); ++d) {
            const Expr variable = varExpr(axisOf(whole, d));
            const Expr begin = simplify(substitute(stage.store[d], first));
            const auto axis =
                std::find_if(stage.space.begin(), stage.space.end(), [&](const Axis& one) {
                    return simplify(stage.store[d] - varExpr(one.var)) == begin;
                });
            if (axis == stage.space.end())
                return noText(whole.name);
            piece.type.shape.push_back(axis->extent);
            store.push_back(varExpr(axis->var));
            inside.push_back(simplify(variable - begin));
            if (begin.isInt(0) && axis->extent == whole.type.shape[d])
                continue;
            const Expr end = simplify(begin + axis->extent);
            const auto last = m_ends.find(whole.name);
            const bool follows =
                last == m_ends.end() ? begin.isInt(0) : last->second == std::pair(d, begin);
            if (!within.isInt(1) || !follows)
                return noText(whole.name);
            within = ltExpr(variable, end);
            m_ends.insert_or_assign(whole.name, std::pair(d, end));
        }
        const Expr read = padExpr(loadExpr(piece.name, inside, whole.type.dtype),
                                  constantExpr(0, whole.type.dtype));
        stage.out = piece.name;
        stage.store = std::move(store);
        m_inst.stages.push_back(std::move(stage));
        m_inst.temporaries.push_back(piece);
        m_written[whole.name].emplace_back(within, read);
        return {};
    }

    void join(const TensorDecl& whole) {
        const std::vector<std::pair<Expr, Expr>>& pieces = m_written[whole.name];
        Stage out;
        out.out = whole.name;
        out.body = pieces.back().second;
        for (std::size_t k = pieces.size() - 1; k-- > 0;)
            out.body = selectExpr(pieces[k].first, pieces[k].second, out.body);
        for (std::size_t d = 0; d < whole.type.shape.size(); ++d) {
            out.space.push_back({axisOf(whole, d), whole.type.shape[d]});
            out.store.push_back(varExpr(out.space.back().var));
        }
        m_inst.stages.push_back(std::move(out));
    }

    OpInst m_inst;
    std::map<Symbol, std::vector<std::pair<Expr, Expr>>> m_written; // so far: where, what
    std::map<Symbol, std::pair<std::size_t, Expr>> m_ends;          // of the last one: axis, end
};

} // namespace

Result<OpInst> inOnePiece(OpInst inst) {
    return Pieces(std::move(inst)).run();
}

} // namespace fw
