// `fw` over several instruction sets: each side or model by a worker that plays its level.
#include "common/test.h"
#include "conformance/fw_process.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;
using fw::conformance::FwAnswer;
using fw::conformance::runFw;

namespace {

const QString sample = QStringLiteral(FW_SOURCE_DIR "/samples/residual");
const QString low = u"x86-64 -mcpu=x86-64-v2 -libs=onednn -threads=1"_s;
const QString high = u"x86-64 -mcpu=native -libs=onednn -threads=1"_s;

QJsonObject ask(const QStringList& arguments) {
    const FwAnswer answer = runFw(arguments + QStringList{u"--json"_s}, 120);
    if (answer.exitCode != 0)
        qWarning("exit code %d: %s", answer.exitCode, answer.error.constData());
    return QJsonDocument::fromJson(answer.out).object();
}

QString callsOf(const QString& target) {
    QString out;
    for (const QJsonValue group :
         ask({u"fuse"_s, sample, u"--target"_s, target})[u"groups"].toArray())
        out += group[u"schedule"].toString();
    return out;
}

} // namespace

class TestWorkers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        for (const char* bound : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "OPENBLAS_CORETYPE"})
            qunsetenv(bound);
        if (runFw({u"fuse"_s, sample, u"--target"_s, low}, 60).exitCode == 3)
            QSKIP("oneDNN is not installed");
        if (callsOf(low) == callsOf(high))
            QSKIP("this CPU plays one level only");
    }

    void sidesOfADiff() {
        const QJsonObject diff = ask({u"diff"_s, sample, u"--target"_s, low, u"--target"_s, high});
        QCOMPARE(diff[u"before"].toString(), low);
        QCOMPARE(diff[u"after"].toString(), high);
    }

    // Documents bring their own targets.
    void modelsOfABench() {
        QTemporaryDir folder;
        QStringList documents;
        for (const char* cpu : {"x86-64-v2", "native"}) {
            documents << folder.filePath(QLatin1StringView(cpu) + u".fwdoc"_s);
            QFile file(documents.last());
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QJsonDocument(
                           QJsonObject{{u"fusewright_document"_s, 1},
                                       {u"model"_s, sample},
                                       {u"target"_s, u"x86-64 -mcpu="_s + QLatin1StringView(cpu)},
                                       {u"libraries"_s, QJsonArray{u"onednn"_s}}})
                           .toJson());
        }
        const QJsonObject bench =
            ask(QStringList{u"bench"_s, u"--seconds"_s, u"0.01"_s} + documents);
        QCOMPARE(bench[u"models"].toArray().size(), 2);
    }

    // The user's word in the environment is a bound, for every target.
    void theEnvironmentIsABound() {
        qputenv("ONEDNN_MAX_CPU_ISA", "SSE41");
        const QJsonObject plan = ask({u"fuse"_s, sample, u"--target"_s, high});
        const QString calls = callsOf(high);
        qunsetenv("ONEDNN_MAX_CPU_ISA");
        QVERIFY(!plan[u"groups"].toArray().isEmpty());
        QCOMPARE(calls, callsOf(low));
    }

    // A log of one level says nothing of another.
    void measurementsTellLevelsApart() {
        QTemporaryDir folder;
        QStringList workloads;
        for (const QString& cpu : {u"native"_s, u"x86-64-v4"_s, u"x86-64-v3"_s}) {
            const QString log = folder.filePath(cpu);
            const QString target = u"x86-64 -mcpu=%1 -libs=onednn -threads=1"_s.arg(cpu);
            const FwAnswer answer =
                runFw({u"tune"_s, QStringLiteral(FW_SOURCE_DIR "/samples/mlp"), u"--target"_s,
                       target, u"--log"_s, log, u"--seconds"_s, u"0.01"_s},
                      120);
            if (answer.exitCode == 3)
                QSKIP("this CPU does not play x86-64-v4");
            QFile file(log);
            QVERIFY(file.open(QIODevice::ReadOnly));
            workloads << QJsonDocument::fromJson(file.readLine())[u"workload"].toString();
        }
        QVERIFY(workloads[2].contains(u" onednn=avx2"_s));
        workloads.removeDuplicates();
        QCOMPARE(workloads.size(), 3);
    }
};

FW_TEST(TestWorkers, QCoreApplication)
#include "test_workers.moc"
