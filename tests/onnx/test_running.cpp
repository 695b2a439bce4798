// Operands of shapes that are no constants: numbers where only constants lead to them, dimensions
// of the model where arithmetic on shapes does, else dimensions that are bound while it runs.
#include "common/test.h"
#include "onnx/judge.h"
#include "onnx/model_builder.h"
#include "onnx/reading.h"

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestRunning : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void constantsGiveNumbers();
    void arithmeticOnShapesGivesExpressions();
    void theRestIsBound();
    void oneOperandIsBoundOnce();
    void howManyThereAreHasToBeKnown();
    void reductionsOverComputedAxes();
};

// Arithmetic on floats, which exporters write of the extents of a fixed image.
void TestRunning::constantsGiveNumbers() {
    for (const float factor : {2.0F, 1.5F}) {
        M m;
        m.input("x", {"2", "6", "4"}).output("y");
        m.weights("extents", {2}, {2.2F, 6.1F}).weights("factors", {2}, {factor, 2});
        m.node("Mul", "extents factors", "scaled");
        m.node("Floor", "scaled", "floored");
        M::set(m.node("Cast", "floored", "target"), "to", 7);
        m.node("Reshape", "x target", "y");
        const auto read = test::read(m.bytes());
        QCOMPARE(read.ok(), factor == 2.0F); // 4 x 12 are as many elements, 3 x 12 are not
        if (!read)
            continue;
        QVERIFY(read->graph->boundDims().empty());
        QCOMPARE(read->graph->type(read->graph->results()[0].value).text(),
                 std::string("f32[4, 12]"));
    }
}

void TestRunning::arithmeticOnShapesGivesExpressions() {
    M m;
    m.input("x", {"B", "S", "8"}).input("t", {"512", "8"}).output("y");
    m.node("Shape", "x", "shape");
    m.integers("second", {1}).integers("zero", {0});
    m.node("Gather", "shape second", "length");
    m.node("Slice", "t zero length zero", "rows");
    m.node("Relu", "rows", "y");
    const auto read = test::read(m.bytes());
    QVERIFY2(read.ok(), read ? "" : read.diag().text().c_str());
    QVERIFY(read->graph->boundDims().empty());
    QCOMPARE(read->graph->type(read->graph->results()[0].value).text(),
             std::string("f32[min(S, 512), 8]"));
}

void TestRunning::theRestIsBound() {
    M m;
    m.input("x", {"N", "6"}).input("s", {"2"}, proto::TensorProto::INT64).output("y");
    m.node("Reshape", "x s", "y");
    const auto read = test::read(m.bytes());
    QVERIFY2(read.ok(), read ? "" : read.diag().text().c_str());
    const Graph& graph = *read->graph;
    QCOMPARE(graph.boundDims().size(), std::size_t(2));
    QCOMPARE(graph.freeDims().size(), std::size_t(1));
    QCOMPARE(graph.type(graph.results()[0].value).text(), std::string("f32[Y_d0, Y_d1]"));
}

void TestRunning::oneOperandIsBoundOnce() {
    M m;
    m.input("x", {"3", "1"}).input("s", {"2"}, proto::TensorProto::INT64);
    m.output("y").output("z");
    m.node("Expand", "x s", "y");
    m.node("ConstantOfShape", "s", "zeros");
    m.node("Relu", "zeros", "z");
    const auto read = test::read(m.bytes());
    QVERIFY2(read.ok(), read ? "" : read.diag().text().c_str());
    const Graph& graph = *read->graph;
    QCOMPARE(graph.boundDims().size(), std::size_t(2));
    QCOMPARE(graph.type(graph.results()[1].value).text(), std::string("f32[S_0, S_1]"));
}

void TestRunning::howManyThereAreHasToBeKnown() {
    M m;
    m.input("x", {"N", "6"}).input("s", {"K"}, proto::TensorProto::INT64).output("y");
    m.node("Reshape", "x s", "y");
    const auto read = test::read(m.bytes());
    QVERIFY2(read.ok(), read ? "" : read.diag().text().c_str());
    QVERIFY(hasErrors(read->diagnostics));
    QVERIFY2(read->diagnostics.front().message.find("no fixed number of integers") !=
                 std::string::npos,
             read->diagnostics.front().text().c_str());
}

void TestRunning::reductionsOverComputedAxes() {
    struct Row {
        const char* op;
        std::int64_t axis;
        std::vector<double> wanted;
    };
    for (const Row& row : {Row{"ReduceMean", 1, {2, 5}}, Row{"ReduceMax", 0, {4, 5, 6}},
                           Row{"ReduceMin", -2, {1, 2, 3}}, Row{"ReduceProd", -1, {6, 120}},
                           Row{"ReduceL1", 1, {6, 15}}, Row{"ReduceSumSquare", 0, {17, 29, 45}}})
        for (const std::int64_t keepdims : {0, 1}) {
            M m(18);
            m.input("x", {"2", "3"}).input("axes", {"1"}, proto::TensorProto::INT64).output("y");
            M::set(m.node(row.op, "x axes", "y"), "keepdims", keepdims);
            const auto read = test::read(m.bytes());
            QVERIFY2(read.ok(), read ? "" : read.diag().text().c_str());
            QVERIFY(!hasErrors(read->diagnostics));
            const std::string wrong = resultsOf(
                *read->graph,
                {reals({2, 3}, {1, 2, 3, 4, 5, 6}), dataFromIntegers(DType::I64, {1}, {row.axis})},
                {row.wanted});
            QVERIFY2(wrong.empty(), (row.op + (": " + wrong)).c_str());
        }
}

FW_TEST(TestRunning, QCoreApplication)
#include "test_running.moc"
