// Graphs inside nodes, with the real worker: opened beside their node in the same picture, with
// what lies deeper, found, selected and explained there; and in a window of their own, deeper ones
// from there, and back; named in the inspector; closed with their model.
#include "app/window/body_window.h"
#include "app/window/message_bar.h"
#include "common/test.h"
#include "window_fixture.h"

#include "views/common/pane.h"
#include "views/common/state_overlay.h"
#include "views/graph/trail.h"
#include "views/inspector/properties_view.h"

#include <QLabel>
#include <QTabBar>
#include <QToolButton>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestBodies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFirstThatStandsInTheWayIsTold();
    void bodiesOpenInTheirPlace();
    void whatIsFoundInsideIsOpened();
    void whatLiesInsideSaysSo();
    void bodiesOpenFromTheirNode();
    void selectedNodeOpensByKey();
    void anotherModelClosesThem();

private:
    static QString sample(const char* name) {
        return QStringLiteral(FW_SOURCE_DIR "/samples/") + QString::fromLatin1(name);
    }
    static snapshot::NodeId named(const snapshot::GraphDocument& graph, const std::string& name) {
        for (const auto& node : graph.nodes)
            if (node.name == name)
                return node.id;
        return snapshot::noNode;
    }
    static void doubleClick(GraphPane* pane, snapshot::NodeId node) {
        pane->canvas()->centerOn(node);
        QTest::mouseDClick(pane->canvas()->viewport(), Qt::LeftButton, {},
                           pane->canvas()->nodeCenter(node));
    }
    // Its + or −.
    static void clickOpener(WindowFixture& f, GraphSide side, snapshot::NodeId node) {
        GraphCanvas* canvas = f.pane(side)->canvas();
        canvas->centerOn(node);
        const auto& boxes = canvas->picture()->boxes;
        const auto box = std::find_if(boxes.begin(), boxes.end(),
                                      [&](const auto& one) { return one.id == node; });
        QVERIFY(box != boxes.end() && box->opener.width > 0);
        QTest::mouseClick(canvas->viewport(), Qt::LeftButton, {},
                          canvas->toViewport(box->opener.center()).toPoint());
        QVERIFY(f.waitIdle());
    }
    static QStringList frames(const GraphPane* pane) {
        QStringList out;
        for (const auto& container : pane->canvas()->picture()->containers)
            out << QString::fromUtf8(container.label);
        return out;
    }
    static bool hasBox(const GraphPane* pane, snapshot::NodeId node) {
        return pane->canvas()->nodeRect(node).isValid();
    }
    static bool shows(const BodyWindow* window, const QString& path) {
        return QTest::qWaitFor(
            [=] {
                return !window->busy() && window->path() == path &&
                       window->pane()->canvas()->picture();
            },
            20000);
    }
};

void TestBodies::theFirstThatStandsInTheWayIsTold() {
    WindowFixture f(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
    QVERIFY(f.open(sample("control-flow/branches_and_loops.onnx")));
    const QString told = f.window.messageBar()->text();
    QVERIFY2(told.contains(u"node Loop_turned"_s) && told.endsWith(u"(and 1 more, in Problems)"_s),
             qPrintable(told));
}

void TestBodies::bodiesOpenInTheirPlace() {
    WindowFixture f(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
    QVERIFY(f.open(sample("control-flow/branches_and_loops.onnx")));
    const auto graph = f.window.document().imported();
    GraphPane *here = f.pane(GraphSide::Imported), *there = f.pane(GraphSide::Fused);
    const auto loop = named(*graph, "Loop_turned"), choice = named(*graph, "If_next"),
               tanh = named(*graph, "Tanh_shrunk");
    QCOMPARE(frames(here), QStringList());
    QVERIFY(hasBox(here, loop) && !hasBox(here, choice));
    const QString ops = here->header()->detail();
    QVERIFY(here->trail()->isVisible());
    const QPoint before = here->canvas()->nodeCenter(loop);
    here->canvas()->centerOn(loop);
    clickOpener(f, GraphSide::Imported, loop);
    QCOMPARE(frames(here), QStringList{u"Loop_turned body"_s});
    QVERIFY(frames(there).contains(u"Loop_turned body"_s)); // blocks are open by name in all panes
    QVERIFY(hasBox(here, loop) && hasBox(here, choice) && before.x() > 0);
    QCOMPARE(here->header()->detail(), ops); // an operator is one, open or not
    clickOpener(f, GraphSide::Imported, choice);
    QCOMPARE(frames(here).size(), 3);
    QVERIFY(frames(here).contains(u"If_next then_branch"_s) &&
            frames(here).contains(u"If_next else_branch"_s));
    // Selected like any other, and where it is stands above the graph.
    f.click(GraphSide::Imported, tanh);
    QVERIFY(f.window.selection().imported.contains(tanh));
    QVERIFY(f.window.selection().fused.size() == 1); // its counterpart, inside too
    const QString model = QString::fromStdString(graph->name);
    QCOMPARE(here->trail()->text(), model + u" › Loop_turned body › If_next then_branch"_s);
    const auto steps = here->trail()->findChildren<QToolButton*>();
    QCOMPARE(steps.size(), 3);
    const double scale = here->canvas()->scale();
    steps.back()->click(); // the frame of the branch
    QVERIFY(here->canvas()->scale() > scale || hasBox(here, tanh));
    QVERIFY(QRectF(here->canvas()->viewport()->rect()).contains(here->canvas()->nodeRect(tanh)));
    // Enter and a double click close what is open; the nodes inside are of the node then.
    f.click(GraphSide::Imported, loop);
    QTest::keyClick(here->canvas(), Qt::Key_Return);
    QVERIFY(f.waitIdle());
    QCOMPARE(frames(here), QStringList());
    doubleClick(here, loop);
    QVERIFY(f.waitIdle());
    QCOMPARE(frames(here).size(), 3); // deeper ones are as they were
    QVERIFY(!f.window.graphWindows().bodies());
}

void TestBodies::whatIsFoundInsideIsOpened() {
    WindowFixture f(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
    QVERIFY(f.open(sample("control-flow/branches_and_loops.onnx")));
    GraphPane* here = f.pane(GraphSide::Imported);
    const auto tanh = named(*f.window.document().imported(), "Tanh_shrunk");
    QVERIFY(f.window.selectByNames({u"Tanh_shrunk"_s}));
    QVERIFY(f.waitIdle());
    QTRY_VERIFY(hasBox(here, tanh));
    QCOMPARE(frames(here).size(), 2); // the loop's and the branch's
    // A click there keeps it open while other things are found.
    f.click(GraphSide::Imported, named(*f.window.document().imported(), "If_next"));
    QVERIFY(f.window.selectByNames({u"Relu_start"_s}));
    QVERIFY(f.waitIdle());
    QVERIFY(frames(here).contains(u"Loop_turned body"_s));
}

void TestBodies::whatLiesInsideSaysSo() {
    WindowFixture f(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
    QVERIFY(f.open(sample("control-flow/branches_and_loops.onnx")));
    const auto tanh = named(*f.window.document().imported(), "Tanh_shrunk");
    clickOpener(f, GraphSide::Imported, named(*f.window.document().imported(), "Loop_turned"));
    clickOpener(f, GraphSide::Imported, named(*f.window.document().imported(), "If_next"));
    f.click(GraphSide::Imported, tanh);
    QStringList rows;
    for (const Property& row : f.window.findChild<PropertiesView*>()->model().properties())
        rows << row.name + u": "_s + row.value;
    QVERIFY2(rows.contains(u"lies inside: Loop_turned/body/If_next/then_branch"_s),
             qPrintable(rows.join(u'\n')));
    QVERIFY(f.waitIdle());
    QVERIFY(f.window.document().state(Part::Explain) != State::Error);
    bool said = false;
    for (const QLabel* label : f.window.findChildren<QLabel*>())
        said = said || label->text().startsWith(
                           u"Tanh_shrunk lies inside Loop_turned/body/If_next/then_branch."_s);
    QVERIFY(said);
    QVERIFY(f.trigger("Make text of what is selected"));
    QVERIFY(f.window.document().state(Part::Sketch) != State::Error);
    // A neighbourhood inside is shown as one outside is.
    f.pane(GraphSide::Imported)->canvas()->setFocus();
    QTest::keyClick(f.pane(GraphSide::Imported)->canvas(), Qt::Key_I);
    QVERIFY(f.waitIdle());
    QVERIFY(hasBox(f.pane(GraphSide::Imported), tanh));
    QTest::keyClick(f.pane(GraphSide::Imported)->canvas(), Qt::Key_Escape);
    QVERIFY(f.waitIdle());
    // One layout of both graphs has no bodies, and takes them up again behind it.
    QVERIFY(f.trigger("One layout for all graphs"));
    QCOMPARE(frames(f.pane(GraphSide::Imported)).filter(u"Loop_turned"_s), QStringList());
    QVERIFY(f.trigger("One layout for all graphs"));
    QVERIFY(frames(f.pane(GraphSide::Imported)).contains(u"Loop_turned body"_s));
}

void TestBodies::bodiesOpenFromTheirNode() {
    WindowFixture f(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
    QVERIFY(f.open(sample("control-flow/branches_and_loops.onnx")));
    const auto imported = f.window.document().imported();
    doubleClick(f.pane(GraphSide::Imported), named(*imported, "Relu_start"));
    QVERIFY(!f.window.graphWindows().bodies()); // nothing inside
    f.click(GraphSide::Imported, named(*imported, "Loop_turned"));
    QVERIFY(f.trigger("Open bodies"));
    BodyWindow* window = f.window.graphWindows().bodies();
    QVERIFY(window);
    QVERIFY(shows(window, u"Loop_turned/body"_s));
    QCOMPARE(window->graph()->name, std::string("step"));
    auto* tabs = window->findChild<QTabBar*>();
    auto* back = window->findChild<QToolButton*>();
    QCOMPARE(tabs->count(), 1);
    QVERIFY(!back->isEnabled());
    doubleClick(window->pane(), named(*window->graph(), "If_next"));
    QVERIFY(shows(window, u"Loop_turned/body/If_next/else_branch"_s));
    QCOMPARE(tabs->count(), 2);
    tabs->setCurrentIndex(1);
    QVERIFY(shows(window, u"Loop_turned/body/If_next/then_branch"_s));
    QVERIFY(named(*window->graph(), "Tanh_shrunk") != snapshot::noNode);
    QVERIFY(back->isEnabled());
    back->click();
    QVERIFY(shows(window, u"Loop_turned/body"_s));
    QVERIFY(!back->isEnabled());
}

void TestBodies::selectedNodeOpensByKey() {
    WindowFixture f(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
    QVERIFY(f.open(sample("functions/model.onnx")));
    const auto imported = f.window.document().imported();
    f.click(GraphSide::Imported, named(*imported, "layer_h1"));
    QVERIFY(f.window.selection().fused.size() >= 2); // what stands for it
    QStringList rows;
    for (const Property& row : f.window.findChild<PropertiesView*>()->model().properties())
        rows << row.name + u": "_s + row.value;
    QVERIFY2(rows.contains(u"body layer: (x, w, b) → (y), 4 operators"_s),
             qPrintable(rows.join(u'\n')));
    QVERIFY(f.trigger("Open bodies"));
    QVERIFY(f.window.graphWindows().bodies());
    QVERIFY(shows(f.window.graphWindows().bodies(), u"layer_h1/layer"_s));
    f.click(GraphSide::Imported, imported->nodes.front().id); // an input has none
    QVERIFY(!f.action(u"Open bodies"_s)->isEnabled());
}

void TestBodies::anotherModelClosesThem() {
    WindowFixture f(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
    QVERIFY(f.open(sample("functions/model.onnx")));
    f.window.graphWindows().openBodies(named(*f.window.document().imported(), "If_classes"));
    QVERIFY(f.window.graphWindows().bodies());
    QVERIFY(f.open(sample("mlp/model.onnx")));
    QTRY_VERIFY(!f.window.graphWindows().bodies());
}

FW_TEST(TestBodies, QApplication)
#include "test_bodies.moc"
