// Networks with a NaN among their inputs, computed by oneDNN: NaN where the reference has one and
// the reference's numbers elsewhere; what loops computed is told, by run, profile and verify, too;
// nothing depends on the mode of the caller's thread.
#include "common/test.h"
#include "extern/judge.h"
#include "fusion/plan.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "onnx/model/tensor_file.h"
#include "session/asked.h"
#include "session/ran_otherwise.h"

#include <QFile>
#include <QTemporaryDir>

#include <cfenv>
#include <limits>
#include <xmmintrin.h>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;
using namespace Qt::StringLiterals;

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

// Two residual blocks behind a stem with a pool; the sums are added in place.
const char* const blocks = R"(graph blocks(x: f32[1, 8, 12, 12]) -> y {
  w1 = const random(1) : f32[16, 8, 3, 3]   v1 = const random(2) : f32[16]
  w2 = const random(3) : f32[16, 16, 3, 3]  v2 = const random(4) : f32[16]
  w3 = const random(5) : f32[16, 16, 1, 1]  w4 = const random(6) : f32[16, 16, 3, 3]
  c1 = conv2d(x, w1) {pads = [1, 1, 1, 1]}   b1 = bias(c1, v1)  r1 = relu(b1)
  p1 = max_pool2d(r1) {kernel_shape = [2, 2], strides = [2, 2]}
  c2 = conv2d(p1, w2) {pads = [1, 1, 1, 1]}  b2 = bias(c2, v2)  r2 = relu(b2)
  c3 = conv2d(r2, w3)  a3 = add(c3, p1)  r3 = relu(a3)
  c4 = conv2d(r3, w4) {pads = [1, 1, 1, 1]}  r4 = clip(c4) {min = 0, max = 6}
  c5 = conv2d(r4, w3)  a5 = add(r3, c5)  r5 = relu(a5)
  y = abs(r5)
})";

struct Loaded {
    GraphPtr graph;
    FusionPlan plan;
    std::unique_ptr<LoadedModule> module;
    std::string calls;
};

Loaded loaded(const std::string& text, int threads) {
    Loaded out;
    out.graph = parseGraph(text, standardOperators()).value();
    const Target on = parseTarget("-libs=onednn -threads=" + std::to_string(threads)).value();
    const Catalog catalog = catalogWith("onednn", standardStrategy());
    PlanOptions options;
    options.catalog = &catalog;
    out.plan = planFusion(*out.graph, on, options).value();
    const auto compiled =
        std::make_shared<CompiledModule>(compileModule(*out.graph, out.plan, on).value());
    for (const KernelReport& report : compiled->reports)
        out.calls += report.libraryCall + "\n";
    out.module = loadModule(compiled, on).take();
    return out;
}

TensorData with(const TensorData& data, std::vector<std::size_t> places, double value) {
    std::vector<double> values = data.toDoubles();
    for (const std::size_t place : places)
        values.at(place) = value;
    return dataFromDoubles(data.dtype(), data.extents(), values);
}

// Empty, or where both differ.
std::string difference(const std::vector<TensorData>& got, const std::vector<TensorData>& wanted) {
    for (std::size_t r = 0; r < wanted.size(); ++r)
        for (std::size_t i = 0; i < wanted[r].count(); ++i) {
            const double g = got[r].at(i), w = wanted[r].at(i);
            if (std::isnan(w) ? !std::isnan(g) : !(std::abs(g - w) <= 1e-4 * (1 + std::abs(w))))
                return "result " + std::to_string(r) + " at " + std::to_string(i) + ": " +
                       std::to_string(g) + " instead of " + std::to_string(w);
        }
    return {};
}

std::size_t notNumbers(const std::vector<TensorData>& values) {
    std::size_t out = 0;
    for (const TensorData& one : values)
        for (std::size_t i = 0; i < one.count(); ++i)
            out += std::isnan(one.at(i));
    return out;
}

bool tells(const std::vector<std::string>& notices, const std::string& begin) {
    return std::any_of(notices.begin(), notices.end(), [&](const std::string& notice) {
        return notice.starts_with(begin) && notice.find("there is a NaN") != std::string::npos;
    });
}

} // namespace

class TestNan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void networks_data();
    void networks();
    void sizesThatAreComputed();
    void infinitiesThatMakeOne();
    void modeOfTheCaller_data();
    void modeOfTheCaller();
    void commandsTell();

private:
    std::string write(const char* name, const std::string& text) {
        const QString path = m_folder.filePath(QString::fromLatin1(name));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text.c_str()) < 0)
            throw InternalError("cannot write");
        return path.toStdString();
    }
    QTemporaryDir m_folder;
};

void TestNan::initTestCase() {
    if (!present("onednn"))
        QSKIP("oneDNN is not installed");
}

void TestNan::networks_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("step"); // that tells, where the NaN is in the middle; none if empty
    const auto row = [](const char* name, const char* text, const char* step) {
        QTest::newRow(name) << QString::fromLatin1(text) << QString::fromLatin1(step);
    };
    row("two residual blocks", blocks, "conv2d_add_relu_");
    row("relu behind a convolution", R"(graph g(x: f32[1, 3, 4, 4]) -> y {
  w = const random(1) : f32[2, 3, 3, 3]  c = conv2d(x, w) {pads = [1, 1, 1, 1]}  y = relu(c)
})",
        "conv2d_relu_");
    row("clip behind a product", R"(graph g(x: f32[6, 24]) -> y {
  w = const random(1) : f32[32, 24]  d = dense(x, w)  y = clip(d) {min = -1, max = 1}
})",
        "dense_clip_");
    row("a product of two tensors, exp", R"(graph g(x: f32[2, 4, 24], z: f32[2, 24, 32]) -> y {
  d = batch_matmul(x, z)  t = tanh(d)  y = exp(t)
})",
        "batch_matmul_tanh_exp_");
    row("the larger of a product and a number", R"(graph g(x: f32[6, 24]) -> y {
  w = const random(1) : f32[32, 24]  d = dense(x, w)  n = const [0.5] : f32[]  y = max(d, n)
})",
        "dense_max_");
    row("the smaller of a product and numbers", R"(graph g(x: f32[6, 24]) -> y {
  w = const random(1) : f32[4, 24]  d = dense(x, w)
  n = const [0.5, -1, 0, 2] : f32[4]  y = min(d, n)
})",
        "dense_min_");
    row("a pool",
        "graph g(x: f32[1, 16, 8, 8]) -> y "
        "{ y = max_pool2d(x) {kernel_shape = [2, 2], strides = [2, 2]} }",
        "max_pool2d_");
    row("a sum of a product in place", R"(graph g(x: f32[6, 32]) -> y {
  v = const random(1) : f32[32, 32]  w = const random(2) : f32[32, 32]
  a = dense(x, v)  t = tanh(a)  b = dense(t, w)  u = tanh(b)
  c = dense(u, v)  s = add(c, t)  r = relu(s)  y = erf(r)
})",
        "dense_add_relu_");
    row("softmax", "graph g(x: f32[5, 40]) -> y { y = softmax(x) }", "softmax_");
    row("a norm", R"(graph g(x: f32[5, 40]) -> y {
  s = const random(1) : f32[40]  b = const random(2) : f32[40]  (y, m, d) = layernorm(x, s, b)
})",
        "");
    row("a mean of windows",
        "graph g(x: f32[1, 16, 8, 8]) -> y "
        "{ y = avg_pool2d(x) {kernel_shape = [2, 2], strides = [2, 2]} }",
        "");
}

void TestNan::networks() {
    QFETCH(QString, text);
    QFETCH(QString, step);
    for (const int threads : {1, 2}) {
        Loaded on = loaded(text.toStdString(), threads);
        QVERIFY2(on.calls.find("onednn") != std::string::npos, on.calls.c_str());
        if (text.contains("add("_L1))
            QVERIFY2(on.calls.find("sum, relu") != std::string::npos, on.calls.c_str());
        const std::vector<TensorData> numbers = on.module->randomInputs(3, {}).value();
        const std::vector<TensorData> wanted = evaluateGraph(*on.graph, numbers).value();
        const auto asWithNumbers = [&]() {
            QCOMPARE(difference(on.module->run(numbers).value(), wanted), std::string());
            QVERIFY(ranOtherwise(*on.module).empty());
        };
        asWithNumbers();
        for (std::size_t operand = 0; operand < numbers.size(); ++operand)
            for (const std::size_t place :
                 {std::size_t(0), numbers[operand].count() / 2, numbers[operand].count() - 1}) {
                std::vector<TensorData> inputs = numbers;
                inputs[operand] = with(inputs[operand], {place}, notANumber);
                const auto expected = evaluateGraph(*on.graph, inputs).value();
                const auto got = on.module->run(inputs).value();
                QCOMPARE(difference(got, expected), std::string());
                QVERIFY(notNumbers(got) > 0);
                if (place != numbers[operand].count() / 2)
                    continue;
                const Decisions told = ranOtherwise(*on.module);
                QCOMPARE(told.empty(), step.isEmpty());
                if (step.isEmpty())
                    continue;
                QVERIFY(std::any_of(told.begin(), told.end(), [&](const Decision& one) {
                    return one.subject.starts_with(step.toStdString()) &&
                           one.code == ReasonCode::RuntimeComputes &&
                           one.evidence.find("there is a NaN, which ") != std::string::npos;
                }));
            }
        asWithNumbers(); // nothing of it is left
    }
}

// In place in both phases of a run; the second begins once more with the first.
void TestNan::sizesThatAreComputed() {
    const char* const text = R"(graph g(x: f32[12, 32], s: i64[1]) -> y {
  v = const random(1) : f32[32, 32]  w = const random(2) : f32[32, 32]
  a = dense(x, v)  t = tanh(a)  b = dense(t, w)  u = tanh(b)
  c = dense(u, v)  d = add(c, t)  r = relu(d)
  k = bind_dims(s) {dims = [p]}  e = reshape(r) {shape = [p, 32]}
  f = dense(e, w)  g = tanh(f)  h = dense(g, v)  i = tanh(h)
  j = dense(i, w)  l = add(j, g)  m = relu(l)  y = erf(m)
})";
    Loaded on = loaded(text, 2);
    const std::size_t first = on.calls.find("sum, relu");
    QVERIFY2(first != std::string::npos &&
                 on.calls.find("sum, relu", first + 1) != std::string::npos,
             on.calls.c_str());
    const TensorData x = randomIntegers(DType::F32, {12, 32}, 4);
    const TensorData size = dataFromIntegers(DType::I64, {1}, std::vector<std::int64_t>{12});
    for (const double value : {1.0, notANumber, 1.0}) {
        const std::vector<TensorData> inputs = {with(x, {70}, value), size};
        const auto expected = evaluateGraph(*on.graph, inputs).value();
        QCOMPARE(difference(on.module->run(inputs).value(), expected), std::string());
        QCOMPARE(ranOtherwise(*on.module).size(), std::size_t(std::isnan(value) ? 2 : 0));
    }
}

// Numbers go in: an infinity less an infinity, behind a convolution and in a sum.
void TestNan::infinitiesThatMakeOne() {
    Loaded on = loaded(blocks, 2);
    const std::vector<TensorData> numbers = on.module->randomInputs(3, {}).value();
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<TensorData> inputs = numbers;
    inputs[0] = with(with(inputs[0], {40}, infinity), {41, 190}, -infinity);
    const auto expected = evaluateGraph(*on.graph, inputs).value();
    const auto got = on.module->run(inputs).value();
    QVERIFY(notNumbers(expected) > 0);
    QCOMPARE(difference(got, expected), std::string());
}

void TestNan::modeOfTheCaller_data() {
    QTest::addColumn<quint32>("word");
    QTest::newRow("usual") << 0x1f80u;
    QTest::newRow("all flags") << (0x1f80u | 0x3f);
    QTest::newRow("traps") << 0x1b00u; // invalid operations, divisions by zero, overflow
    QTest::newRow("rounding up") << (0x1f80u | 0x4000);
    QTest::newRow("no denormals") << (0x1f80u | 0x8040);
}

void TestNan::modeOfTheCaller() {
    QFETCH(quint32, word);
    for (const int threads : {1, 2}) {
        Loaded on = loaded(blocks, threads);
        std::vector<TensorData> inputs = on.module->randomInputs(3, {}).value();
        const std::vector<TensorData> wanted = on.module->run(inputs).value();
        const std::vector<TensorData> other = {with(inputs[0], {500}, notANumber)};
        const auto otherWanted = evaluateGraph(*on.graph, other).value();
        const auto compiled = std::make_shared<CompiledModule>(on.module->module());
        const Target target =
            parseTarget("-libs=onednn -threads=" + std::to_string(threads)).value();
        const std::uint32_t usual = _mm_getcsr();
        // Opened, which tries kernels, and run in the mode of the caller.
        _mm_setcsr(word);
        Result<std::unique_ptr<LoadedModule>> again = loadModule(compiled, target);
        const std::uint32_t opened = _mm_getcsr();
        _mm_setcsr(usual);
        QVERIFY(again.ok());
        QVERIFY((*again)->setInputs(inputs).ok());
        _mm_setcsr(word);
        const Status ran = (*again)->runAgain();
        const std::uint32_t after = _mm_getcsr();
        _mm_setcsr(usual);
        QVERIFY(ran.ok());
        QCOMPARE(opened & 0xffc0u, word & 0xffc0u);
        QCOMPARE(after, opened);
        const std::vector<TensorData> got = (*again)->outputs().value();
        for (std::size_t i = 0; i < wanted[0].count(); ++i)
            QCOMPARE(got[0].at(i), wanted[0].at(i)); // the same bits
        QVERIFY(ranOtherwise(**again).empty());

        QVERIFY((*again)->setInputs(other).ok());
        _mm_setcsr(word);
        const Status withNan = (*again)->runAgain();
        const std::uint32_t afterNan = _mm_getcsr();
        _mm_setcsr(usual);
        QVERIFY(withNan.ok());
        QCOMPARE(afterNan, word);
        QCOMPARE(difference((*again)->outputs().value(), otherWanted), std::string());
    }
}

void TestNan::commandsTell() {
    Arguments arguments;
    arguments.model = write("blocks.fw", blocks);
    arguments.target = "x86-64 -libs=onednn -threads=2";
    arguments.seconds = 0.02;
    Asked asked;
    const auto random = asked.get<RunDocument>("run", arguments);
    QVERIFY(!tells(random.notices, ""));
    QVERIFY(!tells(asked.get<ProfileDocument>("profile", arguments).notices, ""));

    const TensorData x = with(randomIntegers(DType::F32, {1, 8, 12, 12}, 4), {500}, notANumber);
    const std::string file = m_folder.filePath(u"x.npy"_s).toStdString();
    QVERIFY(writeTensorFile(file, {"x", x}));
    arguments.inputs["x"] = file;
    const auto ran = asked.get<RunDocument>("run", arguments);
    QVERIFY2(tells(ran.notices, "HST02 conv2d_bias_relu_"), ran.notices.front().c_str());
    QVERIFY(tells(ran.notices, "HST02 conv2d_add_relu_"));
    QVERIFY(tells(ran.notices, "HST02 max_pool2d_"));
    const auto profile = asked.get<ProfileDocument>("profile", arguments);
    QVERIFY(tells(profile.notices, "HST02 conv2d_add_relu_"));
    arguments.inputs.clear();
    QVERIFY(!tells(asked.get<RunDocument>("run", arguments).notices, ""));

    // Which draws a NaN in each input itself.
    const auto verified = asked.get<VerifyDocument>("verify", arguments).models.at(0);
    QCOMPARE(verified.differing, std::int64_t(0));
    QVERIFY(std::any_of(
        verified.notices.begin(), verified.notices.end(), [](const std::string& notice) {
            return notice.starts_with("HST02 conv2d_bias_relu_") &&
                   notice.find(" by onednn.conv: computed by a kernel of the runtime: relu (there "
                               "is a NaN, which ") != std::string::npos;
        }));
}

FW_TEST(TestNan, QCoreApplication)
#include "test_nan.moc"
