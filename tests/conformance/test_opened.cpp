// Files around what is not computed: each is shown, planned, drawn, written and opened again, and
// what opened/expected.txt says of it holds, before it was written and after.
#include "common/test.h"
#include "fw_process.h"

#include <QJsonArray>
#include <QTemporaryDir>

using namespace fw::conformance;
using namespace Qt::StringLiterals;

namespace {

const QString openedRoot = QStringLiteral(FW_SOURCE_DIR "/tests/conformance/opened/");

// CASE VERDICT GROUPS, a line each.
QList<QStringList> expectedLines() {
    QList<QStringList> out;
    QFile file(openedRoot + u"expected.txt"_s);
    if (file.open(QIODevice::ReadOnly))
        for (const QString& line : QString::fromUtf8(file.readAll()).split(u'\n'))
            if (!line.isEmpty() && !line.startsWith(u'#'))
                out << line.split(u' ');
    return out;
}

// "no plan" where the command failed, so that it is not taken for a plan without them.
QStringList opaqueGroups(const QString& model) {
    const QJsonArray groups = askFw({u"fuse"_s, model})[u"groups"_s].toArray();
    if (groups.isEmpty())
        return {u"no plan"_s};
    QStringList out;
    for (const QJsonValue group : groups)
        if (group[u"implementation"_s].toString() == u"opaque"_s)
            out << group[u"name"_s].toString();
    return out;
}

} // namespace

class TestOpened : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCaseIsListed();
    void cases_data();
    void cases();
    void dataDecide();
    void narrowResultsAreWritten();
};

void TestOpened::everyCaseIsListed() {
    QStringList listed;
    for (const QStringList& words : expectedLines())
        listed << words[0];
    QCOMPARE(listed, QDir(openedRoot).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name));
}

void TestOpened::cases_data() {
    QTest::addColumn<QString>("verdict");
    QTest::addColumn<QStringList>("opaque");
    for (const QStringList& words : expectedLines())
        QTest::newRow(qPrintable(words[0])) << words[1] << words.mid(2);
}

void TestOpened::cases() {
    QFETCH(QString, verdict);
    QFETCH(QStringList, opaque);
    const QString folder = openedRoot + QLatin1String(QTest::currentDataTag());
    QTemporaryDir made;
    const QString written = made.filePath(u"written.onnx"_s);
    for (const QStringList& arguments :
         {QStringList{u"info"_s, folder},
          {u"draw"_s, folder, u"--output"_s, made.filePath(u"drawn.svg"_s)},
          {u"rewrite"_s, folder, u"--output"_s, written},
          {u"info"_s, written}}) {
        const FwAnswer answer = runFw(arguments, 20);
        QVERIFY2(answer.exitCode == 0, qPrintable(arguments.join(u' ') + answer.error));
    }
    QCOMPARE(opaqueGroups(folder), opaque);
    QCOMPARE(opaqueGroups(written), opaque);
    if (verdict == u'-')
        return;
    const FwAnswer tested = runFw({u"test"_s, u"--json"_s, folder}, 60);
    QCOMPARE(tested.exitCode, verdict == u"passed" ? 0 : 1);
    const QJsonObject document = QJsonDocument::fromJson(tested.out).object();
    QCOMPARE(document[u"cases"_s].toArray().at(0)[u"verdict"_s].toString(), verdict);
}

// What sizes decide is read with those of the data: a condition, a shape that is not declared, an
// axis that must be 1, matrices that must be square, groups and indices that must fit.
void TestOpened::dataDecide() {
    const QString decided = QStringLiteral(FW_SOURCE_DIR "/tests/conformance/decided/");
    QStringList arguments{u"test"_s, u"--json"_s};
    for (const QString& name : QDir(decided).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
        arguments << decided + name;
    const FwAnswer answer = runFw(arguments, 60);
    const QJsonArray cases = QJsonDocument::fromJson(answer.out).object()[u"cases"_s].toArray();
    QVERIFY(cases.size() >= 6);
    for (const QJsonValue& one : cases)
        QVERIFY2(one[u"verdict"_s] == u"passed"_s,
                 qPrintable(QString::fromUtf8(QJsonDocument(one.toObject()).toJson())));
    QCOMPARE(answer.exitCode, 0);
}

// NumPy has no element type for them.
void TestOpened::narrowResultsAreWritten() {
    QTemporaryDir made;
    const FwAnswer answer =
        runFw({u"run"_s, openedRoot + u"bf16_output"_s, u"--output"_s, made.path()}, 60);
    QVERIFY2(answer.exitCode == 0, answer.error.constData());
    QCOMPARE(QDir(made.path()).entryList(QDir::Files), QStringList{u"y.pb"_s});
    QVERIFY(QFileInfo(made.filePath(u"y.pb"_s)).size() > 8);
}

FW_TEST(TestOpened, QCoreApplication)
#include "test_opened.moc"
