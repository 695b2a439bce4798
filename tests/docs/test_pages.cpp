// What the pages of resources/docs say is true as far as a program can see: their examples run and
// print what stands there, what is written in the language parses, and the files and names of the
// code that they send to are there.
#include "common/test.h"
#include "docs/page.h"

#include "syntax/format.h"
#include "syntax/strategy.h"

using namespace fw;
using namespace fw::docs;
using namespace Qt::StringLiterals;

class TestPages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void examplesRun_data() { rowPerPage(); }
    void examplesRun();
    void declarationsParse_data() { rowPerPage(); }
    void declarationsParse();
    void declarationsAreLaidOutOnce_data() { rowPerPage(); }
    void declarationsAreLaidOutOnce();
    void placesAreThere_data() { rowPerPage(); }
    void placesAreThere();
    void librariesAbsorbWhatTheBookSays();
    void whatIsUntrueIsTold();

private:
    static void rowPerPage() {
        QTest::addColumn<QString>("page");
        for (const QString& page : pages())
            QTest::newRow(qPrintable(page)) << page;
    }
};

void TestPages::examplesRun() {
    QFETCH(QString, page);
    const QStringList failures = failuresOf(page, textOf(page));
    QVERIFY2(failures.isEmpty(), qPrintable(failures.join(u'\n')));
}

void TestPages::declarationsParse() {
    QFETCH(QString, page);
    QStringList wrong;
    for (const Block& block : blocksOf(textOf(page))) {
        const QString text = block.lines.join(u'\n');
        const QString word = text.section(QRegularExpression(u"\\W"_s), 0, 0);
        static const QRegularExpression grammar(u"^\\w+ += "_s);
        if (grammar.match(text).hasMatch())
            continue;
        if (block.file.isEmpty() && fwGrammar().contains(word.toStdString())) {
            for (const Diag& error : parseFile(text.toStdString(), page.toStdString()).errors)
                wrong << u"%1:%2: %3"_s.arg(page)
                             .arg(block.line)
                             .arg(QString::fromStdString(error.text()));
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

// `fw format` keeps the words of every block (or throws), and has nothing to do behind itself.
void TestPages::declarationsAreLaidOutOnce() {
    QFETCH(QString, page);
    for (const Block& block : blocksOf(textOf(page))) {
        const FormattedText once =
            formatText(block.lines.join(u'\n').toStdString(), page.toStdString());
        if (once.errors.empty())
            QCOMPARE(QString::fromStdString(formatText(once.text, {}).text),
                     QString::fromStdString(once.text));
    }
}

void TestPages::placesAreThere() {
    QFETCH(QString, page);
    QStringList wrong;
    for (const CodePlace& place : placesOf(textOf(page)))
        if (const QString problem = problemOf(place); !problem.isEmpty())
            wrong << u"%1:%2: %3"_s.arg(page).arg(place.line).arg(problem);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
}

// The table of libraries.md beside the shipped book.
void TestPages::librariesAbsorbWhatTheBookSays() {
    const FileTree book =
        parseFile(textOf(u"resources/library/strategy.fw"_s).toStdString(), "strategy.fw");
    QVERIFY(book.errors.empty());
    const QString page = textOf(u"resources/docs/libraries.md"_s);
    int entries = 0;
    for (const DeclarationPtr& declaration : book.declarations)
        if (const auto block = declarationAs<ImplementationsTree>(declaration))
            for (const EntryTree& entry : block->entries) {
                const QString name = QString::fromStdString(entry.name);
                if (name.startsWith(u"generated."_s))
                    continue;
                const bool chain = entry.absorbs == AbsorbClause::Chain;
                const QRegularExpression row(u"\\n\\| [^|]*`"_s + QRegularExpression::escape(name) +
                                             u"`[^|]*\\| [^|]+ \\| "_s +
                                             (chain ? u"the chain"_s : u"nothing"_s));
                QVERIFY2(page.contains(row), qPrintable(name));
                ++entries;
            }
    QVERIFY(entries > 10);
}

void TestPages::whatIsUntrueIsTold() {
    const QString page = u"One operator, `one.fw`:\n\n    op one (x: T[S...]) -> y: T[S...] {\n"
                         "      y[i...] = x[i...] + 1 }\n\n    $ fw check one.fw\n"
                         "    name  kind  verdict  tried\n    one   %1    ok ...\n"_s;
    QCOMPARE(failuresOf(u"p.md"_s, page.arg(u"operator"_s)), QStringList());
    const QStringList failures = failuresOf(u"p.md"_s, page.arg(u"rule"_s));
    QCOMPARE(failures.size(), 1);
    QVERIFY2(failures[0].startsWith(u"p.md:6: it does not say \"one   rule    ok ...\""_s),
             qPrintable(failures[0]));
    const QStringList refused =
        failuresOf(u"p.md"_s, u"\n    $ fw check two.fw\n\n    $ rm one.fw\n"_s);
    QCOMPARE(refused.size(), 2);
    QVERIFY2(refused[0].startsWith(u"p.md:2: exit code 2 instead of 0"_s), qPrintable(refused[0]));
    QVERIFY(refused[1].startsWith(u"p.md:4: only commands of fw"_s));

    QCOMPARE(missingIn({u"a ... 3 us"_s, u"..."_s, u"z"_s}, u"a  b 17.5 us\n\nc\nd\nz\n"_s),
             QString());
    QVERIFY(!missingIn({u"a"_s}, u"a\nb\n"_s).isEmpty());
    QVERIFY(!missingIn({u"3 groups"_s}, u"4 groups\n"_s).isEmpty());
    QVERIFY(!missingIn({u"a"_s, u"..."_s, u"b"_s}, u"a\nc\n"_s).isEmpty());

    const auto places =
        placesOf(u"`no` and `isDocumentFile` in `core/snapshot/document_file.h`,\n"
                 "`core/onnx/forms/*_read.cpp`, `nothing` in `core/base/{diag,hash}.h`, "
                 "`core/none.h`"_s);
    QCOMPARE(places.size(), 4);
    QCOMPARE(problemOf(places[0]), QString());
    QCOMPARE(problemOf(places[1]), QString());
    QCOMPARE(problemOf(places[2]), u"core/base/diag.h has no nothing"_s);
    QCOMPARE(problemOf(places[3]), u"core/none.h is not there"_s);
    QCOMPARE(places[3].line, 2);
}

FW_TEST(TestPages, QCoreApplication)
#include "test_pages.moc"
