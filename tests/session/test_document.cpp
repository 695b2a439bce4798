// A document file as the model of a command, and constants in numbers.
#include "common/test.h"
#include "session/asked.h"
#include "session/commands.h"
#include "session/statistics.h"
#include "snapshot/document_file.h"

#include <QTemporaryDir>

#include <cmath>
#include <limits>

using namespace fw;
using namespace fw::snapshot;

class TestDocumentModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void documentIsAModel();
    void whatIsGivenWins();
    void brokenDocumentsAreRefused();
    void timesDecideNothing();
    void statistics();
    void statisticsOfOddNumbers();
    void constantsAreFound();

private:
    Result<std::string> ask(const std::string& command, Arguments arguments) {
        Request request;
        request.command = command;
        request.arguments = std::move(arguments);
        return m_commands.run(request, {});
    }
    std::string save(const Inputs& inputs) {
        const std::string path = m_folder.filePath(QStringLiteral("d.fwdoc")).toStdString();
        return saveDocument(inputs, path).ok() ? path : std::string();
    }

    Commands m_commands;
    QTemporaryDir m_folder;
};

void TestDocumentModel::documentIsAModel() {
    Inputs inputs;
    inputs.model = fw::test::samples + "residual";
    inputs.target = "x86-64 -mcpu=x86-64-v3 -threads=1";
    inputs.libraries.emplace();
    Arguments byDocument, byHand;
    byDocument.model = save(inputs);
    byHand.model = inputs.model;
    byHand.target = inputs.fullTarget();
    // Same inputs, same bytes, but for what the second finds made.
    const auto one = ask("fuse", byDocument);
    const auto two = ask("fuse", byHand);
    QVERIFY2(one.ok(), one.ok() ? "" : one.diag().text().c_str());
    FuseDocument first = fromJson<FuseDocument>(*one).value();
    QVERIFY(first.made.planned);
    first.made = {};
    QVERIFY(toJson(first) == *two);
    QCOMPARE(first.target, std::string("x86-64 -mcpu=x86-64-v3 -libs= -threads=1"));
    Arguments bench = byDocument;
    bench.models = {byDocument.model};
    bench.seconds = 0.01;
    QVERIFY(ask("bench", bench).ok());
}

void TestDocumentModel::whatIsGivenWins() {
    Inputs inputs;
    inputs.model = fw::test::samples + "free_batch";
    inputs.target = "x86-64 -mcpu=x86-64-v3";
    inputs.dims = {{"N", 3}};
    Arguments arguments;
    arguments.model = save(inputs);
    const auto target = [&] { return fromJson<FuseDocument>(*ask("fuse", arguments))->target; };
    QVERIFY(target().find("x86-64-v3") != std::string::npos);
    arguments.target = "x86-64 -mcpu=x86-64-v2 -threads=1 -libs=";
    QCOMPARE(target(), std::string("x86-64 -mcpu=x86-64-v2 -libs= -threads=1"));
    const auto info = fromJson<InfoDocument>(*ask("info", arguments));
    QVERIFY(info.ok());
    QVERIFY2(info->inputs[0].type.find("[3,") != std::string::npos, info->inputs[0].type.c_str());
    arguments.dims = {{"N", 5}};
    const auto other = fromJson<InfoDocument>(*ask("info", arguments));
    QVERIFY2(other->inputs[0].type.find("[5,") != std::string::npos, other->inputs[0].type.c_str());
}

void TestDocumentModel::brokenDocumentsAreRefused() {
    Arguments arguments;
    arguments.model = m_folder.filePath(QStringLiteral("none.fwdoc")).toStdString();
    QCOMPARE(ask("info", arguments).diag().code, DiagCode::FileMissing);
    QFile file(m_folder.filePath(QStringLiteral("none.fwdoc")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"fusewright_document": 2, "model": "m.onnx"})");
    file.close();
    const Diag newer = ask("info", arguments).diag();
    QVERIFY(newer.message.find("version 2") != std::string::npos);
    Inputs inputs;
    inputs.model = "/nowhere/m.onnx";
    arguments.model = save(inputs);
    QCOMPARE(ask("info", arguments).diag().code, DiagCode::FileMissing);
}

void TestDocumentModel::timesDecideNothing() {
    Inputs inputs;
    inputs.model = fw::test::samples + "mlp";
    inputs.target = "x86-64 -mcpu=x86-64-v3 -threads=1";
    inputs.libraries.emplace();
    Arguments arguments;
    arguments.model = save(inputs);
    arguments.seconds = 0.02;
    const auto plain = ask("fuse", arguments);
    QVERIFY(plain.ok());
    const Result<std::string> measured = ask("profile", arguments);
    QVERIFY(measured.ok());
    SavedTimes times;
    times.last = std::make_shared<ProfileDocument>(*fromJson<ProfileDocument>(*measured));
    auto slow = *times.last; // as if every group took an hour
    for (ProfileRow& row : slow.rows)
        row.medianUs = 3.6e9;
    times.baseline = std::make_shared<ProfileDocument>(slow);
    QVERIFY(saveDocument(inputs, arguments.model, {}, times).ok());
    const auto withTimes = ask("fuse", arguments);
    QVERIFY2(withTimes.ok(), withTimes.ok() ? "" : withTimes.diag().text().c_str());
    FuseDocument one = fromJson<FuseDocument>(*plain).value();
    FuseDocument two = fromJson<FuseDocument>(*withTimes).value();
    one.made = two.made = {};
    QVERIFY(one == two);
}

void TestDocumentModel::statistics() {
    const ValueDocument value =
        statisticsOf(dataFromDoubles(DType::F32, {2, 3}, {-1, 0, 0, 1, 2, 4}));
    QCOMPARE(value.count, std::int64_t(6));
    QCOMPARE(value.zeros, std::int64_t(2));
    QCOMPARE(*value.least, -1.0);
    QCOMPARE(*value.most, 4.0);
    QCOMPARE(*value.mean, 1.0);
    QCOMPARE(*value.deviation, std::sqrt(16.0 / 6));
    std::int64_t sum = 0;
    for (const std::int64_t bin : value.histogram)
        sum += bin;
    QCOMPARE(sum, std::int64_t(6));
    QCOMPARE(value.first.size(), std::size_t(6));
    QCOMPARE(value.first[0], std::string("-1"));
    QCOMPARE(value.type, std::string("f32[2, 3]"));
    const ValueDocument same = statisticsOf(dataFromIntegers(DType::I64, {3}, {7, 7, 7}));
    QVERIFY(same.histogram.empty()); // there is nothing to spread
    QCOMPARE(same.first[2], std::string("7"));
    QCOMPARE(statisticsOf(dataFromDoubles(DType::F32, {0}, {})).count, std::int64_t(0));
}

void TestDocumentModel::statisticsOfOddNumbers() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    const double huge = std::numeric_limits<double>::max();
    const ValueDocument odd =
        statisticsOf(dataFromDoubles(DType::F64, {5}, {nan, inf, -inf, 1, 3}));
    QCOMPARE(odd.notNumbers, std::int64_t(1));
    QCOMPARE(odd.infinite, std::int64_t(2));
    QCOMPARE(*odd.mean, 2.0);
    QCOMPARE(odd.first[0], std::string("nan"));
    const ValueDocument none = statisticsOf(dataFromDoubles(DType::F32, {2}, {nan, inf}));
    QVERIFY(!none.least && !none.mean && none.histogram.empty());
    // The span of the largest numbers overflows; the bins do not.
    const ValueDocument wide = statisticsOf(dataFromDoubles(DType::F64, {2}, {-huge, huge}));
    QCOMPARE(wide.histogram.front() + wide.histogram.back(), std::int64_t(2));
}

void TestDocumentModel::constantsAreFound() {
    Arguments arguments;
    arguments.model = fw::test::samples + "residual";
    arguments.target = "x86-64 -libs=";
    for (const char* stage : {"imported", "fused"}) {
        arguments.stage = stage;
        const auto graph = fromJson<GraphDocument>(*ask("graph", arguments));
        int asked = 0;
        for (const NodeRecord& node : graph->nodes) {
            if (!node.constant || ++asked > 3)
                continue;
            Arguments wanted = arguments;
            wanted.nodes = {"#" + std::to_string(node.id) + ":0"};
            const auto value = fromJson<ValueDocument>(*ask("value", wanted));
            QVERIFY(value.ok());
            QCOMPARE(value->type, node.outputs[0].type);
            QCOMPARE(value->node, node.id);
            QVERIFY(value->count > 0);
        }
        QVERIFY(asked > 0);
    }
    for (const char* wrong : {"#", "#x", "#99999:0", "#1:9", "nobody", ""}) {
        arguments.nodes = {wrong};
        QVERIFY2(!ask("value", arguments).ok(), wrong);
    }
    arguments.nodes = {};
    QCOMPARE(ask("value", arguments).diag().code, DiagCode::Usage);
}

FW_TEST(TestDocumentModel, QCoreApplication)
#include "test_document.moc"
