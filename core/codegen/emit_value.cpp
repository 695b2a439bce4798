// Values: one LLVM instruction for an operation, floats strict, nothing that can trap or call.
//
// min and max keep a NaN from either side. Integer x / 0 is 0 and the lowest integer / -1 wraps.
// Float to integer saturates, NaN gives 0. A truth value is an i1 in registers and a byte in
// memory, an f16 or bf16 an f32 in registers (half.h).
#include "codegen/emitter.h"

#include "codegen/half.h"
#include "codegen/vecmath.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

namespace fw::codegen {

namespace {

bool isUnsigned(DType dtype) {
    return dtype == DType::Bool || dtype == DType::U8 || dtype == DType::U16 ||
           dtype == DType::U32 || dtype == DType::U64;
}

bool isNumber(const llvm::Value* v) {
    const auto* known = llvm::dyn_cast<llvm::Constant>(v);
    const auto* one = llvm::dyn_cast_or_null<llvm::ConstantFP>(
        known && known->getType()->isVectorTy() ? known->getSplatValue() : known);
    return one && !one->isNaN();
}

} // namespace

llvm::Value* Emitter::refuse(std::string why, llvm::Type* type) {
    if (!m_refusal)
        m_refusal = makeDiag(DiagCode::CodegenFailed, std::move(why), {.node = m_nest.name});
    return llvm::PoisonValue::get(type);
}

llvm::Type* Emitter::valueType(DType dtype) {
    switch (dtype) {
    case DType::Bool:
        return m_builder.getInt1Ty();
    case DType::I8:
    case DType::U8:
        return m_builder.getInt8Ty();
    case DType::I16:
    case DType::U16:
        return m_builder.getInt16Ty();
    case DType::I32:
    case DType::U32:
        return m_builder.getInt32Ty();
    case DType::I64:
    case DType::U64:
        return m_builder.getInt64Ty();
    case DType::F16:
    case DType::BF16:
    case DType::F32:
        return m_builder.getFloatTy();
    case DType::F64:
        return m_builder.getDoubleTy();
    case DType::Text:
        break;
    }
    // What is emitted around it must still fit together.
    llvm::Type* type = m_builder.getInt32Ty();
    refuse("no code for values of type " + std::string(dtypeText(dtype)), type);
    return type;
}

llvm::Value* Emitter::splat(llvm::Value* v) {
    return v->getType()->isVectorTy() ? v : m_builder.CreateVectorSplat(m_lanes, v);
}

bool Emitter::unify(llvm::Value*& a, llvm::Value*& b) {
    const bool vector = a->getType()->isVectorTy() || b->getType()->isVectorTy();
    if (vector) {
        a = splat(a);
        b = splat(b);
    }
    return vector;
}

llvm::Value* Emitter::value(const Expr& e) {
    if (e.isConstant())
        return constant(e);
    if (const auto known = m_known.find(e); known != m_known.end())
        return known->second;
    llvm::Value* result = computed(e);
    m_known.emplace(e, result);
    return result;
}

llvm::Value* Emitter::constant(const Expr& e) {
    llvm::Type* type = valueType(e.dtype());
    if (e.op() == ExprOp::Float)
        return llvm::ConstantFP::get(type, e->real);
    return llvm::ConstantInt::getSigned(type, e->integer);
}

llvm::Value* Emitter::computed(const Expr& e) {
    const bool isIndex = e.dtype() == DType::I64;
    switch (e.op()) {
    case ExprOp::Int:
    case ExprOp::Float:
        return constant(e);
    case ExprOp::Var:
        if (!isIndex)
            return refuse("variable " + e->symbol.text() + " is not an index",
                          valueType(e.dtype()));
        return materialize(index(e));
    case ExprOp::Add:
    case ExprOp::Sub:
    case ExprOp::Mul:
    case ExprOp::FloorDiv:
    case ExprOp::Mod:
    case ExprOp::Min:
    case ExprOp::Max:
    case ExprOp::Neg:
        return isIndex ? materialize(index(e)) : arithmetic(e);
    case ExprOp::Div:
    case ExprOp::Fma:
        return arithmetic(e);
    case ExprOp::Eq:
    case ExprOp::Ne:
    case ExprOp::Lt:
    case ExprOp::Le:
        return e.arg(0).dtype() == DType::I64 ? truth(compareIndices(e)) : comparison(e);
    case ExprOp::And:
    case ExprOp::Or:
    case ExprOp::Not:
        return truth(condition(e));
    case ExprOp::Select:
        return select(e);
    case ExprOp::Cast:
        return cast(value(e.arg(0)), e.arg(0).dtype(), e.dtype());
    case ExprOp::BitCast:
        return bitCast(value(e.arg(0)), e.arg(0).dtype(), e.dtype());
    case ExprOp::Load:
        return load(e);
    case ExprOp::Pad:
        return refuse("pad() was not lowered to a condition", valueType(e.dtype()));
    case ExprOp::Call:
        return call(e);
    }
    return nullptr;
}

llvm::Value* Emitter::arithmetic(const Expr& e) {
    llvm::Value* a = value(e.arg(0));
    const bool onFloats = isFloat(e.dtype());
    if (e.op() == ExprOp::Neg)
        return onFloats ? m_builder.CreateFNeg(a) : m_builder.CreateNeg(a);
    llvm::Value* b = value(e.arg(1));
    if (e.op() == ExprOp::Fma) {
        llvm::Value* c = value(e.arg(2));
        unify(a, b);
        unify(a, c);
        unify(b, c);
        if (onFloats)
            return emitFma(m_builder, *m_request.target, a, b, c);
        return m_builder.CreateAdd(m_builder.CreateMul(a, b), c);
    }
    unify(a, b);
    if (e.dtype() == DType::Bool && e.op() != ExprOp::Min && e.op() != ExprOp::Max)
        return refuse("arithmetic on truth values", a->getType());
    switch (e.op()) {
    case ExprOp::Add:
        return onFloats ? m_builder.CreateFAdd(a, b) : m_builder.CreateAdd(a, b);
    case ExprOp::Sub:
        return onFloats ? m_builder.CreateFSub(a, b) : m_builder.CreateSub(a, b);
    case ExprOp::Mul:
        return onFloats ? m_builder.CreateFMul(a, b) : m_builder.CreateMul(a, b);
    case ExprOp::Div:
        return onFloats ? m_builder.CreateFDiv(a, b) : integerDivision(e, a, b);
    case ExprOp::FloorDiv:
    case ExprOp::Mod:
        if (onFloats) {
            llvm::Value* quotient =
                m_builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, m_builder.CreateFDiv(a, b));
            if (e.op() == ExprOp::FloorDiv)
                return quotient;
            return m_builder.CreateFSub(a, m_builder.CreateFMul(b, quotient));
        }
        return integerDivision(e, a, b);
    case ExprOp::Min:
    case ExprOp::Max:
        return extremum(e, a, b);
    default: // computed() has none of the others here
        break;
    }
    return a;
}

llvm::Value* Emitter::extremum(const Expr& e, llvm::Value* a, llvm::Value* b) {
    const bool wantsMin = e.op() == ExprOp::Min;
    if (!isFloat(e.dtype())) {
        const auto intrinsic = isUnsigned(e.dtype())
                                   ? (wantsMin ? llvm::Intrinsic::umin : llvm::Intrinsic::umax)
                                   : (wantsMin ? llvm::Intrinsic::smin : llvm::Intrinsic::smax);
        return m_builder.CreateBinaryIntrinsic(intrinsic, a, b);
    }
    // One instruction on x86: unordered picks the second operand of vminps, which is the kept
    // one.
    if (isNumber(a))
        std::swap(a, b);
    llvm::Value* takeB = wantsMin ? m_builder.CreateFCmpOLT(b, a) : m_builder.CreateFCmpOGT(b, a);
    llvm::Value* best = m_builder.CreateSelect(takeB, b, a);
    if (isNumber(b))
        return best;
    return m_builder.CreateSelect(m_builder.CreateFCmpUNO(b, b), b, best);
}

llvm::Value* Emitter::integerDivision(const Expr& e, llvm::Value* a, llvm::Value* b) {
    llvm::Type* type = a->getType();
    llvm::Constant* zero = llvm::Constant::getNullValue(type);
    llvm::Constant* one = llvm::ConstantInt::get(type, 1);
    llvm::Value* byZero = m_builder.CreateICmpEQ(b, zero);
    if (isUnsigned(e.dtype())) {
        llvm::Value* safe = m_builder.CreateSelect(byZero, one, b);
        llvm::Value* result =
            e.op() == ExprOp::Mod ? m_builder.CreateURem(a, safe) : m_builder.CreateUDiv(a, safe);
        return m_builder.CreateSelect(byZero, zero, result);
    }
    llvm::Value* byMinusOne = m_builder.CreateICmpEQ(b, llvm::ConstantInt::getSigned(type, -1));
    llvm::Value* special = m_builder.CreateOr(byZero, byMinusOne);
    llvm::Value* safe = m_builder.CreateSelect(special, one, b);
    llvm::Value* quotient = m_builder.CreateSDiv(a, safe);
    if (e.op() != ExprOp::Div) {
        llvm::Value* rest = m_builder.CreateSub(a, m_builder.CreateMul(quotient, safe));
        llvm::Value* adjust =
            m_builder.CreateAnd(m_builder.CreateICmpNE(rest, zero),
                                m_builder.CreateICmpSLT(m_builder.CreateXor(rest, safe), zero));
        if (e.op() == ExprOp::Mod) {
            rest = m_builder.CreateSelect(adjust, m_builder.CreateAdd(rest, safe), rest);
            return m_builder.CreateSelect(special, zero, rest);
        }
        quotient = m_builder.CreateSelect(adjust, m_builder.CreateSub(quotient, one), quotient);
    }
    quotient = m_builder.CreateSelect(byMinusOne, m_builder.CreateNeg(a), quotient);
    return m_builder.CreateSelect(byZero, zero, quotient);
}

llvm::Value* Emitter::comparison(const Expr& e) {
    llvm::Value* a = value(e.arg(0));
    llvm::Value* b = value(e.arg(1));
    unify(a, b);
    const DType dtype = e.arg(0).dtype();
    const bool isLess = e.op() == ExprOp::Lt;
    if (isFloat(dtype)) {
        if (e.op() == ExprOp::Eq)
            return m_builder.CreateFCmpOEQ(a, b);
        if (e.op() == ExprOp::Ne)
            return m_builder.CreateFCmpUNE(a, b);
        return isLess ? m_builder.CreateFCmpOLT(a, b) : m_builder.CreateFCmpOLE(a, b);
    }
    if (e.op() == ExprOp::Eq)
        return m_builder.CreateICmpEQ(a, b);
    if (e.op() == ExprOp::Ne)
        return m_builder.CreateICmpNE(a, b);
    if (isUnsigned(dtype))
        return isLess ? m_builder.CreateICmpULT(a, b) : m_builder.CreateICmpULE(a, b);
    return isLess ? m_builder.CreateICmpSLT(a, b) : m_builder.CreateICmpSLE(a, b);
}

llvm::Value* Emitter::cast(llvm::Value* v, DType from, DType to) {
    if (from == to)
        return v;
    llvm::Type* type = valueType(to);
    if (const auto* vector = llvm::dyn_cast<llvm::VectorType>(v->getType()))
        type = llvm::VectorType::get(type, vector->getElementCount());
    llvm::Constant* zero = llvm::Constant::getNullValue(v->getType());
    if (to == DType::Bool)
        return isFloat(from) ? m_builder.CreateFCmpUNE(v, zero) : m_builder.CreateICmpNE(v, zero);
    if (isHalf(to)) { // rounded to it at once: what follows may compare
        if (dtypeBytes(from) == 8 && !isFloat(from))
            v = integerForHalf(m_builder, v, !isUnsigned(from));
        if (!isFloat(from) && dtypeBytes(from) > 2)
            v = cast(v, from, DType::F64);
        else if (!isFloat(from))
            v = cast(v, from, DType::F32);
        if (v->getType()->getScalarType()->isDoubleTy())
            v = floatForHalf(m_builder, v);
        const Target& target = *m_request.target;
        return floatOfHalf(m_builder, target, to, halfOfFloat(m_builder, target, to, v));
    }
    if (isFloat(from) && isFloat(to))
        return m_builder.CreateFPCast(v, type);
    if (isFloat(from))
        return m_builder.CreateIntrinsic(isUnsigned(to) ? llvm::Intrinsic::fptoui_sat
                                                        : llvm::Intrinsic::fptosi_sat,
                                         {type, v->getType()}, {v});
    if (isFloat(to))
        return isUnsigned(from) ? m_builder.CreateUIToFP(v, type) : m_builder.CreateSIToFP(v, type);
    return m_builder.CreateIntCast(v, type, !isUnsigned(from));
}

llvm::Value* Emitter::bitCast(llvm::Value* v, DType from, DType to) {
    const Target& target = *m_request.target;
    if (isHalf(from))
        v = halfOfFloat(m_builder, target, from, v);
    if (to == DType::Bool)
        return m_builder.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
    llvm::Type* type = isHalf(to)            ? m_builder.getInt16Ty()
                       : from == DType::Bool ? m_builder.getInt8Ty()
                                             : valueType(to);
    if (const auto* vector = llvm::dyn_cast<llvm::VectorType>(v->getType()))
        type = llvm::VectorType::get(type, vector->getElementCount());
    v = from == DType::Bool ? m_builder.CreateZExt(v, type) : m_builder.CreateBitCast(v, type);
    return isHalf(to) ? floatOfHalf(m_builder, target, to, v) : v;
}

llvm::Value* Emitter::call(const Expr& e) {
    llvm::Value* a = value(e.arg(0));
    llvm::Value* b = e.args().size() > 1 ? value(e.arg(1)) : nullptr;
    if (b)
        unify(a, b);
    if (isFloat(e.dtype()))
        return emitMath(m_builder, *m_request.target, e->fn, a, b);
    llvm::Constant* zero = llvm::Constant::getNullValue(a->getType());
    if (e->fn == MathFn::Abs) {
        if (isUnsigned(e.dtype()))
            return a;
        return m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, m_builder.CreateNeg(a));
    }
    if (e->fn == MathFn::Sign) {
        llvm::Value* positive = m_builder.CreateZExt(m_builder.CreateICmpNE(a, zero), a->getType());
        if (isUnsigned(e.dtype()))
            return positive;
        return m_builder.CreateSelect(m_builder.CreateICmpSLT(a, zero),
                                      llvm::Constant::getAllOnesValue(a->getType()), positive);
    }
    if (e->fn == MathFn::BitAnd)
        return m_builder.CreateAnd(a, b);
    if (e->fn == MathFn::BitOr)
        return m_builder.CreateOr(a, b);
    if (e->fn == MathFn::BitXor)
        return m_builder.CreateXor(a, b);
    if (e->fn == MathFn::BitNot)
        return m_builder.CreateNot(a);
    if (e->fn == MathFn::Floor || e->fn == MathFn::Ceil || e->fn == MathFn::Round)
        return a;
    return refuse("no code for " + std::string(mathName(e->fn)) + " of " +
                      std::string(dtypeText(e.dtype())),
                  a->getType());
}

} // namespace fw::codegen
