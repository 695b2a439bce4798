// The story of a book from the keyboard alone, through the real window with the real worker: no
// mouse button is pressed.
#include "app/window/books_view.h"
#include "app/window/message_bar.h"
#include "common/test.h"
#include "views/authoring/match_panel.h"
#include "views/editor/find_bar.h"
#include "views/explain/explain_view.h"
#include "window/story_fixture.h"

#include <QMenu>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestBookKeyboard : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void ruleIsWrittenAndKept();

private:
    void takeCompletion(const QString& word) {
        QTRY_VERIFY(popup()->isVisible());
        for (int i = 0; i < 30 && popup()->currentIndex().data().toString() != word; ++i)
            strike(Qt::Key_Down);
        QCOMPARE(popup()->currentIndex().data().toString(), word);
        strike(Qt::Key_Return);
        QVERIFY(!popup()->isVisible());
    }
    void goToLine(int line) {
        waitIdle();
        if (popup()->isVisible())
            strike(Qt::Key_Escape);
        for (int i = 0; i < 200 && editor()->caret().line != line; ++i)
            strike(editor()->caret().line < line ? Qt::Key_Down : Qt::Key_Up);
        QCOMPARE(editor()->caret().line, line);
        waitIdle();
    }
    void quickly(const QString& name) {
        press(u"Ctrl+P"_s);
        type(name);
        press(u"Return"_s);
    }
};

void TestBookKeyboard::initTestCase() {
    begin({u"residual"_s});
}

void TestBookKeyboard::ruleIsWrittenAndKept() {
    MouseSeen mouse;
    qApp->installEventFilter(&mouse);
    start();
    openFromDialog(u"residual/model.onnx"_s);
    const std::size_t before = groups();
    press(u"Ctrl+Shift+N"_s);
    for (const QString& line : {u"rule soft \"relu as clip\" {"_s, u"match  y = rellu(x)"_s,
                                u"emit   y = max(x, x)"_s, u"}"_s}) {
        type(line);
        if (line != u"}"_s)
            press(u"Return"_s);
    }
    QCOMPARE(m_window->document().state(Part::Plan), State::Stale);
    // A mistake and its fix.
    press(u"Ctrl+F8"_s);
    const int match = lineOf(u"rellu"_s);
    QCOMPARE(editor()->caret().line, match);
    QVERIFY2(status().contains(u"rellu"_s), qPrintable(status()));
    press(u"Ctrl+."_s);
    QVERIFY(editor()->lineText(match).contains(u"= relu(x)"_s));
    // An operator and its attribute by completion.
    goToLine(match + 1);
    press(u"End"_s);
    press(u"Shift+Home"_s);
    typeOn(u"  emit   y = cl"_s);
    takeCompletion(u"clip"_s);
    typeOn(u"(x) {mi"_s);
    takeCompletion(u"min"_s);
    type(u" = 0}"_s);
    QCOMPARE(editor()->lineText(match + 1), u"  emit   y = clip(x) {min = 0}"_s);
    QVERIFY2(editor()->marks().empty(), qPrintable(status()));
    // Every relu is framed, counted, walked.
    goToLine(match);
    QCOMPARE(framed(GraphSide::Imported, Halo::Look::Match), std::size_t(3));
    QVERIFY(editor()->notes().at(match - 1).text.startsWith(u"3 matches"_s));
    press(u"F3"_s);
    press(u"F3"_s);
    QCOMPARE(framed(GraphSide::Imported, Halo::Look::Current), std::size_t(1));
    QVERIFY(m_window->view<BooksView>()->matches()->title().contains(u"2/3"_s));
    press(u"Ctrl+Shift+Space"_s); // says what the word means, and takes no keys
    // Too narrow: a near miss is relaxed.
    press(u"End"_s);
    press(u"Shift+Home"_s);
    type(u"  match  y = relu(conv2d(x, w: const))"_s);
    QVERIFY(m_window->view<BooksView>()->matches()->model().rule()->matches.empty());
    const QString narrow = editor()->wholeText();
    press(u"Ctrl+Shift+R"_s);
    QVERIFY(editor()->wholeText() != narrow);
    press(u"Ctrl+Z"_s);
    QCOMPARE(editor()->wholeText(), narrow);
    for (int i = 0; i < 50 && !editor()->wholeText().contains(u"= relu(x)"_s); ++i)
        press(u"Ctrl+Z"_s);
    QCOMPARE(framed(GraphSide::Imported, Halo::Look::Match) +
                 framed(GraphSide::Imported, Halo::Look::Current),
             std::size_t(3));
    answerFileDialog(m_folder.filePath(u"residual/soft.fw"_s));
    press(u"Ctrl+S"_s);
    QVERIFY(QFileInfo::exists(m_folder.filePath(u"residual/soft.fw"_s)));
    QVERIFY(m_window->view<BooksView>()->area()->changed().isEmpty());

    // A line of a copy of the shipped policy goes, and groups part.
    strike(Qt::ALT | Qt::Key_B);
    QTRY_VERIFY(QApplication::activePopupWidget());
    strike(Qt::Key_H);
    auto* shipped = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(shipped);
    QTRY_VERIFY(shipped->actions().size() > 3);
    const auto marked = [&] {
        return shipped->activeAction() ? shipped->activeAction()->text() : QString();
    };
    for (int i = 0; i < 20 && marked() != u"fusion.fw"_s; ++i)
        strike(Qt::Key_Down);
    QCOMPARE(marked(), u"fusion.fw"_s);
    strike(Qt::Key_Return);
    waitIdle();
    QCOMPARE(m_window->view<BooksView>()->area()->currentPath(), u"fusion.fw"_s);
    press(u"Ctrl+Alt+C"_s);
    QCOMPARE(m_window->view<BooksView>()->area()->currentPath(),
             m_folder.filePath(u"residual/fusion.fw"_s));
    QCOMPARE(groups(), before);
    press(u"Ctrl+F"_s);
    type(u"grow contraction -> elementwise"_s);
    press(u"Return"_s);
    press(u"Esc"_s);
    QVERIFY(editor()->hasFocus());
    press(u"Home"_s);
    press(u"Shift+End"_s);
    press(u"Del"_s);
    QVERIFY2(groups() > before, qPrintable(QString::number(groups())));
    quickly(u"Relu_stem_relu"_s);
    QVERIFY2(m_window->view<ExplainView>()->asText().contains(
                 u"no rule grow contraction -> elementwise forward"_s),
             qPrintable(m_window->view<ExplainView>()->asText()));
    press(u"Ctrl+Z"_s);
    QCOMPARE(groups(), before);

    // Every view that is there has its turn, and the keys come back to the book.
    QSet<QWidget*> stops;
    for (int i = 0; i < 20 && !stops.contains(QApplication::focusWidget()); ++i) {
        stops.insert(QApplication::focusWidget());
        press(u"F6"_s);
    }
    QVERIFY2(stops.size() >= 6, qPrintable(QString::number(stops.size())));
    QVERIFY(editor()->hasFocus());

    // The window ends without a word. The next one offers what was typed.
    press(u"Ctrl+Home"_s);
    type(u"# more "_s);
    const QString text = editor()->wholeText();
    const auto plan = m_window->document().plan();
    press(u"F6"_s);
    answerFileDialog(m_folder.filePath(u"work.fwdoc"_s));
    press(u"Ctrl+Shift+S"_s);
    QVERIFY(QFileInfo::exists(m_folder.filePath(u"work.fwdoc"_s)));
    end();
    start();
    QVERIFY(m_window->offerBar()->text().contains(u"fusion.fw"_s));
    // The document names a book that has no file: it opens once the text is there.
    answerFileDialog(m_folder.filePath(u"work.fwdoc"_s));
    press(u"Ctrl+O"_s);
    QVERIFY(!m_window->document().isOpen());
    QVERIFY(m_window->messageBar()->text().contains(u"fusion.fw"_s));
    press(u"Ctrl+Alt+N"_s);
    QVERIFY2(m_window->document().isOpen(), qPrintable(m_window->messageBar()->text()));
    QVERIFY(m_window->offerBar()->text().isEmpty());
    QVERIFY(m_window->messageBar()->text().isEmpty());
    QCOMPARE(editor()->wholeText(), text);
    QVERIFY(*m_window->document().plan() == *plan);
    end();
    QCOMPARE(mouse.count, 0);
}

FW_TEST(TestBookKeyboard, QApplication)
#include "test_book_keyboard.moc"
