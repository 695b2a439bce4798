// Every operator case: imported, evaluated by the reference, written, read again and evaluated
// again. So import, normal forms and export are judged by expected outputs that another program
// computed. What comes back as another graph stands in written_otherwise.txt. The backend tests of
// ONNX are asked the same by tests/conformance/test_onnx_suite.
#include "common/test.h"
#include "onnx/data_cases.h"
#include "onnx/write/export.h"

#include <QDir>

using namespace fw;
using namespace fw::test;

namespace {

const QString listsRoot = QStringLiteral(FW_SOURCE_DIR "/tests/conformance/");
const QString reports = QStringLiteral(FW_SOURCE_DIR "/tests/onnx/");

// CASE and why, a line each.
QMap<QString, QString> writtenOtherwise() {
    QMap<QString, QString> out;
    const auto text = bytesOf((reports + QStringLiteral("written_otherwise.txt")).toStdString());
    for (const QString& line : QString::fromStdString(text).split(u'\n'))
        if (!line.isEmpty() && !line.startsWith(u'#'))
            out.insert(line.section(u' ', 0, 0), line.section(u' ', 1));
    return out;
}

} // namespace

class TestConformance : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cases_data();
    void cases();
    void whatIsWrittenOtherwise();

private:
    QSet<QString> m_otherwise; // that came back as another graph
};

void TestConformance::cases_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("how");
    // Else as it is only once it was rewritten: a sum between two nodes is not rounded, a logarithm
    // not taken of what is too small.
    QTest::addColumn<bool>("isJudged");
    const QStringList rewritten{QStringLiteral("f16_conv_bn_zero_mean"),
                                QStringLiteral("log_of_softmax_small")};
    const auto rows = [&](const QString& parent, const char* sub, Compare how, bool isJudged) {
        const QDir dir(parent + QLatin1String(sub));
        const QStringList names = dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        QVERIFY(!names.isEmpty());
        for (const QString& name : names)
            QTest::newRow(qPrintable(QLatin1String(sub) + u'/' + name))
                << dir.filePath(name) << static_cast<int>(how)
                << (isJudged && !rewritten.contains(name));
    };
    rows(listsRoot, "ops", Compare::Exact, true);
    rows(listsRoot, "close", Compare::Close, true);
    rows(listsRoot, "narrow", Compare::Narrow, true);
    rows(listsRoot, "folded", Compare::Narrow, false);
    rows(reports, "reports", Compare::Narrow, true);
}

void TestConformance::cases() {
    QFETCH(QString, folder);
    QFETCH(int, how);
    QFETCH(bool, isJudged);
    const auto found = findTestData(folder.toStdString());
    QVERIFY(found.ok());
    const std::string bytes = bytesOf(found->model);
    auto imported = importModelBytes(bytes, standardOperators());
    QVERIFY2(imported.ok(), imported.ok() ? "" : imported.diag().text().c_str());
    if (hasErrors(imported->diagnostics)) {
        const QString refused = QString::fromStdString(
            bytesOf((listsRoot + QStringLiteral("expected_unsupported.txt")).toStdString()));
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
    const QString name = QString::fromLatin1(QTest::currentDataTag());
    if (meaning(*again->inlined) != meaning(*imported->inlined)) {
        m_otherwise.insert(name);
        QVERIFY2(writtenOtherwise().contains(name),
                 listingDifference(*imported->inlined, *again->inlined).c_str());
    }
    if (!isJudged)
        return;
    for (const TestDataSet& set : found->sets) {
        const std::string wrong = judgeData(bytes, set, static_cast<Compare>(how));
        QVERIFY2(wrong.empty(), (set.folder + ": " + wrong).c_str());
        const std::string wrongAgain = judgeData(written->bytes, set, static_cast<Compare>(how));
        QVERIFY2(wrongAgain.empty(), ("written and read: " + wrongAgain).c_str());
    }
}

// A line that is not needed goes, and each says why.
void TestConformance::whatIsWrittenOtherwise() {
    const QMap<QString, QString> listed = writtenOtherwise();
    for (auto it = listed.cbegin(); it != listed.cend(); ++it) {
        QVERIFY2(m_otherwise.contains(it.key()), qPrintable(it.key()));
        QVERIFY2(it.value().size() > 10, qPrintable(it.key()));
    }
}

FW_TEST(TestConformance, QCoreApplication)
#include "test_conformance.moc"
