// resources/docs/codes.md has a row for every reason and every diagnostic, with the sentence that
// the program says, and an example that gives the code.
#include "common/test.h"
#include "docs/page.h"

#include "base/decision.h"
#include "base/diag.h"
#include "base/system_limit.h"

#include <QFile>
#include <QMap>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>

using namespace fw;
using namespace fw::docs;
using namespace Qt::StringLiterals;

namespace {

struct CodeRow {
    QString sentence; // with its exit code before it, if it is a diagnostic
    QString example;
};

QMap<QString, QString> sentences() {
    QMap<QString, QString> out;
#define FW_X(name, code, exit, meaning) out[code##_L1] = #exit ": "_L1 + meaning##_L1;
    FW_DIAG_CODES(FW_X)
    FW_SYSTEM_CODES(FW_X)
#undef FW_X
#define FW_X(name, code, sentence) out[code##_L1] = QString(sentence##_L1).replace(u"{}"_s, u"…"_s);
    FW_REASON_CODES(FW_X)
#undef FW_X
    return out;
}

QMap<QString, CodeRow> rows(QStringList& twice) {
    static const QRegularExpression row(
        uR"(^\| ([A-Z]{3}\d\d) \|(?: (\d) \|)? ([^|]+) \| ([^|]+) \|$)"_s,
        QRegularExpression::MultilineOption);
    QMap<QString, CodeRow> out;
    auto all = row.globalMatch(textOf(u"resources/docs/codes.md"_s));
    while (all.hasNext()) {
        const auto match = all.next();
        if (out.contains(match.captured(1)))
            twice << match.captured(1);
        const QString exit = match.captured(2);
        out[match.captured(1)] = {(exit.isEmpty() ? exit : exit + u": "_s) + match.captured(3),
                                  match.captured(4)};
    }
    return out;
}

QString sourceText(const QString& path) {
    QFile file(sourceFile(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class TestCodesPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCodeHasItsRow();
    void examplesGiveTheCode();
};

void TestCodesPage::everyCodeHasItsRow() {
    QStringList wrong;
    const QMap<QString, CodeRow> written = rows(wrong);
    const QMap<QString, QString> known = sentences();
    for (auto it = known.cbegin(); it != known.cend(); ++it)
        if (written.value(it.key()).sentence != it.value())
            wrong << u"%1 is \"%2\", not \"%3\""_s.arg(it.key(), it.value(),
                                                       written.value(it.key()).sentence);
    for (const QString& code : written.keys())
        if (!known.contains(code))
            wrong << code + u" is no code"_s;
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

void TestCodesPage::examplesGiveTheCode() {
    static const QRegularExpression command(u"`(fw [^`]+)`"_s);
    static const QRegularExpression test(uR"(`([a-z_]+/test_\w+): (\w+)`)"_s);
    const QString untested = sourceText(u"tests/policy/untested_codes.txt"_s);
    PageFolder folder(textOf(u"resources/docs/codes.md"_s));
    QMap<QString, QString> said; // by command: many codes come from one
    QStringList wrong;
    const QMap<QString, CodeRow> written = rows(wrong);
    for (auto it = written.cbegin(); it != written.cend(); ++it) {
        const QString& example = it->example;
        if (const auto match = command.match(example); match.hasMatch()) {
            const QString words = match.captured(1);
            if (!said.contains(words))
                said[words] = folder.run(QProcess::splitCommand(words) << u"--json"_s).text;
            if (!said[words].contains(QRegularExpression(u"\\b"_s + it.key() + u"\\b"_s)))
                wrong << it.key() + u": "_s + words + u" does not give it"_s;
        } else if (const auto cited = test.match(example); cited.hasMatch()) {
            const QString file = u"tests/"_s + cited.captured(1) + u".cpp"_s;
            if (!sourceText(file).contains(u' ' + cited.captured(2) + u"()"_s) &&
                !sourceText(file).contains(u"::"_s + cited.captured(2) + u"()"_s))
                wrong << it.key() + u": no "_s + cited.captured(2) + u" in "_s + file;
        } else if (!untested.contains(u'\n' + it.key() + u' ')) {
            wrong << it.key() + u" has no example"_s;
        }
    }
    QVERIFY(said.size() > 20);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

FW_TEST(TestCodesPage, QCoreApplication)
#include "test_codes.moc"
