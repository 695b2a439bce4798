// What an edited graph promises: names, order, readers.
#include "common/test.h"
#include "graph/builder.h"

using namespace fw;
using namespace fw::test;

class TestGraphEditor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyNameIsItsOwn();
    void namesOfWhatIsGoneAreFree();
    void namesDoNotGrowForEver();
    void nodesStandBehindWhatTheyRead();
    void readersInOrder();
    void stepsAreCheckedAndUndone();
    void stepsKeepWhatIsKnown();
};

void TestGraphEditor::everyNameIsItsOwn() {
    Builder b;
    const ValueRef x = b.input("x", {4});
    GraphEditor::NewNode halves;
    halves.op = "split";
    halves.inputs = {x};
    halves.attrs = attrs({{"axis", std::int64_t(0)}, {"sizes", Integers{1, 1, 2}}});
    halves.name = "x";
    halves.outputNames = {"x", "part", "part"};
    const auto parts = b.editor.add(halves);
    QVERIFY(parts);
    const GraphPtr graph = b.finish(b.op("neg", {parts->at(2)}, "part"));
    const Node& split = graph->node(parts->at(0).node);
    QCOMPARE(split.name, std::string("x_1"));
    QCOMPARE(split.outputs[0].name, std::string("x_2"));
    QCOMPARE(split.outputs[1].name, std::string("part"));
    QCOMPARE(split.outputs[2].name, std::string("part_1"));
    QCOMPARE(graph->nodes().back()->name, std::string("part_2"));
}

void TestGraphEditor::namesOfWhatIsGoneAreFree() {
    Builder b;
    const ValueRef x = b.input("x", {4});
    const ValueRef removed = b.op("relu", {x}, "a");
    b.editor.remove(removed.node);
    const ValueRef again = b.op("neg", {x}, "a");
    QCOMPARE(b.editor.find(again.node)->name, std::string("a"));
    b.op("relu", {x}, "unused");
    b.editor.addResult("y", again);
    b.editor.removeUnused();
    const ValueRef after = b.op("neg", {again}, "unused");
    QCOMPARE(b.editor.find(after.node)->name, std::string("unused"));
    QCOMPARE(b.editor.find(after.node)->outputs[0].name, std::string("unused.y"));
    QVERIFY(b.editor.finish());
}

// Of a node that is named after the one before it, again and again.
void TestGraphEditor::namesDoNotGrowForEver() {
    Builder b;
    ValueRef at = b.op("relu", {b.input("x", {4})}, "a");
    std::set<std::string> all;
    for (int i = 0; i < 500; ++i) {
        at = b.op("relu", {at}, b.editor.find(at.node)->name.c_str());
        const std::string& name = b.editor.find(at.node)->name;
        QVERIFY(all.insert(name).second);
        QVERIFY2(name.size() < 220, name.c_str());
    }
}

void TestGraphEditor::nodesStandBehindWhatTheyRead() {
    Builder b;
    const ValueRef x = b.input("x", {4});
    const ValueRef first = b.op("relu", {x}, "first"), second = b.op("neg", {x}, "second");
    b.editor.replaceUses(x, second); // `second` reads x, all others `second`
    const GraphPtr graph = b.finish(first);
    QCOMPARE(graph->nodes()[1]->name, std::string("second"));
    QCOMPARE(graph->nodes()[2]->name, std::string("first"));

    Builder circle;
    const ValueRef in = circle.input("x", {4});
    const ValueRef a = circle.op("relu", {in}, "a"), c = circle.op("neg", {a}, "c");
    circle.editor.replaceUses(in, c);
    circle.editor.addResult("y", c);
    const auto refused = circle.editor.finish();
    QVERIFY(!refused && refused.diag().code == DiagCode::OnnxCycle);
}

void TestGraphEditor::readersInOrder() {
    Builder b;
    const ValueRef x = b.input("x", {4});
    const ValueRef a = b.op("relu", {x}), twice = b.op("add", {a, a}), c = b.op("mul", {twice, a});
    const GraphPtr graph = b.finish(c);
    const auto uses = graph->uses(a);
    QCOMPARE(uses.size(), std::size_t(3));
    QVERIFY(uses[0].node == twice.node && uses[0].operand == 0);
    QVERIFY(uses[1].node == twice.node && uses[1].operand == 1);
    QVERIFY(uses[2].node == c.node && uses[2].operand == 1);
    QCOMPARE(graph->uses(x).size(), std::size_t(1));
    QVERIFY(graph->uses(c).empty()); // a result is no use
    QVERIFY(graph->uses({a.node, 1}).empty() && graph->uses({99, 0}).empty());
}

namespace {

// Every use of a graph that is edited, counted anew.
QString wrongUses(const Graph& graph) {
    std::map<ValueRef, std::set<std::pair<NodeId, std::size_t>>> wanted;
    std::set<NodeId> before;
    for (const NodePtr& node : graph.nodes()) {
        for (std::size_t i = 0; i < node->inputs.size(); ++i) {
            wanted[node->inputs[i]].emplace(node->id, i);
            if (!before.contains(node->inputs[i].node))
                return QString::fromStdString(node->name + " stands before what it reads");
        }
        before.insert(node->id);
    }
    for (const NodePtr& node : graph.nodes()) {
        const ValueRef value{node->id, 0};
        std::set<std::pair<NodeId, std::size_t>> found;
        for (const Use& use : graph.uses(value))
            found.emplace(use.node, use.operand);
        if (found != wanted[value] || found.size() != graph.uses(value).size())
            return QString::fromStdString("uses of " + node->name);
    }
    return {};
}

} // namespace

void TestGraphEditor::stepsAreCheckedAndUndone() {
    Builder b;
    const ValueRef x = b.input("x", {4});
    const ValueRef a = b.op("relu", {x}, "a"), c = b.op("neg", {a}, "c"), d = b.op("add", {c, a});
    const GraphPtr base = b.finish(d);
    GraphEditor editor(*base);
    const auto add = [&](const char* op, std::vector<ValueRef> inputs, const char* name) {
        GraphEditor::NewNode node;
        node.op = op;
        node.inputs = std::move(inputs);
        node.name = name;
        return editor.add(std::move(node)).value().at(0);
    };
    // Its own result: refused, and nothing is left of it.
    editor.begin();
    editor.replaceUses(c, add("exp", {add("tanh", {c}, "t")}, "e"));
    const Status circle = editor.settle();
    QVERIFY(!circle && circle.diag().code == DiagCode::OnnxCycle);
    editor.rollback();
    QCOMPARE(wrongUses(editor.graph()), QString());
    QCOMPARE(editor.graph().hash(), base->hash());
    // What is removed can be looked at until the step ends; its name is free at once.
    editor.begin();
    editor.remove(c.node);
    const ValueRef e = add("exp", {a}, "c");
    QCOMPARE(editor.find(e.node)->name, std::string("c"));
    QCOMPARE(editor.graph().node(c.node).name, std::string("c"));
    editor.replaceUses(c, e);
    QVERIFY(editor.settle());
    const GraphStep step = editor.commit();
    QCOMPARE(step.edits.size(), std::size_t(3)); // neg out, exp in, add reads another
    QVERIFY(editor.find(c.node) == nullptr);
    QCOMPARE(wrongUses(editor.graph()), QString());
    // An operand that is taken out is refused, with its reader.
    editor.begin();
    editor.remove(a.node);
    const Status removed = editor.settle();
    QVERIFY(!removed && removed.diag().message.find("a out") != std::string::npos);
    editor.rollback();
    // What nobody reads any more goes with the step, and comes back with it.
    const Hash before = editor.graph().hash();
    editor.begin();
    editor.replaceUses(d, add("sqrt", {x}, "s"));
    QVERIFY(editor.settle());
    QCOMPARE(editor.graph().nodes().size(), std::size_t(2));
    editor.rollback();
    QCOMPARE(editor.graph().hash(), before);
    QCOMPARE(wrongUses(editor.graph()), QString());
    // The same step on the same graph.
    GraphEditor again(*base);
    again.redo(step);
    QCOMPARE(again.graph().hash(), before);
    QCOMPARE(again.finish().value()->hash(), editor.finish().value()->hash());
}

// Random steps, half of them undone: uses, order and names are those of the graph.
void TestGraphEditor::stepsKeepWhatIsKnown() {
    Builder b;
    const ValueRef x = b.input("x", {4});
    std::vector<ValueRef> values{x};
    for (int i = 0; i < 40; ++i)
        values.push_back(b.op("add", {values.back(), values[values.size() / 2]}));
    const GraphPtr base = b.finish(values.back());
    GraphEditor editor(*base);
    std::vector<GraphStep> steps;
    unsigned state = 7;
    const auto random = [&](std::size_t below) {
        state = state * 1103515245U + 12345U;
        return static_cast<std::size_t>(state >> 16) % below;
    };
    for (int i = 0; i < 300; ++i) {
        const std::vector<NodePtr> nodes = editor.graph().nodes();
        if (nodes.size() < 2)
            break;
        const Hash before = editor.graph().hash();
        // Two results by one operator that reads what stands before both.
        const std::size_t at = 1 + random(nodes.size() - 1), other = 1 + random(nodes.size() - 1);
        const std::size_t first = std::min(at, other);
        editor.begin();
        GraphEditor::NewNode node;
        node.op = "mul";
        node.name = nodes[at]->name;
        node.inputs = {{nodes[random(first)]->id, 0}, {nodes[random(first)]->id, 0}};
        editor.remove(nodes[at]->id);
        const ValueRef made = editor.add(std::move(node)).value().at(0);
        editor.replaceUses({nodes[at]->id, 0}, made);
        if (i % 3 == 0)
            editor.replaceUses({nodes[other]->id, 0}, made);
        QVERIFY(editor.settle());
        if (random(2) == 0) {
            editor.rollback();
            QCOMPARE(editor.graph().hash(), before);
        } else {
            steps.push_back(editor.commit());
        }
        QCOMPARE(wrongUses(editor.graph()), QString());
        QVERIFY(!hasErrors(verify(editor.graph())));
    }
    QVERIFY(steps.size() > 20);
    GraphEditor again(*base);
    for (const GraphStep& step : steps)
        again.redo(step);
    const GraphPtr one = again.finish().value(), two = editor.finish().value();
    QVERIFY(one->nodes().size() == two->nodes().size());
    for (const NodePtr& node : two->nodes())
        QVERIFY(one->find(node->id) == node.get()); // shared, not copied
}

FW_TEST(TestGraphEditor, QCoreApplication)
#include "test_graph_editor.moc"
