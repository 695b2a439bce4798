// One meaning of integer arithmetic and of conversions: expected values are worked out here in
// wider arithmetic, and constant folding, the reference, the interpreter of loop nests and machine
// code of every level (lanes and scalar) give them.
#include "codegen/harness.h"
#include "common/test.h"
#include "expr/scalar.h"
#include "schedule/lower_check.h"
#include "tensor/reference.h"
#include "tensor/wide_integers.h"

using namespace fw;
using namespace fw::test;

namespace {

const DType integerTypes[] = {DType::I8,  DType::U8,  DType::I16, DType::U16,
                              DType::I32, DType::U32, DType::I64, DType::U64};
const ExprOp operations[] = {ExprOp::Add,      ExprOp::Sub, ExprOp::Mul, ExprOp::Div,
                             ExprOp::FloorDiv, ExprOp::Mod, ExprOp::Min, ExprOp::Max};
const ExprOp comparisons[] = {ExprOp::Eq, ExprOp::Ne, ExprOp::Lt, ExprOp::Le};

// The number of the type that is congruent modulo 2^bits.
Wide fitted(DType dtype, Wide value) {
    const Wide modulus = Wide(1) << bitsOf(dtype);
    Wide rest = ((value % modulus) + modulus) % modulus;
    return rest > mostWide(dtype) ? rest - modulus : rest;
}

Wide expectedOf(ExprOp op, DType dtype, Wide a, Wide b) {
    switch (op) {
    case ExprOp::Add:
        return fitted(dtype, a + b);
    case ExprOp::Sub:
        return fitted(dtype, a - b);
    case ExprOp::Mul: // two factors of 64 bits overflow 128 only if unsigned
        return fitted(dtype, static_cast<Wide>(static_cast<unsigned __int128>(a) *
                                               static_cast<unsigned __int128>(b)) %
                                 (Wide(1) << 64));
    case ExprOp::Div:
        return b == 0 ? 0 : fitted(dtype, a / b);
    case ExprOp::FloorDiv:
        return b == 0 ? 0 : fitted(dtype, a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0));
    case ExprOp::Mod:
        return b == 0 ? 0 : fitted(dtype, ((a % b) + b) % b);
    case ExprOp::Min:
        return a < b ? a : b;
    case ExprOp::Max:
        return a < b ? b : a;
    case ExprOp::Eq:
        return a == b;
    case ExprOp::Ne:
        return a != b;
    case ExprOp::Lt:
        return a < b;
    default:
        return a <= b;
    }
}

Expr build(ExprOp op, const Expr& a, const Expr& b) {
    switch (op) {
    case ExprOp::Add:
        return a + b;
    case ExprOp::Sub:
        return a - b;
    case ExprOp::Mul:
        return a * b;
    case ExprOp::Div:
        return divExpr(a, b);
    case ExprOp::FloorDiv:
        return floorDivExpr(a, b);
    case ExprOp::Mod:
        return modExpr(a, b);
    case ExprOp::Min:
        return minExpr(a, b);
    case ExprOp::Max:
        return maxExpr(a, b);
    case ExprOp::Eq:
        return eqExpr(a, b);
    case ExprOp::Ne:
        return neExpr(a, b);
    case ExprOp::Lt:
        return ltExpr(a, b);
    default:
        return leExpr(a, b);
    }
}

// As it travels: of a U64 the bits.
std::int64_t carried(Wide value) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
}

std::vector<Wide> operandsOf(DType dtype) {
    std::vector<Wide> out;
    for (const Wide value : {Wide(0), Wide(1), Wide(2), Wide(3), Wide(7), Wide(10), Wide(-1),
                             Wide(-2), Wide(-3), Wide(-7), leastWide(dtype), leastWide(dtype) + 1,
                             mostWide(dtype), mostWide(dtype) - 1, mostWide(dtype) / 2 + 1})
        out.push_back(fitted(dtype, value));
    return out;
}

struct Pair {
    Wide a, b;
};

std::vector<Pair> pairsOf(DType dtype) {
    std::vector<Pair> out;
    for (const Wide a : operandsOf(dtype))
        for (const Wide b : operandsOf(dtype))
            out.push_back({a, b});
    return out;
}

// One thing to compute from a[i] and b[i], and what must come out.
struct Column {
    std::string name;
    Expr body; // over loads a[i], b[i]
    std::vector<std::int64_t> expected;
};

std::vector<Column> columnsOf(DType dtype, const std::vector<Pair>& pairs) {
    const Expr a = loadExpr("a", {v("i")}, dtype), b = loadExpr("b", {v("i")}, dtype);
    std::vector<Column> out;
    const auto add = [&](std::string name, const Expr& body, auto expected) {
        Column column{std::move(name), body, {}};
        for (const Pair& pair : pairs)
            column.expected.push_back(carried(expected(pair.a, pair.b)));
        out.push_back(std::move(column));
    };
    for (const ExprOp op : operations)
        add("operation " + std::to_string(int(op)), build(op, a, b),
            [&](Wide x, Wide y) { return expectedOf(op, dtype, x, y); });
    for (const ExprOp op : comparisons)
        add("comparison " + std::to_string(int(op)), castExpr(build(op, a, b), dtype),
            [&](Wide x, Wide y) { return expectedOf(op, dtype, x, y); });
    for (const ExprOp op : {ExprOp::Div, ExprOp::FloorDiv, ExprOp::Mod})
        for (const Wide by :
             {Wide(0), Wide(1), Wide(-1), Wide(3), Wide(8), Wide(-3), leastWide(dtype)}) {
            const Wide literal = fitted(dtype, by);
            add("by a literal " + std::to_string(int(op)),
                build(op, a, intExpr(carried(literal), dtype)),
                [&, literal](Wide x, Wide) { return expectedOf(op, dtype, x, literal); });
        }
    add("minus", -a, [&](Wide x, Wide) { return fitted(dtype, -x); });
    add("abs", callExpr(MathFn::Abs, {a}),
        [&](Wide x, Wide) { return fitted(dtype, x < 0 ? -x : x); });
    add("sign", callExpr(MathFn::Sign, {a}), [&](Wide x, Wide) {
        return fitted(dtype, x < 0 ? -1 : x > 0 ? 1 : 0);
    });
    add("fma", fmaExpr(a, a, b),
        [&](Wide x, Wide y) { return fitted(dtype, expectedOf(ExprOp::Mul, dtype, x, x) + y); });
    for (const DType to : integerTypes)
        add("to " + std::string(dtypeText(to)), castExpr(castExpr(a, to), dtype),
            [&](Wide x, Wide) { return fitted(dtype, fitted(to, x)); });
    add("to bool", castExpr(castExpr(a, DType::Bool), dtype),
        [&](Wide x, Wide) { return Wide(x != 0); });
    return out;
}

// All columns in one nest: y[c * count + i]; lanes with a tail, or one by one.
LoopNest nestOf(const std::vector<Column>& columns, DType dtype, std::int64_t count, bool lanes) {
    const Expr at = lanes ? v("o") * Expr(16) + v("l") : v("o");
    std::vector<Stmt> stores;
    for (std::size_t c = 0; c < columns.size(); ++c)
        stores.push_back(storeStmt("y", at + Expr(static_cast<std::int64_t>(c) * count),
                                   substitute(columns[c].body, {{"i", at}})));
    Stmt body = blockStmt(std::move(stores));
    if (lanes)
        body = forStmt("l", 0, 16, LoopKind::Vector, ifStmt(ltExpr(at, Expr(count)), body));
    return {"table",
            {{"a", dtype, Expr(count), BufferScope::Parameter, BufferAccess::Read},
             {"b", dtype, Expr(count), BufferScope::Parameter, BufferAccess::Read},
             {"y", dtype, Expr(count * static_cast<std::int64_t>(columns.size())),
              BufferScope::Parameter, BufferAccess::Write}},
            {},
            forStmt("o", 0, lanes ? ceilDivExpr(Expr(count), Expr(16)) : Expr(count),
                    LoopKind::Serial, body)};
}

// Odd numbers on the way to every integer type.
std::vector<double> oddReals() {
    std::vector<double> out = {0.0,   -0.0,     0.5,   -0.5,   0.999, -0.999,  1.5,
                               -1.5,  NAN,      -NAN,  1e-40,  1e30,  -1e30,   3.5e38,
                               -3e38, HUGE_VAL, 127.9, -128.9, 255.5, 65535.5, -HUGE_VAL};
    for (const int power : {7, 8, 15, 16, 31, 32, 63, 64})
        for (const double sign : {1.0, -1.0})
            for (const double off : {-1.0, 0.0, 1.0})
                out.push_back(sign * std::ldexp(1.0, power) + off);
    return out;
}

std::int64_t expectedCast(double value, DType to) {
    if (std::isnan(value))
        return 0;
    if (to == DType::Bool)
        return value != 0;
    const double cut = std::trunc(value);
    if (cut <= static_cast<double>(leastWide(to)))
        return carried(leastWide(to));
    // 2^63 - 1 and 2^64 - 1 are no doubles: the next one up is the first that saturates.
    if (cut >= static_cast<double>(mostWide(to)))
        return carried(mostWide(to));
    return carried(static_cast<Wide>(cut));
}

LoopNest mapNest(DType from, DType to, std::int64_t count, const Expr& body, bool lanes) {
    const Expr at = lanes ? v("o") * Expr(16) + v("l") : v("o");
    Stmt store = storeStmt("y", at, substitute(body, {{"i", at}}));
    if (lanes)
        store = forStmt("l", 0, 16, LoopKind::Vector, ifStmt(ltExpr(at, Expr(count)), store));
    return {"cast",
            {{"x", from, Expr(count), BufferScope::Parameter, BufferAccess::Read},
             {"y", to, Expr(count), BufferScope::Parameter, BufferAccess::Write}},
            {},
            forStmt("o", 0, lanes ? ceilDivExpr(Expr(count), Expr(16)) : Expr(count),
                    LoopKind::Serial, store)};
}

OpInst mapOf(DType from, DType to, std::int64_t count, const Expr& body) {
    OpInst inst;
    inst.inputs = {tensor("x", {Expr(count)}, from)};
    inst.outputs = {tensor("y", {Expr(count)}, to)};
    inst.stages = {mapStage("y", {{"i", Expr(count)}}, body)};
    return inst;
}

} // namespace

class TestScalars : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void integers_data();
    void integers();
    void realsToIntegers_data();
    void realsToIntegers();
    void integersToReals_data();
    void integersToReals();
    void reductionsStartAtTheirIdentity();
    void foldingLeavesShapesAlone();
};

void TestScalars::integers_data() {
    QTest::addColumn<int>("dtype");
    for (const DType dtype : integerTypes)
        QTest::newRow(std::string(dtypeText(dtype)).c_str()) << static_cast<int>(dtype);
}

void TestScalars::integers() {
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    const std::vector<Pair> pairs = pairsOf(type);
    const auto count = static_cast<std::int64_t>(pairs.size());
    const std::vector<Column> columns = columnsOf(type, pairs);
    std::vector<std::int64_t> a, b;
    for (const Pair& pair : pairs) {
        a.push_back(carried(pair.a));
        b.push_back(carried(pair.b));
    }
    const auto differs = [&](const char* who, const Column& column, std::size_t i,
                             std::int64_t got) {
        return QByteArray(who) + ": " + column.name.c_str() + " of " + QByteArray::number(a[i]) +
               " and " + QByteArray::number(b[i]) + " is " + QByteArray::number(got) + ", not " +
               QByteArray::number(column.expected[i]);
    };

    // Folding. An index that overflows or is divided by 0 stays as it is.
    for (const Column& column : columns)
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const Expr folded = mapExpr(column.body, [&](const Expr& part) {
                return part.op() != ExprOp::Load
                           ? part
                           : intExpr(part->symbol == Symbol("a") ? a[i] : b[i], type);
            });
            if (folded.isInt())
                QVERIFY2(folded->integer == column.expected[i],
                         differs("folding", column, i, folded->integer).constData());
            else
                QVERIFY2(type == DType::I64 || folded.op() == ExprOp::Call ||
                             folded.op() == ExprOp::Fma,
                         differs("folding", column, i, 0).constData());
        }

    // The reference.
    const TensorData left = dataFromIntegers(type, {count}, a);
    const TensorData right = dataFromIntegers(type, {count}, b);
    for (const Column& column : columns) {
        OpInst inst;
        inst.inputs = {tensor("a", {Expr(count)}, type), tensor("b", {Expr(count)}, type)};
        inst.outputs = {tensor("y", {Expr(count)}, type)};
        inst.stages = {mapStage("y", {{"i", Expr(count)}}, column.body)};
        const auto got = evaluate(inst, {&left, &right});
        QVERIFY2(got.ok(), got.ok() ? "" : got.diag().text().c_str());
        for (std::size_t i = 0; i < pairs.size(); ++i)
            QVERIFY2((*got)[0].integerAt(i) == column.expected[i],
                     differs("reference", column, i, (*got)[0].integerAt(i)).constData());
    }

    // The interpreter, and machine code beside it.
    LoopValues x = loopValues(type, pairs.size()), y = x;
    x.integer = a;
    y.integer = b;
    const std::vector<LoopValues> values = {x, y, loopValues(type, pairs.size() * columns.size())};
    for (const bool lanes : {false, true}) {
        const LoopNest nest = nestOf(columns, type, count, lanes);
        std::vector<LoopValues> ran = values;
        const Status status = interpret(nest, ran, {});
        QVERIFY2(status.ok(), status.ok() ? "" : status.diag().text().c_str());
        for (std::size_t c = 0; c < columns.size(); ++c)
            for (std::size_t i = 0; i < pairs.size(); ++i)
                QVERIFY2(ran[2].integer[c * pairs.size() + i] == columns[c].expected[i],
                         differs("interpreter", columns[c], i, ran[2].integer[c * pairs.size() + i])
                             .constData());
        for (const char* level : levels)
            if (testTarget(level).isHost)
                FW_SAME(compareRuns(nest, {}, values, testTarget(level)));
    }
}

void TestScalars::realsToIntegers_data() {
    QTest::addColumn<int>("from");
    QTest::addColumn<int>("to");
    for (const DType from : {DType::F32, DType::F64})
        for (const DType to : {DType::I8, DType::U8, DType::I16, DType::U16, DType::I32, DType::U32,
                               DType::I64, DType::U64, DType::Bool})
            QTest::newRow(
                (std::string(dtypeText(from)) + " to " + std::string(dtypeText(to))).c_str())
                << static_cast<int>(from) << static_cast<int>(to);
}

void TestScalars::realsToIntegers() {
    QFETCH(int, from);
    QFETCH(int, to);
    const auto source = static_cast<DType>(from), target = static_cast<DType>(to);
    std::vector<double> reals = oddReals();
    if (source == DType::F32)
        for (double& real : reals)
            real = static_cast<double>(static_cast<float>(real));
    std::vector<std::int64_t> expected;
    for (const double real : reals)
        expected.push_back(std::isnan(real) && target == DType::Bool ? 1
                                                                     : expectedCast(real, target));
    const auto count = static_cast<std::int64_t>(reals.size());
    const Expr body = castExpr(loadExpr("x", {v("i")}, source), target);
    const TensorData data = dataFromDoubles(source, {count}, reals);
    const auto reference = evaluate(mapOf(source, target, count, body), {&data});
    QVERIFY(reference.ok());
    LoopValues x = loopValues(source, reals.size());
    x.real = reals;
    for (const bool lanes : {false, true}) {
        const LoopNest nest = mapNest(source, target, count, body, lanes);
        std::vector<LoopValues> values = {x, loopValues(target, reals.size())};
        for (const char* level : levels)
            if (testTarget(level).isHost)
                FW_SAME(compareRuns(nest, {}, values, testTarget(level)));
        QVERIFY(interpret(nest, values, {}).ok());
        for (std::size_t i = 0; i < reals.size(); ++i) {
            QCOMPARE(values[1].integer[i], expected[i]);
            QCOMPARE((*reference)[0].integerAt(i), expected[i]);
        }
    }
    const TensorData stored = dataFromDoubles(target, {count}, reals);
    for (std::size_t i = 0; i < reals.size(); ++i) {
        QCOMPARE(literalAs(floatExpr(reals[i], source), target)->integer, expected[i]);
        QCOMPARE(stored.integerAt(i), expected[i]);
    }
}

void TestScalars::integersToReals_data() {
    QTest::addColumn<int>("dtype");
    for (const DType dtype : integerTypes)
        QTest::newRow(std::string(dtypeText(dtype)).c_str()) << static_cast<int>(dtype);
}

// Rounded once, not by way of another type.
void TestScalars::integersToReals() {
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    std::vector<Wide> numbers = operandsOf(type);
    for (const int power : {24, 53, 62, 63})
        for (const Wide off : {-1, 1, 3})
            numbers.push_back(fitted(type, (Wide(1) << power) + off));
    // Between two floats, a little above the middle: by way of a double it falls to the other one.
    numbers.push_back(fitted(type, (Wide(1) << 54) + (Wide(1) << 30) + 1));
    std::vector<std::int64_t> integers;
    for (const Wide number : numbers)
        integers.push_back(carried(number));
    const auto count = static_cast<std::int64_t>(integers.size());
    const TensorData data = dataFromIntegers(type, {count}, integers);
    for (const DType to : {DType::F32, DType::F64}) {
        const Expr body = castExpr(loadExpr("x", {v("i")}, type), to);
        const auto reference = evaluate(mapOf(type, to, count, body), {&data});
        QVERIFY(reference.ok());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const double expected = to == DType::F32
                                        ? static_cast<double>(static_cast<float>(numbers[i]))
                                        : static_cast<double>(numbers[i]);
            QCOMPARE((*reference)[0].at(i), expected);
            QCOMPARE(castExpr(intExpr(integers[i], type), to)->real, expected);
        }
        LoopValues x = loopValues(type, integers.size());
        x.integer = integers;
        for (const bool lanes : {false, true})
            for (const char* level : levels) {
                if (!testTarget(level).isHost)
                    continue;
                const LoopNest nest = mapNest(type, to, count, body, lanes);
                std::vector<LoopValues> values = {x, loopValues(to, integers.size())};
                FW_SAME(compareRuns(nest, {}, values, testTarget(level)));
                QVERIFY(interpret(nest, values, {}).ok());
                for (std::size_t i = 0; i < integers.size(); ++i)
                    QCOMPARE(values[1].real[i], (*reference)[0].at(i));
            }
    }
}

// The largest of negative numbers is negative, whatever the type.
void TestScalars::reductionsStartAtTheirIdentity() {
    for (const DType type : integerTypes)
        for (const auto& [reducer, only] :
             {std::pair(Reducer::Max, leastWide(type)), std::pair(Reducer::Min, mostWide(type))}) {
            QCOMPARE(reducerIdentity(reducer, type)->integer, carried(only));
            OpInst inst;
            inst.inputs = {tensor("x", {Expr(2)}, type)};
            inst.outputs = {tensor("y", {}, type)};
            inst.stages = {
                reduceStage("y", {}, reducer, {{"k", Expr(2)}}, loadExpr("x", {v("k")}, type))};
            const TensorData data = dataFromIntegers(type, {2}, {carried(only), carried(only)});
            QCOMPARE(evaluate(inst, {&data}).value()[0].integerAt(0), carried(only));
        }
}

void TestScalars::foldingLeavesShapesAlone() {
    const Expr most(INT64_MAX), least(INT64_MIN);
    for (const Expr& kept :
         {most + Expr(1), least - Expr(1), most * Expr(2), divExpr(Expr(3), 0),
          floorDivExpr(Expr(3), 0), modExpr(Expr(3), 0), floorDivExpr(least, Expr(-1))}) {
        QVERIFY(!kept.isInt());
        QVERIFY(!evalIndex(kept, {}));
    }
    QCOMPARE(evalIndex(modExpr(v("N"), Expr(-1)), {{"N", INT64_MIN}}).value(), std::int64_t(0));
    QCOMPARE((intExpr(200, DType::U8) + intExpr(100, DType::U8))->integer, std::int64_t(44));
    QCOMPARE(intExpr(-1, DType::U16)->integer, std::int64_t(65535));
    // 0.0 * inf is NaN, so a factor 0.0 stays.
    QCOMPARE(fmaExpr(loadExpr("x", {}, DType::F32), floatExpr(0), floatExpr(1)).op(), ExprOp::Fma);
}

FW_TEST(TestScalars, QCoreApplication)
#include "test_scalars.moc"
