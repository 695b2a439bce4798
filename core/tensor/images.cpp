#include "tensor/images.h"

#include <algorithm>
#include <map>
#include <set>

namespace fw {

namespace {

constexpr std::size_t imageRank = 4;

bool usesAny(const Expr& index, const std::vector<Axis>& axes) {
    return std::any_of(axes.begin(), axes.end(),
                       [&](const Axis& axis) { return usesVar(index, axis.var); });
}

bool slidesAlong(const Stage& stage, const Expr& load, std::size_t axis) {
    return usesAny(load.arg(axis), stage.space) && usesAny(load.arg(axis), stage.reduce);
}

bool slides(const Stage& stage, const Expr& load) {
    for (std::size_t d = 1; d < imageRank; ++d)
        if (slidesAlong(stage, load, d))
            return true;
    return false;
}

// An image [N, H, W, C]: windows go over its rows and not over its last axis.
bool hasChannelsLast(const Stage& stage, const Expr& load) {
    return load.args().size() == imageRank && slidesAlong(stage, load, 1) &&
           !slidesAlong(stage, load, 3) &&
           (slidesAlong(stage, load, 2) || usesAny(load.arg(3), stage.reduce));
}

bool foldsPositions(const Stage& stage, const Expr& load) {
    return !usesAny(load.arg(0), stage.reduce) && !usesAny(load.arg(1), stage.reduce) &&
           usesAny(load.arg(2), stage.reduce) && usesAny(load.arg(3), stage.reduce);
}

} // namespace

std::vector<Expr> loadsOf(const Stage& stage) {
    std::vector<Expr> out;
    visitExpr(stage.body, [&](const Expr& e) {
        if (e.op() == ExprOp::Load)
            out.push_back(e);
    });
    return out;
}

bool isImage(const TensorType& type) {
    return type.rank() == imageRank;
}

bool worksOnChannels(const OpInst& inst) {
    std::map<Symbol, std::size_t> readers; // stages
    for (const Stage& stage : inst.stages) {
        std::set<Symbol> read;
        for (const Expr& load : loadsOf(stage))
            read.insert(load->symbol);
        for (const Symbol tensor : read)
            ++readers[tensor];
    }
    for (const Stage& stage : inst.stages) {
        if (stage.isMap())
            continue;
        const std::vector<Expr> loads = loadsOf(stage);
        if (std::any_of(loads.begin(), loads.end(),
                        [&](const Expr& load) { return hasChannelsLast(stage, load); }))
            continue;
        const bool product =
            stage.reducer == Reducer::Sum && std::any_of(loads.begin(), loads.end(), [&](auto& e) {
                return e->symbol != loads.front()->symbol;
            });
        for (const Expr& load : loads)
            if (load.args().size() == imageRank &&
                (slides(stage, load) || (product && usesAny(load.arg(1), stage.reduce)) ||
                 // what is folded and then read again (a norm) goes along the folded axes
                 (foldsPositions(stage, load) && readers.at(load->symbol) == 1)))
                return true;
    }
    return false;
}

bool keepsAxes(const OpInst& inst) {
    for (const Stage& stage : inst.stages) {
        if (!stage.isMap())
            return false;
        for (const Expr& load : loadsOf(stage)) {
            if (load.args().size() != imageRank)
                continue;
            if (stage.store.size() != imageRank)
                return false;
            for (std::size_t d = 0; d < imageRank; ++d)
                for (const Axis& axis : stage.space)
                    if (usesVar(load.arg(d), axis.var) && !usesVar(stage.store[d], axis.var))
                        return false;
        }
    }
    return true;
}

} // namespace fw
