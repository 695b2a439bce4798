// Graphs inside nodes: as text and back, part of what a graph is, and in place of their calls.
#include "common/test.h"
#include "ir/diff.h"
#include "ir/graph_text.h"
#include "ir/inline_calls.h"
#include "library/library.h"
#include "tensor/evaluate_graph.h"

using namespace fw;

class TestBodies : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void textReadsBack();
    void bodiesAreContent();
    void dimensionsReachBodies();
    void wrongBodiesAreRefused_data();
    void wrongBodiesAreRefused();
    void callsAreReplaced();
    void operandsAreResults();
    void callsKeepTheOrder();
    void sizesOfTheCallCount();
};

namespace {

Result<GraphPtr> parsed(const std::string& text,
                        const std::map<std::string, std::int64_t>& dims = {}) {
    return parseGraph(text, standardOperators(), {.file = "t.fw", .dims = dims});
}

GraphPtr read(const std::string& text) {
    auto graph = parsed(text);
    if (!graph) {
        qWarning("%s", graph.diag().text().c_str());
        return nullptr;
    }
    return *graph;
}

const char* const branches = R"(
graph g(c: bool[], x: f32[N, 4]) -> y {
  h = relu(x)
  y = unknown "" "If"(c, h, x) {captures = ["h", "x"]} : f32[N, 4] @node("choose")
    body then_branch(1) graph first(h: f32[N, 4]) -> a {
      k = const [1, 2, 3, 4] : f32[4]
      a = add(h, k)
    }
    body "else branch"(2, none) graph "second one"(x: f32[N, 4], turn: i64[]) -> b {
      b = unknown "" "Loop"(x) : f32[N, 4]
        body body(0) graph inner(x: f32[N, 4]) -> z { z = neg(x) }
    }
})";

std::string names(const Graph& graph) {
    std::string out;
    for (const NodePtr& node : graph.nodes())
        out += (out.empty() ? "" : " ") + node->name;
    return out;
}

} // namespace

void TestBodies::textReadsBack() {
    const GraphPtr graph = read(branches);
    QVERIFY(graph);
    const Node* choose = graph->findByName("choose");
    QVERIFY(choose);
    QCOMPARE(choose->bodies.size(), std::size_t(2));
    QCOMPARE(choose->bodies[0].name, std::string("then_branch"));
    QCOMPARE(choose->bodies[0].operands, std::vector<int>{1});
    QCOMPARE(choose->bodies[1].operands, (std::vector<int>{2, Body::givenByOperator}));
    const Node* loop = choose->bodies[1].graph->findByName("b");
    QVERIFY(loop);
    QCOMPARE(loop->bodies.at(0).graph->name(), std::string("inner"));
    const std::string text = printGraph(*graph);
    const auto back = parseGraph(text, standardOperators(), {.constants = constantsOf(*graph)});
    QVERIFY2(back.ok(), back.ok() ? "" : back.diag().text().c_str());
    QCOMPARE(QString::fromStdString(printGraph(**back)), QString::fromStdString(text));
    QCOMPARE((*back)->hash().hex(), graph->hash().hex());
}

void TestBodies::bodiesAreContent() {
    const GraphPtr graph = read(branches);
    const auto changed = [](const std::string& from, const std::string& to) {
        std::string text = branches;
        text.replace(text.find(from), from.size(), to);
        return read(text);
    };
    for (const auto& [from, to] :
         {std::pair("neg(x)", "exp(x)"), std::pair("(1) graph", "(2) graph"),
          std::pair("body then_branch", "body other_branch")}) {
        const GraphPtr other = changed(from, to);
        QVERIFY(other);
        QVERIFY(other->hash().hex() != graph->hash().hex());
        const std::vector<NodeChange> changes = diffByName(*graph, *other);
        QCOMPARE(changes.size(), std::size_t(1));
        QVERIFY(changes[0].text.find("other bodies") != std::string::npos);
    }
    QVERIFY(diffByName(*graph, *read(branches)).empty());
}

void TestBodies::dimensionsReachBodies() {
    const auto graph = parsed(branches, {{"N", 3}});
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.diag().text().c_str());
    const Body& body = (*graph)->findByName("choose")->bodies[0];
    QCOMPARE(body.graph->type(body.graph->results()[0].value).text(), std::string("f32[3, 4]"));
}

void TestBodies::wrongBodiesAreRefused_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("message");
    QTest::newRow("no such operand") << "then_branch(1)"
                                     << "then_branch(9)"
                                     << "there is no operand 9";
    QTest::newRow("negative operand") << "then_branch(1)"
                                      << "then_branch(-1)"
                                      << "counted from 0";
    QTest::newRow("another type") << "then_branch(1)"
                                  << "then_branch(0)"
                                  << "its body then_branch takes h as f32[N, 4], which is bool[]";
    QTest::newRow("too few operands") << "then_branch(1)"
                                      << "then_branch()"
                                      << "its body then_branch has 1 inputs and operands for 0";
    QTest::newRow("an outer value") << "add(h, k)"
                                    << "add(x, k)"
                                    << "there is no value \"x\"";
    QTest::newRow("no graph") << "body body(0) graph inner"
                              << "body body(0) inner"
                              << "graph";
    QTest::newRow("call without a body") << R"(unknown "" "Loop"(x) : f32[N, 4])"
                                         << "call(x) {runs = 1}"
                                         << "0 results, 1 are named";
    QTest::newRow("call of what an operator gives")
        << R"(unknown "" "If"(c, h, x) {captures = ["h", "x"]} : f32[N, 4])"
        << "call(c, h, x) {runs = 1}"
        << "reads operand -1, which is not there";
}

void TestBodies::wrongBodiesAreRefused() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, message);
    QString text = QString::fromLatin1(branches);
    QVERIFY(text.contains(from));
    const auto graph = parsed(text.replace(from, to).toStdString());
    QVERIFY(!graph.ok());
    QVERIFY2(graph.diag().text().find(message.toStdString()) != std::string::npos,
             graph.diag().text().c_str());
    std::string deep = "graph g(x: f32[1]) -> y { y = relu(x) ";
    for (int i = 0; i < 100000; ++i)
        deep += "body b() graph g() -> y { y = relu(x) ";
    QVERIFY(!parsed(deep).ok());
}

void TestBodies::callsAreReplaced() {
    const GraphPtr graph = read(R"(
graph g(a: f32[2], b: f32[2]) -> y, z {
  (m, n) = call(a, b) {domain = "local", op_type = "both"} @node("first")
    body both(0, 1) graph both(p: f32[2], q: f32[2]) -> s, e {
      u = call(p) {op_type = "twice"} @node("t")
        body twice(0) graph twice(x: f32[2]) -> y { y = add(x, x) @node("sum") }
      s = sub(u, q) @node("less")
      e = exp(u) @node("up")
    }
  y = mul(m, n) @node("last")
  z = neg(y) @node("z_node")
})");
    QVERIFY(graph);
    QVERIFY(hasCalls(*graph));
    const auto inlined = inlineCalls(graph);
    QVERIFY2(inlined.ok(), inlined.ok() ? "" : inlined.diag().text().c_str());
    QCOMPARE(names(**inlined), std::string("a b first/t/sum first/less first/up last z_node"));
    const NodeId call = graph->findByName("first")->id;
    for (const char* name : {"first/t/sum", "first/less"})
        QCOMPARE((*inlined)->findByName(name)->origins, std::vector<NodeId>{call});
    QCOMPARE((*inlined)->findByName("first/less")->outputs[0].name, std::string("m"));
    QCOMPARE((*inlined)->findByName("last")->id, graph->findByName("last")->id);
    const TensorData a = dataFromDoubles(DType::F32, {2}, {1, 0}),
                     b = dataFromDoubles(DType::F32, {2}, {5, 3});
    for (const Graph* one : {graph.get(), inlined->get()}) {
        const auto out = evaluateGraph(*one, {a, b});
        QVERIFY2(out.ok(), out.ok() ? "" : out.diag().text().c_str());
        QCOMPARE(out->at(0).at(1), -3.0); // (2 * 0 - 3) * exp(2 * 0)
    }
    const GraphPtr plain = *inlined;
    QCOMPARE(inlineCalls(plain)->get(), plain.get());
}

void TestBodies::operandsAreResults() {
    const GraphPtr graph = read(R"(
graph g(a: f32[2]) -> y, z {
  (m, n, k) = call(a) {op_type = "f"} @node("f")
    body f(0) graph f(x: f32[2]) -> x, c, c2 = c { c = const [7, 8] : f32[2] }
  (y, o) = call(m) {op_type = "g"} @node("g")
    body g(0) graph f(x: f32[2]) -> x, x2 = x { }
  z = add(n, k) @node("sum")
})");
    QVERIFY(graph);
    const auto inlined = inlineCalls(graph);
    QVERIFY2(inlined.ok(), inlined.ok() ? "" : inlined.diag().text().c_str());
    QCOMPARE(names(**inlined), std::string("a n sum"));
    QCOMPARE((*inlined)->results()[0].name, std::string("y"));
    QCOMPARE((*inlined)->results()[0].value, (ValueRef{(*inlined)->inputs()[0], 0}));
}

// What was independent stays where the model has it, not behind all the rest.
void TestBodies::callsKeepTheOrder() {
    const GraphPtr graph = read(R"(
graph g(a: f32[2]) -> y, z {
  m = call(a) {op_type = "f"} @node("f")
    body f(0) graph f(x: f32[2]) -> r { r = relu(x) @node("act") }
  z = neg(a) @node("n")
  y = exp(m) @node("power")
})");
    QVERIFY(graph);
    QCOMPARE(names(**inlineCalls(graph)), std::string("a f/act n power"));
}

void TestBodies::sizesOfTheCallCount() {
    const GraphPtr graph = read(R"(
graph g(a: f32[N, 4], b: f32[M, 4]) -> y {
  y = call(a, b) {op_type = "f"} @node("f")
    body f(0, 1) graph f(p: f32[N, 4], q: f32[M, 4]) -> r { r = add(p, q) @node("sum") }
})");
    QVERIFY(graph);
    const auto inlined = inlineCalls(graph);
    QVERIFY2(inlined.ok(), inlined.ok() ? "" : inlined.diag().text().c_str());
    QCOMPARE((*inlined)->assumptions().size(), std::size_t(1));
    QCOMPARE((*inlined)->assumptions()[0].node, std::string("f/sum"));
}

FW_TEST(TestBodies, QCoreApplication)
#include "test_bodies.moc"
