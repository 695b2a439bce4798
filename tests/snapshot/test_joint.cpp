// States of a model, or of two, as one graph.
#include "common/test.h"
#include "picture/joint_diagram.h"
#include "picture/picture.h"
#include "snapshot/joint.h"

#include <random>
#include <set>

using namespace fw;
using namespace fw::snapshot;

class TestJoint : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatLivesOnIsOneNode();
    void nothingThatIsTheSameIsMarked();
    void marksAreAgainstTheStateBefore();
    void anotherModelIsPairedByNameAndStructure();
    void groupsAreWhatAllStatesPutTogether();
    void everyStateIsInIt_data();
    void everyStateIsInIt();
    void survivorsKeepTheirPlace_data();
    void survivorsKeepTheirPlace();
    void aPartIsAround();
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

JointGraph join(const std::vector<const GraphDocument*>& states) {
    return joined(std::span<const GraphDocument* const>(states));
}

std::vector<const GraphDocument*> pointersTo(const std::vector<GraphDocument>& states) {
    std::vector<const GraphDocument*> out;
    for (const GraphDocument& state : states)
        out.push_back(&state);
    return out;
}

// An imported graph and what random rewrites made of it, each of the one before.
std::vector<GraphDocument> randomStates(unsigned seed, std::size_t count) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return NodeId(random() % n); };
    static const char* const ops[] = {"relu", "add", "exp", "tanh"};
    std::vector<GraphDocument> out = {imported({node(0, "input", {})}, 0)};
    const std::size_t nodes = 3 + std::size_t(below(25));
    for (std::size_t i = 1; i < nodes; ++i)
        out[0].nodes.push_back(node(NodeId(i), ops[below(4)], {below(i), below(i)}));
    out[0].results = {{NodeId(nodes) - 1, 0, "y"}};
    while (out.size() < count) {
        GraphDocument next = out.back();
        next.stage = "fused";
        for (std::size_t i = 0; i < nodes; ++i) {
            NodeRecord& twin = next.nodes[i];
            if (out.size() == 1)
                twin.origins = {twin.id};
            if (i == 0)
                continue;
            switch (below(6)) {
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
            case 3:
                twin.name += "_with_another_name";
                break;
            default:
                break;
            }
        }
        next.results = {{below(nodes), 0, "y"}};
        out.push_back(std::move(next));
    }
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
    const JointGraph joint = join({&left, &right});
    QCOMPARE(joint.nodes.size(), std::size_t(5));
    const auto is = [&](std::size_t at, NodeId before, NodeId now, Mark mark,
                        const std::vector<std::size_t>& onlyNow = {},
                        const std::vector<std::size_t>& onlyBefore = {}) {
        const JointNode& node = joint.nodes[at];
        return node.ids == std::vector<NodeId>{before, now} && node.marks[1] == mark &&
               node.hidden[0] == onlyNow && node.hidden[1] == onlyBefore;
    };
    QVERIFY(is(0, 0, 7, Mark::Kept));
    QVERIFY(is(1, 1, noNode, Mark::Erased));
    QVERIFY(is(2, 2, 8, Mark::Changed, {0}, {1}));
    QVERIFY(is(3, 3, 6, Mark::Kept));
    QVERIFY(is(4, noNode, 9, Mark::Created));
    // tanh has both operands: max, and relu behind it.
    QCOMPARE(joint.graph.nodes[2].inputs.size(), std::size_t(2));
    QCOMPARE(joint.graph.nodes[2].inputs[0].node, NodeId(4));
    QCOMPARE(joint.graph.nodes[2].inputs[1].node, NodeId(1));
    QCOMPARE(joint.results.size(), std::size_t(1));
    QVERIFY(joint.results[0] == (std::vector<bool>{true, true}));
}

void TestJoint::nothingThatIsTheSameIsMarked() {
    const GraphDocument left = imported({node(0, "input", {}), node(1, "relu", {0})}, 1);
    const GraphDocument right =
        rewritten({node(0, "input", {}, {0}), node(1, "relu", {0}, {1})}, 1);
    for (const JointNode& one : join({&left, &right}).nodes)
        QVERIFY(!one.isChanged());
    GraphDocument other = right;
    other.nodes[1].attributes["axis"] = "1";
    const JointGraph joint = join({&left, &other});
    QVERIFY(joint.nodes[1].marks[1] == Mark::Changed);
    QCOMPARE(joint.nodes[1].others.size(), std::size_t(1)); // what the first state says of it
}

// What is erased and put in again is one node; in between it is absent.
void TestJoint::marksAreAgainstTheStateBefore() {
    const GraphDocument one = imported({node(0, "input", {}), node(1, "relu", {0})}, 1);
    const GraphDocument two = rewritten({node(0, "input", {}, {0})}, 0);
    const GraphDocument three =
        rewritten({node(5, "input", {}, {0}), node(6, "relu", {5}, {1})}, 6);
    const JointGraph joint = join({&one, &two, &two, &three});
    QCOMPARE(joint.nodes.size(), std::size_t(2));
    QVERIFY(joint.nodes[1].marks ==
            (std::vector<Mark>{Mark::Kept, Mark::Erased, Mark::Absent, Mark::Created}));
    QVERIFY(joint.nodes[1].ids == (std::vector<NodeId>{1, noNode, noNode, 6}));
    QCOMPARE(joint.results.size(), std::size_t(2));
}

void TestJoint::anotherModelIsPairedByNameAndStructure() {
    GraphDocument one =
        imported({node(0, "input", {}), node(1, "constant", {}), node(2, "conv", {0, 1}),
                  node(3, "relu", {2}), node(4, "tanh", {3})},
                 4);
    one.nodes[1].constant = true;
    // The same with other ids and names, and exp in the place of tanh.
    GraphDocument other =
        imported({node(10, "constant", {}), node(11, "input", {}), node(12, "conv", {11, 10}),
                  node(13, "relu", {12}), node(14, "exp", {13})},
                 14);
    other.nodes[0].constant = true;
    one.imported = "one";
    other.imported = "other";
    const JointGraph joint = join({&one, &other});
    QCOMPARE(joint.nodes.size(), std::size_t(6));
    QVERIFY(joint.nodes[2].ids == (std::vector<NodeId>{2, 12}));
    QVERIFY(joint.nodes[3].ids == (std::vector<NodeId>{3, 13}));
    QVERIFY(joint.nodes[1].ids == (std::vector<NodeId>{1, 10})); // goes with who reads it
    QVERIFY(joint.nodes[2].marks[1] == Mark::Kept && joint.nodes[3].marks[1] == Mark::Kept);
    QVERIFY(joint.nodes[4].marks[1] == Mark::Erased && joint.nodes[5].marks[1] == Mark::Created);
    // Equal names come first, whatever they read.
    other.nodes[4] = node(4, "tanh", {11});
    const JointGraph named = join({&one, &other});
    QVERIFY(named.nodes[4].ids == (std::vector<NodeId>{4, 4}));
    QVERIFY(named.nodes[4].marks[1] == Mark::Changed);
    // Of one import ids say it, and equal ids of two say nothing.
    GraphDocument renamed = one;
    renamed.nodes[3] = node(4, "tanh", {2});
    renamed.nodes[4] = node(3, "relu", {4});
    renamed.imported = "renamed";
    const JointGraph turned = join({&one, &renamed});
    QVERIFY(turned.nodes[3].ids == (std::vector<NodeId>{3, 3}));
    QVERIFY(turned.nodes[3].marks[1] == Mark::Changed);
}

void TestJoint::groupsAreWhatAllStatesPutTogether() {
    std::vector<NodeRecord> nodes = {node(0, "input", {}, {0})};
    for (NodeId i = 1; i <= 4; ++i)
        nodes.push_back(node(i, "relu", {i - 1}, {i}));
    const auto grouped = [&](const std::vector<int>& groups) {
        GraphDocument out = rewritten(nodes, 4);
        for (std::size_t i = 0; i < groups.size(); ++i)
            out.nodes[i + 1].group = groups[i];
        for (int group = 0; group <= *std::max_element(groups.begin(), groups.end()); ++group)
            out.groups.push_back({group,
                                  "group" + std::to_string(group),
                                  "generated.x",
                                  {Maker::Generated, {}},
                                  3.0});
        return out;
    };
    const GraphDocument one = grouped({0, 0, 0, 1}), two = grouped({0, 1, 1, 1});
    const JointGraph joint = join({&one, &two});
    // 1 | 2 3 | 4: the first state calls the first two one group, the second the last two.
    QCOMPARE(joint.graph.groups.size(), std::size_t(3));
    std::vector<int> in;
    for (const NodeRecord& one_ : joint.graph.nodes)
        in.push_back(one_.group);
    QVERIFY(in == (std::vector<int>{-1, 0, 1, 1, 2}));
    const auto called = [&](std::size_t group) {
        return std::pair(joint.labels[group][0].group, joint.labels[group][1].group);
    };
    QVERIFY(called(0) == std::pair(0, 0) && called(1) == std::pair(0, 1) &&
            called(2) == std::pair(1, 1));
    QCOMPARE(joint.labels[1][1].right, std::string("≈ 3.0 µs"));
    // A state without groups says nothing about them.
    const GraphDocument before =
        imported({node(0, "input", {}), node(1, "relu", {0}), node(2, "relu", {1})}, 2);
    QCOMPARE(join({&before, &one}).graph.groups.size(), std::size_t(2));
    // What it has between members of a group stands in the group, what leads out of it does not.
    GraphDocument folded = rewritten({node(0, "input", {}, {0}), node(1, "conv2d", {0}, {1}),
                                      node(4, "relu", {1}, {4}), node(6, "neg", {4}, {6})},
                                     6);
    for (const std::size_t member : {1, 2})
        folded.nodes[member].group = 0;
    folded.groups.push_back({0, "group0", "generated.x", {Maker::Generated, {}}, 3.0});
    const GraphDocument whole = imported(
        {node(0, "input", {}), node(1, "conv2d", {0}), node(2, "scale", {1}), node(3, "shift", {2}),
         node(4, "relu", {3}), node(5, "tanh", {4}), node(6, "neg", {5})},
        6);
    const JointGraph around = join({&whole, &folded});
    for (std::size_t i = 0; i < around.nodes.size(); ++i) {
        const NodeId id = around.nodes[i].ids[0];
        QCOMPARE(around.graph.nodes[i].group, id >= 1 && id <= 4 ? 0 : -1);
    }
}

void TestJoint::everyStateIsInIt_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 60; ++seed)
        QTest::addRow("%u", seed) << seed;
}

// Of random rewrites: every node of a state is there once, and without what only others have each
// state is what it was.
void TestJoint::everyStateIsInIt() {
    QFETCH(const unsigned, seed);
    const std::vector<GraphDocument> states = randomStates(seed, 2 + seed % 3);
    const JointGraph joint = join(pointersTo(states));
    QVERIFY(joint == join(pointersTo(states)));
    for (std::size_t s = 0; s < states.size(); ++s) {
        const GraphDocument& state = states[s];
        std::map<NodeId, std::size_t> place;
        for (std::size_t i = 0; i < joint.nodes.size(); ++i)
            if (joint.nodes[i].isIn(s))
                QVERIFY(place.emplace(joint.nodes[i].ids[s], i).second);
        QCOMPARE(place.size(), state.nodes.size());
        for (const NodeRecord& one : state.nodes) {
            const std::size_t at = place.at(one.id);
            const auto& hidden = joint.nodes[at].hidden[s];
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
            if (joint.results[k][s]) {
                ++results;
                QCOMPARE(joint.graph.results[k].node, NodeId(place.at(state.results.at(0).node)));
            }
        QCOMPARE(results, std::size_t(1));
    }
}

void TestJoint::survivorsKeepTheirPlace_data() {
    everyStateIsInIt_data();
}

// Pictures of the states have equal boxes at equal places; nothing overlaps; groups hold theirs.
void TestJoint::survivorsKeepTheirPlace() {
    QFETCH(const unsigned, seed);
    std::vector<GraphDocument> states = randomStates(seed, 2 + seed % 3);
    std::mt19937 random(seed);
    for (std::size_t s = 1; s < states.size(); ++s) { // all but the first have groups, in rows
        int group = 0;
        for (NodeRecord& one : states[s].nodes)
            if (one.op != "input")
                one.group = group += random() % 3 == 0;
        for (int i = 0; i <= group; ++i)
            states[s].groups.push_back({i,
                                        std::string(1 + random() % 30, 'g'),
                                        "generated.x",
                                        {Maker::Generated, {}},
                                        {}});
    }
    const JointGraph joint = join(pointersTo(states));
    picture::DrawOptions options;
    options.engine = picture::EngineChoice::Layered;
    std::optional<picture::Picture> first;
    for (std::size_t s = 0; s < states.size(); ++s) {
        auto drawn = picture::draw(picture::diagramOf(joint, s), options);
        QVERIFY2(drawn.ok(), drawn.ok() ? "" : drawn.diag().text().c_str());
        picture::Picture made = drawn.take();
        std::map<std::int64_t, std::string> labels;
        for (std::size_t i = 0; i < made.boxes.size(); ++i) {
            const auto& box = made.boxes[i];
            if (first)
                QVERIFY(box.rect == first->boxes[i].rect);
            for (std::size_t k = 0; k < i; ++k)
                QVERIFY(!box.rect.overlaps(made.boxes[k].rect));
            for (const auto& container : made.containers)
                if (container.id == box.container)
                    QVERIFY(container.rect.contains(box.rect));
            if (box.id >= 0) { // every state says its own names
                const auto node = std::find_if(states[s].nodes.begin(), states[s].nodes.end(),
                                               [&](const auto& one) { return one.id == box.id; });
                QVERIFY(node != states[s].nodes.end());
                QVERIFY(node->op == "input" ||
                        std::string(box.label) == node->op + " " + node->name);
            }
        }
        for (std::size_t i = 0; i < made.containers.size(); ++i) {
            if (first)
                QVERIFY(made.containers[i].rect == first->containers[i].rect);
            for (std::size_t k = 0; k < i; ++k)
                QVERIFY(!made.containers[i].rect.overlaps(made.containers[k].rect));
        }
        if (!first)
            first = std::move(made);
    }
}

void TestJoint::aPartIsAround() {
    std::vector<NodeRecord> nodes = {node(0, "input", {}, {0})};
    for (NodeId i = 1; i < 100; ++i)
        nodes.push_back(
            node(i, "relu",
                 i < 10 ? std::vector<NodeId>{i - 1} : std::vector<NodeId>{i - 1, i - 10}, {i}));
    GraphDocument one = rewritten(nodes, 99), two = one;
    two.nodes[50].inputs[1].node = 3; // 50 reads 3 in place of 40
    const JointGraph whole = join({&one, &two});
    std::vector<std::size_t> places;
    const std::size_t seed = 50;
    const JointGraph part = partOf(whole, std::span(&seed, 1), 9, places);
    QCOMPARE(part.nodes.size(), std::size_t(9));
    QCOMPARE(places.size(), std::size_t(9));
    std::set<NodeId> ids;
    for (const JointNode& node_ : part.nodes)
        ids.insert(node_.ids[1]);
    for (const NodeId near : {50, 49, 51, 40, 60, 3})
        QVERIFY(ids.contains(near));
    // What is hidden is the same operand as in the whole.
    for (std::size_t i = 0; i < part.nodes.size(); ++i)
        for (std::size_t s = 0; s < 2; ++s)
            for (const std::size_t k : part.nodes[i].hidden[s]) {
                QCOMPARE(part.nodes[i].ids[0], NodeId(50));
                const auto from = std::size_t(part.graph.nodes[i].inputs[k].node);
                QCOMPARE(part.nodes[from].ids[0], NodeId(s == 0 ? 3 : 40));
            }
    // Everything, if there is room.
    QCOMPARE(partOf(whole, std::span(&seed, 1), 1000, places).nodes.size(), std::size_t(100));
}

FW_TEST(TestJoint, QCoreApplication)
#include "test_joint.moc"
