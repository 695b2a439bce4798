#include "tensor/movement.h"

#include "expr/simplify.h"

#include <algorithm>

namespace fw {

namespace {

// How far `indices` lie behind the stage's own, if that is the same everywhere.
std::optional<Exprs> offsetOf(const Exprs& indices, const std::vector<Axis>& space) {
    if (indices.size() != space.size())
        return {};
    Exprs out;
    for (std::size_t d = 0; d < space.size(); ++d) {
        out.push_back(simplify(indices[d] - varExpr(space[d].var)));
        for (const Axis& axis : space)
            if (usesVar(out.back(), axis.var))
                return {};
    }
    return out;
}

bool isOwn(const Exprs& indices, const std::vector<Axis>& space) {
    return indices.size() == space.size() &&
           std::equal(
               indices.begin(), indices.end(), space.begin(),
               [](const Expr& index, const Axis& axis) { return index == varExpr(axis.var); });
}

bool isMapOfLoad(const Stage& stage) {
    return stage.isMap() && stage.body.op() == ExprOp::Load;
}

} // namespace

std::optional<std::vector<Piece>> piecesOf(const OpInst& inst) {
    if (inst.outputs.size() != 1 || !inst.temporaries.empty() || inst.inputs.size() < 2 ||
        inst.stages.size() != inst.inputs.size())
        return {};
    std::vector<Piece> out;
    for (std::size_t i = 0; i < inst.inputs.size(); ++i) {
        const Stage& stage = inst.stages[i];
        if (!isMapOfLoad(stage) || stage.body->symbol != inst.inputs[i].name ||
            !isOwn(stage.body.args(), stage.space))
            return {};
        std::optional<Exprs> offset = offsetOf(stage.store, stage.space);
        if (!offset)
            return {};
        out.push_back({inst.inputs[i].name, std::move(*offset)});
    }
    return out;
}

std::optional<Exprs> boxOf(const Stage& stage, const OpInst& inst) {
    if (!isMapOfLoad(stage) || inst.inputs.empty() || stage.body->symbol != inst.inputs[0].name ||
        !isOwn(stage.store, stage.space))
        return {};
    return offsetOf(stage.body.args(), stage.space);
}

bool readsAcross(const std::vector<Piece>& pieces, const OpInst& reader, Symbol operand) {
    bool out = false;
    for (const Stage& stage : reader.stages)
        visitExpr(stage.body, [&](const Expr& e) {
            if (e.op() != ExprOp::Load || e->symbol != operand)
                return;
            for (std::size_t d = 0; d < e.args().size(); ++d) {
                const bool joined =
                    std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
                        return d < piece.offset.size() && !piece.offset[d].isInt(0);
                    });
                for (const Axis& axis : stage.space)
                    out = out || (joined && !hasLoad(e.arg(d)) && usesVar(e.arg(d), axis.var) &&
                                  !linearIn(e.arg(d), axis.var));
            }
        });
    return out;
}

} // namespace fw
