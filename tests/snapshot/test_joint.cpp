// Two states of one model as one graph.
#include "snapshot/joint.h"

#include <QtTest>

#include <random>
#include <set>

using namespace fw;
using namespace fw::snapshot;

class TestJoint : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatLivesOnIsOneNode();
    void nothingThatIsTheSameIsMarked();
    void bothStatesAreInIt_data();
    void bothStatesAreInIt();
};

namespace {

using Mark = JointNode::Mark;

NodeRecord node(NodeId id, const std::string& op, const std::vector<NodeId>& inputs,
                const std::vector<NodeId>& origins = {}) {
    NodeRecord out;
    out.id = id;
    out.op = op;
    out.name = op + std::to_string(id);
    out.origins = origins;
    for (const NodeId from : inputs)
        out.inputs.push_back({from, 0, "v" + std::to_string(from)});
    out.outputs.push_back({"v" + std::to_string(id), "f32[4]"});
    return out;
}

GraphDocument imported(std::vector<NodeRecord> nodes, NodeId result) {
    GraphDocument out;
    out.stage = "imported";
    out.nodes = std::move(nodes);
    out.results = {{result, 0, "y"}};
    return out;
}

GraphDocument rewritten(std::vector<NodeRecord> nodes, NodeId result) {
    GraphDocument out = imported(std::move(nodes), result);
    out.stage = "fused";
    return out;
}

} // namespace

void TestJoint::whatLivesOnIsOneNode() {
    const GraphDocument left = imported(
        {node(0, "input", {}), node(1, "relu", {0}), node(2, "tanh", {1}), node(3, "exp", {2})}, 3);
    // relu became max; what was behind it reads that.
    const GraphDocument right = rewritten({node(7, "input", {}, {0}), node(9, "max", {7, 7}, {1}),
                                           node(8, "tanh", {9}, {2}), node(6, "exp", {8}, {3})},
                                          6);
    const JointGraph joint = joined(left, right);
    QCOMPARE(joint.nodes.size(), std::size_t(5));
    QVERIFY(joint.nodes[0] == (JointNode{0, 7, Mark::Kept, {}, {}}));
    QVERIFY(joint.nodes[1] == (JointNode{1, noNode, Mark::Erased, {}, {}}));
    QVERIFY(joint.nodes[2] == (JointNode{2, 8, Mark::Changed, {1}, {0}}));
    QVERIFY(joint.nodes[3] == (JointNode{3, 6, Mark::Kept, {}, {}}));
    QVERIFY(joint.nodes[4] == (JointNode{noNode, 9, Mark::Created, {}, {}}));
    // tanh has both operands: max, and relu behind it.
    QCOMPARE(joint.graph.nodes[2].inputs.size(), std::size_t(2));
    QCOMPARE(joint.graph.nodes[2].inputs[0].node, NodeId(4));
    QCOMPARE(joint.graph.nodes[2].inputs[1].node, NodeId(1));
    QCOMPARE(joint.results.size(), std::size_t(1));
    QVERIFY(joint.results[0].left && joint.results[0].right);
}

void TestJoint::nothingThatIsTheSameIsMarked() {
    const GraphDocument left = imported({node(0, "input", {}), node(1, "relu", {0})}, 1);
    const GraphDocument right =
        rewritten({node(0, "input", {}, {0}), node(1, "relu", {0}, {1})}, 1);
    for (const JointNode& one : joined(left, right).nodes)
        QVERIFY(one.mark == Mark::Kept);
    GraphDocument other = right;
    other.nodes[1].attributes["axis"] = "1";
    QVERIFY(joined(left, other).nodes[1].mark == Mark::Changed);
}

void TestJoint::bothStatesAreInIt_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 60; ++seed)
        QTest::addRow("%u", seed) << seed;
}

// Of random rewrites: every node of a state is there once, and without what only the other one has
// each state is what it was.
void TestJoint::bothStatesAreInIt() {
    QFETCH(const unsigned, seed);
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return NodeId(random() % n); };
    static const char* const ops[] = {"relu", "add", "exp", "tanh"};
    GraphDocument left = imported({node(0, "input", {})}, 0), right = left;
    right.stage = "fused";
    right.nodes[0].origins = {0};
    const std::size_t count = 3 + std::size_t(below(25));
    for (std::size_t i = 1; i < count; ++i) {
        left.nodes.push_back(node(NodeId(i), ops[below(4)], {below(i), below(i)}));
        NodeRecord twin = left.nodes.back();
        twin.origins = {twin.id};
        switch (below(5)) {
        case 0:
            twin.op = "created"; // another operator in its place
            break;
        case 1:
            twin.inputs[0].node = below(i);
            break;
        case 2:
            twin.origins.push_back(below(i)); // stands for more than it did
            std::sort(twin.origins.begin(), twin.origins.end());
            break;
        default:
            break;
        }
        right.nodes.push_back(std::move(twin));
    }
    left.results = {{NodeId(count) - 1, 0, "y"}};
    right.results = {{below(count), 0, "y"}};
    const JointGraph joint = joined(left, right);
    QVERIFY(joint == joined(left, right));
    for (const bool isLeft : {true, false}) {
        const GraphDocument& state = isLeft ? left : right;
        std::map<NodeId, std::size_t> place;
        for (std::size_t i = 0; i < joint.nodes.size(); ++i)
            if (const NodeId id = isLeft ? joint.nodes[i].left : joint.nodes[i].right; id != noNode)
                QVERIFY(place.emplace(id, i).second);
        QCOMPARE(place.size(), state.nodes.size());
        for (const NodeRecord& one : state.nodes) {
            const std::size_t at = place.at(one.id);
            const auto& hidden = isLeft ? joint.nodes[at].rightOnly : joint.nodes[at].leftOnly;
            std::set<std::size_t> seen, wanted;
            for (std::size_t k = 0; k < joint.graph.nodes[at].inputs.size(); ++k)
                if (std::find(hidden.begin(), hidden.end(), k) == hidden.end())
                    seen.insert(std::size_t(joint.graph.nodes[at].inputs[k].node));
            for (const InputRef& input : one.inputs)
                wanted.insert(place.at(input.node));
            QVERIFY(seen == wanted);
            QCOMPARE(joint.graph.nodes[at].op, one.op);
        }
        std::size_t results = 0;
        for (std::size_t k = 0; k < joint.results.size(); ++k)
            if (isLeft ? joint.results[k].left : joint.results[k].right) {
                ++results;
                QCOMPARE(joint.graph.results[k].node, NodeId(place.at(state.results.at(0).node)));
            }
        QCOMPARE(results, std::size_t(1));
    }
}

QTEST_APPLESS_MAIN(TestJoint)
#include "test_joint.moc"
