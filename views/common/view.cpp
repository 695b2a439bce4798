#include "views/common/view.h"

#include "views/common/state_overlay.h"

#include <QAction>
#include <QKeySequence>

namespace fw::ui {

using namespace Qt::StringLiterals;

void View::attach(const DocumentParts& document, Selection& selection) {
    m_document = &document;
    m_selection = &selection;
}

void View::setInFront(bool inFront) {
    if (inFront == m_inFront)
        return;
    m_inFront = inFront;
    frontChanged();
}

void View::setOverlay(StateOverlay* overlay) {
    m_overlay = overlay;
    connect(overlay, &StateOverlay::cancelRequested, this,
            [this] { Q_EMIT requested(Request::Stop); });
}

void View::pickRow(int group, snapshot::NodeId node) {
    selection().pick(node == snapshot::noNode ? selection().ofGroup(group)
                     : document().fused()     ? selection().ofFused({node})
                                              : selection().ofImported({node}),
                     this);
}

QAction* View::addCommand(Place place, const QString& text, const QString& keys,
                          const std::function<void()>& run, Needs needs, OfNodes ofNodes) {
    auto* action = new QAction(text, this);
    action->setShortcut(QKeySequence(keys));
    connect(action, &QAction::triggered, this, run);
    m_commands.push_back({place, action, needs, ofNodes});
    return action;
}

bool showPlanState(StateOverlay& overlay, const DocumentParts& document, bool filled) {
    const QString why = QString::fromStdString(document.error(Part::Plan).text());
    switch (document.state(Part::Plan)) {
    case State::Busy:
        overlay.setBusy(u"Planning …"_s);
        return true;
    case State::Stale:
        if (filled)
            overlay.setStale(document.staleReason());
        return true;
    case State::Error:
        if (filled)
            overlay.setStale(why);
        else
            overlay.setError(u"There is no plan"_s, why);
        return true;
    case State::Ready:
    case State::Empty:
        if (filled)
            overlay.setReady();
        return filled;
    }
    return true;
}

std::vector<std::string> pinNames(const DocumentParts& document, const snapshot::NodeSet& fused) {
    std::vector<std::string> out;
    if (const auto& graph = document.fused())
        for (const auto& node : graph->nodes)
            if (fused.contains(node.id))
                out.push_back(node.name.empty() && !node.outputs.empty() ? node.outputs[0].name
                                                                         : node.name);
    return out;
}

} // namespace fw::ui
