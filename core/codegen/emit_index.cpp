// Index arithmetic and conditions while emitting: what is constant stays constant, what is affine
// in the lane stays affine, the rest becomes instructions. All arithmetic wraps, so it also serves
// i64 tensors.
#include "codegen/emitter.h"

#include "base/numbers.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include <cstdlib>

namespace fw::codegen {

namespace {

std::int64_t wrapAdd(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapMul(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

bool isPowerOfTwo(std::int64_t value) {
    return value > 0 && (value & (value - 1)) == 0;
}

} // namespace

Index Emitter::fromValue(llvm::Value* value) {
    Index out;
    if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(value))
        out.constant = known->getSExtValue();
    else if (value->getType()->isVectorTy())
        out.lanes = value;
    else
        out.base = value;
    return out;
}

llvm::Value* Emitter::uniformPart(const Index& i) {
    llvm::Value* constant = m_builder.getInt64(static_cast<std::uint64_t>(i.constant));
    if (!i.base)
        return constant;
    return i.constant == 0 ? i.base : m_builder.CreateAdd(i.base, constant);
}

llvm::Value* Emitter::laneOffsets(const Index& i, unsigned bits) {
    std::vector<llvm::Constant*> steps;
    llvm::Type* type = m_builder.getIntNTy(bits);
    for (unsigned lane = 0; lane < m_lanes; ++lane)
        steps.push_back(llvm::ConstantInt::getSigned(type, wrapMul(i.laneStride, lane)));
    llvm::Value* offsets = llvm::ConstantVector::get(steps);
    if (!i.lanes)
        return offsets;
    return i.laneStride == 0 ? i.lanes : m_builder.CreateAdd(i.lanes, offsets);
}

llvm::Value* Emitter::materialize(const Index& i) {
    llvm::Value* uniform = uniformPart(i);
    if (i.isUniform())
        return uniform;
    llvm::Value* offsets = laneOffsets(i, 64);
    if (!i.base && i.constant == 0)
        return offsets;
    return m_builder.CreateAdd(m_builder.CreateVectorSplat(m_lanes, uniform), offsets);
}

Index Emitter::add(Index a, const Index& b) {
    a.constant = wrapAdd(a.constant, b.constant);
    a.laneStride = wrapAdd(a.laneStride, b.laneStride);
    if (b.base)
        a.base = a.base ? m_builder.CreateAdd(a.base, b.base) : b.base;
    if (b.lanes)
        a.lanes = a.lanes ? m_builder.CreateAdd(a.lanes, b.lanes) : b.lanes;
    return a;
}

Index Emitter::scale(Index a, std::int64_t factor) {
    if (factor == 0)
        return {};
    if (factor == 1)
        return a;
    a.constant = wrapMul(a.constant, factor);
    a.laneStride = wrapMul(a.laneStride, factor);
    if (a.base)
        a.base =
            m_builder.CreateMul(a.base, llvm::ConstantInt::getSigned(a.base->getType(), factor));
    if (a.lanes)
        a.lanes =
            m_builder.CreateMul(a.lanes, llvm::ConstantInt::getSigned(a.lanes->getType(), factor));
    return a;
}

Index Emitter::multiply(const Index& a, const Index& b) {
    if (b.isConstant())
        return scale(a, b.constant);
    if (a.isConstant())
        return scale(b, a.constant);
    llvm::Value* x = materialize(a);
    llvm::Value* y = materialize(b);
    unify(x, y);
    return fromValue(m_builder.CreateMul(x, y));
}

// Rounds toward minus infinity; x / 0 and x mod 0 are 0.
Index Emitter::divide(const Index& a, const Index& b, ExprOp op) {
    const bool wantsQuotient = op == ExprOp::FloorDiv;
    if (b.isConstant() && b.constant > 0) {
        const std::int64_t by = b.constant;
        if (a.isConstant())
            return {.constant =
                        wantsQuotient ? floorDiv(a.constant, by) : floorMod(a.constant, by)};
        // No operand but the lane: known for each lane.
        if (!a.base && !a.lanes) {
            std::vector<llvm::Constant*> each;
            for (unsigned lane = 0; lane < m_lanes; ++lane) {
                const std::int64_t value = wrapAdd(a.constant, wrapMul(a.laneStride, lane));
                each.push_back(llvm::ConstantInt::getSigned(m_builder.getInt64Ty(),
                                                            wantsQuotient ? floorDiv(value, by)
                                                                          : floorMod(value, by)));
            }
            llvm::Constant* known = llvm::ConstantVector::get(each);
            if (llvm::Constant* same = known->getSplatValue())
                return fromValue(same);
            return {.lanes = known};
        }
        llvm::Value* x = materialize(a);
        if (isPowerOfTwo(by)) {
            const auto shift =
                static_cast<std::uint64_t>(__builtin_ctzll(static_cast<std::uint64_t>(by)));
            llvm::Value* result = wantsQuotient
                                      ? m_builder.CreateAShr(x, shift)
                                      : m_builder.CreateAnd(x, static_cast<std::uint64_t>(by - 1));
            return fromValue(result);
        }
    }
    llvm::Value* x = materialize(a);
    llvm::Value* y = materialize(b);
    unify(x, y);
    llvm::Type* type = x->getType();
    llvm::Constant* zero = llvm::Constant::getNullValue(type);
    llvm::Constant* one = llvm::ConstantInt::get(type, 1);
    llvm::Constant* minusOne = llvm::ConstantInt::getSigned(type, -1);
    // The divisors 0 and -1 would trap; x / -1 is -x and wraps.
    llvm::Value* byZero = m_builder.CreateICmpEQ(y, zero);
    llvm::Value* byMinusOne = m_builder.CreateICmpEQ(y, minusOne);
    llvm::Value* safe = m_builder.CreateSelect(m_builder.CreateOr(byZero, byMinusOne), one, y);
    llvm::Value* quotient = m_builder.CreateSDiv(x, safe);
    llvm::Value* rest = m_builder.CreateSub(x, m_builder.CreateMul(quotient, safe));
    llvm::Value* inexact = m_builder.CreateICmpNE(rest, zero);
    llvm::Value* signsDiffer = m_builder.CreateICmpSLT(m_builder.CreateXor(rest, safe), zero);
    llvm::Value* adjust = m_builder.CreateAnd(inexact, signsDiffer);
    llvm::Value* result = nullptr;
    if (wantsQuotient) {
        result = m_builder.CreateSelect(adjust, m_builder.CreateSub(quotient, one), quotient);
        result = m_builder.CreateSelect(byMinusOne, m_builder.CreateNeg(x), result);
        result = m_builder.CreateSelect(byZero, zero, result);
    } else {
        result = m_builder.CreateSelect(adjust, m_builder.CreateAdd(rest, safe), rest);
        result = m_builder.CreateSelect(m_builder.CreateOr(byZero, byMinusOne), zero, result);
    }
    return fromValue(result);
}

Index Emitter::minMax(const Index& a, const Index& b, ExprOp op) {
    const bool wantsMin = op == ExprOp::Min;
    if (a.isConstant() && b.isConstant())
        return {.constant =
                    wantsMin ? std::min(a.constant, b.constant) : std::max(a.constant, b.constant)};
    llvm::Value* x = materialize(a);
    llvm::Value* y = materialize(b);
    unify(x, y);
    return fromValue(m_builder.CreateBinaryIntrinsic(
        wantsMin ? llvm::Intrinsic::smin : llvm::Intrinsic::smax, x, y));
}

Index Emitter::index(const Expr& e) {
    switch (e.op()) {
    case ExprOp::Int:
        return {.constant = e->integer};
    case ExprOp::Var: {
        const auto found = m_vars.find(e->symbol);
        if (found == m_vars.end())
            return fromValue(
                refuse("variable " + e->symbol.text() + " is not bound", m_builder.getInt64Ty()));
        return found->second;
    }
    case ExprOp::Add:
        return add(index(e.arg(0)), index(e.arg(1)));
    case ExprOp::Sub:
        return add(index(e.arg(0)), scale(index(e.arg(1)), -1));
    case ExprOp::Neg:
        return scale(index(e.arg(0)), -1);
    case ExprOp::Mul:
        return multiply(index(e.arg(0)), index(e.arg(1)));
    case ExprOp::FloorDiv:
    case ExprOp::Mod: {
        const Index a = index(e.arg(0));
        return divide(a, index(e.arg(1)), e.op());
    }
    case ExprOp::Min:
    case ExprOp::Max: {
        const Index a = index(e.arg(0));
        return minMax(a, index(e.arg(1)), e.op());
    }
    case ExprOp::Select: {
        const Condition c = condition(e.arg(0));
        if (c.decided)
            return index(e.arg(*c.decided ? 1 : 2));
        return fromValue(select(e));
    }
    case ExprOp::Float:
    case ExprOp::Div:
    case ExprOp::Fma:
    case ExprOp::Eq:
    case ExprOp::Ne:
    case ExprOp::Lt:
    case ExprOp::Le:
    case ExprOp::And:
    case ExprOp::Or:
    case ExprOp::Not:
    case ExprOp::Cast:
    case ExprOp::BitCast:
    case ExprOp::Load:
    case ExprOp::Pad:
    case ExprOp::Call:
        return fromValue(value(e));
    }
    return {};
}

std::optional<bool> Emitter::provedByRanges(const Expr& e) {
    if (hasLoad(e))
        return std::nullopt;
    return decide(m_constants.empty() ? e : substitute(e, m_constants), m_ranges);
}

Condition Emitter::fromTruth(llvm::Value* value) {
    if (auto* known = llvm::dyn_cast<llvm::Constant>(value)) {
        if (known->isNullValue() || known->isAllOnesValue())
            return Condition(known->isAllOnesValue());
    }
    return Condition(value, value->getType()->isVectorTy());
}

llvm::Value* Emitter::truth(const Condition& c) {
    return c.decided ? m_builder.getInt1(*c.decided) : c.value;
}

// Comparisons of indices look at the difference: lanes are compared in i32, with the uniform part
// brought into a range in which it cannot change the answer.
Condition Emitter::compareIndices(const Expr& e) {
    constexpr std::int64_t limit = std::int64_t(1) << 30;
    const Index a = index(e.arg(0));
    const Index b = index(e.arg(1));
    const auto predicate = [&] {
        if (e.op() == ExprOp::Eq)
            return llvm::CmpInst::ICMP_EQ;
        if (e.op() == ExprOp::Ne)
            return llvm::CmpInst::ICMP_NE;
        return e.op() == ExprOp::Lt ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_SLE;
    }();
    const bool isAffine = !a.lanes && !b.lanes && !hasLoad(e);
    if (!isAffine) {
        llvm::Value* x = materialize(a);
        llvm::Value* y = materialize(b);
        unify(x, y);
        return fromTruth(m_builder.CreateICmp(predicate, x, y));
    }
    if (a.isConstant() && b.isConstant())
        return fromTruth(m_builder.CreateICmp(predicate, materialize(a), materialize(b)));
    if (const std::optional<bool> known = provedByRanges(e))
        return Condition(*known);
    const std::int64_t stride = wrapAdd(a.laneStride, wrapMul(b.laneStride, -1));
    if (stride == 0) {
        Index x = a, y = b;
        x.laneStride = y.laneStride = 0;
        return fromTruth(m_builder.CreateICmp(predicate, materialize(x), materialize(y)));
    }
    Index bound = add(b, scale(a, -1)); // stride * lane < bound
    bound.laneStride = 0;
    if (std::abs(stride) < limit / static_cast<std::int64_t>(m_lanes)) {
        llvm::Value* clamped = uniformPart(bound);
        clamped = m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, clamped,
                                                  m_builder.getInt64(limit));
        clamped = m_builder.CreateBinaryIntrinsic(
            llvm::Intrinsic::smax, clamped,
            llvm::ConstantInt::getSigned(m_builder.getInt64Ty(), -limit));
        llvm::Value* narrow = m_builder.CreateTrunc(clamped, m_builder.getInt32Ty());
        return fromTruth(m_builder.CreateICmp(predicate, laneOffsets({.laneStride = stride}, 32),
                                              m_builder.CreateVectorSplat(m_lanes, narrow)));
    }
    return fromTruth(
        m_builder.CreateICmp(predicate, laneOffsets({.laneStride = stride}, 64),
                             m_builder.CreateVectorSplat(m_lanes, uniformPart(bound))));
}

Condition Emitter::condition(const Expr& e) {
    switch (e.op()) {
    case ExprOp::Int:
        return Condition(e->integer != 0);
    case ExprOp::Not: {
        Condition c = condition(e.arg(0));
        if (c.decided)
            return Condition(!*c.decided);
        return fromTruth(m_builder.CreateNot(c.value));
    }
    case ExprOp::And:
    case ExprOp::Or: {
        const bool isAnd = e.op() == ExprOp::And;
        const Condition a = condition(e.arg(0));
        if (a.decided && *a.decided != isAnd)
            return a;
        if (a.decided)
            return condition(e.arg(1));
        // The right side may read only what the left side allows.
        if (hasLoad(e.arg(1)))
            return fromTruth(value(isAnd ? selectExpr(e.arg(0), e.arg(1), boolExpr(false))
                                         : selectExpr(e.arg(0), boolExpr(true), e.arg(1))));
        const Condition b = condition(e.arg(1));
        if (b.decided)
            return *b.decided == isAnd ? a : b;
        llvm::Value* x = a.value;
        llvm::Value* y = b.value;
        unify(x, y);
        return fromTruth(isAnd ? m_builder.CreateAnd(x, y) : m_builder.CreateOr(x, y));
    }
    case ExprOp::Eq:
    case ExprOp::Ne:
    case ExprOp::Lt:
    case ExprOp::Le:
        if (e.arg(0).dtype() == DType::I64)
            return compareIndices(e);
        return fromTruth(value(e));
    case ExprOp::Float:
    case ExprOp::Var:
    case ExprOp::Add:
    case ExprOp::Sub:
    case ExprOp::Mul:
    case ExprOp::Div:
    case ExprOp::FloorDiv:
    case ExprOp::Mod:
    case ExprOp::Min:
    case ExprOp::Max:
    case ExprOp::Neg:
    case ExprOp::Fma:
    case ExprOp::Select:
    case ExprOp::Cast:
    case ExprOp::BitCast:
    case ExprOp::Load:
    case ExprOp::Pad:
    case ExprOp::Call:
        return fromTruth(value(e));
    }
    return Condition(false);
}

} // namespace fw::codegen
