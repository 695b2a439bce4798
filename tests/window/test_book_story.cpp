// A book from its first key to the next start, through the real window with the real worker.
#include "app/window/books_view.h"
#include "app/window/message_bar.h"
#include "common/test.h"
#include "views/authoring/match_panel.h"
#include "views/explain/explain_view.h"
#include "window/story_fixture.h"

#include <QAbstractItemView>
#include <QPushButton>
#include <QRegularExpression>
#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestBookStory : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void ruleIsWrittenAndKept();
    void policyIsChangedWhileGroupsPart();
    void halfTypedShippedBooksHarmNobody();

private:
    void start() {
        StoryFixture::start();
        m_window->answerSaveName([](const QString& suggested) { return suggested; });
        m_window->answerUnsaved([] { return Unsaved::Discard; });
    }
};

void TestBookStory::initTestCase() {
    begin({u"residual"_s});
}

void TestBookStory::ruleIsWrittenAndKept() {
    start();
    open(u"residual"_s);
    const auto plan = m_window->document().plan();
    m_window->newBook();
    waitIdle();
    QVERIFY2(m_window->messageBar()->text().isEmpty(), qPrintable(m_window->messageBar()->text()));
    type(u"rule soft \"relu as max\" {"_s);
    QVERIFY(!editor()->marks().empty()); // half typed
    QCOMPARE(m_window->document().state(Part::Plan), State::Stale);
    QVERIFY(*m_window->document().plan() == *plan);
    press(u"Return"_s);
    // A mistake, its mark and its fix.
    type(u"match  y = rellu(x)"_s);
    press(u"Return"_s);
    type(u"emit   y = max(x, 0)"_s);
    press(u"Return"_s);
    type(u"}"_s);
    const int line = editor()->caret().line - 2;
    editor()->goTo({line, 15});
    const auto marks = editor()->marksOfLine(line);
    picture(u"book-mistake"_s);
    QCOMPARE(marks.size(), std::size_t(1));
    QVERIFY2(m_window->view<BooksView>()->area()->current()->statusText().contains(u"rellu"_s),
             qPrintable(m_window->view<BooksView>()->area()->current()->statusText()));
    QCOMPARE(marks.front()->fixes.empty(), false);
    QVERIFY(editor()->applyFix());
    waitIdle();
    QVERIFY(editor()->lineText(line).contains(u"= relu(x)"_s));
    // An operator by completion, in the line of the result.
    editor()->goTo({line + 1, 1});
    QTextCursor cursor = editor()->textCursor();
    cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    cursor.insertText(u"  emit   y = "_s);
    waitIdle();
    QTest::keyClicks(editor(), u"cl"_s);
    QCompleter* completer = editor()->completer();
    QTRY_VERIFY(completer->popup()->isVisible());
    int row = -1;
    for (int i = 0; i < completer->completionCount() && row < 0; ++i)
        if (completer->completionModel()->index(i, 0).data().toString() == u"clip"_s)
            row = i;
    QVERIFY(row >= 0);
    completer->popup()->setCurrentIndex(completer->completionModel()->index(row, 0));
    QTest::keyClick(completer->popup(), Qt::Key_Return);
    QVERIFY(editor()->lineText(line + 1).endsWith(u"clip"_s));
    type(u"(x) {"_s);
    // And its attribute, with its type.
    QTest::keyClicks(editor(), u"ma"_s);
    QTRY_VERIFY(completer->popup()->isVisible());
    QCOMPARE(completer->completionModel()->index(0, 0).data().toString(), u"max"_s);
    completer->popup()->hide();
    editor()->select({line + 1, 14, line + 1, 200});
    editor()->textCursor().insertText(u"max(x, x)"_s);
    waitIdle();
    // It computes something else, and acts all the same.
    QCOMPARE(editor()->marks().size(), std::size_t(1));
    QVERIFY(editor()->marks()[0].diag.message.find("computes something else") != std::string::npos);
    // It matches every relu of the imported graph: framed, counted, walked.
    editor()->goTo({line, 3});
    waitIdle();
    std::size_t relus = 0;
    for (const auto& node : m_window->document().imported()->nodes)
        relus += node.op == "relu";
    QVERIFY(relus >= 3);
    QCOMPARE(framed(GraphSide::Imported, Halo::Look::Match), relus);
    QVERIFY2(editor()->notes().at(line - 1).text.contains(QString::number(relus) + u" matches"_s),
             qPrintable(editor()->notes().at(line - 1).text));
    QVERIFY(m_window->document().rewrite()->nodesAfter > 0);
    m_window->applyTheme(ThemeChoice::Dark);
    picture(u"book-matches"_s);
    m_window->applyTheme(ThemeChoice::Light);
    // A clause that is too narrow: a near miss, relaxed by its button.
    editor()->goTo({line, 1});
    editor()->select({line, 14, line, 21});
    editor()->textCursor().insertText(u"relu(conv2d(x, w: const))"_s);
    waitIdle();
    MatchPanel* panel = m_window->view<BooksView>()->matches();
    QVERIFY(panel->model().rule().has_value());
    QVERIFY(panel->model().rule()->matches.empty());
    QVERIFY(!panel->model().rule()->nearMisses.empty());
    int miss = 0;
    while (miss < panel->model().rowCount() &&
           !(panel->model().missAt(miss) && panel->model().missAt(miss)->relax))
        ++miss;
    QVERIFY(miss < panel->model().rowCount());
    panel->table()->setCurrentIndex(panel->model().index(miss, 0));
    panel->showCurrent();
    picture(u"book-near-miss"_s);
    const QString narrow = editor()->wholeText();
    panel->relaxButton()->click();
    waitIdle();
    QVERIFY(editor()->wholeText() != narrow);
    editor()->undo();
    waitIdle();
    QCOMPARE(editor()->wholeText(), narrow);
    editor()->undo();
    waitIdle();
    QCOMPARE(framed(GraphSide::Imported, Halo::Look::Match) +
                 framed(GraphSide::Imported, Halo::Look::Current),
             relus);
    // Saved in part, changed, and the window ends without a word.
    const QString book = m_window->view<BooksView>()->area()->currentPath();
    QVERIFY(m_window->view<BooksView>()->area()->save(book).ok());
    QVERIFY(m_window->saveTo(m_folder.filePath(u"work.fwdoc"_s)));
    editor()->goTo({1, 1});
    type(u"# more "_s);
    const QString text = editor()->wholeText();
    const auto decided = m_window->document().plan();
    end();
    // The next one offers it, and it is the same text and the same plan.
    start();
    m_window->openModel(m_folder.filePath(u"work.fwdoc"_s));
    waitIdle();
    QVERIFY(m_window->offerBar()->text().contains(QFileInfo(book).fileName()));
    m_window->offerBar()->action()->click();
    waitIdle();
    QCOMPARE(m_window->view<BooksView>()->area()->text(book), text);
    QVERIFY(*m_window->document().plan() == *decided);
    m_window->close();
    end();
}

// A line of a copy of the shipped policy goes, key by key, and groups part; Explain says which line
// it was, and which one is missing.
void TestBookStory::policyIsChangedWhileGroupsPart() {
    start();
    open(u"residual"_s);
    // The pair that the line is about: both in one group, by that line of the shipped book.
    const auto explain = [this] {
        QVERIFY(m_window->selectByNames({u"BatchNormalization_stem_bn"_s, u"Relu_stem_relu"_s}));
        waitIdle();
    };
    const auto said = [this](const QString& part) {
        return m_window->view<ExplainView>()->asText().contains(part);
    };
    const auto groupOf = [this](const char* name) {
        for (const auto& node : m_window->document().fused()->nodes)
            if (node.name == name)
                return node.group;
        return -1;
    };
    const std::size_t before = groups();
    m_window->editBook(u"fusion.fw"_s, 0);
    waitIdle();
    QVERIFY(editor()->isReadOnly());
    m_window->view<BooksView>()->area()->current()->bannerButton(0)->click(); // edit a copy
    waitIdle();
    QVERIFY(!editor()->isReadOnly());
    QCOMPARE(groups(), before);
    QCOMPARE(groupOf("BatchNormalization_stem_bn"), groupOf("Relu_stem_relu"));
    int line = 0;
    for (int i = 1; i <= editor()->document()->blockCount() && line == 0; ++i)
        if (editor()->lineText(i).contains(
                QRegularExpression(u"^grow\\s+contraction\\s+->\\s+elementwise\\s+forward"_s)))
            line = i;
    QVERIFY(line > 0);
    const QString cited = u"contraction -> elementwise at %1:%2"_s
                              .arg(m_window->view<BooksView>()->area()->currentPath())
                              .arg(line);
    explain();
    QVERIFY2(said(cited), qPrintable(m_window->view<ExplainView>()->asText()));

    // Half a line has errors or says something else; the plan is never away.
    editor()->setFocus();
    editor()->goTo({line, 1});
    strike(Qt::Key_End);
    bool grey = false;
    while (!editor()->lineText(line).isEmpty()) {
        press(u"Backspace"_s);
        QVERIFY(m_window->document().plan());
        grey |= m_window->document().state(Part::Plan) == State::Stale;
    }
    QVERIFY(grey);
    QCOMPARE(m_window->document().state(Part::Plan), State::Ready);
    QVERIFY2(groups() > before, qPrintable(QString::number(groups())));
    QVERIFY(groupOf("BatchNormalization_stem_bn") != groupOf("Relu_stem_relu"));
    QCOMPARE(groupOf("Conv_stem"), groupOf("BatchNormalization_stem_bn"));
    explain();
    QVERIFY2(said(u"no rule grow contraction -> elementwise forward"_s),
             qPrintable(m_window->view<ExplainView>()->asText()));
    picture(u"book-groups-part"_s);
    const std::size_t parted = groups();

    // A line that closes the way is cited where it stands.
    editor()->setFocus();
    type(u"grow contraction -> elementwise never"_s);
    QCOMPARE(groups(), parted);
    explain();
    QVERIFY2(said(cited) && said(u"operators of these kinds do not fuse"_s),
             qPrintable(m_window->view<ExplainView>()->asText()));

    editor()->setFocus();
    for (int i = 0; i < 100 && groups() != before; ++i)
        press(u"Ctrl+Z"_s);
    QCOMPARE(groups(), before);
    QCOMPARE(groupOf("BatchNormalization_stem_bn"), groupOf("Relu_stem_relu"));
    m_window->close();
    end();
}

// Every so many keys of a shipped book: the window stays, and the text.
void TestBookStory::halfTypedShippedBooksHarmNobody() {
    start();
    open(u"residual"_s);
    QFile file(u"" FW_SOURCE_DIR "/resources/library/simplify.fw"_s);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString whole = QString::fromUtf8(file.readAll()).left(4000);
    m_window->newBook();
    for (qsizetype end = 37; end < whole.size(); end += 397) {
        editor()->setPlainText(whole.left(end));
        m_window->view<BooksView>()->area()->settleNow();
        waitIdle();
        QCOMPARE(editor()->wholeText(), whole.left(end));
        QVERIFY(m_window->document().plan());
    }
    m_window->close();
    end();
}

FW_TEST(TestBookStory, QApplication)
#include "test_book_story.moc"
