// The math functions against libm in double (long double for f64), over samples of all floats: the
// numbers of resources/docs/accuracy.md are held here.
#include "codegen/harness.h"
#include "common/test.h"

#include <functional>
#include <optional>

using namespace fw;
using namespace fw::test;

namespace {

constexpr int batch = 4096;

// The function over `batch` elements, vectors of `lanes`; of pow with a constant exponent.
struct MathKernel {
    MathKernel(MathFn fn, DType dtype, int lanes, const Target& target,
               std::optional<double> exponent = {}) {
        const Expr i = varExpr("i") * Expr(lanes) + varExpr("l");
        Exprs args = {loadExpr("x", {i}, dtype)};
        if (mathArity(fn) == 2)
            args.push_back(exponent ? floatExpr(*exponent, dtype) : loadExpr("z", {i}, dtype));
        const Buffer x{"x", dtype, batch, BufferScope::Parameter, BufferAccess::Read};
        const Buffer z{"z", dtype, batch, BufferScope::Parameter, BufferAccess::Read};
        const Buffer y{"y", dtype, batch, BufferScope::Parameter, BufferAccess::Write};
        const LoopNest nest{std::string(mathName(fn)),
                            {x, z, y},
                            {},
                            forStmt("i", 0, batch / lanes, LoopKind::Serial,
                                    forStmt("l", 0, lanes, LoopKind::Vector,
                                            storeStmt("y", i, callExpr(fn, args))))};
        const CompiledKernel kernel = compileKernel(nest, target).take();
        calls = kernel.counters.calls;
        textBytes = kernel.counters.textBytes;
        const std::vector<std::vector<std::byte>> objects = {kernel.object};
        module = jit().load(objects).take();
        run = module.kernel(kernel.symbol).take().run;
    }
    void operator()(const void* x, const void* z, void* y) const {
        void* pointers[] = {const_cast<void*>(x), const_cast<void*>(z), y};
        const fw_kernel_context context{pointers, nullptr, runSerially, nullptr};
        run(&context);
    }
    JitModule module;
    fw_kernel run = nullptr;
    std::int64_t calls = 0;
    std::int64_t textBytes = 0;
};

double exactly(MathFn fn, double a, double b) {
    return fn == MathFn::Sigmoid
               ? static_cast<double>(1.0L / (1.0L + std::exp(-static_cast<long double>(a))))
               : evalMath(fn, a, b);
}

long double exactlyLong(MathFn fn, long double a) {
    switch (fn) {
    case MathFn::Exp:
        return std::exp(a);
    case MathFn::Log:
        return std::log(a);
    case MathFn::Tanh:
        return std::tanh(a);
    case MathFn::Erf:
        return std::erf(a);
    case MathFn::Sigmoid:
        return 1.0L / (1.0L + std::exp(-a));
    case MathFn::Sin:
        return std::sin(a);
    case MathFn::Cos:
        return std::cos(a);
    default:
        return static_cast<long double>(evalMath(fn, static_cast<double>(a)));
    }
}

// Distance in units of the last place of the exact value, which is at least the smallest number.
template <class T>
double ulps(T got, long double want) {
    const T nearest = static_cast<T>(want);
    if (std::isnan(want) || std::isnan(got))
        return std::isnan(want) && std::isnan(got) ? 0 : HUGE_VAL;
    if (std::isinf(nearest) || std::isinf(got))
        return nearest == got ? 0 : HUGE_VAL;
    const T size = std::fabs(nearest);
    const T step = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
    return static_cast<double>(std::fabs(static_cast<long double>(got) - want) /
                               static_cast<long double>(step));
}

std::vector<const char*> cpus() {
    std::vector<const char*> names;
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
        if (testTarget(cpu).isHost)
            names.push_back(cpu);
    return names;
}

} // namespace

class TestVecmath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void f32_data();
    void f32();
    void f32Pow();
    void powOfConstants();
    void f64_data();
    void f64();
    void f64Pow();
    void specials_data();
    void specials();
    void lanesAgree();
    void noCalls();
    void lanesShareTheirInstructions();
};

void TestVecmath::f32_data() {
    QTest::addColumn<int>("fn");
    QTest::addColumn<double>("limit");    // ulp
    QTest::addColumn<double>("absolute"); // or this, whichever is larger; 0: ulp only
    QTest::addColumn<double>("range");    // |x| below
    const auto row = [](MathFn fn, double limit, double absolute = 0, double range = HUGE_VAL) {
        QTest::newRow(std::string(mathName(fn)).c_str())
            << static_cast<int>(fn) << limit << absolute << range;
    };
    row(MathFn::Exp, 2);
    row(MathFn::Log, 2);
    row(MathFn::Tanh, 6);
    row(MathFn::Erf, 0.5, 1e-6);
    row(MathFn::Sigmoid, 3);
    row(MathFn::Sin, 1, 0, 1e6);
    row(MathFn::Cos, 1, 0, 1e6);
    row(MathFn::Sqrt, 0.5);
    row(MathFn::Rsqrt, 1.5);
    row(MathFn::Abs, 0);
    row(MathFn::Floor, 0);
    row(MathFn::Ceil, 0);
    row(MathFn::Round, 0);
    row(MathFn::Sign, 0);
}

void TestVecmath::f32() {
    QFETCH(int, fn);
    QFETCH(double, limit);
    QFETCH(double, absolute);
    QFETCH(double, range);
    const auto function = static_cast<MathFn>(fn);
    for (const char* cpu : cpus()) {
        const MathKernel kernel(function, DType::F32, 16, testTarget(cpu));
        QCOMPARE(kernel.calls, std::int64_t(0));
        // A stride that is odd visits all exponents, signs, and low bits of every kind.
        std::vector<float> x(batch), y(batch);
        double worst = 0, worstAbsolute = 0;
        float worstAt = 0;
        const bool isLast = cpu == cpus().back();
        const std::uint32_t stride =
            isLast ? 2621 : 41943; // 1.6 million floats, or a tenth of a million
        std::uint64_t bits = 0;
        while (bits < (std::uint64_t(1) << 32)) {
            for (float& value : x) {
                value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
                if (!(std::fabs(value) < range))
                    value = 0.25f;
                bits += stride;
            }
            kernel(x.data(), x.data(), y.data());
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double want = exactly(function, double(x[i]), 0);
                const double error = ulps(y[i], want);
                const double difference = std::fabs(double(y[i]) - want);
                if (error <= limit || (absolute > 0 && difference <= absolute)) {
                    worstAbsolute = std::max(worstAbsolute, absolute > 0 ? difference : 0);
                    worst = std::max(worst, absolute > 0 ? 0 : error);
                    continue;
                }
                worst = HUGE_VAL;
                worstAt = x[i];
                break;
            }
            if (std::isinf(worst))
                break;
        }
        if (std::isinf(worst)) {
            std::vector<float> one(batch, worstAt), got(batch);
            kernel(one.data(), one.data(), got.data());
            QFAIL(QStringLiteral("%1(%2) is %3, not %4 on %5")
                      .arg(QString::fromLatin1(mathName(function)))
                      .arg(double(worstAt), 0, 'g', 12)
                      .arg(double(got[0]), 0, 'g', 12)
                      .arg(exactly(function, double(worstAt), 0), 0, 'g', 12)
                      .arg(QLatin1String(cpu))
                      .toUtf8()
                      .constData());
        }
        qInfo("%s %s: %.3f ulp, %.2g absolute", std::string(mathName(function)).c_str(), cpu, worst,
              worstAbsolute);
    }
}

// A few products and roots instead of exp and log; results that no f32 holds normally are left out.
void TestVecmath::powOfConstants() {
    std::mt19937 random(5);
    for (const char* cpu : cpus())
        for (int quarters = -17; quarters <= 17; ++quarters) {
            const double exponent = quarters / 4.0;
            const MathKernel kernel(MathFn::Pow, DType::F32, 16, testTarget(cpu), exponent);
            std::vector<float> x(batch), y(batch);
            const float special[] = {0.0f, -0.0f, 1.0f,      -1.0f,      2.0f, -2.0f, 0.5f,
                                     3.0f, -3.0f, HUGE_VALF, -HUGE_VALF, NAN,  1e30f, 1e-30f};
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] = i < std::size(special)
                           ? special[i]
                           : std::ldexp(1.0f + static_cast<float>(random() % 4096) / 4096,
                                        static_cast<int>(random() % 40) - 20);
            kernel(x.data(), x.data(), y.data());
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double want = std::pow(double(x[i]), exponent);
                if (want != 0 && std::abs(want) < 1e-37)
                    continue;
                QVERIFY2(ulps(y[i], static_cast<long double>(want)) <= 5,
                         QStringLiteral("pow(%1, %2) is %3 on %4")
                             .arg(double(x[i]))
                             .arg(exponent)
                             .arg(double(y[i]))
                             .arg(QLatin1String(cpu))
                             .toUtf8()
                             .constData());
            }
        }
}

void TestVecmath::f32Pow() {
    std::mt19937 random(5);
    for (const char* cpu : cpus()) {
        const MathKernel kernel(MathFn::Pow, DType::F32, 16, testTarget(cpu));
        std::vector<float> x(batch), z(batch), y(batch);
        const float special[] = {0.0f, -0.0f, 1.0f,      -1.0f,      2.0f, -2.0f, 0.5f,
                                 3.0f, -3.0f, HUGE_VALF, -HUGE_VALF, NAN,  1e30f, 0.25f};
        double worst = 0;
        for (int round = 0; round < 16; ++round) {
            for (std::size_t i = 0; i < x.size(); ++i) {
                if (i < std::size(special) * std::size(special)) {
                    x[i] = special[i % std::size(special)];
                    z[i] = special[i / std::size(special)];
                } else {
                    x[i] = std::ldexp(1.0f + static_cast<float>(random() % 4096) / 4096,
                                      static_cast<int>(random() % 40) - 20);
                    z[i] = static_cast<float>(static_cast<int>(random() % 2000) - 1000) / 100;
                }
            }
            kernel(x.data(), z.data(), y.data());
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double error =
                    ulps(y[i], static_cast<long double>(std::pow(double(x[i]), double(z[i]))));
                QVERIFY2(error <= 1, QStringLiteral("pow(%1, %2) is %3 on %4")
                                         .arg(double(x[i]))
                                         .arg(double(z[i]))
                                         .arg(double(y[i]))
                                         .arg(QLatin1String(cpu))
                                         .toUtf8()
                                         .constData());
                worst = std::max(worst, error);
            }
        }
        qInfo("pow %s: %.3f ulp", cpu, worst);
    }
}

void TestVecmath::f64_data() {
    QTest::addColumn<int>("fn");
    QTest::addColumn<double>("limit");
    QTest::addColumn<double>("range");
    for (const auto& [fn, limit, range] : {std::tuple(MathFn::Exp, 2.0, HUGE_VAL),
                                           {MathFn::Log, 2.0, HUGE_VAL},
                                           {MathFn::Tanh, 8.0, HUGE_VAL},
                                           {MathFn::Erf, 4.0, HUGE_VAL},
                                           {MathFn::Sigmoid, 3.0, HUGE_VAL},
                                           {MathFn::Sin, 2.0, 1e5},
                                           {MathFn::Cos, 2.0, 1e5}})
        QTest::newRow(std::string(mathName(fn)).c_str()) << static_cast<int>(fn) << limit << range;
}

void TestVecmath::f64() {
    QFETCH(int, fn);
    QFETCH(double, limit);
    QFETCH(double, range);
    const auto function = static_cast<MathFn>(fn);
    std::mt19937_64 random(11);
    for (const char* cpu : cpus()) {
        const MathKernel kernel(function, DType::F64, 8, testTarget(cpu));
        QCOMPARE(kernel.calls, std::int64_t(0));
        std::vector<double> x(batch), y(batch);
        double worst = 0;
        for (int round = 0; round < 24; ++round) {
            for (std::size_t i = 0; i < x.size(); ++i) {
                if (i % 2)
                    x[i] = std::bit_cast<double>(random());
                else
                    x[i] = (static_cast<double>(random() >> 11) / 9007199254740992.0 - 0.5) *
                           (round % 2 ? 8.0 : 1500.0);
                if (!(std::fabs(x[i]) < range))
                    x[i] = 0.25;
            }
            kernel(x.data(), x.data(), y.data());
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double error =
                    ulps(y[i], exactlyLong(function, static_cast<long double>(x[i])));
                QVERIFY2(error <= limit, QStringLiteral("f(%1) is %2, %3 ulp off, on %4")
                                             .arg(x[i], 0, 'g', 17)
                                             .arg(y[i], 0, 'g', 17)
                                             .arg(error)
                                             .arg(QLatin1String(cpu))
                                             .toUtf8()
                                             .constData());
                worst = std::max(worst, error);
            }
        }
        qInfo("f64 %s %s: %.3f ulp", std::string(mathName(function)).c_str(), cpu, worst);
    }
}

// Whole powers of whole numbers, of which a double holds many, and others up to the limits.
void TestVecmath::f64Pow() {
    std::mt19937_64 random(7);
    const double special[] = {0.0,  -0.0,     1.0,       -1.0, 2.0,   -2.0,  0.5,
                              -3.0, HUGE_VAL, -HUGE_VAL, NAN,  1e300, 1e-30, 5e-324};
    const auto real = [&] { return static_cast<double>(random() >> 11) / 9007199254740992.0; };
    for (const char* cpu : cpus()) {
        const MathKernel kernel(MathFn::Pow, DType::F64, 8, testTarget(cpu));
        std::vector<double> x(batch), z(batch), y(batch);
        double worst = 0;
        for (int round = 0; round < 16; ++round) {
            for (std::size_t i = 0; i < x.size(); ++i) {
                if (i < std::size(special) * std::size(special)) {
                    x[i] = special[i % std::size(special)];
                    z[i] = special[i / std::size(special)];
                } else if (i % 2) {
                    x[i] = static_cast<double>(1 + random() % 40);
                    z[i] = static_cast<double>(random() % 16) - 4;
                } else {
                    x[i] = std::ldexp(1 + real(), static_cast<int>(random() % 40) - 20);
                    z[i] = (real() - 0.5) * 1400 / std::log(x[i]);
                }
            }
            kernel(x.data(), z.data(), y.data());
            for (std::size_t i = 0; i < x.size(); ++i) {
                const long double want =
                    std::pow(static_cast<long double>(x[i]), static_cast<long double>(z[i]));
                const double error = ulps(y[i], want);
                const bool sign = want != 0 || std::signbit(want) == std::signbit(y[i]);
                QVERIFY2(error <= 2 && sign, QStringLiteral("pow(%1, %2) is %3, %4 ulp off, on %5")
                                                 .arg(x[i], 0, 'g', 17)
                                                 .arg(z[i], 0, 'g', 17)
                                                 .arg(y[i], 0, 'g', 17)
                                                 .arg(error)
                                                 .arg(QLatin1String(cpu))
                                                 .toUtf8()
                                                 .constData());
                worst = std::max(worst, error);
            }
        }
        qInfo("f64 pow %s: %.3f ulp", cpu, worst);
    }
}

void TestVecmath::specials_data() {
    QTest::addColumn<int>("dtype");
    QTest::newRow("f32") << static_cast<int>(DType::F32);
    QTest::newRow("f64") << static_cast<int>(DType::F64);
}

// NaN, infinities, zeros and the first subnormal, for every function.
void TestVecmath::specials() {
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    const double inputs[] = {
        NAN, HUGE_VAL, -HUGE_VAL, 0.0, -0.0, type == DType::F32 ? 1.4e-45 : 5e-324, -1.0};
    for (const char* cpu : cpus())
        for (MathFn fn : {MathFn::Exp, MathFn::Log, MathFn::Sqrt, MathFn::Rsqrt, MathFn::Tanh,
                          MathFn::Erf, MathFn::Sigmoid, MathFn::Abs, MathFn::Floor, MathFn::Ceil,
                          MathFn::Round, MathFn::Sign, MathFn::Sin, MathFn::Cos}) {
            const MathKernel kernel(fn, type, 8, testTarget(cpu));
            std::vector<double> wide(batch), wideOut(batch);
            std::vector<float> narrow(batch), narrowOut(batch);
            for (std::size_t i = 0; i < std::size(inputs); ++i) {
                wide[i] = inputs[i];
                narrow[i] = static_cast<float>(inputs[i]);
            }
            if (type == DType::F32)
                kernel(narrow.data(), narrow.data(), narrowOut.data());
            else
                kernel(wide.data(), wide.data(), wideOut.data());
            for (std::size_t i = 0; i < std::size(inputs); ++i) {
                const double x = type == DType::F32 ? double(narrow[i]) : wide[i];
                const double got = type == DType::F32 ? double(narrowOut[i]) : wideOut[i];
                const double want = evalMath(fn, x);
                if (fn == MathFn::Sign && x == 0) // of either zero
                    QVERIFY(!std::signbit(got) && !std::signbit(want));
                // A product of the smallest number may vanish.
                const double tolerance =
                    std::fabs(want) * (type == DType::F32 ? 1e-6 : 1e-14) +
                    (fn == MathFn::Erf ? (type == DType::F32 ? 3e-45 : 1e-323) : 0);
                const bool sign = x != 0 || want != 0 || std::signbit(got) == std::signbit(want);
                const bool same = (std::isnan(got) && std::isnan(want)) || (got == want && sign) ||
                                  (got != want && std::fabs(got - want) <= tolerance);
                QVERIFY2(same, QStringLiteral("%1(%2) is %3, not %4 on %5")
                                   .arg(QString::fromLatin1(mathName(fn)))
                                   .arg(x)
                                   .arg(got)
                                   .arg(want)
                                   .arg(QLatin1String(cpu))
                                   .toUtf8()
                                   .constData());
            }
        }
}

// A lane computes what the scalar code computes, so tails equal bodies.
void TestVecmath::lanesAgree() {
    std::vector<float> x(batch), vectors(batch), scalars(batch);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = (static_cast<float>(i) - 2048) / 97;
    for (const char* cpu : cpus())
        for (MathFn fn :
             {MathFn::Exp, MathFn::Log, MathFn::Tanh, MathFn::Erf, MathFn::Sigmoid, MathFn::Sin}) {
            MathKernel(fn, DType::F32, 16, testTarget(cpu))(x.data(), x.data(), vectors.data());
            MathKernel(fn, DType::F32, 1, testTarget(cpu))(x.data(), x.data(), scalars.data());
            for (std::size_t i = 0; i < x.size(); ++i)
                QVERIFY((std::isnan(vectors[i]) && std::isnan(scalars[i])) ||
                        vectors[i] == scalars[i]);
        }
}

void TestVecmath::noCalls() {
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
        for (DType dtype : {DType::F32, DType::F64})
            for (int lanes : {1, 4, 16}) {
                const MathKernel kernel(MathFn::Pow, dtype, lanes, testTarget(cpu));
                QCOMPARE(kernel.calls, std::int64_t(0));
            }
}

// What has no vector form is taken apart lane by lane, which no result shows, only the size of the
// code.
void TestVecmath::lanesShareTheirInstructions() {
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
        for (MathFn fn :
             {MathFn::Exp, MathFn::Log, MathFn::Tanh, MathFn::Erf, MathFn::Sigmoid, MathFn::Sqrt}) {
            const Target target = testTarget(cpu);
            const auto one = MathKernel(fn, DType::F32, 1, target).textBytes;
            const auto many = MathKernel(fn, DType::F32, target.vectorLanesF32, target).textBytes;
            qInfo("%s %s: %lld and %lld bytes", std::string(mathName(fn)).c_str(), cpu,
                  static_cast<long long>(one), static_cast<long long>(many));
            QVERIFY(many < 1.6 * static_cast<double>(one));
        }
}

FW_TEST(TestVecmath, QCoreApplication)
#include "test_vecmath.moc"
