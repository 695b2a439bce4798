// Where the time of a start goes: the stages that `fw run` tells beside what a clock outside sees.
// Ratios of one machine with itself, the best of several runs.
#include "common/test.h"
#include "conformance/fw_process.h"

#include "snapshot/json.h"

#include <QElapsedTimer>
#include <QTemporaryDir>

#include <algorithm>

using namespace fw;
using namespace fw::conformance;
using namespace Qt::StringLiterals;

namespace {

struct Start {
    double wholeMs = 1e9; // outside
    double sumMs = 0;     // of the stages and the run
    snapshot::StartRecord stages;
};

double sumOf(const snapshot::StartRecord& s) {
    return s.processMs + s.importMs + s.rewriteMs + s.librariesMs + s.machineMs + s.fuseMs +
           s.kernelsMs + s.assembleMs + s.loadMs;
}

Start startOf(const QString& model, const QString& target) {
    Start out;
    QElapsedTimer timer;
    timer.start();
    const FwAnswer answer = runFw({u"run"_s, model, u"--json"_s, u"--target"_s, target}, 60);
    const double wholeMs = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    const auto document = snapshot::fromJson<snapshot::RunDocument>(answer.out.toStdString());
    if (!document)
        return out;
    out.wholeMs = wholeMs;
    out.stages = document->start;
    out.sumMs = sumOf(document->start) + document->runMs;
    return out;
}

} // namespace

class TestStart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void theStagesSumToTheWhole();
    void figuresAreMeasuredOnce();

private:
    QTemporaryDir m_folder;
    QString m_model;
};

void TestStart::initTestCase() {
    qputenv("XDG_CACHE_HOME", m_folder.path().toUtf8());
    m_model = m_folder.filePath(u"one.fw"_s);
    QFile file(m_model);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("graph one(x: f32[64, 64]) -> r.y {\n  r.y = sigmoid(x)\n}\n");
}

void TestStart::figuresAreMeasuredOnce() {
    QVERIFY(startOf(m_model, u"x86-64"_s).wholeMs < 1e9);
    const Start known = startOf(m_model, u"x86-64"_s);
    QCOMPARE(known.stages.machineMs, 0.0);
    QCOMPARE(known.stages.cached, std::int64_t(1));
    const Start named = startOf(m_model, u"x86-64 -mcpu=x86-64-v2 -libs="_s);
    QVERIFY(named.wholeMs < 1e9);
    QCOMPARE(named.stages.machineMs, 0.0);
    QVERIFY2(named.stages.librariesMs < 1, "nothing is opened where nothing may be called");
    QVERIFY(named.stages.processMs > 0 && named.stages.importMs > 0 && named.stages.kernelsMs > 0);
}

// What is not in them is the end of two processes, the data and the answer.
void TestStart::theStagesSumToTheWhole() {
    double share = 0, least = 1e9;
    for (int i = 0; i < 9; ++i) {
        QVERIFY(QDir(m_folder.filePath(u"fusewright/obj"_s)).removeRecursively());
        const Start start = startOf(m_model, u"x86-64"_s);
        QVERIFY(start.wholeMs < 1e9);
        QCOMPARE(start.stages.compiled, std::int64_t(1));
        QVERIFY(start.sumMs < 1.2 * start.wholeMs);
        share = std::max(share, start.sumMs / start.wholeMs);
        least = std::min(least, start.wholeMs);
    }
    qInfo("%.0f %% of %.0f ms", 100 * share, least);
    QVERIFY2(share > 0.6, qPrintable(QString::number(share)));
}

FW_TEST(TestStart, QCoreApplication)
#include "test_start.moc"
