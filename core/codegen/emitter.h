// Emitter: one loop nest to LLVM IR. Private to this folder; LLVM types are only named here.
//
// Index expressions are evaluated to an Index (uniform part + constant + stride * lane), so
// unrolled loops fold their variables into constants and guards without rewriting the nest, and a
// load knows at once whether it is uniform, contiguous, strided or scattered. Values are LLVM
// scalars, or vectors of one element per lane inside a Vector loop; a scalar is splat only where it
// meets a vector.
//
// A condition on lanes is a mask. Loads under a mask or a condition never touch memory that the
// nest would not touch: they are masked, or read a block of zeros instead.
//
// The first refusal is kept and emission goes on with poison; who calls asks for the diagnostic.
#pragma once

#include "expr/simplify.h"
#include "loop/loop.h"
#include "target/target.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace llvm {
class AllocaInst;
class BasicBlock;
class DIFile;
class Function;
class GlobalVariable;
class IRBuilderBase;
class Instruction;
class MDNode;
class Module;
class Type;
class Value;
} // namespace llvm

namespace fw::codegen {

// base + constant + laneStride * lane + lanes; base is a uniform i64, lanes a vector of i64.
struct Index {
    llvm::Value* base = nullptr;
    llvm::Value* lanes = nullptr;
    std::int64_t laneStride = 0;
    std::int64_t constant = 0;

    bool isConstant() const { return !base && !lanes && laneStride == 0; }
    bool isUniform() const { return !lanes && laneStride == 0; }
};

// The element that lane 0 reads lies `phase` after a multiple of `unit`, and the buffer holds whole
// units.
struct Aligned {
    std::int64_t unit = 0, phase = 0;
};

// Decided while emitting, or an i1, or a vector of i1.
struct Condition {
    explicit Condition(bool known) : decided(known) {}
    Condition(llvm::Value* truth, bool differs) : value(truth), perLane(differs) {}
    std::optional<bool> decided;
    llvm::Value* value = nullptr;
    bool perLane = false;
};

struct EmitRequest {
    const LoopNest* nest = nullptr;
    const Target* target = nullptr;
    std::string symbol;                                             // of the kernel function
    std::vector<std::pair<std::size_t, std::size_t>> sharedBuffers; // parameters that may overlap
    bool wantsOrigins = false; // debug lines that lead to graph nodes
};

class Emitter {
public:
    Emitter(llvm::Module& module, llvm::IRBuilderBase& builder, const EmitRequest& request);

    Status run(); // adds the kernel and the bodies of its parallel loops to the module

    // Graph nodes of debug line i + 1, if origins were wanted.
    const std::vector<std::vector<std::int64_t>>& origins() const { return m_origins; }

private:
    struct Storage {
        const Buffer* buffer = nullptr;
        llvm::Value* pointer = nullptr; // null until first used in this function
        llvm::MDNode* scope = nullptr;  // of a Parameter
        llvm::MDNode* noalias = nullptr;
        std::size_t parameter = 0;
        std::int64_t elements = -1; // of a local buffer
        bool perLane = false;       // one copy per lane: allocated inside a Vector loop
    };
    struct Mask {
        llvm::Value* lanes = nullptr; // vector of i1; null: every lane
        llvm::Value* any = nullptr;   // i1: some lane is active
    };
    struct Saved; // what a scope restores

    // emit_stmt.cpp
    llvm::Function* makeFunction(const std::string& name, bool isBody);
    void enterFunction(llvm::Function* function);
    void describe(llvm::Function* function);           // to a debugger
    void mark(const std::vector<std::int64_t>& nodes); // what follows comes from these
    void statement(const Stmt& stmt);
    void dispatch(const Stmt& stmt);
    void loop(const Stmt& stmt);
    void serialLoop(const Stmt& stmt, const Index& min, const Index& extent);
    void unrolledLoop(const Stmt& stmt, std::int64_t min, std::int64_t extent);
    void vectorLoop(const Stmt& stmt, const Index& min, std::int64_t extent);
    void parallelLoop(const Stmt& stmt);
    void conditional(const Stmt& stmt);
    void allocation(const Stmt& stmt);
    void bind(Symbol var, const Index& value) { m_vars[var] = value; }
    void underMask(llvm::Value* lanes, const Stmt& stmt);
    void pushRange(const Stmt& stmt);

    // emit_index.cpp
    Index index(const Expr& e);
    Index add(Index a, const Index& b);
    Index scale(Index a, std::int64_t factor);
    Index multiply(const Index& a, const Index& b);
    Index divide(const Index& a, const Index& b, ExprOp op);
    Index minMax(const Index& a, const Index& b, ExprOp op);
    Index fromValue(llvm::Value* value); // i64 or vector of i64
    llvm::Value* uniformPart(const Index& i);
    llvm::Value* materialize(const Index& i);
    llvm::Value* laneOffsets(const Index& i, unsigned bits); // the part that differs between lanes
    Condition condition(const Expr& e);
    Condition compareIndices(const Expr& e);
    Condition fromTruth(llvm::Value* value);
    llvm::Value* truth(const Condition& c);
    std::optional<bool> provedByRanges(const Expr& e);

    // emit_value.cpp
    llvm::Value* value(const Expr& e);
    llvm::Value* computed(const Expr& e);
    llvm::Value* arithmetic(const Expr& e);
    llvm::Value* extremum(const Expr& e, llvm::Value* a, llvm::Value* b);
    llvm::Value* integerDivision(const Expr& e, llvm::Value* a, llvm::Value* b);
    llvm::Value* comparison(const Expr& e);
    llvm::Value* select(const Expr& e);
    llvm::Value* selectLanes(const Expr& e, const Condition& c);
    llvm::Value* selectBranch(const Expr& e, const Condition& c);
    llvm::Value* cast(llvm::Value* v, DType from, DType to);
    llvm::Value* bitCast(llvm::Value* v, DType from, DType to);
    llvm::Value* call(const Expr& e);
    llvm::Value* constant(const Expr& e);
    llvm::Value* splat(llvm::Value* v);
    bool unify(llvm::Value*& a, llvm::Value*& b); // splats one if the other is a vector
    llvm::Type* valueType(DType dtype);           // scalar
    llvm::Value* refuse(std::string why, llvm::Type* type);

    // emit_memory.cpp
    Storage* storage(Symbol buffer);
    llvm::Value* load(const Expr& e);
    llvm::Value* guardedLoad(const Expr& e, const Condition& guard, llvm::Value* otherwise);
    llvm::Value* loadAt(Storage& from, DType dtype, const Index& at, llvm::Value* guard,
                        llvm::Value* otherwise);
    llvm::Value* loadUniform(Storage& from, DType dtype, const Index& at, llvm::Value* guard);
    llvm::Value* loadLanes(Storage& from, DType dtype, const Index& at, llvm::Value* guard);
    void store(const Stmt& stmt);
    void storeAt(Storage& to, DType dtype, const Index& at, llvm::Value* v);
    Index localIndex(const Storage& at, const Index& i) const;
    llvm::Value* address(Storage& at, llvm::Type* element, const Index& i);
    llvm::Value* laneAddresses(Storage& at, llvm::Type* element, const Index& i);
    bool insideLocal(const Storage& at, const Index& i) const;
    llvm::Value* zeros();
    llvm::Type* memoryType(const Buffer& buffer);
    void tag(llvm::Instruction* access, const Storage& at);

    // emit_shuffle.cpp
    std::optional<Aligned> alignment(const Expr& index, const Buffer& buffer);
    llvm::Value* shuffledLoad(Storage& from, const Expr& e, const Index& at); // null: not so

    llvm::Module& m_module;
    llvm::IRBuilderBase& m_builder;
    const EmitRequest& m_request;
    const LoopNest& m_nest;
    std::optional<Diag> m_refusal;

    llvm::Function* m_function = nullptr;
    llvm::BasicBlock* m_entry = nullptr;
    llvm::Value* m_context = nullptr;
    std::unordered_map<Symbol, Storage> m_storage;
    std::unordered_map<Symbol, Index> m_vars;
    std::unordered_map<Expr, llvm::Value*> m_known; // values of this statement and place
    Substitution m_constants;                       // variables of unrolled loops
    Ranges m_ranges;
    unsigned m_lanes = 0; // of the vector loop around, 0 outside
    Mask m_mask;
    llvm::GlobalVariable* m_zeros = nullptr;
    bool m_insideLoop = false;
    std::size_t m_bodies = 0;
    std::vector<std::vector<std::int64_t>> m_origins;
    std::vector<std::int64_t> m_nodes; // of the statement being emitted
    llvm::DIFile* m_file = nullptr;
    std::int64_t m_emitted = 0; // statements, against runaway unrolling
};

} // namespace fw::codegen
