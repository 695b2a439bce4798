// Every diagnostic and reason code is provoked by some test. Those that are not yet are listed with
// the reason in untested_codes.txt; the list is there to be emptied.
#include "source_tree.h"

#include "base/decision.h"
#include "base/diag.h"
#include "base/system_limit.h"
#include "common/test.h"

#include <QRegularExpression>

using namespace fw::policy;
using namespace Qt::StringLiterals;

namespace {

struct Code {
    QString enumerator; // "DiagCode::NotOnnx"
    QString text;       // "ONX01"
};

QList<Code> allCodes() {
    QList<Code> codes;
#define FW_X(name, text, exit, meaning)                                                            \
    codes << Code{QStringLiteral("DiagCode::" #name), text##_L1};
    FW_DIAG_CODES(FW_X)
    FW_SYSTEM_CODES(FW_X)
#undef FW_X
#define FW_X(name, text, sentence) codes << Code{QStringLiteral("ReasonCode::" #name), text##_L1};
    FW_REASON_CODES(FW_X)
#undef FW_X
    return codes;
}

QMap<QString, QString> untestedCodes() {
    QMap<QString, QString> reasons;
    for (const QString& line : readText(u"tests/policy/untested_codes.txt"_s).split(u'\n'))
        if (!line.startsWith(u'#') && !line.trimmed().isEmpty())
            reasons[line.section(u' ', 0, 0)] = line.section(u' ', 1).trimmed();
    return reasons;
}

// All words of all tests and goldens: enumerators with their enum, and stable codes.
QSet<QString> wordsOfTests() {
    static const QRegularExpression word(
        u"\\b(?:(?:DiagCode|ReasonCode)::\\w+|[A-Z]{3}\\d\\d)\\b"_s);
    QSet<QString> words;
    for (const QString& file :
         projectFiles(u"tests"_s, {u".cpp"_s, u".fw"_s, u".txt"_s, u".json"_s})) {
        if (file.startsWith(u"tests/policy/"_s))
            continue;
        auto found = word.globalMatch(readText(file));
        while (found.hasNext())
            words.insert(found.next().captured());
    }
    return words;
}

} // namespace

class TestCodes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCodeIsTested();
    void everyExceptionHasAReason();
};

void TestCodes::everyCodeIsTested() {
    const QSet<QString> words = wordsOfTests();
    const QMap<QString, QString> allowed = untestedCodes();
    QStringList missing;
    for (const Code& code : allCodes()) {
        const bool tested = words.contains(code.enumerator) || words.contains(code.text);
        if (!tested && !allowed.contains(code.text))
            missing << code.text + u' ' + code.enumerator;
        if (tested && allowed.contains(code.text))
            qWarning("%s is tested now: its line in untested_codes.txt can go",
                     qPrintable(code.text));
    }
    QVERIFY2(missing.isEmpty(), qPrintable(u"no test mentions\n"_s + missing.join(u'\n')));
}

void TestCodes::everyExceptionHasAReason() {
    QSet<QString> known;
    for (const Code& code : allCodes())
        known.insert(code.text);
    const QMap<QString, QString> allowed = untestedCodes();
    for (auto it = allowed.cbegin(); it != allowed.cend(); ++it) {
        QVERIFY2(known.contains(it.key()), qPrintable(it.key() + u" is no code"_s));
        QVERIFY2(it.value().size() > 10, qPrintable(it.key() + u" has no reason"_s));
    }
}

FW_TEST(TestCodes, QCoreApplication)
#include "test_codes.moc"
