// Loads and stores. Inside a Vector loop the index says what they are: one element for all lanes, a
// contiguous vector, a vector of every second element (two loads and a shuffle), or a gather.
//
// Every parameter has an alias scope of its own, so that accumulators stay in registers and loads
// are hoisted past stores to other buffers; parameters that may overlap share one.
#include "codegen/emitter.h"
#include "codegen/half.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <numeric>

namespace fw::codegen {

namespace {

constexpr unsigned zeroBytes = 1024; // the widest vector that guardedLoad may read

llvm::Align alignOf(DType dtype) {
    return llvm::Align(dtypeBytes(dtype));
}

} // namespace

// Local buffers keep what is f16 or bf16 elsewhere as it is in registers, so that sums are not
// rounded step by step.
llvm::Type* Emitter::memoryType(const Buffer& buffer) {
    if (isHalf(buffer.dtype) && buffer.scope == BufferScope::Parameter)
        return m_builder.getInt16Ty();
    return buffer.dtype == DType::Bool ? m_builder.getInt8Ty() : valueType(buffer.dtype);
}

llvm::Value* Emitter::zeros() {
    if (!m_zeros) {
        auto* type = llvm::ArrayType::get(m_builder.getInt8Ty(), zeroBytes);
        m_zeros = llvm::cast<llvm::GlobalVariable>(m_module.getOrInsertGlobal("zeros", type));
        m_zeros->setInitializer(llvm::Constant::getNullValue(type));
        m_zeros->setConstant(true);
        m_zeros->setLinkage(llvm::GlobalValue::PrivateLinkage);
        m_zeros->setAlignment(llvm::Align(64));
    }
    return m_zeros;
}

void Emitter::tag(llvm::Instruction* access, const Storage& at) {
    if (!at.scope)
        return;
    access->setMetadata(llvm::LLVMContext::MD_alias_scope, at.scope);
    if (at.noalias)
        access->setMetadata(llvm::LLVMContext::MD_noalias, at.noalias);
}

Emitter::Storage* Emitter::storage(Symbol buffer) {
    const auto found = m_storage.find(buffer);
    if (found == m_storage.end()) {
        refuse("buffer " + buffer.text() + " is not declared", m_builder.getInt64Ty());
        return nullptr;
    }
    Storage& at = found->second;
    if (!at.pointer) {
        if (at.buffer->scope != BufferScope::Parameter) {
            refuse("buffer " + buffer.text() + " is used by a parallel loop but lives outside it",
                   m_builder.getInt64Ty());
            return nullptr;
        }
        // Pointers are read once, in the entry block: context->buffers[i].
        llvm::IRBuilder<> entry(m_entry, m_entry->getTerminator()->getIterator());
        llvm::MDNode* empty = llvm::MDNode::get(m_module.getContext(), {});
        llvm::LoadInst* table = entry.CreateLoad(entry.getPtrTy(), m_context, "buffers");
        table->setMetadata(llvm::LLVMContext::MD_invariant_load, empty);
        llvm::LoadInst* pointer = entry.CreateLoad(
            entry.getPtrTy(),
            entry.CreateConstInBoundsGEP1_64(entry.getPtrTy(), table, at.parameter), buffer.text());
        pointer->setMetadata(llvm::LLVMContext::MD_invariant_load, empty);
        pointer->setMetadata(llvm::LLVMContext::MD_nonnull, empty);
        at.pointer = pointer;
    }
    return &at;
}

// A buffer with one copy per lane keeps the lanes of an element side by side.
Index Emitter::localIndex(const Storage& at, const Index& i) const {
    if (!at.perLane || !i.isUniform())
        return i;
    Index spread = i;
    if (spread.base)
        spread.base = m_builder.CreateMul(spread.base, m_builder.getInt64(m_lanes));
    spread.constant *= m_lanes;
    spread.laneStride = 1;
    return spread;
}

bool Emitter::insideLocal(const Storage& at, const Index& i) const {
    if (at.buffer->scope == BufferScope::Parameter || i.base || i.lanes || i.laneStride < 0)
        return false;
    const std::int64_t last = i.constant + i.laneStride * (m_lanes > 0 ? m_lanes - 1 : 0);
    return i.constant >= 0 && last < at.elements;
}

llvm::Value* Emitter::address(Storage& at, llvm::Type* element, const Index& i) {
    llvm::Value* pointer = at.pointer;
    if (i.base)
        pointer = m_builder.CreateGEP(element, pointer, i.base);
    if (i.constant != 0)
        pointer = m_builder.CreateGEP(
            element, pointer, llvm::ConstantInt::getSigned(m_builder.getInt64Ty(), i.constant));
    return pointer;
}

llvm::Value* Emitter::laneAddresses(Storage& at, llvm::Type* element, const Index& i) {
    constexpr std::int64_t limit = std::int64_t(1) << 26;
    llvm::Value* pointer = address(at, element, i);
    Index rest = i;
    rest.base = nullptr;
    rest.constant = 0;
    const bool isNarrow = !i.lanes && std::abs(i.laneStride) < limit;
    return m_builder.CreateGEP(element, pointer, laneOffsets(rest, isNarrow ? 32 : 64));
}

llvm::Value* Emitter::load(const Expr& e) {
    const Index at = index(e.arg(0));
    Storage* from = storage(e->symbol);
    if (!from)
        return llvm::PoisonValue::get(valueType(e.dtype()));
    if (llvm::Value* shuffled = shuffledLoad(*from, e, at))
        return shuffled;
    return loadAt(*from, e.dtype(), localIndex(*from, at), nullptr, nullptr);
}

// The value of `e` where `guard` holds, `otherwise` elsewhere; memory is read only where it holds.
llvm::Value* Emitter::guardedLoad(const Expr& e, const Condition& guard, llvm::Value* otherwise) {
    const Index at = index(e.arg(0));
    Storage* from = storage(e->symbol);
    if (!from)
        return llvm::PoisonValue::get(valueType(e.dtype()));
    const Index local = localIndex(*from, at);
    return loadAt(*from, e.dtype(), local, guard.value, otherwise);
}

llvm::Value* Emitter::loadAt(Storage& from, DType dtype, const Index& at, llvm::Value* guard,
                             llvm::Value* otherwise) {
    if (from.buffer->dtype != dtype)
        return refuse("buffer " + from.buffer->name.text() + " is read as another type",
                      valueType(dtype));
    llvm::Value* v =
        at.isUniform() ? loadUniform(from, dtype, at, guard) : loadLanes(from, dtype, at, guard);
    if (isHalf(dtype) && v->getType()->isIntOrIntVectorTy())
        v = floatOfHalf(m_builder, *m_request.target, dtype, v);
    else if (dtype == DType::Bool)
        v = m_builder.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
    if (!otherwise)
        return v;
    llvm::Value* other = otherwise;
    if (guard && guard->getType()->isVectorTy()) {
        v = splat(v);
        other = splat(other);
    } else {
        unify(v, other);
    }
    return m_builder.CreateSelect(guard, v, other);
}

// One element for all lanes: where nothing may be read, a zero is read instead.
llvm::Value* Emitter::loadUniform(Storage& from, DType dtype, const Index& at, llvm::Value* guard) {
    llvm::Type* element = memoryType(*from.buffer);
    llvm::Value* pointer = address(from, element, at);
    if (!insideLocal(from, at)) {
        llvm::Value* wanted = guard;
        if (guard && guard->getType()->isVectorTy())
            wanted = m_builder.CreateOrReduce(
                m_mask.lanes ? m_builder.CreateAnd(guard, m_mask.lanes) : guard);
        else if (m_mask.any)
            wanted = guard ? m_builder.CreateAnd(guard, m_mask.any) : m_mask.any;
        if (wanted)
            pointer = m_builder.CreateSelect(wanted, pointer, zeros());
    }
    llvm::LoadInst* result = m_builder.CreateAlignedLoad(element, pointer, alignOf(dtype));
    tag(result, from);
    return result;
}

llvm::Value* Emitter::loadLanes(Storage& from, DType dtype, const Index& at, llvm::Value* guard) {
    llvm::Type* element = memoryType(*from.buffer);
    auto* vector = llvm::FixedVectorType::get(element, m_lanes);
    llvm::Value* mask = m_mask.lanes;
    if (guard) {
        llvm::Value* lanes = splat(guard);
        mask = mask ? m_builder.CreateAnd(mask, lanes) : lanes;
    }
    if (insideLocal(from, at))
        mask = nullptr;
    const auto whole = [&](llvm::Value* pointer) {
        llvm::LoadInst* result = m_builder.CreateAlignedLoad(vector, pointer, alignOf(dtype));
        tag(result, from);
        return result;
    };
    if (at.laneStride == 1 && !at.lanes) {
        llvm::Value* pointer = address(from, element, at);
        if (!mask)
            return whole(pointer);
        if (guard && !guard->getType()->isVectorTy() && !m_mask.lanes &&
            m_lanes * dtypeBytes(dtype) <= zeroBytes)
            return whole(m_builder.CreateSelect(guard, pointer, zeros()));
        llvm::CallInst* result = m_builder.CreateMaskedLoad(vector, pointer, alignOf(dtype), mask,
                                                            llvm::Constant::getNullValue(vector));
        tag(result, from);
        return result;
    }
    if (!mask && !at.lanes && at.laneStride == 2 && m_lanes >= 2) {
        // Elements 0 2 4 .. of the first load, the rest of a load that ends at the last element
        // needed.
        Index second = at;
        second.constant += m_lanes - 1;
        llvm::LoadInst* low = whole(address(from, element, at));
        llvm::LoadInst* high = whole(address(from, element, second));
        std::vector<int> pick;
        for (unsigned lane = 0; lane < m_lanes; ++lane)
            pick.push_back(static_cast<int>(2 * lane < m_lanes ? 2 * lane : 2 * lane + 1));
        return m_builder.CreateShuffleVector(low, high, pick);
    }
    if (!mask && !at.lanes && at.laneStride == -1) {
        Index first = at;
        first.constant -= m_lanes - 1;
        return m_builder.CreateVectorReverse(whole(address(from, element, first)));
    }
    if (!mask && !at.lanes && dtypeBytes(dtype) < 4) { // no processor gathers these
        llvm::Value* out = llvm::PoisonValue::get(vector);
        Index place = at;
        place.laneStride = 0;
        for (unsigned lane = 0; lane < m_lanes; ++lane, place.constant += at.laneStride) {
            llvm::LoadInst* one =
                m_builder.CreateAlignedLoad(element, address(from, element, place), alignOf(dtype));
            tag(one, from);
            out = m_builder.CreateInsertElement(out, one, lane);
        }
        return out;
    }
    llvm::CallInst* result =
        m_builder.CreateMaskedGather(vector, laneAddresses(from, element, at), alignOf(dtype),
                                     mask ? mask : nullptr, llvm::Constant::getNullValue(vector));
    tag(result, from);
    return result;
}

void Emitter::store(const Stmt& stmt) {
    m_known.clear();
    const Index at = index(stmt->index);
    Storage* to = storage(stmt->buffer);
    if (!to || m_refusal)
        return;
    // What is rounded as it is stored need not be rounded before.
    const Expr& stored = stmt->value;
    const bool isRounded = isHalf(stored.dtype()) && stored.op() == ExprOp::Cast &&
                           stored.arg(0).dtype() == DType::F32 &&
                           memoryType(*to->buffer)->isIntegerTy();
    llvm::Value* v = value(isRounded ? stored.arg(0) : stored);
    if (m_refusal)
        return;
    if (stmt->value.dtype() != to->buffer->dtype) {
        refuse("buffer " + stmt->buffer.text() + " is written as another type", v->getType());
        return;
    }
    storeAt(*to, stmt->value.dtype(), localIndex(*to, at), v);
}

void Emitter::storeAt(Storage& to, DType dtype, const Index& at, llvm::Value* v) {
    llvm::Type* element = memoryType(*to.buffer);
    if (isHalf(dtype) && element->isIntegerTy())
        v = halfOfFloat(m_builder, *m_request.target, dtype, v);
    if (dtype == DType::Bool) {
        llvm::Type* bytes = element;
        if (v->getType()->isVectorTy())
            bytes = llvm::FixedVectorType::get(element, m_lanes);
        v = m_builder.CreateZExt(v, bytes);
    }
    if (at.isUniform()) {
        if (v->getType()->isVectorTy()) {
            refuse("lanes of a vector loop write different values to one element of " +
                       to.buffer->name.text(),
                   v->getType());
            return;
        }
        llvm::Value* pointer = address(to, element, at);
        if (!m_mask.any) {
            tag(m_builder.CreateAlignedStore(v, pointer, alignOf(dtype)), to);
            return;
        }
        auto* then = llvm::BasicBlock::Create(m_builder.getContext(), "some", m_function);
        auto* join = llvm::BasicBlock::Create(m_builder.getContext(), "join", m_function);
        m_builder.CreateCondBr(m_mask.any, then, join);
        m_builder.SetInsertPoint(then);
        tag(m_builder.CreateAlignedStore(v, pointer, alignOf(dtype)), to);
        m_builder.CreateBr(join);
        m_builder.SetInsertPoint(join);
        return;
    }
    v = splat(v);
    if (at.laneStride == 1 && !at.lanes) {
        llvm::Value* pointer = address(to, element, at);
        if (m_mask.lanes && insideLocal(to, at)) {
            // A blend keeps the buffer in registers; a masked store would force it into memory.
            llvm::Value* old = m_builder.CreateAlignedLoad(v->getType(), pointer, alignOf(dtype));
            v = m_builder.CreateSelect(m_mask.lanes, v, old);
            m_builder.CreateAlignedStore(v, pointer, alignOf(dtype));
        } else if (m_mask.lanes) {
            tag(m_builder.CreateMaskedStore(v, pointer, alignOf(dtype), m_mask.lanes), to);
        } else {
            tag(m_builder.CreateAlignedStore(v, pointer, alignOf(dtype)), to);
        }
        return;
    }
    // One after another: no processor scatters faster, and some much slower.
    if (!m_mask.lanes && !at.lanes) {
        Index place = at;
        place.laneStride = 0;
        for (unsigned lane = 0; lane < m_lanes; ++lane, place.constant += at.laneStride)
            tag(m_builder.CreateAlignedStore(m_builder.CreateExtractElement(v, lane),
                                             address(to, element, place), alignOf(dtype)),
                to);
        return;
    }
    tag(m_builder.CreateMaskedScatter(v, laneAddresses(to, element, at), alignOf(dtype),
                                      m_mask.lanes),
        to);
}

} // namespace fw::codegen
