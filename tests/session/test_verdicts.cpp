// Verdicts of `fw test` and `fw run` on data sets: by elements or by norm, and what is told of each
// output; and what `fw rewrite` tells of the file that it writes.
#include "common/test.h"
#include "session/asked.h"

#include "onnx/model/tensor_file.h"
#include "onnx/model_builder.h"
#include "session/compare.h"

#include "base/files.h"

#include <QDir>
#include <QTemporaryDir>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestVerdicts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void networksMayPassByNorm();
    void operatorCasesNeverPassByNorm();
    void writtenFilesAreWarnedOf();

private:
    // A folder in which products with the identity follow one another and one element near zero is
    // off by 6e-5.
    std::string folderOf(int layers);
    QTemporaryDir m_out;
};

std::string TestVerdicts::folderOf(int layers) {
    const std::string folder = m_out.filePath(QString::number(layers)).toStdString();
    QDir().mkpath(QString::fromStdString(folder) + QStringLiteral("/test_data_set_0"));
    ModelBuilder m;
    m.input("x", {"20", "20"}).output("y", {"20", "20"});
    std::vector<float> identity(400, 0);
    for (std::size_t i = 0; i < 20; ++i)
        identity[21 * i] = 1;
    m.weights("w", {20, 20}, identity);
    for (int i = 0; i < layers; ++i) {
        const std::string from = i == 0 ? "x" : "r" + std::to_string(i - 1);
        const std::string to = i + 1 == layers ? "y" : "r" + std::to_string(i);
        m.node("MatMul", from + " w", "p" + std::to_string(i));
        m.node("Relu", "p" + std::to_string(i), to);
    }
    std::vector<double> values(400, 1);
    values[7] = 1e-6;
    const TensorData in = dataFromDoubles(DType::F32, {20, 20}, values);
    values[7] += 6e-5;
    const TensorData out = dataFromDoubles(DType::F32, {20, 20}, values);
    if (!writeFile(folder + "/model.onnx", m.bytes()) ||
        !writeTensorFile(folder + "/test_data_set_0/input_0.pb", {"x", in}) ||
        !writeTensorFile(folder + "/test_data_set_0/output_0.pb", {"y", out}))
        qFatal("the folder cannot be written");
    return folder;
}

void TestVerdicts::networksMayPassByNorm() {
    Asked a;
    Arguments arguments = on("");
    arguments.folders = {folderOf(networkDepth)};
    const TestDocument found = a.get<TestDocument>("test", arguments);
    QCOMPARE(found.passed, 1);
    const CaseRecord& row = found.cases.at(0);
    QVERIFY2(row.reason.ends_with(", by norm"), row.reason.c_str());
    const ComparisonRecord& set = row.sets.at(0);
    QCOMPARE(set.rule, std::string("norm"));
    const OutputDifference& y = set.outputs.at(0);
    QCOMPARE(y.name, std::string("y"));
    QCOMPARE(y.elements, 400);
    QCOMPARE(y.outside, 1);
    QVERIFY(*y.relativeL2 > 1e-6 && *y.relativeL2 < 1e-5);
    QVERIFY(*y.cosine > 0.999999);
    QVERIFY(*y.sameTop);
    arguments.strict = true;
    const TestDocument strict = a.get<TestDocument>("test", arguments);
    QCOMPARE(strict.failed, 1);
    QVERIFY(strict.cases.at(0).reason.find("y[0, 7]") != std::string::npos);
    arguments.model = arguments.folders.at(0);
    QVERIFY(!a.get<RunDocument>("run", arguments).sets.at(0).pass);
    arguments.strict = {};
    QCOMPARE(a.get<RunDocument>("run", arguments).sets.at(0).rule, std::string("norm"));
}

void TestVerdicts::operatorCasesNeverPassByNorm() {
    Asked a;
    Arguments arguments = on("");
    for (const int layers : {1, networkDepth - 1}) {
        arguments.folders = {folderOf(layers)};
        const TestDocument found = a.get<TestDocument>("test", arguments);
        QCOMPARE(found.failed, 1);
        QCOMPARE(found.cases.at(0).sets.at(0).rule, std::string());
    }
}

void TestVerdicts::writtenFilesAreWarnedOf() {
    ModelBuilder m(22);
    m.input("x", {"2"}).output("y", {"2"});
    m.node("RandomNormalLike", "x", "t", "known");
    ModelBuilder::declare(*m.graph().add_value_info(), "t", {"2"});
    m.node("Frobnicate", "t", "y", "odd");
    Arguments arguments = on("");
    arguments.model = m_out.filePath(QStringLiteral("odd.onnx")).toStdString();
    arguments.output = m_out.filePath(QStringLiteral("written.onnx")).toStdString();
    QVERIFY(writeFile(arguments.model, m.bytes()).ok());
    Asked a;
    const RewriteDocument done = a.get<RewriteDocument>("rewrite", arguments);
    QCOMPARE(*done.opset, 22);
    QCOMPARE(done.diagnostics.size(), std::size_t(1));
    const Diag& warning = done.diagnostics.at(0);
    QVERIFY(warning.severity == Severity::Warning && warning.code == DiagCode::UnknownOperator);
    QCOMPARE(warning.where.file, arguments.output);
    QCOMPARE(warning.where.node, std::string("odd"));
}

FW_TEST(TestVerdicts, QCoreApplication)
#include "test_verdicts.moc"
