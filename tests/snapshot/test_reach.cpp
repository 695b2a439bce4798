// What is connected with a node.
#include "common/test.h"
#include "snapshot/graphs.h"
#include "snapshot/neighbourhood.h"

using namespace fw;
using namespace fw::snapshot;

class TestReach : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void streams();
    void ways();
    void steps();
    void whatIsUnknownIsNothing();
};

namespace {

// x -> a -> b -> d -> e, a -> c, f beside it; every operator reads a constant.
struct Small {
    GraphMaker maker;
    NodeId x = maker.input("x");
    NodeId a = op({x}), b = op({a}), c = op({a}), d = op({b}), e = op({d}), f = op({});
    NodeId op(std::vector<NodeId> inputs) {
        inputs.push_back(maker.constant());
        return maker.add("op", "", inputs);
    }
};

} // namespace

void TestReach::streams() {
    Small g;
    const GraphDocument graph = g.maker.finish(g.e);
    QCOMPARE(streamOf(graph, {g.b}), (NodeSet{g.x, g.a, g.b, g.d, g.e}));
    QCOMPARE(streamOf(graph, {g.c}), (NodeSet{g.x, g.a, g.c}));
    QCOMPARE(streamOf(graph, {g.f}), NodeSet{g.f});
    QCOMPARE(streamOf(graph, {g.c, g.f}), (NodeSet{g.x, g.a, g.c, g.f}));
}

void TestReach::ways() {
    Small g;
    const NodeId beside = g.op({g.a}), both = g.op({g.e, beside});
    const GraphDocument graph = g.maker.finish(both);
    QCOMPARE(waysBetween(graph, g.a, g.e), (NodeSet{g.a, g.b, g.d, g.e}));
    QCOMPARE(waysBetween(graph, g.e, g.a), (NodeSet{g.a, g.b, g.d, g.e}));
    QCOMPARE(waysBetween(graph, g.a, both), (NodeSet{g.a, g.b, g.d, g.e, beside, both}));
    QVERIFY(waysBetween(graph, g.b, g.c).empty());
    QVERIFY(waysBetween(graph, g.b, 99).empty());
    QCOMPARE(waysBetween(graph, g.b, g.b), NodeSet{g.b});
}

void TestReach::steps() {
    Small g;
    const GraphDocument graph = g.maker.finish(g.e);
    QCOMPARE(nodesAround(graph, {g.b}, 0), NodeSet{g.b});
    QCOMPARE(nodesAround(graph, {g.b}, 1), (NodeSet{g.a, g.b, g.d}));
    QCOMPARE(nodesAround(graph, {g.b}, 2), (NodeSet{g.x, g.a, g.b, g.c, g.d, g.e}));
    QCOMPARE(nodesAround(graph, {g.b}, 9), nodesAround(graph, {g.b}, 2));
}

void TestReach::whatIsUnknownIsNothing() {
    Small g;
    const GraphDocument graph = g.maker.finish(g.e);
    QVERIFY(streamOf(graph, {99}).empty());
    QVERIFY(nodesAround(graph, {}, 3).empty());
}

FW_TEST(TestReach, QCoreApplication)
#include "test_reach.moc"
