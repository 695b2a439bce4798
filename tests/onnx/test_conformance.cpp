// Every operator case: imported, evaluated by the reference, written, read again and evaluated
// again. So import, normal forms and export are judged by expected outputs that another program
// computed. The backend tests of ONNX are asked the same by tests/conformance/test_onnx_suite.
#include "onnx/data_cases.h"
#include "onnx/export.h"

#include <QDir>
#include <QtTest>

using namespace fw;
using namespace fw::test;

namespace {

const QString root = QStringLiteral(FW_SOURCE_DIR "/tests/conformance/");

} // namespace

class TestConformance : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cases_data();
    void cases();
};

void TestConformance::cases_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("how");
    for (const auto& [sub, how] :
         {std::pair("ops", Compare::Exact), std::pair("close", Compare::Close),
          std::pair("narrow", Compare::Narrow)}) {
        const QDir dir(root + QLatin1String(sub));
        for (const QString& name : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            QTest::newRow(qPrintable(QLatin1String(sub) + QLatin1Char('/') + name))
                << dir.filePath(name) << static_cast<int>(how);
    }
}

void TestConformance::cases() {
    QFETCH(QString, folder);
    QFETCH(int, how);
    const auto found = findTestData(folder.toStdString());
    QVERIFY(found.ok());
    const std::string bytes = bytesOf(found->model);
    auto imported = importModelBytes(bytes, standardOperators());
    QVERIFY2(imported.ok(), imported.ok() ? "" : imported.diag().text().c_str());
    if (hasErrors(imported->diagnostics)) {
        const QString refused = QString::fromStdString(
            bytesOf((root + QStringLiteral("expected_unsupported.txt")).toStdString()));
        const Diag& diag = imported->diagnostics.front();
        QVERIFY2(diag.code == DiagCode::UnsupportedAttribute ||
                     diag.code == DiagCode::UnknownOperator,
                 diag.text().c_str());
        QVERIFY2(refused.contains(QFileInfo(folder).fileName()), diag.text().c_str());
        return;
    }
    const auto written = exportModel(*imported->graph);
    QVERIFY2(written.ok(), written.ok() ? "" : written.diag().text().c_str());
    QCOMPARE(exportModel(*imported->graph)->bytes, written->bytes);
    const auto again = importModelBytes(written->bytes, standardOperators());
    QVERIFY2(again.ok(), again.ok() ? "" : again.diag().text().c_str());
    QVERIFY2(again->diagnostics.empty(),
             again->diagnostics.empty() ? "" : again->diagnostics.front().text().c_str());
    // Several nodes: gelu and mish in opset 17, a Resize for each axis, the places of OneHot in i32;
    // and a node of f16 or bf16 that is several operators in f32 has its casts around it.
    const auto isLong = [&](const NodePtr& node) {
        return node->op == "gelu" || node->op == "mish" || node->op == "resize_places" ||
               (node->op == "resize_nearest" && node->attrs.integers("size") == Integers{1}) ||
               (node->op == "one_hot" &&
                imported->graph->type(node->inputs[0]).dtype == DType::I32);
    };
    const auto& nodes = imported->graph->nodes();
    if (static_cast<Compare>(how) != Compare::Narrow &&
        std::none_of(nodes.begin(), nodes.end(), isLong))
        QVERIFY2(meaning(*again->graph) == meaning(*imported->graph),
                 listingDifference(*imported->graph, *again->graph).c_str());
    for (const TestDataSet& set : found->sets) {
        const std::string wrong = judgeData(bytes, set, static_cast<Compare>(how));
        QVERIFY2(wrong.empty(), (set.folder + ": " + wrong).c_str());
        const std::string wrongAgain = judgeData(written->bytes, set, static_cast<Compare>(how));
        QVERIFY2(wrongAgain.empty(), ("written and read: " + wrongAgain).c_str());
    }
}

QTEST_GUILESS_MAIN(TestConformance)
#include "test_conformance.moc"
