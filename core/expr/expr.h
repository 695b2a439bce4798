// Expr: the one immutable scalar expression, for dims, tensor bodies, loop indices, conditions and
// guards.
//
// A handle to a shared, never-changing node. Equality is structural (hash first). Index arithmetic
// has dtype I64; `floorDiv` and `mod` round toward minus infinity. In value arithmetic `div` is
// true division for floats and truncates for integers. Variables (loop axes, free dimensions) are
// named by Symbol; who joins expressions of two scopes renames first. Building folds constants and
// drops neutral elements, no more; simplify.h does the rest.
#pragma once

#include "base/symbol.h"
#include "expr/dtype.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace fw {

// Int, Float: a number. Var: symbol. Fma: args a, b, c; a * b + c with one rounding. Eq to Not:
// dtype Bool. Select: args condition, then, else; only the taken side is evaluated. Cast: float to
// integer truncates toward zero and saturates; to Bool: != 0. BitCast: the same bits as another
// type of that size (in memory: a Bool is a byte). Load: symbol is the tensor (or buffer in loop
// IR), args its indices. Pad: args Load, else; the else value wherever an index of the load is out
// of range. Call: a function, see MathFn.
enum class ExprOp : std::uint8_t {
#define FW_OPERATION(name, ...) name,
#include "expr/functions.def"
};

// Pow, BitAnd, BitOr and BitXor take two arguments, the others one. Round is half to even.
enum class MathFn : std::uint8_t {
#define FW_FUNCTION(name, ...) name,
#include "expr/functions.def"
};

class Expr;
using Exprs = std::vector<Expr>;
struct ExprNode;

class Expr {
public:
    Expr();                   // the integer 0
    Expr(std::int64_t value); // an index constant
    Expr(int value) : Expr(static_cast<std::int64_t>(value)) {}
    explicit Expr(std::shared_ptr<const ExprNode> node) : m_node(std::move(node)) {}

    const ExprNode& node() const { return *m_node; }
    const ExprNode* operator->() const { return m_node.get(); }
    ExprOp op() const;
    DType dtype() const;
    const Exprs& args() const;
    const Expr& arg(std::size_t i) const;

    bool operator==(const Expr& other) const; // structural
    bool sameNode(const Expr& other) const { return m_node == other.m_node; }
    std::uint64_t hash() const;
    // The order of canonical forms, the same in every process. Short expressions by their text.
    bool before(const Expr& other) const;

    bool isInt() const; // an Int leaf
    bool isInt(std::int64_t value) const;
    std::optional<std::int64_t> asInt() const; // value of an Int leaf
    bool isVar() const;
    bool isConstant() const;  // Int or Float leaf
    std::string text() const; // see print in expr.cpp; reads back as the same value
    long uses() const { return m_node.use_count(); } // 1: no other expression has this part

private:
    std::shared_ptr<const ExprNode> m_node;
};

struct ExprNode {
    ExprOp op = ExprOp::Int;
    DType dtype = DType::I64;
    MathFn fn = MathFn::Exp;  // of a Call
    Symbol symbol;            // of a Var or a Load
    std::int64_t integer = 0; // of an Int (also Bool constants, 0 or 1)
    double real = 0;          // of a Float
    Exprs args;
    std::uint64_t hash = 0;
    std::uint32_t parts = 1; // as many as are written out; the largest number stands for more
};

// Leaves
Expr intExpr(std::int64_t value, DType dtype = DType::I64);
Expr boolExpr(bool value);
Expr floatExpr(double value, DType dtype = DType::F32);
Expr constantExpr(double value, DType dtype); // Int or Float leaf by dtype
Expr varExpr(Symbol name, DType dtype = DType::I64);

// Value and index arithmetic. Both operands must have the same dtype, except that an Int leaf
// adapts.
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
Expr divExpr(const Expr& a, const Expr& b);
Expr floorDivExpr(const Expr& a, const Expr& b);
Expr modExpr(const Expr& a, const Expr& b);
Expr minExpr(const Expr& a, const Expr& b);
Expr maxExpr(const Expr& a, const Expr& b);
Expr fmaExpr(const Expr& a, const Expr& b, const Expr& c);
Expr ceilDivExpr(const Expr& a, const Expr& b); // index only

Expr eqExpr(const Expr& a, const Expr& b);
Expr neExpr(const Expr& a, const Expr& b);
Expr ltExpr(const Expr& a, const Expr& b);
Expr leExpr(const Expr& a, const Expr& b);
Expr andExpr(const Expr& a, const Expr& b);
Expr orExpr(const Expr& a, const Expr& b);
Expr notExpr(const Expr& a);

Expr selectExpr(const Expr& condition, const Expr& then, const Expr& otherwise);
Expr castExpr(const Expr& value, DType dtype);
Expr bitCastExpr(const Expr& value, DType dtype);
Expr loadExpr(Symbol tensor, Exprs indices, DType dtype);
Expr padExpr(const Expr& load, const Expr& otherwise);
Expr callExpr(MathFn fn, Exprs args);

std::string_view mathName(MathFn fn);
std::optional<MathFn> parseMathFn(std::string_view name);
std::size_t mathArity(MathFn fn);

// The same expression with other operands (same count); rebuilt through the builders, so constants
// fold.
Expr withArgs(const Expr& e, Exprs args);

// Bottom-up rewriting: `change` sees every node after its operands were rewritten, one that several
// parts share once.
Expr mapExpr(const Expr& e, const std::function<Expr(const Expr&)>& change);
// Parents first. A part that several others share is visited once, so the work is that of the
// nodes, not of the tree that they stand for.
void visitExpr(const Expr& e, const std::function<void(const Expr&)>& visit);
// Over the tree: what is shared counts as often as it is written out, and is asked once.
double sumOfParts(const Expr& e, const std::function<double(const Expr&)>& weight);

using Substitution = std::unordered_map<Symbol, Expr>;
Expr substitute(const Expr& e, const Substitution& map); // replaces variables

std::set<Symbol> freeVars(const Expr& e);
bool usesVar(const Expr& e, Symbol var);
bool hasLoad(const Expr& e);

// Evaluates an index or truth expression; unbound variables, loads and x/0 give nullopt. Checked.
using Bindings = std::unordered_map<Symbol, std::int64_t>;
std::optional<std::int64_t> evalIndex(const Expr& e, const Bindings& bindings);

// Evaluates a math function in double; the reference semantics of MathFn.
double evalMath(MathFn fn, double a, double b = 0);

} // namespace fw

// moc of Qt 6.4 does not parse `struct std::hash<...>`, so the namespace is opened.
namespace std {
template <>
struct hash<fw::Expr> {
    std::size_t operator()(const fw::Expr& e) const noexcept { return e.hash(); }
};
} // namespace std
