// A scalar expression compiled to a list of instructions over registers: the inner part of the
// reference interpreter. Values are double for floats, 64-bit integers for everything else.
#pragma once

#include "expr/evaluate.h"
#include "tensor/values.h"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace fw {

// Double: nothing is rounded until it is stored. Steps: every operation on floats is rounded as
// machine code of its element type rounds it (f16 and bf16 are computed in f32), sums term by term.
enum class Precision : std::uint8_t { Double, Steps };

struct Instruction : Operation { // of an Apply; of others the dtype
    enum class Code : std::uint8_t { Apply, Select, Copy, Load, LoadOr, Jump, JumpUnless };
    Code code = Code::Apply;
    bool single = false; // the result of an Apply is rounded to f32
    int out = 0;
    int a = 0, b = 0, c = 0;        // registers; of an Apply the first in place of one it has not
    std::size_t target = 0;         // of a jump
    const Values* tensor = nullptr; // of a load
    Symbol name;                    // of it
    std::vector<int> indices;       // registers
    // Of a load whose indices are sums of variables: offset = base + sum of stride * variable, no
    // indices.
    std::vector<std::pair<int, std::int64_t>> strides;
    std::int64_t base = 0;
};

// What a load of that name reads; null: there is none.
using TensorOf = std::function<const Values*(Symbol)>;

class RegisterProgram : private Evaluate<RegisterProgram, int> {
public:
    // Taken: a select jumps to the side it takes, reads may be dot products; for run(). Both: every
    // instruction has a value at every point, and a read outside its tensor none that counts.
    enum class Sides : std::uint8_t { Taken, Both };

    // `variables` get the first registers, in order. Free dims and the tensors that are read must
    // be known.
    RegisterProgram(const Expr& e, const std::vector<Symbol>& variables, const Bindings& dims,
                    const TensorOf& tensors, Precision precision = Precision::Double,
                    Sides sides = Sides::Taken);

    // False if a read lies outside its tensor.
    bool run(std::vector<Value>& registers) const;
    int result() const { return m_result; }
    const std::vector<Value>& registers() const { return m_initial; } // before it runs
    const std::vector<Instruction>& code() const { return m_code; }
    std::vector<Instruction> takeCode() { return std::move(m_code); }
    // The registers of numbers.
    const std::vector<std::pair<int, DType>>& literals() const { return m_literals; }

private:
    friend Evaluate;
    // The register that holds the value of an expression behind the code for it.
    int integer(const Expr& e) { return constant(e); }
    int real(const Expr& e) { return constant(e); }
    int variable(const Expr& e);
    int select(const Expr& e);
    int load(const Expr& e) { return loadOr(e, -1); }
    int pad(const Expr& e) { return loadOr(e.arg(0), of(e.arg(1))); }
    int other(ExprOp op, const Expr& e);

    int constant(const Expr& e);
    int added(Instruction instruction); // the register of its result
    void copy(int from, int to);
    int loadOr(const Expr& e, int otherwise);
    bool affineLoad(const Expr& e, Instruction& load) const;
    int fresh(Value initial = {});

    std::vector<Instruction> m_code;
    std::vector<Value> m_initial;
    std::unordered_map<Symbol, int> m_variables;
    std::vector<std::pair<int, DType>> m_literals; // registers
    Precision m_precision;
    Sides m_sides;
    const Bindings& m_dims;
    const TensorOf& m_tensors;
    int m_result = 0;
};

Value applyInstruction(const Instruction& apply, Value a, Value b, Value c); // of an Apply
// Whether an operation that gives this type is rounded to f32.
bool isSingle(Precision precision, DType dtype);

} // namespace fw
