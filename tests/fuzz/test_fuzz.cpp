// The instruments of the random graphs: what makes, compares, shrinks and keeps them.
#include "common/test.h"
#include "fuzz/compare.h"
#include "fuzz/forked.h"
#include "fuzz/generator.h"
#include "fuzz/kept_text.h"
#include "fuzz/minimise.h"
#include "fuzz/native.h"
#include "fuzz/numbers.h"
#include "library/library.h"

#include <csignal>
#include <cstring>
#include <map>
#include <set>

using namespace fw;
using namespace fw::fuzz;

namespace {

Case made(std::uint64_t seed) {
    return makeCase(seed, standardOperators());
}

bool holds(const Graph& graph, const std::string& op) {
    return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                       [&](const NodePtr& node) { return node->op == op; });
}

std::size_t operatorsOf(const Graph& graph) {
    return static_cast<std::size_t>(
        std::count_if(graph.nodes().begin(), graph.nodes().end(),
                      [](const NodePtr& node) { return !node->isInput() && !node->isConstant(); }));
}

TensorData changed(const TensorData& data, std::size_t element, double by) {
    std::vector<double> values = numbersOf(data);
    values[element] += by;
    return dataOf(data.dtype(), data.extents(), values);
}

} // namespace

class TestFuzz : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSeedIsACase();
    void narrowFloats();
    void arithmeticOfTheCompiler();
    void everyOperatorIsDrawn();
    void everyTypeIsDrawn();
    void casesAreVaried();
    void keptTextReadsBack();
    void differencesAreSeen();
    void noiseIsNoDifference();
    void failuresShrink();
    void aDeathIsAnAnswer();
};

void TestFuzz::aSeedIsACase() {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5})
        QCOMPARE(caseText(made(seed)), caseText(made(seed)));
    QVERIFY(caseText(made(1)) != caseText(made(2)));
}

// Bits of IEEE 754 and of bf16, and what is rounded to them: halves to even, once.
void TestFuzz::narrowFloats() {
    const auto bits = [](DType dtype, double value) {
        const TensorData data = dataOf(dtype, {}, {value});
        std::uint16_t out = 0;
        std::memcpy(&out, data.bytes().data(), 2);
        return out;
    };
    const std::vector<std::pair<double, int>> halves = {
        {0, 0x0000},      {-0.0, 0x8000},         {1, 0x3C00},          {-2, 0xC000},
        {65504, 0x7BFF},  {65519.99, 0x7BFF},     {65520, 0x7C00},      {HUGE_VAL, 0x7C00},
        {0x1p-14, 0x400}, {0x1p-24, 1},           {0x1p-25, 0},         {0x1.8p-24, 2},
        {2049, 0x6800},   {2051, 0x6802},         {0x1.0021p0, 0x3C01}, {1e-300, 0},
        {0.1, 0x2E66},    {0x1.FFFFFp-15, 0x400}, {-1e9, 0xFC00}};
    for (const auto& [value, want] : halves)
        QCOMPARE(int(bits(DType::F16, value)), want);
    const std::vector<std::pair<double, int>> brains = {
        {0, 0x0000},          {-0.0, 0x8000},       {1, 0x3F80},
        {-2, 0xC000},         {256, 0x4380},        {257, 0x4380},
        {259, 0x4382},        {0x1.FEp127, 0x7F7F}, {0x1.FEFFp127, 0x7F7F},
        {0x1.FFp127, 0x7F80}, {HUGE_VAL, 0x7F80},   {0x1p-133, 1},
        {0x1p-134, 0},        {0x1.8p-133, 2},      {0x1.01000001p0, 0x3F81},
        {-1e39, 0xFF80}};
    for (const auto& [value, want] : brains)
        QCOMPARE(int(bits(DType::BF16, value)), want);
    for (const DType dtype : {DType::F16, DType::BF16}) // there and back
        for (int i = 0; i < 0x10000; ++i) {
            const auto word = static_cast<std::uint16_t>(i);
            std::vector<std::byte> bytes(2);
            std::memcpy(bytes.data(), &word, 2);
            const double value = numberAt(TensorData(dtype, {}, bytes), 0);
            if (std::isnan(value))
                QVERIFY(std::isnan(numberAt(dataOf(dtype, {}, {value}), 0)));
            else
                QCOMPARE(int(bits(dtype, value)), i);
        }
}

void TestFuzz::arithmeticOfTheCompiler() {
    const auto of = [](const char* op, DType from, double a, DType to) {
        const TensorData x = dataOf(from, {}, {a});
        return numberAt(natively(op, {&x}, {to, {}}).value(), 0);
    };
    QCOMPARE(of("cast", DType::F32, 300, DType::U8), 255.0);
    QCOMPARE(of("cast", DType::F64, -300, DType::I8), -128.0);
    QCOMPARE(of("cast", DType::F64, 1e300, DType::I64), 0x1p63);
    QCOMPARE(of("cast", DType::F16, -1.75, DType::I32), -1.0);
    QCOMPARE(of("cast", DType::I32, 300, DType::U8), 44.0);
    QCOMPARE(of("cast", DType::F64, 0x1.0021p0, DType::F16), 0x1.004p0);
    QCOMPARE(of("cast", DType::F32, 0.25, DType::Bool), 1.0);
    QCOMPARE(of("neg", DType::I8, -128, DType::I8), -128.0);
    QCOMPARE(of("abs", DType::I8, -128, DType::I8), -128.0);
    QCOMPARE(of("relu", DType::BF16, -3, DType::BF16), 0.0);
    const auto two = [](const char* op, DType dtype, double a, double b, DType to) {
        const TensorData x = dataOf(dtype, {}, {a}), y = dataOf(dtype, {}, {b});
        return numberAt(natively(op, {&x, &y}, {to, {}}).value(), 0);
    };
    QCOMPARE(two("add", DType::U8, 200, 100, DType::U8), 44.0);
    QCOMPARE(two("mul", DType::I16, 300, 300, DType::I16), 24464.0);
    QCOMPARE(two("div", DType::I8, -128, -1, DType::I8), -128.0);
    QCOMPARE(two("div", DType::I32, -7, 2, DType::I32), -3.0);
    QCOMPARE(two("div", DType::I32, 7, 0, DType::I32), 0.0);
    QCOMPARE(two("mod", DType::I32, -7, 2, DType::I32), 1.0);
    QCOMPARE(two("rem", DType::I32, -7, 2, DType::I32), -1.0);
    QCOMPARE(two("less", DType::U8, 200, 100, DType::Bool), 0.0);
    QVERIFY(std::isnan(two("max", DType::F16, 1, std::nan(""), DType::F16)));
    QCOMPARE(two("add", DType::F16, 65504, 16, DType::F16), HUGE_VAL);
    const TensorData row = dataOf(DType::I32, {3}, {1, 2, 3}),
                     column = dataOf(DType::I32, {2, 1}, {10, 20});
    const auto sums = natively("add", {&row, &column}, {DType::I32, fixedShape({2, 3})});
    QCOMPARE(numbersOf(sums.value()), (std::vector<double>{11, 12, 13, 21, 22, 23}));
}

// Each element type in graphs of each kind of values, with what only such graphs hold.
void TestFuzz::everyTypeIsDrawn() {
    std::map<std::pair<DType, Values>, int> graphs;
    int zeros = 0, limits = 0, subnormal = 0, infinite = 0, nothing = 0;
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        const Case one = made(seed);
        std::set<DType> types;
        for (const NodePtr& node : one.graph->nodes())
            for (const Output& output : node->outputs)
                types.insert(output.type.dtype);
        for (const DType dtype : types)
            ++graphs[{dtype, one.values}];
        for (const TensorData& data : one.inputs)
            for (const double number : numbersOf(data)) {
                const bool real = isFloat(data.dtype());
                zeros += number == 0 ? 1 : 0;
                nothing += std::isnan(number) ? 1 : 0;
                infinite += std::isinf(number) ? 1 : 0;
                limits += real ? std::abs(number) == rangeOf(data.dtype()).largest
                               : number == static_cast<double>(leastInteger(data.dtype()));
                subnormal +=
                    real && number != 0 && std::abs(number) < rangeOf(data.dtype()).leastNormal;
            }
    }
    for (int type = 0; type < int(DType::Text); ++type)
        for (const Values values :
             {Values::Random, Values::Integers, Values::Edges, Values::Infinite})
            QVERIFY2(
                graphs[std::pair(static_cast<DType>(type), values)] >= 5,
                (std::string(dtypeText(static_cast<DType>(type))) + valuesText(values)).c_str());
    for (const int count : {zeros, limits, subnormal, infinite, nothing})
        QVERIFY2(count > 100, QByteArray::number(count).constData());
}

void TestFuzz::everyOperatorIsDrawn() {
    std::set<std::string> never;
    for (const Operator* op : standardOperators()->all())
        never.insert(op->name());
    for (const char* leaf : {"input", "constant", "unknown", "call"})
        never.erase(leaf);
    for (std::uint64_t seed = 1; seed <= 3000 && !never.empty(); ++seed) {
        const Case one = made(seed);
        for (const NodePtr& node : one.graph->nodes())
            never.erase(node->op);
    }
    QVERIFY2(never.empty(), never.empty() ? "" : never.begin()->c_str());
}

// Exact and other results, free dimensions, results in the middle, several readers.
void TestFuzz::casesAreVaried() {
    int exact = 0, rounded = 0, freeDims = 0, middle = 0, diamonds = 0, none = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Case one = made(seed);
        freeDims += one.sizes.empty() ? 0 : 1;
        for (const bool each : one.exact)
            ++(each ? exact : rounded);
        for (const TensorData& data : one.wanted)
            none += data.count() == 0 ? 1 : 0;
        for (const NodePtr& node : one.graph->nodes()) {
            const ValueRef value{node->id, 0};
            const std::size_t readers = one.graph->uses(value).size();
            middle += readers > 0 && one.graph->isResult(value) ? 1 : 0;
            diamonds += readers > 1 && !node->isConstant() ? 1 : 0;
        }
    }
    for (const int count : {exact, rounded, freeDims, middle, diamonds})
        QVERIFY2(count > 30, QByteArray::number(count).constData());
    QVERIFY(none > 0);
}

void TestFuzz::keptTextReadsBack() {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Case one = made(seed);
        const Result<Case> back = readCase(caseText(one, "why"), standardOperators());
        QVERIFY2(back.ok(), back.ok() ? "" : back.diag().text().c_str());
        QVERIFY(back->sizes == one.sizes && back->others == one.others);
        QVERIFY(back->inputs == one.inputs && back->exact == one.exact);
        QCOMPARE(back->wanted.size(), one.wanted.size());
        for (std::size_t i = 0; i < one.wanted.size(); ++i) // a NaN is no equal
            QVERIFY2(difference(one, back->wanted).empty(), caseText(one).c_str());
    }
}

// One wrong element among many, in a result that is exact and in one that is not.
void TestFuzz::differencesAreSeen() {
    std::map<DType, int> seen, asked;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Case one = made(seed);
        QVERIFY(difference(one, one.wanted).empty());
        for (std::size_t r = 0; r < one.wanted.size(); ++r) {
            const TensorData& data = one.wanted[r];
            const DType dtype = data.dtype();
            if (dtype == DType::Bool || data.count() == 0)
                continue;
            std::vector<TensorData> got = one.wanted;
            const double value = numberAt(data, data.count() - 1);
            if (!(std::abs(value) < 100)) // a little more is the same, or no number of the type
                continue;
            got[r] = changed(data, data.count() - 1,
                             one.exact[r] || !isFloat(dtype) ? 1 : 0.1 * (std::abs(value) + 1));
            ++asked[dtype];
            seen[dtype] += difference(one, got).empty() ? 0 : 1;
            got[r] = data.count() > 1 ? data.reshaped({static_cast<std::int64_t>(data.count()), 1})
                                      : data;
            if (!(got[r].extents() == data.extents()))
                QVERIFY(!difference(one, got).empty());
        }
    }
    // The others lie within what rounding explains there: differences of what nearly cancels.
    int all = 0, found = 0;
    for (const auto& [dtype, count] : asked) {
        QVERIFY2(seen[dtype] > 0, dtypeText(dtype).data());
        all += count;
        found += seen[dtype];
    }
    QCOMPARE(asked.size(), std::size_t(12)); // all but truth values
    QVERIFY2(found > 200 && found * 10 > all * 7,
             QByteArray::number(found) + " of " + QByteArray::number(all));
}

// 30000 + x - 30000 keeps few bits of x: what another rounding makes of it is no difference, a
// value out of the reach of rounding is one.
void TestFuzz::noiseIsNoDifference() {
    const Result<Case> one = readCase("graph g(x: f32[8]) -> y {\n"
                                      "  big = const [30000] : f32[1]\n"
                                      "  a = add(x, big)  b = sub(a, big)  y = identity(b)\n}",
                                      standardOperators());
    QVERIFY(one.ok());
    std::vector<TensorData> got = {changed(one->wanted[0], 3, 0.003)};
    QCOMPARE(difference(*one, got), std::string());
    got = {changed(one->wanted[0], 3, 1.5)};
    QVERIFY(!difference(*one, got).empty());
    const Result<Case> flushed = readCase("graph g(x: f32[2]) -> y {\n"
                                          "  far = const [0, -90] : f32[2]\n"
                                          "  s = softmax(far)  y = ceil(s)  z = identity(x)\n}",
                                          standardOperators());
    QVERIFY(flushed.ok());
    QVERIFY(flushed->wanted[0].at(1) == 1);
    got = {changed(flushed->wanted[0], 1, -1)};
    QCOMPARE(difference(*flushed, got), std::string());
    // Every element lies at a jump, and every one may fall on either side of it.
    const Result<Case> jumps = readCase("graph g(x: f32[64, 64]) -> y {\n"
                                        "  far = const [-20] : f32[1]\n"
                                        "  m = max(x, far)  n = min(m, far)  t = tanh(n)\n"
                                        "  y = ceil(t)\n}",
                                        standardOperators());
    QVERIFY(jumps.ok());
    TensorData above = jumps->wanted[0];
    QCOMPARE(above.at(0), -1.0);
    for (std::size_t i = 0; i < above.count(); ++i)
        above = changed(above, i, 1);
    QCOMPARE(difference(*jumps, {above}), std::string());
}

void TestFuzz::failuresShrink() {
    int shrunk = 0;
    for (std::uint64_t seed = 1; seed <= 1000 && shrunk < 5; ++seed) {
        const Case first = made(seed);
        if (!holds(*first.graph, "softmax") || operatorsOf(*first.graph) < 5)
            continue;
        const Case small =
            minimise(first, [](const Case& one) { return holds(*one.graph, "softmax"); });
        QCOMPARE(operatorsOf(*small.graph), std::size_t(1));
        QVERIFY(holds(*small.graph, "softmax"));
        QCOMPARE(small.wanted.size(), std::size_t(1));
        QVERIFY(small.wanted[0].count() <= 1); // none where an extent was 0 from the start
        ++shrunk;
    }
    QCOMPARE(shrunk, 5);
}

void TestFuzz::aDeathIsAnAnswer() {
    std::string ending;
    const auto lines = linesOf(
        [](const Say& say) {
            say("first");
            std::raise(SIGKILL);
            say("never");
        },
        std::chrono::seconds(20), ending);
    QCOMPARE(lines, std::vector<std::string>{"first"});
    QCOMPARE(ending, std::string("signal 9"));
    linesOf([](const Say& say) { say("all"); }, std::chrono::seconds(20), ending);
    QCOMPARE(ending, std::string());
    const auto hanging = linesOf([](const Say&) { pause(); }, std::chrono::seconds(1), ending);
    QVERIFY(hanging.empty());
    QCOMPARE(ending, std::string("no answer"));
}

FW_TEST(TestFuzz, QCoreApplication)
#include "test_fuzz.moc"
