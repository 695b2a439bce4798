// Clauses of the library that name attributes otherwise or limit them: read, written, refused.
#include "onnx/reading.h"
#include "onnx/write/export.h"

#include <QtTest>

using namespace fw;
using namespace fw::test;
using M = ModelBuilder;

class TestShippedClauses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readAndWritten_data();
    void readAndWritten();
    void refused_data();
    void refused();
};

namespace {

// Why a model was not read, or what was told first; empty: nothing.
std::string problemOf(const Result<Imported>& read) {
    if (!read)
        return read.diag().text();
    return read->diagnostics.empty() ? std::string() : read->diagnostics.front().text();
}

} // namespace

// Names and values that differ between a node of the standard and the operator, both ways.
void TestShippedClauses::readAndWritten_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("expected");   // operator and attributes
    QTest::addColumn<QString>("attributes"); // of the node written
    QTest::newRow("BatchNormalization") << "BatchNormalization" << 15 << "batch_norm {eps = 0.25}"
                                        << "epsilon";
    QTest::newRow("BatchNormalization of opset 7")
        << "BatchNormalization" << 7 << "batch_norm {eps = 0.25}"
        << "epsilon";
    QTest::newRow("LRN") << "LRN" << 13 << "lrn {alpha = 1e-04, beta = 0.75, bias = 2.0, size = 3}"
                         << "size alpha beta bias";
    QTest::newRow("Relu") << "Relu" << 7 << "relu "
                          << "";
}

void TestShippedClauses::readAndWritten() {
    QFETCH(QString, type);
    QFETCH(int, opset);
    QFETCH(QString, expected);
    QFETCH(QString, attributes);
    M m(opset);
    m.input("x", {"N", "2", "3"}).input("c", {"2"}).output("y");
    const bool isNorm = type == u"BatchNormalization";
    auto& node = m.node(type.toStdString(), isNorm ? "x c c c c" : "x", "y", "n");
    if (isNorm) {
        M::setReal(node, "epsilon", 0.25f);
        M::setReal(node, "momentum", 0.5f);
        M::set(node, opset < 9 ? "spatial" : "training_mode", opset < 9 ? 1 : 0);
    } else if (type == u"LRN") {
        M::set(node, "size", 3);
        M::setReal(node, "bias", 2);
    }
    const auto read = importModelBytes(m.bytes(), standardOperators());
    QVERIFY2(problemOf(read).empty(), problemOf(read).c_str());
    const Node* found = read->graph->findByName("n");
    QVERIFY(found != nullptr);
    QCOMPARE(QString::fromStdString(found->op + " " + found->attrs.print()), expected);
    const auto written = exportModel(*read->graph);
    QVERIFY2(written.ok(), written ? "" : written.diag().text().c_str());
    QCOMPARE(written->opset, 17);
    proto::ModelProto model;
    QVERIFY(model.ParseFromString(written->bytes));
    QCOMPARE(model.graph().node(0).op_type(), type.toStdString());
    std::string names;
    for (const auto& attribute : model.graph().node(0).attribute())
        names += (names.empty() ? "" : " ") + attribute.name();
    QCOMPARE(names, attributes.toStdString());
    const auto again = importModelBytes(written->bytes, standardOperators());
    QVERIFY2(problemOf(again).empty(), problemOf(again).c_str());
    QVERIFY(again->graph->findByName("n")->attrs == found->attrs);
}

void TestShippedClauses::refused_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("attribute");
    QTest::addColumn<qlonglong>("value");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* type, const char* attribute, qlonglong value,
                        const char* reason) {
        QTest::addRow("%s %s %lld", type, attribute, value) << type << attribute << value << reason;
    };
    row("BatchNormalization", "training_mode", 1,
        "the attribute 'training_mode' is 1, and only 0 is supported; training mode is not");
    row("BatchNormalization", "spatial", 0,
        "the attribute 'spatial' is 0, and only 1 is supported");
    row("LRN", "size", 0, "size");
    row("LRN", "size", qlonglong(1) << 40, "size");
    row("LRN", "", 0, "attribute size is missing");
}

void TestShippedClauses::refused() {
    QFETCH(QString, type);
    QFETCH(QString, attribute);
    QFETCH(qlonglong, value);
    QFETCH(QString, reason);
    M m(15);
    m.input("x", {"N", "2", "3"}).input("c", {"2"}).output("y", {"N", "2", "3"});
    auto& node = m.node(type.toStdString(), type == u"LRN" ? "x" : "x c c c c", "y", "n");
    if (!attribute.isEmpty())
        M::set(node, attribute.toStdString(), value);
    const std::string said = problemOf(importModelBytes(m.bytes(), standardOperators()));
    QVERIFY2(said.find(reason.toStdString()) != std::string::npos, said.c_str());
}

QTEST_APPLESS_MAIN(TestShippedClauses)
#include "test_shipped_clauses.moc"
