// Integer expressions over the free dimensions of a program, as postfix code: extents, sizes,
// assumptions.
//
// Postfix needs no pointers, so it is stored, checked and evaluated without allocation. Arithmetic
// is checked: a size that does not fit is an error of the run, never a wrapped number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fw::runtime {

// Values are part of the program format: append only. Comparisons and Not give 0 or 1; And and Or
// take any integers.
enum class Op : std::uint8_t {
    Constant = 0, // pushes value
    Symbol = 1,   // pushes the symbol with index value
    Add = 2,
    Subtract = 3,
    Multiply = 4,
    FloorDivide = 5,
    FloorModulo = 6,
    Minimum = 7,
    Maximum = 8,
    Equal = 9,
    NotEqual = 10,
    Less = 11,
    LessOrEqual = 12,
    And = 13,
    Or = 14,
    Not = 15,
    Select = 16, // condition, then, otherwise: one of the last two; all three are evaluated
};

constexpr std::uint8_t lastOp = 16;
constexpr std::size_t maximumStack = 64;

struct Instruction {
    Op op = Op::Constant;
    std::int64_t value = 0; // of Constant and Symbol, else 0

    bool operator==(const Instruction& other) const {
        return op == other.op && value == other.value;
    }
};

struct Expression {
    std::vector<Instruction> code;

    bool operator==(const Expression& other) const { return code == other.code; }
};

Expression constant(std::int64_t value);
Expression symbol(std::uint32_t index);
Expression binary(Op op, Expression left, const Expression& right);
Expression select(Expression condition, const Expression& then, const Expression& otherwise);

// True if the code leaves exactly one value, never underflows or outgrows the stack and names
// existing symbols only.
bool wellFormed(const Expression& expression, std::size_t symbolCount);
bool usesSymbols(const Expression& expression);
// The one symbol that the expression is; nullopt if it is anything else.
std::optional<std::size_t> symbolOf(const Expression& expression);

enum class Evaluation : std::uint8_t { Ok, Overflow, DivisionByZero };

// `expression` must be well formed for the number of values behind `symbols`.
Evaluation evaluate(const Expression& expression, const std::int64_t* symbols,
                    std::int64_t& result);

} // namespace fw::runtime
