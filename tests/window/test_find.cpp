// Finding, with keys and mouse: what is typed, the list below it, the page of all, what is lit.
#include "app/window/find_box.h"
#include "common/test.h"
#include "views/found/found_view.h"
#include "window/story_fixture.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestFind : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"inception"_s}); }
    void init() {
        start();
        open(u"inception"_s);
        press(u"Ctrl+F"_s);
        QCOMPARE(keysGoTo(), box().line());
    }
    void cleanup() {
        m_window->answerUnsaved([] { return Unsaved::Discard; });
        end();
    }
    void listsWhileOneTypes();
    void keysWalkTheList();
    void completesKeysAndValues();
    void saysWhatIsWrong();
    void listsAllAndLightsIt();
    void measuredTimesAreFound();
    void keepsQueries();

private:
    FindBox& box() const { return *m_window->findChild<FindBox*>(); }
    QString row(int at, int column = 0) const {
        return box().model().index(at, column).data().toString();
    }
    void typeAndWait(const QString& text) { // until it is looked for
        type(text);
        QTRY_COMPARE(m_window->finder().query(), box().line()->text().trimmed());
    }
    const snapshot::NodeRecord* picked() const {
        return nodeOf(m_window->document().fused().get(), m_window->selection().fusedSubject);
    }
};

void TestFind::listsWhileOneTypes() {
    type(u"conv2d"_s);
    QTRY_VERIFY(box().list()->isVisible());
    QTRY_VERIFY2(box().count()->text().endsWith(u" found"_s), qPrintable(box().count()->text()));
    const int found = box().count()->text().section(u' ', 0, 0).toInt();
    QVERIFY(found > 3);
    int nodes = 0;
    for (int i = 0; i < box().model().rowCount(); ++i)
        nodes += box().model().rowCount(box().model().index(i, 0));
    QCOMPARE(nodes, found);
    picture(u"find-list"_s);
    strike(Qt::Key_Escape);
    QVERIFY(!box().list()->isVisible());
    QCOMPARE(box().line()->text(), u"conv2d"_s);
    strike(Qt::Key_Escape);
    QCOMPARE(box().line()->text(), QString());
}

void TestFind::keysWalkTheList() {
    typeAndWait(u"conv2d"_s);
    QTRY_VERIFY(box().list()->isVisible());
    strike(Qt::Key_Down);
    strike(Qt::Key_Down);
    strike(Qt::Key_Return);
    waitIdle();
    QTRY_VERIFY2(box().count()->text().startsWith(u"2 of "_s), qPrintable(box().count()->text()));
    QVERIFY(!box().list()->isVisible());
    QVERIFY(picked() != nullptr && picked()->op == "conv2d");
    // Enter goes on, Shift+Enter back, and so do the keys of the window.
    strike(Qt::Key_Return);
    QVERIFY(box().count()->text().startsWith(u"3 of "_s));
    strike(Qt::SHIFT | Qt::Key_Return);
    QVERIFY(box().count()->text().startsWith(u"2 of "_s));
    press(u"F3"_s);
    QVERIFY(box().count()->text().startsWith(u"3 of "_s));
}

void TestFind::completesKeysAndValues() {
    typeAndWait(u"o"_s);
    QTRY_COMPARE(row(0), u"op:"_s);
    strike(Qt::Key_Tab);
    QCOMPARE(box().line()->text(), u"op:"_s);
    typeAndWait(u"conc"_s);
    QTRY_COMPARE(row(0), u"op:concat"_s);
    QVERIFY(row(0, 1).toInt() > 0);
    strike(Qt::Key_Tab);
    QCOMPARE(box().line()->text(), u"op:concat"_s);
    QTRY_VERIFY(box().count()->text().endsWith(u"found"_s));
}

void TestFind::saysWhatIsWrong() {
    typeAndWait(u"nosuch:1"_s);
    QTRY_VERIFY2(box().count()->text().contains(u"no operator of this graph has an attribute"_s),
                 qPrintable(box().count()->text()));
    QVERIFY(row(0).contains(u"nosuch"_s));
    box().lookFor(u"nothing that is there"_s);
    QCOMPARE(box().count()->text(), u"nothing found"_s);
}

void TestFind::listsAllAndLightsIt() {
    typeAndWait(u"op:conv2d"_s);
    strike(Qt::CTRL | Qt::Key_Return);
    waitIdle();
    const auto* page = m_window->view<FoundView>();
    QVERIFY(page->inFront());
    int nodes = 0;
    for (int i = 0; i < page->model().rowCount(); ++i)
        nodes += page->model().rowCount(page->model().index(i, 0));
    QCOMPARE(u"%1 found"_s.arg(nodes), box().count()->text());
    picture(u"find-page"_s);
    // A row leads to its node.
    const QModelIndex first = page->model().index(0, 0, page->model().index(0, 0));
    page->tree()->setCurrentIndex(first);
    waitIdle();
    QVERIFY(picked() != nullptr && picked()->op == "conv2d");
    press(u"Ctrl+Shift+J"_s);
    const auto* canvas = m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas();
    QVERIFY(canvas->lit() && !canvas->lit()->empty());
    picture(u"find-lit"_s);
    press(u"Ctrl+Shift+J"_s);
    QVERIFY(!canvas->lit());
}

void TestFind::measuredTimesAreFound() {
    box().lookFor(u"time>0ns"_s);
    QCOMPARE(box().count()->text(), u"no time was measured yet"_s);
    m_window->document().tasks().profile();
    waitIdle();
    QTRY_VERIFY2(box().count()->text().endsWith(u" found"_s), qPrintable(box().count()->text()));
    box().lookFor(u"time>1000s"_s);
    QCOMPARE(box().count()->text(), u"nothing found"_s);
}

void TestFind::keepsQueries() {
    box().lookFor(u"op:concat"_s);
    QVERIFY(!box().line()->actions().isEmpty());
    for (QAction* action : box().line()->actions())
        if (action->text() == u"Keep this query"_s)
            action->trigger();
    box().lookFor({});
    press(u"Ctrl+F"_s);
    strike(Qt::Key_Down);
    QTRY_VERIFY(box().list()->isVisible());
    QCOMPARE(row(0), u"op:concat"_s);
    strike(Qt::Key_Return);
    QTRY_COMPARE(box().line()->text(), u"op:concat"_s);
}

FW_TEST(TestFind, QApplication)
#include "test_find.moc"
