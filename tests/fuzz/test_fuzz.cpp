// The instruments of the random graphs: what makes, compares, shrinks and keeps them.
#include "fuzz/compare.h"
#include "fuzz/forked.h"
#include "fuzz/generator.h"
#include "fuzz/kept_text.h"
#include "fuzz/minimise.h"
#include "library/library.h"

#include <QtTest>

#include <csignal>
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
    std::vector<double> values = data.toDoubles();
    values[element] += by;
    return dataFromDoubles(data.dtype(), data.extents(), values);
}

} // namespace

class TestFuzz : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSeedIsACase();
    void everyOperatorIsDrawn();
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
    int seen = 0;
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        const Case one = made(seed);
        QVERIFY(difference(one, one.wanted).empty());
        for (std::size_t r = 0; r < one.wanted.size(); ++r) {
            const TensorData& data = one.wanted[r];
            if (data.dtype() != DType::F32 || data.count() == 0)
                continue;
            std::vector<TensorData> got = one.wanted;
            const double value = data.at(data.count() - 1);
            got[r] =
                changed(data, data.count() - 1, one.exact[r] ? 1 : 0.1 * (std::abs(value) + 1));
            seen += difference(one, got).empty() ? 0 : 1;
            got[r] = data.count() > 1 ? data.reshaped({static_cast<std::int64_t>(data.count()), 1})
                                      : data;
            if (!(got[r].extents() == data.extents()))
                QVERIFY(!difference(one, got).empty());
        }
    }
    QVERIFY(seen > 80);
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
    for (std::uint64_t seed = 1; seed <= 200 && shrunk < 5; ++seed) {
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

QTEST_GUILESS_MAIN(TestFuzz)
#include "test_fuzz.moc"
