// The editor of a book as people use it: typing, marks and fixes, completion, find and replace,
// outline, banners; lines and brackets without end.
#include "common/test.h"
#include "common/thread_time.h"
#include "views/common/theme.h"
#include "views/editor/book_page.h"
#include "views/editor/find_bar.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QTextBlock>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

MarkRecord mark(const TextRange& range, const char* text) {
    return {range, makeDiag(DiagCode::Usage, text), {}};
}

} // namespace

class TestBookEditor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { Theme::instance().apply(ThemeKind::Light); }
    void init();
    void cleanup() { m_page.reset(); }
    void newLinesAreIndented();
    void selectionIsIndented();
    void wordsAreColoured();
    void marksAreToldAndFixed();
    void marksAreWalked();
    void completionIsAskedAndInserted();
    void completionNarrowsWhileTyping();
    void keywordsBringFields();
    void lateCompletionsAreDropped();
    void enterIsANewLine();
    void hoverIsAskedOverWords();
    void bracketsArePaired();
    void outlineFollowsTheText();
    void outlineOfIndentedText();
    void findGoesAround();
    void replaceAllIsOneUndo();
    void readOnlyStaysAsItIs();
    void bannersAsk();
    void replacedTextCanBeUndone();
    void copiedLinesAreWhole();
    void hugeLinesDoNotFreeze();
    void notesAndTintsArePainted();

private:
    BookEditor* editor() { return m_page->editor(); }
    void type(const QString& text) { QTest::keyClicks(editor(), text); }
    void press(int key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(editor(), Qt::Key(key), modifiers);
    }
    QColor colourAt(int line, int position);

    std::unique_ptr<BookPage> m_page;
};

void TestBookEditor::init() {
    m_page = std::make_unique<BookPage>();
    m_page->resize(700, 500);
    m_page->show();
    m_page->activateWindow();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    editor()->setFocus();
    QTRY_VERIFY(editor()->hasFocus());
}

QColor TestBookEditor::colourAt(int line, int position) {
    const QTextBlock block = editor()->document()->findBlockByNumber(line - 1);
    QColor out;
    for (const auto& range : block.layout()->formats())
        if (position >= range.start && position < range.start + range.length)
            out = range.format.foreground().color();
    return out;
}

void TestBookEditor::newLinesAreIndented() {
    QSignalSpy edited(editor(), &BookEditor::edited);
    type(u"rule a {"_s);
    press(Qt::Key_Return);
    type(u"match y = relu(x)"_s);
    press(Qt::Key_Return);
    type(u"}"_s);
    QCOMPARE(editor()->wholeText(), u"rule a {\n  match y = relu(x)\n}"_s);
    QVERIFY(edited.count() > 20);
    // Between two brackets the second goes down.
    editor()->setWholeText(u"rule a {}"_s);
    editor()->goTo({1, 9});
    press(Qt::Key_Return);
    QCOMPARE(editor()->wholeText(), u"rule a {\n  \n}"_s);
    QCOMPARE(editor()->caret(), (Caret{2, 3}));
    press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(editor()->wholeText(), u"rule a {}"_s);
}

void TestBookEditor::selectionIsIndented() {
    editor()->setWholeText(u"a\n b\nc"_s);
    editor()->select({1, 1, 2, 2});
    press(Qt::Key_Tab);
    QCOMPARE(editor()->wholeText(), u"  a\n   b\nc"_s);
    editor()->select({1, 1, 3, 2});
    press(Qt::Key_Backtab);
    QCOMPARE(editor()->wholeText(), u"a\n b\nc"_s);
    editor()->goTo({3, 1});
    press(Qt::Key_Tab);
    QCOMPARE(editor()->wholeText(), u"a\n b\n  c"_s);
}

void TestBookEditor::wordsAreColoured() {
    editor()->setWholeText(u"rule a \"t\" { # c\n  match y = relu(1)"_s);
    const auto colour = [](Colour meaning) { return Theme::instance().colour(meaning); };
    QCOMPARE(colourAt(1, 0), colour(Colour::Accent));
    QCOMPARE(colourAt(1, 8), colour(Colour::Created));
    QCOMPARE(colourAt(1, 14), colour(Colour::Muted));
    QCOMPARE(colourAt(2, 3), colour(Colour::Changed));
    QCOMPARE(colourAt(2, 13), colour(Colour::Generated));
    Theme::instance().apply(ThemeKind::Dark);
    QCOMPARE(colourAt(1, 0), toQt(picture::rgb(Colour::Accent, ThemeKind::Dark)));
    Theme::instance().apply(ThemeKind::Light);
}

void TestBookEditor::marksAreToldAndFixed() {
    editor()->setWholeText(u"rule a {\n  match y = conv2(x)\n}"_s);
    MarkRecord unknown = mark({2, 13, 2, 18}, "unknown operator 'conv2'");
    unknown.fixes = {{{2, 13, 2, 18}, "conv2d", "write conv2d"}};
    editor()->setMarks({unknown});
    QVERIFY(m_page->statusText().contains(u"1 problem"_s));
    QVERIFY(!editor()->applyFix()); // the caret is on another line
    editor()->goTo({2, 5});
    QCOMPARE(m_page->statusText(), u"✖ unknown operator 'conv2'"_s);
    const auto underlined = [&] {
        for (const auto& extra : editor()->extraSelections())
            if (extra.format.underlineStyle() == QTextCharFormat::WaveUnderline)
                return extra.cursor.selectedText();
        return QString();
    };
    QCOMPARE(underlined(), u"conv2"_s);
    QVERIFY(editor()->applyFix());
    QCOMPARE(editor()->lineText(2), u"  match y = conv2d(x)"_s);
    press(Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(editor()->lineText(2), u"  match y = conv2(x)"_s);
    // Without an end the word is marked; a place that is not there marks nothing and harms nobody.
    editor()->setMarks({mark({2, 13, 0, 0}, "w"), mark({90, 7, 0, 0}, "e")});
    QCOMPARE(underlined(), u"conv2"_s);
    editor()->setMarks({});
    QCOMPARE(underlined(), QString());
    QVERIFY(!editor()->goToMark(+1));
}

void TestBookEditor::marksAreWalked() {
    editor()->setWholeText(u"aa\nbb\ncc"_s);
    editor()->setMarks({mark({3, 2, 0, 0}, "c"), mark({1, 2, 0, 0}, "a")});
    QVERIFY(editor()->goToMark(+1));
    QCOMPARE(editor()->caret(), (Caret{1, 2}));
    QVERIFY(editor()->goToMark(+1));
    QCOMPARE(editor()->caret(), (Caret{3, 2}));
    QVERIFY(editor()->goToMark(+1));
    QCOMPARE(editor()->caret(), (Caret{1, 2}));
    QVERIFY(editor()->goToMark(-1));
    QCOMPARE(editor()->caret(), (Caret{3, 2}));
}

void TestBookEditor::completionIsAskedAndInserted() {
    QSignalSpy asked(editor(), &BookEditor::completionAsked);
    type(u"  match y = co"_s);
    QVERIFY(asked.count() > 0);
    QCOMPARE(asked.last()[0].value<Caret>(), (Caret{1, 15}));
    const int revision = asked.last()[1].toInt();
    editor()->showCompletions({{"conv2d", "operator", "(x, w)", "a convolution"},
                               {"concat", "operator", "(xs*)", ""},
                               {"relu", "operator", "(x)", ""}},
                              {1, 13, 1, 15}, revision);
    const QAbstractItemModelTester tester(editor()->completer()->model());
    QVERIFY(editor()->completer()->popup()->isVisible());
    QCOMPARE(editor()->completer()->completionCount(), 2);
    press(Qt::Key_Return);
    QCOMPARE(editor()->wholeText(), u"  match y = conv2d"_s);
    QVERIFY(!editor()->completer()->popup()->isVisible());
    press(Qt::Key_Return); // a line again
    QCOMPARE(editor()->document()->blockCount(), 2);
}

void TestBookEditor::keywordsBringFields() {
    type(u"ru"_s);
    editor()->showCompletions(
        {{"rule", "keyword", "", "", "rule ${1:name} {\n  match ${2:y = relu(x)}\n}\n"}},
        {1, 1, 1, 3}, editor()->revision());
    press(Qt::Key_Return);
    QCOMPARE(editor()->wholeText(), u"rule name {\n  match y = relu(x)\n}"_s);
    QCOMPARE(editor()->textCursor().selectedText(), u"name"_s);
    type(u"longer_one"_s);
    press(Qt::Key_Tab); // the next field has moved
    QCOMPARE(editor()->textCursor().selectedText(), u"y = relu(x)"_s);
    press(Qt::Key_Backtab);
    QCOMPARE(editor()->caret().line, 1);
    press(Qt::Key_Tab);
    type(u"y = tanh(x)"_s);
    QCOMPARE(editor()->wholeText(), u"rule longer_one {\n  match y = tanh(x)\n}"_s);
    press(Qt::Key_Tab); // behind the last field it indents again
    QVERIFY(editor()->wholeText() != u"rule longer_one {\n  match y = tanh(x)\n}"_s);
    // One step of undo takes all of a template.
    editor()->setWholeText({});
    type(u"ru"_s);
    editor()->showCompletions({{"rule", "keyword", "", "", "rule ${1:a} { ${2:b} }"}}, {1, 1, 1, 3},
                              editor()->revision());
    press(Qt::Key_Return);
    editor()->undo();
    QCOMPARE(editor()->wholeText(), u"ru"_s);
    // A caret that leaves ends it.
    editor()->redo();
    editor()->setWholeText(u"one\n\nru"_s);
    editor()->goTo({3, 3});
    editor()->showCompletions({{"rule", "keyword", "", "", "rule ${1:a} { ${2:b} }"}}, {3, 1, 3, 3},
                              editor()->revision());
    press(Qt::Key_Return);
    editor()->goTo({1, 1});
    press(Qt::Key_Tab);
    QVERIFY(editor()->wholeText().startsWith(u"  one"_s));
}

void TestBookEditor::completionNarrowsWhileTyping() {
    type(u"c"_s);
    editor()->showCompletions({{"conv2d", "", "", ""}, {"concat", "", "", ""}}, {1, 1, 1, 2},
                              editor()->revision());
    QAbstractItemView* popup = editor()->completer()->popup();
    QVERIFY(popup->isVisible());
    QTest::keyClicks(popup, u"onc"_s); // the popup hands keys on
    QCOMPARE(editor()->completer()->completionCount(), 1);
    QTest::keyClick(popup, Qt::Key_Tab);
    QCOMPARE(editor()->wholeText(), u"concat"_s);
    // What nothing begins with closes it.
    editor()->setWholeText({});
    type(u"c"_s);
    editor()->showCompletions({{"conv2d", "", "", ""}}, {1, 1, 1, 2}, editor()->revision());
    QTest::keyClicks(popup, u"z"_s);
    QVERIFY(!popup->isVisible());
    QCOMPARE(editor()->wholeText(), u"cz"_s);
}

void TestBookEditor::lateCompletionsAreDropped() {
    type(u"c"_s);
    const int revision = editor()->revision();
    type(u"o"_s);
    editor()->showCompletions({{"conv2d", "", "", ""}}, {1, 1, 1, 2}, revision);
    QVERIFY(!editor()->completer()->popup()->isVisible());
    // The word that is already there is no choice.
    editor()->showCompletions({{"co", "", "", ""}}, {1, 1, 1, 3}, editor()->revision());
    QVERIFY(!editor()->completer()->popup()->isVisible());
}

// A new line is what Enter means unless people are completing something.
void TestBookEditor::enterIsANewLine() {
    QSignalSpy asked(editor(), &BookEditor::completionAsked);
    type(u"rule a { y = 12"_s);
    QCOMPARE(asked.count(), 3); // ru, rul, rule
    editor()->setWholeText({});
    type(u"relu"_s);
    editor()->showCompletions({{"relu", "", "", ""}, {"relu6", "", "", ""}}, {1, 1, 1, 5},
                              editor()->revision());
    QVERIFY(editor()->completer()->popup()->isVisible());
    press(Qt::Key_Return); // the word is complete
    QCOMPARE(editor()->wholeText(), u"relu\n"_s);
}

void TestBookEditor::hoverIsAskedOverWords() {
    editor()->setWholeText(u"rule abc {"_s);
    QSignalSpy asked(editor(), &BookEditor::hoverAsked);
    QTextCursor cursor(editor()->document());
    cursor.setPosition(6);
    const QPoint at = editor()->cursorRect(cursor).center();
    QHelpEvent help(QEvent::ToolTip, at, editor()->viewport()->mapToGlobal(at));
    QApplication::sendEvent(editor()->viewport(), &help);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].value<Caret>().line, 1);
    QVERIFY(std::abs(asked[0][0].value<Caret>().column - 7) <= 1);
    // What is wrong is told at once.
    editor()->setMarks({mark({1, 6, 1, 9}, "wrong")});
    QApplication::sendEvent(editor()->viewport(), &help);
    QCOMPARE(asked.count(), 1);
}

void TestBookEditor::bracketsArePaired() {
    const auto bold = [&] {
        QStringList out;
        for (const auto& extra : editor()->extraSelections())
            if (extra.format.fontWeight() == QFont::Bold)
                out << QString::number(extra.cursor.selectionStart());
        return out.join(u',');
    };
    editor()->setWholeText(u"a { \"}\" # }\n (b) }"_s);
    editor()->goTo({1, 3});
    QCOMPARE(bold(), u"2,17"_s);
    editor()->goTo({2, 7}); // behind the last
    QCOMPARE(bold(), u"17,2"_s);
    editor()->goTo({2, 3});
    QCOMPARE(bold(), u"13,15"_s);
    editor()->goTo({1, 6}); // inside a text
    QCOMPARE(bold(), QString());
    editor()->setWholeText(u"(("_s);
    editor()->goTo({1, 1});
    QCOMPARE(bold(), u"0"_s); // it has no partner
}

void TestBookEditor::outlineFollowsTheText() {
    editor()->setWholeText(u"rule a {\n}\n\ntest \"t\" {\n}\n"_s);
    QTRY_COMPARE(m_page->outline()->count(), 2);
    QCOMPARE(m_page->outline()->itemText(1), u"test t"_s);
    editor()->goTo({5, 1});
    QCOMPARE(m_page->outline()->currentIndex(), 1);
    Q_EMIT m_page->outline()->activated(0);
    QCOMPARE(editor()->caret().line, 1);
    QVERIFY(editor()->hasFocus());
}

// As `fw schedule` prints them, and people paste them.
void TestBookEditor::outlineOfIndentedText() {
    editor()->setWholeText(u"    schedule s \"x\" {\n      out0.split(a, b, c, 4)\n    }\n"
                           "    implementations conv2d(...) on any { s by schedule s priority 0 }\n"
                           "    pin { use s for conv2d }\n"
                           "  test \"t\" {\n    graph g(x: f32[1]) -> y { y = relu(x) }\n  }\n"
                           "    rule half {\n  grow contraction -> elementwise never\n"
                           "rule whole {\n}\n  pin { use t for a }\n"_s);
    QTRY_COMPARE(m_page->outline()->count(), 7);
    QStringList found;
    for (int i = 0; i < m_page->outline()->count(); ++i)
        found << m_page->outline()->itemText(i);
    // Behind a bracket that is open, at the beginning of a line only.
    QCOMPARE(found, (QStringList{u"schedule s"_s, u"implementations conv2d"_s, u"pin "_s,
                                 u"test t"_s, u"rule half"_s, u"rule whole"_s, u"pin "_s}));
    editor()->goTo({2, 3});
    QCOMPARE(m_page->outline()->currentIndex(), 0);
    QCOMPARE(m_page->declarationAtCaret()->name, u"s"_s);
}

void TestBookEditor::findGoesAround() {
    editor()->setWholeText(u"Conv x\nconv y\nz conv"_s);
    FindBar* bar = m_page->findBar();
    bar->open(FindBar::Row::Find);
    QVERIFY(bar->isVisible() && !bar->replacement()->isVisible());
    QTest::keyClicks(bar->wanted(), u"conv"_s);
    QCOMPARE(bar->summary(), u"3"_s);
    QTest::keyClick(bar->wanted(), Qt::Key_Return);
    QCOMPARE(bar->summary(), u"1 of 3"_s);
    QTest::keyClick(bar->wanted(), Qt::Key_Return);
    QTest::keyClick(bar->wanted(), Qt::Key_Return);
    QCOMPARE(bar->summary(), u"3 of 3"_s);
    QTest::keyClick(bar->wanted(), Qt::Key_Return);
    QCOMPARE(bar->summary(), u"1 of 3"_s);
    QTest::keyClick(bar->wanted(), Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(editor()->caret(), (Caret{3, 7}));
    bar->wanted()->setText(u"nowhere"_s);
    QVERIFY(!bar->find(+1));
    QCOMPARE(bar->summary(), u"not found"_s);
    QTest::keyClick(bar->wanted(), Qt::Key_Escape);
    QVERIFY(!bar->isVisible() && editor()->hasFocus());
}

void TestBookEditor::replaceAllIsOneUndo() {
    editor()->setWholeText(u"conv conv"_s);
    FindBar* bar = m_page->findBar();
    bar->open(FindBar::Row::Replace);
    bar->wanted()->setText(u"conv"_s);
    bar->replacement()->setText(u"conv2d"_s);
    QCOMPARE(bar->replaceAll(), 2);
    QCOMPARE(editor()->wholeText(), u"conv2d conv2d"_s);
    editor()->undo();
    QCOMPARE(editor()->wholeText(), u"conv conv"_s);
    QVERIFY(bar->find(+1));
    QVERIFY(bar->replaceOne());
    QCOMPARE(editor()->wholeText(), u"conv2d conv"_s);
}

void TestBookEditor::readOnlyStaysAsItIs() {
    editor()->setWholeText(u"rule a {\n}"_s);
    editor()->setReadOnly(true);
    m_page->setBanner(BookPage::Banner::ReadOnly);
    QSignalSpy asked(editor(), &BookEditor::completionAsked);
    type(u"x"_s);
    press(Qt::Key_Return);
    press(Qt::Key_Tab);
    editor()->apply({{1, 1, 1, 3}, "zzz", ""});
    editor()->complete();
    QCOMPARE(editor()->wholeText(), u"rule a {\n}"_s);
    QCOMPARE(asked.count(), 0);
    QSignalSpy copied(m_page.get(), &BookPage::copyRequested);
    QCOMPARE(m_page->bannerButton(0)->text(), u"Edit a copy"_s);
    m_page->bannerButton(0)->click();
    QCOMPARE(copied.count(), 1);
}

void TestBookEditor::bannersAsk() {
    QSignalSpy reload(m_page.get(), &BookPage::reloadRequested);
    QSignalSpy keep(m_page.get(), &BookPage::keepRequested);
    m_page->setBanner(BookPage::Banner::ChangedOnDisk);
    QVERIFY(m_page->bannerButton(0)->isVisible() && m_page->bannerButton(1)->isVisible());
    m_page->bannerButton(0)->click();
    m_page->bannerButton(1)->click();
    QCOMPARE(reload.count(), 1);
    QCOMPARE(keep.count(), 1);
    m_page->setBanner(BookPage::Banner::None);
    QVERIFY(!m_page->bannerButton(0)->isVisible());
}

void TestBookEditor::replacedTextCanBeUndone() {
    editor()->setWholeText(u"one\ntwo"_s);
    QSignalSpy edited(editor(), &BookEditor::edited);
    editor()->goTo({2, 1});
    editor()->replaceWholeText(u"three\nfour\nfive"_s);
    QCOMPARE(edited.count(), 0);
    QCOMPARE(editor()->caret().line, 2);
    editor()->undo();
    QCOMPARE(editor()->wholeText(), u"one\ntwo"_s);
}

void TestBookEditor::copiedLinesAreWhole() {
    const QString longLine(50'000, u'x');
    editor()->setWholeText(longLine + u"\nend"_s);
    QVERIFY(editor()->toPlainText().size() < 3000);
    editor()->selectAll();
    editor()->copy();
    QCOMPARE(QApplication::clipboard()->text(), longLine + u"\nend"_s);
    editor()->cut();
    QCOMPARE(editor()->wholeText(), QString());
    editor()->paste();
    QVERIFY(editor()->toPlainText().size() < 3000);
    QCOMPARE(editor()->wholeText(), longLine + u"\nend"_s);
    editor()->undo();
    editor()->undo();
    QCOMPARE(editor()->wholeText(), longLine + u"\nend"_s);
}

void TestBookEditor::hugeLinesDoNotFreeze() {
    double begin = fw::test::threadSeconds();
    const QString line(10'000'000, u'x');
    editor()->setWholeText(u"# a\n"_s + line + u"\n# b"_s);
    QCoreApplication::processEvents();
    editor()->goTo({2, 3});
    type(u"y"_s);
    QCoreApplication::processEvents();
    QCOMPARE(editor()->wholeText().size(), 10'000'009);
    QVERIFY(fw::test::threadSeconds() - begin < 3);
    // 10 000 open brackets on one line, and one on each of 10 000 lines.
    for (const QString& brackets : {QString(10'000, u'('), QString(u"(\n"_s).repeated(10'000)}) {
        begin = fw::test::threadSeconds();
        editor()->setWholeText(brackets);
        editor()->goTo({1, 1});
        for (int i = 0; i < 10; ++i) {
            type(u"a"_s);
            QCoreApplication::processEvents();
        }
        QVERIFY(fw::test::threadSeconds() - begin < 5);
    }
}

void TestBookEditor::notesAndTintsArePainted() {
    editor()->setWholeText(u"rule a {\n}"_s);
    const QImage before = m_page->grab().toImage();
    editor()->setNotes({{1, {u"17 matches"_s, {}, MarginNote::Look::Good}}});
    const QImage noted = m_page->grab().toImage();
    QVERIFY(before != noted);
    editor()->setTints({{1, 6, 1, 7}});
    QVERIFY(m_page->grab().toImage() != noted);
    editor()->setNotes({});
    editor()->setTints({});
    QVERIFY(m_page->grab().toImage() == before);
    // Beside a long line only what matters of it is told.
    const int room =
        editor()->viewport()->width() / editor()->fontMetrics().horizontalAdvance(u'x');
    editor()->setWholeText(u"# "_s + QString(room - 20, u'x') + u"\n\n"_s);
    editor()->goTo({3, 1});
    const auto with = [this](const QString& text) {
        editor()->setNotes({{1, {text, {}, MarginNote::Look::Good}}});
        return m_page->grab().toImage();
    };
    QVERIFY(with(u"17 matches, 1234567.8 µs"_s) == with(u"17 matches"_s));
    QVERIFY(with(u"17 matches"_s) != with({}));
}

FW_TEST(TestBookEditor, QApplication)
#include "test_book_editor.moc"
