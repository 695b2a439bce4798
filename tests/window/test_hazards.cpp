// Hazards: what stands in the way, with keys and mouse.
#include "common/test.h"
#include "views/common/state_overlay.h"
#include "views/hazards/hazards_view.h"
#include "window/story_fixture.h"

#include <QTreeWidget>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestHazards : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"functions"_s, u"mlp"_s}); }
    void init() { start(); }
    void cleanup() { end(); }
    void aRowSelectsItsOperators();
    void nothingIsSaid();
    void followsThePlan();

private:
    const HazardsView& view() const { return *m_window->view<HazardsView>(); }
};

void TestHazards::aRowSelectsItsOperators() {
    open(u"functions"_s);
    QCOMPARE(view().table()->topLevelItemCount(), 0); // not asked while nobody sees it
    press(u"Ctrl+Alt+Shift+W"_s);
    QTRY_VERIFY(view().table()->topLevelItemCount() > 0);
    const QTreeWidgetItem* branch = nullptr;
    for (int i = 0; i < view().table()->topLevelItemCount(); ++i)
        if (view().table()->topLevelItem(i)->text(HazardsView::Code) == u"HAZ05"_s)
            branch = view().table()->topLevelItem(i);
    QVERIFY(branch != nullptr);
    QVERIFY(branch->text(HazardsView::What).contains(u"then_branch is taken"_s));
    QVERIFY(!branch->text(HazardsView::Todo).isEmpty());
    picture(u"hazards"_s);
    QTest::mouseClick(view().table()->viewport(), Qt::LeftButton, {},
                      view().table()->visualItemRect(branch).center());
    waitIdle();
    QVERIFY(!m_window->selection().imported.empty());
}

void TestHazards::nothingIsSaid() {
    open(u"mlp"_s);
    press(u"Ctrl+Alt+Shift+W"_s);
    QTRY_COMPARE(view().overlay()->text().section(u'\n', 0, 0), u"Nothing stands in the way"_s);
}

void TestHazards::followsThePlan() {
    open(u"functions"_s);
    press(u"Ctrl+Alt+Shift+W"_s);
    QTRY_VERIFY(view().table()->topLevelItemCount() > 0);
    const auto before = m_window->document().hazards();
    m_window->setTargetText(u"x86-64 -libs= -threads=1"_s);
    waitIdle();
    QTRY_VERIFY(m_window->document().state(Part::Hazards) == State::Ready);
    QVERIFY(m_window->document().hazards() != before);
}

FW_TEST(TestHazards, QApplication)
#include "test_hazards.moc"
