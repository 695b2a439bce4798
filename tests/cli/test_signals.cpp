// Ctrl-C and the signals that end a program, at many moments of the commands that write: nothing is
// left beside what is whole, and no process goes on.
#include "common/test.h"

#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>

#include <cerrno>
#include <csignal>
#include <unistd.h>

using namespace Qt::StringLiterals;

class TestSignals : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void nothingStays_data();
    void nothingStays();
    void aWorkerThatDiesIsACrash();

private:
    QStringList allIn(const QString& folder) const {
        QStringList out;
        QDirIterator files(folder,
                           QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot,
                           QDirIterator::Subdirectories);
        while (files.hasNext())
            out += QDir(folder).relativeFilePath(files.next());
        out.sort();
        return out;
    }
    // Waits for the whole of it where `signal` is 0. The exit code, or minus the signal.
    int run(const QStringList& words, const QString& folder, int signal, bool isGroup, int afterMs);

    QTemporaryDir m_cache;
};

int TestSignals::run(const QStringList& words, const QString& folder, int signal, bool isGroup,
                     int afterMs) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"TMPDIR"_s, folder);
    environment.insert(u"XDG_CACHE_HOME"_s, m_cache.path());
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(folder);
    process.setChildProcessModifier([] { ::setpgid(0, 0); });
    process.start(qEnvironmentVariable("FW_BIN") + u"/fw"_s, words);
    if (!process.waitForStarted())
        return -1000;
    const pid_t pid = pid_t(process.processId());
    if (signal != 0) {
        QTest::qSleep(afterMs);
        ::kill(isGroup ? -pid : pid, signal);
    }
    if (!process.waitForFinished(60000))
        return -1001;
    // The worker ends before its parent.
    if (::kill(-pid, 0) == 0 || errno != ESRCH)
        return -1002;
    return process.exitStatus() == QProcess::CrashExit ? -process.exitCode() : process.exitCode();
}

void TestSignals::initTestCase() {
    QVERIFY(m_cache.isValid());
}

void TestSignals::nothingStays_data() {
    QTest::addColumn<QString>("words");
    const QString model = QStringLiteral(FW_SOURCE_DIR "/samples/lenet");
    for (const char* words :
         {"export %1 -o made/here", "rewrite %1 -o out.onnx --trace trace",
          "draw %1 -o picture.svg", "run %1 --output tensors",
          "profile %1 --seconds 0.01 --trace trace.json", "tune %1 --seconds 0.001 --log log"})
        QTest::newRow(words) << QString::fromLatin1(words).arg(model);
}

void TestSignals::nothingStays() {
    QFETCH(QString, words);
    const QStringList command = words.split(u' ');
    const QTemporaryDir whole;
    QElapsedTimer clock;
    QCOMPARE(run(command, whole.path(), 0, false, 0), 0); // what is kept makes the rest quick
    clock.start();
    QCOMPARE(run(command, whole.path(), 0, false, 0), 0);
    const int longest = int(clock.elapsed());
    const QStringList finished = allIn(whole.path());
    constexpr int moments = 12;
    int ended = 0;
    for (int i = 0; i < moments; ++i) {
        const QTemporaryDir folder;
        const int signal = i % 3 == 0 ? SIGTERM : i % 3 == 1 ? SIGINT : SIGHUP;
        const bool isGroup = i % 2 == 0;
        const int code = run(command, folder.path(), signal, isGroup, longest * (i + 1) / moments);
        QVERIFY2(code == -signal || code == 0, qPrintable(u"ended with %1"_s.arg(code)));
        ended += code == -signal;
        for (const QString& name : allIn(folder.path()))
            QVERIFY2(finished.contains(name), qPrintable(u"%1 is left after %2 ms"_s.arg(name).arg(
                                                  longest * (i + 1) / moments)));
        if (words.startsWith(u"export"))
            QVERIFY2(allIn(folder.path()).isEmpty() || allIn(folder.path()) == finished,
                     "a part of the module is left");
    }
    QVERIFY(ended > 0);
}

// Of a folder that is tested; those behind it are tested all the same.
void TestSignals::aWorkerThatDiesIsACrash() {
    const QString folder = QStringLiteral(FW_SOURCE_DIR "/samples/mlp");
    QProcess process;
    process.start(qEnvironmentVariable("FW_BIN") + u"/fw"_s, {u"test"_s, folder, folder});
    QVERIFY(process.waitForStarted());
    const QString own = QString::number(process.processId());
    QFile children(u"/proc/%1/task/%1/children"_s.arg(own));
    pid_t worker = 0;
    QElapsedTimer clock;
    for (clock.start(); worker == 0 && clock.elapsed() < 20000;) {
        QVERIFY(children.open(QIODevice::ReadOnly));
        worker = children.readAll().split(' ').value(0).toInt();
        children.close();
    }
    QVERIFY(worker > 0);
    QCOMPARE(::kill(worker, SIGKILL), 0);
    QVERIFY(process.waitForFinished(60000));
    const QByteArray out = process.readAllStandardOutput();
    QVERIFY2(out.contains("2 folders: 1 passed, 0 failed, 0 unsupported, 1 crashed"),
             out.constData());
    QVERIFY2(process.readAllStandardError().startsWith("crashed  "), out.constData());
    QCOMPARE(process.exitCode(), 4);
}

FW_TEST(TestSignals, QCoreApplication)
#include "test_signals.moc"
