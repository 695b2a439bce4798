// What stands in the way in a model, and that nothing is found where nothing does.
#include "common/test.h"
#include "onnx/model_builder.h"
#include "session/asked.h"

#include "base/files.h"

#include <QTemporaryDir>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestHazards : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void each_data();
    void each();
    void whatOnlyTheReferenceComputes();
    void placesOfOneCauseAreOneRow();
    void whatIsNotKnownBringsItsDeclaration();

private:
    LintDocument lint(const QString& graph) const {
        Arguments wanted;
        wanted.model = m_folder.filePath(QStringLiteral("model.fw")).toStdString();
        wanted.target = "x86-64 -libs=";
        if (!writeFile(wanted.model, graph.toStdString()))
            qFatal("the model cannot be written");
        Asked asked;
        return asked.get<LintDocument>("lint", wanted);
    }

    QTemporaryDir m_folder;
};

namespace {

QStringList rowsOf(const LintDocument& document) {
    QStringList out;
    for (const HazardRecord& row : document.hazards) {
        QStringList names;
        for (const std::string& name : row.names)
            names << QString::fromStdString(name);
        out << QStringLiteral("%1 at %2")
                   .arg(QString::fromStdString(row.code), names.join(QStringLiteral(", ")));
    }
    return out;
}

} // namespace

void TestHazards::each_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QStringList>("rows");
    const auto row = [](const char* name, const char* graph, QStringList rows) {
        QTest::newRow(name) << QString::fromLatin1(graph) << rows;
    };
    row("nothing", "graph g(x: f32[2, 4]) -> y { y = relu(x) }", {});
    row("an operator that is not known",
        "graph g(x: f32[4]) -> y { a = unknown \"com.example\" \"Odd\"(x) : f32[4]  y = relu(a) }",
        {QStringLiteral("HAZ01 at unknown")});
    row("f64 in the middle",
        "graph g(x: f32[4]) -> y { a = cast(x) {to = f64}  b = exp(a) @node(\"wide\")  "
        "y = cast(b) {to = f32} }",
        {QStringLiteral("HAZ03 at cast")});
    row("f64 that was asked for",
        "graph g(x: f64[4], z: f32[4]) -> y { a = cast(z) {to = f64}  y = add(a, x) }", {});
    row("f64 that is a result", "graph g(x: f32[4]) -> y { a = cast(x) {to = f64}  y = exp(a) }",
        {});
    row("f64 that is cast only", // and computes nothing
        "graph g(x: f32[4]) -> y { a = cast(x) {to = f64}  y = cast(a) {to = i64} }", {});
    row("an input that nobody reads", "graph g(x: f32[4], idle: f32[2]) -> y { y = relu(x) }",
        {QStringLiteral("HAZ04 at idle")});
    row("sizes that might be equal",
        "graph g(x: f32[N], b: f32[M]) -> y { a = exp(x) @node(\"first\")  "
        "y = add(a, b) @node(\"sum\") }",
        {QStringLiteral("HAZ06 at first -> sum")});
    row("a size that is not known to be 1",
        "graph g(x: f32[N, 4], b: f32[8, 4]) -> y { a = exp(x) @node(\"first\")  "
        "y = add(a, b) @node(\"sum\") }",
        {QStringLiteral("HAZ06 at first -> sum")});
    row("a transpose that nothing takes",
        "graph g(x: f32[64, 64, 32]) -> y { a = transpose(x) {perm = [2, 0, 1]} "
        "@node(\"turned\")  y = softmax(a) {axis = 2} }",
        {QStringLiteral("HAZ07 at turned")});
    row("a transpose of an axis of one element",
        "graph g(x: f32[1, 64, 32]) -> y { a = transpose(x) {perm = [1, 0, 2]}  y = exp(a) }", {});
    row("an operator behind a value without a type",
        "graph g(x: f32[4]) -> y { a = unknown \"com.example\" \"Odd\"(x) {untyped_outputs = [0]} "
        ": "
        "f32[4]  y = unknown \"\" \"Relu\"(a) : f32[4] }",
        {QStringLiteral("HAZ01 at unknown"), QStringLiteral("HAZ01 at unknown_1")});
    row("quantised for nothing",
        "graph g(x: f32[4]) -> y { s = const [0.5] : f32[]  z = const [3] : u8[]\n"
        "q = quantize(x, s, z) @node(\"in\")  d = dequantize(q, s, z)  y = relu(d) }",
        {QStringLiteral("HAZ08 at in")});
    row("quantised for nothing but a transpose",
        "graph g(x: f32[4, 2]) -> y { s = const [0.5] : f32[]  z = const [3] : u8[]\n"
        "q = quantize(x, s, z) @node(\"in\")  t = transpose(q) {perm = [1, 0]}\n"
        "d = dequantize(t, s, z)  y = relu(d) }",
        {QStringLiteral("HAZ08 at in")});
    row("quantised for one reader of two",
        "graph g(x: f32[4, 2]) -> y, t { s = const [0.5] : f32[]  z = const [3] : u8[]\n"
        "q = quantize(x, s, z) @node(\"in\")  t = transpose(q) {perm = [1, 0]}\n"
        "d = dequantize(q, s, z)  y = relu(d) }",
        {QStringLiteral("HAZ07 at transpose")});
}

void TestHazards::each() {
    QFETCH(const QString, graph);
    QFETCH(const QStringList, rows);
    const LintDocument found = lint(graph);
    QVERIFY(found.planned);
    QCOMPARE(rowsOf(found), rows);
    for (const HazardRecord& row : found.hazards)
        QVERIFY(!row.todo.empty() && !row.what.empty() && !row.nodes.empty());
}

void TestHazards::whatOnlyTheReferenceComputes() {
    Arguments wanted;
    wanted.model = m_folder.filePath(QStringLiteral("model.fw")).toStdString();
    wanted.target = "x86-64 -libs=";
    QVERIFY(
        writeFile(wanted.model, "graph g(x: f32[4, 8]) -> y { y = softmax(x) @node(\"rows\") }\n")
            .ok());
    Asked asked;
    wanted.pins = "pin {";
    const auto plan = asked.get<FuseDocument>("fuse", wanted);
    for (const CandidateRecord& candidate : plan.groups.front().candidates)
        wanted.pins += " avoid " + candidate.name.str() + " for y";
    wanted.pins += " }";
    QCOMPARE(rowsOf(asked.get<LintDocument>("lint", wanted)),
             QStringList{QStringLiteral("HAZ02 at rows")});
}

void TestHazards::placesOfOneCauseAreOneRow() {
    QString graph = QStringLiteral("graph g(x: f32[4]) -> y {");
    for (int i = 0; i < 9; ++i)
        graph += QStringLiteral(" a%1 = unknown \"com.example\" \"Odd\"(%2) : f32[4]")
                     .arg(i)
                     .arg(i == 0 ? QStringLiteral("x") : QStringLiteral("a%1").arg(i - 1));
    const LintDocument found = lint(graph + QStringLiteral(" y = relu(a8) }"));
    QCOMPARE(found.hazards.size(), std::size_t(1));
    QCOMPARE(found.hazards[0].count, 9);
    QCOMPARE(found.hazards[0].nodes.size(), std::size_t(9));
    QVERIFY(found.hazards[0].names.size() < 9);
}

void TestHazards::whatIsNotKnownBringsItsDeclaration() {
    ModelBuilder m;
    m.input("x", {"N", "4"}).output("y", {"N", "4"});
    m.node("Odd", "x", "y", "odd").set_domain("com.example");
    auto* opset = m.model.add_opset_import();
    opset->set_domain("com.example");
    opset->set_version(1);
    Arguments wanted;
    wanted.model = m_folder.filePath(QStringLiteral("odd.onnx")).toStdString();
    QVERIFY(writeFile(wanted.model, m.bytes()).ok());
    Asked asked;
    const auto found = asked.get<LintDocument>("lint", wanted);
    QCOMPARE(rowsOf(found), QStringList{QStringLiteral("HAZ01 at odd")});
    const HazardRecord& row = found.hazards[0];
    QVERIFY2(row.declaration.starts_with("op odd") &&
                 row.declaration.find("onnx \"com.example\" \"Odd\"") != std::string::npos,
             row.declaration.c_str());
    QVERIFY(row.todo.ends_with(row.declaration));
}

FW_TEST(TestHazards, QCoreApplication)
#include "test_hazards.moc"
