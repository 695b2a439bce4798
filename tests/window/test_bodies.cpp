// Graphs inside nodes, with the real worker: opened from their node, deeper ones from there, and
// back; named in the inspector; closed with their model.
#include "app/window/body_window.h"
#include "common/test.h"
#include "window_fixture.h"

#include "views/common/state_overlay.h"
#include "views/inspector/properties_view.h"

#include <QTabBar>
#include <QToolButton>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

class TestBodies : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
    static bool shows(const BodyWindow* window, const QString& path) {
        return QTest::qWaitFor(
            [=] {
                return !window->busy() && window->path() == path &&
                       window->pane()->canvas()->picture();
            },
            20000);
    }
};

void TestBodies::bodiesOpenFromTheirNode() {
    WindowFixture f(QStringLiteral(FW_BINARY_DIR "/bin/fw"));
    QVERIFY(f.open(sample("control-flow/branches_and_loops.onnx")));
    const auto imported = f.window.document().imported();
    doubleClick(f.pane(GraphSide::Imported), named(*imported, "Relu_start"));
    QVERIFY(!f.window.graphWindows().bodies()); // nothing inside
    doubleClick(f.pane(GraphSide::Imported), named(*imported, "Loop_turned"));
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
