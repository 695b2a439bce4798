// What is given by name on the command line: values of inputs, sizes, types; and what is told where
// it is none.
#include "common/test.h"
#include "onnx/model_builder.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;

class TestGiven : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void wrong_data();
    void longOnesAreToldShort();
    void wrong();
    void attributesAreGivenOnce();
    void filesMayBeCalledLikeValues();
    void graphsInTextTakeFiles();
    void nothingIsMadeUpWhereAllIsGiven();

private:
    struct Answer {
        int exitCode = -1;
        QString out, error;
    };
    Answer fw(const QStringList& arguments) const;

    QTemporaryDir m_folder;
};

void TestGiven::initTestCase() {
    fw::test::ModelBuilder m;
    m.input("x", {"2", "N"}).input("s", {"N"}).output("y", {"2", "N"});
    m.node("Add", "x s", "y");
    QFile model(m_folder.filePath(u"sum.onnx"_s));
    QVERIFY(model.open(QIODevice::WriteOnly));
    QVERIFY(model.write(QByteArray::fromStdString(m.bytes())) > 0);
}

TestGiven::Answer TestGiven::fw(const QStringList& arguments) const {
    QProcess process;
    process.setWorkingDirectory(m_folder.path());
    process.start(qEnvironmentVariable("FW_BIN") + u"/fw"_s, arguments);
    if (!process.waitForStarted() || !process.waitForFinished(60000))
        return {};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

void TestGiven::wrong_data() {
    QTest::addColumn<QStringList>("given");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* words, const char* says) {
        QTest::newRow(words) << QString::fromLatin1(words).split(u'|') << QString::fromLatin1(says);
    };
    row("--input|x=[[1,2],[3]]",
        "[[1,2],[3]] is no value for input x: lists of 2 and of 1 elements stand side by side");
    row("--input|x=[1,[2]]",
        "[1,[2]] is no value for input x: numbers and lists stand side by side");
    row("--input|x=[[1],2]",
        "[[1],2] is no value for input x: numbers and lists stand side by side");
    row("--input|x=[[1,2],[3,4]", "[[1,2],[3,4] is no value for input x: a bracket is not closed");
    row("--input|x=[1,2]]", "[1,2]] is no value for input x: ] stands behind the value");
    row("--input|x=[1 2]", "[1 2] is no value for input x: a comma is missing before 2]");
    row("--input|x=[\"a\"]", "[\"a\"] is no value for input x: \"a\" is no number");
    row("--input|x=1,2", "1,2 is no value for input x: ,2 stands behind the value");
    row("--input|x=1e", "1e is no value for input x: 1e is no number");
    row("--input|x=tru", "tru is no value for input x: tru is no number");
    row("--input|x=", "--input x= names no value (--input x=16000, --input 'x=[1, 2]' or --input "
                      "x=FILE)");
    row("--input|x=nowhere.npy", "nowhere.npy: error FIL01");
    row("--input|x=./1", "./1: error FIL01");
    row("--input|x=1|--input|x=2", "x is given twice: --input x=1 and --input x=2");
    row("--input|x=1|--input|x=a.npy", "x is given twice: --input x=1 and --input x=a.npy");
    row("--input|x=1|--type|x=f32[2, 3]", "x is given twice: --input x=1 and --type x=f32[2, 3]");
    row("--type|x=f32[2, 3]|--type|x=f32[2, 4]",
        "x is given twice: --type x=f32[2, 3] and --type x=f32[2, 4]");
    row("--dim|N=3|--dim|N=4", "N is given twice: --dim N=3 and --dim N=4");
    row("--dim|N=3|--dim|N=1..4", "N is given twice: --dim N=3 and --dim N=1..4");
}

// What was written is told by its beginning.
void TestGiven::longOnesAreToldShort() {
    const QString text = QString(5000, u'[');
    for (const QString& given : {u"x="_s + text, u"x=1"_s + text, text}) {
        const Answer answer = fw({u"run"_s, u"sum.onnx"_s, u"-libs="_s, u"--input"_s, given});
        QCOMPARE(answer.exitCode, 2);
        QVERIFY2(answer.error.contains(u"[[[[..."_s) && answer.error.size() < 600,
                 qPrintable(answer.error));
    }
}

void TestGiven::wrong() {
    QFETCH(QStringList, given);
    QFETCH(QString, says);
    for (const QString& command : {u"run"_s, u"bench"_s}) {
        const Answer answer = fw(QStringList{command, u"sum.onnx"_s, u"-libs="_s} + given);
        QVERIFY2(answer.exitCode == 2 && answer.error.contains(says), qPrintable(answer.error));
    }
}

void TestGiven::attributesAreGivenOnce() {
    const Answer answer = fw({u"sketch"_s, u"sum.onnx"_s, u"y"_s, u"--edit"_s, u"attribute"_s,
                              u"--attr"_s, u"axis=0"_s, u"--attr"_s, u"axis=1"_s});
    QVERIFY2(answer.exitCode == 2 &&
                 answer.error.contains(u"axis is given twice: --attr axis=0 and --attr axis=1"_s),
             qPrintable(answer.error));
}

void TestGiven::filesMayBeCalledLikeValues() {
    QFile file(m_folder.filePath(u"[1"_s));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("no tensor") > 0);
    file.close();
    const Answer answer = fw({u"run"_s, u"sum.onnx"_s, u"-libs="_s, u"--input"_s, u"x=[1"_s});
    QVERIFY2(answer.exitCode == 2 && answer.error.contains(u"[1: error ONX02"_s),
             qPrintable(answer.error));
}

void TestGiven::graphsInTextTakeFiles() {
    QFile text(m_folder.filePath(u"text.fw"_s));
    QVERIFY(text.open(QIODevice::WriteOnly));
    QVERIFY(text.write("graph g(x: f32[2]) -> y { y = relu(x) }\n") > 0);
    text.close();
    for (const QString& value : {u"x=1"_s, u"x=[1, 2]"_s}) {
        const Answer refused = fw({u"run"_s, u"text.fw"_s, u"-libs="_s, u"--input"_s, value});
        QVERIFY2(refused.exitCode == 2 &&
                     refused.error.contains(u"a text takes no value for its input x"_s),
                 qPrintable(refused.error));
    }
    const Answer made =
        fw({u"run"_s, u"text.fw"_s, u"-libs="_s, u"--output"_s, m_folder.filePath(u"made"_s)});
    QVERIFY2(made.exitCode == 0, qPrintable(made.error));
    const Answer given = fw({u"run"_s, u"text.fw"_s, u"-libs="_s, u"--input"_s, u"x=made/y.npy"_s});
    QVERIFY2(given.exitCode == 0 && !given.out.contains(u"random values"_s),
             qPrintable(given.error));
}

void TestGiven::nothingIsMadeUpWhereAllIsGiven() {
    const QStringList run{u"run"_s, u"sum.onnx"_s, u"-libs="_s,         u"--dim"_s,
                          u"N=2"_s, u"--input"_s,  u"x=[[1,2],[3,4]]"_s};
    const Answer some = fw(run);
    QVERIFY2(some.exitCode == 0 && some.out.contains(u"random values"_s), qPrintable(some.error));
    const Answer all = fw(run + QStringList{u"--input"_s, u"s=[1, 0]"_s});
    QVERIFY2(all.exitCode == 0 && all.out.contains(u"2, 2, 4, 4"_s), qPrintable(all.out));
    QVERIFY2(!all.out.contains(u"random values"_s), qPrintable(all.out));
}

FW_TEST(TestGiven, QCoreApplication)
#include "test_given.moc"
