// What the system refuses is told as that, with exit code 3: open files, processes, memory, the
// size of files. Never a crash, a word about a mistake of the program, or no end.
#include "common/test.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <csignal>
#include <unistd.h>

using namespace Qt::StringLiterals;

class TestLimits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void openFiles();
    void processes();
    void memory();
    void sizesOfFiles();
    void filesThatAreCut();
    void namesThatAreNoText();
    void manyMissingBooks();
    void largeModels();
    void laterOperatorsAreReadBack();
    void longLineToTheWorker();

private:
    struct Answer {
        int code = -1;
        QByteArray out, errors;
    };
    // `before`: commands of a shell that set limits.
    Answer fw(const QString& before, const QStringList& words) const {
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        process.start(u"bash"_s, QStringList{u"-c"_s, before + u"; exec \"$@\""_s, u"bash"_s,
                                             qEnvironmentVariable("FW_BIN") + u"/fw"_s} +
                                     words);
        Answer out;
        if (!process.waitForFinished(90000))
            return out;
        if (process.exitStatus() == QProcess::NormalExit)
            out.code = process.exitCode();
        out.out = process.readAllStandardOutput();
        out.errors = process.readAllStandardError();
        return out;
    }
    // Its worker ends by a fault.
    Answer killed(const QString& before) const {
        QProcess process;
        process.start(u"bash"_s, {u"-c"_s, before + u"; exec \"$0\" run \"$1\" --json"_s,
                                  qEnvironmentVariable("FW_BIN") + u"/fw"_s, m_model});
        if (!process.waitForStarted())
            return {};
        QFile children(u"/proc/%1/task/%1/children"_s.arg(process.processId()));
        QElapsedTimer clock;
        pid_t worker = 0;
        for (clock.start(); worker == 0 && clock.elapsed() < 20000; children.close())
            worker = children.open(QIODevice::ReadOnly)
                         ? children.readAll().split(' ').value(0).toInt()
                         : 0;
        if (worker == 0 || ::kill(worker, SIGSEGV) != 0 || !process.waitForFinished(60000))
            return {};
        return {process.exitCode(), process.readAllStandardOutput(),
                process.readAllStandardError()};
    }
    // The program runs, or says what it lacks.
    static bool isTold(const Answer& answer) {
        const QJsonObject document = QJsonDocument::fromJson(answer.out).object();
        const bool isLimit = answer.code == 3 && !document[u"code"_s].toString().isEmpty();
        if ((answer.code == 0 || isLimit) && !answer.errors.contains("please report"))
            return true;
        qWarning("%d %s%s", answer.code, answer.out.left(400).constData(),
                 answer.errors.left(400).constData());
        return false;
    }

    const QString m_model = QStringLiteral(FW_SOURCE_DIR "/samples/mlp");
    QTemporaryDir m_folder;
};

void TestLimits::openFiles() {
    const QStringList run = {u"run"_s, m_model, u"--json"_s};
    for (const char* count : {"5", "6"}) {
        const Answer few = fw(u"ulimit -n %1"_s.arg(QLatin1StringView(count)), run);
        QVERIFY(isTold(few));
        QCOMPARE(few.code, 3);
        QVERIFY2(few.out.contains("SYS01") && few.out.contains("ulimit -n"), few.out.constData());
    }
    for (const char* count : {"7", "8", "12"})
        QVERIFY(isTold(fw(u"ulimit -n %1"_s.arg(QLatin1StringView(count)), run)));
    // What `cc` and the linker met.
    for (const char* count : {"8", "10", "12"}) {
        const Answer few = fw(u"ulimit -n %1"_s.arg(QLatin1StringView(count)),
                              {u"export"_s, m_model, u"-o"_s, u"module"_s, u"--json"_s});
        QVERIFY(isTold(few));
        QCOMPARE(few.code, 3);
        QVERIFY2(few.out.contains("SYS01") && few.out.contains("ulimit -n"), few.out.constData());
        QVERIFY(!QFile::exists(m_folder.filePath(u"module/manifest.json"_s)));
    }
}

void TestLimits::processes() {
    if (::geteuid() != 0)
        QSKIP("another user's processes are not counted with these");
    const QTemporaryDir cache;
    QFile::setPermissions(cache.path(), QFile::Permissions(0x7777));
    const auto ofNobody = [&](int count, const QString& words) {
        QProcess process;
        process.start(
            u"setpriv"_s,
            {u"--reuid=65534"_s, u"--regid=65534"_s, u"--clear-groups"_s, u"bash"_s, u"-c"_s,
             u"ulimit -u %1; XDG_CACHE_HOME=%2 exec \"$0\" %3 --json"_s.arg(count).arg(cache.path(),
                                                                                       words),
             qEnvironmentVariable("FW_BIN") + u"/fw"_s, m_model});
        if (!process.waitForFinished(90000))
            return Answer();
        return Answer{process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
                      process.readAllStandardOutput(), process.readAllStandardError()};
    };
    for (int count = 1; count <= 6; ++count)
        for (const QString& words : {u"run \"$1\""_s, u"export \"$1\" -o %1/m"_s.arg(cache.path()),
                                     u"bench \"$1\" --beside 4"_s}) {
            const Answer answer = ofNobody(count, words);
            if (answer.code == 126 || answer.code == 127)
                QSKIP("the program is not readable for others");
            QVERIFY(isTold(answer));
            QVERIFY2(answer.code == 0 || answer.out.contains("SYS01"), answer.out.constData());
            QVERIFY(count > 1 || answer.code != 0);
        }
}

void TestLimits::memory() {
    for (const char* limit : {"-v 400000", "-v 600000", "-d 100000"})
        QVERIFY(isTold(
            fw(u"ulimit %1"_s.arg(QLatin1StringView(limit)), {u"run"_s, m_model, u"--json"_s})));
    // A thread whose stack finds no room.
    const Answer few = fw(u"ulimit -d 10000"_s, {u"run"_s, m_model, u"--json"_s});
    QVERIFY(isTold(few));
    QVERIFY2(few.code == 0 || few.errors.contains("ulimit -v"), few.errors.constData());
    const Answer doctor = fw(u"ulimit -v 400000"_s, {u"doctor"_s});
    for (const QByteArray& line : (doctor.out + doctor.errors).split('\n'))
        QVERIFY2(!line.contains("memory") || !line.contains("apt-get"), line.constData());
    // A worker that ends as under a library that does not look whether it got what it asked for.
    const Answer dead = killed(u"ulimit -v 700000"_s), other = killed(u"ulimit -v 64000000"_s);
    QCOMPARE(dead.code, 3);
    QVERIFY2(dead.out.contains("SYS01") && dead.out.contains("limited to 683 MB") &&
                 dead.out.contains("ulimit -v"),
             dead.out.constData());
    QCOMPARE(other.code, 4);
}

void TestLimits::sizesOfFiles() {
    const Answer large =
        fw(u"ulimit -f 0"_s, {u"rewrite"_s, m_model, u"-o"_s, u"out.onnx"_s, u"--json"_s});
    QCOMPARE(large.code, 3);
    QVERIFY(!QFile::exists(m_folder.filePath(u"out.onnx"_s)));
    QVERIFY(QDir(m_folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
}

// A worker that ends as one does under which a mapped file became shorter.
void TestLimits::filesThatAreCut() {
    const QString worker = m_folder.filePath(u"worker"_s);
    QFile file(worker);
    QVERIFY(file.open(QFile::WriteOnly));
    file.write("#!/bin/sh\nkill -BUS $$\n");
    file.close();
    QVERIFY(file.setPermissions(QFile::Permissions(0x7700)));
    const Answer cut = fw(u"true"_s, {u"info"_s, m_model, u"--worker"_s, worker, u"--json"_s});
    QVERIFY(file.remove());
    QCOMPARE(cut.code, 4);
    QVERIFY2(cut.out.contains("INT02") && cut.out.contains("was cut while it was read"),
             cut.out.constData());
}

// In `fw`, and no other file is written in their place.
void TestLimits::namesThatAreNoText() {
    for (const char* words :
         {"info $'n\\xff.onnx'", "run \"$M\" --output $'o\\xff'", "rewrite \"$M\" -o $'o\\xff.fw'",
          "check $'b\\xff.fw'", "run \"$M\" --input $'x=i\\xff.npy'", "$'\\xff'"}) {
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        process.start(u"bash"_s,
                      {u"-c"_s, u"M=$1; exec \"$0\" %1 --json"_s.arg(QLatin1StringView(words)),
                       qEnvironmentVariable("FW_BIN") + u"/fw"_s, m_model});
        QVERIFY(process.waitForFinished(60000));
        const QByteArray out = process.readAllStandardOutput();
        QCOMPARE(process.exitCode(), 2);
        QVERIFY2(out.contains("USE01") && out.contains("\\\\xff"), out.constData());
    }
    QVERIFY(QDir(m_folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot));
}

// Ten times as many take about ten times as long.
void TestLimits::manyMissingBooks() {
    const auto milliseconds = [this](int books) {
        QStringList words = {u"check"_s};
        for (int i = 0; i < books; ++i)
            words += u"x%1.fw"_s.arg(i);
        QElapsedTimer clock;
        clock.start();
        const Answer answer = fw(u"true"_s, words);
        return answer.code == 2 && answer.errors.count("FIL01") == books ? clock.elapsed() : -1;
    };
    const qint64 few = milliseconds(1000), many = milliseconds(10000);
    QVERIFY(few > 0 && many > 0);
    QVERIFY2(many < 40 * few, qPrintable(u"%1 ms, then %2 ms"_s.arg(few).arg(many)));
}

// Files of a few bytes that ask for more than is made up are refused before memory is taken.
void TestLimits::largeModels() {
    const char* graphs[] = {"graph g(x: f32[1, 2147483647]) -> y { y = relu(x) }",
                            "graph g(x: f64[1024, 1048576]) -> y { y = relu(x) }",
                            "graph g(x: i8[4294967297]) -> y { y = neg(x) }",
                            "graph g(a: f32[400, 1000000], b: f32[400, 1000000]) -> c, d, e { c = "
                            "add(a, b)  d = sub(a, b) "
                            " e = mul(a, b) }",
                            "graph g(x: f32[N]) -> y { y = relu(x) }"};
    for (const char* text : graphs) {
        QFile file(m_folder.filePath(u"large.fw"_s));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) > 0);
        file.close();
        for (const char* command : {"run", "bench", "profile"}) {
            QStringList words = {QString::fromLatin1(command), file.fileName(), u"--json"_s};
            if (QByteArray(text).contains("[N]"))
                words += {u"--dim"_s, u"N=3000000000"_s};
            const Answer answer = fw(u"ulimit -v 6000000"_s, words);
            QCOMPARE(answer.code, 2);
            QVERIFY2(answer.out.contains("LIM01") && answer.out.contains("4294967296"),
                     answer.out.constData());
        }
    }
    QVERIFY(QFile::remove(m_folder.filePath(u"large.fw"_s)));
}

// An operator that came with a later opset than the model's stays one that is not known.
void TestLimits::laterOperatorsAreReadBack() {
    const QString written = m_folder.filePath(u"written.onnx"_s);
    QCOMPARE(fw(u"true"_s, {u"rewrite"_s,
                            QStringLiteral(FW_SOURCE_DIR "/tests/golden/cli/later_operator.onnx"),
                            u"-o"_s, written})
                 .code,
             0);
    const Answer read = fw(u"true"_s, {u"info"_s, written, u"--json"_s});
    QCOMPARE(read.code, 0);
    QVERIFY2(read.out.contains("\"CastLike\":2"), read.out.constData());
    QVERIFY(QFile::remove(written));
}

// It is answered, and what comes behind it, too.
void TestLimits::longLineToTheWorker() {
    QProcess worker;
    worker.start(qEnvironmentVariable("FW_BIN") + u"/fw"_s, {u"--worker"_s});
    QVERIFY(worker.waitForStarted());
    const QByteArray piece(1 << 20, 'x');
    for (int i = 0; i < 66; ++i)
        worker.write(piece);
    worker.write("\n{\"id\":7,\"command\":\"book\",\"arguments\":{}}\n");
    QByteArray out;
    QElapsedTimer clock;
    clock.start();
    while (!out.contains("\"id\":7") && clock.elapsed() < 60000) {
        worker.waitForReadyRead(100);
        out += worker.readAllStandardOutput();
    }
    QVERIFY2(out.contains("LIM01"), out.left(500).constData());
    QVERIFY2(out.contains("{\"id\":7,\"result\":"), out.left(500).constData());
    worker.closeWriteChannel();
    QVERIFY(worker.waitForFinished(60000));
    QCOMPARE(worker.exitCode(), 0);
}

FW_TEST(TestLimits, QCoreApplication)
#include "test_limits.moc"
