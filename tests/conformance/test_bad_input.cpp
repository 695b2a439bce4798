// What is wrong around a model, as the command line tells it: books with errors, pins that cannot
// be followed, documents from the future, a disk that is full. Broken models are in test_broken.
#include "common/test.h"
#include "fw_process.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <sys/resource.h>

using namespace Qt::StringLiterals;
using fw::conformance::FwAnswer;
using fw::conformance::programPath;
using fw::conformance::runFw;

namespace {

const char* const model = R"(graph m(x: f32[64, 96]) -> r {
  w = const random(1) : f32[128, 96]    v = const random(2) : f32[128]
  d = dense(x, w)    b = bias(d, v)    r = relu(b)
}
)";

// One valid declaration among three that are not.
const char* const brokenBook = R"(rule torn { match y = relu(x }
rule unknown { match y = rellu(x) emit y = x }
implementations dense(...) on x86-64 { generated.* absorbs none }
grow nonsense -> elementwise forward
)";

} // namespace

class TestBadInput : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void booksWithErrors();
    void booksAreToldByEveryCommand_data();
    void booksAreToldByEveryCommand();
    void impossiblePins();
    void aPinToNothingLeavesTheChoice();
    void documentOfANewerVersion_data();
    void documentOfANewerVersion();
    void fullDisk_data();
    void fullDisk();
    void fullDiskAtStandardOutput();

private:
    QString write(const char* name, const QByteArray& text) {
        QFile file(m_folder->filePath(QLatin1StringView(name)));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write");
        file.write(text);
        return file.fileName();
    }
    QStringList files() const {
        return QDir(m_folder->path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_model;
};

void TestBadInput::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_model = write("m.fw", model);
}

void TestBadInput::booksWithErrors() {
    const QString book = write("broken.fw", brokenBook);
    const FwAnswer answer = runFw({u"fuse"_s, m_model, u"-libs="_s, u"--rules"_s, book}, 60);
    QCOMPARE(answer.exitCode, 2);
    for (const char* place : {":1:", ":2:", ":4:"}) {
        const QByteArray error = book.toUtf8() + place;
        QVERIFY2(answer.out.count(error) == 1, (error + "\n" + answer.out).constData());
    }
    // The rest is used.
    QVERIFY2(answer.out.contains("generated.tiled absorbs none") &&
                 answer.out.contains("bias_relu_1"),
             answer.out.constData());
}

void TestBadInput::booksAreToldByEveryCommand_data() {
    QTest::addColumn<QStringList>("command");
    QTest::newRow("run") << QStringList{u"run"_s};
    QTest::newRow("stages") << QStringList{u"stages"_s, u"--json"_s};
    QTest::newRow("explain") << QStringList{u"explain"_s, u"dense"_s};
    QTest::newRow("info") << QStringList{u"info"_s};
    QTest::newRow("rewrite") << QStringList{u"rewrite"_s};
    QTest::newRow("verify") << QStringList{u"verify"_s};
    QTest::newRow("schedule") << QStringList{u"schedule"_s, u"--group"_s, u"0"_s};
    QTest::newRow("bench") << QStringList{u"bench"_s, u"--seconds"_s, u"0.001"_s};
    QTest::newRow("profile") << QStringList{u"profile"_s, u"--seconds"_s, u"0.001"_s};
    // Their answers tell it.
    for (const char* command : {"fuse", "match", "rules"})
        QTest::newRow(command) << QStringList{QString::fromLatin1(command)};
}

void TestBadInput::booksAreToldByEveryCommand() {
    QFETCH(QStringList, command);
    const QString book = write("broken.fw", brokenBook);
    command.insert(1, m_model);
    const FwAnswer answer = runFw(command + QStringList{u"-libs="_s, u"--rules"_s, book}, 60);
    QCOMPARE(answer.exitCode, 2);
    for (const char* place : {":1:", ":2:", ":4:"}) {
        const QByteArray error = book.toUtf8() + place;
        QVERIFY2((answer.error + answer.out).count(error) == 1,
                 (error + "\n" + answer.error + answer.out).constData());
    }
}

void TestBadInput::impossiblePins() {
    const QString book = write("pins.fw", "pin { together d, r }\n"
                                          "pin { apart d, b  together d, b }\n"
                                          "pin { together d, nobody }\n"
                                          "pin { together b, r with nobody.sgemm }\n");
    const FwAnswer answer = runFw({u"fuse"_s, m_model, u"-libs="_s, u"--rules"_s, book}, 60);
    QCOMPARE(answer.exitCode, 0);
    const QByteArray place = book.toUtf8();
    for (const QByteArray& notice :
         {"CVX01 pin at " + place + ":1", "PIN03 pin at " + place + ":2",
          "PIN03 pin at " + place + ":3", "PIN03 pin at " + place + ":4"})
        QVERIFY2(answer.out.contains(notice), (notice + "\n" + answer.out).constData());
    QVERIFY(answer.out.contains("dense_0") && answer.out.contains("bias_relu_1"));
}

void TestBadInput::aPinToNothingLeavesTheChoice() {
    const QString book = write("pins.fw", "pin { use generated.nonsense for d }\n");
    const FwAnswer answer =
        runFw({u"fuse"_s, m_model, u"-libs="_s, u"--json"_s, u"--rules"_s, book}, 60);
    QCOMPARE(answer.exitCode, 0);
    QVERIFY(answer.out.contains("PIN03"));
    QVERIFY(answer.out.contains("CHO02") && !answer.out.contains("CHO05"));
}

void TestBadInput::documentOfANewerVersion_data() {
    QTest::addColumn<QString>("command");
    for (const char* command : {"info", "fuse", "run", "profile"})
        QTest::newRow(command) << QString::fromLatin1(command);
}

void TestBadInput::documentOfANewerVersion() {
    QFETCH(QString, command);
    const QString document = write("new.fwdoc", R"({"fusewright_document": 99, "model": "m.fw"})");
    const FwAnswer answer = runFw({command, document}, 60);
    QCOMPARE(answer.exitCode, 2);
    QVERIFY2(answer.error.contains("version 99") && answer.error.contains("newer Fusewright"),
             answer.error.constData());
    QVERIFY(answer.out.isEmpty());
}

void TestBadInput::fullDisk_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("export") << QStringList{u"export"_s, u"-o"_s, u"out"_s};
    QTest::newRow("run") << QStringList{u"run"_s, u"--output"_s, u"out"_s};
    QTest::newRow("rewrite onnx") << QStringList{u"rewrite"_s, u"-o"_s, u"out.onnx"_s};
    QTest::newRow("draw") << QStringList{u"draw"_s, u"-o"_s, u"out.svg"_s};
    QTest::newRow("trace") << QStringList{u"profile"_s, u"--seconds"_s, u"0.01"_s, u"--trace"_s,
                                          u"out.json"_s};
}

// A limit on the size of files stands for the disk: a write fails in the middle of a file.
void TestBadInput::fullDisk() {
#if defined(__SANITIZE_THREAD__)
    QSKIP("the thread sanitizer starts with a file of its own, larger than the limit");
#endif
    QFETCH(QStringList, arguments);
    const QStringList before = files();
    arguments.insert(1, m_model);
    arguments.append(u"-libs="_s);
    QProcess process;
    process.setWorkingDirectory(m_folder->path());
    process.setChildProcessModifier([] {
        const rlimit limit{64, 64};
        setrlimit(RLIMIT_FSIZE, &limit);
    });
    process.start(programPath(), arguments);
    QVERIFY(process.waitForStarted() && process.waitForFinished(60000));
    const QByteArray error = process.readAllStandardError();
    QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 3,
             QByteArray::number(process.exitCode()) + ": " + error);
    QVERIFY2(error.contains("FIL02") && error.contains("File too large"), error.constData());
    // Nothing half written: an empty folder that was asked for may be left.
    for (const QString& name : files())
        QVERIFY2(before.contains(name) ||
                     (name == u"out"_s &&
                      QDir(m_folder->filePath(name))
                          .isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot)),
                 qPrintable(name));
}

void TestBadInput::fullDiskAtStandardOutput() {
    if (!QFile::exists(u"/dev/full"_s))
        QSKIP("there is no /dev/full");
    QProcess process;
    process.setStandardOutputFile(u"/dev/full"_s);
    process.start(programPath(), {u"info"_s, m_model});
    QVERIFY(process.waitForStarted() && process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 3);
    QVERIFY(process.readAllStandardError().contains("standard output cannot be written"));
}

FW_TEST(TestBadInput, QCoreApplication)
#include "test_bad_input.moc"
