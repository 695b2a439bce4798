// A value in numbers, stored or computed, and written as a whole.
#include "common/test.h"
#include "session/asked.h"

#include "onnx/model/tensor_file.h"

#include <QTemporaryDir>

#include <cmath>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsComputedIsSaved_data();
    void whatIsComputedIsSaved();
    void aFileThatCannotBeWritten();

private:
    QTemporaryDir m_folder;
};

void TestValues::whatIsComputedIsSaved_data() {
    QTest::addColumn<QString>("stage");
    QTest::addColumn<QString>("ending");
    QTest::newRow("imported") << QStringLiteral("imported") << QStringLiteral("npy");
    QTest::newRow("fused") << QStringLiteral("fused") << QStringLiteral("pb");
}

// The result of a model, of the operands of its data set: what the set says of it.
void TestValues::whatIsComputedIsSaved() {
    QFETCH(const QString, stage);
    QFETCH(const QString, ending);
    Asked asked;
    Arguments wanted;
    wanted.model = samples + "residual";
    wanted.stage = stage.toStdString();
    const auto graph = asked.get<GraphDocument>("graph", wanted);
    const InputRef& result = graph.results.front();
    wanted.nodes = {"#" + std::to_string(result.node) + ":" + std::to_string(result.output)};
    wanted.output = m_folder.filePath(QStringLiteral("y.") + ending).toStdString();
    const auto value = asked.get<ValueDocument>("value", wanted);
    QCOMPARE(value.origin, std::string("computed of the model's data"));
    QCOMPARE(value.file, wanted.output);
    const auto written = readTensorFile(wanted.output);
    const auto expected = readTensorFile(samples + "residual/test_data_set_0/output_0.pb");
    QVERIFY(written.ok() && expected.ok());
    QCOMPARE(value.count, std::int64_t(written->data.count()));
    QVERIFY(written->data.extents() == expected->data.extents());
    for (std::size_t i = 0; i < written->data.count(); ++i)
        QVERIFY(std::abs(written->data.at(i) - expected->data.at(i)) <=
                1e-3 * (1 + std::abs(expected->data.at(i))));
}

void TestValues::aFileThatCannotBeWritten() {
    Asked asked;
    Arguments wanted;
    wanted.model = samples + "residual";
    wanted.stage = "imported";
    const auto graph = asked.get<GraphDocument>("graph", wanted);
    wanted.nodes = {"#" + std::to_string(graph.results.front().node) + ":0"};
    wanted.output = m_folder.filePath(QStringLiteral("nowhere/y.npy")).toStdString();
    const auto refused = asked.ask("value", wanted);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.diag().code, DiagCode::FileUnwritable);
}

FW_TEST(TestValues, QCoreApplication)
#include "test_values.moc"
