// The ends of a graph, its inputs and its outputs, are things that can be picked like any other:
// what they are, and who reads them. With the real worker.
#include "app/window/message_bar.h"
#include "common/test.h"
#include "picture/graph_diagram.h"
#include "views/explain/explain_view.h"
#include "views/inspector/properties_view.h"
#include "window/story_fixture.h"

#include <QTableView>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestGraphEnds : public QObject, StoryFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { begin({u"residual"_s}); }
    void init() {
        start();
        open(u"residual"_s);
    }
    void cleanup() { end(); }
    void inputIsExplained_data();
    void inputIsExplained();
    void edgeOfAnInputIsExplained();
    void outputIsExplained_data();
    void outputIsExplained();

private:
    GraphPane* pane(GraphSide side) const { return m_window->view<GraphsView>()->pane(side); }
    const snapshot::GraphDocument& graph(GraphSide side) const {
        return side == GraphSide::Imported ? *m_window->document().imported()
                                           : *m_window->document().fused();
    }
    const snapshot::NodeRecord& input(GraphSide side) const {
        return *std::find_if(graph(side).nodes.begin(), graph(side).nodes.end(),
                             [](const auto& node) { return node.op == "input"; });
    }
    void click(GraphSide side, std::int64_t box, Qt::KeyboardModifiers keys = {}) {
        GraphCanvas* canvas = pane(side)->canvas();
        canvas->centerOn(box);
        QTest::mouseClick(canvas->viewport(), Qt::LeftButton, keys, canvas->nodeCenter(box));
        waitIdle();
    }
    QString said() const { return m_window->view<ExplainView>()->sentence(); }
    QString properties() const {
        const QAbstractItemModel* rows =
            m_window->view<PropertiesView>()->findChild<QTableView*>()->model();
        QString out;
        for (int row = 0; row < rows->rowCount(); ++row)
            out += rows->index(row, 0).data().toString() + u": "_s +
                   rows->index(row, 1).data().toString() + u'\n';
        return out;
    }
};

void TestGraphEnds::inputIsExplained_data() {
    QTest::addColumn<GraphSide>("side");
    QTest::newRow("imported") << GraphSide::Imported;
    QTest::newRow("fused") << GraphSide::Fused;
}

void TestGraphEnds::inputIsExplained() {
    QFETCH(GraphSide, side);
    click(side, input(side).id);
    QVERIFY2(m_window->messageBar()->text().isEmpty(), qPrintable(m_window->messageBar()->text()));
    const QString name = QString::fromStdString(input(side).name);
    QVERIFY2(said().startsWith(name + u" is an input of the model, f32["_s), qPrintable(said()));
    QVERIFY(m_window->view<ExplainView>()->gateCount() > 0); // who reads it
    QVERIFY2(properties().startsWith(u"model input: "_s + name), qPrintable(properties()));
    QVERIFY2(properties().contains(u"read by: "_s), qPrintable(properties()));
}

void TestGraphEnds::edgeOfAnInputIsExplained() {
    const auto& from = input(GraphSide::Fused);
    const auto& nodes = graph(GraphSide::Fused).nodes;
    const auto reader = std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) {
        return std::any_of(node.inputs.begin(), node.inputs.end(),
                           [&](const auto& read) { return read.node == from.id; });
    });
    QVERIFY(reader != nodes.end());
    click(GraphSide::Fused, from.id);
    click(GraphSide::Fused, reader->id, Qt::ControlModifier);
    QVERIFY2(m_window->messageBar()->text().isEmpty(), qPrintable(m_window->messageBar()->text()));
    QVERIFY2(said().endsWith(u"nothing that is computed could be fused there"_s),
             qPrintable(said()));
}

void TestGraphEnds::outputIsExplained_data() {
    inputIsExplained_data();
    QTest::newRow("one layout") << GraphSide::Fused;
}

void TestGraphEnds::outputIsExplained() {
    QFETCH(GraphSide, side);
    if (QTest::currentDataTag() == "one layout"_L1)
        press(u"Ctrl+Alt+Q"_s);
    click(side, picture::firstResultBox);
    const snapshot::InputRef& result = graph(side).results.front();
    const auto* maker = nodeOf(&graph(side), result.node);
    const QString name = QString::fromStdString(result.name);
    QVERIFY2(said().startsWith(name + u" is an output of the model, f32["_s), qPrintable(said()));
    QVERIFY2(said().contains(QString::fromStdString(maker->name) + u" makes it"_s),
             qPrintable(said()));
    QVERIFY2(properties().startsWith(u"model output: "_s + name), qPrintable(properties()));
    QCOMPARE(m_window->selection().result, 0);
    // In the other graph the output is picked, too.
    const auto other = side == GraphSide::Imported ? GraphSide::Fused : GraphSide::Imported;
    QCOMPARE(pane(other)->canvas()->selected(), Ids{picture::firstResultBox});
}

FW_TEST(TestGraphEnds, QApplication)
#include "test_graph_ends.moc"
