// What people come for is reached in a few keys and clicks, by what workbench.md says alone.
#include "app/window/find_box.h"
#include "common/test.h"
#include "views/authoring/match_panel.h"
#include "views/authoring/rules_view.h"
#include "views/compare/changes_view.h"
#include "views/found/found_view.h"
#include "views/profile/profile_view.h"
#include "window/story_fixture.h"

#include "base/files.h"

#include <QAction>
#include <QTreeView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestReached : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s, u"mobilenet"_s, u"schedules"_s}); }
    void init() { m_actions = 0; }
    void cleanup() {
        m_window->answerUnsaved([] { return Unsaved::Discard; });
        end();
        QVERIFY2(m_actions <= most, qPrintable(u"%1 keys and clicks"_s.arg(m_actions)));
    }
    void whyARuleDidNotAct();
    void whatAScheduleDoesToTheTime();
    void slowDepthwiseConvolutions();
    void whatChangedInSum();

private:
    static constexpr int most = 6;

    void key(const QString& keys) {
        ++m_actions;
        press(keys);
    }
    void write(const QString& text) {
        ++m_actions;
        type(text);
    }
    void clickAt(QAbstractItemView* view, const QModelIndex& index) {
        ++m_actions;
        view->scrollTo(index);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(index).center());
        waitIdle();
    }
    // A book that takes part in the plan, and whose text nobody has open.
    void openWithBook(const QString& model, const QString& book) {
        start();
        open(model);
        m_window->openModel(m_folder.filePath(book));
        waitIdle();
        QVERIFY(editor() != nullptr);
    }
    const MatchPanel& panel() const { return *m_window->view<BooksView>()->matches(); }

    int m_actions = 0;
};

void TestReached::whyARuleDidNotAct() {
    QVERIFY(writeFile(m_folder.filePath(u"why.fw"_s).toStdString(),
                      "rule bad { match y = add(a, b) emit y = concat(a, b) { axis = 1 } }\n")
                .ok());
    openWithBook(u"residual"_s, u"why.fw"_s);
    // The rule in *Rules*, which made place for the text, its text, and what came of it below.
    for (const QAction* action : m_window->findChildren<QAction*>())
        if (action->text().remove(u'&') == u"Rules"_s &&
            action->shortcut().toString().startsWith(u"Alt+"_s))
            key(action->shortcut().toString());
    QVERIFY(m_actions == 1 && m_window->view<RulesView>()->inFront());
    QTreeView* rules = m_window->view<RulesView>()->tree();
    QModelIndexList found;
    QTRY_VERIFY(!(found = rules->model()->match(rules->model()->index(0, 0), Qt::DisplayRole,
                                                u"bad"_s, 1, Qt::MatchExactly | Qt::MatchRecursive))
                     .isEmpty());
    rules->expand(found[0].parent());
    clickAt(rules, found[0]);
    key(u"Ctrl+E"_s);
    QTRY_VERIFY2(panel().title().contains(u"undone at "_s), qPrintable(panel().title()));
}

void TestReached::whatAScheduleDoesToTheTime() {
    openWithBook(u"residual"_s, u"schedules/tiles.fw"_s);
    key(u"Ctrl+F10"_s);         // times with the schedule
    key(u"Ctrl+Alt+Shift+B"_s); // are what later ones are compared with
    key(u"Ctrl+Alt+B"_s);       // the book leaves the plan
    key(u"Ctrl+F10"_s);
    const auto* times = m_window->view<ProfileView>();
    QTRY_VERIFY(times->table()->model()->rowCount() > 0);
    const QString cell =
        times->table()->model()->index(0, ProfileModel::Difference).data().toString();
    QVERIFY2(cell.contains(u"%)"_s), qPrintable(cell));
    const auto* changes = m_window->view<ChangesView>();
    QTRY_VERIFY2(changes->footerText().contains(u"measured "_s), qPrintable(changes->footerText()));
}

void TestReached::slowDepthwiseConvolutions() {
    start();
    open(u"mobilenet"_s);
    key(u"Ctrl+F10"_s);
    key(u"Ctrl+F"_s);
    write(u"op:conv2d groups>1 time>0.01us"_s);
    key(u"Ctrl+Return"_s);
    const auto* page = m_window->view<FoundView>();
    QTRY_VERIFY(page->inFront());
    QTRY_VERIFY(page->model().rowCount() > 0);
    int nodes = 0;
    for (int i = 0; i < page->model().rowCount(); ++i)
        nodes += page->model().rowCount(page->model().index(i, 0));
    int depthwise = 0; // all of them: none takes less
    for (const auto& node : m_window->document().fused()->nodes)
        if (const auto groups = node.attributes.find("groups"); node.op == "conv2d")
            depthwise += groups != node.attributes.end() && groups->second != "1";
    QVERIFY(depthwise > 0);
    QCOMPARE(nodes, depthwise);
}

void TestReached::whatChangedInSum() {
    openWithBook(u"residual"_s, u"schedules/tiles.fw"_s);
    key(u"Ctrl+Alt+B"_s);
    const auto* changes = m_window->view<ChangesView>();
    QTRY_VERIFY2(changes->footerText().contains(u"all groups ≈ "_s),
                 qPrintable(changes->footerText()));
}

FW_TEST(TestReached, QApplication)
#include "test_reached.moc"
