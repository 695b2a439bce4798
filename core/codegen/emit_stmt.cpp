// Statements: loops are rotated (a test before, the condition at the end), so that LICM may hoist;
// root Parallel loops become functions that the context's parallel_for calls; Unroll repeats the
// body with the variable bound to a constant; Vector binds it to the lanes of one or more vectors.
#include "codegen/emitter.h"

#include "loop/lane_width.h"
#include "loop/passes.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace fw::codegen {

namespace {

constexpr std::int64_t unrollLimit = 50'000;    // statements of a kernel
constexpr std::int64_t stackLimit = 512 * 1024; // bytes of a local buffer
constexpr unsigned contextParallelFor = 2;      // field of fw_kernel_context

bool usesAsLane(const Stmt& stmt, Symbol var) {
    switch (stmt.op()) {
    case StmtOp::Store:
        return usesVar(stmt->index, var) || usesVar(stmt->value, var);
    case StmtOp::If:
        if (usesVar(stmt->condition, var))
            return true;
        break;
    case StmtOp::For:
        if (usesVar(stmt->min, var) || usesVar(stmt->extent, var))
            return true;
        break;
    case StmtOp::Block:
    case StmtOp::Alloc:
        break;
    }
    for (const Stmt& part : stmt->body)
        if (usesAsLane(part, var))
            return true;
    return false;
}

} // namespace

struct Emitter::Saved {
    explicit Saved(Emitter& from) : emitter(from), vars(from.m_vars) {}
    ~Saved() { emitter.m_vars = std::move(vars); }
    Saved(const Saved&) = delete;
    Saved& operator=(const Saved&) = delete;
    Emitter& emitter;
    std::unordered_map<Symbol, Index> vars;
};

Status Emitter::run() {
    enterFunction(makeFunction(m_request.symbol, false));
    statement(m_nest.body);
    m_builder.CreateRetVoid();
    if (m_refusal)
        return *m_refusal;
    return {};
}

void Emitter::statement(const Stmt& stmt) {
    if (m_refusal)
        return;
    if (stmt->nodes.empty()) {
        dispatch(stmt);
        return;
    }
    const std::vector<std::int64_t> outer = m_nodes;
    mark(stmt->nodes);
    dispatch(stmt);
    mark(outer);
}

void Emitter::dispatch(const Stmt& stmt) {
    switch (stmt.op()) {
    case StmtOp::Block:
        for (const Stmt& part : stmt->body)
            statement(part);
        return;
    case StmtOp::For:
        loop(stmt);
        return;
    case StmtOp::If:
        conditional(stmt);
        return;
    case StmtOp::Store:
        ++m_emitted;
        store(stmt);
        return;
    case StmtOp::Alloc:
        allocation(stmt);
        return;
    }
}

void Emitter::pushRange(const Stmt& stmt) {
    const Expr min = substitute(stmt->min, m_constants);
    m_ranges.push(stmt->var, min, simplify(min + substitute(stmt->extent, m_constants) - Expr(1)));
}

void Emitter::loop(const Stmt& stmt) {
    if (stmt->kind == LoopKind::Parallel && !m_insideLoop) {
        parallelLoop(stmt);
        return;
    }
    m_known.clear();
    const Index min = index(stmt->min);
    const Index extent = index(stmt->extent);
    if (extent.isConstant() && extent.constant <= 0)
        return;
    if (!min.isUniform() || !extent.isUniform()) {
        refuse("the bounds of loop " + stmt->var.text() + " differ between lanes",
               m_builder.getInt64Ty());
        return;
    }
    const bool wasInside = std::exchange(m_insideLoop, true);
    {
        Saved saved(*this);
        if (stmt->kind == LoopKind::Vector && extent.isConstant() && m_lanes == 0)
            vectorLoop(stmt, min, extent.constant);
        else if (stmt->kind == LoopKind::Unroll && extent.isConstant() && min.isConstant() &&
                 m_emitted + extent.constant < unrollLimit)
            unrolledLoop(stmt, min.constant, extent.constant);
        else
            serialLoop(stmt, min, extent);
    }
    m_insideLoop = wasInside;
}

void Emitter::serialLoop(const Stmt& stmt, const Index& min, const Index& extent) {
    llvm::Value* first = uniformPart(min);
    llvm::Value* end = m_builder.CreateAdd(first, uniformPart(extent), "", false, true);
    auto* body =
        llvm::BasicBlock::Create(m_builder.getContext(), "loop." + stmt->var.text(), m_function);
    auto* after =
        llvm::BasicBlock::Create(m_builder.getContext(), "after." + stmt->var.text(), m_function);
    llvm::BasicBlock* before = m_builder.GetInsertBlock();
    if (extent.isConstant())
        m_builder.CreateBr(body);
    else
        m_builder.CreateCondBr(m_builder.CreateICmpSLT(first, end), body, after);
    m_builder.SetInsertPoint(body);
    llvm::PHINode* variable = m_builder.CreatePHI(m_builder.getInt64Ty(), 2, stmt->var.text());
    variable->addIncoming(first, before);
    bind(stmt->var, {.base = variable});
    pushRange(stmt);
    statement(stmt->body[0]);
    m_ranges.pop();
    llvm::Value* next = m_builder.CreateAdd(variable, m_builder.getInt64(1), "", false, true);
    variable->addIncoming(next, m_builder.GetInsertBlock());
    m_builder.CreateCondBr(m_builder.CreateICmpSLT(next, end), body, after);
    m_builder.SetInsertPoint(after);
    m_known.clear();
}

// Repeated tiles of accumulators read the same elements. Kept in registers from one tile to the
// next, these would push accumulators out, so a fence, which is no instruction, makes every tile
// load its own.
void Emitter::unrolledLoop(const Stmt& stmt, std::int64_t min, std::int64_t extent) {
    const bool isTile = unrolledSize(stmt->body[0]) >= m_request.target->vectorRegisters * 3 / 4;
    for (std::int64_t i = 0; i < extent; ++i) {
        if (i > 0 && isTile)
            m_builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent,
                                  llvm::SyncScope::SingleThread);
        bind(stmt->var, {.constant = min + i});
        m_constants[stmt->var] = Expr(min + i);
        statement(stmt->body[0]);
        m_constants.erase(stmt->var);
    }
}

void Emitter::vectorLoop(const Stmt& stmt, const Index& min, std::int64_t extent) {
    // Up to two registers are one LLVM vector; longer loops are cut into registers.
    const std::int64_t bytes = laneBytes(stmt->body[0], stmt->var);
    const std::int64_t registerLanes =
        m_request.target->vectorLanesF32 * 4 / std::max<std::int64_t>(bytes, 1);
    const std::int64_t chunk = extent <= 2 * registerLanes ? extent : registerLanes;
    if (extent == 1 || extent > unrollLimit || !usesAsLane(stmt->body[0], stmt->var)) {
        serialLoop(stmt, min, {.constant = extent});
        return;
    }
    pushRange(stmt);
    for (std::int64_t done = 0; done < extent; done += chunk) {
        m_lanes = static_cast<unsigned>(std::min(chunk, extent - done));
        Index lanes = min;
        lanes.constant += done;
        lanes.laneStride = m_lanes > 1 ? 1 : 0;
        m_known.clear();
        bind(stmt->var, lanes);
        statement(stmt->body[0]);
    }
    m_lanes = 0;
    m_known.clear();
    m_ranges.pop();
}

void Emitter::parallelLoop(const Stmt& stmt) {
    m_known.clear();
    llvm::Value* count = uniformPart(index(stmt->extent));
    llvm::Function* outer = m_function;
    llvm::BasicBlock* outerEntry = m_entry;
    llvm::Value* outerContext = m_context;
    llvm::BasicBlock* place = m_builder.GetInsertBlock();
    const auto vars = m_vars;
    const auto storage = m_storage;

    llvm::Function* body =
        makeFunction(m_request.symbol + ".body" + std::to_string(m_bodies++), true);
    enterFunction(body);
    m_insideLoop = true;
    llvm::Value* begin = body->getArg(1);
    begin->setName("begin");
    body->getArg(2)->setName("end");
    const Index min = index(stmt->min);
    const Index extent = fromValue(m_builder.CreateSub(body->getArg(2), begin));
    serialLoop(stmt, add(min, {.base = begin}), extent);
    m_builder.CreateRetVoid();

    m_insideLoop = false;
    m_function = outer;
    m_entry = outerEntry;
    m_context = outerContext;
    m_vars = vars;
    m_storage = storage;
    m_known.clear();
    m_builder.SetInsertPoint(place);
    mark(m_nodes);
    llvm::LoadInst* callee = m_builder.CreateLoad(
        m_builder.getPtrTy(),
        m_builder.CreateConstInBoundsGEP1_64(m_builder.getPtrTy(), m_context, contextParallelFor),
        "parallel_for");
    llvm::Type* i64 = m_builder.getInt64Ty();
    auto* type = llvm::FunctionType::get(
        m_builder.getVoidTy(), {m_builder.getPtrTy(), m_builder.getPtrTy(), i64, i64}, false);
    m_builder.CreateCall(
        type, callee,
        {m_context, body, count, m_builder.getInt64(static_cast<std::uint64_t>(stmt->grain))});
}

void Emitter::underMask(llvm::Value* lanes, const Stmt& stmt) {
    const Mask outer = m_mask;
    m_mask.lanes = outer.lanes ? m_builder.CreateAnd(outer.lanes, lanes) : lanes;
    m_mask.any = m_builder.CreateOrReduce(m_mask.lanes);
    statement(stmt);
    m_mask = outer;
    m_known.clear();
}

void Emitter::conditional(const Stmt& stmt) {
    m_known.clear();
    const Condition c = condition(stmt->condition);
    const bool hasElse = stmt->body.size() > 1;
    if (c.decided) {
        if (*c.decided || hasElse)
            statement(stmt->body[*c.decided ? 0 : 1]);
        return;
    }
    const std::size_t facts = m_ranges.factCount();
    const Expr known = substitute(stmt->condition, m_constants);
    if (c.perLane) {
        m_ranges.assume(known);
        underMask(c.value, stmt->body[0]);
        m_ranges.dropFacts(facts);
        if (hasElse) {
            m_ranges.assume(notExpr(known));
            underMask(m_builder.CreateNot(c.value), stmt->body[1]);
            m_ranges.dropFacts(facts);
        }
        return;
    }
    auto* then = llvm::BasicBlock::Create(m_builder.getContext(), "then", m_function);
    auto* join = llvm::BasicBlock::Create(m_builder.getContext(), "join", m_function);
    auto* otherwise =
        hasElse ? llvm::BasicBlock::Create(m_builder.getContext(), "else", m_function) : join;
    m_builder.CreateCondBr(c.value, then, otherwise);
    m_builder.SetInsertPoint(then);
    m_ranges.assume(known);
    statement(stmt->body[0]);
    m_ranges.dropFacts(facts);
    m_builder.CreateBr(join);
    if (hasElse) {
        m_known.clear();
        m_builder.SetInsertPoint(otherwise);
        m_ranges.assume(notExpr(known));
        statement(stmt->body[1]);
        m_ranges.dropFacts(facts);
        m_builder.CreateBr(join);
    }
    m_builder.SetInsertPoint(join);
    m_known.clear();
}

void Emitter::allocation(const Stmt& stmt) {
    const Buffer& buffer = stmt->alloc;
    const std::optional<std::int64_t> size = simplify(substitute(buffer.size, m_constants)).asInt();
    if (!size || *size < 0) {
        refuse("local buffer " + buffer.name.text() + " has no constant size",
               m_builder.getInt64Ty());
        return;
    }
    Storage storage;
    storage.buffer = &buffer;
    storage.perLane = m_lanes > 1;
    storage.elements = *size * (storage.perLane ? m_lanes : 1);
    if (storage.elements > stackLimit / static_cast<std::int64_t>(dtypeBytes(buffer.dtype))) {
        refuse("local buffer " + buffer.name.text() + " is too large for the stack",
               m_builder.getInt64Ty());
        return;
    }
    llvm::IRBuilder<> entry(m_entry, m_entry->begin());
    llvm::Type* type =
        llvm::ArrayType::get(memoryType(buffer), static_cast<std::uint64_t>(storage.elements));
    llvm::AllocaInst* memory = entry.CreateAlloca(type, nullptr, buffer.name.text());
    memory->setAlignment(llvm::Align(64));
    storage.pointer = memory;
    const auto shadowed = m_storage.find(buffer.name);
    const std::optional<Storage> outer =
        shadowed == m_storage.end() ? std::nullopt : std::optional(shadowed->second);
    m_storage[buffer.name] = storage;
    statement(stmt->body[0]);
    if (outer)
        m_storage[buffer.name] = *outer;
    else
        m_storage.erase(buffer.name);
}

} // namespace fw::codegen
