// Small graphs in windows of their own: those inside a node, and counterexamples.
#include "app/window/body_window.h"
#include "app/window/counterexample_window.h"
#include "app/window/main_window.h"

#include <QAction>
#include <QKeySequence>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

void MainWindow::buildBodies(QMenu* menu) {
    QAction* open = addAction(menu, u"&Open bodies"_s, QKeySequence(u"Alt+Down"_s), [this] {
        const snapshot::NodeSet& picked = m_selection.picked().imported;
        if (!picked.empty())
            openBodies(*picked.begin());
    });
    open->setProperty("ofNodes", true);
    m_needModel.push_back(open);
}

void MainWindow::openBodies(snapshot::NodeId imported) {
    const auto graph = m_document.imported();
    if (!graph)
        return;
    const auto node =
        std::find_if(graph->nodes.begin(), graph->nodes.end(),
                     [&](const snapshot::NodeRecord& one) { return one.id == imported; });
    if (node == graph->nodes.end() || node->bodies.empty())
        return;
    BodyWindow* window = bodyWindow();
    if (window == nullptr) {
        window = new BodyWindow(
            [this](const std::string& path, BodyWindow::Done done) {
                m_document.askBody(path, std::move(done));
            },
            this);
        connect(&m_document, &Document::modelChanged, window, &QWidget::close);
        m_bodyWindow = window;
    }
    window->open(*node);
    window->show();
    window->raise();
    window->activateWindow();
}

void MainWindow::openCounterexample(const QString& book, const snapshot::CheckItem& rule) {
    CounterexampleWindow* window = counterexampleWindow();
    if (window == nullptr) {
        window = new CounterexampleWindow(this);
        connect(&m_document, &Document::modelChanged, window, &QWidget::close);
        m_counterexampleWindow = window;
    }
    window->open(rule, [this, book](const std::string& text, CounterexampleWindow::Done done) {
        m_document.books().askGraph(text, book, std::move(done));
    });
    window->show();
    window->raise();
    window->activateWindow();
}

CounterexampleWindow* MainWindow::counterexampleWindow() const {
    return qobject_cast<CounterexampleWindow*>(m_counterexampleWindow.data());
}

BodyWindow* MainWindow::bodyWindow() const {
    return qobject_cast<BodyWindow*>(m_bodyWindow.data());
}

} // namespace fw::ui
