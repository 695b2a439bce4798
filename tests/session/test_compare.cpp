// Comparing outputs: tolerance, NaN, infinities, types.
#include "session/compare.h"

#include <QtTest>

#include <cmath>

using namespace fw;

class TestCompare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void toleranceIsRelativeAndAbsolute();
    void notANumberEqualsItself();
    void otherTypesFail();
};

namespace {

TensorData vec(std::vector<double> values) {
    return dataFromDoubles(DType::F32, {static_cast<std::int64_t>(values.size())}, values);
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

QTEST_GUILESS_MAIN(TestCompare)
#include "test_compare.moc"
