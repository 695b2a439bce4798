#include "views/common/view.h"

#include "snapshot/insides.h"
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
    connect(overlay, &StateOverlay::cancelRequested, this, [this] { Q_EMIT asked(Request::Stop); });
}

void View::setPlanOverlay(StateOverlay* overlay) {
    setOverlay(overlay);
    connect(overlay, &StateOverlay::actionRequested, this,
            [this] { Q_EMIT asked(Request::Reload); });
}

void View::pickRow(int group, snapshot::NodeId node) {
    selection().pick(node == snapshot::noNode ? selection().ofGroup(group)
                     : document().fused()     ? selection().ofFused({node})
                                              : selection().ofImported({node}),
                     this);
}

QAction* View::addCommand(MenuPlace place, const QString& text, const QString& keys,
                          const std::function<void()>& run, Needs needs, OfNodes ofNodes) {
    auto* action = new QAction(text, this);
    action->setShortcut(QKeySequence(keys));
    connect(action, &QAction::triggered, this, run);
    m_commands.push_back({place, action, needs, ofNodes});
    return action;
}

QString againText(const Diag& diag) {
    return diag.code == DiagCode::WorkerDied ? u"Try again"_s : QString();
}

bool showPlanState(StateOverlay& overlay, const DocumentParts& document, bool filled) {
    const QString why = QString::fromStdString(document.error(Part::Plan).text());
    const QString again = againText(document.error(Part::Plan));
    if (document.wasStopped(Part::Plan)) {
        if (filled)
            overlay.setStale(u"Planning was stopped."_s, u"Go on"_s);
        else
            overlay.setEmpty(u"Stopped"_s, u"Planning was stopped."_s, u"Go on"_s);
        return true;
    }
    switch (document.state(Part::Plan)) {
    case State::Busy:
        overlay.setBusy(u"Planning …"_s);
        return true;
    case State::Stale:
        if (filled && document.error(Part::Plan).code == DiagCode::Cancelled)
            overlay.setStale(u"Planning was stopped; this is older."_s, u"Go on"_s);
        else if (filled)
            overlay.setStale(document.staleReason());
        return true;
    case State::Error:
        if (filled)
            overlay.setStale(why, again);
        else
            overlay.setError(u"There is no plan"_s, why, again);
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
    if (const auto& graph = document.fused()) {
        const auto inside = snapshot::nodesInside(*graph); // which are not planned
        for (const auto& node : graph->nodes)
            if (fused.contains(node.id) && !inside.contains(node.id))
                out.push_back(node.name.empty() && !node.outputs.empty() ? node.outputs[0].name
                                                                         : node.name);
    }
    return out;
}

} // namespace fw::ui
