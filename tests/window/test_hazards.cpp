// Hazards: what stands in the way, with keys and mouse.
#include "common/test.h"
#include "views/common/state_overlay.h"
#include "views/hazards/hazards_view.h"
#include "window/story_fixture.h"

#include <QDockWidget>
#include <QTabBar>
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
    void theTabCountsThem();

private:
    const HazardsView& view() const { return *m_window->view<HazardsView>(); }
};

void TestHazards::aRowSelectsItsOperators() {
    open(u"functions"_s);
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

// Before anybody looks at them, and with all tabs to be read in a small window.
void TestHazards::theTabCountsThem() {
    m_window->resize(1280, 800);
    press(u"Ctrl+Alt+R"_s);
    open(u"functions"_s);
    const auto* dock = m_window->findChild<QDockWidget*>(u"hazards"_s);
    const auto count = m_window->document().hazards()->hazards.size();
    QVERIFY(count > 0);
    QCOMPARE(dock->windowTitle(), u"Hazards (%1)"_s.arg(count));
    m_window->setTargetText(u"x86-64 -libs= -threads=1"_s); // something in Changes
    waitIdle();
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
        m_window->applyTheme(theme);
        const QTabBar* bar = nullptr;
        for (const auto* one :
             m_window->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
            if (one->isVisible())
                bar = one;
        QVERIFY(bar != nullptr);
        QCOMPARE(bar->count(), 10);
        for (int i = 0; i < bar->count(); ++i) {
            QVERIFY2(bar->rect().contains(bar->tabRect(i)), qPrintable(bar->tabText(i)));
            QVERIFY2(bar->tabRect(i).width() >
                         bar->fontMetrics().horizontalAdvance(bar->tabText(i).remove(u'&')),
                     qPrintable(bar->tabText(i)));
        }
    }
    picture(u"hazards-tab-1280"_s);
    open(u"mlp"_s);
    QCOMPARE(dock->windowTitle(), u"Hazards"_s);
}

FW_TEST(TestHazards, QApplication)
#include "test_hazards.moc"
