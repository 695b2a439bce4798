#include "ir/op_inst.h"

#include "base/result.h"
#include "expr/scalar.h"

#include <fmt/format.h>

#include <limits>

namespace fw {

const TensorDecl* OpInst::find(Symbol name) const {
    for (const auto* list : {&inputs, &outputs, &temporaries})
        for (const TensorDecl& decl : *list)
            if (decl.name == name)
                return &decl;
    return nullptr;
}

Expr reducerIdentity(Reducer reducer, DType dtype) {
    const double infinity = std::numeric_limits<double>::infinity();
    switch (reducer) {
    case Reducer::None:
        break;
    case Reducer::Sum:
        return constantExpr(0, dtype);
    case Reducer::Prod:
        return constantExpr(1, dtype);
    case Reducer::Max:
        return isFloat(dtype) ? floatExpr(-infinity, dtype) : intExpr(leastOf(dtype), dtype);
    case Reducer::Min:
        return isFloat(dtype) ? floatExpr(infinity, dtype) : intExpr(mostOf(dtype), dtype);
    }
    throw InternalError("a map has no reducer");
}

Expr reducerCombine(Reducer reducer, const Expr& accumulated, const Expr& value) {
    switch (reducer) {
    case Reducer::None:
        break;
    case Reducer::Sum:
        return accumulated + value;
    case Reducer::Prod:
        return accumulated * value;
    case Reducer::Max:
        return maxExpr(accumulated, value);
    case Reducer::Min:
        return minExpr(accumulated, value);
    }
    throw InternalError("a map has no reducer");
}

std::string_view reducerText(Reducer reducer) {
    switch (reducer) {
    case Reducer::None:
        return "";
    case Reducer::Sum:
        return "sum";
    case Reducer::Prod:
        return "prod";
    case Reducer::Max:
        return "max";
    case Reducer::Min:
        return "min";
    }
    return "";
}

namespace {

std::string listText(const std::vector<Axis>& axes) {
    std::string out;
    for (const Axis& axis : axes)
        out +=
            fmt::format("{}{} in {}", out.empty() ? "" : ", ", axis.var.text(), axis.extent.text());
    return out;
}

} // namespace

std::string OpInst::text() const {
    std::string out;
    for (const Stage& stage : stages) {
        const TensorDecl* decl = find(stage.out);
        const bool isOutput = [&] {
            for (const TensorDecl& output : outputs)
                if (output.name == stage.out)
                    return true;
            return false;
        }();
        out += isOutput ? "" : "let ";
        out += stage.out.text() + "[";
        for (std::size_t i = 0; i < stage.store.size(); ++i)
            out += (i > 0 ? ", " : "") + stage.store[i].text();
        out += "] = ";
        if (stage.isMap())
            out += stage.body.text();
        else {
            const std::string reduced = fmt::format("{}({} : {})", reducerText(stage.reducer),
                                                    listText(stage.reduce), stage.body.text());
            out += decl != nullptr && decl->type.dtype != stage.body.dtype()
                       ? fmt::format("cast({}, {})", reduced, dtypeText(decl->type.dtype))
                       : reduced;
        }
        out += fmt::format("   # {}", decl ? decl->type.text() : std::string("?"));
        if (!stage.space.empty())
            out += ", " + listText(stage.space);
        out += "\n";
    }
    return out;
}

std::set<Symbol> axesOf(const OpInst& inst) {
    std::set<Symbol> out;
    for (const Stage& stage : inst.stages)
        for (const auto* axes : {&stage.space, &stage.reduce})
            for (const Axis& axis : *axes)
                out.insert(axis.var);
    return out;
}

std::set<Symbol> freeDimsOf(const OpInst& inst) {
    const std::set<Symbol> axes = axesOf(inst);
    std::set<Symbol> out;
    const auto add = [&](const Expr& e) {
        visitExpr(e, [&](const Expr& part) {
            if (part.isVar() && !axes.contains(part->symbol))
                out.insert(part->symbol);
        });
    };
    for (const auto* list : {&inst.inputs, &inst.outputs, &inst.temporaries})
        for (const TensorDecl& decl : *list)
            for (const Dim& dim : decl.type.shape)
                add(dim);
    for (const Stage& stage : inst.stages) {
        for (const auto* list : {&stage.space, &stage.reduce})
            for (const Axis& axis : *list)
                add(axis.extent);
        for (const Expr& index : stage.store)
            add(index);
        add(stage.body);
    }
    return out;
}

OpInst renamed(const OpInst& inst, const std::vector<std::pair<Symbol, Symbol>>& tensors,
               const std::function<Symbol(Symbol)>& variable) {
    const auto tensorName = [&](Symbol name) {
        for (const auto& [from, to] : tensors)
            if (from == name)
                return to;
        return name;
    };
    Substitution vars;
    const auto renameAxes = [&](std::vector<Axis>& axes) {
        for (Axis& axis : axes) {
            const Symbol fresh = variable(axis.var);
            vars.insert_or_assign(axis.var, varExpr(fresh));
            axis.var = fresh;
        }
    };
    const auto renameExpr = [&](const Expr& e) {
        return mapExpr(substitute(e, vars), [&](const Expr& part) {
            return part.op() == ExprOp::Load
                       ? loadExpr(tensorName(part->symbol), part.args(), part.dtype())
                       : part;
        });
    };
    OpInst out = inst;
    for (auto* list : {&out.inputs, &out.outputs, &out.temporaries})
        for (TensorDecl& decl : *list)
            decl.name = tensorName(decl.name);
    for (Stage& stage : out.stages) {
        vars.clear();
        stage.out = tensorName(stage.out);
        renameAxes(stage.space);
        renameAxes(stage.reduce);
        for (auto* axes : {&stage.space, &stage.reduce})
            for (Axis& axis : *axes)
                axis.extent = renameExpr(axis.extent);
        for (Expr& index : stage.store)
            index = renameExpr(index);
        stage.body = renameExpr(stage.body);
    }
    return out;
}

} // namespace fw
