// What a clause says of an attribute that is not just the node's: an operand, axes that count from
// the front, values that are spelled otherwise; chains; and several operators for one node.
#include "common/test.h"
#include "ir/graph_text.h"
#include "onnx/clause_models.h"
#include "tensor/evaluate_graph.h"

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestClauseForms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operandsThatAreAttributes();
    void axesFromTheFront();
    void valuesSpelledOtherwise();
    void chainsFromTheLeft();
    void chosenByWhatTheyTake();
    void attributesThatMakeNoDifference();
    void numbers();
};

// An attribute until opset 4, an operand since: read, written, and refused where it is computed.
void TestClauseForms::operandsThatAreAttributes() {
    const auto operators = operatorsWith(
        "op spread (x: T[N], attr size: int[], attr by: float = 2, attr shift: int = 0) -> y: "
        "T[size...]\n"
        "  onnx \"com.me\" \"Spread\" since 1 until 4\n"
        "  onnx \"com.me\" \"Spread\" since 5 {size = operand 1, by = operand 3}\n"
        "  { y[i...] = sum(n in N : x[n]) * by + cast(shift, T) }");
    const auto spread = [&](std::int64_t opset, const std::string& inputs) {
        M m = ofMine(opset);
        m.input("x", {"2"}).integers("size", {2, 3}).input("free", {"2"}, 7);
        m.weights("by", {});
        m.output("y", {"a", "b"});
        auto& node = mine(m, "Spread", inputs, "y");
        if (opset < 5)
            M::set(node, "size", std::vector<std::int64_t>{2, 3});
        M::set(node, "shift", 4);
        return importModelBytes(m.bytes(), operators);
    };
    const auto old = spread(4, "x");
    QCOMPARE(problemOf(old), std::string());
    QCOMPARE(old->graph->findByName("n")->outputs[0].type.text(), std::string("f32[2, 3]"));
    const auto read = spread(5, "size x by");
    QCOMPARE(problemOf(read), std::string());
    const Node* node = read->graph->findByName("n");
    QCOMPARE(node->inputs.size(), std::size_t(1));
    QVERIFY(node->attrs.integers("size") == (Integers{2, 3}));
    const auto without = spread(5, "size x"); // the operator's own value
    QCOMPARE(problemOf(without), std::string());
    QCOMPARE(without->graph->findByName("n")->attrs.real("by", 0), 2.0);
    const auto written = exportModel(*read->graph);
    QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    QCOMPARE(model.graph().node(0).input_size(), 3);
    QCOMPARE(model.graph().node(0).input(1), std::string("x"));
    QCOMPARE(model.graph().node(0).attribute_size(), 1);
    const auto again = importModelBytes(written->bytes, operators);
    QCOMPARE(problemOf(again), std::string());
    QVERIFY(again->graph->findByName("n")->attrs == node->attrs);
    // Sizes may be computed; a number may not.
    const auto computed = spread(5, "free x by");
    QCOMPARE(problemOf(computed), std::string());
    QCOMPARE(operatorsOf(*computed->graph), std::string("bind_dims spread"));
    QVERIFY(says(problemOf(spread(5, "size x free")), "computed while the model runs"));
}

void TestClauseForms::axesFromTheFront() {
    const auto operators = operatorsWith(
        "op along (x: T[S...], attr axis: int = -1, attr axes: int[] = [], attr perm: int[] = []) "
        "-> "
        "y: T[S...]\n"
        "  onnx \"com.me\" \"Along\" {axis = where of x, axes = axes else all of x,\n"
        "                          perm = perm else reversed of x} { y[i...] = x[i...] }");
    const auto along = [&](std::int64_t where, const std::vector<std::int64_t>& axes) {
        M m = ofMine();
        m.input("x", {"2", "3", "4"}).output("y");
        auto& node = mine(m, "Along", "x", "y");
        if (where != 0)
            M::set(node, "where", where);
        if (!axes.empty())
            M::set(node, "axes", axes);
        return importModelBytes(m.bytes(), operators);
    };
    const auto attributes = [](const Result<Imported>& read) {
        return read->graph->findByName("n")->attrs.print();
    };
    QCOMPARE(attributes(along(0, {})),
             std::string("{axes = [0, 1, 2], axis = 2, perm = [2, 1, 0]}"));
    QCOMPARE(attributes(along(-2, {-1, 0})),
             std::string("{axes = [2, 0], axis = 1, perm = [2, 1, 0]}"));
    QVERIFY(says(problemOf(along(3, {})), "axis 3 is outside a tensor of rank 3"));
}

void TestClauseForms::valuesSpelledOtherwise() {
    const auto operators = operatorsWith(
        "op picked (x: T[S...], attr taps: int = 2, attr side: int = 0) -> y: T[S...]\n"
        "  onnx \"com.me\" \"Picked\" {taps = mode (\"near\" = 1, \"far\" = 2), side = 1}\n"
        "  onnx \"com.me\" \"Plain\" {side = 0} { y[i...] = x[i...] * cast(taps, T) }");
    const auto picked = [&](const char* type, const char* mode) {
        M m = ofMine();
        m.input("x", {"2"}).output("y");
        auto& node = mine(m, type, "x", "y");
        if (*mode != 0)
            M::setText(node, "mode", mode);
        return importModelBytes(m.bytes(), operators);
    };
    for (const auto& [type, mode, wanted] : {std::tuple("Picked", "near", "{side = 1, taps = 1}"),
                                             {"Picked", "", "{side = 1, taps = 2}"},
                                             {"Plain", "", "{side = 0, taps = 2}"}}) {
        const auto read = picked(type, mode);
        QCOMPARE(problemOf(read), std::string());
        QCOMPARE(read->graph->findByName("n")->attrs.print(), std::string(wanted));
        const auto written = exportModel(*read->graph);
        QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
        proto::ModelProto model;
        QVERIFY(model.ParseFromString(written->bytes));
        QCOMPARE(model.graph().node(0).op_type(), std::string(type));
        const auto again = importModelBytes(written->bytes, operators);
        QCOMPARE(problemOf(again), std::string());
        QCOMPARE(again->graph->findByName("n")->attrs.print(), std::string(wanted));
    }
    QVERIFY(says(problemOf(picked("Picked", "odd")),
                 "the attribute 'mode' is \"odd\", which is none of \"near\", \"far\""));
}

void TestClauseForms::chainsFromTheLeft() {
    const std::string text = "op less_of (a: T[S...], b: T[S...]) -> y: T[S...] onnx \"com.me\" "
                             "\"Less\" chain { y[i...] = a[i...] - b[i...] }";
    for (const auto& [inputs, wanted, result] : {std::tuple("a", "identity", 5.0),
                                                 {"a b", "less_of", 3.0},
                                                 {"a b c", "less_of less_of", 2.5}}) {
        M m = ofMine();
        m.input("a", {"1"}).input("b", {"1"}).input("c", {"1"}).output("y");
        mine(m, "Less", inputs, "y");
        const auto read = readWith(m, text);
        QCOMPARE(problemOf(read), std::string());
        QCOMPARE(operatorsOf(*read->graph), std::string(wanted));
        const auto number = [](double x) { return dataFromDoubles(DType::F32, {1}, {x}); };
        const auto results = evaluateGraph(*read->graph, {number(5), number(2), number(0.5)});
        QVERIFY(results.ok());
        QCOMPARE(results->at(0).at(0), result);
        QVERIFY(exportModel(*read->graph).ok());
    }
}

// Of several operators for one node the one that takes its operands.
void TestClauseForms::chosenByWhatTheyTake() {
    const std::string text =
        "op halved (x: T[S...]) requires T in {f32, f64} -> y: T[S...] onnx \"com.me\" \"Half\" "
        "{ y[i...] = x[i...] / 2 }\n"
        "op halved_whole (x: T[S...]) requires T in {i32, i64} -> y: T[S...] onnx \"com.me\" "
        "\"Half\" { y[i...] = x[i...] / 2 }\n";
    for (const auto& [type, wanted] : {std::pair(1, "halved"), {6, "halved_whole"}}) {
        M m = ofMine();
        m.input("x", {"2"}, type).output("y", {"2"}, type);
        mine(m, "Half", "x", "y");
        const auto read = readWith(m, text);
        QCOMPARE(problemOf(read), std::string());
        QCOMPARE(operatorsOf(*read->graph), std::string(wanted));
        const auto written = exportModel(*read->graph);
        QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
    }
    M m = ofMine();
    m.input("x", {"2"}, 10).output("y", {"2"}, 10);
    mine(m, "Half", "x", "y");
    QVERIFY(says(problemOf(readWith(m, text)), "does not fit the operator halved_whole"));
}

// `== any`: read whatever it is, and not written.
void TestClauseForms::attributesThatMakeNoDifference() {
    const auto same = [](const std::string& clause) {
        return "op same (x: T[S...]) -> y: T[S...] onnx \"com.me\" \"Same\" " + clause +
               " { y[i...] = x[i...] }";
    };
    M m = ofMine();
    m.input("x", {"2"}).output("y");
    M::set(mine(m, "Same", "x", "y"), "the seed", 7);
    QVERIFY(says(problemOf(readWith(m, same(""))), "{theirs == any} if it makes no difference"));
    const auto read = readWith(m, same("{\"the seed\" == any}"));
    QCOMPARE(problemOf(read), std::string());
    const auto written = exportModel(*read->graph);
    QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    QCOMPARE(model.graph().node(0).attribute_size(), 0);
}

// An operand that is a list of one here and has no axes there, one that is a number here and has
// axes there, an attribute of the node that is one element of a list.
void TestClauseForms::numbers() {
    const auto operators =
        operatorsWith("op row (k: T[], attr size: int[1], attr by: int[1] = [2]) -> y: T[size...]\n"
                      "  onnx \"com.me\" \"Row\" {size = operand 2[]}\n"
                      "  { y[i] = k[] * cast(by[0], T) }");
    const auto row = [&](bool isFree) {
        M m = ofMine();
        m.input("k", {"1", "1"}).input("free", {}, 7).integers("size", {3}, true);
        m.output("y", {isFree ? "n" : "3"});
        M::set(mine(m, "Row", isFree ? "k free" : "k size", "y"), "by", 4);
        return importModelBytes(m.bytes(), operators);
    };
    for (const bool isFree : {false, true}) {
        const auto read = row(isFree);
        QCOMPARE(problemOf(read), std::string());
        QCOMPARE(operatorsOf(*read->graph),
                 std::string(isFree ? "reshape reshape bind_dims row" : "reshape row"));
        const Node* node = read->graph->findByName("n");
        QVERIFY(node->attrs.integers("by") == Integers{4});
        const auto written = exportModel(*read->graph);
        QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
        const auto again = importModelBytes(written->bytes, operators);
        QCOMPARE(problemOf(again), std::string());
        QCOMPARE(again->graph->findByName("n")->outputs[0].type.rank(), std::size_t(1));
        proto::ModelProto model;
        QVERIFY(model.ParseFromString(written->bytes));
        for (const auto& one : model.graph().initializer())
            if (one.name() == model.graph().node(model.graph().node_size() - 1).input(1))
                QCOMPARE(one.dims_size(), 0);
    }
}

FW_TEST(TestClauseForms, QCoreApplication)
#include "test_clause_forms.moc"
