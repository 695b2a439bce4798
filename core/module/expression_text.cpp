#include "module/expression_text.h"

#include <fmt/format.h>

namespace fw::module {

using runtime::Op;

namespace {

const char* infix(Op op) {
    switch (op) {
    case Op::Add:
        return " + ";
    case Op::Subtract:
        return " - ";
    case Op::Multiply:
        return " * ";
    case Op::FloorDivide:
        return " / ";
    case Op::FloorModulo:
        return " % ";
    case Op::Equal:
        return " == ";
    case Op::NotEqual:
        return " != ";
    case Op::Less:
        return " < ";
    case Op::LessOrEqual:
        return " <= ";
    case Op::And:
        return " && ";
    case Op::Or:
        return " || ";
    case Op::Constant:
    case Op::Symbol:
    case Op::Minimum:
    case Op::Maximum:
    case Op::Not:
    case Op::Select:
        break;
    }
    return " ? ";
}

} // namespace

std::string expressionText(const runtime::Program& program, runtime::ExpressionId expression) {
    std::vector<std::string> stack;
    std::vector<bool> simple;
    for (const runtime::Instruction& instruction : program.expressions[expression].code) {
        if (instruction.op == Op::Constant) {
            stack.push_back(fmt::format("{}", instruction.value));
            simple.push_back(true);
            continue;
        }
        if (instruction.op == Op::Symbol) {
            stack.push_back(program.symbols[static_cast<std::size_t>(instruction.value)].name);
            simple.push_back(true);
            continue;
        }
        const auto operand = [&] {
            std::string text = simple.back() ? stack.back() : "(" + stack.back() + ")";
            stack.pop_back();
            simple.pop_back();
            return text;
        };
        if (instruction.op == Op::Not) {
            stack.push_back("!" + operand());
            simple.push_back(true);
        } else if (instruction.op == Op::Minimum || instruction.op == Op::Maximum) {
            const std::string right = operand();
            const std::string left = operand();
            stack.push_back(fmt::format("{}({}, {})", instruction.op == Op::Minimum ? "min" : "max",
                                        left, right));
            simple.push_back(true);
        } else if (instruction.op == Op::Select) {
            const std::string otherwise = operand();
            const std::string then = operand();
            stack.push_back(fmt::format("select({}, {}, {})", operand(), then, otherwise));
            simple.push_back(true);
        } else {
            const std::string right = operand();
            stack.push_back(operand() + infix(instruction.op) + right);
            simple.push_back(false);
        }
    }
    return stack.empty() ? std::string() : stack.back();
}

std::string shapeText(const runtime::Program& program, const runtime::Tensor& tensor) {
    std::string text = "[";
    for (runtime::ExpressionId dim : tensor.dims)
        text += (text.size() > 1 ? ", " : "") + expressionText(program, dim);
    return text + "]";
}

} // namespace fw::module
