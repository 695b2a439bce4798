// What widened() makes of operators on f16 and bf16.
#include "common/test.h"
#include "tensor/operators.h"
#include "tensor/reference.h"
#include "tensor/verify_computation.h"
#include "tensor/wide.h"

using namespace fw;
using namespace fw::testing;

namespace {

OpInst made(const OperatorSet& operators, const std::string& name,
            const std::vector<std::string>& types, Attrs attrs = {}) {
    return operators.find(name)->instantiate(callOf(types, std::move(attrs))).value();
}

DType typeIn(const OpInst& inst, std::string_view tensor) {
    return inst.find(tensor)->type.dtype;
}

std::vector<double> valuesOf(const OpInst& inst, const std::vector<TensorData>& inputs,
                             std::size_t output = 0) {
    std::vector<const TensorData*> operands;
    for (const TensorData& input : inputs)
        operands.push_back(&input);
    return evaluate(inst, operands).value().at(output).toDoubles();
}

} // namespace

class TestWide : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void othersStayAsTheyAre();
    void whatIsKeptIsWide();
    void aResultThatIsReadKeepsItsName();
    void movementsStayNarrow();
    void castsBetweenStepsAreNotRounded();
    void aCastOfACastIs();
    void sumsAreStoredRounded();
    void mixedTypesOnlyInside();
};

void TestWide::othersStayAsTheyAre() {
    for (const char* type : {"f32", "f64"}) {
        const std::string x = std::string(type) + "[2, 3]";
        const OpInst inst = made(libraryTexts(), "softmax", {x});
        QVERIFY(widened(inst) == inst);
    }
}

void TestWide::whatIsKeptIsWide() {
    for (const char* type : {"f16", "bf16"}) {
        const std::string x = std::string(type) + "[2, 3]";
        const OpInst inst = widened(made(libraryTexts(), "softmax", {x}));
        QVERIFY2(verify(inst).ok(), inst.text().c_str());
        QCOMPARE(typeIn(inst, "x"), parseDtype(type).value());
        QCOMPARE(typeIn(inst, "y"), parseDtype(type).value());
        QCOMPARE(typeIn(inst, "e"), DType::F32);
        QCOMPARE(typeIn(inst, "s"), DType::F32);
        QCOMPARE(typeIn(inst, "m"), parseDtype(type).value()); // one of the elements
        QCOMPARE(inst.stages.size(), std::size_t(4));
    }
}

void TestWide::aResultThatIsReadKeepsItsName() {
    const OpInst before = made(libraryTexts(), "layernorm", {"f16[1, 4]", "f16[4]", "f16[4]"});
    const OpInst inst = widened(before);
    QVERIFY2(verify(inst).ok(), inst.text().c_str());
    QCOMPARE(typeIn(inst, "mean"), DType::F32);
    QCOMPARE(typeIn(inst, "rstd"), DType::F32);
    QCOMPARE(inst.outputs.size(), std::size_t(3));
    QCOMPARE(inst.outputs[1].type.dtype, DType::F16);
    QVERIFY(inst.outputs[1].name != Symbol("mean"));
    // 2049 is no f16: a mean that were rounded would be 2048 and leave 1 and -1 askew.
    const std::vector<TensorData> inputs = {
        dataFromDoubles(DType::F16, {1, 4}, {2048, 2050, 2048, 2050}),
        dataFromDoubles(DType::F16, {4}, {1, 1, 1, 1}),
        dataFromDoubles(DType::F16, {4}, {0, 0, 0, 0})};
    QCOMPARE(valuesOf(inst, inputs), (std::vector<double>{-1, 1, -1, 1}));
    QCOMPARE(valuesOf(inst, inputs, 1), std::vector<double>{2048});
    QVERIFY(valuesOf(before, inputs) != (std::vector<double>{-1, 1, -1, 1}));
}

void TestWide::movementsStayNarrow() {
    const OperatorSet operators = operatorsOf("op turned \"\" (x: T[N, M], c: bool[N]) -> y: T[M, "
                                              "N] { let t[i, j] = select(c[j], x[j, i], 0.5)\n"
                                              "  y[m, n] = pad(t[m, n + 1], -1) }",
                                              "book.fw");
    const OpInst inst = made(operators, "turned", {"bf16[2, 3]", "bool[2]"});
    QVERIFY(widened(inst) == inst);
    // 0.3 is none of its numbers.
    const OperatorSet rounds = operatorsOf("op some \"\" (x: T[N], c: bool[N]) -> y: T[N] { let "
                                           "t[i] = select(c[i], x[i], 0.3)  y[i] = t[i] }",
                                           "book.fw");
    QCOMPARE(typeIn(widened(made(rounds, "some", {"bf16[2]", "bool[2]"})), "t"), DType::F32);
}

void TestWide::castsBetweenStepsAreNotRounded() {
    const OperatorSet operators = operatorsOf("op part \"\" (x: T[N], n: i64[N]) -> y: T[N] { let "
                                              "t[i] = cast(n[i], T)  y[i] = x[i] * t[i] - t[i] }",
                                              "book.fw");
    const OpInst inst = widened(made(operators, "part", {"f16[2]", "i64[2]"}));
    QVERIFY2(verify(inst).ok(), inst.text().c_str());
    QCOMPARE(typeIn(inst, "t"), DType::F32);
    // Neither 2051 nor 100000 is an f16; 25000 lies between two.
    const std::vector<TensorData> inputs = {dataFromDoubles(DType::F16, {2}, {2, 1.25}),
                                            dataFromIntegers(DType::I64, {2}, {2051, 100000})};
    QCOMPARE(valuesOf(inst, inputs), (std::vector<double>{2052, 24992}));
}

void TestWide::aCastOfACastIs() {
    const OperatorSet operators =
        operatorsOf("op coarse \"\" (x: f32[N], z: f16[N]) -> y: f32[N] { y[i] = cast(cast(x[i], "
                    "f16), f32) + cast(z[i], f32) }",
                    "book.fw");
    const OpInst inst = widened(made(operators, "coarse", {"f32[1]", "f16[1]"}));
    QCOMPARE(valuesOf(inst, {dataFromDoubles(DType::F32, {1}, {2049}),
                             dataFromDoubles(DType::F16, {1}, {1})}),
             std::vector<double>{2049});
}

void TestWide::sumsAreStoredRounded() {
    const OperatorSet operators = operatorsOf(
        "op total \"\" (x: T[N, K]) -> y: T[N] { y[n] = sum(k in K : x[n, k]) }", "b.fw");
    const OpInst before = made(operators, "total", {"f16[1, 3]"});
    const OpInst inst = widened(before);
    QVERIFY2(verify(inst).ok(), inst.text().c_str());
    QCOMPARE(inst.stages.size(), before.stages.size());
    QCOMPARE(inst.stages[0].body.dtype(), DType::F32);
    QVERIFY2(inst.text().find("cast(sum(") != std::string::npos, inst.text().c_str());
    QCOMPARE(valuesOf(inst, {dataFromDoubles(DType::F16, {1, 3}, {65504, 65504, -65504})}),
             std::vector<double>{65504});
    // No other type may be stored into another one.
    OpInst wrong = inst;
    wrong.outputs[0].type.dtype = DType::F64;
    QVERIFY(!verify(wrong).ok());
}

void TestWide::mixedTypesOnlyInside() {
    // Nothing comes in or goes out in f16, so what is written in it is meant.
    const OperatorSet operators = operatorsOf("op coarse \"\" (x: f32[N]) -> y: f32[N] { let t[i] "
                                              "= cast(x[i], f16)  y[i] = cast(t[i], f32) }",
                                              "book.fw");
    const OpInst inst = made(operators, "coarse", {"f32[1]"});
    QVERIFY(widened(inst) == inst);
    QCOMPARE(valuesOf(inst, {dataFromDoubles(DType::F32, {1}, {2049})}), std::vector<double>{2048});
}

FW_TEST(TestWide, QCoreApplication)
#include "test_wide.moc"
