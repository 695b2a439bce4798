// Text of an expression: infix, fewest parentheses, reads back as the same value.
//
//     integer `a / b` on indices is floor division; truncating integer division prints as div(a, b)
//     literals of a dtype other than i64 (integers) and f32 (floats) print as f64(0.5), i32(3);
//     truth as true, false
#include "base/numbers.h"
#include "base/result.h"
#include "expr/expr.h"

#include <fmt/format.h>

namespace fw {

namespace {

// Binding strength, loosest first.
enum Level { OrLevel = 1, AndLevel, CompareLevel, AddLevel, MulLevel, UnaryLevel, PrimaryLevel };

void print(std::string& out, const Expr& e, int context);

void printList(std::string& out, const Exprs& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0)
            out += ", ";
        print(out, list[i], OrLevel);
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
    const int left = level == CompareLevel ? level + 1 : level;
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
    const bool wrap = text[0] == '-' && context > AddLevel;
    out += wrap ? "(" + text + ")" : text;
}

struct Infix {
    const char* sign;
    int level;
};

std::optional<Infix> infixOf(const Expr& e) {
    switch (e.op()) {
    case ExprOp::Add:
        return Infix{" + ", AddLevel};
    case ExprOp::Sub:
        return Infix{" - ", AddLevel};
    case ExprOp::Mul:
        return Infix{" * ", MulLevel};
    case ExprOp::Div:
        return isFloat(e.dtype()) ? std::optional(Infix{" / ", MulLevel}) : std::nullopt;
    case ExprOp::FloorDiv:
        return Infix{" / ", MulLevel};
    case ExprOp::Mod:
        return Infix{" % ", MulLevel};
    case ExprOp::Eq:
        return Infix{" == ", CompareLevel};
    case ExprOp::Ne:
        return Infix{" != ", CompareLevel};
    case ExprOp::Lt:
        return Infix{" < ", CompareLevel};
    case ExprOp::Le:
        return Infix{" <= ", CompareLevel};
    case ExprOp::And:
        return Infix{" && ", AndLevel};
    case ExprOp::Or:
        return Infix{" || ", OrLevel};
    default:
        return std::nullopt;
    }
}

// Of what is written as a function of all its operands.
std::string_view functionOf(const Expr& e) {
    switch (e.op()) {
    case ExprOp::Div:
        return "div";
    case ExprOp::Min:
        return "min";
    case ExprOp::Max:
        return "max";
    case ExprOp::Fma:
        return "fma";
    case ExprOp::Select:
        return "select";
    case ExprOp::Pad:
        return "pad";
    case ExprOp::Call:
        return mathName(e->fn);
    default:
        throw InternalError("an operation that is no function");
    }
}

void print(std::string& out, const Expr& e, int context) {
    switch (e.op()) {
    case ExprOp::Int:
    case ExprOp::Float:
        return printLiteral(out, e, context);
    case ExprOp::Var:
        out += e->symbol.text();
        return;
    case ExprOp::Neg:
        if (UnaryLevel < context)
            out += '(';
        out += '-';
        print(out, e.arg(0), PrimaryLevel);
        if (UnaryLevel < context)
            out += ')';
        return;
    case ExprOp::Not:
        out += '!';
        return print(out, e.arg(0), PrimaryLevel);
    case ExprOp::Cast:
    case ExprOp::BitCast:
        out += e.op() == ExprOp::Cast ? "cast(" : "bit_cast(";
        print(out, e.arg(0), OrLevel);
        out += fmt::format(", {})", dtypeText(e.dtype()));
        return;
    case ExprOp::Load:
        out += e->symbol.text();
        out += '[';
        printList(out, e.args());
        out += ']';
        return;
    default:
        if (const std::optional<Infix> infix = infixOf(e))
            return printInfix(out, e, infix->sign, infix->level, context);
        return printCall(out, functionOf(e), e.args());
    }
}

} // namespace

std::string Expr::text() const {
    std::string out;
    print(out, *this, OrLevel);
    return out;
}

} // namespace fw
