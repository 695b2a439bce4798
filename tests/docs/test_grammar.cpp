// resources/docs/grammar.md is the grammar that the parsers have: every keyword and every word that
// they accept stands in it, it has no others, and it shows every declaration.
#include "common/test.h"
#include "docs/page.h"

#include "syntax/parser.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QSet>

using namespace fw;
using namespace fw::docs;
using namespace Qt::StringLiterals;

namespace {

QSet<QString> all(const QRegularExpression& what, const QString& text) {
    QSet<QString> out;
    auto found = what.globalMatch(text);
    while (found.hasNext())
        out.insert(found.next().captured(1));
    return out;
}

QString grammarOf(const QString& page) {
    QString out;
    for (const Block& block : blocksOf(page))
        if (isGrammar(block))
            out += block.lines.join(u'\n') + u'\n';
    return out;
}

} // namespace

class TestGrammar : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wordsAreThoseOfTheParsers();
    void everyNameIsDefined();
    void everyDeclarationIsShown();
};

void TestGrammar::wordsAreThoseOfTheParsers() {
    static const QRegularExpression asked(uR"-((?:(?:accept|expect|at|is)\(|== )"([a-z]\w*)")-"_s);
    static const QRegularExpression rows(uR"-(Clause<\w+> \w+\[\] = \{.*?\};)-"_s,
                                         QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression clause(uR"-(\{"([a-z]\w*)",)-"_s);
    static const QRegularExpression word(uR"-("([a-z]\w+)")-"_s);
    QString sources;
    const QDir folder(sourceFile(u"core/syntax"_s));
    for (const QString& name : folder.entryList({u"*.cpp"_s})) {
        if (name == u"hints.cpp"_s) // which knows the words of other languages
            continue;
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        sources += QString::fromUtf8(file.readAll());
    }
    QSet<QString> parsed = all(asked, sources);
    for (auto found = rows.globalMatch(sources); found.hasNext();)
        parsed |= all(clause, found.next().captured());
    for (const auto& [keyword, parser] : fwGrammar())
        parsed.insert(QString::fromStdString(keyword));
    QVERIFY(parsed.size() > 60);
    const QSet<QString> written = all(word, grammarOf(textOf(u"resources/docs/grammar.md"_s)));
    const auto text = [](const QSet<QString>& words) {
        return QStringList(words.begin(), words.end()).join(u' ');
    };
    QCOMPARE(text(parsed - written), QString()); // the page lacks
    QCOMPARE(text(written - parsed), QString()); // nobody reads
}

void TestGrammar::everyNameIsDefined() {
    static const QRegularExpression defined(u"^(\\w+) += "_s, QRegularExpression::MultilineOption);
    static const QRegularExpression quoted(uR"("[^"]*"|'[^']*')"_s), used(u"\\b([a-z]\\w+)\\b"_s);
    QString grammar = grammarOf(textOf(u"resources/docs/grammar.md"_s));
    const QSet<QString> names = all(defined, grammar);
    // Tokens are told in words.
    grammar.remove(
        QRegularExpression(u"^(FLOAT|TEXT|COMMENT) .*$"_s, QRegularExpression::MultilineOption));
    QSet<QString> missing = all(used, grammar.remove(quoted)) - names;
    QCOMPARE(QStringList(missing.begin(), missing.end()).join(u' '), QString());
}

void TestGrammar::everyDeclarationIsShown() {
    QSet<std::string> shown;
    for (const Block& block : blocksOf(textOf(u"resources/docs/grammar.md"_s)))
        if (!isGrammar(block)) {
            const FileTree tree = parseFile(block.lines.join(u'\n').toStdString(), "grammar.md");
            QVERIFY2(tree.errors.empty(), qPrintable(QString::number(block.line)));
            for (const DeclarationPtr& declaration : tree.declarations)
                shown.insert(declaration->keyword);
        }
    for (const auto& [keyword, parser] : fwGrammar())
        QVERIFY2(shown.contains(keyword), keyword.c_str());
}

FW_TEST(TestGrammar, QCoreApplication)
#include "test_grammar.moc"
