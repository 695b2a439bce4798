// A window with the canned worker, and how tests drive it.
#pragma once

#include "app/window/main_window.h"
#include "views/graph/graphs_view.h"

#include <QAction>
#include <QMenu>
#include <QMenuBar>
#include <QTemporaryDir>
#include <QtTest>

namespace fw::ui {

// What a new size, a raised dock or other focus sets off has happened.
inline void settle() {
    for (int round = 0; round < 4; ++round) {
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents();
    }
}

// Of all menus, those inside others included.
inline QList<QAction*> actionsIn(const QWidget& menu) {
    QList<QAction*> out;
    for (QAction* action : menu.actions())
        if (action->menu())
            out += actionsIn(*action->menu());
        else
            out << action;
    return out;
}

class WindowFixture {
public:
    static QString fakeWorker() { return QStringLiteral(FW_BINARY_DIR "/tests/fake_worker"); }
    explicit WindowFixture(const QString& worker = fakeWorker(), const ViewRows& rows = viewRows())
        : window(worker, Memory::Forget, rows) {
        window.worker().setCancelGrace(200);
        window.answerUnsaved([] { return Unsaved::Discard; });
        window.resize(1500, 950);
        window.show();
        window.activateWindow();
    }
    ~WindowFixture() { QThreadPool::globalInstance()->waitForDone(); }
    WindowFixture(const WindowFixture&) = delete;
    WindowFixture& operator=(const WindowFixture&) = delete;

    bool waitIdle(int milliseconds = 60000) {
        return QTest::qWaitFor([this] { return window.idle(); }, milliseconds);
    }
    bool open(const QString& path) {
        window.openModel(path);
        return waitIdle() && window.document().isOpen();
    }
    GraphPane* pane(GraphSide side) const { return window.view<GraphsView>()->pane(side); }
    void click(GraphSide side, snapshot::NodeId node, Qt::KeyboardModifiers keys = {}) {
        GraphCanvas* canvas = pane(side)->canvas();
        canvas->centerOn(node);
        QTest::mouseClick(canvas->viewport(), Qt::LeftButton, keys, canvas->nodeCenter(node));
        waitIdle();
    }
    QAction* action(const QString& text) {
        for (QAction* action : actionsIn(*window.menuBar()))
            if (action->text().remove(u'&').startsWith(text))
                return action;
        return nullptr;
    }
    bool trigger(const char* text) {
        QAction* found = action(QString::fromUtf8(text));
        if (!found || !found->isEnabled())
            return false;
        found->trigger();
        return waitIdle();
    }

    MainWindow window;
};

} // namespace fw::ui
