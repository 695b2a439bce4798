// A worker that is reached by a command: the same answers, files sent once, logs kept, and a
// message for what may happen on the way.
#include "common/test.h"
#include "session/connection.h"
#include "session/tuning_log.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <algorithm>
#include <thread>

using namespace fw;
using namespace Qt::StringLiterals;

namespace {

QString program() {
    return qEnvironmentVariable("FW_BIN") + u"/fw"_s;
}

struct Said {
    int code = -1;
    QByteArray out, error;
};

} // namespace

class TestRemote : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        qputenv("XDG_CACHE_HOME", m_cache.path().toLocal8Bit());
        qunsetenv("FUSEWRIGHT_WORKER");
    }
    void cleanup() {
        // No folder of a worker stays.
        const QDir cache(m_cache.filePath(u"fusewright"_s));
        QTRY_VERIFY(cache.entryList({u"worker-*"_s}, QDir::Dirs).isEmpty());
    }
    void words();
    void wordsThatAreNone();
    void answersAreThoseOfHere_data();
    void answersAreThoseOfHere();
    void filesAreSentOnce();
    void whatIsWrittenComesBack();
    void onlyWhatWasAskedForIsTaken_data();
    void onlyWhatWasAskedForIsTaken();
    void weightsAndBooksGoAlong();
    void largeFilesAreReadWithProgress();
    void librariesOfBooksAreMissingThere();
    void logsAreWrittenHere();
    void verifyRunsThere();
    void lostInTheMiddle_data();
    void lostInTheMiddle();
    void recordsSurviveACut();
    void anotherVersion();
    void slowIsNotLost();
    void silenceIsTold();
    void cancelled();
    void aSideThatTakesNothing();
    void piecesThatAreNone_data();
    void piecesThatAreNone();

private:
    Said fw(QStringList arguments, const QString& worker = {}) const {
        QProcess process;
        process.setWorkingDirectory(QStringLiteral(FW_SOURCE_DIR));
        if (!worker.isEmpty())
            arguments << u"--worker"_s << worker;
        process.start(program(), arguments);
        Said out;
        if (process.waitForStarted() && process.waitForFinished(120000))
            out.code = process.exitCode();
        out.out = process.readAllStandardOutput();
        out.error = process.readAllStandardError();
        return out;
    }
    // A worker here that is one in front of `worker`, as the window starts it.
    void start(QProcess& process, const QString& worker, const QString& cache = {}) const {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"FUSEWRIGHT_WORKER"_s, worker);
        if (!cache.isEmpty())
            environment.insert(u"XDG_CACHE_HOME"_s, cache);
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(QStringLiteral(FW_SOURCE_DIR));
        process.start(program(), {u"--worker"_s});
    }
    // What it says until one of these was said. The end of its input would end it.
    static QByteArray until(QProcess& process, const QByteArrayList& said) {
        QByteArray all;
        const auto isSaid = [&](const QByteArray& one) { return all.contains(one); };
        while (std::none_of(said.begin(), said.end(), isSaid) && process.waitForReadyRead(60000))
            all += process.readAllStandardOutput();
        return all;
    }
    static void end(QProcess& process) {
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished(60000));
    }
    static QString there() { return program() + u" --worker"_s; }
    static QString shell(const QString& script) {
        return u"sh -c '"_s + QString(script).replace(u"FW"_s, program()) + u"'"_s;
    }

    QTemporaryDir m_cache, m_folder;
};

void TestRemote::words() {
    using Words = std::vector<std::string>;
    QCOMPARE(wordsOf("ssh  host fw\t--worker ").value(), (Words{"ssh", "host", "fw", "--worker"}));
    QCOMPARE(wordsOf("sh -c 'a b | \\c \"d\"' ''").value(),
             (Words{"sh", "-c", "a b | \\c \"d\"", ""}));
    QCOMPARE(wordsOf("a\"b c\"d \"\\\"\\\\\" \\ e").value(), (Words{"ab cd", "\"\\", " e"}));
    QCOMPARE(wordsOf("echo $HOME *;").value(), (Words{"echo", "$HOME", "*;"}));
}

void TestRemote::wordsThatAreNone() {
    for (const char* text : {"", "  ", "a 'b", "a \"b", "a\\"}) {
        const auto words = wordsOf(text);
        QVERIFY(!words.ok());
        QCOMPARE(words.diag().code, DiagCode::Usage);
    }
    const Said none = fw({u"info"_s, u"samples/mlp"_s}, u"no-such-program-at-all x"_s);
    QCOMPARE(none.code, 2);
    QVERIFY2(none.error.contains("no-such-program-at-all cannot be started"),
             none.error.constData());
}

void TestRemote::answersAreThoseOfHere_data() {
    QTest::addColumn<QStringList>("arguments");
    const auto row = [](const char* words) {
        QTest::newRow(words) << QString::fromLatin1(words).split(u' ');
    };
    row("info samples/mlp --json");
    row("info ./samples/lenet/model.onnx");
    row("fuse samples/mlp --target -libs=");
    row("info samples/nothing");
    row("check samples/toylib/toylib.fw");
    row("explain samples/mlp Relu_relu0 --target -libs=");
    row("stages samples/mlp --stage loops --target -libs=");
    row("match samples/own-operator --json");
}

void TestRemote::answersAreThoseOfHere() {
    QFETCH(const QStringList, arguments);
    const Said here = fw(arguments), remote = fw(arguments, there());
    QCOMPARE(remote.out, here.out);
    QCOMPARE(remote.code, here.code);
    QVERIFY2(!remote.error.contains("worker-"), remote.error.constData());
}

void TestRemote::filesAreSentOnce() {
    QTemporaryDir cache;
    QProcess process;
    const auto answered = [&] {
        start(process, there(), cache.path());
        process.write(
            "{\"id\":1,\"command\":\"info\",\"arguments\":{\"model\":\"samples/mlp\"}}\n");
        const QByteArray all = until(process, {"\"result\"", "\"error\""});
        end(process);
        return all;
    };
    const QByteArray first = answered(), second = answered();
    QVERIFY2(first.contains("\"stage\":\"send\"") && first.contains("model.onnx"),
             first.constData());
    QVERIFY2(second.contains("\"result\"") && !second.contains("\"stage\":\"send\""),
             second.constData());
    const QDir store(cache.filePath(u"fusewright/sent"_s));
    QVERIFY(!store.entryList(QDir::Files).isEmpty());
}

void TestRemote::whatIsWrittenComesBack() {
    const QString folder = m_folder.filePath(u"outputs"_s);
    const Said ran = fw({u"run"_s, u"samples/mlp"_s, u"--output"_s, folder}, there());
    QVERIFY2(ran.code == 0, ran.error.constData());
    QVERIFY(!QDir(folder).entryList({u"*.npy"_s}).isEmpty());
    const QString trace = m_folder.filePath(u"trace.json"_s);
    const Said profiled = fw(
        {u"profile"_s, u"samples/mlp"_s, u"--seconds"_s, u"0.05"_s, u"--trace"_s, trace}, there());
    QVERIFY2(profiled.code == 0, profiled.error.constData());
    QVERIFY2(profiled.out.contains("dense"), profiled.out.constData());
    QFile file(trace);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(!QJsonDocument::fromJson(file.readAll()).isNull());
}

// A worker that offers files for other places than the request has something written.
void TestRemote::onlyWhatWasAskedForIsTaken_data() {
    QTest::addColumn<QString>("offered");
    QTest::newRow("beside it") << u"elsewhere"_s;
    QTest::newRow("a longer name") << u"asked-more"_s;
    QTest::newRow("out of it") << u"asked/../elsewhere"_s;
}

void TestRemote::onlyWhatWasAskedForIsTaken() {
    QFETCH(const QString, offered);
    const QString folder = m_folder.filePath(u"asked"_s);
    const Said ran = fw({u"run"_s, u"samples/mlp"_s, u"--output"_s, folder},
                        shell(u"FW --worker | sed -u \"s#/asked/#/%1/#g\""_s.arg(offered)));
    QCOMPARE(ran.code, 4);
    QVERIFY2(ran.error.contains("wants to write ") && ran.error.contains(offered.toUtf8()),
             ran.error.constData());
    for (const char* name : {"asked", "elsewhere", "asked-more"})
        QVERIFY(!QFile::exists(m_folder.filePath(QString::fromLatin1(name))));
}

void TestRemote::weightsAndBooksGoAlong() {
    // A book that includes another one, and a graph whose constants lie beside it.
    QDir folder(m_folder.path());
    QVERIFY(folder.mkdir(u"books"_s));
    const auto write = [&](const char* name, const QByteArray& text) {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    };
    QVERIFY(write("books/inner.fw", "op twice(x: T[S...]) -> y: T[S...] { y[i...] = x[i...] + "
                                    "x[i...] }\n"));
    QVERIFY(write("outer.fw", "include \"books/inner.fw\"\n"));
    QVERIFY(write("m.fw", "graph m(x: f32[4]) -> y { a = twice(x)  y = relu(a) }\n"));
    const QStringList arguments = {u"info"_s, folder.filePath(u"m.fw"_s), u"--rules"_s,
                                   folder.filePath(u"outer.fw"_s)};
    const Said here = fw(arguments), remote = fw(arguments, there());
    QVERIFY2(here.code == 0, here.error.constData());
    QCOMPARE(remote.out, here.out);
    QCOMPARE(remote.code, 0);
}

// Their content is read before anything is sent, which takes a while.
void TestRemote::largeFilesAreReadWithProgress() {
    QVERIFY(QDir(m_folder.path()).mkdir(u"large"_s));
    QFile weights(m_folder.filePath(u"large/weights"_s));
    QVERIFY(weights.open(QIODevice::WriteOnly) && weights.resize(qint64(1) << 30));
    QProcess process;
    start(process, there());
    process.write("{\"id\":1,\"command\":\"info\",\"arguments\":{\"model\":\"" +
                  m_folder.filePath(u"large"_s).toUtf8() + "\"}}\n");
    const QByteArray told = until(process, {"\"stage\":\"hash\"", "\"error\"", "\"result\""});
    QVERIFY2(told.contains("\"stage\":\"hash\""), told.constData());
    process.write("{\"cancel\":1}\n");
    const QByteArray all = until(process, {"\"error\"", "\"result\""});
    end(process);
    QVERIFY2(all.contains("{\"id\":1,\"error\":") && all.contains("CAN01"), all.constData());
    QVERIFY(!all.contains("\"stage\":\"connect\""));
    QVERIFY(weights.remove());
}

void TestRemote::librariesOfBooksAreMissingThere() {
    const QString book = m_folder.filePath(u"own.fw"_s);
    QFile file(book);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("library own \"libown.so\"\n"
               "composite own.product for own.dense { match dense(x, w: const) }\n");
    file.close();
    QFile library(m_folder.filePath(u"libown.so"_s)); // here it is
    QVERIFY(library.open(QIODevice::WriteOnly));
    const Said said =
        fw({u"fuse"_s, u"samples/mlp"_s, u"--rules"_s, book, u"--target"_s, u"x86-64 -libs=own"_s},
           there());
    QCOMPARE(said.code, 3);
    QVERIFY2(said.error.contains("LIB03") && said.error.contains(book.toUtf8()) &&
                 said.error.contains("libraries of books are not sent"),
             said.error.constData());
}

void TestRemote::logsAreWrittenHere() {
    const QString log = m_folder.filePath(u"mlp.jsonl"_s);
    const QStringList arguments = {u"tune"_s, u"samples/mlp"_s, u"--log"_s,
                                   log,       u"--seconds"_s,   u"0.01"_s};
    const Said tuned = fw(arguments, there());
    QVERIFY2(tuned.code == 0, tuned.error.constData());
    QVERIFY2(tuned.out.contains("in " + log.toUtf8()), tuned.out.constData());
    const auto once = readTuningLog(log.toStdString()).value().records.size();
    QVERIFY(once > 4);
    QVERIFY(fw(arguments, there()).code == 0);
    const TuningLog twice = readTuningLog(log.toStdString()).value();
    QVERIFY(twice.diagnostics.empty());
    // As many again, or fewer: what the log put together is measured as one.
    QVERIFY(twice.records.size() > once && twice.records.size() <= 2 * once);
}

void TestRemote::verifyRunsThere() {
    const Said verified =
        fw({u"verify"_s, u"samples/mlp"_s, u"-libs="_s, u"-o"_s, m_folder.filePath(u"out"_s)},
           there());
    QVERIFY2(verified.code == 0, (verified.out + verified.error).constData());
    QVERIFY(verified.out.contains("generated.tiled"));
}

void TestRemote::lostInTheMiddle_data() {
    QTest::addColumn<QString>("worker");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const QString& worker, const char* says) {
        QTest::newRow(name) << worker << QByteArray(says);
    };
    row("before the greeting", u"sh -c 'exit 7'"_s, "was lost: exit code 7");
    row("behind the greeting", shell(u"FW --worker | { head -n 1; kill -9 $$; }"_s),
        "was lost: signal 9");
    row("in the answer", shell(u"FW --worker | { dd bs=1 count=700 2>/dev/null; kill -9 $$; }"_s),
        "was lost in the middle of a line: signal 9");
    row("no worker", u"echo {}"_s, "does not greet as a worker does");
    row("much else", u"yes"_s, "prints lines that are no greeting of a worker");
    row("nonsense behind the greeting",
        shell(u"FW --worker | { head -n 1; echo nonsense; sleep 1; }"_s), "answers something else");
}

void TestRemote::lostInTheMiddle() {
    QFETCH(const QString, worker);
    QFETCH(const QByteArray, says);
    const Said lost = fw({u"info"_s, u"samples/mlp"_s}, worker);
    QCOMPARE(lost.code, 4);
    QVERIFY2(lost.error.contains(says), lost.error.constData());
}

// What had been measured stays.
void TestRemote::recordsSurviveACut() {
    const QString log = m_folder.filePath(u"cut.jsonl"_s);
    const Said cut =
        fw({u"tune"_s, u"samples/mlp"_s, u"--log"_s, log, u"--seconds"_s, u"0.01"_s},
           shell(u"FW --worker | { sed -u \"/\\\"stage\\\":\\\"records\\\"/q\"; kill -9 $$; }"_s));
    QCOMPARE(cut.code, 4);
    QVERIFY2(cut.error.contains("was lost"), cut.error.constData());
    const TuningLog read = readTuningLog(log.toStdString()).value();
    QVERIFY(read.diagnostics.empty());
    QVERIFY(!read.records.empty());
}

void TestRemote::anotherVersion() {
    const Said other = fw(
        {u"info"_s, u"samples/mlp"_s},
        u"sh -c 'echo \"{\\\"hello\\\":{\\\"version\\\":\\\"9.9.9\\\",\\\"pid\\\":1}}\"; cat'"_s);
    QCOMPARE(other.code, 4);
    QVERIFY2(other.error.contains("is fusewright 9.9.9, this is 0.1.0"), other.error.constData());
}

void TestRemote::slowIsNotLost() {
    const Said slow = fw({u"info"_s, u"samples/mlp"_s},
                         shell(u"echo a login; sleep 1; FW --worker | while read -r line; do sleep "
                               "0.1; printf \"%s\\n\" \"$line\"; done"_s));
    QVERIFY2(slow.code == 0, slow.error.constData());
    QCOMPARE(slow.out, fw({u"info"_s, u"samples/mlp"_s}).out);
}

void TestRemote::silenceIsTold() {
    QProcess process;
    start(process, shell(u"sleep 12; exec FW --worker"_s));
    process.write("{\"id\":1,\"command\":\"ops\",\"arguments\":{\"name\":\"relu\"}}\n");
    const QByteArray all = until(process, {"\"result\"", "\"error\""});
    end(process);
    QVERIFY2(all.contains("\"stage\":\"wait\",\"text\":\"nothing from "), all.constData());
    QVERIFY2(all.contains("{\"id\":1,\"result\":"), all.constData());
}

void TestRemote::cancelled() {
    QProcess process;
    start(process, there());
    const QByteArray log = m_folder.filePath(u"cancelled.jsonl"_s).toUtf8();
    process.write("{\"id\":1,\"command\":\"tune\",\"arguments\":{\"model\":\"samples/mobilenet\","
                  "\"seconds\":5,\"log\":\"" +
                  log + "\"}}\n");
    (void)until(process, {"\"stage\":\"tune\""});
    process.write("{\"cancel\":1}\n");
    const QByteArray told = until(process, {"\"error\"", "\"result\""});
    QVERIFY2(told.contains("{\"id\":1,\"error\":") && told.contains("CAN01"), told.constData());
    // The worker there goes on.
    process.write("{\"id\":2,\"command\":\"ops\",\"arguments\":{\"name\":\"relu\"}}\n");
    const QByteArray next = until(process, {"{\"id\":2,\"result\""});
    end(process);
    QVERIFY2(next.contains("{\"id\":2,\"result\""), next.constData());
}

// More than its pipe holds.
void TestRemote::aSideThatTakesNothing() {
    const auto connection = Connection::open({"sleep", "60"});
    QVERIFY(connection.ok());
    CancelToken cancel;
    std::thread later([&] {
        QTest::qSleep(200);
        cancel.cancel();
    });
    const bool sent = (*connection)->send(std::string(std::size_t{8} << 20, 'x'), cancel);
    later.join();
    QVERIFY(!sent);
}

// Requests that a worker must refuse, whoever asks.
void TestRemote::piecesThatAreNone_data() {
    QTest::addColumn<QByteArray>("arguments");
    const QByteArray sha(64, 'a');
    const auto row = [&](const char* name, const QByteArray& rest) {
        QTest::newRow(name) << "{\"name\":\"" + sha + "\"," + rest + "}";
    };
    const QByteArray text = ",\"texts\":[{\"file\":\"\",\"text\":\"eHh4\"}]"; // xxx
    row("longer than the file", "\"limit\":2,\"application\":0" + text);
    row("behind its end", "\"limit\":9,\"application\":9223372036854775807" + text);
    row("of a negative size", "\"limit\":-1,\"application\":0" + text);
    row("before its beginning", "\"limit\":9,\"application\":-4" + text);
    row("of no size", "\"application\":0" + text);
    row("of another content", "\"limit\":3,\"application\":0" + text);
    QTest::newRow("of no name") << "{\"name\":\"../x\",\"limit\":3,\"application\":0" + text + "}";
}

void TestRemote::piecesThatAreNone() {
    QFETCH(const QByteArray, arguments);
    QProcess process;
    process.start(program(), {u"--worker"_s});
    process.write("{\"id\":1,\"command\":\"put\",\"arguments\":" + arguments + "}\n");
    const QByteArray all = until(process, {"\"result\"", "\"error\""});
    end(process);
    QVERIFY2(all.contains("{\"id\":1,\"error\":") && all.contains("USE01"), all.constData());
}

FW_TEST(TestRemote, QCoreApplication)
#include "test_remote.moc"
