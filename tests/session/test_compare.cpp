// Comparing outputs: tolerance, NaN, infinities, types, and the two rules by which data sets pass.
#include "common/test.h"
#include "session/compare.h"

#include "ir/graph_text.h"
#include "library/library.h"

#include <fmt/format.h>

#include <cmath>

using namespace fw;

class TestCompare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void toleranceIsRelativeAndAbsolute();
    void notANumberEqualsItself();
    void otherTypesFail();
    void differencesAreMeasured();
    void normRuleHasThreeLimits();
    void normRuleIsForFloats();
    void networksHaveDepth();
    void eitherRulePassesADataSet();
};

namespace {

TensorData vec(std::vector<double> values) {
    return dataFromDoubles(DType::F32, {static_cast<std::int64_t>(values.size())}, values);
}

// 1000 ones, and a few elements near zero that are off by `error`.
std::pair<TensorData, TensorData> nearZero(std::size_t off, double error) {
    std::vector<double> got(1000, 1.0), want(1000, 1.0);
    for (std::size_t i = 0; i < off; ++i) {
        want[i] = 1e-6;
        got[i] = 1e-6 + error;
    }
    return {vec(std::move(got)), vec(std::move(want))};
}

GraphPtr parsed(const std::string& text) {
    const auto graph = parseGraph(text, standardOperators(), {});
    if (!graph)
        qFatal("%s", graph.diag().text().c_str());
    return *graph;
}

GraphPtr chainOf(int layers) {
    std::string text;
    std::string last = "x";
    for (int i = 0; i < layers; ++i) {
        text += fmt::format("  p{} = batch_matmul({}, x)\n  r{} = relu(p{})\n", i, last, i, i);
        last = fmt::format("r{}", i);
    }
    return parsed(fmt::format("graph g(x: f32[4, 4]) -> {} {{\n{}}}\n", last, text));
}

} // namespace

void TestCompare::toleranceIsRelativeAndAbsolute() {
    QVERIFY(compareTensors("y", vec({1.0005, 0.000001}), vec({1, 0}), {1e-3, 1e-5}).pass);
    const Comparison off = compareTensors("y", vec({1, 5, 2}), vec({1, 4, 2}), {1e-3, 1e-5});
    QVERIFY(!off.pass);
    QCOMPARE(off.worst, std::string("y[1]: 5 instead of 4"));
    QCOMPARE(off.maxAbs, 1.0);
}

void TestCompare::notANumberEqualsItself() {
    QVERIFY(compareTensors("y", vec({NAN, HUGE_VAL}), vec({NAN, HUGE_VAL}), {}).pass);
    QVERIFY(!compareTensors("y", vec({NAN}), vec({0}), {}).pass);
    QVERIFY(!compareTensors("y", vec({HUGE_VAL}), vec({-HUGE_VAL}), {}).pass);
    QVERIFY(!compareTensors("y", vec({1e30}), vec({HUGE_VAL}), {}).pass);
}

void TestCompare::otherTypesFail() {
    QVERIFY(!compareTensors("y", vec({1}), dataFromDoubles(DType::F64, {1}, {1}), {}).pass);
    QVERIFY(!compareTensors("y", vec({1}), dataFromDoubles(DType::F32, {1, 1}, {1}), {}).pass);
}

void TestCompare::differencesAreMeasured() {
    const Comparison off = compareTensors("y", vec({3, 4.5}), vec({3, 4}), {1e-3, 1e-5});
    const snapshot::OutputDifference& d = off.difference;
    QCOMPARE(d.name, std::string("y"));
    QCOMPARE(d.elements, 2);
    QCOMPARE(d.outside, 1);
    QCOMPARE(*d.maxAbs, 0.5);
    QCOMPARE(*d.relativeL2, 0.1);
    QCOMPARE(*d.cosine, (9 + 18) / (5 * std::sqrt(9 + 20.25)));
    QVERIFY(*d.sameTop);
    QVERIFY(!*compareTensors("y", vec({3, 1}), vec({1, 3}), {}).difference.sameTop);
    QVERIFY(*compareTensors("y", vec({3, 2.9}), vec({3, 3}), {}).difference.sameTop);
    QVERIFY(!compareTensors("y", vec({3}), vec({3}), {}).difference.sameTop);
    // Nothing but zeros was expected.
    QCOMPARE(*compareTensors("y", vec({0}), vec({0}), {}).difference.relativeL2, 0.0);
    QVERIFY(std::isinf(*compareTensors("y", vec({1}), vec({0}), {}).difference.relativeL2));
}

void TestCompare::normRuleHasThreeLimits() {
    const auto judge = [](const std::pair<TensorData, TensorData>& pair) {
        return compareTensors("y", pair.first, pair.second, {1e-3, 1e-5});
    };
    const Comparison few = judge(nearZero(10, 6e-5)); // one in a hundred, each by 5e-5
    QVERIFY(!few.pass && few.norm);
    QCOMPARE(few.difference.outside, 10);
    QVERIFY(!judge(nearZero(11, 6e-5)).norm);  // too many
    QVERIFY(!judge(nearZero(1, 1.5e-4)).norm); // too far
    QVERIFY(*judge(nearZero(1, 1.5e-4)).difference.relativeL2 < 1e-4);
    const std::vector<double> all(1000, 1.0 + 2e-4); // within every bound, but all of them
    const Comparison shifted =
        compareTensors("y", vec(all), vec(std::vector<double>(1000, 1.0)), {1e-3, 1e-5});
    QVERIFY(shifted.pass && !shifted.norm);
    QVERIFY(!compareTensors("y", vec({NAN, 1}), vec({0, 1}), {}).norm);
}

void TestCompare::normRuleIsForFloats() {
    const auto whole = [](std::vector<std::int64_t> values) {
        return dataFromIntegers(DType::I64, {static_cast<std::int64_t>(values.size())}, values);
    };
    std::vector<std::int64_t> got(1000, 1000000), want(1000, 1000000);
    want[0] = 0;
    got[0] = 1;
    const Comparison integers = compareTensors("y", whole(got), whole(want), {1e-3, 1e-5});
    QVERIFY(!integers.pass && !integers.norm);
    QVERIFY(!compareTensors("y", vec({1}), dataFromDoubles(DType::F64, {1}, {1}), {}).norm);
}

void TestCompare::networksHaveDepth() {
    QVERIFY(!isNetwork(*chainOf(networkDepth - 1)));
    QVERIFY(isNetwork(*chainOf(networkDepth)));
    std::string text; // nothing sums
    for (int i = 0; i < 2 * networkDepth; ++i)
        text += fmt::format("  r{} = relu(r{})\n", i + 1, i);
    QVERIFY(!isNetwork(
        *parsed(fmt::format("graph g(r0: f32[4]) -> r{} {{\n{}}}\n", 2 * networkDepth, text))));
}

void TestCompare::eitherRulePassesADataSet() {
    const auto [got, want] = nearZero(5, 6e-5);
    const auto judge = [&](PassBy by) {
        return compareOutputs("set", {"y"}, {got}, {want}, {1e-3, 1e-5}, by);
    };
    QVERIFY(!judge(PassBy::Elements).pass);
    QCOMPARE(judge(PassBy::Elements).rule, std::string());
    const snapshot::ComparisonRecord set = judge(PassBy::ElementsOrNorm);
    QVERIFY(set.pass);
    QCOMPARE(set.rule, std::string("norm"));
    QCOMPARE(set.outputs.size(), std::size_t(1));
    QVERIFY(!set.worst.empty());
    QCOMPARE(compareOutputs("set", {"y"}, {want}, {want}, {}, PassBy::ElementsOrNorm).rule,
             std::string("elements"));
}

FW_TEST(TestCompare, QCoreApplication)
#include "test_compare.moc"
