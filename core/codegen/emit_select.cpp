// The choice between two values.
#include "codegen/emitter.h"

#include <llvm/IR/IRBuilder.h>

namespace fw::codegen {

// Only the taken side is evaluated as far as it can be seen: a side without loads has no effect and
// is computed beside the other, loads of a side are made under its condition.
llvm::Value* Emitter::select(const Expr& e) {
    const Condition c = condition(e.arg(0));
    if (c.decided)
        return value(e.arg(*c.decided ? 1 : 2));
    const bool thenLoads = hasLoad(e.arg(1));
    const bool elseLoads = hasLoad(e.arg(2));
    if (!thenLoads && !elseLoads) {
        llvm::Value* a = value(e.arg(1));
        llvm::Value* b = value(e.arg(2));
        if (c.perLane) {
            a = splat(a);
            b = splat(b);
        } else {
            unify(a, b);
        }
        return m_builder.CreateSelect(c.value, a, b);
    }
    if (e.arg(1).op() == ExprOp::Load && !elseLoads && !hasLoad(e.arg(1).arg(0)))
        return guardedLoad(e.arg(1), c, value(e.arg(2)));
    if (e.arg(2).op() == ExprOp::Load && !thenLoads && !hasLoad(e.arg(2).arg(0)))
        return guardedLoad(e.arg(2), fromTruth(m_builder.CreateNot(c.value)), value(e.arg(1)));

    return c.perLane ? selectLanes(e, c) : selectBranch(e, c);
}

// Each side under the lanes that take it.
llvm::Value* Emitter::selectLanes(const Expr& e, const Condition& c) {
    const auto known = m_known;
    const Mask outer = m_mask;
    const auto side = [&](const Expr& part, llvm::Value* lanes) {
        m_mask.lanes = outer.lanes ? m_builder.CreateAnd(outer.lanes, lanes) : lanes;
        m_mask.any = m_builder.CreateOrReduce(m_mask.lanes);
        llvm::Value* result = splat(value(part));
        m_mask = outer;
        m_known = known;
        return result;
    };
    llvm::Value* a = side(e.arg(1), c.value);
    llvm::Value* b = side(e.arg(2), m_builder.CreateNot(c.value));
    return m_builder.CreateSelect(c.value, a, b);
}

llvm::Value* Emitter::selectBranch(const Expr& e, const Condition& c) {
    const auto known = m_known;
    auto* thenBlock = llvm::BasicBlock::Create(m_builder.getContext(), "then", m_function);
    auto* elseBlock = llvm::BasicBlock::Create(m_builder.getContext(), "else", m_function);
    auto* join = llvm::BasicBlock::Create(m_builder.getContext(), "join", m_function);
    m_builder.CreateCondBr(c.value, thenBlock, elseBlock);
    m_builder.SetInsertPoint(thenBlock);
    llvm::Value* a = value(e.arg(1));
    llvm::BasicBlock* thenEnd = m_builder.GetInsertBlock();
    m_known = known;
    m_builder.SetInsertPoint(elseBlock);
    llvm::Value* b = value(e.arg(2));
    m_known = known;
    const bool vector = a->getType()->isVectorTy() || b->getType()->isVectorTy();
    if (vector)
        b = splat(b);
    llvm::BasicBlock* elseEnd = m_builder.GetInsertBlock();
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(thenEnd);
    if (vector)
        a = splat(a);
    m_builder.CreateBr(join);
    m_builder.SetInsertPoint(join);
    llvm::PHINode* result = m_builder.CreatePHI(a->getType(), 2);
    result->addIncoming(a, thenEnd);
    result->addIncoming(b, elseEnd);
    return result;
}

} // namespace fw::codegen
