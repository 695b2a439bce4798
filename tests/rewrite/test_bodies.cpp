// Rules inside the graphs of nodes: loops, scans and kept calls, with values that these graphs take
// from the graph around them. The reference judges every graph by itself.
#include "common/test.h"
#include "rewrite/rewriting.h"

#include "rewrite/history.h"

using namespace fw;
using namespace rewriting;

class TestBodies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loops();
    void scans();
    void graphsInsideGraphs();
    void keptCalls();
    void otherTypesAreUndone();
    void valuesFromOutsideAreNoConstants();
};

namespace {

const char* const shorter = "rule gone { match y = identity(x) emit y = x }\n"
                            "rule once_is_enough { match y = relu(relu(x)) emit y = relu(x) }\n";

const Body& bodyOf(const Graph& graph, const char* node) {
    const Node* found = graph.findByName(node);
    if (found == nullptr || found->bodies.empty())
        qFatal("%s has no body", node);
    return found->bodies.front();
}

// The text has all of it, and every application can be gone through again.
void holdsTogether(const GraphPtr& before, const Rewritten& out) {
    const auto back = parseGraph(printGraph(*out.graph), standardOperators());
    QVERIFY2(back.ok(), back.ok() ? "" : back.diag().text().c_str());
    QCOMPARE((*back)->hash().hex(), out.graph->hash().hex());
    const std::size_t count = out.trace.applications.size();
    QCOMPARE(graphBehind(before, out.trace.applications, count).value()->hash().hex(),
             out.graph->hash().hex());
}

} // namespace

void TestBodies::loops() {
    const GraphPtr before = graphOf(
        "graph g(n: i64[], on: bool[], x: f32[4], w: f32[4]) -> y {\n"
        "  u = identity(w)\n"
        "  y = unknown \"\" \"Loop\"(n, on, x, u) {captures = [\"u\"]} : f32[4] @node(\"turn\")\n"
        "    body body(none, none, none, 3) graph inner(i: i64[], c: bool[], s: f32[4], u: f32[4])"
        " -> still, p {\n"
        "      still = identity(c)  d = identity(s)  e = mul(d, u)  r = relu(e)  p = relu(r)\n"
        "    }\n}");
    const Rewritten out = rewritten(before, bookOf(shorter));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("unknown"));
    const Body& body = bodyOf(*out.graph, "turn");
    QCOMPARE(operatorsOf(*body.graph), QStringLiteral("mul relu"));
    QCOMPARE(body.operands, bodyOf(*before, "turn").operands);
    QCOMPARE(difference(*bodyOf(*before, "turn").graph, *body.graph), QString());
    // What the body takes from outside is the value behind the operator that went.
    const Node* turn = out.graph->findByName("turn");
    QCOMPARE(turn->inputs.at(3).node, out.graph->findByName("w")->id);
    QCOMPARE(applications(out.trace, "gone"), std::size_t(3));
    QCOMPARE(applications(out.trace, "once_is_enough"), std::size_t(1));
    holdsTogether(before, out);
}

void TestBodies::scans() {
    const GraphPtr before = graphOf(
        "graph g(first: f32[4], rows: f32[N, 4], k: f32[4]) -> last, all {\n"
        "  (last, all) = unknown \"\" \"Scan\"(first, rows, k) {num_scan_inputs = 1}"
        " : f32[4], f32[N, 4] @node(\"rows_sum\")\n"
        "    body body(none, none, 2) graph inner(s: f32[4], row: f32[4], k: f32[4]) -> t, q {\n"
        "      a = add(s, row)  t = identity(a)  b = mul(a, k)  r = relu(b)  q = relu(r)\n"
        "    }\n}");
    const Rewritten out = rewritten(before, bookOf(shorter));
    const Body& body = bodyOf(*out.graph, "rows_sum");
    QCOMPARE(operatorsOf(*body.graph), QStringLiteral("add mul relu"));
    QCOMPARE(body.operands, (std::vector<int>{Body::givenByOperator, Body::givenByOperator, 2}));
    QCOMPARE(difference(*bodyOf(*before, "rows_sum").graph, *body.graph), QString());
    for (const Application& one : out.trace.applications)
        QCOMPARE(one.body.get(), bodyOf(*before, "rows_sum").graph.get());
    holdsTogether(before, out);
}

// The innermost graph reads a value of the outermost one, through the graph between.
void TestBodies::graphsInsideGraphs() {
    const GraphPtr before = graphOf(
        "graph g(n: i64[], on: bool[], x: f32[4], w: f32[4]) -> y {\n"
        "  u = identity(w)\n"
        "  y = unknown \"\" \"Loop\"(n, on, x, u) : f32[4] @node(\"turn\")\n"
        "    body body(none, none, none, 3) graph outer(i: i64[], c: bool[], s: f32[4], u: f32[4])"
        " -> c, p {\n"
        "      v = identity(u)\n"
        "      p = unknown \"\" \"If\"(c, s, v) : f32[4] @node(\"choose\")\n"
        "        body then_branch(1, 2) graph inner(s: f32[4], v: f32[4]) -> z {\n"
        "          a = identity(v)  b = add(s, a)  r = relu(b)  z = relu(r)\n"
        "        }\n"
        "    }\n}");
    const Rewritten out = rewritten(before, bookOf(shorter));
    const Body& outer = bodyOf(*out.graph, "turn");
    const Body& inner = bodyOf(*outer.graph, "choose");
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("unknown"));
    QCOMPARE(operatorsOf(*outer.graph), QStringLiteral("unknown"));
    QCOMPARE(operatorsOf(*inner.graph), QStringLiteral("add relu"));
    QCOMPARE(outer.graph->findByName("choose")->inputs.at(2).node,
             outer.graph->findByName("u")->id);
    QCOMPARE(difference(*bodyOf(*bodyOf(*before, "turn").graph, "choose").graph, *inner.graph),
             QString());
    QCOMPARE(out.trace.applications.size(), std::size_t(4));
    holdsTogether(before, out);
}

// The reference goes through calls, so it judges the whole.
void TestBodies::keptCalls() {
    const GraphPtr before =
        graphOf("graph g(a: f32[2], b: f32[2]) -> y, z {\n"
                "  o = identity(b)\n"
                "  (m, n) = call(a, o) {domain = \"local\", op_type = \"both\"} @node(\"first\")\n"
                "    body both(0, 1) graph both(p: f32[2], q: f32[2]) -> s, e {\n"
                "      u = call(p) {op_type = \"twice\"} @node(\"t\")\n"
                "        body twice(0) graph twice(x: f32[2]) -> y { i = identity(x)  y = add(i, x)"
                " }\n"
                "      s = sub(u, q)  r = relu(u)  e = relu(r)\n"
                "    }\n"
                "  y = mul(m, n)  k = relu(y)  z = relu(k)\n}");
    const Rewritten out = rewritten(before, bookOf(shorter));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("call mul relu"));
    const Graph& both = *bodyOf(*out.graph, "first").graph;
    QCOMPARE(operatorsOf(both), QStringLiteral("call sub relu"));
    QCOMPARE(operatorsOf(*bodyOf(both, "t").graph), QStringLiteral("add"));
    QCOMPARE(difference(*before, *out.graph), QString());
    QCOMPARE(out.trace.applications.size(), std::size_t(4));
    holdsTogether(before, out);
}

// The loop carries what its body gives: an application that gives another type is undone, the next
// one takes place.
void TestBodies::otherTypesAreUndone() {
    const GraphPtr before = graphOf(
        "graph g(n: i64[], on: bool[], x: f32[4]) -> y {\n"
        "  y = unknown \"\" \"Loop\"(n, on, x) : f32[4] @node(\"turn\")\n"
        "    body body(none, none, none) graph inner(i: i64[], c: bool[], s: f32[4]) -> c, p {\n"
        "      e = exp(s)  r = relu(e)  p = relu(r)\n"
        "    }\n}");
    const Rewritten out =
        rewritten(before, bookOf("rule halved { match y = exp(x) emit y = cast(x) {to = f16} }\n" +
                                 std::string(shorter)));
    const Body& body = bodyOf(*out.graph, "turn");
    QCOMPARE(operatorsOf(*body.graph), QStringLiteral("exp relu"));
    QCOMPARE(body.graph->type(body.graph->results()[1].value).text(), std::string("f32[4]"));
    const Decision* undone = decision(out.trace, ReasonCode::RuleUndone);
    QVERIFY(undone);
    QVERIFY2(undone->evidence.find("it turns f32[4] into f16[4]") != std::string::npos,
             undone->evidence.c_str());
    QCOMPARE(applications(out.trace, "halved"), std::size_t(0));
}

// Inside, a value from outside is an input, whatever it is there.
void TestBodies::valuesFromOutsideAreNoConstants() {
    const GraphPtr before = graphOf(
        "graph g(n: i64[], on: bool[], x: f32[4]) -> y, z {\n"
        "  w = const [1, 2, 3, 4] : f32[4]\n"
        "  z = mul(x, w)\n"
        "  y = unknown \"\" \"Loop\"(n, on, x, w) : f32[4] @node(\"turn\")\n"
        "    body body(none, none, none, 3) graph inner(i: i64[], c: bool[], s: f32[4], w: f32[4])"
        " -> c, p {\n"
        "      k = const [4, 3, 2, 1] : f32[4]  a = mul(s, w)  p = mul(a, k)\n"
        "    }\n}");
    const Rewritten out =
        rewritten(before, bookOf("rule scaled { match y = mul(x, w: const) emit y = sub(x, w) }"));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("sub unknown"));
    QCOMPARE(operatorsOf(*bodyOf(*out.graph, "turn").graph), QStringLiteral("mul sub"));
    QCOMPARE(applications(out.trace, "scaled"), std::size_t(2));
}

FW_TEST(TestBodies, QCoreApplication)
#include "test_bodies.moc"
