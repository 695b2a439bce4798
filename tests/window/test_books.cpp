// Books in the window: opened, begun, changed, saved, kept from a crash, changed by others, and
// what their texts do to the plan while they are typed.
#include "app/window/books_view.h"
#include "app/window/message_bar.h"
#include "common/test.h"
#include "views/authoring/rules_view.h"
#include "views/common/state_overlay.h"
#include "views/editor/find_bar.h"
#include "views/graph/graphs_view.h"
#include "views/problems/problems_view.h"
#include "window/books_fixture.h"

#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QTabBar>
#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestBooks : public QObject, private BooksFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { m.reset(); }
    void bookIsBegunAndSaved();
    void savingUnderAnotherNameKeepsTheTimes();
    void bookIsLaidOut();
    void bookOpensFromTheRules();
    void shippedBookIsCopied();
    void closingAsks();
    void textActsWhileTyped();
    void textWithErrorsKeepsThePlan();
    void undoInTheEditorBringsThePlanBack();
    void everyBookIsAsked();
    void textThrownAwayActsNoMore();
    void restoredBookWithErrorsTakesPart();
    void bookCanBeTakenOut();
    void booksAreOrdered();
    void savedTextIsReleased();
    void endlessRulesAreAProblem();
    void changedFileIsReadAgain();
    void changedFileAsksIfBothChanged();
    void replacedFileIsNoticed();
    void bookOfThePlanIsWatched();
    void linesEndAsTheyDid();
    void whatIsNoTextIsRefused();
    void draftsOutliveTheWindow();
    void draftsOfALivingWindowAreLeftAlone();
    void savingFailsAndLosesNothing();
    void findAndSaveGoWhereTheKeysGo();
    void docksMakeRoomInASmallWindow();
    void workerDiesAtEveryKey();
};

void TestBooks::bookIsBegunAndSaved() {
    QVERIFY(open());
    QVERIFY(!books().isVisible());
    QVERIFY(m->trigger("New book"));
    QVERIFY(books().isVisible() && editor().hasFocus());
    const QString file = books().currentPath();
    QCOMPARE(QFileInfo(file).fileName(), u"book-1.fw"_s);
    QCOMPARE(QFileInfo(file).absolutePath(), m_folder->path()); // beside the model
    QCOMPARE(window().document().inputs().enabledBooks().size(), std::size_t(1));
    QVERIFY(type(u"rule mine {"_s));
    QVERIFY(!QFileInfo::exists(file));
    QVERIFY(books().tabs()->tabText(0).startsWith(u"●"_s));
    QVERIFY(m->trigger("Save book"));
    QVERIFY(read(file).contains("rule mine {"));
    QCOMPARE(books().tabs()->tabText(0), u"book-1.fw"_s);
    QVERIFY(books().changed().isEmpty());
    // Under another name it is another file, and the document follows.
    const QString other = path("other.fw");
    window().answerSaveName([&](const QString&) { return other; });
    QVERIFY(m->trigger("Save book as"));
    QCOMPARE(books().currentPath(), other);
    QCOMPARE(window().document().inputs().enabledBooks().front(), other.toStdString());
    QVERIFY(m->trigger("New book"));
    QCOMPARE(QFileInfo(books().currentPath()).fileName(), u"book-2.fw"_s);
    QCOMPARE(books().tabs()->count(), 2);
}

// The plan is made anew for it, and has the same groups.
void TestBooks::savingUnderAnotherNameKeepsTheTimes() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(m->trigger("Save book"));
    window().document().tasks().profile();
    QVERIFY(m->waitIdle());
    QCOMPARE(window().document().state(Part::Profile), State::Ready);
    const QString other = path("kept.fw");
    window().answerSaveName([&](const QString&) { return other; });
    QVERIFY(m->trigger("Save book as"));
    QVERIFY(m->waitIdle());
    QCOMPARE(window().document().inputs().enabledBooks().front(), other.toStdString());
    QCOMPARE(window().document().state(Part::Plan), State::Ready);
    QCOMPARE(window().document().state(Part::Profile), State::Ready);
}

void TestBooks::bookIsLaidOut() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    editor().setWholeText({});
    QVERIFY(type(u"rule  mine  "_s));
    const QString wrong = editor().wholeText();
    QVERIFY(m->trigger("Lay out"));
    QVERIFY(m->waitIdle());
    QCOMPARE(editor().wholeText(), wrong);
    QVERIFY(type(u"{"_s));
    const QString given = editor().wholeText();
    QVERIFY(given.startsWith(u"rule  mine  {"_s));
    QVERIFY(m->trigger("Lay out"));
    QVERIFY(m->waitIdle());
    QTRY_VERIFY(editor().wholeText().startsWith(u"rule mine {"_s));
    QVERIFY(books().tabs()->tabText(0).startsWith(u"●"_s));
    editor().undo();
    QCOMPARE(editor().wholeText(), given);
}

void TestBooks::bookOpensFromTheRules() {
    QVERIFY(open());
    write("my.fw", "rule my_rule {\n}\n");
    window().openBook(path("my.fw"));
    QVERIFY(m->waitIdle());
    RulesView* rules = window().view<RulesView>();
    const QModelIndex book = rules->model().index(0, 0);
    rules->tree()->setCurrentIndex(book);
    QVERIFY(m->trigger("Edit the selected book"));
    QCOMPARE(books().currentPath(), path("my.fw"));
    QCOMPARE(editor().wholeText(), u"rule my_rule {\n}\n"_s);
    QVERIFY(books().changed().isEmpty());
    // Once more shows the tab that is there; a shipped rule opens its book.
    rules->tree()->setCurrentIndex(book);
    rules->editCurrent();
    QCOMPARE(books().tabs()->count(), 1);
    const QModelIndex library = rules->model().index(1, 0);
    QCOMPARE(library.data().toString(), u"simplify.fw"_s);
    rules->tree()->setCurrentIndex(rules->model().index(0, 0, library));
    QVERIFY(!rules->tree()->currentIndex().data(RulesModel::FileRole).toString().isEmpty());
    rules->editCurrent();
    QVERIFY(m->waitIdle());
    QCOMPARE(books().currentPath(), u"simplify.fw"_s);
    QVERIFY(editor().isReadOnly());
}

void TestBooks::shippedBookIsCopied() {
    QVERIFY(open());
    window().editBook(u"simplify.fw"_s, 2);
    QVERIFY(m->waitIdle());
    QCOMPARE(editor().caret().line, 2);
    QTest::keyClicks(&editor(), u"x"_s);
    QVERIFY(!editor().wholeText().contains(u"xmatch"_s));
    QVERIFY(m->trigger("Edit a copy"));
    QCOMPARE(books().currentPath(), path("simplify.fw"));
    QVERIFY(!editor().isReadOnly());
    QCOMPARE(editor().caret().line, 2);
    QVERIFY(editor().wholeText().startsWith(u"rule shipped"_s));
    QCOMPARE(books().tabs()->count(), 1);
    QCOMPARE(window().document().inputs().enabledBooks().front(),
             path("simplify.fw").toStdString());
}

void TestBooks::closingAsks() {
    QVERIFY(open());
    int asked = 0;
    Unsaved answer = Unsaved::Cancel;
    window().answerUnsaved([&] {
        ++asked;
        return answer;
    });
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"rule a {"_s));
    const QString file = books().currentPath();
    QVERIFY(m->trigger("Close tab"));
    QCOMPARE(asked, 1);
    QVERIFY(!books().isEmpty());
    window().close();
    QVERIFY(window().isVisible());
    QCOMPARE(asked, 2);
    answer = Unsaved::Save;
    QVERIFY(m->trigger("Close tab"));
    QVERIFY(books().isEmpty() && !books().isVisible());
    QVERIFY(read(file).contains("rule a {"));
    QCOMPARE(window().document().inputs().enabledBooks().size(), std::size_t(1));
    // What was begun and thrown away is in no document.
    answer = Unsaved::Discard;
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"rule b {"_s));
    QVERIFY(m->trigger("Close tab"));
    QCOMPARE(window().document().inputs().books.size(), std::size_t(1));
    QVERIFY(!QFileInfo::exists(path("book-2.fw")));
    // A saved text closes without a question.
    const int before = asked;
    window().editBook(file, 0);
    QVERIFY(m->trigger("Close tab"));
    QCOMPARE(asked, before);
}

// The text acts without being saved: what it says changes the plan.
void TestBooks::textActsWhileTyped() {
    QVERIFY(open());
    QCOMPARE(groups(), std::size_t(3));
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"part_the_addition"_s));
    QCOMPARE(groups(), std::size_t(4));
    QVERIFY(!QFileInfo::exists(books().currentPath()));
    // What else is asked sees it, too: every request carries the text.
    window().document().tasks().profile();
    QVERIFY(m->waitIdle());
    QCOMPARE(window().document().profileResult()->rows.size(), std::size_t(4));
    // A text thrown away acts no more.
    QVERIFY(m->trigger("Close tab"));
    QCOMPARE(groups(), std::size_t(3));
}

void TestBooks::textWithErrorsKeepsThePlan() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"part_the_addition"_s));
    const auto plan = window().document().plan();
    QTest::keyClick(&editor(), Qt::Key_Return);
    QVERIFY(type(u"rule a { match y = rellu(x) }"_s));
    QCOMPARE(window().document().plan(), plan);
    QCOMPARE(window().document().state(Part::Plan), State::Stale);
    const QString said = m->pane(GraphSide::Fused)->overlay()->text();
    QVERIFY2(said.contains(u"book-1.fw has errors"_s), qPrintable(said));
    QCOMPARE(editor().marks().size(), std::size_t(1));
    QCOMPARE(editor().marks().front().fixes.size(), std::size_t(1));
    QVERIFY(books().current()->statusText().contains(u"rellu"_s));
    // The fix on a key: the text is right, and so is the plan.
    QVERIFY(m->trigger("Apply the fix"));
    QVERIFY(editor().wholeText().contains(u"= relu(x)"_s));
    QVERIFY(editor().marks().empty());
    QCOMPARE(window().document().state(Part::Plan), State::Ready);
    QCOMPARE(groups(), std::size_t(4));
    QVERIFY(m->pane(GraphSide::Fused)->overlay()->text().isEmpty());
}

void TestBooks::undoInTheEditorBringsThePlanBack() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(m->waitIdle());
    editor().insertPlainText(u"part_the_addition\n"_s);
    QVERIFY(m->waitIdle());
    QCOMPARE(groups(), std::size_t(4));
    QTest::keyClick(&editor(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(m->waitIdle());
    QCOMPARE(groups(), std::size_t(3));
    QVERIFY(window().document().history().canUndo()); // of the document: the book itself
}

// Books that are told at once: none takes the question of another away.
void TestBooks::everyBookIsAsked() {
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"rule a {"_s));
    const QString first = books().currentPath();
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"rule b {"_s));
    QVERIFY(open());
    for (const QString& file : {first, books().currentPath()}) {
        const TextMatches* matches = window().document().textMatchesOf(file);
        QVERIFY2(matches, qPrintable(file));
        QCOMPARE(matches->state, State::Ready);
    }
}

// An answer that comes after the tab was closed is of a text that is no more.
void TestBooks::textThrownAwayActsNoMore() {
    QVERIFY(open());
    write("my.fw", "rule a {\n}\n");
    window().openBook(path("my.fw"));
    window().editBook(path("my.fw"), 0);
    QVERIFY(m->waitIdle());
    QTest::keyClicks(&editor(), u"part_the_addition "_s);
    books().settleNow();
    QVERIFY(m->trigger("Close tab"));
    QVERIFY(!window().document().books().actingText(path("my.fw")));
    QVERIFY(!window().document().textMatchesOf(path("my.fw")));
    QCOMPARE(groups(), std::size_t(3));
}

// There is no file yet, and no text without errors: nothing of it acts, until it is right.
void TestBooks::restoredBookWithErrorsTakesPart() {
    QVERIFY(open());
    books().restore({path("lost.fw"), u"rellu"_s});
    QVERIFY(m->waitIdle());
    QVERIFY(m->trigger("Takes part"));
    const std::string* acting = window().document().books().actingText(path("lost.fw"));
    QVERIFY(acting && acting->empty());
    editor().selectAll();
    QVERIFY(type(u"part_the_addition"_s));
    QCOMPARE(groups(), std::size_t(4));
}

void TestBooks::bookCanBeTakenOut() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"part_the_addition"_s));
    QVERIFY(m->action(u"Takes part in the plan"_s)->isChecked());
    QVERIFY(m->trigger("Takes part in the plan"));
    QCOMPARE(groups(), std::size_t(3));
    QVERIFY(!m->action(u"Takes part in the plan"_s)->isChecked());
    QVERIFY(m->trigger("Takes part in the plan"));
    QCOMPARE(groups(), std::size_t(4));
}

// By dragging and by keys; what is in the document can be undone.
void TestBooks::booksAreOrdered() {
    QVERIFY(open());
    for (const char* name : {"a.fw", "b.fw", "c.fw"}) {
        write(name, "rule a {\n}\n");
        window().openBook(path(name));
    }
    QVERIFY(m->waitIdle());
    const auto order = [&] {
        QString out;
        for (const auto& book : window().document().inputs().books)
            out += QFileInfo(QString::fromStdString(book.path)).completeBaseName();
        return out;
    };
    RulesView* rules = window().view<RulesView>();
    RulesModel& model = rules->model();
    const auto drop = [&](int from, int to, const QModelIndex& onto = {}) {
        const std::unique_ptr<QMimeData> data(model.mimeData({model.index(from, 0)}));
        model.dropMimeData(data.get(), Qt::MoveAction, to, 0, onto);
        QCoreApplication::processEvents();
        return m->waitIdle();
    };
    QVERIFY(model.flags(model.index(0, 0)) & Qt::ItemIsDragEnabled);
    QVERIFY(!(model.flags(model.index(3, 0)) & Qt::ItemIsDragEnabled)); // the library
    QVERIFY(drop(2, 0));
    QCOMPARE(order(), u"cab"_s);
    QVERIFY(drop(0, 3));
    QCOMPARE(order(), u"abc"_s);
    QVERIFY(drop(0, -1, model.index(1, 0)));
    QCOMPARE(order(), u"bac"_s);
    QCOMPARE(model.index(0, 0).data().toString(), u"b.fw"_s);
    rules->tree()->setCurrentIndex(model.index(0, 0));
    QVERIFY(m->trigger("Move the book up")); // it is the first
    QCOMPARE(order(), u"bac"_s);
    QVERIFY(m->trigger("Move the book down"));
    QCOMPARE(order(), u"abc"_s);
    QVERIFY(m->trigger("Undo: move b.fw"));
    QCOMPARE(order(), u"bac"_s);
}

// A tab that is closed leaves its file to itself, without a new plan.
void TestBooks::savedTextIsReleased() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"part_the_addition"_s));
    const QString file = books().currentPath();
    QVERIFY(window().document().books().actingText(file));
    QVERIFY(m->trigger("Save book"));
    const auto plan = window().document().plan();
    QVERIFY(m->trigger("Close tab"));
    QVERIFY(!window().document().books().actingText(file));
    QCOMPARE(window().document().plan(), plan);
    QCOMPARE(window().document().state(Part::Plan), State::Ready);
}

void TestBooks::endlessRulesAreAProblem() {
    QVERIFY(open());
    const auto limits = [&] {
        const Diags& all = window().view<ProblemsView>()->model().problems();
        return std::count_if(all.begin(), all.end(),
                             [](const Diag& diag) { return diag.code == DiagCode::RuleLimit; });
    };
    QCOMPARE(limits(), 0);
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"never_ends"_s));
    QVERIFY(limits() > 0);
}

void TestBooks::changedFileIsReadAgain() {
    QVERIFY(open());
    write("my.fw", "rule a {\n}\n");
    window().openBook(path("my.fw"));
    window().editBook(path("my.fw"), 0);
    QVERIFY(m->waitIdle());
    write("my.fw", "part_the_addition\n");
    QTRY_COMPARE(editor().wholeText(), u"part_the_addition\n"_s);
    QVERIFY(m->waitIdle());
    QCOMPARE(groups(), std::size_t(4));
    QVERIFY(books().changed().isEmpty());
    QVERIFY(books().current()->banner() == BookPage::Banner::None);
}

void TestBooks::changedFileAsksIfBothChanged() {
    QVERIFY(open());
    write("my.fw", "rule a {\n}\n");
    window().editBook(path("my.fw"), 0);
    QVERIFY(type(u"# mine "_s));
    write("my.fw", "# theirs\n");
    QTRY_VERIFY(books().current()->banner() == BookPage::Banner::ChangedOnDisk);
    QVERIFY(editor().wholeText().startsWith(u"# mine"_s));
    books().current()->bannerButton(1)->click(); // keep mine
    QVERIFY(books().current()->banner() == BookPage::Banner::None);
    QVERIFY(!books().changed().isEmpty());
    write("my.fw", "# theirs again\n");
    QTRY_VERIFY(books().current()->banner() == BookPage::Banner::ChangedOnDisk);
    books().current()->bannerButton(0)->click(); // reload
    QCOMPARE(editor().wholeText(), u"# theirs again\n"_s);
    QVERIFY(books().changed().isEmpty());
    editor().undo(); // the text that was here is not lost
    QVERIFY(editor().wholeText().startsWith(u"# mine"_s));
    QVERIFY(!books().changed().isEmpty());
    QFile::remove(path("my.fw"));
    QTRY_VERIFY(books().current()->banner() == BookPage::Banner::Gone);
    QVERIFY(m->trigger("Save book"));
    QVERIFY(read(path("my.fw")).startsWith("# mine"));
}

// Editors and version control write another file and rename it.
void TestBooks::replacedFileIsNoticed() {
    write("my.fw", "# one\n");
    window().editBook(path("my.fw"), 0);
    for (const char* text : {"# second\n", "# the third\n"}) {
        write("other", text);
        QVERIFY(QFile::remove(path("my.fw")));
        QVERIFY(QFile::rename(path("other"), path("my.fw")));
        QTRY_COMPARE(editor().wholeText(), QString::fromLatin1(text));
    }
}

void TestBooks::bookOfThePlanIsWatched() {
    QVERIFY(open());
    write("my.fw", "rule a {\n}\n");
    window().openBook(path("my.fw"));
    QVERIFY(m->waitIdle());
    const auto plan = window().document().plan();
    write("my.fw", "rule other {\n}\n");
    QTRY_VERIFY(window().document().plan() != plan);
    QVERIFY(m->waitIdle());
}

void TestBooks::linesEndAsTheyDid() {
    write("dos.fw", "rule a {\r\n}\r\n");
    window().editBook(path("dos.fw"), 0);
    QCOMPARE(editor().wholeText(), u"rule a {\n}\n"_s);
    QTest::keyClicks(&editor(), u"# "_s);
    QVERIFY(m->trigger("Save book"));
    QCOMPARE(read(path("dos.fw")), QByteArray("# rule a {\r\n}\r\n"));
}

void TestBooks::whatIsNoTextIsRefused() {
    write("latin.fw", "# caf\xe9\n");
    window().editBook(path("latin.fw"), 0);
    QVERIFY(books().isEmpty());
    QVERIFY(window().messageBar()->text().contains(u"UTF-8"_s));
    window().editBook(path("missing.fw"), 0);
    QVERIFY(books().isEmpty());
    QVERIFY(window().view<ProblemsView>()->model().rowCount() >= 2);
}

// What was typed and not saved is offered to the next window, and acts again.
void TestBooks::draftsOutliveTheWindow() {
    m.reset();
    qputenv("XDG_STATE_HOME", path("state").toUtf8());
    qputenv("XDG_CONFIG_HOME", path("config").toUtf8());
    {
        MainWindow first(u"" FW_BINARY_DIR "/tests/fake_worker"_s, Memory::Remember);
        first.show();
        write("my.fw", "rule a {\n}\n");
        first.editBook(path("my.fw"), 0);
        QTest::keyClicks(first.view<BooksView>()->area()->current()->editor(),
                         u"part_the_addition "_s);
        first.view<BooksView>()->area()->settleNow();
        // A window that ends without being closed keeps its drafts.
    }
    QCOMPARE(read(path("my.fw")), QByteArray("rule a {\n}\n"));
    MainWindow second(u"" FW_BINARY_DIR "/tests/fake_worker"_s, Memory::Remember);
    second.answerUnsaved([] { return Unsaved::Discard; });
    second.show();
    QVERIFY(second.offerBar()->text().contains(u"my.fw"_s));
    second.openModel(path("residual.onnx"));
    QVERIFY(QTest::qWaitFor([&] { return second.idle() && second.document().plan(); }, 20000));
    second.openBook(path("my.fw"));
    QVERIFY(QTest::qWaitFor([&] { return second.idle(); }, 20000));
    QCOMPARE(second.document().plan()->groups.size(), std::size_t(3));
    // Opening a model clears messages; an offer stays until it is answered.
    QVERIFY(second.offerBar()->action()->isVisible());
    second.offerBar()->action()->click();
    QVERIFY(QTest::qWaitFor([&] { return second.idle(); }, 20000));
    QCOMPARE(second.view<BooksView>()->area()->text(path("my.fw")),
             u"part_the_addition rule a {\n}\n"_s);
    QCOMPARE(second.document().plan()->groups.size(), std::size_t(4));
    QCOMPARE(second.view<BooksView>()->area()->changed(), QStringList{path("my.fw")});
    // Answered once, it is not asked again.
    second.close();
    MainWindow third(u"" FW_BINARY_DIR "/tests/fake_worker"_s, Memory::Remember);
    QVERIFY(third.offerBar()->text().isEmpty());
}

void TestBooks::draftsOfALivingWindowAreLeftAlone() {
    Drafts living(path("drafts"));
    QVERIFY(living.keep({u"/a.fw"_s, u"one"_s}).ok());
    Drafts other(path("drafts"));
    QVERIFY(other.leftOver().empty());
    {
        Drafts ended(path("drafts"));
        QVERIFY(ended.keep({u"/b.fw"_s, u"two"_s}).ok());
        QVERIFY(ended.keep({u"/c.fw"_s, u"three"_s}).ok());
        ended.forget({u"/c.fw"_s, {}});
    }
    const std::vector<Draft> left = other.leftOver();
    QCOMPARE(left.size(), std::size_t(1));
    QVERIFY(left[0] == (Draft{u"/b.fw"_s, u"two"_s}));
    {
        Drafts endedLater(path("drafts"));
        QVERIFY(endedLater.keep({u"/d.fw"_s, u"four"_s}).ok());
    }
    other.forgetLeftOver(left);
    QVERIFY(other.leftOver() == (std::vector<Draft>{{u"/d.fw"_s, u"four"_s}}));
    other.forgetLeftOver(other.leftOver());
    QVERIFY(other.leftOver().empty());
    QCOMPARE(QDir(path("drafts")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 1);
}

void TestBooks::savingFailsAndLosesNothing() {
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"rule a {"_s));
    write("file", "");
    window().answerSaveName([&](const QString&) { return path("file/book.fw"); });
    QVERIFY(m->trigger("Save book"));
    QVERIFY(!window().messageBar()->text().isEmpty());
    QVERIFY(editor().wholeText().contains(u"rule a {"_s));
    QCOMPARE(books().changed().size(), qsizetype(1));
}

void TestBooks::findAndSaveGoWhereTheKeysGo() {
    QVERIFY(open());
    QVERIFY(m->trigger("New book"));
    QVERIFY(type(u"rule a {"_s));
    QVERIFY(m->trigger("Find"));
    QVERIFY(books().current()->findBar()->isVisible());
    QTest::keyClick(books().current()->findBar()->wanted(), Qt::Key_Escape);
    QVERIFY(m->trigger("Replace"));
    QVERIFY(books().current()->findBar()->replacement()->isVisible());
    editor().setFocus();
    QVERIFY(m->trigger("Save"));
    QVERIFY(QFileInfo::exists(books().currentPath()));
    m->pane(GraphSide::Fused)->canvas()->setFocus();
    QVERIFY(m->trigger("Find"));
    QVERIFY(window().findChild<QLineEdit*>(u"find"_s)->hasFocus());
}

void TestBooks::docksMakeRoomInASmallWindow() {
    window().resize(1280, 800);
    QVERIFY(open());
    auto* explain = window().findChild<QDockWidget*>(u"explain"_s);
    QVERIFY(explain->isVisible());
    auto* outline = window().findChild<QDockWidget*>(u"outline"_s);
    QVERIFY(outline->isVisible());
    const int width = explain->width(), left = outline->width();
    QVERIFY(m->trigger("New book"));
    QVERIFY(explain->isVisible()); // why, and who else could, is what one writes for
    QVERIFY(!outline->isVisible());
    QVERIFY(m->trigger("Close tab"));
    QVERIFY(outline->isVisible());
    QTRY_VERIFY2(std::abs(outline->width() - left) < 8,
                 qPrintable(QString::number(outline->width())));
    QTRY_VERIFY2(std::abs(explain->width() - width) < 8,
                 qPrintable(QString::number(explain->width())));
    window().resize(2560, 1440);
    QCoreApplication::processEvents();
    QVERIFY(m->trigger("New book"));
    QVERIFY(explain->isVisible() && outline->isVisible());
}

// A worker that dies of every check: the text stays, and so does the plan.
void TestBooks::workerDiesAtEveryKey() {
    QVERIFY(open());
    const auto plan = window().document().plan();
    QVERIFY(m->trigger("New book"));
    QVERIFY(m->waitIdle());
    const QString before = editor().wholeText();
    for (const QChar key : u"# die_now"_s) {
        QTest::keyClicks(&editor(), QString(key));
        books().settleNow();
        QVERIFY(m->waitIdle());
    }
    QCOMPARE(editor().wholeText(), before + u"# die_now"_s);
    QVERIFY(window().document().plan());
    QCOMPARE(window().document().plan()->groups.size(), plan->groups.size());
    for (int i = 0; i < 4; ++i)
        QTest::keyClick(&editor(), Qt::Key_Backspace);
    QVERIFY(m->waitIdle());
    QCOMPARE(window().document().state(Part::Plan), State::Ready);
}

FW_TEST(TestBooks, QApplication)
#include "test_books.moc"
