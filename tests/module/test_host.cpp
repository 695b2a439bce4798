// What no code is made for is a step of the host inside a compiled plan: it computes what the
// reference computes, wherever its operands and results lie, and a module cannot carry it.
#include "common/test.h"
#include "fusion/computable.h"
#include "fusion/group_parts.h"
#include "fusion/plan.h"
#include "graph/builder.h"
#include "ir/graph_text.h"
#include "library/library.h"
#include "module/load.h"
#include "tensor/evaluate_graph.h"

#include <algorithm>
#include <cmath>

using namespace fw;
using namespace fw::test;

class TestHost : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void computesWhatTheReferenceComputes_data();
    void computesWhatTheReferenceComputes();
    void partsOfOneGroup();
    void freeDimensionsTakeTheirSizes();
    void nothingElseRunsIt();
    void whatItRefusesIsTold();
};

namespace {

Target target() {
    return parseTarget("x86-64 -libs= -threads=2").value();
}

// The plan with every group of these nodes left to the host.
FusionPlan left(const Graph& graph, const std::vector<std::string>& nodes) {
    FusionPlan plan = planFusion(graph, target()).value();
    for (Group& group : plan.groups)
        if (group.hasCode() && std::any_of(group.nodes.begin(), group.nodes.end(), [&](NodeId id) {
                return std::find(nodes.begin(), nodes.end(), graph.node(id).name) != nodes.end();
            }))
            leaveToHost(graph, group, "the test asks for it", plan.notices);
    return plan;
}

std::size_t hostSteps(const runtime::Program& program) {
    return static_cast<std::size_t>(
        std::count_if(program.steps.begin(), program.steps.end(), [](const runtime::Step& step) {
            return step.kernel == runtime::hostKernel;
        }));
}

// The largest difference to the reference, relative to 1 + |reference|.
double difference(const GraphPtr& graph, const FusionPlan& plan, std::size_t& steps,
                  const std::map<std::string, std::int64_t>& dims = {}) {
    const auto module =
        std::make_shared<const CompiledModule>(compileModule(*graph, plan, target()).value());
    steps = hostSteps(module->program);
    auto loaded = loadModule(module, target(), runtime::ArenaFill::Poison);
    const std::vector<TensorData> inputs = (*loaded)->randomInputs(3, dims).value();
    const std::vector<TensorData> wanted = evaluateGraph(*graph, inputs).value();
    double worst = 0;
    for (int run = 0; run < 2; ++run) {
        const std::vector<TensorData> got = (*loaded)->run(inputs).value();
        for (std::size_t i = 0; i < got.size(); ++i)
            for (std::size_t k = 0; k < got[i].count(); ++k)
                worst = std::max(worst, std::abs(got[i].at(k) - wanted[i].at(k)) /
                                            (1 + std::abs(wanted[i].at(k))));
    }
    return worst;
}

GraphPtr hostGraph(const char* text) {
    return parseGraph(text, standardOperators()).value();
}

} // namespace

void TestHost::computesWhatTheReferenceComputes_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("node");
    QTest::newRow("between kernels") << R"(graph g(x: f32[3, 8]) -> z {
  y = softmax(x) @node("y1")
  h = cumsum(y) {axis = 1} @node("host")
  z = exp(h) @node("z1")
})"
                                     << "host";
    QTest::newRow("first and last") << R"(graph g(x: f32[3, 8]) -> y {
  y = softmax(x) @node("host")
})"
                                    << "host";
    QTest::newRow("images channels-last") << R"(graph g(x: f32[1, 4, 6, 6]) -> z {
  w = const random(1) : f32[8, 4, 3, 3]
  v = const random(2) : f32[4, 8, 3, 3]
  c = conv2d(x, w) {pads = [1, 1, 1, 1]} @node("c1")
  h = softmax(c) {axis = 1} @node("host")
  z = conv2d(h, v) {pads = [1, 1, 1, 1]} @node("c2")
})"
                                          << "host";
    QTest::newRow("inside a concat") << R"(graph g(x: f32[2, 3, 4, 4], t: f32[2, 5, 4, 4]) -> z {
  a = softmax(x) {axis = 1} @node("host")
  b = softmax(t) {axis = 1} @node("b1")
  j = concat(a, b) {axis = 1} @node("j1")
  z = softmax(j) {axis = 3} @node("z1")
})"
                                     << "host";
    QTest::newRow("one operand twice, one absent, integers")
        << R"(graph g(x: i64[4], t: i64[4]) -> z {
  a = add(x, t) @node("host")
  z = mul(a, a) @node("z1")
})"
        << "host";
    QTest::newRow("nothing in it") << R"(graph g(x: f32[0, 4]) -> z {
  a = softmax(x) @node("host")
  z = softmax(a) {axis = 0} @node("z1")
})"
                                   << "host";
}

void TestHost::computesWhatTheReferenceComputes() {
    QFETCH(QString, text);
    QFETCH(QString, node);
    const GraphPtr graph = hostGraph(text.toLatin1().constData());
    const FusionPlan plan = left(*graph, {node.toStdString()});
    QVERIFY(std::any_of(plan.notices.begin(), plan.notices.end(), [](const Decision& notice) {
        return notice.code == ReasonCode::HostComputes && notice.evidence == "the test asks for it";
    }));
    std::size_t steps = 0;
    QVERIFY(difference(graph, plan, steps) < 1e-5);
    QVERIFY(steps >= 1);
}

void TestHost::partsOfOneGroup() {
    const GraphPtr graph = hostGraph(R"(graph g(x: f32[4, 8]) -> z {
  w = const random(1) : f32[16, 8]
  d = dense(x, w) @node("d1")
  r = relu(d) @node("r1")
  e = exp(r) @node("e1")
  z = softmax(e) @node("z1")
})");
    const FusionPlan plan = left(*graph, {"d1"});
    const Group& group = plan.groupAt(graph->findByName("d1")->id);
    QVERIFY(group.kind == GroupKind::Parts && group.parts.size() == group.nodes.size());
    QVERIFY(group.parts.size() > 1);
    for (const Group& part : group.parts)
        QCOMPARE(part.computedBy(), std::string("reference"));
    std::size_t steps = 0;
    QVERIFY(difference(graph, plan, steps) < 1e-5);
    QCOMPARE(steps, group.parts.size());
    const KernelReport report = groupReport(*graph, plan, group, target()).value();
    QCOMPARE(report.parts.size(), group.parts.size());
    QVERIFY(report.parts[0].host);
}

void TestHost::freeDimensionsTakeTheirSizes() {
    const GraphPtr graph = hostGraph(R"(graph g(x: f32[N, 6]) -> z {
  a = reshape(x) {shape = [N, 2, 3]} @node("view")
  h = softmax(a) {axis = 0} @node("host")
  z = exp(h) @node("z1")
})");
    for (const std::int64_t size : {0, 1, 7}) {
        std::size_t steps = 0;
        QVERIFY(difference(graph, left(*graph, {"host"}), steps, {{"N", size}}) < 1e-5);
        QVERIFY(steps >= 1);
    }
}

void TestHost::nothingElseRunsIt() {
    const GraphPtr graph = hostGraph("graph g(x: f32[4]) -> z { z = exp(x) @node(\"host\") }");
    const CompiledModule module = compileModule(*graph, left(*graph, {"host"}), target()).value();
    std::unique_ptr<runtime::Executor> executor;
    const runtime::Status status =
        runtime::Executor::open(module.program, nullptr, 0, {}, {}, executor);
    QCOMPARE(status.code, FW_BAD_PROGRAM);
    QVERIFY(status.message.find("has no code") != std::string::npos);
    // It is written and read as any other.
    const std::vector<std::uint8_t> bytes = runtime::writeProgram(module.program);
    runtime::Program read;
    QVERIFY(runtime::readProgram(bytes.data(), bytes.size(), read).ok());
    QCOMPARE(hostSteps(read), std::size_t(1));
}

namespace {

// Its reference refuses what its types allow.
class Refuses final : public Operator {
public:
    const std::string& name() const override { return m_name; }
    const std::string& doc() const override { return m_name; }
    std::string signature() const override { return "refuses(x) -> y"; }
    std::string body() const override { return "native"; }
    std::vector<std::string> inputNames() const override { return {"x"}; }
    std::vector<std::string> outputNames() const override { return {"y"}; }
    Arity arity() const override { return {1, 1}; }
    std::vector<std::string> attrNames() const override { return {}; }
    std::optional<AttrType> attrType(std::string_view) const override { return std::nullopt; }
    Result<Inferred> infer(const OpCall& call) const override {
        return Inferred{{call.inputs.at(0).value()}, {}};
    }
    Result<OpInst> instantiate(const OpCall&) const override {
        return makeDiag(DiagCode::UnsupportedAttribute, "it has no expression");
    }
    Result<Facts> facts(const OpCall& call) const override { return instantiate(call).takeDiag(); }
    Result<std::vector<TensorData>>
    reference(const OpCall&, const std::vector<const TensorData*>& inputs) const override {
        if (inputs.at(0)->at(0) < 0)
            return makeDiag(DiagCode::InputMismatch, "x begins below zero");
        return std::vector<TensorData>{*inputs.at(0)};
    }
    bool isNative() const override { return true; }

private:
    std::string m_name = "refuses";
};

} // namespace

void TestHost::whatItRefusesIsTold() {
    auto operators = std::make_shared<OperatorSet>(*standardOperators());
    QVERIFY(operators->add(std::make_shared<const Refuses>()).ok());
    const GraphPtr graph = parseGraph("graph g(x: f32[2]) -> z {\n  a = exp(x)\n"
                                      "  z = refuses(x) @node(\"no\")\n}",
                                      operators)
                               .value();
    const FusionPlan plan = planFusion(*graph, target()).value(); // of itself
    QVERIFY(plan.groupAt(graph->findByName("no")->id).isHost());
    QVERIFY(std::any_of(plan.notices.begin(), plan.notices.end(), [](const Decision& notice) {
        return notice.subject == "no" && notice.code == ReasonCode::HostComputes &&
               notice.evidence == "it has no expression";
    }));
    QVERIFY(obstacles(*graph).empty());
    auto loaded = loadModule(
        std::make_shared<const CompiledModule>(compileModule(*graph, plan, target()).value()),
        target());
    QVERIFY((*loaded)->run({dataFromDoubles(DType::F32, {2}, {1, 2})}).ok());
    const auto refused = (*loaded)->run({dataFromDoubles(DType::F32, {2}, {-1, 2})});
    QVERIFY(!refused.ok());
    QCOMPARE(refused.diag().code, DiagCode::InputMismatch);
    QCOMPARE(refused.diag().message, std::string("x begins below zero"));
    QCOMPARE(refused.diag().where.node, std::string("no"));
}

FW_TEST(TestHost, QCoreApplication)
#include "test_host.moc"
