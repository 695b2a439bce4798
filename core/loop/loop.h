// The loop IR: what a fused group does to memory, one statement after another.
//
// Semantics are those of plain nested loops; `kind` is a promise about iterations, not a change of
// meaning: Parallel and Vector iterations are independent, Unroll is repeated text. So the
// interpreter ignores kinds, and code generation turns them into threads, lanes and straight-line
// code. A Parallel loop stands only at root level (no enclosing loop). A Vector loop has a constant
// extent, no loop inside except Unroll; a condition on its variable becomes a mask. A Register
// buffer is indexed by constants once Unroll loops are expanded and Vector loops are lanes.
//
// Loads and stores name a buffer and one flat element offset (Expr op Load with one index).
#pragma once

#include "base/result.h"
#include "ir/op_inst.h"

#include <memory>
#include <string>
#include <vector>

namespace fw {

enum class LoopKind : std::uint8_t { Serial, Parallel, Vector, Unroll };

// Parameter: handed in by the caller. Register: small, lives in registers. Stack: per thread,
// constant size. (What outlives a parallel loop is a Parameter in the arena.)
enum class BufferScope : std::uint8_t { Parameter, Register, Stack };
enum class BufferAccess : std::uint8_t { Read, Write, ReadWrite };

struct Buffer {
    Symbol name;
    DType dtype = DType::F32;
    Expr size; // elements; constant unless Parameter
    BufferScope scope = BufferScope::Parameter;
    BufferAccess access = BufferAccess::ReadWrite; // of a Parameter
    bool operator==(const Buffer&) const = default;
};

enum class StmtOp : std::uint8_t { Block, For, If, Store, Alloc };

struct StmtNode;
class Stmt {
public:
    Stmt(); // the empty block
    explicit Stmt(std::shared_ptr<const StmtNode> node) : m_node(std::move(node)) {}
    const StmtNode& node() const { return *m_node; }
    const StmtNode* operator->() const { return m_node.get(); }
    StmtOp op() const;
    bool isEmpty() const;                     // a Block without statements
    bool operator==(const Stmt& other) const; // structural

private:
    std::shared_ptr<const StmtNode> m_node;
};

struct StmtNode {
    StmtOp op = StmtOp::Block;
    std::vector<Stmt> body; // Block: the statements; For, Alloc: one; If: then, or then and else
    Symbol var;             // For
    Expr min, extent;       // For: var in min .. min + extent - 1 (none if extent <= 0)
    LoopKind kind = LoopKind::Serial;
    std::int64_t grain = 1; // For Parallel: least iterations worth a thread of their own
    Expr condition;         // If
    Symbol buffer;          // Store
    Expr index, value;      // Store
    Buffer alloc; // Alloc: lives in body[0]; Register and Stack only, contents undefined at entry
    std::vector<std::int64_t> nodes; // Block, For: graph nodes it comes from
};

Stmt blockStmt(std::vector<Stmt> statements,
               std::vector<std::int64_t> nodes = {}); // flattens blocks without nodes
Stmt forStmt(Symbol var, Expr min, Expr extent, LoopKind kind, Stmt body,
             std::vector<std::int64_t> nodes = {});
Stmt parallelStmt(Symbol var, Expr extent, std::int64_t grain, Stmt body,
                  std::vector<std::int64_t> nodes = {});
Stmt ifStmt(Expr condition, Stmt then);
Stmt ifElseStmt(Expr condition, Stmt then, Stmt otherwise);
Stmt storeStmt(Symbol buffer, Expr index, Expr value);
Stmt allocStmt(Buffer buffer, Stmt body);

// One kernel: parameters in the order in which the caller hands over pointers, free dimensions in
// the order in which it hands over values.
struct LoopNest {
    std::string name;
    std::vector<Buffer> parameters;
    std::vector<Symbol> symbols;
    Stmt body;

    bool operator==(const LoopNest&) const = default;
};

} // namespace fw
