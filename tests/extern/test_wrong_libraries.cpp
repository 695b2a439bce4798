// Libraries that are missing, of the wrong kind, or that die: told with the package, never a crash
// of the command.
#include "common/test.h"
#include "conformance/fw_process.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

using namespace fw::conformance;

namespace {

// One product and a relu.
const char* const denseModel = R"(graph m(x: f32[32, 8]) -> y {
  w = const random(3) : f32[6, 8]
  d = dense(x, w)
  y = relu(d)
}
)";

} // namespace

class TestWrongLibraries : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        if (!QFile::exists(programPath()))
            QSKIP("fw is not built");
        QFile file(m_folder.filePath(QStringLiteral("m.fw")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(denseModel);
    }
    void cleanup() {
        qunsetenv("FUSEWRIGHT_OPENBLAS");
        qunsetenv("FUSEWRIGHT_ONEDNN");
    }

    void missingAndNamed() {
        qputenv("FUSEWRIGHT_OPENBLAS", "");
        const FwAnswer answer = fw({QStringLiteral("-libs=openblas")});
        QCOMPARE(answer.exitCode, 3);
        QVERIFY2(answer.error.contains("libopenblas0-openmp") && answer.error.contains("LIB03"),
                 answer.error.constData());
    }

    void missingAndNotNamed() {
        qputenv("FUSEWRIGHT_OPENBLAS", "");
        qputenv("FUSEWRIGHT_ONEDNN", "/nowhere/libdnnl.so.2");
        const FwAnswer answer = fw({});
        QCOMPARE(answer.exitCode, 0);
        // ReasonCode::LibraryAbsent, as a notice of the plan.
        const FwAnswer plan =
            runFw({QStringLiteral("fuse"), m_folder.filePath(QStringLiteral("m.fw"))}, 60);
        QVERIFY2(plan.exitCode == 0 && plan.out.contains("apt-get install libdnnl2"),
                 plan.out.constData());
        const FwAnswer doctor = runFw({QStringLiteral("doctor")}, 60);
        QVERIFY2(doctor.out.contains("libdnnl2") && doctor.out.contains("libopenblas0-openmp"),
                 doctor.out.constData());
    }

    void builtForThreadsOfItsOwn() {
        qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_pthread.so");
        const FwAnswer answer = fw({QStringLiteral("-libs=openblas")});
        QCOMPARE(answer.exitCode, 3);
        QVERIFY2(answer.error.contains("not built for OpenMP"), answer.error.constData());
    }

    void anotherLibraryAltogether() {
        qputenv("FUSEWRIGHT_ONEDNN", FW_BINARY_DIR "/tests/libfake_dying.so");
        const FwAnswer answer = fw({QStringLiteral("-libs=onednn")});
        QCOMPARE(answer.exitCode, 3);
        QVERIFY2(answer.error.contains("dnnl_version"), answer.error.constData());
    }

    void dyingInAGroup() {
        qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_dying.so");
        const FwAnswer answer = fw({QStringLiteral("-libs=openblas")});
        QVERIFY2(answer.exitCode == 0, answer.error.constData());
        QVERIFY2(answer.error.contains("warning INT02") && answer.error.contains("dense_") &&
                     answer.error.contains("calling openblas") &&
                     answer.error.contains("openblas is not used for d"),
                 answer.error.constData());
        QVERIFY2(answer.out.contains("f32[32, 6]"), answer.out.constData());
    }

    // The third death is one too many only if the library cannot be avoided.
    void dyingInEveryGroup() {
        qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_dying.so");
        QFile file(m_folder.filePath(QStringLiteral("three.fw")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("graph m(x: f32[32, 8]) -> c {\n"
                   "  w = const random(3) : f32[8, 8]\n"
                   "  a = dense(x, w)\n  b = dense(a, w)\n  c = dense(b, w)\n}\n");
        file.close();
        const QString openblas = QStringLiteral("-libs=openblas");
        const FwAnswer profile = runFw({QStringLiteral("profile"), file.fileName(), openblas,
                                        QStringLiteral("--seconds"), QStringLiteral("0.05")},
                                       60);
        QVERIFY2(profile.exitCode == 0, profile.error.constData());
        QCOMPARE(profile.error.count("warning INT02"), qsizetype(2));
        QVERIFY2(profile.error.contains("openblas is not used any more"),
                 profile.error.constData());
    }

    void dyingWhenOpened() {
        qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_opening.so");
        const FwAnswer found = fw({});
        QVERIFY2(found.exitCode == 0, found.error.constData());
        QVERIFY2(found.error.contains("opening openblas") &&
                     found.error.contains("FUSEWRIGHT_OPENBLAS= leaves it out"),
                 found.error.constData());
        const FwAnswer named = fw({QStringLiteral("-libs=openblas")});
        QCOMPARE(named.exitCode, 3);
        QVERIFY2(named.error.contains("LIB03"), named.error.constData());
    }

    // It is tried in a process of its own, so nothing dies here; one that does not come up there
    // ends with its time.
    void dyingWhereMemoryIsLimited() {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
        QSKIP("the shadow memory of a sanitizer is larger than any limit");
#endif
        qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_opening.so");
        const auto limited = [&](const char* limit, const char* target) {
            return runProgram(QStringLiteral("bash"),
                              {QStringLiteral("-c"),
                               QStringLiteral("ulimit %1; exec \"$0\" fuse \"$1\" %2")
                                   .arg(QLatin1StringView(limit), QLatin1StringView(target)),
                               programPath(), m_folder.filePath(QStringLiteral("m.fw"))},
                              60);
        };
        for (const char* limit : {"-v 16000000", "-d 16000000"}) {
            const FwAnswer found = limited(limit, "");
            QVERIFY2(found.exitCode == 0 && !found.error.contains("INT02"),
                     found.error.constData());
            QVERIFY2(found.out.contains("it ends the process where memory is limited"),
                     found.out.constData());
            const FwAnswer named = limited(limit, "-libs=openblas");
            QVERIFY2(named.exitCode == 3 && named.error.contains("where memory is limited"),
                     named.error.constData());
        }
        qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_waiting.so");
        QElapsedTimer clock;
        clock.start();
        const FwAnswer waiting = limited("-v 16000000", "-libs=openblas");
        QVERIFY2(waiting.exitCode == 3 && waiting.error.contains("does not come up within 5 s"),
                 waiting.error.constData());
        QVERIFY(clock.elapsed() >= 5000);
    }

    // ReasonCode::PinAvoids, told for the group and by the candidate.
    void avoidedByAPin() {
        QFile book(m_folder.filePath(QStringLiteral("avoid.fw")));
        QVERIFY(book.open(QIODevice::WriteOnly));
        book.write("pin { avoid openblas for d because \"it was slow here\" }\n");
        book.close();
        qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_dying.so");
        const QString graph = m_folder.filePath(QStringLiteral("m.fw"));
        const FwAnswer plan =
            runFw({QStringLiteral("fuse"), graph, QStringLiteral("-libs=openblas"),
                   QStringLiteral("--rules"), book.fileName()},
                  60);
        QVERIFY2(plan.exitCode == 0 && plan.out.contains("PIN04") &&
                     plan.out.contains("it was slow here"),
                 plan.out.constData());
        QVERIFY2(!plan.out.contains("openblas.sgemm "), plan.out.constData());
    }

    // A module carries the code for libraries only if a group is computed by one.
    void exportsCarryWhatTheyCall() {
        for (const bool calls : {false, true}) {
            const QString folder = m_folder.filePath(QStringLiteral("module"));
            const QString target =
                calls ? QStringLiteral("-libs=openblas") : QStringLiteral("-libs=");
            qputenv("FUSEWRIGHT_OPENBLAS", FW_BINARY_DIR "/tests/libfake_dying.so");
            const FwAnswer answer =
                runFw({QStringLiteral("export"), m_folder.filePath(QStringLiteral("m.fw")),
                       QStringLiteral("-o"), folder, QStringLiteral("--target"), target},
                      120);
            QVERIFY2(answer.exitCode == 0, answer.error.constData());
            QFile library(folder + QStringLiteral("/libmodel_m.so")); // libm.so is the C library's
            QVERIFY(library.open(QIODevice::ReadOnly));
            QCOMPARE(library.readAll().contains("openblas_get_corename"), calls);
            const FwAnswer linked = runProgram(QStringLiteral("readelf"),
                                               {QStringLiteral("-d"), library.fileName()}, 60);
            for (const QByteArray& line : linked.out.split('\n'))
                QVERIFY2(!line.contains("NEEDED") || !line.contains("blas"), line.constData());
        }
    }

private:
    FwAnswer fw(const QStringList& target) {
        QStringList arguments = {QStringLiteral("run"), m_folder.filePath(QStringLiteral("m.fw"))};
        if (!target.isEmpty())
            arguments << QStringLiteral("--target") << target.join(u' ');
        return runFw(arguments, 60);
    }

    QTemporaryDir m_folder;
};

FW_TEST(TestWrongLibraries, QCoreApplication)
#include "test_wrong_libraries.moc"
