// graph_states [WxH] [light|dark]: pictures of the graphs in every state, to be looked at: build
// folder, pictures/graphs. Without arguments in two sizes and both themes.
#include "common/test.h"
#include "window/story_fixture.h"

#include <QMenu>
#include <QMenuBar>
#include <QToolTip>

using namespace fw;
using namespace fw::ui;
using namespace Qt::StringLiterals;

namespace {

// Layers that read all that the layers of their block made, as DenseNet has them.
QByteArray dense() {
    QByteArray out = "graph dense(x: f32[1, 16, 32, 32]) -> y {\n", at = "x";
    for (int block = 0; block < 3; ++block)
        for (int layer = 0; layer < 6; ++layer) {
            const QByteArray name =
                "block" + QByteArray::number(block) + "_layer" + QByteArray::number(layer);
            out += "  " + name + "_relu = relu(" + at + ")\n";
            out += "  " + name + "_conv = sigmoid(" + name + "_relu)\n";
            out += "  " + name + " = concat(" + at + ", " + name + "_conv) {axis = 1}\n";
            at = name;
            if (layer == 5) {
                out += "  pool" + QByteArray::number(block) + " = relu(" + at + ")\n";
                at = "pool" + QByteArray::number(block);
            }
        }
    return out + "  y = tanh(" + at + ")\n}\n";
}

class States : StoryFixture {
public:
    States(QSize size, ThemeChoice theme) : m_size(size), m_theme(theme) {
        m_suffix =
            u"-%1-%2"_s.arg(size.width()).arg(theme == ThemeChoice::Dark ? u"dark"_s : u"light"_s);
        begin({u"detector"_s, u"control-flow"_s, u"inception"_s, u"residual"_s, u"encoder"_s});
        QFile file(m_folder.filePath(u"dense.fw"_s));
        if (file.open(QIODevice::WriteOnly))
            file.write(dense());
    }
    void run() {
        start();
        m_window->answerUnsaved([] { return Unsaved::Discard; });
        m_window->applyTheme(m_theme);
        m_window->resize(m_size);
        for (const QString& model : {u"detector"_s, u"inception"_s, u"residual"_s, u"encoder"_s,
                                     u"dense.fw"_s, u"control-flow/branches_and_loops.onnx"_s}) {
            m_model = model.section(u'/', 0, 0).section(u'.', 0, 0);
            m_window->openModel(m_folder.filePath(model));
            waitIdle();
            each();
        }
        m_window->setTargetText(u"x86-64 -mcpu=x86-64-v3 -libs=onednn -threads=2"_s);
        m_model = u"reorders"_s;
        open(u"inception"_s);
        shot("01-first");
        menus();
        m_window->close();
        end();
    }

private:
    void shot(const char* name) {
        QTest::qWait(30); // tips and popups are placed
        picture(u"graphs/%1-%2%3"_s.arg(m_model, QString::fromLatin1(name), m_suffix));
    }
    GraphsView& graphs() const { return *m_window->view<GraphsView>(); }
    GraphCanvas* canvas() const { return graphs().pane(GraphSide::Imported)->canvas(); }
    // The node in the middle of the graph.
    void pickOne() {
        const auto& nodes = m_window->document().imported()->nodes;
        for (std::size_t i = nodes.size() / 2; i < nodes.size(); ++i)
            if (!nodes[i].constant) {
                graphs().selection().pick(graphs().selection().ofImported({nodes[i].id}));
                graphs().selection().reveal(GraphSide::Imported, nodes[i].id);
                break;
            }
        waitIdle();
        canvas()->setFocus();
    }
    void each() {
        shot("01-first");
        pickOne();
        shot("02-picked");
        press(u"H"_s);
        shot("03-hidden");
        press(u"Shift+H"_s);
        press(u"I"_s);
        press(u"I"_s);
        press(u"Ctrl+9"_s);
        shot("04-around");
        press(u"Esc"_s);
        graphs().setHeat("flops");
        waitIdle();
        shot("05-heat");
        graphs().setHeat({});
        press(u"Ctrl+Alt+Shift+5"_s);
        press(u"Ctrl+Alt+Shift+2"_s);
        shot("06-edges-and-attributes");
        press(u"Ctrl+Alt+Shift+5"_s);
        press(u"Ctrl+Alt+Shift+2"_s);
        if (m_model == u"control-flow"_s) {
            press(u"Ctrl+Shift+A"_s);
            for (const auto& node : m_window->document().imported()->nodes)
                if (!node.bodies.empty())
                    graphs().collapse()->toggleBodies(graphs().pane(GraphSide::Imported), node.id,
                                                      {200, 200});
            waitIdle();
            shot("07-bodies");
            return;
        }
        press(u"Ctrl+Alt+-"_s);
        shot("07-closed");
        press(u"Ctrl+Alt++"_s);
        press(u"Ctrl+Alt++"_s);
        press(u"Ctrl+Alt+Q"_s);
        shot("08-one-layout");
        press(u"Alt+Shift+Right"_s);
        press(u"Alt+Shift+Right"_s);
        shot("09-four-panes");
        press(u"Alt+Shift+Left"_s);
        press(u"Alt+Shift+Left"_s);
        press(u"Ctrl+Alt+Q"_s);
    }
    void menus() {
        for (QAction* one : m_window->menuBar()->actions()) {
            if (one->text() != u"&View"_s)
                continue;
            one->menu()->popup(m_window->mapToGlobal(QPoint(110, 24)));
            shot("10-view-menu");
            one->menu()->close();
        }
        const auto& box = canvas()->picture()->boxes.front();
        const QPoint at = canvas()->nodeCenter(box.id);
        QHelpEvent help(QEvent::ToolTip, at, canvas()->viewport()->mapToGlobal(at));
        QCoreApplication::sendEvent(canvas()->viewport(), &help);
        shot("11-tip");
        QToolTip::hideText();
    }

    QSize m_size;
    ThemeChoice m_theme;
    QString m_suffix, m_model;
};

} // namespace

int main(int count, char** arguments) {
    QApplication application(count, arguments);
    QDir(u"" FW_BINARY_DIR "/pictures"_s).mkpath(u"graphs"_s);
    const QStringList words = QApplication::arguments();
    for (const QSize size : {QSize(1280, 800), QSize(1600, 1000)})
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            const QString name = u"%1x%2"_s.arg(size.width()).arg(size.height());
            const QString kind = theme == ThemeChoice::Dark ? u"dark"_s : u"light"_s;
            if (words.size() == 1 || (words.value(1, name) == name && words.value(2, kind) == kind))
                States(size, theme).run();
        }
    return 0;
}
