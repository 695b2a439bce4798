// The OpInst of a call while it is made: what its statements may read, which names are taken, what
// is known of sizes.
#pragma once

#include "expr/ranges.h"
#include "ir/op_inst.h"
#include "tensor/binding.h"

#include <map>
#include <set>
#include <unordered_map>

namespace fw {

// A statement of an operator; `element` of the variadic operand it is done for, if it is for each.
struct Statement {
    const StmtTree& tree;
    std::size_t element = 0;
};

// A tensor that a statement may read: its symbol and how patterns of indices meet it.
struct Readable {
    Symbol symbol;
    TensorType type;
    std::vector<Shape> items; // extents per item of its pattern
    std::vector<Slot> slots;
};

// A variable of a statement: one axis, or a pack of them.
struct Local {
    std::string name;
    bool pack = false;
};

class InstBuilder {
public:
    // With the operands and outputs of the call; the caller keeps all three.
    InstBuilder(const OpTree& op, const std::string& file, const Binding& binding);

    const OpTree& op() const { return m_op; }
    const std::string& file() const { return m_file; }
    const Binding& binding() const { return m_binding; }
    Where where(const Span& span) const { return {m_file, {}, span.line, span.column}; }

    OpInst& inst() { return m_inst; }
    Symbol freshName(const std::string& wish);
    void makeAxes(const Local& local, const Shape& extents, Names& locals, std::vector<Axis>& axes);

    // What a name of `in` reads: an output or let of the statements before it, or an operand.
    const Readable* readable(const std::string& name, const Statement& in) const;
    void setWritten(const std::string& name, Readable as) { m_written[name] = std::move(as); }

    // What is known of operands and of these axes.
    Ranges ranges(const std::vector<Axis>& axes);
    // Of the first `count` extents of a dim that differs between elements.
    Expr sumBefore(const std::string& dim, const Exprs& extents, std::size_t count);

private:
    void take(const Exprs& dims); // the names in them

    const OpTree& m_op;
    const std::string& m_file;
    const Binding& m_binding;
    OpInst m_inst;
    std::set<std::string> m_taken;
    std::unordered_map<std::string, int> m_counted; // names made of a wish
    std::map<std::string, Readable> m_written;      // outputs and lets so far
    std::map<std::string, Readable> m_params;
    std::optional<Ranges> m_known;       // of the operands, once they are asked for
    std::map<std::string, Exprs> m_sums; // of the first extents of a dim: none, one, two ...
};

} // namespace fw
