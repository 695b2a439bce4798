// What it costs that a library takes nothing behind its product, with the mouse and the keys alone,
// and the real worker: the edge says why it is no fusion, the times of both plans stand side by
// side, and the two groups are timed alone and forced together.
#include "common/test.h"
#include "views/compare/changes_view.h"
#include "views/explain/explain_view.h"
#include "views/profile/profile_view.h"
#include "window/story_fixture.h"

#include <QLabel>
#include <QTreeView>
#include <QTreeWidget>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestFusionStory : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void whatItCostsIsFound();

private:
    ExplainView& explain() { return *m_window->view<ExplainView>(); }
    QStringList explained(const QString& name) {
        QStringList out;
        const auto* rows = explain().findChild<QTreeWidget*>();
        for (int row = 0; row < rows->topLevelItemCount(); ++row)
            if (rows->topLevelItem(row)->text(1) == name)
                out << rows->topLevelItem(row)->text(2);
        return out;
    }
    QString said() {
        QStringList out;
        const auto* rows = explain().findChild<QTreeWidget*>();
        for (int row = 0; row < rows->topLevelItemCount(); ++row)
            out << rows->topLevelItem(row)->text(1) + u": "_s + rows->topLevelItem(row)->text(2);
        return explain().sentence() + u'\n' + out.join(u'\n');
    }
    void click(QWidget* button) {
        QTest::mouseClick(button, Qt::LeftButton);
        waitIdle();
    }
    // In the fused graph, as people do: the middle of its box.
    void clickNode(const char* op, Qt::KeyboardModifiers keys = {}) {
        for (const auto& node : m_window->document().fused()->nodes)
            if (node.op == op) {
                auto* canvas = m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas();
                canvas->centerOn(node.id);
                QTest::mouseClick(canvas->viewport(), Qt::LeftButton, keys,
                                  canvas->nodeCenter(node.id));
                return waitIdle();
            }
        QFAIL(op);
    }
};

void TestFusionStory::whatItCostsIsFound() {
    begin({u"library-fusion"_s});
    start(u"x86-64 -mcpu=x86-64-v3 -libs=openblas -threads=1"_s);
    m_window->openModel(m_folder.filePath(u"library-fusion/dense.fw"_s));
    waitIdle();
    if (!m_window->document().isOpen() || m_window->document().state(Part::Plan) != State::Ready)
        QSKIP("OpenBLAS is not here");
    QCOMPARE(groups(), std::size_t(2));
    // The edge behind the product, and why it is none of the group.
    clickNode("dense");
    clickNode("bias", Qt::ControlModifier);
    QTRY_VERIFY2(said().contains(u"IMP01"_s), qPrintable(said()));
    // Its times, which become the baseline.
    press(u"Ctrl+F10"_s);
    QCOMPARE(m_window->document().state(Part::Profile), State::Ready);
    press(u"Ctrl+Alt+Shift+B"_s);
    QVERIFY(m_window->document().baseline());
    // Alone and forced, at the edge.
    QTRY_VERIFY(explain().measureButton()->isVisibleTo(&explain()));
    click(explain().measureButton());
    QVERIFY2(explained(u"alone"_s).size() == 2, qPrintable(said()));
    QVERIFY2(explained(u"forced"_s).size() == 1, qPrintable(said()));
    QVERIFY(explained(u"forced"_s)[0].startsWith(u"3 operators in one group: "_s));
    QVERIFY(explained(u"forced"_s)[0].contains(u" ± "_s) &&
            explained(u"forced"_s)[0].contains(u", estimated "_s));
    QCOMPARE(explained(u"both alone"_s).size(), 1);
    // The other plan, by the button that offers it.
    QPushButton* without = nullptr;
    for (QPushButton* button : explain().whatIfButtons())
        if (button->text() == u"would fuse without libraries"_s)
            without = button;
    QVERIFY2(without, qPrintable(explain().asText()));
    click(without);
    QCOMPARE(groups(), std::size_t(1));
    press(u"Ctrl+F10"_s);
    const auto* times = m_window->view<ProfileView>();
    QTRY_VERIFY(times->table()->model()->rowCount() > 0);
    const QString cell =
        times->table()->model()->index(0, ProfileModel::Difference).data().toString();
    QVERIFY2(cell.endsWith(u"%)"_s) || cell.endsWith(u"%) *"_s), qPrintable(cell));
    QVERIFY2(times->baselineText().contains(u"-libs=openblas"_s),
             qPrintable(times->baselineText()));
    const auto* changes = m_window->view<ChangesView>();
    QTRY_VERIFY(changes->model().isMeasured());
    QVERIFY2(changes->footerText().contains(u"measured "_s), qPrintable(changes->footerText()));
    QVERIFY(changes->model().index(0, ChangesModel::TimeBefore).data().toString() != u"–"_s);
    picture(u"fusion-story"_s);
    // Saved, undone, done again, and opened by another window: the times are there.
    answerFileDialog(m_folder.filePath(u"cost.fwdoc"_s));
    m_window->view<GraphsView>()->setFocus();
    press(u"Ctrl+Shift+S"_s);
    QVERIFY(QFile::exists(m_folder.filePath(u"cost.fwdoc"_s)));
    QCOMPARE(m_window->document().state(Part::Profile), State::Ready);
    press(u"Ctrl+Z"_s);
    QCOMPARE(groups(), std::size_t(2));
    QCOMPARE(m_window->document().state(Part::Profile), State::Ready);
    press(u"Ctrl+Shift+Z"_s);
    QCOMPARE(groups(), std::size_t(1));
    QCOMPARE(m_window->document().state(Part::Profile), State::Ready);
    end();
    start({});
    m_window->openModel(m_folder.filePath(u"cost.fwdoc"_s));
    waitIdle();
    QCOMPARE(m_window->document().state(Part::Profile), State::Ready);
    QCOMPARE(m_window->view<ProfileView>()
                 ->table()
                 ->model()
                 ->index(0, ProfileModel::Difference)
                 .data()
                 .toString(),
             cell);
    end();
}

FW_TEST(TestFusionStory, QApplication)
#include "test_fusion_story.moc"
