// What the writer writes opens in ONNX Runtime and gives the same numbers: every operator case,
// every sample and, where they are, the shared models and the backend tests of ONNX, as imported
// and (but for those) as rewritten; and models with operators that only the writer hands on, in the
// opsets that need them. Skipped, and said so, where node or its package onnxruntime-node are not
// found (FW_ORT, NODE_PATH; see README.md).
#include "fw_process.h"

#include "base/files.h"
#include "common/long_functions.h"
#include "common/source_root.h"
#include "library/library.h"
#include "onnx/function_cases.h"
#include "onnx/graph_tools.h"
#include "onnx/model/tensor_file.h"
#include "onnx/model_builder.h"
#include "onnx/read/import.h"
#include "onnx/write/export.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace fw::conformance;
using namespace Qt::StringLiterals;
using M = fw::test::ModelBuilder;

namespace {

const QString script = fw::test::sourceRoot + u"/tests/onnx/check_with_ort.mjs"_s;

QStringList modelFolders() {
    QStringList folders;
    for (const QString& parent : {fw::test::sourceRoot + u"/tests/conformance/ops"_s,
                                  fw::test::sourceRoot + u"/tests/conformance/close"_s,
                                  fw::test::sourceRoot + u"/samples"_s, sharedModels()})
        for (const QString& name :
             QDir(parent).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name))
            if (QFileInfo::exists(parent + u'/' + name + u"/model.onnx"_s))
                folders << parent + u'/' + name;
    return folders;
}

bool writeModel(const QString& from, const QString& to, std::string& why) {
    const auto imported = fw::importModel(from.toStdString(), fw::standardOperators());
    if (!imported) {
        why = imported.diag().text();
        return false;
    }
    const auto written = fw::exportModel(*imported->graph);
    if (!written) {
        why = written.diag().text();
        return false;
    }
    return fw::writeFile(to.toStdString(), written->bytes).ok();
}

} // namespace

class TestOnnxRuntime : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void importedModels();
    void backendTests();
    void rewrittenModels();
    void operatorsThatAreHandedOn();
    void operatorsOfBooks();

private:
    // Lines for the script; answers what failed.
    void judge(const QStringList& lines);
    QString file(const QString& name) const { return m_folder.filePath(name); }

    QTemporaryDir m_folder;
    QString m_node;
};

void TestOnnxRuntime::initTestCase() {
    m_node = QStandardPaths::findExecutable(u"node"_s);
    if (m_node.isEmpty())
        QSKIP("skipped: node is not installed");
    QVERIFY(fw::writeFile(file(u"none"_s).toStdString(), "").ok());
    const FwAnswer answer = runProgram(m_node, {script, file(u"none"_s)}, 60);
    if (answer.exitCode == 77)
        QSKIP(("skipped: " + answer.error.trimmed()).constData());
    QVERIFY2(answer.exitCode == 0, answer.error.constData());
}

void TestOnnxRuntime::judge(const QStringList& lines) {
    const QString list = file(u"list"_s);
    QVERIFY(fw::writeFile(list.toStdString(), lines.join(u'\n').toStdString()).ok());
    const FwAnswer answer = runProgram(m_node, {script, list}, 500);
    QMap<QString, int> verdicts;
    QStringList failed;
    for (const QByteArray& line : answer.out.split('\n')) {
        const QJsonObject one = QJsonDocument::fromJson(line).object();
        const QString verdict = one[u"verdict"].toString();
        if (verdict.isEmpty())
            continue;
        ++verdicts[verdict];
        if (verdict != u"passed")
            qInfo("%s: %s: %s", qPrintable(verdict),
                  qPrintable(QFileInfo(one[u"model"].toString()).fileName()),
                  qPrintable(one[u"reason"].toString()));
        if (verdict == u"failed")
            failed << one[u"model"].toString() + u": "_s + one[u"reason"].toString();
    }
    qInfo("%d files: %d passed, %d failed, %d that ONNX Runtime does not run as they were",
          static_cast<int>(lines.size()), verdicts[u"passed"_s], verdicts[u"failed"_s],
          verdicts[u"beyond"_s]);
    QVERIFY2(failed.isEmpty(), qPrintable(failed.join(u'\n')));
    QCOMPARE(verdicts[u"passed"_s] + verdicts[u"beyond"_s], static_cast<int>(lines.size()));
    QVERIFY2(answer.exitCode == 0, answer.error.constData());
    QVERIFY(verdicts[u"passed"_s] > verdicts[u"beyond"_s]);
}

void TestOnnxRuntime::importedModels() {
    QStringList lines;
    for (const QString& folder : modelFolders()) {
        const QString out = file(QFileInfo(folder).fileName() + u".onnx"_s);
        std::string why;
        QVERIFY2(writeModel(folder + u"/model.onnx"_s, out, why), why.c_str());
        lines << out + u'\t' + folder + u"/model.onnx\t"_s + folder;
    }
    QVERIFY(lines.size() > 370);
    judge(lines);
}

// All that are understood and written; what is not written stands in suite_written.txt.
void TestOnnxRuntime::backendTests() {
    const QStringList folders = onnxSuiteFolders() + caseFoldersIn(newerOnnxCases());
    if (folders.isEmpty())
        QSKIP("the backend tests of ONNX are not here: apt-get install libonnx-testdata");
    QStringList lines;
    for (const QString& folder : folders) {
        const QString model = folder + u"/model.onnx"_s;
        const auto imported = fw::importModel(model.toStdString(), fw::standardOperators());
        if (!imported || fw::hasErrors(imported->diagnostics))
            continue;
        const auto written = fw::exportModel(*imported->graph);
        if (!written)
            continue;
        const QString out = file(QFileInfo(folder).fileName() + u".suite.onnx"_s);
        QVERIFY(fw::writeFile(out.toStdString(), written->bytes).ok());
        lines << out + u'\t' + model + u'\t' + folder;
    }
    judge(lines);
}

void TestOnnxRuntime::rewrittenModels() {
    QStringList lines;
    for (const QString& folder : modelFolders()) {
        const QString out = file(QFileInfo(folder).fileName() + u".rewritten.onnx"_s);
        const FwAnswer answer = runFw({u"rewrite"_s, folder, u"-o"_s, out}, 60);
        QVERIFY2(answer.exitCode == 0, answer.error.constData());
        lines << out + u'\t' + folder + u"/model.onnx\t"_s + folder;
    }
    judge(lines);
}

// Beside operators of ours, so that these are written in another opset than the usual one.
void TestOnnxRuntime::operatorsThatAreHandedOn() {
    QStringList lines;
    const auto add = [&](const QString& name, const M& m) {
        const QString from = file(name + u".from.onnx"_s);
        const QString to = file(name + u".onnx"_s);
        QVERIFY(fw::writeFile(from.toStdString(), m.bytes()).ok());
        std::string why;
        QVERIFY2(writeModel(from, to, why),
                 qPrintable(name + u": "_s + QString::fromStdString(why)));
        lines << to + u'\t' + from + u"\t-"_s;
    };
    for (const int opset : {18, 20, 21, 22}) {
        for (const char* reduction :
             {"ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum"}) {
            M m(opset);
            m.input("x", {"2", "6"})
                .output("y", {"2"})
                .integers("axes", {1})
                .integers("s", {2, 2, 3})
                .integers("shape", {2, 6});
            m.node("CenterCropPad", "x shape", "t", "crop");
            M::declare(*m.graph().add_value_info(), "t", {"2", "6"});
            m.node("Split", "t", "a b", "halves");
            M::set(*m.graph().mutable_node(1), "axis", 1);
            M::set(*m.graph().mutable_node(1), "num_outputs", 2);
            if (opset >= 20)
                m.node("Gelu", "a", "g", "gelu");
            m.node("Concat", opset >= 20 ? "g b" : "a b", "c", "join");
            M::set(*m.graph().mutable_node(m.graph().node_size() - 1), "axis", 1);
            m.weights("k", {6}, {1, 1, 1, 1, 1, 1}).weights("zero", {6});
            m.node("LayerNormalization", "c k zero", "n", "norm");
            M::set(m.node(reduction, "n axes", "y", "reduce"), "keepdims", 0);
            add(u"%1_%2"_s.arg(QLatin1String(reduction)).arg(opset), m);
        }
        M m(opset); // a name that is used inside and outside, a value that is captured
        m.input("x", {"4"})
            .input("c", {}, fw::proto::TensorProto::BOOL)
            .weights("w", {4})
            .integers("four", {4})
            .output("y", {"4"});
        m.node("Add", "x w", "sum", "add");
        auto& choice = m.node("If", "c", "y", "choice");
        for (const auto& [attribute, type] :
             {std::pair("then_branch", "CenterCropPad"), std::pair("else_branch", "Neg")}) {
            auto* body = choice.add_attribute();
            body->set_name(attribute);
            body->set_type(fw::proto::AttributeProto::GRAPH);
            body->mutable_g()->set_name(attribute);
            auto* node = body->mutable_g()->add_node();
            node->set_op_type(type);
            node->add_input("sum");
            if (std::string(type) == "CenterCropPad")
                node->add_input("four");
            node->add_output(std::string(attribute) + ".y");
            M::declare(*body->mutable_g()->add_output(), std::string(attribute) + ".y", {"4"});
        }
        add(u"branches_%1"_s.arg(opset), m);
    }
    for (const int opset : {13, 17}) { // in the usual opset, or below it
        M m(opset);
        m.input("x", {"3", "4"})
            .output("y", {}, fw::proto::TensorProto::INT64)
            .output("h")
            .output("z");
        m.node("NonZero", "x", "y", "places"); // its shape is not known
        m.node("Hardmax", "x", "h", "hard");
        m.node("Relu", "x", "r", "ours");
        m.node("Shrink", "r", "z", "shrunk");
        add(u"old_%1"_s.arg(opset), m);
    }
    M m(13);
    m.input("x", {"1", "1", "4", "4"})
        .weights("r", {1, 4}, {0, 0, 3, 3})
        .integers("i", {0})
        .output("y");
    m.node("RoiAlign", "x r i", "t", "roi");
    M::declare(*m.graph().add_value_info(), "t", {"1", "1", "1", "1"});
    m.node("Relu", "t", "y", "act");
    add(u"regions"_s, m);
    judge(lines);
}

// With their bodies as functions, held against the reference.
void TestOnnxRuntime::operatorsOfBooks() {
    QStringList lines;
    for (const fw::test::BodyCase& one : fw::test::bodyCases())
        for (std::size_t i = 0; i < one.calls.size(); ++i) {
            const fw::test::Written model = fw::test::written(one.text, {one.calls[i]});
            const QString folder = file(u"%1 %2"_s.arg(QLatin1String(one.name)).arg(i));
            const QString set = folder + u"/test_data_set_0"_s;
            QVERIFY(QDir().mkpath(set));
            const auto write = [&](const char* role, const std::vector<fw::TensorData>& tensors) {
                for (std::size_t k = 0; k < tensors.size(); ++k)
                    QVERIFY(fw::writeTensorFile(
                                u"%1/%2_%3.pb"_s.arg(set, QLatin1String(role)).arg(k).toStdString(),
                                {{}, tensors[k]})
                                .ok());
            };
            const auto operands = fw::test::operandsOf(*model.graph, 7);
            const auto results = fw::test::evaluateBound(*model.graph, operands);
            QVERIFY2(results.ok(), results ? "" : results.diag().text().c_str());
            write("input", operands);
            write("output", *results);
            const QString path = folder + u"/model.onnx"_s;
            QVERIFY(fw::writeFile(path.toStdString(), model.model.bytes).ok());
            lines << path + u'\t' + path + u'\t' + folder;
        }
    QVERIFY(lines.size() > 50);
    judge(lines);
}

FW_TEST_BY(&fw::test::runLong<TestOnnxRuntime>)
#include "test_onnx_runtime.moc"
