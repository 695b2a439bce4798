// Pieces, declarations, columns, indents and folded lines, without a window.
#include "common/test.h"
#include "common/thread_time.h"
#include "views/editor/book_text.h"
#include "views/editor/folded_lines.h"

#include <QFile>

using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestBookText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void piecesAreWhatTheyAre();
    void piecesCoverShippedBooks_data();
    void piecesCoverShippedBooks();
    void booleansAreNumbers();
    void piecesAreBounded();
    void declarationsAreFound_data();
    void declarationsAreFound();
    void indentedDeclarations();
    void columnsCountCharacters();
    void indentFollowsBrackets();
    void longLinesAreFolded();
    void markersSurviveEdits();
    void commentsGoAndPlacesStay();

private:
    static QString kinds(const QString& line);
};

QString TestBookText::kinds(const QString& line) {
    QStringList out;
    for (const Piece& piece : piecesOf(line)) {
        static const char* const names[] = {"comment", "text", "number", "KEY",     "word",
                                            "call",    "name", "sign",   "bracket", "wrong"};
        out << QString::fromLatin1(names[std::size_t(piece.kind)]) + u':' +
                   line.mid(piece.begin, piece.length);
    }
    return out.join(u' ');
}

void TestBookText::piecesAreWhatTheyAre() {
    QCOMPARE(kinds(u"rule fold \"why\" { # so"_s),
             u"KEY:rule name:fold text:\"why\" bracket:{ comment:# so"_s);
    QCOMPARE(kinds(u"  match y = bias(x, k: const) {axis = 1}"_s),
             u"word:match name:y sign:= call:bias bracket:( name:x sign:, name:k sign:: word:const "
             "bracket:) bracket:{ name:axis sign:= number:1 bracket:}"_s);
    QCOMPARE(kinds(u"onednn.conv 1..4 2.5e-3 \"a\\\"b\""_s),
             u"name:onednn.conv number:1 sign:. sign:. number:4 number:2.5e-3 text:\"a\\\"b\""_s);
    // A keyword begins a line, and an attribute may have the name of a word.
    QCOMPARE(kinds(u"x = rule"_s), u"name:x sign:= name:rule"_s);
    QCOMPARE(kinds(u"{limit=3}"_s), u"bracket:{ name:limit sign:= number:3 bracket:}"_s);
    QCOMPARE(kinds(u"\"open"_s), u"wrong:\"open"_s);
    QCOMPARE(kinds(u"é"_s), u"wrong:é"_s);
    QCOMPARE(kinds({}), QString());
}

void TestBookText::piecesCoverShippedBooks_data() {
    QTest::addColumn<QString>("file");
    for (const char* name : {"simplify", "fusion", "strategy"})
        QTest::newRow(name) << u"" FW_SOURCE_DIR "/resources/library/"_s +
                                   QString::fromLatin1(name) + u".fw"_s;
}

// Every character is a blank or belongs to one piece, nothing is wrong, and keywords are where
// declarations begin.
void TestBookText::piecesCoverShippedBooks() {
    QFETCH(QString, file);
    QFile book(file);
    QVERIFY(book.open(QIODevice::ReadOnly));
    int keywords = 0;
    for (const QString& line : QString::fromUtf8(book.readAll()).split(u'\n')) {
        int end = 0;
        for (const Piece& piece : piecesOf(line)) {
            QVERIFY2(QStringView(line).mid(end, piece.begin - end).trimmed().isEmpty(),
                     qPrintable(line));
            QVERIFY2(piece.kind != PieceKind::Wrong, qPrintable(line));
            keywords += piece.kind == PieceKind::Keyword && piece.begin == 0;
            end = piece.begin + piece.length;
        }
        QVERIFY2(QStringView(line).mid(end).trimmed().isEmpty(), qPrintable(line));
    }
    QVERIFY(keywords > 3);
}

void TestBookText::booleansAreNumbers() {
    std::vector<PieceKind> kinds;
    for (const Piece& piece : piecesOf(u"p(x) = cumsum(x) {exclusive = true, truer = false}"_s))
        kinds.push_back(piece.kind);
    QCOMPARE(std::count(kinds.begin(), kinds.end(), PieceKind::Number), 2);
}

void TestBookText::piecesAreBounded() {
    const double begin = fw::test::threadSeconds();
    const QString line = QString(10'000'000, u'(');
    const auto pieces = piecesOf(line);
    QCOMPARE(pieces.size(), std::size_t(lineLimit));
    // An unfinished text is only wrong where its end was seen.
    QVERIFY(piecesOf(u'"' + QString(10'000'000, u'a')).front().kind == PieceKind::Text);
    QVERIFY(fw::test::threadSeconds() - begin < 2);
}

void TestBookText::declarationsAreFound_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("keyword");
    QTest::addColumn<QString>("name");
    QTest::newRow("rule") << u"rule fold_bias \"x\" {"_s << u"rule"_s << u"fold_bias"_s;
    QTest::newRow("test") << u"test \"two biases\" {"_s << u"test"_s << u"two biases"_s;
    QTest::newRow("grow") << u"grow contraction -> elementwise forward"_s << u"grow"_s
                          << u"contraction -> elementwise forward"_s;
    QTest::newRow("kind") << u"implementations kind contraction on any {"_s << u"implementations"_s
                          << u"kind contraction"_s;
    QTest::newRow("op") << u"implementations dense(x, w) on any {"_s << u"implementations"_s
                        << u"dense"_s;
    QTest::newRow("pin") << u"pin { together a, b }"_s << u"pin"_s << u""_s;
    QTest::newRow("half") << u"rule"_s << u"rule"_s << u""_s;
    QTest::newRow("none") << u"  match y = x"_s << u""_s << u""_s;
    QTest::newRow("inner") << u"  graph g(x: f32[1]) -> x {}"_s << u""_s << u""_s;
}

void TestBookText::declarationsAreFound() {
    QFETCH(QString, line);
    QFETCH(QString, keyword);
    QFETCH(QString, name);
    const auto found = declarationOf(line, 7);
    QCOMPARE(found.has_value(), !keyword.isEmpty());
    if (found)
        QVERIFY(*found == (DeclarationLine{7, keyword, name}));
}

void TestBookText::indentedDeclarations() {
    QVERIFY(!declarationOf(u"    schedule s \"x\" {"_s, 3));
    const auto found = declarationOf(u"    schedule s \"x\" {"_s, 3, Indent::Any);
    QVERIFY(found && *found == (DeclarationLine{3, u"schedule"_s, u"s"_s}));
    QCOMPARE(openBehind(u"    implementations conv2d(...) on any { a by schedule s"_s, 0), 1);
    QCOMPARE(openBehind(u"  } # {"_s, 1), 0);
    QCOMPARE(openBehind(u")"_s, 0), 0);
}

void TestBookText::columnsCountCharacters() {
    const QString line = u"aé𝕏b"_s; // the third is two units
    QCOMPARE(columnOf(line, 0), 1);
    QCOMPARE(columnOf(line, 2), 3);
    QCOMPARE(columnOf(line, 4), 4);
    QCOMPARE(columnOf(line, 5), 5);
    for (const int position : {0, 1, 2, 4, 5})
        QCOMPARE(positionOf(line, columnOf(line, position)), position);
    QCOMPARE(positionOf(line, 100), 5);
    QCOMPARE(positionOf(line, 0), 0);
}

void TestBookText::indentFollowsBrackets() {
    QCOMPARE(indentAfter(u"rule a {"_s), 2);
    QCOMPARE(indentAfter(u"  match y = bias(x,"_s), 4);
    QCOMPARE(indentAfter(u"  match y = bias(x)"_s), 2);
    QCOMPARE(indentAfter(u"}"_s), 0);
    QCOMPARE(indentAfter(u"rule a \"{\" # {"_s), 0);
}

void TestBookText::longLinesAreFolded() {
    FoldedLines folds;
    const QString text = u"first\n"_s + QString(10'000'000, u'x') + u"\nlast"_s;
    const QString shown = folds.folded(text);
    QVERIFY(shown.size() < 3000);
    QVERIFY(shown.startsWith(u"first\nxxx"_s) && shown.endsWith(u"\nlast"_s));
    QVERIFY(shown.contains(u"9,998,000 more characters"_s));
    QCOMPARE(folds.whole(shown), text);
    // Short lines are left alone.
    FoldedLines none;
    QCOMPARE(none.folded(u"a\nb\n"_s), u"a\nb\n"_s);
    QVERIFY(none.empty());
}

void TestBookText::markersSurviveEdits() {
    FoldedLines folds;
    const QString one(30'000, u'a'), two(40'000, u'b');
    QString shown = folds.folded(one + u'\n' + two);
    shown.insert(0, u"# new\n"_s);
    shown.replace(u"aaa"_s, u"A"_s);
    const QString whole = folds.whole(shown);
    QVERIFY(whole.startsWith(u"# new\nA"_s));
    QCOMPARE(whole.count(u'b'), 40'000);
    // A text that holds a marker comes back as it was.
    FoldedLines other;
    QCOMPARE(other.whole(other.folded(shown)), shown);
}

void TestBookText::commentsGoAndPlacesStay() {
    const QString text =
        u"# a book\n\nrule r \"says # and \\\" #\" { # why\r\n  match \t\n}\n# end"_s;
    QCOMPARE(withoutComments(text), u"\n\nrule r \"says # and \\\" #\" {\n  match\n}"_s);
    QCOMPARE(withoutComments(withoutComments(text)), withoutComments(text));
    QCOMPARE(withoutComments(u"\"open\na # b"_s), u"\"open\na"_s); // a text ends with its line
    QCOMPARE(withoutComments(u"\"a\\\n# b"_s), u"\"a\\"_s);
    QCOMPARE(withoutComments({}), QString());
    // The engine reads the same tokens at the same places: only comments differ.
    for (const char* name : {"simplify", "strategy", "fusion"}) {
        QFile file(QStringLiteral(FW_SOURCE_DIR "/resources/library/%1.fw")
                       .arg(QString::fromLatin1(name)));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString whole = QString::fromUtf8(file.readAll());
        const QStringList before = whole.split(u'\n'), after = withoutComments(whole).split(u'\n');
        for (qsizetype i = 0; i < after.size(); ++i) {
            std::vector<Piece> pieces = piecesOf(before[i]);
            std::erase_if(pieces, [](const Piece& p) { return p.kind == PieceKind::Comment; });
            QCOMPARE(piecesOf(after[i]), pieces);
        }
    }
}

FW_TEST(TestBookText, QCoreApplication)
#include "test_book_text.moc"
