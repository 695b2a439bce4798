// What an edited graph promises: names, order, readers.
#include "graph/builder.h"

#include <QtTest>

using namespace fw;
using namespace fw::test;

class TestGraphEditor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyNameIsItsOwn();
    void namesOfWhatIsGoneAreFree();
    void nodesStandBehindWhatTheyRead();
    void readersInOrder();
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

QTEST_GUILESS_MAIN(TestGraphEditor)
#include "test_graph_editor.moc"
