#include "tensor/instantiate.h"

#include "expr/scalar.h"
#include "expr/simplify.h"
#include "tensor/safety.h"
#include "tensor/statement_body.h"
#include "tensor/variable_extents.h"
#include "tensor/work_limit.h"
#include "tensor/writes.h"

#include <algorithm>
#include <fmt/format.h>

namespace fw {

namespace {

// The tensor that a statement writes.
struct Written {
    TensorType type;
    std::vector<Shape> items; // extents per item of its left side
};

class Instantiation {
public:
    Instantiation(const OpTree& op, const std::string& file, const Binding& binding)
        : m_builder(op, file, binding) {}

    Result<OpInst> run();

private:
    Status statement(const Statement& in);
    Result<std::vector<Shape>> leftSide(const Statement& in, StatementBody& body, Stage& stage);
    Status rightSide(const Statement& in, StatementBody& body, Stage& stage) const;
    Result<Written> target(const Statement& in, std::vector<Shape> items, Stage& stage);
    static void adapt(Stage& stage, DType to);
    Result<Written> letTarget(const Statement& in, std::vector<Shape> items, Stage& stage);
    Status checkWritten(const Statement& in, const TensorType& type, const Stage& stage) const;
    Status finishStage(Stage& stage, const TensorType& written, const StmtTree& stmt);

    Diag error(const Span& span, DiagCode code, std::string message) const {
        return makeDiag(code, std::move(message), m_builder.where(span));
    }

    InstBuilder m_builder;
};

Result<OpInst> Instantiation::run() {
    const OpTree& op = m_builder.op();
    std::vector<Stage>& stages = m_builder.inst().stages;
    std::vector<const StmtTree*> from; // of every stage
    for (const StmtTree& stmt : op.stmts) {
        if (stmt.each.empty()) {
            FW_CHECK(statement({stmt}));
        } else {
            for (const BoundTensor& tensor : m_builder.binding().tensors)
                if (op.params[tensor.param].name == stmt.each)
                    FW_CHECK(statement({stmt, tensor.element}));
        }
        from.resize(stages.size(), &stmt);
    }
    for (std::size_t i = 0; i < stages.size(); ++i)
        if (Status within = checkPoints(stages[i]); !within)
            return within.takeDiag().at(m_builder.where(from[i]->span));
    if (const auto problem = writeProblem(m_builder.inst(), m_builder.ranges({})))
        return makeDiag(DiagCode::UnsafeAccess, problem->what,
                        m_builder.where(from[problem->stage]->span), problem->hint);
    return std::move(m_builder.inst());
}

Status Instantiation::statement(const Statement& in) {
    StatementBody body(m_builder, in);
    Stage stage;
    FW_TRY(std::vector<Shape> items, leftSide(in, body, stage));
    FW_CHECK(rightSide(in, body, stage));
    FW_TRY(Written written, target(in, std::move(items), stage));
    FW_CHECK(checkWritten(in, written.type, stage));
    const Symbol symbol = stage.out;
    FW_CHECK(finishStage(stage, written.type, in.tree));
    m_builder.inst().stages.push_back(std::move(stage));
    std::vector<Slot> slots(written.type.rank(), Slot::Same);
    m_builder.setWritten(in.tree.name, {symbol, std::move(written.type), std::move(written.items),
                                        std::move(slots)});
    return {};
}

// The variables of the left side become axes; the extents of each of its items.
Result<std::vector<Shape>> Instantiation::leftSide(const Statement& in, StatementBody& body,
                                                   Stage& stage) {
    const std::vector<Tree>& indices = in.tree.indices;
    std::vector<Shape> items;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto local = variableOf(indices[i], m_builder.binding().names);
        if (!local) {
            items.emplace_back(); // a constant place
            continue;
        }
        if (!seen.insert(local->name).second)
            return error(indices[i].span, DiagCode::TextName,
                         fmt::format("'{}' is used twice on the left side", local->name));
        const auto extents = extentsOf(*local, i, in, m_builder);
        if (!extents || (!local->pack && extents->size() != 1))
            return error(
                indices[i].span, DiagCode::TextName,
                fmt::format("how far '{}' runs is not known; no dimension {} and no read says it",
                            local->name, local->pack ? "pack" : "name"));
        m_builder.makeAxes(*local, *extents, body.locals(), stage.space);
        items.push_back(*extents);
    }
    body.setAxes(stage.space);
    FW_TRY(stage.store, body.places(indices));
    return items;
}

Status Instantiation::rightSide(const Statement& in, StatementBody& body, Stage& stage) const {
    const Tree& value = in.tree.value;
    if (value.kind != TreeKind::Reduce) {
        FW_TRY(stage.body, body.scalar(value));
        return {};
    }
    FW_TRY(stage.reducer, body.reducerOf(value));
    FW_TRY(stage.reduce, body.enter(value));
    FW_TRY(stage.body, body.reducedBody(value, stage.reducer));
    return {};
}

// The output of that name, or a new tensor.
Result<Written> Instantiation::target(const Statement& in, std::vector<Shape> items, Stage& stage) {
    for (const BoundOutput& out : m_builder.binding().outputs)
        if (out.name == in.tree.name) {
            stage.out = out.name;
            adapt(stage, out.type.dtype);
            return Written{out.type, out.items};
        }
    return letTarget(in, std::move(items), stage);
}

// An index may be written into a float output and a literal into any.
void Instantiation::adapt(Stage& stage, DType to) {
    const DType from = stage.body.dtype();
    if (from == to || to == DType::Text)
        return;
    if (stage.body.isConstant())
        stage.body = literalAs(stage.body, to);
    else if (isFloat(to) && from == DType::I64 && !hasLoad(stage.body))
        stage.body = castExpr(stage.body, to);
}

Result<Written> Instantiation::letTarget(const Statement& in, std::vector<Shape> items,
                                         Stage& stage) {
    TensorType type;
    type.dtype = stage.body.dtype();
    for (const Axis& axis : stage.space)
        type.shape.push_back(axis.extent);
    for (std::size_t i = 0; i < stage.store.size(); ++i)
        if (i >= stage.space.size() || !(stage.store[i] == varExpr(stage.space[i].var)))
            return error(
                in.tree.span, DiagCode::TextType,
                fmt::format("'let {}' takes plain variables on the left side", in.tree.name));
    stage.out = m_builder.freshName(in.tree.name);
    m_builder.inst().temporaries.push_back({stage.out, type});
    return Written{std::move(type), std::move(items)};
}

Status Instantiation::checkWritten(const Statement& in, const TensorType& type,
                                   const Stage& stage) const {
    if (stage.body.dtype() != type.dtype)
        return error(in.tree.value.span, DiagCode::TextType,
                     fmt::format("{} is {}, the expression is {}", in.tree.name,
                                 dtypeText(type.dtype), dtypeText(stage.body.dtype())));
    if (stage.store.size() != type.rank())
        return error(in.tree.span, DiagCode::TextType,
                     fmt::format("{} has {} dimensions, written with {} indices", in.tree.name,
                                 type.rank(), stage.store.size()));
    return {};
}

// Writes in range, and the axes of a permuted store in the order of the output.
Status Instantiation::finishStage(Stage& stage, const TensorType& written, const StmtTree& stmt) {
    const Ranges known = m_builder.ranges(stage.space);
    std::vector<Axis> ordered;
    for (Expr& index : stage.store) {
        index = simplify(index, known);
        const auto axis = std::find_if(stage.space.begin(), stage.space.end(),
                                       [&](const Axis& a) { return index == varExpr(a.var); });
        if (axis != stage.space.end() &&
            std::find(ordered.begin(), ordered.end(), *axis) == ordered.end())
            ordered.push_back(*axis);
    }
    if (!inRange(stage.store, written.shape, known))
        return error(stmt.span, DiagCode::UnsafeAccess,
                     fmt::format("a write may lie outside {}: {}", stmt.name, written.text()));
    if (ordered.size() == stage.space.size())
        stage.space = std::move(ordered);
    return {};
}

} // namespace

Result<OpInst> instantiateOp(const OpTree& op, const std::string& file, const Binding& binding) {
    return Instantiation(op, file, binding).run();
}

} // namespace fw
