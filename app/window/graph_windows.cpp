#include "app/window/graph_windows.h"

#include "app/window/body_window.h"
#include "app/window/counterexample_window.h"

namespace fw::ui {

void GraphWindows::show(QWidget* window) {
    window->show();
    window->raise();
    window->activateWindow();
}

void GraphWindows::openBodies(snapshot::NodeId imported) {
    const auto* node = nodeOf(m_document.imported().get(), imported);
    if (!node || node->bodies.empty())
        return;
    BodyWindow* window = bodies();
    if (window == nullptr) {
        window = new BodyWindow(
            [this](const std::string& path, BodyWindow::Done done) {
                m_document.askBody(path, std::move(done));
            },
            m_parent);
        QObject::connect(&m_document, &Document::modelChanged, window, &QWidget::close);
        m_bodies = window;
    }
    window->open(*node);
    show(window);
}

void GraphWindows::openCounterexample(const QString& book, const snapshot::CheckItem& rule) {
    CounterexampleWindow* window = counterexample();
    if (window == nullptr) {
        window = new CounterexampleWindow(m_parent);
        QObject::connect(&m_document, &Document::modelChanged, window, &QWidget::close);
        m_counterexample = window;
    }
    window->open(rule, [this, book](const std::string& text, CounterexampleWindow::Done done) {
        m_document.books().askGraph(text, book, std::move(done));
    });
    show(window);
}

CounterexampleWindow* GraphWindows::counterexample() const {
    return qobject_cast<CounterexampleWindow*>(m_counterexample.data());
}

BodyWindow* GraphWindows::bodies() const {
    return qobject_cast<BodyWindow*>(m_bodies.data());
}

} // namespace fw::ui
