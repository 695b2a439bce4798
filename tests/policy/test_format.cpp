// Sources are laid out as .clang-format says, by the release that it is written for: others differ
// in some hundred places.
#include "common/test.h"
#include "source_tree.h"

#include <QProcess>
#include <QStandardPaths>

using namespace fw::policy;
using namespace Qt::StringLiterals;

class TestFormat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everySourceIsLaidOut();
};

void TestFormat::everySourceIsLaidOut() {
    const QString program = QStandardPaths::findExecutable(u"clang-format-14"_s);
    if (program.isEmpty()) {
        QVERIFY2(!qEnvironmentVariableIsSet("FW_ALL_BUILT"), "clang-format-14 is not installed");
        QSKIP("clang-format-14 is not installed (package clang-format-14)");
    }
    QStringList files;
    for (const QString& top : {u"core"_s, u"views"_s, u"app"_s, u"tests"_s})
        files << projectFiles(top, {u".h"_s, u".cpp"_s});
    QVERIFY(files.size() > 1500);
    const auto ran = [&](const QString& command, const QStringList& words) {
        QProcess process;
        process.setWorkingDirectory(QStringLiteral(FW_SOURCE_DIR));
        process.start(command, words);
        process.waitForFinished(240000);
        return QString::fromUtf8(process.readAllStandardOutput() + process.readAllStandardError());
    };
    QStringList wrong;
    for (const QString& line : ran(program, QStringList{u"--dry-run"_s} + files).split(u'\n'))
        if (line.contains(u"warning: code should be clang-formatted"_s))
            wrong << line.section(u':', 0, 0);
    wrong.removeDuplicates();
    QString told;
    for (const QString& file : wrong)
        told += ran(u"sh"_s,
                    {u"-c"_s, u"\"$0\" \"$1\" | diff -u --label \"$1\" --label wanted \"$1\" -"_s,
                     program, file});
    QVERIFY2(wrong.isEmpty(),
             qPrintable(u"clang-format-14 -i %1\n%2"_s.arg(wrong.join(u' '), told)));
}

FW_TEST(TestFormat, QCoreApplication)
#include "test_format.moc"
