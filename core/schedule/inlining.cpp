#include "schedule/inlining.h"

#include "expr/simplify.h"
#include "schedule/lower_body.h"
#include "schedule/nest.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace fw {

namespace {

// Reads of one tensor replaced by an expression of their indices; pad() around
// them becomes a select().
class LoadReplacement {
public:
    LoadReplacement(Symbol tensor, const Shape& shape,
                    const std::function<Expr(const Exprs&)>& body)
        : m_tensor(tensor), m_shape(shape), m_body(body) {}

    Expr of(const Expr& e) {
        const bool isRead = e.op() == ExprOp::Load && e->symbol == m_tensor;
        if (e.args().empty() && !isRead) // a scalar has no indices
            return e;
        // Indices that nest share parts: each is done once.
        if (const auto known = m_known.find(&e.node()); known != m_known.end())
            return known->second;
        return m_known.emplace(&e.node(), made(e, isRead)).first->second;
    }

private:
    Expr made(const Expr& e, bool isRead) {
        if (e.op() == ExprOp::Pad && e.arg(0).op() == ExprOp::Load &&
            e.arg(0)->symbol == m_tensor) {
            const Exprs indices = all(e.arg(0).args());
            return selectExpr(insideShape(indices, m_shape), m_body(indices), of(e.arg(1)));
        }
        Exprs args = all(e.args());
        return isRead ? m_body(args) : withArgs(e, std::move(args));
    }

    Exprs all(const Exprs& parts) {
        Exprs out;
        for (const Expr& part : parts)
            out.push_back(of(part));
        return out;
    }

    const Symbol m_tensor;
    const Shape& m_shape;
    const std::function<Expr(const Exprs&)>& m_body;
    std::unordered_map<const ExprNode*, Expr> m_known; // of the expression, which stays alive
};

Expr replaceLoads(const Expr& e, Symbol tensor, const Shape& shape,
                  const std::function<Expr(const Exprs&)>& body) {
    return LoadReplacement(tensor, shape, body).of(e);
}

// What several stages write is read by one map, element by element: the map is
// computed with every piece instead, and stored where the piece would have
// been.
Result<OpInst> inlinePieces(const OpInst& inst, Symbol tensor) {
    const auto refuse = [](std::string why) {
        return makeDiag(DiagCode::ScheduleIllegal, std::move(why));
    };
    const Stage* reader = nullptr;
    for (const Stage& stage : inst.stages) {
        if (stage.out == tensor && !stage.isMap())
            return refuse("a reduction cannot be computed where it is read");
        if (!loadedTensors(stage.body).contains(tensor))
            continue;
        if (reader != nullptr || stage.out == tensor)
            return refuse("several stages write it and several read it");
        reader = &stage;
    }
    const Shape& shape = inst.find(tensor)->type.shape;
    bool isWhole = reader != nullptr && reader->isMap() && reader->space.size() == shape.size();
    for (std::size_t d = 0; isWhole && d < shape.size(); ++d)
        isWhole = reader->space[d].extent == shape[d];
    if (isWhole)
        visitExpr(reader->body, [&](const Expr& e) {
            if (e.op() == ExprOp::Pad && e.arg(0)->symbol == tensor)
                isWhole = false;
            if (e.op() == ExprOp::Load && e->symbol == tensor)
                for (std::size_t d = 0; d < shape.size(); ++d)
                    isWhole = isWhole && e.arg(d) == varExpr(reader->space[d].var);
        });
    if (!isWhole)
        return refuse("several stages write it, and it is not read element by element");
    OpInst out = inst;
    out.stages.clear();
    for (const Stage& stage : inst.stages) {
        if (stage.out == tensor)
            continue;
        if (&stage != reader) {
            out.stages.push_back(stage);
            continue;
        }
        for (const Stage& piece : inst.stages) {
            if (piece.out != tensor)
                continue;
            Substitution place;
            for (std::size_t d = 0; d < shape.size(); ++d)
                place.emplace(reader->space[d].var, piece.store[d]);
            Stage both = piece;
            both.out = reader->out;
            both.store.clear();
            for (const Expr& index : reader->store)
                both.store.push_back(substitute(index, place));
            both.body = replaceLoads(substitute(reader->body, place), tensor, shape,
                                     [&](const Exprs&) { return piece.body; });
            for (const std::int64_t node : reader->nodes)
                if (std::find(both.nodes.begin(), both.nodes.end(), node) == both.nodes.end())
                    both.nodes.push_back(node);
            out.stages.push_back(std::move(both));
        }
    }
    std::erase_if(out.temporaries, [&](const TensorDecl& decl) { return decl.name == tensor; });
    return out;
}

} // namespace

Expr insideShape(const Exprs& indices, const Shape& shape) {
    Expr out = boolExpr(true);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        out = andExpr(out, leExpr(Expr(0), indices[i]));
        out = andExpr(out, ltExpr(indices[i], shape[i]));
    }
    return out;
}

Result<OpInst> inlineStage(const OpInst& inst, std::size_t at) {
    const Stage& stage = inst.stages[at];
    const auto refuse = [](std::string why) {
        return makeDiag(DiagCode::ScheduleIllegal, std::move(why));
    };
    if (!stage.isMap())
        return refuse("a reduction cannot be computed where it is read");
    for (const TensorDecl& output : inst.outputs)
        if (output.name == stage.out)
            return refuse("it is an output of the group");
    for (std::size_t i = 0; i < inst.stages.size(); ++i)
        if (i != at && inst.stages[i].out == stage.out)
            return inlinePieces(inst, stage.out);
    if (!storesPlainly(stage))
        return refuse("it stores at an offset");
    const Shape shape = inst.find(stage.out)->type.shape;
    const auto body = [&](const Exprs& indices) {
        Substitution map;
        for (std::size_t i = 0; i < indices.size(); ++i)
            map.emplace(stage.space[i].var, indices[i]);
        return substitute(stage.body, map);
    };
    OpInst out = inst;
    for (Stage& user : out.stages) {
        if (!loadedTensors(user.body).contains(stage.out))
            continue;
        user.body = replaceLoads(user.body, stage.out, shape, body);
        for (const std::int64_t node : stage.nodes)
            if (std::find(user.nodes.begin(), user.nodes.end(), node) == user.nodes.end())
                user.nodes.push_back(node);
    }
    std::erase_if(out.temporaries, [&](const TensorDecl& decl) { return decl.name == stage.out; });
    out.stages.erase(out.stages.begin() + static_cast<std::ptrdiff_t>(at));
    return out;
}

} // namespace fw
