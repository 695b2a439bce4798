// What each library gets in a row, in the right pane, through the real window with the real worker.
#include "common/test.h"
#include "views/common/pane.h"
#include "window/story_fixture.h"

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestRegions : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void regionsTakeThePlaceOfGroups();

private:
    GraphPane* pane() const { return m_window->view<GraphsView>()->pane(GraphSide::Fused); }
    QString drawn() const {
        const auto picture = pane()->canvas()->picture();
        return picture ? QString::fromStdString(picture::dump(*picture)) : QString();
    }
    bool becomes(const QString& name) {
        return QTest::qWaitFor(
            [&] { return m_window->idle() && !pane()->busy() && drawn().contains(name); }, 60000);
    }
};

void TestRegions::regionsTakeThePlaceOfGroups() {
    begin({u"residual"_s});
    start(u"x86-64 -mcpu=x86-64-v3 -libs=onednn -threads=2"_s);
    open(u"residual"_s);
    QVERIFY(becomes(u"conv2d_bias_relu_0"_s));
    QVERIFY(!drawn().contains(u"onednn_0"_s));
    press(u"Ctrl+Alt+J"_s);
    QVERIFY2(becomes(u"onednn_0"_s), qPrintable(drawn()));
    QVERIFY(!drawn().contains(u"conv2d_bias_relu_0"_s));
    picture(u"regions"_s);
    // A node is still the one that it was, and another plan has other regions.
    const auto& graph = m_window->document().regions();
    QVERIFY(graph && !graph->groups.empty());
    const auto inRegion = std::find_if(graph->nodes.begin(), graph->nodes.end(),
                                       [](const auto& node) { return node.group >= 0; });
    QVERIFY(inRegion != graph->nodes.end());
    const snapshot::NodeId first = inRegion->id;
    pane()->canvas()->selectionChanged({first});
    waitIdle();
    QCOMPARE(m_window->selection().fused, snapshot::NodeSet{first});
    QVERIFY(!m_window->selection().imported.empty());
    m_window->setTargetText(u"x86-64 -mcpu=x86-64-v3 -libs= -threads=2"_s);
    QVERIFY2(becomes(u"own_0"_s), qPrintable(drawn()));
    press(u"Ctrl+Alt+J"_s);
    QVERIFY2(becomes(u"conv2d_bias_relu_0"_s), qPrintable(drawn()));
    end();
}

FW_TEST(TestRegions, QApplication)
#include "test_regions.moc"
