// Expressions are built: constants fold, neutral elements go.
#include "base/hash.h"
#include "base/result.h"
#include "expr/expr.h"
#include "expr/scalar.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <unistd.h>

namespace fw {

namespace {

Expr make(ExprNode node) {
    std::uint64_t h =
        mixHash(static_cast<std::uint64_t>(node.op) * 131 + static_cast<std::uint64_t>(node.dtype),
                static_cast<std::uint64_t>(node.fn));
    h = mixHash(h, node.symbol.id());
    h = mixHash(h, static_cast<std::uint64_t>(node.integer));
    h = mixHash(h, std::bit_cast<std::uint64_t>(node.real));
    std::uint64_t parts = 1;
    for (const Expr& arg : node.args) {
        h = mixHash(h, arg.hash());
        parts += arg->parts;
    }
    node.hash = h;
    node.parts = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(parts, std::numeric_limits<std::uint32_t>::max()));
    return Expr(std::make_shared<const ExprNode>(std::move(node)));
}

Expr makeOp(ExprOp op, DType dtype, Exprs args) {
    ExprNode node;
    node.op = op;
    node.dtype = dtype;
    node.args = std::move(args);
    return make(std::move(node));
}

// An index literal beside a value of another dtype takes that dtype.
template <class Make>
Expr adapted(const Expr& a, const Expr& b, const Make& make) {
    if (a.isInt() && a.dtype() == DType::I64)
        return make(literalAs(a, b.dtype()), b);
    if (b.isInt() && b.dtype() == DType::I64)
        return make(a, literalAs(b, a.dtype()));
    throw InternalError("operands of different dtypes: " + a.text() + " and " + b.text());
}

// Folds two Int leaves of the same dtype. Values wrap; an index that overflows or is divided by 0
// is left as it is, so that who evaluates a shape sees it.
std::optional<Expr> foldInts(ExprOp op, const Expr& a, const Expr& b) {
    if (!a.isInt() || !b.isInt())
        return std::nullopt;
    const std::int64_t x = a->integer, y = b->integer;
    const bool divides = op == ExprOp::Div || op == ExprOp::FloorDiv || op == ExprOp::Mod;
    if (a.dtype() == DType::I64 &&
        ((divides && y == 0) || overflows({op, MathFn::Abs, DType::I64, DType::I64}, x, y)))
        return std::nullopt;
    return intExpr(applyIntegers(op, a.dtype(), x, y), a.dtype());
}

bool isOne(const Expr& e) {
    return e.isInt(1) || (e.op() == ExprOp::Float && e->real == 1);
}

std::optional<bool> asTruth(const Expr& e) {
    if (e.isInt())
        return e->integer != 0;
    return std::nullopt;
}

} // namespace

namespace {

Expr makeInt(std::int64_t value, DType dtype) {
    ExprNode node;
    node.dtype = dtype;
    node.integer = wrapTo(dtype, value);
    return make(std::move(node));
}

// Most expressions are extents and offsets, and most of those are small: they are made once for
// each thread, because threads that count the users of one node wait for each other.
constexpr std::int64_t smallest = -16, largest = 1024;

using SmallInts = std::array<std::optional<Expr>, largest - smallest + 1>;

SmallInts& ofMainThread() {
    static SmallInts* const all = new SmallInts; // outlives static destructors
    return *all;
}

SmallInts& ofThisThread() {
    thread_local SmallInts own;
    return own;
}

SmallInts& smallInts() {
    thread_local SmallInts* const mine =
        ::gettid() == ::getpid() ? &ofMainThread() : &ofThisThread();
    return *mine;
}

} // namespace

Expr intExpr(std::int64_t value, DType dtype) {
    if (dtype != DType::I64 || value < smallest || value > largest)
        return makeInt(value, dtype);
    std::optional<Expr>& known = smallInts()[static_cast<std::size_t>(value - smallest)];
    if (!known)
        known = makeInt(value, DType::I64);
    return *known;
}

Expr boolExpr(bool value) {
    return intExpr(value ? 1 : 0, DType::Bool);
}

Expr floatExpr(double value, DType dtype) {
    ExprNode node;
    node.op = ExprOp::Float;
    node.dtype = dtype;
    node.real = value;
    return make(std::move(node));
}

Expr constantExpr(double value, DType dtype) {
    return isFloat(dtype) ? floatExpr(value, dtype) : intExpr(saturateTo(dtype, value), dtype);
}

Expr varExpr(Symbol name, DType dtype) {
    ExprNode node;
    node.op = ExprOp::Var;
    node.dtype = dtype;
    node.symbol = name;
    return make(std::move(node));
}

Expr operator+(const Expr& a, const Expr& b) {
    if (a.dtype() != b.dtype())
        return adapted(a, b, [](const Expr& x, const Expr& y) { return x + y; });
    if (auto folded = foldInts(ExprOp::Add, a, b))
        return *folded;
    // x + 0.0 turns -0 into +0, so only integers drop a zero.
    if (a.isInt(0))
        return b;
    if (b.isInt(0))
        return a;
    return makeOp(ExprOp::Add, a.dtype(), {a, b});
}

Expr operator-(const Expr& a, const Expr& b) {
    if (a.dtype() != b.dtype())
        return adapted(a, b, [](const Expr& x, const Expr& y) { return x - y; });
    if (auto folded = foldInts(ExprOp::Sub, a, b))
        return *folded;
    if (b.isInt(0))
        return a;
    return makeOp(ExprOp::Sub, a.dtype(), {a, b});
}

Expr operator*(const Expr& a, const Expr& b) {
    if (a.dtype() != b.dtype())
        return adapted(a, b, [](const Expr& x, const Expr& y) { return x * y; });
    if (auto folded = foldInts(ExprOp::Mul, a, b))
        return *folded;
    if (isOne(a))
        return b;
    if (isOne(b))
        return a;
    if (a.isInt(0))
        return a;
    if (b.isInt(0))
        return b;
    return makeOp(ExprOp::Mul, a.dtype(), {a, b});
}

Expr operator-(const Expr& a) {
    if (a.isInt())
        return intExpr(0, a.dtype()) - a;
    if (a.op() == ExprOp::Float)
        return floatExpr(-a->real, a.dtype());
    return makeOp(ExprOp::Neg, a.dtype(), {a});
}

Expr divExpr(const Expr& a, const Expr& b) {
    if (a.dtype() != b.dtype())
        return adapted(a, b, divExpr);
    if (auto folded = foldInts(ExprOp::Div, a, b))
        return *folded;
    if (isOne(b))
        return a;
    return makeOp(ExprOp::Div, a.dtype(), {a, b});
}

Expr floorDivExpr(const Expr& a, const Expr& b) {
    if (a.dtype() != b.dtype())
        return adapted(a, b, floorDivExpr);
    if (auto folded = foldInts(ExprOp::FloorDiv, a, b))
        return *folded;
    if (b.isInt(1))
        return a;
    return makeOp(ExprOp::FloorDiv, a.dtype(), {a, b});
}

Expr modExpr(const Expr& a, const Expr& b) {
    if (a.dtype() != b.dtype())
        return adapted(a, b, modExpr);
    if (auto folded = foldInts(ExprOp::Mod, a, b))
        return *folded;
    if (b.isInt(1))
        return intExpr(0, a.dtype());
    return makeOp(ExprOp::Mod, a.dtype(), {a, b});
}

Expr minExpr(const Expr& a, const Expr& b) {
    if (a.dtype() != b.dtype())
        return adapted(a, b, minExpr);
    if (auto folded = foldInts(ExprOp::Min, a, b))
        return *folded;
    if (a == b)
        return a;
    return makeOp(ExprOp::Min, a.dtype(), {a, b});
}

Expr maxExpr(const Expr& a, const Expr& b) {
    if (a.dtype() != b.dtype())
        return adapted(a, b, maxExpr);
    if (auto folded = foldInts(ExprOp::Max, a, b))
        return *folded;
    if (a == b)
        return a;
    return makeOp(ExprOp::Max, a.dtype(), {a, b});
}

Expr fmaExpr(const Expr& a, const Expr& b, const Expr& c) {
    if (a.isInt(0) || b.isInt(0))
        return c;
    return makeOp(ExprOp::Fma, c.dtype(), {a, b, c});
}

Expr ceilDivExpr(const Expr& a, const Expr& b) {
    return floorDivExpr(a + b - Expr(1), b);
}

namespace {

Expr compare(ExprOp op, const Expr& a, const Expr& b) {
    if (a.dtype() != b.dtype())
        return adapted(a, b, [op](const Expr& x, const Expr& y) { return compare(op, x, y); });
    if (a.isInt() && b.isInt())
        return boolExpr(applyIntegers(op, a.dtype(), a->integer, b->integer) != 0);
    if (!isFloat(a.dtype()) && a == b)
        return boolExpr(op == ExprOp::Eq || op == ExprOp::Le);
    return makeOp(op, DType::Bool, {a, b});
}

} // namespace

Expr eqExpr(const Expr& a, const Expr& b) {
    return compare(ExprOp::Eq, a, b);
}

Expr neExpr(const Expr& a, const Expr& b) {
    return compare(ExprOp::Ne, a, b);
}

Expr ltExpr(const Expr& a, const Expr& b) {
    return compare(ExprOp::Lt, a, b);
}

Expr leExpr(const Expr& a, const Expr& b) {
    return compare(ExprOp::Le, a, b);
}

Expr andExpr(const Expr& a, const Expr& b) {
    if (auto truth = asTruth(a))
        return *truth ? b : a;
    if (auto truth = asTruth(b))
        return *truth ? a : b;
    if (a == b)
        return a;
    return makeOp(ExprOp::And, DType::Bool, {a, b});
}

Expr orExpr(const Expr& a, const Expr& b) {
    if (auto truth = asTruth(a))
        return *truth ? a : b;
    if (auto truth = asTruth(b))
        return *truth ? b : a;
    if (a == b)
        return a;
    return makeOp(ExprOp::Or, DType::Bool, {a, b});
}

Expr notExpr(const Expr& a) {
    if (auto truth = asTruth(a))
        return boolExpr(!*truth);
    if (a.op() == ExprOp::Not)
        return a.arg(0);
    return makeOp(ExprOp::Not, DType::Bool, {a});
}

Expr selectExpr(const Expr& condition, const Expr& a, const Expr& b) {
    if (auto truth = asTruth(condition))
        return *truth ? a : b;
    if (a.dtype() != b.dtype())
        return adapted(a, b,
                       [&](const Expr& x, const Expr& y) { return selectExpr(condition, x, y); });
    if (a == b)
        return a;
    return makeOp(ExprOp::Select, a.dtype(), {condition, a, b});
}

Expr castExpr(const Expr& value, DType dtype) {
    if (value.dtype() == dtype)
        return value;
    if (value.isInt() && dtype != DType::Text) {
        if (!isFloat(dtype))
            return intExpr(value->integer, dtype);
        // Numbers of f16 and bf16 are rounded where they are read, which may be in f32.
        const double whole = realOf(value.dtype(), value->integer, DType::F64);
        const bool isNarrow = dtype == DType::F16 || dtype == DType::BF16;
        return floatExpr(isNarrow && std::abs(whole) < 0x1p53
                             ? whole
                             : realOf(value.dtype(), value->integer, dtype),
                         dtype);
    }
    if (value.op() == ExprOp::Float && isFloat(dtype)) // a number, which is rounded once
        return floatExpr(value->real, dtype);
    return makeOp(ExprOp::Cast, dtype, {value});
}

Expr bitCastExpr(const Expr& value, DType dtype) {
    return value.dtype() == dtype ? value : makeOp(ExprOp::BitCast, dtype, {value});
}

Expr loadExpr(Symbol tensor, Exprs indices, DType dtype) {
    ExprNode node;
    node.op = ExprOp::Load;
    node.dtype = dtype;
    node.symbol = tensor;
    node.args = std::move(indices);
    return make(std::move(node));
}

Expr padExpr(const Expr& a, const Expr& b) {
    if (a.dtype() != b.dtype())
        return adapted(a, b, padExpr);
    return makeOp(ExprOp::Pad, a.dtype(), {a, b});
}

Expr callExpr(MathFn fn, Exprs args) {
    ExprNode node;
    node.op = ExprOp::Call;
    node.fn = fn;
    node.dtype = args.at(0).dtype();
    node.args = std::move(args);
    return make(std::move(node));
}

} // namespace fw
