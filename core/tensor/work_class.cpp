#include "tensor/work_class.h"

#include "expr/simplify.h"
#include "tensor/images.h"

#include <algorithm>

namespace fw {

namespace {

constexpr double few = 8;
constexpr double many = 1e6; // an extent that is free

double extentOf(const Axis& axis) {
    const auto known = axis.extent.asInt();
    return known ? static_cast<double>(*known) : many;
}

double pointsOf(const Stage& stage) {
    double out = 1;
    for (const auto* axes : {&stage.space, &stage.reduce})
        for (const Axis& axis : *axes)
            out *= extentOf(axis);
    return out;
}

bool reads(const Expr& load, Symbol var) {
    return std::any_of(load.args().begin(), load.args().end(),
                       [&](const Expr& index) { return usesVar(index, var); });
}

// A sum over `inner` goes along `outer`: one index of the load has both.
bool slides(const Expr& load, Symbol outer, Symbol inner) {
    return std::any_of(load.args().begin(), load.args().end(), [&](const Expr& index) {
        return usesVar(index, outer) && usesVar(index, inner);
    });
}

// A sum of products of two tensors.
WorkClass classOfProduct(const Stage& stage, const Expr& first, const Expr& second) {
    double rows = 1, columns = 1, shared = 1, summed = 1;
    bool windowed = false, inGroups = false;
    for (const Axis& axis : stage.space) {
        const bool ofFirst = reads(first, axis.var), ofSecond = reads(second, axis.var);
        const bool ofBoth = ofFirst && ofSecond;
        (ofBoth ? shared : ofFirst ? rows : columns) *= extentOf(axis);
        for (const Axis& inner : stage.reduce)
            if (extentOf(inner) > 1 &&
                (slides(first, axis.var, inner.var) || slides(second, axis.var, inner.var)))
                (ofBoth ? inGroups : windowed) = true;
    }
    for (const Axis& axis : stage.reduce)
        if (std::none_of(stage.space.begin(), stage.space.end(), [&](const Axis& outer) {
                return slides(first, outer.var, axis.var) || slides(second, outer.var, axis.var);
            }))
            summed *= extentOf(axis);
    if (inGroups || (windowed && shared > 1 && summed == 1))
        return WorkClass::Grouped;
    if (windowed)
        return WorkClass::Convolution;
    return std::min(rows, columns) <= few ? WorkClass::FewRows : WorkClass::Product;
}

WorkClass classOfContraction(const OpInst& inst) {
    WorkClass out = WorkClass::Other;
    double most = 0;
    for (const Stage& stage : inst.stages) {
        const std::vector<Expr> loads = loadsOf(stage);
        if (stage.reducer != Reducer::Sum || loads.size() < 2 || pointsOf(stage) <= most)
            continue;
        most = pointsOf(stage);
        out = classOfProduct(stage, loads[0], loads[1]);
    }
    return out;
}

} // namespace

WorkClass workClassOf(const OpInst& inst, FusionKind kind) {
    switch (kind) {
    case FusionKind::Contraction:
        return classOfContraction(inst);
    case FusionKind::Window:
        return WorkClass::Pool;
    case FusionKind::Reduction:
    case FusionKind::Rowwise:
        return WorkClass::Rows;
    default:
        return WorkClass::Other;
    }
}

} // namespace fw
