#include "expr/parse.h"

#include "expr/operations.h"
#include "expr/scalar.h"
#include "syntax/foreign_words.h"

#include <fmt/format.h>
#include <limits>

namespace fw {

namespace {

Diag typeError(const Where& where, std::string message, std::string hint = {}) {
    return makeDiag(DiagCode::TextType, std::move(message), where, std::move(hint));
}

// A literal takes the dtype of the other operand. A real literal never becomes an integer.
bool unify(Expr& a, Expr& b) {
    if (a.dtype() == b.dtype())
        return true;
    const auto adapts = [](const Expr& literal, DType to) {
        if (literal.isInt())
            return literal.dtype() == DType::I64 && to != DType::Bool && to != DType::Text;
        return literal.op() == ExprOp::Float && literal.dtype() == DType::F32 && isFloat(to);
    };
    if (adapts(a, b.dtype())) {
        a = literalAs(a, b.dtype());
        return true;
    }
    if (adapts(b, a.dtype())) {
        b = literalAs(b, a.dtype());
        return true;
    }
    return false;
}

bool isNumber(const Expr& e) {
    return isFloat(e.dtype()) || isInteger(e.dtype());
}

class Elaborator {
public:
    explicit Elaborator(const ExprScope& scope) : m_scope(scope) {}

    Result<Expr> run(const Tree& tree) const {
        switch (tree.kind) {
        case TreeKind::Int:
            return intExpr(tree.integer);
        case TreeKind::Float:
            return floatExpr(tree.real);
        case TreeKind::Name:
            return name(tree);
        case TreeKind::Unary: {
            FW_TRY(const Expr operand, run(tree.args[0]));
            return applyPrefix(tree.text, operand, where(tree));
        }
        case TreeKind::Binary: {
            FW_TRY(const Expr left, run(tree.args[0]));
            FW_TRY(const Expr right, run(tree.args[1]));
            return applyInfix(tree.text, left, right, where(tree));
        }
        case TreeKind::Call:
            return call(tree);
        case TreeKind::Index:
            return load(tree);
        case TreeKind::Text:
        case TreeKind::Pack:
        case TreeKind::Reduce:
        case TreeKind::List:
            break;
        }
        return typeError(where(tree), "a scalar expression expected");
    }

private:
    Where where(const Tree& tree) const {
        return {m_scope.file, {}, tree.span.line, tree.span.column};
    }

    Result<Expr> name(const Tree& tree) const {
        if (const auto literal = literalOf(tree.text))
            return *literal;
        if (!m_scope.variable)
            return varExpr(tree.text);
        if (auto found = m_scope.variable(tree.text))
            return *found;
        return makeDiag(DiagCode::TextName, fmt::format("'{}' is not known here", tree.text),
                        where(tree));
    }

    Result<Exprs> list(const std::vector<Tree>& trees) const {
        Exprs out;
        for (const Tree& tree : trees) {
            FW_TRY(Expr e, run(tree));
            out.push_back(std::move(e));
        }
        return out;
    }

    Result<Expr> load(const Tree& tree) const {
        const std::optional<DType> dtype = m_scope.tensor ? m_scope.tensor(tree.text) : DType::F32;
        if (!dtype)
            return makeDiag(DiagCode::TextName, fmt::format("there is no tensor '{}'", tree.text),
                            where(tree));
        FW_TRY(Exprs indices, list(tree.args));
        for (std::size_t i = 0; i < indices.size(); ++i)
            if (!isInteger(indices[i].dtype()))
                return typeError(where(tree.args[i]), "an index is an integer");
        return loadExpr(tree.text, std::move(indices), *dtype);
    }

    Result<Expr> call(const Tree& tree) const {
        if ((tree.text == "cast" || tree.text == "bit_cast") && tree.args.size() == 2 &&
            tree.args[1].isName()) {
            FW_TRY(const Expr value, run(tree.args[0]));
            const auto dtype = parseDtype(tree.args[1].text);
            if (!dtype || *dtype == DType::Text)
                return typeError(where(tree),
                                 fmt::format("'{}' is not an element type", tree.args[1].text),
                                 elementTypeHint(tree.args[1].text));
            return tree.text == "cast" ? castExpr(value, *dtype)
                                       : applyBitCast(value, *dtype, where(tree));
        }
        FW_TRY(const Exprs args, list(tree.args));
        if (tree.text == "pad" && args.size() == 2) {
            Expr read = args[0], otherwise = args[1];
            if (read.op() != ExprOp::Load)
                return typeError(where(tree), "pad() takes a read of a tensor");
            if (!unify(read, otherwise))
                return typeError(where(tree), "the value of pad() has another element type");
            return padExpr(read, otherwise);
        }
        // A literal of a given dtype: f64(0.5), i32(-3).
        if (const auto dtype = parseDtype(tree.text);
            dtype && args.size() == 1 && args[0].isConstant()) {
            if (isFloat(*dtype) || (args[0].isInt() && *dtype != DType::Text))
                return literalAs(args[0], *dtype);
        }
        if (auto result = applyFunction(tree.text, args, where(tree)))
            return *result;
        return makeDiag(DiagCode::TextName, fmt::format("there is no function '{}'", tree.text),
                        where(tree));
    }

    const ExprScope& m_scope;
};

} // namespace

std::optional<Expr> literalOf(const std::string& name) {
    if (name == "true" || name == "false")
        return boolExpr(name == "true");
    if (name == "inf")
        return floatExpr(std::numeric_limits<double>::infinity());
    if (name == "nan")
        return floatExpr(std::numeric_limits<double>::quiet_NaN());
    return std::nullopt;
}

Result<Expr> applyInfix(const std::string& sign, const Expr& left, const Expr& right,
                        const Where& where) {
    Expr a = left, b = right;
    if (sign == "&&" || sign == "||") {
        if (a.dtype() != DType::Bool || b.dtype() != DType::Bool)
            return typeError(where, fmt::format("'{}' takes truths", sign));
        return sign == "&&" ? andExpr(a, b) : orExpr(a, b);
    }
    if (!unify(a, b))
        return typeError(where, fmt::format("'{}' has operands of different types, {} and {}", sign,
                                            dtypeText(a.dtype()), dtypeText(b.dtype())));
    if (sign == "==")
        return eqExpr(a, b);
    if (sign == "!=")
        return neExpr(a, b);
    if (!isNumber(a))
        return typeError(where, fmt::format("'{}' takes numbers", sign));
    if (sign == "<")
        return ltExpr(a, b);
    if (sign == "<=")
        return leExpr(a, b);
    if (sign == ">")
        return ltExpr(b, a);
    if (sign == ">=")
        return leExpr(b, a);
    if (sign == "+")
        return a + b;
    if (sign == "-")
        return a - b;
    if (sign == "*")
        return a * b;
    if (sign == "/" && isFloat(a.dtype()))
        return divExpr(a, b);
    if (sign == "/" || sign == "%") {
        if (isFloat(a.dtype()))
            return typeError(where, "'%' takes integers");
        if (b.isInt(0))
            return typeError(where, "division by 0");
        return sign == "/" ? floorDivExpr(a, b) : modExpr(a, b);
    }
    return typeError(where, fmt::format("'{}' has no meaning here", sign));
}

Result<Expr> applyPrefix(const std::string& sign, const Expr& operand, const Where& where) {
    if (sign == "!") {
        if (operand.dtype() != DType::Bool)
            return typeError(where, "'!' takes a truth");
        return notExpr(operand);
    }
    if (!isNumber(operand))
        return typeError(where, "'-' takes a number");
    return -operand;
}

Result<Expr> applyBitCast(const Expr& value, DType dtype, const Where& where) {
    if (dtype == DType::Text || value.dtype() == DType::Text ||
        dtypeBytes(dtype) != dtypeBytes(value.dtype()))
        return typeError(where, fmt::format("{} and {} are not of one size",
                                            dtypeText(value.dtype()), dtypeText(dtype)));
    return bitCastExpr(value, dtype);
}

std::optional<Result<Expr>> applyFunction(const std::string& name, const Exprs& args,
                                          const Where& where) {
    const auto fit = [&](std::size_t count) -> std::optional<Diag> {
        if (args.size() != count)
            return typeError(where, fmt::format("{}() takes {} operand{}, not {}", name, count,
                                                count == 1 ? "" : "s", args.size()));
        return std::nullopt;
    };
    if (name == "min" || name == "max" || name == "div") {
        if (auto wrong = fit(2))
            return *wrong;
        Expr a = args[0], b = args[1];
        if (!unify(a, b) || !isNumber(a))
            return typeError(where, fmt::format("{}() takes two numbers of one type", name));
        return Result<Expr>(name == "min"   ? minExpr(a, b)
                            : name == "max" ? maxExpr(a, b)
                                            : divExpr(a, b));
    }
    if (name == "fma") {
        if (auto wrong = fit(3))
            return *wrong;
        Expr a = args[0], b = args[1], c = args[2];
        if (!unify(a, b) || !unify(a, c) || !unify(b, c) || !isNumber(a))
            return typeError(where, "fma() takes three numbers of one type");
        return Result<Expr>(fmaExpr(a, b, c));
    }
    if (name == "select") {
        if (auto wrong = fit(3))
            return *wrong;
        Expr a = args[1], b = args[2];
        if (args[0].dtype() != DType::Bool)
            return typeError(where, "the condition of select() is not a truth");
        if (!unify(a, b))
            return typeError(where,
                             fmt::format("the values of select() have different types, {} and {}",
                                         dtypeText(a.dtype()), dtypeText(b.dtype())));
        return Result<Expr>(selectExpr(args[0], a, b));
    }
    const std::optional<MathFn> fn = parseMathFn(name);
    if (!fn)
        return std::nullopt;
    if (auto wrong = fit(mathArity(*fn)))
        return *wrong;
    Exprs operands = args;
    if (operands.size() == 2 && !unify(operands[0], operands[1]))
        return typeError(where, fmt::format("{}() takes two numbers of one type", name));
    const Takes takes = rowOf(*fn).takes;
    if (operands[0].isInt() && operands[0].dtype() == DType::I64 && takes == Takes::Real)
        operands[0] = floatExpr(static_cast<double>(operands[0]->integer));
    const DType dtype = operands[0].dtype();
    const bool fits =
        (isFloat(dtype) && takes != Takes::Integer) || (isInteger(dtype) && takes != Takes::Real);
    if (!fits)
        return typeError(where, fmt::format("{}() takes {}, not {}", name,
                                            takes == Takes::Number ? "a number"
                                            : takes == Takes::Real ? "a float"
                                                                   : "an integer",
                                            dtypeText(dtype)));
    return Result<Expr>(callExpr(*fn, std::move(operands)));
}

Result<Expr> elaborateExpr(const Tree& tree, const ExprScope& scope) {
    return Elaborator(scope).run(tree);
}

Result<Expr> parseExpr(std::string_view text, const ExprScope& scope) {
    FW_TRY(const Tree tree, parseTree(text, scope.file));
    return elaborateExpr(tree, scope);
}

} // namespace fw
