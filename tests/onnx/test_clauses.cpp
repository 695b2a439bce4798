// `onnx` clauses: which nodes become an operator of a book, what is told where one does not fit,
// and how it is written again.
#include "common/test.h"
#include "ir/graph_text.h"
#include "onnx/clause_models.h"
#include "tensor/evaluate_graph.h"

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestClauses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nodesBecomeTheOperator();
    void operandsAndResultsByPosition();
    void opsetsPickTheClause();
    void oneValueIsMeant_data();
    void oneValueIsMeant();
    void misfitsAreToldPerNode_data();
    void misfitsAreToldPerNode();
    void theBookWins();
    void theBookWinsOverFunctions();
    void replacedOperatorsKeepTheirNodes();
    void computedWhileImportingStays();
    void clausesAreChecked_data();
    void clausesAreChecked();
    void hintsWork_data();
    void hintsWork();
    void writtenAsTheNode();
    void valuesAreWritten();
    void listsOfTexts();
    void writtenWithinItsOpsets();
};

namespace {

void setReals(proto::NodeProto& node, const std::string& name, const std::vector<float>& values) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(proto::AttributeProto::FLOATS);
    for (const float value : values)
        attribute->add_floats(value);
}

void setTexts(proto::NodeProto& node, const std::string& name,
              const std::vector<std::string>& values) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(proto::AttributeProto::STRINGS);
    for (const std::string& value : values)
        attribute->add_strings(value);
}

const std::string affine =
    R"(op affine "x * s + t" (x: T[S...], attr s: float = 1, attr t: float = 0) -> y: T[S...]
  onnx "com.me" "Affine" since 1 {s = scale, t = "the shift"} { y[i...] = x[i...] * s + t })";

const std::string twice =
    R"(op twice (x: T[S...], attr k: float = 2) -> y: T[S...]
  onnx "com.me" "Twice" {mode == "fast", k = factor, "the depth" == -1, rate == 0.1} { y[i...] = x[i...] * k })";

M affineModel() {
    M m = ofMine();
    m.input("x", {"N", "2"}).output("y");
    M::setReal(mine(m, "Affine", "x", "y"), "scale", 2);
    return m;
}

} // namespace

void TestClauses::nodesBecomeTheOperator() {
    const std::string text = R"(
op every (x: T[S...], attr i: int = 1, attr f: float = 1, attr b: bool = 0, attr t: text = "a", attr d: dtype = f32,
          attr l: int[2] = [1, 2], attr r: float[] = [1.0]) -> y: T[S...]
  onnx "com.me" "Every" {i = "an int", f = alpha} { y[i1...] = x[i1...] })";
    M m = ofMine();
    m.input("x", {"N", "2"}).output("y");
    auto& node = mine(m, "Every", "x", "y");
    M::set(node, "an int", 7);
    M::setReal(node, "alpha", 0.1f);
    M::set(node, "b", 1);
    M::setText(node, "t", "mode");
    M::set(node, "d", 11); // double
    M::set(node, "l", std::vector<std::int64_t>{3, 4});
    setReals(node, "r", {0.5f, 2});
    const auto read = readWith(m, text);
    QCOMPARE(problemOf(read), std::string());
    const Node* found = read->graph->findByName("n");
    QVERIFY(found != nullptr && found->op == "every");
    QCOMPARE(found->attrs.print(), std::string("{b = 1, d = f64, f = 0.1, i = 7, l = [3, 4], "
                                               "r = [0.5, 2.0], t = \"mode\"}"));
    QCOMPARE(found->outputs[0].name, std::string("y"));
    QCOMPARE(found->outputs[0].type.text(), std::string("f32[N, 2]"));
    QCOMPARE(read->decisions.size(), std::size_t(1));
    QCOMPARE(read->decisions[0].code, ReasonCode::ReadByClause);
    QCOMPARE(read->decisions[0].subject, std::string("n"));
    QCOMPARE(read->decisions[0].evidence, std::string("every of mine.fw:4:3"));
}

void TestClauses::operandsAndResultsByPosition() {
    const std::string text = R"(
op parts (a: T[S...], b?: T[S...], c: T[S...], d?: T[S...]) -> (lo: T[S...], hi: T[S...])
  onnx "com.me" "Parts" { lo[i...] = a[i...] - c[i...]  hi[i...] = a[i...] + c[i...] })";
    M m = ofMine();
    m.input("x", {"2"}).input("z", {"2"}).output("q");
    mine(m, "Parts", "x - z -", "- q");
    const auto read = readWith(m, text);
    QCOMPARE(problemOf(read), std::string());
    const Node* node = read->graph->findByName("n");
    QVERIFY(node != nullptr && node->op == "parts" && node->inputs.size() == 3);
    QVERIFY(!node->inputs[1].valid());
    const auto results = evaluateGraph(*read->graph, {dataFromDoubles(DType::F32, {2}, {1, 2}),
                                                      dataFromDoubles(DType::F32, {2}, {10, 20})});
    QVERIFY(results.ok());
    QCOMPARE(results->at(0).toDoubles(), (std::vector<double>{11, 22}));
}

void TestClauses::opsetsPickTheClause() {
    const std::string text = R"(
op old (x: T[S...]) -> y: T[S...] onnx "com.me" "Odd" since 2 until 3 { y[i...] = -x[i...] }
op young (x: T[S...], attr k: float = 1) -> y: T[S...]
  onnx "com.me" "Odd" since 4 {k = gain}
  onnx "com.me" "Even" since 1 { y[i...] = x[i...] * k })";
    const std::vector<std::pair<std::int64_t, std::string>> expected{
        {1, "unknown"}, {2, "old"}, {3, "old"}, {4, "young"}, {9, "young"}};
    for (const auto& [version, op] : expected) {
        M m = ofMine(version);
        m.input("x", {"2"}).output("y", {"2"});
        mine(m, "Odd", "x", "y");
        const auto read = readWith(m, text);
        QVERIFY(read.ok());
        QCOMPARE(operatorsOf(*read->graph), op);
        QCOMPARE(read->diagnostics.empty(), op != "unknown");
        if (op == "unknown")
            QVERIFY(says(read->diagnostics[0].text(),
                         "old (mine.fw:2:35) reads it in other opsets; the model has opset 1"));
    }
}

void TestClauses::oneValueIsMeant_data() {
    QTest::addColumn<QString>("attribute");
    QTest::addColumn<QString>("value"); // an integer, a number or a text
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* attribute, const char* value, const char* reason) {
        QTest::addRow("%s %s", attribute, value) << attribute << value << reason;
    };
    row("", "", "");
    row("mode", "fast", "");
    row("mode", "slow", "the attribute 'mode' is \"slow\", and only \"fast\" is supported");
    row("mode", "1", "attribute 'mode' is not a text");
    row("the depth", "-1", "");
    row("the depth", "2", "the attribute 'the depth' is 2, and only -1 is supported");
    row("rate", "0.1", "");
    row("rate", "0.25", "the attribute 'rate' is 0.25, and only 0.1 is supported");
    row("other", "1", "the operator has no attribute for the node's 'other'");
}

void TestClauses::oneValueIsMeant() {
    QFETCH(QString, attribute);
    QFETCH(QString, value);
    QFETCH(QString, reason);
    M m = ofMine();
    m.input("x", {"2"}).output("y", {"2"});
    auto& node = mine(m, "Twice", "x", "y");
    const std::string name = attribute.toStdString();
    if (bool isInteger = false; value.toLongLong(&isInteger), isInteger)
        M::set(node, name, value.toLongLong());
    else if (bool isNumber = false; value.toFloat(&isNumber), isNumber)
        M::setReal(node, name, value.toFloat());
    else if (!value.isEmpty())
        M::setText(node, name, value.toStdString());
    const auto read = readWith(m, twice);
    QVERIFY2(read.ok(), read ? "" : read.diag().text().c_str());
    QCOMPARE(operatorsOf(*read->graph), std::string(reason.isEmpty() ? "twice" : "unknown"));
    QCOMPARE(read->diagnostics.empty(), reason.isEmpty());
    QVERIFY(says(problemOf(read), reason.toStdString()));
}

void TestClauses::misfitsAreToldPerNode_data() {
    QTest::addColumn<QString>("operands");
    QTest::addColumn<QString>("results");
    QTest::addColumn<QString>("attribute"); // an integer
    QTest::addColumn<QString>("reason");
    QTest::newRow("many operands") << "x x x"
                                   << "y"
                                   << "k"
                                   << "takes at most 2 operands";
    QTest::newRow("no operand") << ""
                                << "y"
                                << "k"
                                << "needs 1 operands";
    QTest::newRow("rank") << "v"
                          << "y"
                          << "k"
                          << "'v' is f32[2], which does not fit T[A, B]";
    QTest::newRow("missing") << "x"
                             << "y"
                             << ""
                             << "attribute k is missing";
    QTest::newRow("kind") << "x"
                          << "y"
                          << "scale"
                          << "attribute 'scale' is not a number";
    QTest::newRow("extra") << "x"
                           << "y"
                           << "other"
                           << "no attribute for the node's 'other'";
    QTest::newRow("results") << "x"
                             << "z y"
                             << "k"
                             << "output 2 is not computed";
}

void TestClauses::misfitsAreToldPerNode() {
    QFETCH(QString, operands);
    QFETCH(QString, results);
    QFETCH(QString, attribute);
    QFETCH(QString, reason);
    const std::string text = R"(
op takes (x: T[A, B], w?: T[A, B], attr k: int, attr s: float = 1) -> y: T[A, B]
  onnx "com.me" "Takes" since 1 {s = scale} { y[a, b] = x[a, b] * s })";
    M m = ofMine();
    m.input("x", {"2", "3"}).input("v", {"2"}).output("y", {"2", "3"}).output("r");
    auto& node = mine(m, "Takes", operands.toStdString(), results.toStdString());
    if (!attribute.isEmpty())
        M::set(node, attribute.toStdString(), 1);
    if (attribute == QStringLiteral("scale") || attribute == QStringLiteral("other"))
        M::set(node, "k", 1);
    m.node("Relu", "x", "r", "other");
    const auto read = readWith(m, text);
    QVERIFY2(read.ok(), read ? "" : read.diag().text().c_str());
    QCOMPARE(operatorsOf(*read->graph), std::string("unknown relu"));
    QCOMPARE(read->diagnostics.size(), std::size_t(1));
    const Diag& said = read->diagnostics[0];
    QCOMPARE(said.severity, Severity::Error);
    QCOMPARE(said.where.node, std::string("n"));
    QVERIFY(says(said.message, "com.me.Takes does not fit the operator takes of mine.fw:3:3: "));
    QVERIFY(says(said.message, reason.toStdString()));
    QVERIFY(read->graph->findByName("n")->isUnknown()); // nothing took its name
}

void TestClauses::theBookWins() {
    const std::string text = "op my_relu (x: T[S...]) -> y: T[S...] onnx \"\" \"Relu\" since 6 "
                             "until 13 { y[i...] = max(x[i...], 0) }";
    M m;
    m.input("x", {"2"}).output("y");
    m.node("Relu", "x", "h", "first");
    m.node("Relu", "h", "y", "second");
    const auto read = readWith(m, text);
    QVERIFY(read.ok());
    QCOMPARE(operatorsOf(*read->graph), std::string("my_relu my_relu"));
    QCOMPARE(read->diagnostics.size(), std::size_t(1));
    const Diag& said = read->diagnostics[0];
    QCOMPARE(said.severity, Severity::Warning);
    QCOMPARE(said.where.text(), "mine.fw:1:" + std::to_string(text.find("onnx") + 1));
    QVERIFY(says(said.message, "Relu is read as my_relu, which takes the place of"));
    M newer(14); // where the clause does not hold
    newer.input("x", {"2"}).output("y");
    newer.node("Relu", "x", "y");
    QCOMPARE(operatorsOf(*readWith(newer, text)->graph), std::string("relu"));
}

void TestClauses::theBookWinsOverFunctions() {
    M m = ofMine();
    m.input("x", {"2"}).output("y");
    mine(m, "Affine", "x", "y");
    auto* function = m.model.add_functions();
    function->set_name("Affine");
    function->set_domain("com.me");
    function->add_input("v");
    function->add_output("w");
    auto* opset = function->add_opset_import();
    opset->set_version(13);
    auto* inner = function->add_node();
    inner->set_op_type("Neg");
    inner->add_input("v");
    inner->add_output("w");
    QCOMPARE(operatorsOf(*readWith(m, "")->inlined), std::string("neg"));
    const auto read = readWith(m, affine);
    QCOMPARE(operatorsOf(*read->inlined), std::string("affine"));
    QVERIFY(says(read->diagnostics.at(0).message, "the function that the model brings along"));
}

void TestClauses::replacedOperatorsKeepTheirNodes() {
    M m;
    m.input("x", {"2"}).output("y");
    m.node("Erf", "x", "y");
    const auto read = readWith(m, "op erf (x: T[S...]) -> y: T[S...] { y[i...] = x[i...] + 7 }");
    QVERIFY(read.ok());
    QCOMPARE(operatorsOf(*read->graph), std::string("erf"));
    const auto results = evaluateGraph(*read->graph, {dataFromDoubles(DType::F32, {2}, {1, 2})});
    QCOMPARE(results->at(0).toDoubles(), (std::vector<double>{8, 9}));
}

// Shapes are computed while a model is read; a book that reads their operators does not come in
// between.
void TestClauses::computedWhileImportingStays() {
    M m;
    m.input("x", {"N", "6"}).integers("two", {2}).integers("rest", {-1}).output("y");
    m.node("Shape", "x", "s");
    m.node("Gather", "s zero", "n");
    m.integers("zero", {0}, true);
    m.node("Unsqueeze", "n at", "n1");
    m.integers("at", {0});
    m.node("Mul", "n1 two", "n2");
    m.node("Concat", "n2 rest", "to").add_attribute()->set_name("axis");
    m.graph().mutable_node(4)->mutable_attribute(0)->set_type(proto::AttributeProto::INT);
    m.node("Reshape", "x to", "y");
    const auto read = readWith(m, "op times (a: T[S...], b: T[S...]) -> y: T[S...] onnx \"\" "
                                  "\"Mul\" { y[i...] = a[i...] * b[i...] }");
    QVERIFY2(read.ok(), read ? "" : read.diag().text().c_str());
    QCOMPARE(operatorsOf(*read->graph), std::string("reshape"));
}

void TestClauses::clausesAreChecked_data() {
    QTest::addColumn<QString>("clauses");
    QTest::addColumn<QString>("said"); // place, code and sentence
    const auto row = [](const char* clauses, const char* said) {
        QTest::newRow(said) << QString::fromUtf8(clauses) << QString::fromUtf8(said);
    };
    row("onnx \"d\" \"T\" since 1 {scal = s}",
        "mine.fw:2:23: error TXT02: o: there is no attribute 'scal' (did you mean scale?)");
    row("onnx \"d\" \"T\" since 3 until 2", "mine.fw:2:1: error TXT03: o: no opset is since 3 and");
    row("onnx \"d\" \"T\" since 0", "mine.fw:2:1: error TXT03: o: there is no opset 0");
    row("onnx \"d\" \"\"", "mine.fw:2:1: error TXT02: o: the type of the nodes is missing");
    row("onnx \"d\" \"T\"\nonnx \"d\" \"T\" since 2",
        "mine.fw:3:1: error TXT02: o: the clause in line 2 is about the same nodes of T");
    row("onnx \"\" \"T\"\nonnx \"ai.onnx\" \"T\"",
        "mine.fw:3:1: error TXT02: o: the clause in line 2 is about the same nodes of T");
    row("onnx \"d\" \"T\" {scale = a, scale = b}",
        "mine.fw:2:26: error TXT02: o: the attribute 'scale' is named twice");
    row("onnx \"d\" \"T\" {scale = k}",
        "mine.fw:2:1: error TXT02: o: 'scale' and 'k' are both the attribute 'k' of the node");
    row("onnx \"d\" \"T\" {mode == a + 1}",
        "mine.fw:2:15: error TXT03: o: the value of 'mode' is not a constant");
    row("onnx \"d\" \"T\" {mode == 1, \"mode\" == 2}",
        "mine.fw:2:26: error TXT02: o: the attribute 'mode' of the node has a value twice");
    row("onnx \"d\" \"T\" {k == 1}",
        "mine.fw:2:1: error TXT02: o: 'k' is the attribute 'k' of the node, which has one value");
    row("onnx \"d\" \"T\" {mode == }", "mine.fw:2:23: error TXT01: ");
    row("onnx \"d\" 5", "mine.fw:2:10: error TXT01: ");
    row("onnx \"d\" \"T\" until x", "mine.fw:2:20: error TXT01: ");
    row("onnx \"d\" \"T\" {scale = }", "mine.fw:2:23: error TXT01: ");
    row("onnx \"d\" \"T\" {scale = operand 0}",
        "mine.fw:2:15: error TXT03: o: operands count from 1");
    row("onnx \"d\" \"T\" {scale = operand 2, k = operand 2}",
        "mine.fw:2:34: error TXT02: o: operand 2 of the node is two attributes");
    row("onnx \"d\" \"T\" {scale = [a]}",
        "mine.fw:2:15: error TXT03: o: the value of 'scale' is not a constant");
    row("onnx \"d\" \"T\" {scale = 5 of x}",
        "mine.fw:2:15: error TXT03: o: 'scale' has one value here, which nothing stands in for");
    row("onnx \"d\" \"T\" {scale = a of x}",
        "mine.fw:2:15: error TXT03: o: 'scale' is no axis and no list of axes");
    row("onnx \"d\" \"T\" {scale = a of z}",
        "mine.fw:2:15: error TXT02: o: there is no operand 'z'");
    row("onnx \"d\" \"T\" {scale = a else all}",
        "mine.fw:2:15: error TXT03: o: 'all' are the axes of an operand, which is not said");
    row("onnx \"d\" \"T\" {scale = operand 2 (\"a\" = 1)}",
        "mine.fw:2:15: error TXT03: o: 'scale' has values that are not constants of the node's");
    row("onnx \"d\" \"T\" {scale = operand 2[]}",
        "mine.fw:2:15: error TXT03: o: 'scale' is no list");
    row("onnx \"d\" \"T\" {scale = operand 9}",
        "mine.fw:2:15: error TXT02: o: operand 9 of the node is 'scale', and of those before it 1");
    row("onnx \"d\" \"T\" {scale = s else \"a\"}",
        "mine.fw:2:15: error TXT03: o: \"a\" is no value of 'scale'");
    row("onnx \"d\" \"T\" {scale = [1, 2]}",
        "mine.fw:2:15: error TXT03: o: [1, 2] is no value of 'scale'");
    row("onnx \"d\" \"T\" {scale = s (\"a\" = \"b\")}",
        "mine.fw:2:15: error TXT03: o: \"b\" is no value of 'scale'");
    row("onnx \"d\" \"T\" {scale = s (\"a\" = 1, \"a\" = 2)}",
        "mine.fw:2:15: error TXT02: o: what \"a\" of the node's 's' is, is said twice");
    row("onnx \"d\" \"T\" {mode == any, mode == 1}",
        "mine.fw:2:28: error TXT02: o: the attribute 'mode' of the node has a value twice");
    row("onnx \"d\" \"T\" chain",
        "mine.fw:2:1: error TXT03: o: a chain is of an operator with two operands and one result");
}

void TestClauses::clausesAreChecked() {
    QFETCH(QString, clauses);
    QFETCH(QString, said);
    const std::string text =
        "op o (x: T[S...], attr scale: float = 1, attr k: float = 1) -> y: T[S...]\n" +
        clauses.toStdString() + "\n{ y[i...] = x[i...] * scale }\n";
    Diags errors;
    withOperators(*standardOperators(), text, "mine.fw", errors);
    QVERIFY(!errors.empty());
    QVERIFY(says(errors[0].text(), said.toStdString()));
    Diags none; // an operator beside it counts
    const auto rest = withOperators(*standardOperators(), text + affine, "mine.fw", none);
    QVERIFY(rest->find("affine") != nullptr && rest->find("o") == nullptr);
}

void TestClauses::hintsWork_data() {
    QTest::addColumn<QString>("type");
    for (const char* type : {"MyConv", "plain", "2Odd-Name", "Relu"})
        QTest::newRow(type) << QString::fromUtf8(type);
}

// The declaration that the hint gives, with a computation where it leaves one out, is one that a
// book may have; the node becomes it.
void TestClauses::hintsWork() {
    QFETCH(QString, type);
    M m = ofMine(3);
    m.input("x", {"N", "4", "5"})
        .weights("w", {4, 5})
        .output("y", {"N", "4", "2"})
        .output("z", {"N"});
    auto& node = mine(m, type.toStdString(), "x w -", "y z");
    M::set(node, "axis", 1);
    M::setReal(node, "x1", 2); // a name that the hint gives to an operand
    M::setText(node, "an odd name", "text");
    M::set(node, "list", std::vector<std::int64_t>{1, 2, 3});
    setTexts(node, "names", {"a", "b"});
    const auto unknown = readWith(m, "");
    QVERIFY(unknown.ok());
    QCOMPARE(operatorsOf(*unknown->graph), std::string("unknown"));
    std::string hint = unknown->diagnostics.at(0).hint;
    hint.erase(0, hint.find("op "));
    for (std::size_t at = hint.find("..."); at != std::string::npos; at = hint.find("..."))
        hint.replace(at, 3, "1.5");
    const auto read = readWith(m, hint);
    QCOMPARE(problemOf(read), std::string());
    const Node* found = read->graph->findByName("n");
    QVERIFY(found != nullptr && !found->isUnknown());
    QCOMPARE(found->outputs[0].type.text(), std::string("f32[N, 4, 2]"));
    QCOMPARE(found->attrs.size(), std::size_t(5));
}

void TestClauses::writtenAsTheNode() {
    M m = affineModel();
    m.output("y2", {"N", "2"});
    mine(m, "Affine", "y", "y2", "second");
    const auto operators = operatorsWith(affine);
    const auto read = importModelBytes(m.bytes(), operators);
    QCOMPARE(operatorsOf(*read->graph), std::string("affine affine"));
    const auto written = exportModel(*read->graph);
    QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    QCOMPARE(model.graph().node_size(), 2);
    const auto& node = model.graph().node(0);
    QCOMPARE(node.domain(), std::string("com.me"));
    QCOMPARE(node.op_type(), std::string("Affine"));
    QCOMPARE(node.attribute_size(), 2);
    QCOMPARE(node.attribute(0).name(), std::string("scale"));
    QCOMPARE(node.attribute(0).f(), 2.0f);
    QCOMPARE(node.attribute(1).name(), std::string("the shift"));
    QCOMPARE(model.opset_import_size(), 2);
    QCOMPARE(model.opset_import(1).domain(), std::string("com.me"));
    QCOMPARE(model.opset_import(1).version(), 1);
    const auto again = importModelBytes(written->bytes, operators);
    QVERIFY(again.ok() && again->diagnostics.empty());
    QCOMPARE(operatorsOf(*again->graph), std::string("affine affine"));
    QVERIFY(again->graph->findByName("n")->attrs == read->graph->findByName("n")->attrs);
    // Who does not know the operator still learns its types.
    const auto stranger = importModelBytes(written->bytes, standardOperators());
    QVERIFY(stranger.ok());
    QCOMPARE(stranger->graph->findByName("n")->outputs[0].type.text(), std::string("f32[N, 2]"));
}

// A runtime of the domain may have other defaults.
void TestClauses::valuesAreWritten() {
    M m = ofMine();
    m.input("x", {"2"}).output("y");
    mine(m, "Twice", "x", "y");
    const auto operators = operatorsWith(twice);
    const auto written = exportModel(*importModelBytes(m.bytes(), operators)->graph);
    QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    std::map<std::string, proto::AttributeProto> given;
    for (const auto& attribute : model.graph().node(0).attribute())
        given[attribute.name()] = attribute;
    QCOMPARE(given.size(), std::size_t(4));
    QCOMPARE(given["factor"].f(), 2.0f);
    QCOMPARE(given["mode"].s(), std::string("fast"));
    QCOMPARE(given["the depth"].i(), -1);
    QCOMPARE(given["rate"].f(), 0.1f);
    const auto again = importModelBytes(written->bytes, operators);
    QVERIFY(again.ok() && again->diagnostics.empty());
    QCOMPARE(operatorsOf(*again->graph), std::string("twice"));
}

// Read, kept through the text of a graph, written; what is none is told.
void TestClauses::listsOfTexts() {
    const std::string text =
        R"(op tagged (x: T[N], attr tags: text[] = ["plain"], attr ends: text[2] = ["a", "b"])
  -> y: T[N] onnx "com.me" "Tagged" { y[n] = x[n] + 1 })";
    const auto operators = operatorsWith(text);
    const auto graphOf = [&](const std::vector<std::string>& tags, bool given) {
        M m = ofMine();
        m.input("x", {"2"}).output("y");
        auto& node = mine(m, "Tagged", "x", "y");
        if (given)
            setTexts(node, "tags", tags);
        return importModelBytes(m.bytes(), operators);
    };
    const struct {
        std::vector<std::string> tags;
        bool given;
        Texts wanted;
    } cases[] = {
        {{}, false, {"plain"}}, {{}, true, {}}, {{"one, \"two\"", ""}, true, {"one, \"two\"", ""}}};
    for (const auto& one : cases) {
        const auto read = graphOf(one.tags, one.given);
        QCOMPARE(problemOf(read), std::string());
        const auto same = parseGraph(printGraph(*read->graph), operators);
        QVERIFY2(same.ok(), same ? "" : same.diag().text().c_str());
        proto::ModelProto model;
        QVERIFY(model.ParseFromString(exportModel(**same)->bytes));
        const auto& attribute = model.graph().node(0).attribute(0);
        QCOMPARE(attribute.name(), std::string("tags"));
        QVERIFY(attribute.type() == proto::AttributeProto::STRINGS);
        QVERIFY(Texts(attribute.strings().begin(), attribute.strings().end()) == one.wanted);
    }
    M m = ofMine();
    m.input("x", {"2"}).output("y");
    auto& node = mine(m, "Tagged", "x", "y");
    M::set(node, "tags", 3);
    QVERIFY2(says(problemOf(importModelBytes(m.bytes(), operators)), "tags"),
             problemOf(importModelBytes(m.bytes(), operators)).c_str());
    node.mutable_attribute()->Clear();
    setTexts(node, "ends", {"a", "b", "c"});
    QVERIFY(says(problemOf(importModelBytes(m.bytes(), operators)), "ends has 3 elements, not 2"));
    Diags errors;
    (void)withOperators(*standardOperators(),
                        "op mine (x: T[N], attr t: text[] = [1]) -> y: T[N] { y[n] = x[n] }",
                        "mine.fw", errors);
    QCOMPARE(errors.size(), std::size_t(1));
    QVERIFY(says(errors.front().message, "the default of t is not a list of texts"));
}

// The opset written is one in which the clause holds; where there is none, the node is named.
void TestClauses::writtenWithinItsOpsets() {
    const auto operators = operatorsWith(
        "op old (x: T[S...]) -> y: T[S...] onnx \"\" \"Relu\" since 13 until 15 { y[i...] = "
        "x[i...] }\n"
        "op mid (x: T[S...]) -> y: T[S...] onnx \"com.me\" \"A\" since 2 until 4 { y[i...] = "
        "x[i...] }\n"
        "op new (x: T[S...]) -> y: T[S...] onnx \"com.me\" \"B\" since 5 { y[i...] = x[i...] }\n");
    const auto write = [&](const std::vector<std::string>& ops) {
        GraphEditor editor(operators);
        ValueRef value = editor.addInput("x", {DType::F32, fixedShape({2})});
        for (const std::string& op : ops)
            value = editor.add({op, {value}, {}, "n_" + op, {}, {}, {}, {}})->front();
        editor.addResult("y", value);
        return exportModel(**editor.finish());
    };
    QCOMPARE(write({"old"})->opset, 15);
    QCOMPARE(write({"relu"})->opset, 17);
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(write({"mid"})->bytes));
    QCOMPARE(model.opset_import(1).version(), 2);
    const auto both = write({"mid", "new"});
    QVERIFY(!both.ok());
    QCOMPARE(both.diag().where.node, std::string("n_mid"));
    QVERIFY(says(both.diag().message, "no clause of mid holds in opset 5 of 'com.me'"));
}

FW_TEST(TestClauses, QCoreApplication)
#include "test_clauses.moc"
