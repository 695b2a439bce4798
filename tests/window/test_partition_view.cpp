// Demonstration C, step 10: the partition view, a region's calls and post-ops, and a pin of one
// region back to code of ours, through the real window with the real worker.
#include "common/test.h"
#include "views/explain/explain_view.h"
#include "window/story_fixture.h"

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestPartitionView : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void aRegionIsClickedPinnedSavedAndReopened();

private:
    GraphsView& graphs() const { return *m_window->view<GraphsView>(); }
    GraphCanvas* canvas() const { return graphs().pane(GraphSide::Fused)->canvas(); }
    QString explained() const { return m_window->view<ExplainView>()->asText(); }
    // The header of a region in the picture.
    void clickRegion(const std::string& name) {
        const auto& groups = m_window->document().regions()->groups;
        const auto region = std::find_if(groups.begin(), groups.end(),
                                         [&](const auto& one) { return one.name == name; });
        QVERIFY2(region != groups.end(), name.c_str());
        const auto& containers = canvas()->picture()->containers;
        const auto container = std::find_if(containers.begin(), containers.end(),
                                            [&](const auto& one) { return one.id == region->id; });
        QVERIFY(container != containers.end());
        canvas()->fitAll();
        QTest::mouseClick(
            canvas()->viewport(), Qt::LeftButton, {},
            canvas()
                ->toViewport({container->rect.x + container->rect.width / 8, // no edge enters there
                              container->rect.y + container->headerHeight / 2})
                .toPoint());
        waitIdle();
    }
    std::vector<std::string> planned() const { // who computes what
        std::vector<std::string> out;
        for (const auto& group : m_window->document().plan()->groups)
            out.push_back(group.name + " " + group.implementation.str());
        return out;
    }
    std::size_t callsOf(const std::string& library) const {
        std::size_t out = 0;
        for (const auto& group : m_window->document().plan()->groups)
            out += group.call && group.call->library == library;
        return out;
    }
};

void TestPartitionView::aRegionIsClickedPinnedSavedAndReopened() {
    begin({u"onednn-partition"_s});
    start(u"x86-64 -mcpu=x86-64-v3 -libs=onednn -threads=2"_s);
    m_window->answerUnsaved([] { return Unsaved::Discard; });
    open(u"onednn-partition/chains.fw"_s);
    const std::size_t calls = callsOf("onednn");
    QCOMPARE(calls, std::size_t(6));
    press(u"Ctrl+Alt+J"_s);
    QVERIFY(m_window->document().regions());
    clickRegion("onednn_2");
    const int region = m_window->selection().region;
    QVERIFY(region >= 0);
    const snapshot::RegionRecord& record =
        m_window->document().regions()->regions[std::size_t(region)];
    QCOMPARE(record.name, std::string("onednn_2"));
    // Its call and the chain behind it, what crosses its border, and who else could compute it.
    QVERIFY2(explained().contains(u"onednn computes 1 group in a row."_s), qPrintable(explained()));
    QVERIFY2(explained().contains(u"onednn.conv, then bias, relu"_s), qPrintable(explained()));
    QVERIFY2(explained().contains(u"bytes"_s) && explained().contains(u"Pin to code of ours"_s),
             qPrintable(explained()));
    picture(u"partition_view"_s);
    // Pinned by its command, one step.
    bool offered = false;
    QObject::connect(&graphs(), &View::asked, m_window.get(), [&](const Intent& intent) {
        if (const auto* choose = std::get_if<OfferChoice>(&intent))
            for (const Choice& choice : choose->choices)
                if (choice.text == u"code of ours"_s) {
                    offered = true;
                    choice.act();
                }
    });
    const auto before = planned();
    press(u"Ctrl+Alt+Z"_s);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape); // the list of choices
    waitIdle();
    QVERIFY(offered);
    QCOMPARE(callsOf("onednn"), calls - 1);
    const auto pinned = planned();
    QVERIFY(pinned != before);
    m_window->document().undo();
    waitIdle();
    QVERIFY(planned() == before);
    m_window->document().redo();
    waitIdle();
    QVERIFY(planned() == pinned);
    // Saved and opened again it is the same plan.
    const QString file = m_folder.filePath(u"pinned.fwdoc"_s);
    QVERIFY(m_window->saveTo(file));
    end();
    start(QString());
    m_window->openModel(file);
    waitIdle();
    QVERIFY(planned() == pinned);
    end();
}

FW_TEST(TestPartitionView, QApplication)
#include "test_partition_view.moc"
