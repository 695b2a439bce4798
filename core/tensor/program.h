// A scalar expression compiled to a list of instructions over registers: the inner part of the
// reference interpreter. Values are double for floats, 64-bit integers for everything else.
#pragma once

#include "ir/op_inst.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fw {

union Value {
    double real;
    std::int64_t integer;
};

inline Value realValue(double value) {
    Value out;
    out.real = value;
    return out;
}

inline Value intValue(std::int64_t value) {
    Value out;
    out.integer = value;
    return out;
}

// Double: nothing is rounded until it is stored. Steps: every operation on floats is rounded as
// machine code of its element type rounds it (f16 and bf16 are computed in f32), sums term by term.
enum class Precision : std::uint8_t { Double, Steps };

// A tensor while it is evaluated: concrete extents, row-major values.
struct Values {
    DType dtype = DType::F32;
    std::vector<std::int64_t> extents;
    std::vector<Value> data;
};

struct Instruction {
    enum class Code : std::uint8_t { Apply, Load, LoadOr, Jump, JumpUnless };
    Code code = Code::Apply;
    ExprOp op = ExprOp::Add; // of an Apply
    MathFn fn = MathFn::Exp;
    DType from = DType::F32; // operand type of an Apply
    DType dtype = DType::F32;
    bool single = false; // the result of an Apply is rounded to f32
    int out = 0;
    int a = 0, b = 0, c = 0;        // registers
    std::size_t target = 0;         // of a jump
    const Values* tensor = nullptr; // of a load
    std::vector<int> indices;       // registers
    // Of a load whose indices are sums of variables: offset = base + sum of stride * variable, no
    // indices.
    std::vector<std::pair<int, std::int64_t>> strides;
    std::int64_t base = 0;
};

class Program {
public:
    // `variables` get the first registers, in order. Free dims and the tensors that are read must
    // be known.
    Program(const Expr& e, const std::vector<Symbol>& variables, const Bindings& dims,
            const std::unordered_map<Symbol, const Values*>& tensors,
            Precision precision = Precision::Double);

    // False if a read lies outside its tensor.
    bool run(std::vector<Value>& registers) const;
    int result() const { return m_result; }
    std::vector<Value> registers() const { return m_initial; }
    const std::vector<Instruction>& code() const { return m_code; }

private:
    int compile(const Expr& e);
    int constant(const Expr& e);
    int compileLoad(const Expr& e, int otherwise);
    bool affineLoad(const Expr& e, Instruction& load) const;
    int fresh(Value initial = {});

    std::vector<Instruction> m_code;
    std::vector<Value> m_initial;
    std::unordered_map<Symbol, int> m_variables;
    Precision m_precision;
    const Bindings& m_dims;
    const std::unordered_map<Symbol, const Values*>& m_tensors;
    int m_result = 0;
};

Value applyInstruction(const Instruction& apply, Value a, Value b, Value c); // of an Apply
// Whether an operation that gives this type is rounded to f32.
bool isSingle(Precision precision, DType dtype);
Value roundTo(Value value, DType dtype); // as a store to a tensor of that type does

} // namespace fw
