// The walk of samples/own-target, step by step as its page says, through `fw`: a target of a book
// that wants one sequence of operators.
#include "common/test.h"
#include "fw_process.h"

#include <QJsonArray>

using namespace Qt::StringLiterals;
using fw::conformance::askFw;
using fw::conformance::FwAnswer;
using fw::conformance::runFw;

class TestOwnTarget : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void step1OneTile();
    void step2LoneConvolution_data();
    void step2LoneConvolution();
    void step3NumbersAreRight();

private:
    static QStringList words(const QString& command, const QString& model,
                             const QStringList& more = {}, const QString& target = u"vta"_s) {
        const QString folder = QStringLiteral(FW_SOURCE_DIR "/samples/own-target/");
        return QStringList{command,       folder + model, u"--rules"_s, folder + u"vta.fw"_s,
                           u"--target"_s, target} +
               more;
    }
    static FwAnswer ask(const QString& command, const QString& model, const QStringList& more = {},
                        const QString& target = u"vta"_s) {
        return runFw(words(command, model, more, target), 60);
    }
};

void TestOwnTarget::step1OneTile() {
    const QJsonObject plan = askFw(words(u"fuse"_s, u"sequence.fw"_s));
    const QJsonArray groups = plan[u"groups"].toArray();
    QCOMPARE(groups.size(), 1);
    QCOMPARE(groups[0][u"implementation"].toString(), u"vta.tile"_s);
    QCOMPARE(groups[0][u"nodes"].toArray().size(), 3);
    const QString loops =
        QString::fromUtf8(ask(u"stages"_s, u"sequence.fw"_s, {u"--stage"_s, u"loops"_s}).out);
    QCOMPARE(loops.count(u"parallel "_s), 1); // one nest
    static const QRegularExpression tile(
        u"= fma\\(in0\\[.*\\bout0\\[[^\\n]*\\] = cast\\(select\\("_s,
        QRegularExpression::DotMatchesEverythingOption);
    QVERIFY2(loops.contains(tile), qPrintable(loops));
}

void TestOwnTarget::step2LoneConvolution_data() {
    QTest::addColumn<QStringList>("command");
    QTest::newRow("fuse") << QStringList{u"fuse"_s};
    QTest::newRow("explain") << QStringList{u"explain"_s, u"alone"_s};
    QTest::newRow("stages") << QStringList{u"stages"_s, u"--stage"_s, u"loops"_s};
    QTest::newRow("run") << QStringList{u"run"_s};
}

void TestOwnTarget::step2LoneConvolution() {
    QFETCH(QStringList, command);
    const FwAnswer refused = ask(command[0], u"lone.fw"_s, command.mid(1));
    QCOMPARE(refused.exitCode, 2);
    const QString error = QString::fromUtf8(refused.error);
    QVERIFY2(error.contains(u"RUN02"_s) && error.contains(u"; alone: "_s) &&
                 error.contains(u"; broken: "_s) && !error.contains(u"whole: "_s),
             qPrintable(error));
    QCOMPARE(ask(command[0], u"lone.fw"_s, command.mid(1), u"x86-64"_s).exitCode, 0);
}

void TestOwnTarget::step3NumbersAreRight() {
    const FwAnswer verified = ask(u"verify"_s, u"sequence.fw"_s);
    QVERIFY2(verified.exitCode == 0, verified.out + verified.error);
    QVERIFY(verified.out.contains("vta.tile"));
}

FW_TEST(TestOwnTarget, QCoreApplication)
#include "test_own_target.moc"
