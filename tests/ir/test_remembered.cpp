// An operator that remembers answers as the operator itself, and asks it once for equal calls.
#include "common/test.h"
#include "ir/memoized_operator.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace fw;

namespace {

// Answers with what it was asked, refuses without operands, and counts.
class Counting final : public Operator {
public:
    const std::string& name() const override { return m_name; }
    const std::string& doc() const override { return m_name; }
    std::string signature() const override { return m_name; }
    std::string body() const override { return m_name; }
    std::vector<std::string> inputNames() const override { return {"x"}; }
    std::vector<std::string> outputNames() const override { return {"y"}; }
    Arity arity() const override { return {1, 1}; }
    std::vector<std::string> attrNames() const override { return {"a"}; }
    std::optional<AttrType> attrType(std::string_view) const override { return AttrType::Float; }
    bool isNative() const override { return true; }
    Result<Inferred> infer(const OpCall& call) const override {
        ++asked;
        if (call.inputs.empty())
            return makeDiag(DiagCode::OperatorArity, "operand x is missing");
        Inferred out;
        out.outputs.push_back(call.inputs[0].value());
        return out;
    }
    Result<OpInst> instantiate(const OpCall& call) const override {
        ++asked;
        if (call.inputs.empty())
            return makeDiag(DiagCode::OperatorArity, "operand x is missing");
        return OpInst{};
    }
    Result<Facts> facts(const OpCall& call) const override {
        ++asked;
        Facts out;
        out.flops = std::signbit(call.attrs.real("a", 1)) ? -1 : 1;
        return out;
    }
    Result<std::vector<TensorData>>
    reference(const OpCall&, const std::vector<const TensorData*>&) const override {
        ++asked;
        return std::vector<TensorData>();
    }

    mutable int asked = 0;

private:
    std::string m_name = "counting";
};

OpCall callWith(std::vector<std::int64_t> extents, AttrValue attr = std::int64_t(0)) {
    OpCall call;
    call.inputs.emplace_back(TensorType{DType::F32, fixedShape(extents)});
    call.attrs.set("a", std::move(attr));
    return call;
}

} // namespace

class TestRemembered : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        m_counting = std::make_shared<Counting>();
        m_op = remembering(m_counting);
    }
    void equalCallsAreAskedOnce();
    void differentCallsAreTold();
    void zerosOfTwoSignsDiffer();
    void refusalsAreKept();
    void tensorsAreNotKept();
    void manyCallsAreForgotten();

private:
    std::shared_ptr<Counting> m_counting;
    std::shared_ptr<const Operator> m_op;
};

void TestRemembered::equalCallsAreAskedOnce() {
    for (int i = 0; i < 3; ++i)
        QCOMPARE(m_op->infer(callWith({2, 3}))->outputs.at(0).text(), std::string("f32[2, 3]"));
    QCOMPARE(m_counting->asked, 1);
    QVERIFY(m_op->instantiate(callWith({2, 3})).ok());
    QVERIFY(!m_op->refusal(callWith({2, 3})));
    QCOMPARE(m_counting->asked, 2);
    QCOMPARE(m_op->name(), std::string("counting"));
}

void TestRemembered::differentCallsAreTold() {
    QCOMPARE(m_op->infer(callWith({2}))->outputs.at(0).text(), std::string("f32[2]"));
    QCOMPARE(m_op->infer(callWith({3}))->outputs.at(0).text(), std::string("f32[3]"));
    OpCall other = callWith({3});
    other.inputs[0]->dtype = DType::I64;
    QCOMPARE(m_op->infer(other)->outputs.at(0).text(), std::string("i64[3]"));
    const std::vector<AttrValue> values = {std::int64_t(1), 1.0,        std::string("1"),
                                           Integers{1},     Reals{1.0}, Texts{"1"}};
    const int before = m_counting->asked;
    for (int round = 0; round < 2; ++round)
        for (const AttrValue& value : values)
            QVERIFY(m_op->infer(callWith({3}, value)).ok());
    QCOMPARE(m_counting->asked - before, static_cast<int>(values.size()));
}

void TestRemembered::zerosOfTwoSignsDiffer() {
    QCOMPARE(m_op->facts(callWith({2}, 0.0))->flops, 1.0);
    QCOMPARE(m_op->facts(callWith({2}, -0.0))->flops, -1.0);
    QCOMPARE(m_counting->asked, 2);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(m_op->facts(callWith({2}, nan)).ok() && m_op->facts(callWith({2}, nan)).ok());
    QCOMPARE(m_counting->asked, 3);
}

void TestRemembered::refusalsAreKept() {
    for (int i = 0; i < 2; ++i) {
        QCOMPARE(m_op->infer({}).diag().code, DiagCode::OperatorArity);
        QCOMPARE(m_op->refusal({})->message, std::string("operand x is missing"));
    }
    QCOMPARE(m_counting->asked, 2);
}

void TestRemembered::tensorsAreNotKept() {
    const OpCall call = callWith({2}, dataFromDoubles(DType::F32, {1}, {1}));
    QVERIFY(m_op->infer(call).ok() && m_op->infer(call).ok());
    QCOMPARE(m_counting->asked, 2);
}

void TestRemembered::manyCallsAreForgotten() {
    const auto many = static_cast<std::int64_t>(2 * rememberedCalls);
    for (std::int64_t i = 0; i < many; ++i)
        QCOMPARE(m_op->infer(callWith({i}))->outputs.at(0).shape.at(0).asInt(), std::optional(i));
    QVERIFY(m_op->infer(callWith({0})).ok());
    QVERIFY(m_counting->asked > many); // the first ones were asked again
}

FW_TEST(TestRemembered, QCoreApplication)
#include "test_remembered.moc"
