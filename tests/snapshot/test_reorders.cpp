// Reorders of a plan as nodes of its graph.
#include "common/test.h"
#include "snapshot/graphs.h"
#include "snapshot/reorders.h"

using namespace fw;
using namespace fw::snapshot;

class TestReorders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void standBetweenMakerAndReaders();
    void oneBehindAnother();
    void whatIsNotThereHasNone();

private:
    static const NodeRecord* at(const GraphDocument& graph, NodeId id) {
        for (const NodeRecord& node : graph.nodes)
            if (node.id == id)
                return &node;
        return nullptr;
    }
    static FuseDocument planWith(std::vector<std::pair<int, ReorderRecord>> reorders) {
        FuseDocument plan;
        plan.groups.resize(2);
        for (int i = 0; i < 2; ++i)
            plan.groups[std::size_t(i)].id = i;
        for (auto& [group, reorder] : reorders)
            plan.groups[std::size_t(group)].reorders.push_back(std::move(reorder));
        return plan;
    }
};

namespace {

// x -> a -> b, a -> c: a is group 0, b group 1, c in none. Values are called v and their number.
struct TwoGroups {
    GraphMaker maker;
    NodeId x = maker.input("x"), a = maker.add("conv", "a", {x}), b = maker.add("conv", "b", {a}),
           c = maker.add("op", "c", {a});
    TwoGroups() {
        maker.group({a});
        maker.group({b});
    }
};

} // namespace

void TestReorders::standBetweenMakerAndReaders() {
    TwoGroups g;
    const GraphDocument graph = g.maker.finish(g.a);
    const FuseDocument plan =
        planWith({{0, {"a_in", "v0", "rows", 2048.0, 0.7}}, {0, {"a_out", "v1", "rows", {}, {}}}});
    const GraphDocument made = withReorders(graph, plan, nullptr);
    QCOMPARE(made.nodes.size(), graph.nodes.size() + 2);
    const NodeId before = at(made, g.a)->inputs[0].node;
    QVERIFY(isReorder(before));
    QCOMPARE(at(made, before)->inputs[0].node, g.x);
    QCOMPARE(at(made, before)->group, 0);
    QCOMPARE(at(made, before)->name, std::string("rows, ≈0.7 µs"));
    QCOMPARE(at(made, before)->outputs[0].type, std::string("f32[4]"));
    QCOMPARE(reorderOf(plan, before).record->name, std::string("a_in"));
    QCOMPARE(reorderOf(plan, before).group->id, 0);
    // Behind the group everybody reads what it brought back, results too.
    const NodeId behind = at(made, g.b)->inputs[0].node;
    QVERIFY(isReorder(behind) && behind != before);
    QCOMPARE(at(made, g.c)->inputs[0].node, behind);
    QCOMPARE(made.results[0].node, behind);
    QCOMPARE(at(made, behind)->name, std::string("rows"));
    std::set<NodeId> there; // in order
    for (const NodeRecord& node : made.nodes) {
        for (const InputRef& input : node.inputs)
            QVERIFY(there.contains(input.node));
        there.insert(node.id);
    }
    ProfileDocument times;
    times.rows.emplace_back().group = "a_in";
    times.rows.back().medianUs = 1.5;
    QCOMPARE(at(withReorders(graph, plan, &times), before)->name, std::string("rows, 1.5 µs"));
}

void TestReorders::oneBehindAnother() {
    TwoGroups g;
    const GraphDocument graph = g.maker.finish(g.b);
    const FuseDocument plan =
        planWith({{0, {"a_out", "v1", "rows", {}, {}}}, {1, {"b_in", "v1", "images", {}, {}}}});
    const GraphDocument made = withReorders(graph, plan, nullptr);
    const NodeRecord& in = *at(made, at(made, g.b)->inputs[0].node);
    QCOMPARE(in.name, std::string("images"));
    const NodeRecord& out = *at(made, in.inputs[0].node);
    QCOMPARE(out.name, std::string("rows"));
    QCOMPARE(out.inputs[0].node, g.a);
    QCOMPARE(at(made, g.c)->inputs[0].node, out.id);
}

void TestReorders::whatIsNotThereHasNone() {
    TwoGroups g;
    const GraphDocument graph = g.maker.finish(g.b);
    const FuseDocument plan = planWith({{0, {"gone", "nowhere", "rows", {}, {}}}});
    QVERIFY(withReorders(graph, plan, nullptr) == graph);
    QVERIFY(withReorders(graph, planWith({}), nullptr) == graph);
    QVERIFY(!reorderOf(plan, firstReorder - 1).record);
    QVERIFY(!reorderOf(plan, noNode).record);
}

FW_TEST(TestReorders, QCoreApplication)
#include "test_reorders.moc"
