// Graphs of which a part is hidden, and the filters that hide it.
#include "common/test.h"
#include "snapshot/filters.h"
#include "snapshot/graphs.h"
#include "snapshot/hidden.h"
#include "snapshot/neighbourhood.h"

#include <map>

using namespace fw;
using namespace fw::snapshot;

class TestHidden : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void neighboursAreOneMark();
    void marksCloseNoCircle();
    void groupsHoldTheirMarks();
    void bodiesGoWithTheirNode();
    void randomPartsAreGraphs();
    void filtersHide();

private:
    static const NodeRecord& at(const GraphDocument& graph, NodeId id) {
        for (const NodeRecord& node : graph.nodes)
            if (node.id == id)
                return node;
        qFatal("no such node");
    }
};

namespace {

// x -> a -> b -> d -> e, a -> c; every operator reads a constant.
struct Forked {
    GraphMaker maker;
    NodeId x = maker.input("x");
    NodeId a = op("a", x), b = op("b", a), c = op("c", a), d = op("d", b), e = op("e", d);
    NodeId op(const std::string& name, NodeId from) {
        return maker.add("op", name, {from, maker.constant()});
    }
};

} // namespace

void TestHidden::neighboursAreOneMark() {
    Forked g;
    const GraphDocument graph = g.maker.finish(g.e);
    const Shown shown = withoutHidden(graph, {g.b, g.d, g.c});
    QCOMPARE(shown.markOf.size(), std::size_t(3));
    const NodeId mark = shown.markOf.at(g.b);
    QVERIFY(isHiddenMark(mark));
    QCOMPARE(shown.markOf.at(g.d), mark);
    QVERIFY(shown.markOf.at(g.c) != mark); // no value joins it with the others
    QCOMPARE(at(shown.graph, mark).op, std::string("2 hidden"));
    QCOMPARE(at(shown.graph, shown.markOf.at(g.c)).op, std::string("1 hidden"));
    // What they read comes to the mark, and what is read of them from it, with its type.
    QCOMPARE(at(shown.graph, mark).inputs.size(), std::size_t(1));
    QCOMPARE(at(shown.graph, mark).inputs[0].node, g.a);
    const InputRef read = at(shown.graph, g.e).inputs[0];
    QCOMPARE(read.node, mark);
    QCOMPARE(at(shown.graph, mark).outputs[std::size_t(read.output)].type, std::string("f32[4]"));
    QCOMPARE(at(shown.graph, g.e).inputs.size(), std::size_t(2)); // with its constant
    QCOMPARE(shown.graph.results.size(), std::size_t(1));
    QVERIFY(withoutHidden(graph, {g.e}).graph.results.empty());
    QCOMPARE(withoutHidden(graph, {}).graph.nodes.size(), graph.nodes.size());
}

// a -> b -> d, a -> d: with a and d hidden, one mark would read b and be read by it.
void TestHidden::marksCloseNoCircle() {
    GraphMaker maker;
    const NodeId x = maker.input("x"), a = maker.add("op", "", {x}), b = maker.add("op", "", {a}),
                 d = maker.add("op", "", {a, b});
    const Shown shown = withoutHidden(maker.finish(d), {a, d});
    QVERIFY(shown.markOf.at(a) != shown.markOf.at(d));
    QCOMPARE(at(shown.graph, b).inputs[0].node, shown.markOf.at(a));
    QCOMPARE(at(shown.graph, shown.markOf.at(d)).inputs.size(), std::size_t(1)); // b alone
}

void TestHidden::groupsHoldTheirMarks() {
    Forked g;
    g.maker.group({g.a, g.b});
    g.maker.group({g.d, g.e});
    const GraphDocument graph = g.maker.finish(g.e);
    const Shown one = withoutHidden(graph, {g.b});
    QCOMPARE(at(one.graph, one.markOf.at(g.b)).group, 0);
    const Shown two = withoutHidden(graph, {g.b, g.d});
    QCOMPARE(at(two.graph, two.markOf.at(g.b)).group, -1);
    QCOMPARE(two.graph.groups.size(), std::size_t(2));
    QCOMPARE(withoutHidden(graph, {g.d, g.e}).graph.groups.size(), std::size_t(2)); // at the mark
    QCOMPARE(withoutHidden(graph, {g.b, g.d, g.e}).graph.groups.size(), std::size_t(1));
}

void TestHidden::bodiesGoWithTheirNode() {
    GraphMaker maker;
    const NodeId x = maker.input("x"), p = maker.add("op", "", {x}), q = maker.add("op", "", {p}),
                 loop = maker.add("Loop", "loop", {x}), y = maker.add("op", "", {loop});
    maker.body("body", loop, {p, q}, {0});
    const GraphDocument graph = maker.finish(y);
    const Shown gone = withoutHidden(graph, {loop});
    QVERIFY(gone.graph.insides.empty());
    QCOMPARE(at(gone.graph, gone.markOf.at(q)).op, std::string("3 hidden"));
    QCOMPARE(at(gone.graph, y).inputs[0].node, gone.markOf.at(loop));
    // What is hidden inside stays inside, and makes what the body makes.
    const Shown part = withoutHidden(graph, {q});
    QCOMPARE(part.graph.insides.size(), std::size_t(1));
    const NodeId mark = part.markOf.at(q);
    QCOMPARE(part.graph.insides[0].nodes, (std::vector<NodeId>{p, mark}));
    QCOMPARE(part.graph.insides[0].results[0].node, mark);
    // What lies inside is shown within its node.
    QCOMPARE(othersThan(graph, {p}), (NodeSet{x, q, y}));
    // A mark outside is another one.
    const Shown both = withoutHidden(graph, {x, p});
    QVERIFY(both.markOf.at(x) != both.markOf.at(p));
}

void TestHidden::randomPartsAreGraphs() {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        const GraphDocument graph = randomGraph(seed, 80, true);
        std::mt19937 random(seed);
        NodeSet hidden;
        for (const NodeRecord& node : graph.nodes)
            if (!node.constant && random() % 3 == 0)
                hidden.insert(node.id);
        if (seed % 2 == 0)
            hidden = othersThan(graph, nodesAround(graph, {graph.nodes[30].id}, 2));
        const Shown shown = withoutHidden(graph, hidden);
        QCOMPARE(shown.markOf.size(), hidden.size());
        std::map<NodeId, const NodeRecord*> there;
        std::size_t left = 0;
        for (const NodeRecord& node : shown.graph.nodes) {
            for (const InputRef& input : node.inputs) {
                QVERIFY(there.contains(input.node)); // in order, and nothing is missing
                QVERIFY(!isHiddenMark(input.node) ||
                        std::size_t(input.output) < there.at(input.node)->outputs.size());
                QVERIFY(!isHiddenMark(input.node) || !isHiddenMark(node.id));
            }
            there.emplace(node.id, &node);
            left += !node.constant && !isHiddenMark(node.id);
        }
        QCOMPARE(left, othersThan(graph, hidden).size());
    }
}

void TestHidden::filtersHide() {
    Forked g;
    const GraphDocument graph = g.maker.finish(g.e);
    const NodeSearch search(graph, nullptr, nullptr);
    const auto hidden = [&](const KeptFilter& filter) {
        return hiddenBy(filter, graph, filteredBy(filter, graph, search).value());
    };
    using Shows = KeptFilter::Shows;
    const std::string named = filterName(at(graph, g.b)); // by its value
    QCOMPARE(named, graph.nodes[std::size_t(g.b)].outputs[0].name);
    QCOMPARE(hidden({Shows::Others, {}, {named}, 0}), NodeSet{g.b});
    QCOMPARE(hidden({Shows::These, {}, {named}, 0}), (NodeSet{g.x, g.a, g.c, g.d, g.e}));
    QCOMPARE(hidden({Shows::Around, {}, {named}, 1}), (NodeSet{g.x, g.c, g.e}));
    QCOMPARE(hidden({Shows::Others, "op:op -b", {}, 0}), (NodeSet{g.a, g.c, g.d, g.e}));
    QVERIFY(hidden({Shows::These, {}, {"nobody"}, 0}).empty()); // not everything
    QVERIFY(!filteredBy({Shows::Others, "flavour:7", {}, 0}, graph, search));
}

FW_TEST(TestHidden, QCoreApplication)
#include "test_hidden.moc"
