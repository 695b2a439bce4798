// Whoever writes is offered what may stand at a place: every word of the grammar in the books that
// are shipped, in samples and in the examples of the grammar could have been completed where it
// stands, and the pointer over it tells what it says. So could operators and attributes.
#include "common/test.h"
#include "docs/page.h"

#include "rewrite/embedded.h"
#include "session/completions.h"
#include "syntax/parser.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>

#include <fmt/format.h>

using namespace fw;
using namespace fw::docs;
using namespace Qt::StringLiterals;

class TestWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wordsAreOfferedAndTold_data();
    void wordsAreOfferedAndTold();
    void everyWordWasMet();

private:
    std::set<std::string> m_met;
};

namespace {

std::set<std::string> grammarWords() {
    static const QRegularExpression word(uR"-("([a-z]\w+)")-"_s);
    std::set<std::string> out;
    for (const Block& block : blocksOf(textOf(u"resources/docs/grammar.md"_s)))
        if (isGrammar(block)) {
            auto found = word.globalMatch(block.lines.join(u'\n'));
            while (found.hasNext())
                out.insert(found.next().captured(1).toStdString());
        }
    return out;
}

} // namespace

void TestWords::wordsAreOfferedAndTold_data() {
    QTest::addColumn<QString>("text");
    for (const Block& block : blocksOf(textOf(u"resources/docs/grammar.md"_s)))
        if (!isGrammar(block))
            QTest::addRow("grammar.md:%d", block.line) << block.lines.join(u'\n');
    for (const QString& folder : {u"samples"_s, u"resources/library"_s}) {
        QDirIterator all(sourceFile(folder), {u"*.fw"_s}, QDir::Files,
                         QDirIterator::Subdirectories);
        while (all.hasNext()) {
            QFile file(all.next());
            if (file.fileName().contains(u"broken"_s) || !file.open(QIODevice::ReadOnly))
                continue;
            QTest::newRow(qPrintable(QFileInfo(file).fileName()))
                << QString::fromUtf8(file.readAll());
        }
    }
}

void TestWords::wordsAreOfferedAndTold() {
    QFETCH(QString, text);
    static const std::set<std::string> words = grammarWords();
    const std::string book = text.toStdString();
    const TokenList list = tokenize(book);
    const BookNames names = namesOf({{"mine.fw", book}}, nullptr);
    QStringList lacking;
    for (std::size_t i = 0; i < list.tokens.size(); ++i) {
        const Token& token = list.tokens[i];
        if (token.kind != TokenKind::Name)
            continue;
        const TextContext context = contextAt(book, list, token.span.begin);
        const bool word = words.contains(token.text);
        const bool called = i + 1 < list.tokens.size() && list.tokens[i + 1].is("(");
        const bool op = called && names.books.operators->find(token.text) != nullptr;
        const Operator* of = names.books.operators->find(context.op);
        const bool attribute = context.expect == Expect::Attribute && of != nullptr &&
                               !attributeText(*of, token.text).empty();
        const bool declared = i > 0 && fwGrammar().contains(list.tokens[i - 1].text) &&
                              context.expect == Expect::Nothing;
        const bool ofUser = context.values.contains(token.text) || context.typed == token.text;
        if ((!word && !op && !attribute) || declared || ofUser)
            continue;
        bool offered = false;
        for (const auto& one : completionsAt(context, book, names))
            offered = offered || one.text == token.text;
        if (word && offered)
            m_met.insert(token.text);
        if (!offered)
            lacking << QString::fromStdString(fmt::format("{}:{} {} ({})", token.span.line,
                                                          token.span.column, token.text,
                                                          static_cast<int>(context.expect)));
        else if (word && !op && wordSentence(token.text, context.keyword).empty() &&
                 context.words.end() !=
                     std::find(context.words.begin(), context.words.end(), token.text))
            lacking << QString::fromStdString(fmt::format("{}:{} {} is not told in {}",
                                                          token.span.line, token.span.column,
                                                          token.text, context.keyword));
    }
    QVERIFY2(lacking.isEmpty(), qPrintable(lacking.join(u" · "_s)));
}

void TestWords::everyWordWasMet() {
    QStringList never;
    for (const std::string& word : grammarWords())
        if (!m_met.contains(word) && word != "layout") // of a stage: w.layout, a step
            never << QString::fromStdString(word);
    QCOMPARE(never.join(u' '), QString());
}

FW_TEST(TestWords, QCoreApplication)
#include "test_words.moc"
