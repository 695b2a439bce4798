#include "app/window/start_steps.h"

#include "app/window/batch.h"
#include "views/graph/graphs_view.h"
#include "views/stages/stages_view.h"

#include <QFileInfo>

namespace fw::ui {

using namespace Qt::StringLiterals;

StartSteps::StartSteps(MainWindow& window, const StartOptions& options)
    : QObject(&window), m_window(window) {
    const auto step = [this](bool wanted, std::function<void()> act) {
        if (wanted)
            m_steps.push_back([act = std::move(act)]() -> Status {
                act();
                return {};
            });
    };
    step(!options.model.isEmpty(), [&window, model = options.model] { window.openModel(model); });
    m_steps.push_back([this] { return opened(); });
    step(!options.edit.isEmpty(), [&window, book = options.edit, line = options.editLine] {
        window.openBook(book);
        window.editBook(QFileInfo(book).absoluteFilePath(), line);
    });
    step(!options.then.isEmpty(), [&window, then = options.then] {
        window.setTargetText(QString::fromStdString(window.document().inputs().target) + u' ' +
                             then);
    });
    step(options.heat, [&window] { window.view<GraphsView>()->setHeat("time"); });
    step(options.profile, [&window] { window.document().tasks().profile(); });
    step(!options.stage.isEmpty(), [&window, stage = options.stage] {
        auto* stages = window.view<StagesView>();
        stages->setStage(stage);
        window.bringToFront(stages);
    });
    if (!options.select.isEmpty())
        m_steps.push_back([&window, select = options.select]() -> Status {
            if (window.selectByName(select) || window.selectByNames(select.split(u',')))
                return {};
            return makeDiag(DiagCode::UnknownName,
                            "no node or group is named " + select.toStdString());
        });
    connect(&window, &MainWindow::idleChanged, this, [this] {
        if (m_window.idle())
            next();
    });
}

Status StartSteps::opened() const {
    if (m_window.document().isOpen())
        return {};
    return m_window.document().error(Part::Info);
}

void StartSteps::start() {
    if (m_window.idle())
        next();
}

void StartSteps::next() {
    while (!m_ended && m_window.idle()) {
        Status how;
        if (!m_steps.empty()) {
            const auto step = std::move(m_steps.front());
            m_steps.pop_front();
            how = step();
            if (how)
                continue;
        }
        m_ended = true;
        Q_EMIT ended(how);
    }
}

} // namespace fw::ui
