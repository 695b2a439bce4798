// Where rules run: stages one behind the other, and the graphs inside nodes.
#include "common/test.h"
#include "rewrite/rewriting.h"

#include "rewrite/history.h"

using namespace fw;
using namespace rewriting;

class TestStages : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stagesFollowEachOther();
    void graphsInsideNodes();
    void aGraphThatSeveralNodesHold();
};

// Each stage has its rules until nothing changes; none goes back to the one before it.
void TestStages::stagesFollowEachOther() {
    const GraphPtr graph =
        graphOf("graph g(x: f32[2]) -> y {\n a = identity(x)  b = relu(a)  y = exp(b)\n}");
    const RuleBook book = bookOf(
        "rule last {\n stage before fusion\n match y = sigmoid(x)\n emit y = identity(x)\n}\n"
        "rule second {\n stage before partition\n match y = tanh(x)\n emit y = sigmoid(x)\n}\n"
        "rule third {\n stage before partition\n match y = relu(x)\n emit y = cos(x)\n}\n"
        "rule first {\n match y = relu(x)\n emit y = tanh(x)\n}\n"
        "rule gone {\n stage simplify\n match y = identity(x)\n emit y = x\n}");
    const Rewritten out = rewritten(graph, book);
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("identity exp"));
    QStringList order;
    for (const Application& one : out.trace.applications)
        order << QString::fromStdString(out.trace.applied[one.entry].rule);
    QCOMPARE(order, (QStringList{QStringLiteral("first"), QStringLiteral("gone"),
                                 QStringLiteral("second"), QStringLiteral("last")}));
    QCOMPARE(out.trace.applied.size(), std::size_t(5)); // in the order of the book
    QCOMPARE(applications(out.trace, "third"), std::size_t(0));
    QCOMPARE(out.trace.stopReason, std::string("fixpoint"));
    QCOMPARE(graphBehind(graph, out.trace.applications, 4).value()->hash(), out.graph->hash());
}

// B2.
void TestStages::graphsInsideNodes() {
    const GraphPtr graph =
        graphOf("graph g(c: bool[], x: f32[4]) -> y {\n a = identity(x)\n"
                " z = unknown \"\" \"If\"(c, a) : f32[4]\n"
                "   body then_branch(1) graph yes(q: f32[4]) -> t { i = identity(q) r = relu(i) t "
                "= relu(r) }\n"
                "   body else_branch(1) graph no(q: f32[4]) -> e { e = neg(q) }\n"
                " y = identity(z)\n}");
    const Rewritten out = rewritten(
        graph, bookOf("rule gone {\n match y = identity(x)\n emit y = x\n}\n"
                      "rule once_is_enough {\n match y = relu(relu(x))\n emit y = relu(x)\n}\n"
                      "rule late {\n stage before fusion\n match y = neg(x)\n emit y = exp(x)\n}"));
    QCOMPARE(operatorsOf(*out.graph), QStringLiteral("unknown"));
    const Node* branch = out.graph->nodes().back().get();
    QCOMPARE(branch->bodies.size(), std::size_t(2));
    QCOMPARE(operatorsOf(*branch->bodies[0].graph), QStringLiteral("relu"));
    QCOMPARE(operatorsOf(*branch->bodies[1].graph), QStringLiteral("neg")); // of the first stage
    QCOMPARE(out.trace.stopReason, std::string("fixpoint"));
    std::size_t inside = 0;
    for (const Application& one : out.trace.applications)
        if (one.body) {
            ++inside;
            QCOMPARE(one.body->name(), std::string("yes"));
        }
    QCOMPARE(inside, std::size_t(2));
    QCOMPARE(out.trace.applications.size(), std::size_t(4));
    for (std::size_t k = 0; k <= 4; ++k) {
        const auto state = graphBehind(graph, out.trace.applications, k);
        QVERIFY(state);
        const Graph& yes = *(*state)->findByName("z")->bodies[0].graph;
        QCOMPARE(operatorsOf(yes).split(u' ').size(), k >= inside ? 1 : 3 - static_cast<int>(k));
        if (k == 4)
            QCOMPARE((*state)->hash(), out.graph->hash());
    }
}

void TestStages::aGraphThatSeveralNodesHold() {
    const GraphPtr parsed = graphOf(
        "graph g(c: bool[], x: f32[4]) -> y {\n"
        " a = unknown \"\" \"If\"(c, x) : f32[4]\n"
        "   body then_branch(1) graph yes(q: f32[4]) -> t { i = identity(q) t = relu(i) }\n"
        " y = unknown \"\" \"If\"(c, a) : f32[4]\n"
        "   body then_branch(1) graph yes(q: f32[4]) -> t { i = identity(q) t = relu(i) }\n}");
    GraphEditor editor(*parsed);
    editor.setBodies(parsed->nodes().back()->id, parsed->findByName("a")->bodies);
    const GraphPtr graph = editor.finish().value();
    const Rewritten out =
        rewritten(graph, bookOf("rule gone {\n match y = identity(x)\n emit y = x\n}"));
    QCOMPARE(applications(out.trace, "gone"), std::size_t(1));
    QVERIFY(out.graph->findByName("a")->bodies[0].graph ==
            out.graph->nodes().back()->bodies[0].graph);
    QCOMPARE(graphBehind(graph, out.trace.applications, 1).value()->hash(), out.graph->hash());
}

FW_TEST(TestStages, QCoreApplication)
#include "test_stages.moc"
