// Text of an expression: infix, fewest parentheses, reads back as the same value.
//
//     integer `a / b` on indices is floor division; truncating integer division prints as div(a, b)
//     literals of a dtype other than i64 (integers) and f32 (floats) print as f64(0.5), i32(3);
//     truth as true, false
#include "base/numbers.h"
#include "expr/expr.h"

#include <fmt/format.h>

namespace fw {

namespace {

// Binding strength, loosest first.
enum Level { orLevel = 1, andLevel, compareLevel, addLevel, mulLevel, unaryLevel, primaryLevel };

void print(std::string& out, const Expr& e, int context);

void printList(std::string& out, const Exprs& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0)
            out += ", ";
        print(out, list[i], orLevel);
    }
}

void printCall(std::string& out, std::string_view name, const Exprs& args) {
    out += name;
    out += '(';
    printList(out, args);
    out += ')';
}

void printInfix(std::string& out, const Expr& e, std::string_view sign, int level, int context) {
    const bool wrap = level < context;
    // A comparison does not chain; the right operand of every infix binds tighter than the left.
    const int left = level == compareLevel ? level + 1 : level;
    if (wrap)
        out += '(';
    print(out, e.arg(0), left);
    out += sign;
    print(out, e.arg(1), level + 1);
    if (wrap)
        out += ')';
}

void printLiteral(std::string& out, const Expr& e, int context) {
    std::string text;
    if (e.dtype() == DType::Bool) {
        text = e->integer != 0 ? "true" : "false";
    } else if (e.isInt()) {
        text = fmt::format("{}", e->integer);
        if (e.dtype() != DType::I64)
            text = fmt::format("{}({})", dtypeText(e.dtype()), text);
    } else {
        text = numberText(e->real);
        if (text.find_first_of(".enf") == std::string::npos)
            text += ".0";
        if (e.dtype() != DType::F32)
            text = fmt::format("{}({})", dtypeText(e.dtype()), text);
    }
    const bool wrap = text[0] == '-' && context > addLevel;
    out += wrap ? "(" + text + ")" : text;
}

void print(std::string& out, const Expr& e, int context) {
    switch (e.op()) {
    case ExprOp::Int:
    case ExprOp::Float:
        return printLiteral(out, e, context);
    case ExprOp::Var:
        out += e->symbol.text();
        return;
    case ExprOp::Add:
        return printInfix(out, e, " + ", addLevel, context);
    case ExprOp::Sub:
        return printInfix(out, e, " - ", addLevel, context);
    case ExprOp::Mul:
        return printInfix(out, e, " * ", mulLevel, context);
    case ExprOp::Div:
        if (isFloat(e.dtype()))
            return printInfix(out, e, " / ", mulLevel, context);
        return printCall(out, "div", e.args());
    case ExprOp::FloorDiv:
        return printInfix(out, e, " / ", mulLevel, context);
    case ExprOp::Mod:
        return printInfix(out, e, " % ", mulLevel, context);
    case ExprOp::Min:
        return printCall(out, "min", e.args());
    case ExprOp::Max:
        return printCall(out, "max", e.args());
    case ExprOp::Neg:
        if (unaryLevel < context)
            out += '(';
        out += '-';
        print(out, e.arg(0), primaryLevel);
        if (unaryLevel < context)
            out += ')';
        return;
    case ExprOp::Fma:
        return printCall(out, "fma", e.args());
    case ExprOp::Eq:
        return printInfix(out, e, " == ", compareLevel, context);
    case ExprOp::Ne:
        return printInfix(out, e, " != ", compareLevel, context);
    case ExprOp::Lt:
        return printInfix(out, e, " < ", compareLevel, context);
    case ExprOp::Le:
        return printInfix(out, e, " <= ", compareLevel, context);
    case ExprOp::And:
        return printInfix(out, e, " && ", andLevel, context);
    case ExprOp::Or:
        return printInfix(out, e, " || ", orLevel, context);
    case ExprOp::Not:
        out += '!';
        return print(out, e.arg(0), primaryLevel);
    case ExprOp::Select:
        return printCall(out, "select", e.args());
    case ExprOp::Cast:
    case ExprOp::BitCast:
        out += e.op() == ExprOp::Cast ? "cast(" : "bit_cast(";
        print(out, e.arg(0), orLevel);
        out += fmt::format(", {})", dtypeText(e.dtype()));
        return;
    case ExprOp::Load:
        out += e->symbol.text();
        out += '[';
        printList(out, e.args());
        out += ']';
        return;
    case ExprOp::Pad:
        return printCall(out, "pad", e.args());
    case ExprOp::Call:
        return printCall(out, mathName(e->fn), e.args());
    }
}

} // namespace

std::string Expr::text() const {
    std::string out;
    print(out, *this, orLevel);
    return out;
}

} // namespace fw
