#include "sketch/part_sizes.h"

#include "expr/simplify.h"

#include <fmt/format.h>

#include <set>

namespace fw {

Result<PartGraph> partGraph(const SketchPart& part, const OperandTypes& types) {
    PartGraph out;
    GraphEditor editor(part.graph->operatorSet(), "part");
    for (const ValueRef& operand : part.operands) {
        const TensorData* data = part.graph->constant(operand);
        out.values[operand] = data != nullptr && data->count() == 1
                                  ? editor.addConstant(part.names.at(operand), *data)
                                  : editor.addInput(part.names.at(operand), types.at(operand));
    }
    for (const NodeId id : part.nodes) {
        const Node& node = part.node(id);
        GraphEditor::NewNode made;
        made.op = node.op;
        made.attrs = node.attrs;
        for (const ValueRef& operand : node.inputs)
            made.inputs.push_back(operand.valid() ? out.values.at(operand) : ValueRef{});
        FW_TRY(const std::vector<ValueRef> results, editor.add(std::move(made)));
        for (std::size_t i = 0; i < results.size(); ++i)
            out.values[{id, static_cast<int>(i)}] = results[i];
    }
    for (const ValueRef& result : part.results)
        editor.addResult(part.names.at(result), out.values.at(result));
    FW_TRY(out.graph, editor.finish());
    return out;
}

namespace {

class Sizes {
public:
    explicit Sizes(const SketchPart& part) : m_part(part) {
        int count = 0;
        for (const ValueRef& operand : part.operands) {
            TensorType type = part.graph->type(operand);
            for (Dim& dim : type.shape) {
                const Symbol name(fmt::format("size{}", count++));
                m_here.emplace(name, dim);
                dim = varExpr(name);
            }
            m_types.emplace(operand, std::move(type));
        }
    }

    std::optional<OperandTypes> find() {
        for (std::size_t round = 0; round <= 2 * m_here.size(); ++round) {
            Result<PartGraph> made = partGraph(m_part, m_types);
            if (!made)
                return std::nullopt;
            if (settle(*made->graph))
                continue;
            if (const auto size = readTooEarly())
                become(*size, m_here.at(*size));
            else
                return isPlain(*made->graph) ? std::optional(m_types) : std::nullopt;
        }
        return std::nullopt;
    }

private:
    Expr here(const Expr& e) const { return simplify(substitute(e, m_here)); }

    // One more equation among sizes is taken up; those between two sizes before those with numbers.
    // Where it is about a product, as of a reshape, its sizes are those that they are here.
    bool settle(const Graph& graph) {
        std::optional<std::pair<Symbol, Expr>> found, product;
        const auto look = [&](const Expr& e) {
            visitExpr(e, [&](const Expr& part) {
                if (part.op() != ExprOp::Eq || !(here(part.arg(0)) == here(part.arg(1))))
                    return;
                for (const auto& [left, right] :
                     {std::pair(part.arg(0), part.arg(1)), std::pair(part.arg(1), part.arg(0))})
                    if (left.isVar() && !usesVar(right, left->symbol) &&
                        (!found || (!found->second.isVar() && right.isVar())))
                        found = {left->symbol, right};
                for (const Symbol size : freeVars(part))
                    if (const auto known = m_here.find(size); known != m_here.end())
                        product = {size, known->second};
            });
        };
        for (const Assumption& assumption : graph.assumptions())
            look(assumption.condition);
        for (const NodePtr& node : graph.nodes())
            for (const Output& output : node->outputs)
                for (const Dim& dim : output.type.shape)
                    look(dim);
        if (!found)
            found = product;
        if (!found)
            return false;
        become(found->first, found->second);
        return true;
    }

    void become(Symbol size, const Expr& value) {
        for (auto& [operand, type] : m_types)
            for (Dim& dim : type.shape)
                dim = simplify(substitute(dim, {{size, value}}));
    }

    // A size of which something is computed before an operand has it as it is: names of a signature
    // are bound from left to right.
    std::optional<Symbol> readTooEarly() const {
        std::set<Symbol> bound;
        for (const ValueRef& operand : m_part.operands)
            for (const Dim& dim : m_types.at(operand).shape) {
                if (dim.isVar())
                    bound.insert(dim->symbol);
                for (const Symbol size : freeVars(dim))
                    if (!bound.contains(size) && m_here.contains(size))
                        return size;
            }
        return std::nullopt;
    }

    // A size that depends on a comparison is no size of one operator.
    static bool isPlain(const Graph& graph) {
        bool plain = true;
        for (const NodePtr& node : graph.nodes())
            for (const Output& output : node->outputs)
                for (const Dim& dim : output.type.shape)
                    visitExpr(dim,
                              [&](const Expr& e) { plain = plain && e.op() != ExprOp::Select; });
        return plain;
    }

    const SketchPart& m_part;
    OperandTypes m_types;
    Substitution m_here; // what each size is in the part
};

} // namespace

std::optional<OperandTypes> freeSizes(const SketchPart& part) {
    return Sizes(part).find();
}

} // namespace fw
