// What is reported of a run: the table of a profile, its trace, values of inner and of several
// results. Small graphs of text, where everything that is told can be counted.
#include "base/files.h"
#include "common/test.h"
#include "onnx/model/tensor_file.h"
#include "onnx/model_builder.h"
#include "session/asked.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include <cmath>

using namespace fw;
using namespace fw::snapshot;
using namespace fw::test;

class TestReports : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneOperatorIsOneRow();
    void everyGroupIsARow();
    void valuesOfInnerNodesAndOfSeveralResults();
    void whatNobodyReadsIsNoGroup();

private:
    Arguments asked(const char* text) {
        Arguments out = on("");
        out.model = m_folder.filePath(QStringLiteral("net%1.fw").arg(++m_models)).toStdString();
        [&] { QVERIFY(writeFile(out.model, text).ok()); }();
        out.seconds = 0.02;
        return out;
    }

    QTemporaryDir m_folder;
    int m_models = 0;
};

void TestReports::oneOperatorIsOneRow() {
    const auto profile = Asked().get<ProfileDocument>(
        "profile", asked("graph g(x: f32[64, 64]) -> y { y = exp(x) }\n"));
    QCOMPARE(profile.rows.size(), std::size_t(1));
    const ProfileRow& row = profile.rows.front();
    QCOMPARE(row.nodes.size(), std::size_t(1));
    QCOMPARE(row.calls, std::int64_t(1));
    QCOMPARE(row.share, 1.0);
    QVERIFY(row.medianUs > 0 && row.minUs > 0 && row.minUs <= row.medianUs);
}

void TestReports::everyGroupIsARow() {
    Arguments arguments =
        asked("graph g(x: f32[48, 64]) -> y, z {\n"
              "  w = const random(1) : f32[96, 64]  d = dense(x, w)  r = relu(d)\n"
              "  y = softmax(r) {axis = 1}  z = reduce_sum(y) {axes = [0], keepdims = 0}\n}\n");
    arguments.trace = m_folder.filePath(QStringLiteral("trace.json")).toStdString();
    const auto profile = Asked().get<ProfileDocument>("profile", arguments);
    const auto plan = Asked().get<FuseDocument>("fuse", arguments);
    QCOMPARE(profile.rows.size(), plan.groups.size());
    double shares = 0, sum = 0;
    for (const ProfileRow& row : profile.rows) {
        const GroupRecord& group = plan.groups.at(std::size_t(row.groupId));
        QCOMPARE(row.implementation, group.implementation.str());
        QCOMPARE(row.nodes.size(), group.nodes.size());
        // What it moves is known by its shapes.
        QVERIFY(row.bytes && row.bytes == group.bytes && row.gbps);
        shares += row.share;
        sum += row.medianUs;
    }
    QVERIFY(std::abs(shares - 1) < 1e-6);
    QVERIFY(std::abs(sum / 1000 - profile.sumMs) <= 1e-6 + 1e-6 * sum);
    QFile file(QString::fromStdString(arguments.trace));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonArray events =
        QJsonDocument::fromJson(file.readAll())[QStringLiteral("traceEvents")].toArray();
    QCOMPARE(events.size(), qsizetype(profile.rows.size()));
    double before = 0;
    for (qsizetype i = 0; i < events.size(); ++i) {
        const QJsonObject event = events[i].toObject();
        QCOMPARE(event[QStringLiteral("name")].toString().toStdString(),
                 profile.rows[std::size_t(i)].group);
        QVERIFY(event[QStringLiteral("ts")].toDouble() >= before);
        before = event[QStringLiteral("ts")].toDouble();
    }
}

void TestReports::valuesOfInnerNodesAndOfSeveralResults() {
    Arguments arguments = asked("graph g(x: f32[2, 3]) -> y, z {\n"
                                "  a = neg(x)  b = exp(a)  y = add(b, a)  z = mul(b, b)\n}\n");
    const std::string x = m_folder.filePath(QStringLiteral("x.npy")).toStdString();
    const TensorData given = randomData(DType::F32, {2, 3}, 5);
    QVERIFY(writeTensorFile(x, {"x", given}).ok());
    arguments.inputs = {{"x", x}};
    arguments.values = {"a", "b"};
    arguments.output = m_folder.filePath(QStringLiteral("out")).toStdString();
    const auto run = Asked().get<RunDocument>("run", arguments);
    QVERIFY(!run.randomInputs);
    QCOMPARE(run.outputs.size(), std::size_t(2));
    QCOMPARE(run.values.size(), std::size_t(2));
    std::map<std::string, TensorData> all;
    for (const auto* list : {&run.outputs, &run.values})
        for (const OutputRecord& one : *list) {
            QCOMPARE(one.shape, (std::vector<std::int64_t>{2, 3}));
            QVERIFY2(!one.file.empty(), one.name.c_str());
            all.emplace(one.name, readTensorFile(one.file).value().data);
        }
    QCOMPARE(all.size(), std::size_t(4));
    for (std::size_t i = 0; i < 6; ++i) {
        const double a = -given.at(i), b = std::exp(a);
        const auto is = [&](const char* name, double wanted) {
            return std::abs(all.at(name).at(i) - wanted) <= 1e-5 * (1 + std::abs(wanted));
        };
        QVERIFY(is("a", a) && is("b", b) && is("y", b + a) && is("z", b * b));
    }
}

// F32: nor is it left for the plan to see.
void TestReports::whatNobodyReadsIsNoGroup() {
    ModelBuilder m;
    m.input("x", {"4", "8"}).output("y");
    m.node("Exp", "x", "kept", "first");
    m.node("Relu", "kept", "y", "last");
    m.node("Tanh", "kept", "lost", "side");
    m.node("Neg", "lost", "gone", "end");
    Arguments arguments = on("");
    arguments.model = m_folder.filePath(QStringLiteral("unread.onnx")).toStdString();
    QVERIFY(writeFile(arguments.model, m.bytes()).ok());
    const auto plan = Asked().get<FuseDocument>("fuse", arguments);
    QCOMPARE(plan.groups.size(), std::size_t(1));
    QCOMPARE(plan.groups[0].nodes, (std::vector<std::string>{"first", "last"}));
}

FW_TEST(TestReports, QCoreApplication)
#include "test_reports.moc"
