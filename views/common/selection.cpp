#include "views/common/selection.h"

#include <algorithm>

namespace fw::ui {

namespace {

snapshot::NodeId firstOf(const snapshot::NodeSet& ids) {
    return ids.empty() ? snapshot::noNode : *ids.begin();
}

} // namespace

int Selection::group() const {
    return m_picked.group >= 0 || m_picked.fused.empty()
               ? m_picked.group
               : m_provenance.groupOf(m_picked.fusedSubject);
}

std::size_t Selection::count() const {
    const bool imported = m_side == GraphSide::Imported || m_picked.fused.empty();
    return (imported ? m_picked.imported : m_picked.fused).size();
}

QString Selection::ofSeveral() const {
    return m_picked.group >= 0 || count() < 2 ? QString()
                                              : QStringLiteral(", 1 of %1 selected").arg(count());
}

Picked Selection::ofImported(snapshot::NodeSet ids, snapshot::NodeId subject) const {
    Picked out;
    out.fused = m_provenance.toFused(ids);
    out.importedSubject = ids.contains(subject) ? subject : firstOf(ids);
    // Nothing may stand for it any more.
    const snapshot::NodeId same = firstOf(m_provenance.toFused({out.importedSubject}));
    out.fusedSubject = same == snapshot::noNode ? firstOf(out.fused) : same;
    out.imported = std::move(ids);
    return out;
}

Picked Selection::ofFused(snapshot::NodeSet ids, snapshot::NodeId subject) const {
    Picked out;
    out.fusedSubject = ids.contains(subject) ? subject : firstOf(ids);
    out.importedSubject = firstOf(m_provenance.toImported({out.fusedSubject}));
    out.imported = m_provenance.toImported(ids);
    if (!ids.empty()) {
        const int group = m_provenance.groupOf(*ids.begin());
        if (ids.size() > 1 && group >= 0 && m_provenance.membersOf(group) == ids)
            out.group = group;
    }
    out.fused = std::move(ids);
    return out;
}

Picked Selection::ofGroup(int group) const {
    Picked out = ofFused(m_provenance.membersOf(group));
    out.group = group;
    return out;
}

void Selection::pick(const Picked& picked, const QObject* origin,
                     std::optional<GraphSide> pointedAt) {
    const auto& pointedNodes = pointedAt == GraphSide::Imported ? picked.imported : picked.fused;
    const bool one = pointedAt && pointedNodes.size() == 1;
    const snapshot::NodeId node = one ? *pointedNodes.begin() : snapshot::noNode;
    set(picked, origin, pointedAt);
    if (one)
        Q_EMIT pointed(*pointedAt, node);
}

void Selection::set(Picked picked, const QObject* origin, std::optional<GraphSide> pointedAt) {
    if (!picked.imported.contains(picked.importedSubject))
        picked.importedSubject = firstOf(picked.imported);
    if (!picked.fused.contains(picked.fusedSubject))
        picked.fusedSubject = firstOf(picked.fused);
    if (picked == m_picked)
        return;
    m_picked = picked;
    m_side = pointedAt;
    if (!picked.empty()) {
        m_history.resize(std::min(m_history.size(), m_historyAt + 1));
        m_history.push_back(picked);
        if (m_history.size() > historyLimit)
            m_history.erase(m_history.begin());
        m_historyAt = m_history.size() - 1;
    }
    Q_EMIT changed(origin);
}

void Selection::follow(snapshot::Provenance provenance) {
    m_provenance = std::move(provenance);
    m_side.reset();
    const auto translated = [&](const Picked& old) {
        return ofImported(old.imported, old.importedSubject);
    };
    m_picked = translated(m_picked);
    std::transform(m_history.begin(), m_history.end(), m_history.begin(), translated);
    setLit(std::nullopt);
}

void Selection::reset() {
    m_picked = {};
    m_side.reset();
    m_provenance = {};
    m_history.clear();
    m_historyAt = 0;
    m_value.reset();
    setLit(std::nullopt);
}

void Selection::pickPlace(PickedPlace place) {
    if (place == m_place)
        return;
    m_place = std::move(place);
    Q_EMIT placeChanged();
}

void Selection::pickStep(std::optional<StepPhase> step) {
    if (step == m_step)
        return;
    m_step = step;
    Q_EMIT stepChanged();
}

void Selection::setLit(std::optional<Picked> lit) {
    if (lit == m_lit)
        return;
    m_lit = std::move(lit);
    Q_EMIT litChanged();
}

void Selection::setFilters(std::vector<snapshot::KeptFilter> filters) {
    if (filters == m_filters)
        return;
    m_filters = std::move(filters);
    Q_EMIT filtersChanged();
}

void Selection::addFilter(snapshot::KeptFilter filter) {
    auto filters = m_filters;
    if (std::find(filters.begin(), filters.end(), filter) != filters.end())
        return;
    if (filters.size() == snapshot::mostFilters)
        filters.erase(filters.begin());
    filters.push_back(std::move(filter));
    setFilters(std::move(filters));
}

bool Selection::canGo(int step) const {
    const auto at = std::int64_t(m_historyAt) + step;
    return at >= 0 && at < std::int64_t(m_history.size());
}

void Selection::go(int step) {
    if (!canGo(step))
        return;
    m_historyAt = std::size_t(std::int64_t(m_historyAt) + step);
    m_picked = m_history[m_historyAt];
    m_side.reset();
    Q_EMIT changed(nullptr);
}

} // namespace fw::ui
