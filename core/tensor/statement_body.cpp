#include "tensor/statement_body.h"

#include "expr/scalar.h"
#include "expr/simplify.h"
#include "tensor/bind_attributes.h"
#include "tensor/broadcast.h"
#include "tensor/reducible.h"
#include "tensor/requirement.h"
#include "tensor/safety.h"
#include "tensor/work_limit.h"

#include <fmt/format.h>

namespace fw {

namespace {

std::string indexText(const Exprs& indices) {
    std::string out;
    for (const Expr& index : indices)
        out += (out.empty() ? "" : ", ") + index.text();
    return out;
}

} // namespace

StatementBody::StatementBody(InstBuilder& builder, const Statement& in)
    : TreeEvaluator(builder.binding().names, builder.file()), m_builder(builder), m_in(in) {
    if (in.tree.each.empty())
        return;
    for (const auto& [name, extents] : builder.binding().perElement)
        if (in.element < extents.size())
            m_locals[name] = extents[in.element];
}

const NameValue* StatementBody::find(const std::string& name) const {
    const auto local = m_locals.find(name);
    return local != m_locals.end() ? &local->second : TreeEvaluator::find(name);
}

Result<bool> StatementBody::present(const std::string& parameter, const Where& where) const {
    const std::vector<ParamTree>& params = m_builder.op().params;
    for (std::size_t p = 0; p < params.size(); ++p)
        if (params[p].name == parameter)
            return m_builder.binding().find(p) != nullptr;
    return TreeEvaluator::present(parameter, where);
}

std::optional<Result<Expr>> StatementBody::perElement(const std::string& function,
                                                      const std::string& dim) {
    const auto found = m_builder.binding().perElement.find(dim);
    if (found == m_builder.binding().perElement.end())
        return std::nullopt;
    const std::size_t count = function == "before" ? m_in.element : found->second.size();
    return Result<Expr>(m_builder.sumBefore(dim, found->second, count));
}

// Of empty axes there are no places, so an extent may divide them.
std::optional<DiagCode> StatementBody::refusesZero(const Tree& divisor) const {
    return isPlacing() && isOfAttributes(divisor, m_builder.op())
               ? std::optional(DiagCode::UnsupportedAttribute)
               : std::nullopt;
}

bool StatementBody::isTensor(const std::string& name) const {
    return m_builder.readable(name, m_in) != nullptr;
}

// --- reads

Result<Expr> StatementBody::read(const Tree& tree, Guarded guarded) {
    const Readable* tensor = m_builder.readable(tree.text, m_in);
    if (tensor == nullptr)
        return error(tree, DiagCode::TextName,
                     fmt::format("there is no tensor '{}' to read here", tree.text));
    const TensorType& type = tensor->type;
    const Ranges known = m_builder.ranges(m_axes);
    FW_TRY(Access place, placeOf(tree, *tensor, guarded, known));
    const Exprs& indices = place.indices;
    bool sure = guarded == Guarded::Yes || inRange(indices, type.shape, known, Empty::Possible);
    if (!sure) {
        const bool asked = asksOf(m_builder.op(), m_builder.binding().names, type.shape);
        if (place.nothing && !asked)
            return constantExpr(0, type.dtype);
        if (!inRange(indices, type.shape, known))
            return error(tree, DiagCode::UnsafeAccess,
                         fmt::format("{}[{}] may lie outside {}", tree.text, indexText(indices),
                                     type.text()))
                .advise(elementCount(type.shape).isInt(0)
                            ? "say in requires that " + tree.text + " has elements, or write pad(" +
                                  tree.text + "[...], value)"
                            : "write pad(" + tree.text +
                                  "[...], value), or wrap() an index that is read");
        Ranges filled = known; // the read is made
        for (const Axis& axis : m_axes)
            filled.assume(leExpr(Expr(1), axis.extent));
        sure = asked || inRange(indices, type.shape, filled, Empty::Possible);
    }
    const Expr load = loadExpr(tensor->symbol, std::move(place.indices), type.dtype);
    return sure ? load : padExpr(load, constantExpr(0, load.dtype()));
}

// The indices of a read as those of the operand, which may broadcast.
Result<StatementBody::Access> StatementBody::placeOf(const Tree& tree, const Readable& tensor,
                                                     Guarded guarded, const Ranges& known) {
    FW_TRY(const Exprs written, places(tree.args));
    if (written.size() != tensor.slots.size())
        return error(tree, DiagCode::TextType,
                     fmt::format("'{}' has {} dimensions, read with {} indices", tree.text,
                                 tensor.slots.size(), written.size()));
    Shape whole; // what each index runs over
    for (const Shape& item : tensor.items)
        whole.insert(whole.end(), item.begin(), item.end());
    FW_TRY(const std::vector<bool> brought, broughtIntoRange(tree.args));
    Access out;
    for (std::size_t i = 0; i < written.size(); ++i) {
        if (!isInteger(written[i].dtype()))
            return error(tree, DiagCode::TextType, "an index is an integer");
        if (tensor.slots[i] == Slot::Drop)
            continue;
        if (tensor.slots[i] == Slot::Zero) {
            out.indices.emplace_back(0);
            continue;
        }
        const Dim& own = tensor.type.shape.at(out.indices.size());
        out.nothing = out.nothing || (own.isInt(0) && brought[i]);
        Expr index = simplify(castExpr(written[i], DType::I64), known);
        if (leaves64Bits(index, known))
            return error(tree, DiagCode::TextType,
                         "an index of " + tree.text + " leaves 64 bits: " + index.text())
                .advise("write a smaller number, or ask for one in requires");
        if (tensor.slots[i] == Slot::Stretch) {
            if (guarded == Guarded::Yes) // an index that leaves the result leaves the operand, too
                index = selectExpr(eqExpr(own, whole.at(i)), index, Expr(0));
            else if (inRange({index}, {whole.at(i)}, known))
                index = stretchedIndex(index, own);
        }
        out.indices.push_back(std::move(index));
    }
    return out;
}

// For each index that is written, whether it is a wrap() or clamp().
Result<std::vector<bool>> StatementBody::broughtIntoRange(const std::vector<Tree>& written) {
    std::vector<bool> out;
    for (const Tree& tree : written) {
        std::size_t count = 1;
        if (isList(tree)) {
            FW_TRY(const Exprs all, list(tree));
            count = all.size();
        }
        out.insert(out.end(), count, tree.isCall("wrap") || tree.isCall("clamp"));
    }
    return out;
}

Result<Expr> StatementBody::pad(const Tree& tree) {
    if (tree.args.size() != 2 || tree.args[0].kind != TreeKind::Index)
        return error(tree, DiagCode::TextType, "pad() takes a read of a tensor and a value");
    FW_TRY(const Expr inside, read(tree.args[0], Guarded::Yes));
    FW_TRY(Expr otherwise, scalar(tree.args[1]));
    const Readable* tensor = m_builder.readable(tree.args[0].text, m_in);
    if (tensor == nullptr ||
        inRange(inside.args(), tensor->type.shape, m_builder.ranges(m_axes), Empty::Possible))
        return inside;
    // The value takes the dtype of the tensor, as literals do.
    if (otherwise.isConstant() && inside.dtype() != DType::Text &&
        (isFloat(inside.dtype()) || otherwise.isInt()))
        otherwise = literalAs(otherwise, inside.dtype());
    if (otherwise.dtype() != inside.dtype())
        return error(tree, DiagCode::TextType, "the value of pad() has another element type");
    return padExpr(inside, otherwise);
}

// --- reductions

Result<Reducer> StatementBody::reducerOf(const Tree& tree) const {
    for (const Reducer reducer : {Reducer::Sum, Reducer::Prod, Reducer::Max, Reducer::Min})
        if (reducerText(reducer) == tree.text)
            return reducer;
    return error(tree, DiagCode::TextName,
                 fmt::format("there is no reduction '{}' (sum, prod, max, min)", tree.text));
}

Result<std::vector<Axis>> StatementBody::enter(const Tree& tree) {
    std::vector<Axis> out;
    for (std::size_t i = 0; i + 2 < tree.args.size() + 1; i += 2) {
        const Tree &var = tree.args[i], &runs = tree.args[i + 1];
        const bool pack = var.kind == TreeKind::Pack;
        const std::string& name = pack ? var.args[0].text : var.text;
        Shape extents;
        const Placing placing(*this);
        if (pack) {
            FW_TRY(extents, list(runs));
        } else {
            FW_TRY(Expr one, extent(runs));
            extents = {std::move(one)};
        }
        for (Expr& extent : extents) {
            FW_TRY(extent, loopExtent(name, runs, extent, out));
        }
        m_builder.makeAxes({name, pack}, extents, m_locals, out);
    }
    m_axes.insert(m_axes.end(), out.begin(), out.end());
    return out;
}

// How far a variable of a reduction runs: no value and no index decides it.
Result<Expr> StatementBody::loopExtent(const std::string& name, const Tree& tree, Expr extent,
                                       const std::vector<Axis>& entered) const {
    if (extent.dtype() != DType::I64)
        return error(tree, DiagCode::TextType, "the extent of a reduction is an integer");
    extent = simplify(extent);
    if (hasLoad(extent))
        return error(tree, DiagCode::TextType,
                     fmt::format("how far {} runs is read from a tensor: {}", name, extent.text()))
            .advise("let it run over a dimension, and select() what counts");
    for (const auto* axes : {&m_axes, &entered})
        for (const Axis& axis : *axes)
            if (freeVars(extent).contains(axis.var))
                return error(tree, DiagCode::TextType,
                             fmt::format("how far {} runs depends on the index {}: {}", name,
                                         axis.var.text(), extent.text()))
                    .advise("let it run as far as it may at most, and select() what counts");
    return extent;
}

Result<Expr> StatementBody::reducedBody(const Tree& tree, Reducer reducer) {
    FW_TRY(Expr body, scalar(tree.args.back()));
    if (!isReducible(reducer, body.dtype()))
        return error(tree, DiagCode::TextType,
                     fmt::format("{}() takes numbers, not {}", tree.text, dtypeText(body.dtype())));
    return body;
}

// A reduction inside an expression becomes a stage of its own, over those axes that it uses.
Result<Expr> StatementBody::reduce(const Tree& tree) {
    FW_TRY(const Reducer reducer, reducerOf(tree));
    const Names hidden = m_locals;
    const std::vector<Axis> outer = m_axes;
    FW_TRY(std::vector<Axis> reduceAxes, enter(tree));
    // As it is written: once for each point around it.
    Stage written;
    written.out = m_in.tree.name;
    written.space = outer;
    written.reduce = reduceAxes;
    if (Status within = checkPoints(written); !within)
        return within.takeDiag().at(where(tree));
    // Computed once beside an axis that it does not name: one of no elements excuses no read.
    const std::set<Symbol> named = namedVars(tree);
    const auto isBeside = [&](const Axis& axis) { return !named.contains(axis.var); };
    std::erase_if(m_axes, isBeside);
    FW_TRY(const Expr body, reducedBody(tree, reducer));
    m_locals = hidden;
    m_axes = outer;
    Stage stage;
    stage.out = m_builder.freshName(m_in.tree.name + "_" + tree.text);
    stage.reducer = reducer;
    stage.reduce = std::move(reduceAxes);
    std::vector<Axis> space = outer;
    std::erase_if(space, isBeside);
    return hoist(std::move(stage), space, body);
}

// The stage over axes of its own in place of those of `space`; a read of what it makes.
Expr StatementBody::hoist(Stage stage, const std::vector<Axis>& space, const Expr& body) {
    Substitution renamed;
    Exprs from;
    Shape shape;
    for (const Axis& axis : space) {
        const Symbol var = m_builder.freshName(axis.var.text());
        renamed[axis.var] = varExpr(var);
        from.push_back(varExpr(axis.var));
        stage.space.push_back({var, axis.extent});
        stage.store.push_back(varExpr(var));
        shape.push_back(axis.extent);
    }
    stage.body = substitute(body, renamed);
    const Symbol out = stage.out;
    m_builder.inst().temporaries.push_back({out, {body.dtype(), shape}});
    m_builder.inst().stages.push_back(std::move(stage));
    return loadExpr(out, std::move(from), body.dtype());
}

} // namespace fw
