// The reference with a bound: around the reference, exact where integers only add and multiply,
// wide enough for sums in any order and narrow enough to see one wrong element.
#include "common/test.h"
#include "tensor/bounded.h"
#include "tensor/operators.h"
#include "tensor/reference.h"

#include <cmath>
#include <random>

using namespace fw;
using namespace fw::testing;

namespace {

using Doubles = std::vector<double>;
enum class Kind : std::uint8_t { Random, Integers };

struct BoundedCase {
    OpInst inst;
    std::vector<TensorData> inputs;
    std::vector<BoundedValues> bounded;
};

BoundedCase bound(const char* name, const std::vector<std::string>& types, Attrs attributes = {},
                  Kind kind = Kind::Random, BoundedOptions options = {}) {
    BoundedCase out;
    const OpCall call = callOf(types, std::move(attributes));
    out.inst = libraryTexts().find(name)->instantiate(call).value();
    std::vector<BoundedValues> exact;
    for (std::size_t i = 0; i < types.size(); ++i) {
        const TensorType& type = *call.inputs[i];
        const auto extents = fixedExtents(type.shape).value();
        out.inputs.push_back(kind == Kind::Integers ? randomIntegers(type.dtype, extents, 5 + i)
                                                    : randomData(type.dtype, extents, 5 + i));
        exact.push_back(exactValues(out.inputs.back()));
    }
    std::vector<const BoundedValues*> pointers;
    for (const BoundedValues& values : exact)
        pointers.push_back(&values);
    out.bounded = evaluateBounded(out.inst, pointers, options).value();
    return out;
}

std::vector<TensorData> plain(const BoundedCase& c) {
    std::vector<const TensorData*> pointers;
    for (const TensorData& input : c.inputs)
        pointers.push_back(&input);
    return evaluate(c.inst, pointers).value();
}

} // namespace

class TestBounded : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsTheReference_data();
    void holdsTheReference();
    void integersAreExact();
    void notExactBeyondTheLimit();
    void sumsInAnyOrder();
    void decisionsOnComputedValues();
    void doubtfulIndex();
    void someRowsOnly();
    void emptySums();
    void denormals();
    void sharpValues_data();
    void sharpValues();
    void smallValues_data();
    void smallValues();
    void endsOfTypes();
    void integersThatGrow();
};

void TestBounded::holdsTheReference_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QStringList>("types");
    QTest::addColumn<int>("attribute");
    const auto row = [](const char* name, const QStringList& types, int attribute = 0) {
        QTest::addRow("%s %s", name, qPrintable(types.join(u' ')))
            << QString::fromLatin1(name) << types << attribute;
    };
    row("relu", {"f32[3, 200]"});
    row("gelu", {"f32[3, 5]"});
    row("sigmoid", {"f32[3, 5]"});
    row("tanh", {"f32[300]"});
    row("exp", {"f16[7]"});
    row("add", {"f32[2, 3, 4]", "f32[3, 1]"});
    row("div", {"f32[5]", "f32[5]"});
    row("where", {"bool[3]", "f32[2, 3]", "f32[]"});
    row("dense", {"f32[2, 3, 7]", "f32[5, 7]"});
    row("dense", {"f32[40, 7]", "f32[1, 7]"});
    row("batch_matmul", {"f32[3, 1, 4, 5]", "f32[2, 5, 6]"});
    row("conv2d", {"f32[1, 4, 6, 7]", "f32[3, 4, 3, 3]"}, 2);
    row("global_average_pool", {"f32[2, 3, 4, 5]"});
    row("softmax", {"f32[2, 5, 3]"}, 1);
    row("log_softmax", {"f32[2, 5, 3]"}, 1);
    row("layernorm", {"f32[3, 6]", "f32[6]", "f32[6]"});
    row("gather", {"f32[10, 2]", "i64[3]"});
    row("relu", {"f32[0, 3]"});
    row("add", {"f32[]", "f32[]"});
    row("add", {"i32[6]", "i32[6]"});
}

void TestBounded::holdsTheReference() {
    QFETCH(QString, name);
    QFETCH(QStringList, types);
    QFETCH(int, attribute);
    std::vector<std::string> texts;
    for (const QString& type : types)
        texts.push_back(type.toStdString());
    Attrs attributes;
    if (attribute == 1)
        attributes = attrs({{"axis", std::int64_t(1)}});
    if (attribute == 2)
        attributes = attrs({{"pads", Integers{1, 1, 1, 1}}});
    const BoundedCase c = bound(qPrintable(name), texts, attributes);
    const std::vector<TensorData> wanted = plain(c);
    QCOMPARE(c.bounded.size(), wanted.size());
    for (std::size_t o = 0; o < wanted.size(); ++o) {
        const BoundedValues& got = c.bounded[o];
        QCOMPARE(got.values.data.size(), wanted[o].count());
        for (std::size_t i = 0; i < wanted[o].count(); ++i) {
            const double value = isFloat(got.values.dtype)
                                     ? got.values.data[i].real
                                     : static_cast<double>(got.values.data[i].integer);
            const double off = std::fabs(value - wanted[o].at(i));
            QVERIFY2(off <= got.error(i), qPrintable(QStringLiteral("%1: %2 is %3 off, %4 allowed")
                                                         .arg(i)
                                                         .arg(value)
                                                         .arg(off)
                                                         .arg(got.error(i))));
            // A bound that allows anything would hold as well.
            QVERIFY(got.error(i) <= 1e-3 * std::max(1.0, std::fabs(value)) ||
                    got.values.dtype == DType::F16);
        }
    }
}

void TestBounded::integersAreExact() {
    for (const auto& [name, types] : std::vector<std::pair<const char*, std::vector<std::string>>>{
             {"dense", {"f32[4, 300]", "f32[5, 300]"}},
             {"conv2d", {"f32[1, 8, 6, 6]", "f32[4, 8, 3, 3]"}},
             {"add", {"f32[20]", "f32[20]"}},
             {"relu", {"f32[20]"}}}) {
        const BoundedCase c = bound(name, types, {}, Kind::Integers);
        QVERIFY2(c.bounded[0].errors.empty(), name);
    }
    // A quotient is not.
    QVERIFY(!bound("global_average_pool", {"f32[1, 2, 3, 3]"}, {}, Kind::Integers)
                 .bounded[0]
                 .errors.empty());
}

void TestBounded::notExactBeyondTheLimit() {
    const BoundedCase c = bound("dense", {"f16[1, 700]", "f16[1, 700]"}, {}, Kind::Integers);
    QVERIFY(c.bounded[0].error(0) > 0); // 2^11 is soon reached
}

void TestBounded::sumsInAnyOrder() {
    const BoundedCase c = bound("dense", {"f32[6, 500]", "f32[8, 500]"});
    std::mt19937_64 random(3);
    std::vector<std::size_t> order(500);
    std::iota(order.begin(), order.end(), std::size_t(0));
    const Doubles x = c.inputs[0].toDoubles(), w = c.inputs[1].toDoubles();
    for (std::size_t m = 0; m < 6; ++m)
        for (std::size_t n = 0; n < 8; ++n) {
            std::shuffle(order.begin(), order.end(), random);
            float sum = 0, without = 0;
            for (const std::size_t k : order) {
                const auto product =
                    static_cast<float>(x[m * 500 + k]) * static_cast<float>(w[n * 500 + k]);
                sum += product;
                without += k == 499 ? 0 : product; // the mistake of a loop that ends too early
            }
            const std::size_t i = m * 8 + n;
            const double value = c.bounded[0].values.data[i].real;
            QVERIFY(std::fabs(value - static_cast<double>(sum)) <= c.bounded[0].error(i));
            if (std::fabs(x[m * 500 + 499] * w[n * 500 + 499]) > 0.05)
                QVERIFY(std::fabs(value - static_cast<double>(without)) > c.bounded[0].error(i));
        }
}

// What is compared was computed: where both sides are close, either result is right.
void TestBounded::decisionsOnComputedValues() {
    const OperatorSet set = operatorsOf("op pick(x: f32[N]) -> y: f32[N] {\n"
                                        "  y[i] = select(exp(x[i]) < 1.0, 0.0, 5.0)\n}\n",
                                        "pick.fw");
    const OpInst inst = set.find("pick")->instantiate(callOf({"f32[3]"})).value();
    const TensorData data = dataFromDoubles(DType::F32, {3}, {-1, 0, 1});
    const BoundedValues x = exactValues(data);
    const std::vector<BoundedValues> y = evaluateBounded(inst, {&x}).value();
    QCOMPARE(y[0].values.data[0].real, 0.0);
    QCOMPARE(y[0].error(0), 0.0);
    QCOMPARE(y[0].error(1), 5.0);
    QCOMPARE(y[0].error(2), 0.0);
}

void TestBounded::doubtfulIndex() {
    const BoundedCase c = bound("gather", {"f32[10, 2]", "i64[3]"});
    BoundedValues data = exactValues(c.inputs[0]), index = exactValues(c.inputs[1]);
    index.errors = {0, 1, 0};
    const std::vector<BoundedValues> y = evaluateBounded(c.inst, {&data, &index}).value();
    QCOMPARE(y[0].error(0), 0.0);
    QVERIFY(std::isinf(y[0].error(2)) && std::isinf(y[0].error(3)));
    QCOMPARE(y[0].error(4), 0.0);
}

void TestBounded::someRowsOnly() {
    BoundedOptions options;
    options.work = 600;
    const BoundedCase all = bound("dense", {"f32[50, 20]", "f32[9, 20]"});
    const BoundedCase some =
        bound("dense", {"f32[50, 20]", "f32[9, 20]"}, {}, Kind::Random, options);
    std::size_t known = 0;
    for (std::size_t i = 0; i < 450; ++i)
        if (std::isfinite(some.bounded[0].error(i))) {
            ++known;
            QCOMPARE(some.bounded[0].values.data[i].real, all.bounded[0].values.data[i].real);
            QCOMPARE(some.bounded[0].error(i), all.bounded[0].error(i));
        }
    QVERIFY(known >= 27 && known < 200);
    QVERIFY(std::isfinite(some.bounded[0].error(0)) && std::isfinite(some.bounded[0].error(449)));
}

void TestBounded::emptySums() {
    const BoundedCase c = bound("dense", {"f32[2, 0]", "f32[3, 0]"});
    QVERIFY(c.bounded[0].errors.empty());
    for (const Value& value : c.bounded[0].values.data)
        QCOMPARE(value.real, 0.0);
}

namespace {

// The results of a body over x and y of one type, element by element.
BoundedValues of(const std::string& type, const std::string& body, const std::string& result,
                 const TensorData& x, const TensorData& y, const BoundedOptions& options) {
    const OperatorSet set =
        operatorsOf("op own(x: " + type + "[N], y: " + type + "[N]) -> z: " + result +
                        "[N] { z[i] = " + body + " }\n",
                    "own.fw");
    const std::string shape = "[" + std::to_string(x.count()) + "]";
    const OpInst inst = set.find("own")->instantiate(callOf({type + shape, type + shape})).value();
    const BoundedValues a = exactValues(x), b = exactValues(y);
    return evaluateBounded(inst, {&a, &b}, options).value().at(0);
}

BoundedOptions sharp() {
    BoundedOptions out;
    out.sharp = true;
    return out;
}

} // namespace

// A denormal is rounded to a multiple of the least one, and what reads it is off by its part of
// that.
void TestBounded::denormals() {
    const std::pair<const char*, double> types[] = {
        {"f16", 0x1p-25}, {"bf16", 0x1p-134}, {"f32", 0x1p-150}};
    for (const auto& [type, half] : types) {
        const auto data = [](double one) { return dataFromDoubles(DType::F64, {1}, {one}); };
        const std::string kept = std::string("cast(cast(x[i] / y[i], ") + type + "), f64)";
        const auto errorOf = [&](const std::string& body, double x) {
            return of("f64", body, "f64", data(x), data(3), {}).error(0);
        };
        QVERIFY2(errorOf(kept, half * 9) >= half, type);
        QVERIFY2(errorOf(kept, half * 9) < half * 1.01, type);
        QVERIFY2(errorOf("0.0 - " + kept + " * 4.0", half * 9) >= 4 * half, type);
    }
}

// Values by IEEE 754; an error of 0 says that nothing is rounded.
void TestBounded::sharpValues_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<double>("x");
    QTest::addColumn<double>("y");
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("error"); // none, some, unknown
    const double nan = std::nan(""), inf = HUGE_VAL;
    const auto row = [](const char* body, double x, double y, double value, const char* error) {
        QTest::addRow("%s at %g, %g", body, x, y)
            << QString(body) << x << y << value << QString(error);
    };
    row("x[i] + y[i]", 0.5, 1, 1.5, "none");
    row("round(x[i] + y[i])", 0.5, 1, 2, "none");
    row("x[i] + y[i]", 0.1, 1e-9, static_cast<double>(0.1F) + static_cast<double>(1e-9F), "some");
    row("x[i] * y[i]", 0.5, 3, 1.5, "none");
    row("x[i] / y[i]", 1, 4, 0.25, "none");
    row("x[i] / y[i]", 1, 3, 1.0 / 3, "some");
    row("sqrt(x[i] + y[i])", 1, 3, 2, "none");
    row("x[i] / y[i]", 1, 0, inf, "none");
    row("x[i] / y[i]", 0, 0, nan, "none");
    row("x[i] * y[i]", nan, 2, nan, "none");
    row("x[i] + y[i]", inf, 0.1, inf, "none");
    row("x[i] - y[i]", inf, inf, nan, "none");
    row("x[i] * y[i]", inf, 0, nan, "none");
    row("max(x[i], y[i])", nan, 1, nan, "none");
    row("select(x[i] * 0.1 < y[i], 1.0, 2.0)", nan, 1, 2, "none");
    // The limits of C, Annex F: of an infinity that is exact they are no roundings.
    row("tanh(x[i])", inf, 0, 1, "none");
    row("exp(x[i])", -inf, 0, 0, "none");
    row("tanh(x[i])", 0.5, 0, std::tanh(0.5), "some");
    row("sqrt(x[i] - y[i])", 0.1, 0.1, 0, "none");
    row("sqrt(x[i] - y[i])", 3, 1, std::sqrt(2.0), "some");
    row("sqrt(x[i] * 0.1 - y[i])", 3, 0.3, nan, "unknown"); // 0, its root or no number
    row("cast(cast(x[i], f16), f32) + y[i] * 0", 1 + 0x1p-12, 0, 1, "none");
    row("cast(cast(x[i], bf16), f32) + y[i] * 0", 1 + 0x1p-9, 0, 1, "none");
}

void TestBounded::sharpValues() {
    QFETCH(QString, body);
    QFETCH(double, x);
    QFETCH(double, y);
    QFETCH(double, value);
    QFETCH(QString, error);
    const auto data = [](double one) { return dataFromDoubles(DType::F32, {1}, {one}); };
    const BoundedValues z = of("f32", body.toStdString(), "f32", data(x), data(y), sharp());
    const double got = z.values.data[0].real;
    QVERIFY2((std::isnan(value) && std::isnan(got)) || got == value ||
                 std::fabs(got - value) <= z.error(0),
             qPrintable(QString::number(got)));
    QCOMPARE(std::isinf(z.error(0)), error == QStringLiteral("unknown"));
    QCOMPARE(z.error(0) == 0, error == QStringLiteral("none"));
}

// That fma finds no rest says nothing where the rest is none of the doubles.
void TestBounded::smallValues_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<double>("x");
    QTest::addColumn<double>("y");
    QTest::addColumn<bool>("exact");
    const auto row = [](const char* body, double x, double y, bool exact) {
        QTest::addRow("%s at %g, %g", body, x, y) << QString(body) << x << y << exact;
    };
    const double odd = 1 + 0x1p-52;
    row("x[i] * y[i]", odd * 0x1p-490, odd * 0x1p-490, false); // a rest of 2^-1084
    row("x[i] * y[i]", odd * 0x1p-500, odd * 0x1p-540, false);
    row("x[i] * y[i]", odd * 0x1p-470, 0x1p-470, true);
    row("x[i] * y[i]", odd * 0x1p-500, 0, true);
    row("x[i] / y[i]", odd * 0x1p-1000, 3, false);
    row("x[i] / y[i]", 0x1p-500, 0x1p560 * odd, false);
    row("x[i] / y[i]", odd * 0x1p-900, 2, true);
    row("x[i] / y[i]", 0, 3, true);
    row("sqrt(x[i] + y[i])", odd * 0x1p-1000, 0, false);
    row("exp(x[i] + y[i])", -720, 0, false);
    row("pow(x[i], y[i])", 0x1.8p-100, 10.5, false);
}

void TestBounded::smallValues() {
    QFETCH(QString, body);
    QFETCH(double, x);
    QFETCH(double, y);
    QFETCH(bool, exact);
    const auto data = [](double one) { return dataFromDoubles(DType::F64, {1}, {one}); };
    const BoundedValues z = of("f64", body.toStdString(), "f64", data(x), data(y), sharp());
    QCOMPARE(z.error(0) == 0, exact);
    QVERIFY(exact || z.error(0) >= 0x1p-1074);
}

void TestBounded::endsOfTypes() {
    const TensorData large = dataFromDoubles(DType::F16, {3}, {300, 60000, -300});
    const TensorData same = dataFromDoubles(DType::F16, {3}, {300, 1, 300});
    BoundedOptions options = sharp();
    QCOMPARE(of("f16", "x[i] * y[i]", "f16", large, same, options).values.data[0].real, 90000.0);
    options.ends = BoundedOptions::Ends::Narrow;
    const BoundedValues z = of("f16", "x[i] * y[i]", "f16", large, same, options);
    QCOMPARE(z.values.data[0].real, HUGE_VAL);
    QCOMPARE(z.error(0), 0.0);
    QCOMPARE(z.values.data[1].real, 60000.0);
    QCOMPARE(z.values.data[2].real, -HUGE_VAL);
    const TensorData huge = dataFromDoubles(DType::F32, {1}, {3e38});
    QCOMPARE(of("f32", "x[i] + y[i]", "f32", huge, huge, options).values.data[0].real,
             2 * huge.at(0));
    options.ends = BoundedOptions::Ends::All;
    QCOMPARE(of("f32", "x[i] + y[i]", "f32", huge, huge, options).values.data[0].real, HUGE_VAL);
}

void TestBounded::integersThatGrow() {
    const TensorData x = dataFromIntegers(DType::I8, {2}, {127, -128});
    const TensorData y = dataFromIntegers(DType::I8, {2}, {1, -1});
    BoundedOptions options = sharp();
    const auto at = [&](const std::string& body, std::size_t i) {
        return of("i8", body, "i8", x, y, options).values.data[i].integer;
    };
    QCOMPARE(at("x[i] + y[i]", 0), std::int64_t(-128));
    QCOMPARE(at("x[i] * y[i]", 1), std::int64_t(-128));
    options.wraps = false;
    QCOMPARE(at("x[i] + y[i]", 0), std::int64_t(128));
    QCOMPARE(at("x[i] * y[i]", 1), std::int64_t(128));
    const TensorData most = dataFromIntegers(DType::I64, {1}, {INT64_MAX});
    QVERIFY(std::isinf(of("i64", "x[i] + y[i]", "i64", most, most, options).error(0)));
}

FW_TEST(TestBounded, QCoreApplication)
#include "test_bounded.moc"
