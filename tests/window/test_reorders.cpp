// What brings tensors into the order of a library, as boxes of the fused graph.
#include "common/test.h"
#include "snapshot/reorders.h"
#include "views/inspector/properties_view.h"
#include "window/story_fixture.h"

#include <QTableView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestReordersInGraph : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"inception"_s}); }
    void init() {
        start(u"x86-64 -mcpu=x86-64-v3 -libs=onednn -threads=2"_s);
        open(u"inception"_s);
    }
    void cleanup() {
        m_window->answerUnsaved([] { return Unsaved::Discard; });
        end();
    }
    void standOnTheirEdges();
    void arePicked();

private:
    GraphCanvas* canvas() const {
        return m_window->view<GraphsView>()->pane(GraphSide::Fused)->canvas();
    }
    std::vector<std::int64_t> boxes() const {
        std::vector<std::int64_t> out;
        for (const picture::PlacedBox& box : canvas()->picture()->boxes)
            if (snapshot::isReorder(box.id))
                out.push_back(box.id);
        return out;
    }
    bool usesOneDnn() const {
        const auto& groups = m_window->document().plan()->groups;
        return std::any_of(groups.begin(), groups.end(), [](const auto& group) {
            return group.implementation.str().starts_with("onednn.");
        });
    }
    std::size_t planned() const {
        std::size_t out = 0;
        for (const auto& group : m_window->document().plan()->groups)
            out += group.reorders.size();
        return out;
    }
};

void TestReordersInGraph::standOnTheirEdges() {
    if (!usesOneDnn())
        QSKIP("oneDNN is not here");
    QVERIFY(planned() > 0);
    QCOMPARE(boxes().size(), planned());
    const picture::PlacedBox* box = nullptr;
    for (const picture::PlacedBox& one : canvas()->picture()->boxes)
        if (one.id == boxes().front())
            box = &one;
    QVERIFY(QString::fromUtf8(box->label.data(), qsizetype(box->label.size())).contains(u"µs"_s));
    picture(u"reorders"_s);
    press(u"Ctrl+Alt+Shift+0"_s);
    QVERIFY(boxes().empty());
    press(u"Ctrl+Alt+Shift+0"_s);
    QCOMPARE(boxes().size(), planned());
    m_window->setTargetText(u"x86-64 -mcpu=x86-64-v3 -libs= -threads=2"_s);
    waitIdle();
    QVERIFY(boxes().empty());
}

void TestReordersInGraph::arePicked() {
    if (!usesOneDnn())
        QSKIP("oneDNN is not here");
    QVERIFY(planned() > 0);
    const std::int64_t box = boxes().front();
    canvas()->centerOn(box);
    QTest::mouseClick(canvas()->viewport(), Qt::LeftButton, {}, canvas()->nodeCenter(box));
    waitIdle();
    QCOMPARE(canvas()->selected(), Ids{box});
    const auto reorder = snapshot::reorderOf(*m_window->document().plan(), box);
    QCOMPARE(m_window->selection().group, reorder.group->id);
    const QAbstractItemModel* rows =
        m_window->view<PropertiesView>()->findChild<QTableView*>()->model();
    QStringList told;
    for (int i = 0; i < rows->rowCount(); ++i)
        told << rows->index(i, 0).data().toString();
    QVERIFY2(told.contains(u"order of the library"_s) && told.contains(u"reads and writes"_s),
             qPrintable(told.join(u',')));
    // A click on an operator of the group is about that one again.
    const auto node = reorder.group->nodeIds.front();
    QTest::mouseClick(canvas()->viewport(), Qt::LeftButton, {}, canvas()->nodeCenter(node));
    waitIdle();
    QCOMPARE(m_window->selection().reorder, snapshot::noNode);
}

FW_TEST(TestReordersInGraph, QApplication)
#include "test_reorders.moc"
