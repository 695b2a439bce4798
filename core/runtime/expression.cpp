#include "runtime/expression.h"

#include <limits>

namespace fw::runtime {

Expression constant(std::int64_t value) {
    return Expression{{Instruction{Op::Constant, value}}};
}

Expression symbol(std::uint32_t index) {
    return Expression{{Instruction{Op::Symbol, index}}};
}

Expression binary(Op op, Expression left, const Expression& right) {
    left.code.insert(left.code.end(), right.code.begin(), right.code.end());
    left.code.push_back(Instruction{op, 0});
    return left;
}

Expression select(Expression condition, const Expression& then, const Expression& otherwise) {
    condition.code.insert(condition.code.end(), then.code.begin(), then.code.end());
    return binary(Op::Select, std::move(condition), otherwise);
}

bool wellFormed(const Expression& expression, std::size_t symbolCount) {
    std::size_t depth = 0;
    for (const Instruction& instruction : expression.code) {
        if (static_cast<std::uint8_t>(instruction.op) > lastOp)
            return false;
        if (instruction.op == Op::Constant || instruction.op == Op::Symbol) {
            if (instruction.op == Op::Symbol &&
                (instruction.value < 0 ||
                 static_cast<std::uint64_t>(instruction.value) >= symbolCount))
                return false;
            if (++depth > maximumStack)
                return false;
        } else if (instruction.op == Op::Not) {
            if (depth < 1)
                return false;
        } else if (instruction.op == Op::Select) {
            if (depth < 3)
                return false;
            depth -= 2;
        } else {
            if (depth < 2)
                return false;
            --depth;
        }
    }
    return depth == 1;
}

bool usesSymbols(const Expression& expression) {
    for (const Instruction& instruction : expression.code)
        if (instruction.op == Op::Symbol)
            return true;
    return false;
}

namespace {

Evaluation divide(std::int64_t a, std::int64_t b, std::int64_t& quotient, std::int64_t& remainder) {
    if (b == 0)
        return Evaluation::DivisionByZero;
    if (b == -1) {
        remainder = 0;
        return __builtin_sub_overflow(std::int64_t{0}, a, &quotient) ? Evaluation::Overflow
                                                                     : Evaluation::Ok;
    }
    quotient = a / b;
    remainder = a % b;
    if (remainder != 0 && (remainder < 0) != (b < 0)) {
        --quotient;
        remainder += b;
    }
    return Evaluation::Ok;
}

Evaluation apply(Op op, std::int64_t a, std::int64_t b, std::int64_t& result) {
    std::int64_t unused = 0;
    bool overflow = false;
    switch (op) {
    case Op::Constant:
    case Op::Symbol:
    case Op::Not:
    case Op::Select:
        break;
    case Op::Add:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case Op::Subtract:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case Op::Multiply:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case Op::FloorDivide:
        return divide(a, b, result, unused);
    case Op::FloorModulo:
        if (b == -1) {
            result = 0;
            return Evaluation::Ok;
        }
        return divide(a, b, unused, result);
    case Op::Minimum:
        result = a < b ? a : b;
        break;
    case Op::Maximum:
        result = a < b ? b : a;
        break;
    case Op::Equal:
        result = a == b;
        break;
    case Op::NotEqual:
        result = a != b;
        break;
    case Op::Less:
        result = a < b;
        break;
    case Op::LessOrEqual:
        result = a <= b;
        break;
    case Op::And:
        result = a != 0 && b != 0;
        break;
    case Op::Or:
        result = a != 0 || b != 0;
        break;
    }
    return overflow ? Evaluation::Overflow : Evaluation::Ok;
}

} // namespace

std::optional<std::size_t> symbolOf(const Expression& expression) {
    if (expression.code.size() != 1 || expression.code[0].op != Op::Symbol)
        return std::nullopt;
    return static_cast<std::size_t>(expression.code[0].value);
}

Evaluation evaluate(const Expression& expression, const std::int64_t* symbols,
                    std::int64_t& result) {
    std::int64_t stack[maximumStack];
    std::size_t depth = 0;
    for (const Instruction& instruction : expression.code) {
        if (instruction.op == Op::Constant) {
            stack[depth++] = instruction.value;
        } else if (instruction.op == Op::Symbol) {
            stack[depth++] = symbols[instruction.value];
        } else if (instruction.op == Op::Not) {
            stack[depth - 1] = stack[depth - 1] == 0;
        } else if (instruction.op == Op::Select) {
            stack[depth - 3] = stack[depth - 3] != 0 ? stack[depth - 2] : stack[depth - 1];
            depth -= 2;
        } else {
            const Evaluation step =
                apply(instruction.op, stack[depth - 2], stack[depth - 1], stack[depth - 2]);
            if (step != Evaluation::Ok)
                return step;
            --depth;
        }
    }
    result = stack[0];
    return Evaluation::Ok;
}

} // namespace fw::runtime
