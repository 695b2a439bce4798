// `fw verify` finds a library that computes one element wrong, or dies, and writes what shows it.
#include "common/test.h"
#include "conformance/fw_process.h"
#include "snapshot/documents.h"

#include <QFile>
#include <QTemporaryDir>

#include <algorithm>

using namespace fw;
using namespace fw::conformance;

namespace {

const char* const verifiedModel = R"(graph m(x: f32[40, 16]) -> y {
  w = const random(3) : f32[24, 16]
  b = const random(4) : f32[24]
  d = dense(x, w)
  e = bias(d, b) {axis = 1}
  f = relu(e)
  y = tanh(f)
}
)";

const snapshot::VerifyRow* rowOf(const snapshot::VerifyDocument& document,
                                 const std::string& implementation) {
    for (const snapshot::VerifyModel& one : document.models)
        for (const snapshot::VerifyRow& row : one.rows)
            if (row.implementation == implementation)
                return &row;
    return nullptr;
}

} // namespace

class TestVerifyLibraries : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (!QFile::exists(programPath()))
            QSKIP("fw is not built");
        QFile file(m_folder.filePath(QStringLiteral("m.fw")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(verifiedModel);
    }
    void cleanup() { qunsetenv("FUSEWRIGHT_OPENBLAS"); }

    void oneElementWrong() {
        qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_wrong.so");
        const FwAnswer answer = verify(m_folder.filePath(QStringLiteral("m.fw")), {});
        QVERIFY2(answer.exitCode == 1, answer.error.constData());
        QVERIFY2(answer.out.contains("openblas.sgemm     differs") &&
                     answer.out.contains("generated.tiled    exact"),
                 answer.out.constData());
        QVERIFY2(answer.out.contains("d[39, 23]"), answer.out.constData());
    }

    // Also where it would be chosen, so that all others differ from it.
    void aWrongLibraryIsNotMeasured() {
        qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_wrong.so");
        const QString log = m_folder.filePath(QStringLiteral("m.jsonl"));
        const FwAnswer answer =
            runFw({QStringLiteral("tune"), m_folder.filePath(QStringLiteral("m.fw")),
                   QStringLiteral("-libs=openblas"), QStringLiteral("--log"), log,
                   QStringLiteral("--seconds"), QStringLiteral("0.01")},
                  60);
        QVERIFY2(answer.exitCode == 0, answer.error.constData());
        QVERIFY2(answer.out.contains("by openblas.sgemm computes d[39, 23]: ") &&
                     answer.out.contains(": it is not measured"),
                 answer.out.constData());
        QFile file(log);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray records = file.readAll();
        QVERIFY2(!records.contains("openblas.sgemm") && records.contains("generated.tiled") &&
                     records.contains("generated.plain"),
                 records.constData());
    }

    void theFileShowsIt() {
        qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_wrong.so");
        const FwAnswer answer =
            verify(m_folder.filePath(QStringLiteral("m.fw")), {QStringLiteral("--json")});
        QCOMPARE(answer.exitCode, 1);
        const auto document =
            snapshot::fromJson<snapshot::VerifyDocument>(answer.out.toStdString()).value();
        const snapshot::VerifyRow* wrong = rowOf(document, "openblas.sgemm");
        QVERIFY(wrong != nullptr && wrong->differs && !wrong->file.empty());
        QCOMPARE(document.models[0].differing, std::int64_t(1));
        const QString path = QString::fromStdString(wrong->file);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        // The product alone, of four columns and the 17 rows that the library asks for at least.
        QVERIFY2(text.contains("dense(") && !text.contains("relu(") && !text.contains("bias("),
                 text.constData());
        QVERIFY2(text.contains(" : f32[4, 1]"), text.constData());
        const FwAnswer again = verify(path, {});
        QVERIFY2(again.exitCode == 1 && again.out.contains("openblas.sgemm     differs"),
                 (again.out + again.error).constData());
        qputenv("FUSEWRIGHT_OPENBLAS", "");
        const FwAnswer without =
            runFw({QStringLiteral("verify"), path, QStringLiteral("-libs=")}, 60);
        QVERIFY2(without.exitCode == 0, (without.out + without.error).constData());
    }

    // Told as a candidate that did not run, and not as agreement.
    void dying() {
        qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_dying.so");
        const FwAnswer answer = verify(m_folder.filePath(QStringLiteral("m.fw")), {});
        QVERIFY2(answer.exitCode == 1, answer.error.constData());
        QVERIFY2(answer.error.contains("warning INT02"), answer.error.constData());
        QVERIFY2(answer.out.contains("openblas.sgemm     not run") &&
                     answer.out.contains("it ended the worker process"),
                 answer.out.constData());
    }

    // A model that cannot be opened does not keep the others from being judged.
    void oneOfTwoIsMissing() {
        const FwAnswer answer =
            runFw({QStringLiteral("verify"), m_folder.filePath(QStringLiteral("missing.fw")),
                   m_folder.filePath(QStringLiteral("m.fw")), QStringLiteral("-libs=")},
                  60);
        QVERIFY2(answer.exitCode == 2, answer.out.constData());
        QVERIFY2(answer.error.contains("FIL01"), answer.error.constData());
        QVERIFY2(answer.out.contains("generated.tiled    within"), answer.out.constData());
    }

private:
    FwAnswer verify(const QString& path, const QStringList& more) {
        return runFw(QStringList{QStringLiteral("verify"), path, QStringLiteral("-libs=openblas"),
                                 QStringLiteral("-o"), m_folder.filePath(QStringLiteral("out"))} +
                         more,
                     120);
    }

    QTemporaryDir m_folder;
};

FW_TEST(TestVerifyLibraries, QCoreApplication)
#include "test_verify_libraries.moc"
