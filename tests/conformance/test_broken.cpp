// samples/broken: every file is refused with exit code 2 and a message that names it, in text and
// in JSON, whatever is asked of it. The model with an unknown operator opens and is drawn, but
// cannot run.
#include "fw_process.h"

#include "common/test.h"
#include "snapshot/documents.h"

#include <QDir>
#include <QTemporaryDir>

using namespace fw::conformance;
using namespace Qt::StringLiterals;

namespace {

const QString folder = QStringLiteral(FW_SOURCE_DIR) + u"/samples/broken/"_s;
constexpr int brokenLimit = 60;

} // namespace

class TestBroken : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void isRefused_data();
    void isRefused();
    void unknownOperatorOpens();
    void missingFile();

private:
    QTemporaryDir m_out;
};

void TestBroken::initTestCase() {
    QVERIFY2(QFileInfo(programPath()).isExecutable(), qPrintable(programPath()));
}

void TestBroken::isRefused_data() {
    QTest::addColumn<QString>("file");
    for (const QString& name : QDir(folder).entryList({u"*.onnx"_s}, QDir::Files, QDir::Name))
        if (name != u"unknown_op.onnx"_s)
            QTest::addRow("%s", qPrintable(name)) << name;
}

void TestBroken::isRefused() {
    QFETCH(QString, file);
    const QList<QStringList> questions{
        {u"info"_s, folder + file},
        {u"run"_s, folder + file},
        {u"export"_s, folder + file, u"-o"_s, m_out.filePath(u"module"_s)},
        {u"draw"_s, folder + file, u"-o"_s, m_out.filePath(u"graph.svg"_s)},
    };
    for (const QStringList& question : questions) {
        const FwAnswer answer = runFw(question, brokenLimit);
        QVERIFY2(answer.exitCode == 2, qPrintable(u"%1: exit code %2: %3"_s.arg(question[0])
                                                      .arg(answer.exitCode)
                                                      .arg(QString::fromUtf8(answer.error))));
        QVERIFY2(answer.error.contains(file.toUtf8()), answer.error.constData());
    }
    const FwAnswer json = runFw({u"info"_s, u"--json"_s, folder + file}, brokenLimit);
    QCOMPARE(json.exitCode, 2);
    QVERIFY2(json.out.contains("\"code\"") && json.out.contains("\"message\""),
             json.out.constData());
}

void TestBroken::unknownOperatorOpens() {
    const QString file = folder + u"unknown_op.onnx"_s;
    const QString picture = m_out.filePath(u"unknown.svg"_s);
    const FwAnswer info = runFw({u"info"_s, u"--json"_s, file}, brokenLimit);
    QCOMPARE(info.exitCode, 0);
    QVERIFY2(info.out.contains("Frobnicate"), info.out.constData());
    QCOMPARE(runFw({u"draw"_s, file, u"-o"_s, picture}, brokenLimit).exitCode, 0);
    QVERIFY(QFileInfo(picture).size() > 0);
    for (const QString& command : {u"run"_s, u"export"_s}) {
        QStringList question{command, file};
        if (command == u"export"_s)
            question << u"-o"_s << m_out.filePath(u"module"_s);
        const FwAnswer answer = runFw(question, brokenLimit);
        QCOMPARE(answer.exitCode, 2);
        QVERIFY2(answer.error.contains("Frobnicate"), answer.error.constData());
    }
}

void TestBroken::missingFile() {
    const FwAnswer answer = runFw({u"info"_s, m_out.filePath(u"nowhere.onnx"_s)}, brokenLimit);
    QCOMPARE(answer.exitCode, 2);
    QVERIFY2(answer.error.contains("nowhere.onnx"), answer.error.constData());
}

FW_TEST(TestBroken, QCoreApplication)
#include "test_broken.moc"
