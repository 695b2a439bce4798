// Every operator case, and those of the backend tests of ONNX where they are installed: imported,
// evaluated by the reference, written, read again and evaluated again. So import, normal forms and
// export are judged by expected outputs that another program computed.
#include "library/library.h"
#include "onnx/export.h"
#include "onnx/graph_tools.h"
#include "onnx/import.h"
#include "onnx/tensor_file.h"

#include <QDir>
#include <QtTest>

#include <cmath>
#include <cstring>

using namespace fw;
using namespace fw::test;

namespace {

const QString root = QStringLiteral(FW_SOURCE_DIR "/tests/conformance/");

const QString suite =
    qEnvironmentVariable("FW_ONNX_SUITE", QStringLiteral("/usr/share/libonnx-testdata/data"));

enum class Compare : std::uint8_t { Exact, Close, Suite };

std::string difference(const TensorData& got, const TensorData& expected, Compare how) {
    if (got.type() != expected.type())
        return got.type().text() + " instead of " + expected.type().text();
    for (std::size_t i = 0; i < got.count(); ++i) {
        const double a = got.at(i);
        const double b = expected.at(i);
        const double relative = how == Compare::Exact ? 0 : how == Compare::Close ? 1e-5 : 1e-3;
        const double bound = how == Compare::Exact ? 0 : 1e-5 + relative * std::fabs(b);
        const bool isStep = how == Compare::Suite && dtypeBytes(got.dtype()) == 1 &&
                            isInteger(got.dtype()); // of a quantized value, rounded once less
        if (!(std::fabs(a - b) <= (isStep ? 1 : bound)) && !(std::isnan(a) && std::isnan(b)) &&
            a != b)
            return fmt::format("element {} is {}, expected {}", i, a, b);
    }
    return {};
}

// Binds the free dimensions of the model by the shapes of its inputs, then imports it again.
Result<Imported> importBound(const std::string& bytes, const std::vector<TensorData>& inputs) {
    FW_TRY(auto first, importModelBytes(bytes, standardOperators()));
    ImportOptions options;
    for (std::size_t i = 0; i < inputs.size() && i < first.graph->inputs().size(); ++i) {
        const Shape& shape = first.graph->node(first.graph->inputs()[i]).outputs[0].type.shape;
        for (std::size_t axis = 0; axis < shape.size() && axis < inputs[i].extents().size(); ++axis)
            if (shape[axis].isVar())
                options.dims[shape[axis].text()] = inputs[i].extents()[axis];
    }
    if (options.dims.empty())
        return first;
    return importModelBytes(bytes, standardOperators(), options);
}

std::string readAll(const std::string& path) {
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

std::string judge(const std::string& bytes, const TestDataSet& set, Compare how) {
    std::vector<NamedTensor> given;
    for (const std::string& path : set.inputs) {
        auto tensor = readTensorFile(path);
        if (!tensor)
            return tensor.diag().text();
        given.push_back(tensor.take());
    }
    auto open = importModelBytes(bytes, standardOperators());
    if (!open)
        return open.diag().text();
    std::vector<std::string> names;
    for (const NodeId id : open->graph->inputs())
        names.push_back(open->graph->node(id).outputs[0].name);
    auto inputs = matchTensors(names, std::move(given));
    if (!inputs)
        return inputs.diag().text();
    auto imported = importBound(bytes, *inputs);
    if (!imported)
        return imported.diag().text();
    if (hasErrors(imported->diagnostics))
        return imported->diagnostics.front().text();
    auto results = evaluateGraph(*imported->graph, *inputs);
    if (!results)
        return results.diag().text();
    if (results->size() != set.outputs.size())
        return "another number of results";
    for (std::size_t i = 0; i < results->size(); ++i) {
        auto expected = readTensorFile(set.outputs[i]);
        if (!expected)
            return expected.diag().text();
        if (auto wrong = difference((*results)[i], expected->data, how); !wrong.empty())
            return imported->graph->results()[i].name + ": " + wrong + listing(*imported->graph);
    }
    return {};
}

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
         {std::pair("ops", Compare::Exact), std::pair("close", Compare::Close)}) {
        const QDir dir(root + QLatin1String(sub));
        for (const QString& name : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            QTest::newRow(qPrintable(QLatin1String(sub) + QLatin1Char('/') + name))
                << dir.filePath(name) << static_cast<int>(how);
    }
    for (const char* part : {"node", "simple", "pytorch-operator", "pytorch-converted"}) {
        const QDir dir(suite + QLatin1Char('/') + QLatin1String(part));
        for (const QString& name : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            if (!name.contains(QLatin1String("BFLOAT16"))) // its data is of another type
                QTest::newRow(qPrintable(QLatin1String(part) + QLatin1Char('/') + name))
                    << dir.filePath(name) << static_cast<int>(Compare::Suite);
    }
}

void TestConformance::cases() {
    QFETCH(QString, folder);
    QFETCH(int, how);
    // What is refused there is held to its list by tests/conformance/test_onnx_suite.
    if (static_cast<Compare>(how) == Compare::Suite) {
        const auto opened = importModel((folder + QStringLiteral("/model.onnx")).toStdString(),
                                        standardOperators());
        if (!opened || hasErrors(opened->diagnostics))
            return;
    }
    const auto found = findTestData(folder.toStdString());
    QVERIFY(found.ok());
    const std::string bytes = readAll(found->model);
    auto imported = importModelBytes(bytes, standardOperators());
    QVERIFY2(imported.ok(), imported.ok() ? "" : imported.diag().text().c_str());
    if (hasErrors(imported->diagnostics)) {
        const QString refused = QString::fromStdString(
            readAll((root + QStringLiteral("expected_unsupported.txt")).toStdString()));
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
    // Those are several nodes in opset 17; the mean of a layernorm keeps an axis in ONNX.
    const auto isLong = [&](const NodePtr& node) {
        return node->op == "gelu" || node->op == "mish" ||
               (node->op == "layernorm" && static_cast<Compare>(how) == Compare::Suite);
    };
    const auto& nodes = imported->graph->nodes();
    if (std::none_of(nodes.begin(), nodes.end(), isLong))
        QVERIFY2(meaning(*again->graph) == meaning(*imported->graph),
                 listingDifference(*imported->graph, *again->graph).c_str());
    for (const TestDataSet& set : found->sets) {
        const std::string wrong = judge(bytes, set, static_cast<Compare>(how));
        QVERIFY2(wrong.empty(), (set.folder + ": " + wrong).c_str());
        const std::string wrongAgain = judge(written->bytes, set, static_cast<Compare>(how));
        QVERIFY2(wrongAgain.empty(), ("written and read: " + wrongAgain).c_str());
    }
}

QTEST_GUILESS_MAIN(TestConformance)
#include "test_conformance.moc"
