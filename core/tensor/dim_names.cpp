#include "tensor/dim_names.h"

#include "condition/condition.h"
#include "expr/simplify.h"
#include "tensor/broadcast.h"

#include <fmt/format.h>

namespace fw {

namespace {

// Names inside total() and before().
void collectPerElement(const Tree& tree, std::set<std::string>& names) {
    if ((tree.isCall("total") || tree.isCall("before")) && tree.args.size() == 1)
        names.insert(tree.args[0].text);
    for (const Tree& arg : tree.args)
        collectPerElement(arg, names);
}

std::string firstOperand(const OperandDims& dims) {
    return dims.empty() ? "a scalar" : dims[0].operand;
}

Diag usedTwice(const std::string& name) {
    return makeDiag(DiagCode::TextName, fmt::format("'{}' is used for two things", name));
}

} // namespace

std::string OperandDim::text() const {
    return fmt::format("dimension {} of {}", axis, operand);
}

std::string nameOf(const DimTree& dim) {
    const Tree& tree = isPack(dim) ? dim.value.args[0] : dim.value;
    return tree.isName() ? tree.text : std::string();
}

DimNames::DimNames(const OpTree& op, BoundNames& call, TreeEvaluator& shapes)
    : m_op(op), m_call(call), m_shapes(shapes) {
    for (const OutTree& out : op.outs)
        for (const DimTree& dim : out.type.dims)
            collectPerElement(dim.value, m_perElement);
    for (const StmtTree& stmt : op.stmts)
        for (const Tree& index : stmt.indices)
            collectPerElement(index, m_perElement);
}

Status DimNames::bindOne(const DimTree& dim, const Dim& extent, const OperandDim& at, Binds how) {
    const std::string name = nameOf(dim);
    if (name.empty()) {
        FW_TRY(const Expr wanted, m_shapes.scalar(dim.value));
        return equate(wanted, {}, extent, at);
    }
    if (m_perElement.contains(name)) {
        m_call.perElement[name].push_back(extent);
        return {};
    }
    const auto found = m_call.names.find(name);
    if (found == m_call.names.end()) {
        bindNew(name, extent, {at}, how);
        return {};
    }
    const auto* bound = std::get_if<Expr>(&found->second);
    if (bound == nullptr)
        return usedTwice(name);
    return equate(*bound, whereBound(name, 0), extent, at);
}

Status DimNames::bindPack(const DimTree& dim, const Shape& extents, const OperandDims& at) {
    const std::string name = nameOf(dim);
    return name.empty() ? bindExpression(dim, extents, at)
                        : bindList(name, extents, at, Binds::Firmly);
}

Status DimNames::joinOne(const DimTree& dim, const Dim& extent, const OperandDim& at) {
    const std::string name = nameOf(dim);
    if (name.empty() && extent.isInt(1))
        return {};
    const auto bound = m_call.names.find(name);
    auto* known = bound == m_call.names.end() ? nullptr : std::get_if<Expr>(&bound->second);
    if (known == nullptr || m_perElement.contains(name))
        return bindOne(dim, extent, at, Binds::Loosely);
    return joinDim(*known, m_bound[name].at(0), m_firm.contains(name), extent, at);
}

Status DimNames::joinPack(const DimTree& dim, const Shape& extents, const OperandDims& at) {
    const std::string name = nameOf(dim);
    if (name.empty())
        return bindExpression(dim, extents, at);
    const auto found = m_call.names.find(name);
    if (found == m_call.names.end())
        return bindList(name, extents, at, Binds::Loosely);
    auto* bound = std::get_if<Exprs>(&found->second);
    if (bound == nullptr)
        return usedTwice(name);
    const bool firm = m_firm.contains(name);
    if (firm && extents.size() > bound->size())
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("{} of {} does not broadcast to {} of {}", shapeText(extents),
                                    firstOperand(at), shapeText(*bound), operandOf(name)));
    OperandDims& known = m_bound[name];
    while (bound->size() < extents.size()) {
        const std::size_t next = extents.size() - bound->size() - 1;
        bound->insert(bound->begin(), extents[next]);
        known.insert(known.begin(), at[next]);
    }
    const std::size_t offset = bound->size() - extents.size();
    for (std::size_t i = 0; i < extents.size(); ++i)
        FW_CHECK(joinDim((*bound)[offset + i], known[offset + i], firm, extents[i], at[i]));
    return {};
}

// A pack that is computed: `(H - 1)...`.
Status DimNames::bindExpression(const DimTree& dim, const Shape& extents, const OperandDims& at) {
    FW_TRY(const Exprs wanted, m_shapes.list(dim.value));
    for (std::size_t i = 0; i < extents.size(); ++i)
        FW_CHECK(equate(wanted[i], {}, extents[i], at[i]));
    return {};
}

Status DimNames::bindList(const std::string& name, const Shape& extents, const OperandDims& at,
                          Binds how) {
    const auto found = m_call.names.find(name);
    if (found == m_call.names.end()) {
        bindNew(name, extents, at, how);
        return {};
    }
    const auto* bound = std::get_if<Exprs>(&found->second);
    if (bound == nullptr)
        return usedTwice(name);
    if (bound->size() != extents.size())
        return makeDiag(DiagCode::ShapeMismatch,
                        fmt::format("{} is {} from {} but {} from {}", name, shapeText(*bound),
                                    operandOf(name), shapeText(extents), firstOperand(at)));
    for (std::size_t i = 0; i < extents.size(); ++i)
        FW_CHECK(equate((*bound)[i], whereBound(name, i), extents[i], at[i]));
    return {};
}

void DimNames::bindNew(const std::string& name, NameValue value, OperandDims at, Binds how) {
    m_call.names[name] = std::move(value);
    m_bound[name] = std::move(at);
    if (how == Binds::Firmly)
        m_firm.insert(name);
}

// Broadcasts one extent against what is known of the result. A firm one stays as it is.
Status DimNames::joinDim(Dim& bound, OperandDim& boundAt, bool firm, const Dim& found,
                         const OperandDim& at) {
    const auto sentence = [&](const Expr& a, const Expr& b, const std::string& demand) {
        return fmt::format("{} is {} and {} is {}: {}", boundAt.text(), a.text(), at.text(),
                           b.text(), demand);
    };
    if (firm) {
        const Expr condition = orExpr(eqExpr(found, bound), eqExpr(found, Expr(1)));
        return demand(condition, [&] {
            return sentence(bound, found, "they must be equal, or the second 1");
        });
    }
    const Broadcast both = broadcast(bound, found);
    if (both.refuted)
        return makeDiag(DiagCode::ShapeMismatch,
                        sentence(both.refuted->a, both.refuted->b, both.refuted->demand()));
    for (const Compatibility& pair : both.conditions)
        assume(pair.condition, sentence(pair.a, pair.b, pair.demand()));
    if (!proveEqual(both.extent, bound) && proveEqual(both.extent, found))
        boundAt = at;
    bound = both.extent;
    return {};
}

// A bound extent without an operand is that of the signature.
Status DimNames::equate(const Dim& bound, const OperandDim& boundAt, const Dim& found,
                        const OperandDim& foundAt) {
    return demand(eqExpr(bound, found), [&] {
        return boundAt.operand.empty()
                   ? fmt::format("{} is {}: it must be {}", foundAt.text(), found.text(),
                                 bound.text())
                   : fmt::format("{} is {} and {} is {}: they must be equal", boundAt.text(),
                                 bound.text(), foundAt.text(), found.text());
    });
}

Status DimNames::checkExtent(const std::string& name, const Dim& dim) {
    if (dim.dtype() != DType::I64)
        return makeDiag(DiagCode::TextType, fmt::format("{} is not an integer", name));
    return demand(leExpr(Expr(0), dim), [&] {
        return fmt::format("{} would be {}: it must not be negative", name, dim.text());
    });
}

// Diags get the operator's name from the caller. Most conditions hold, without a sentence.
template <class Sentence>
Status DimNames::demand(const Expr& condition, const Sentence& sentence) {
    const std::optional<bool> holds = decideDims(condition);
    if (holds && *holds)
        return {};
    const std::string said = sentence();
    if (holds)
        return makeDiag(DiagCode::ShapeMismatch, said);
    assume(condition, said);
    return {};
}

void DimNames::assume(const Expr& condition, const std::string& sentence) {
    m_call.assumptions.push_back({condition, m_op.name + ": " + sentence});
}

OperandDim DimNames::whereBound(const std::string& name, std::size_t i) const {
    const auto found = m_bound.find(name);
    return found == m_bound.end() || i >= found->second.size() ? OperandDim() : found->second[i];
}

std::string DimNames::operandOf(const std::string& name) const {
    const auto found = m_bound.find(name);
    return firstOperand(found == m_bound.end() ? OperandDims() : found->second);
}

} // namespace fw
