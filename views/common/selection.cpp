#include "views/common/selection.h"

#include <algorithm>

namespace fw::ui {
namespace {

Ids tidy(Ids ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

} // namespace

void Selection::setMapper(Mapper mapper) {
    m_mapper = std::move(mapper);
    m_mapped.clear();
}

void Selection::select(int version, Ids ids, const QObject* origin) {
    ids = tidy(std::move(ids));
    if (ids == m_ids && (version == m_version || ids.empty()))
        return; // what is already so is not announced: views that answer each other come to rest
    m_version = version;
    m_ids = std::move(ids);
    m_mapped.clear();
    Q_EMIT selectionChanged(origin);
}

void Selection::clear(const QObject* origin) {
    select(m_version, {}, origin);
}

void Selection::activate(int version, std::int64_t id, const QObject* origin) {
    Q_EMIT activated(version, id, origin);
}

void Selection::hover(int version, std::int64_t id, const QObject* origin) {
    if (m_hovered == id && (m_hoverVersion == version || id == -1))
        return;
    m_hoverVersion = version;
    m_hovered = id;
    Q_EMIT hovered(version, id, origin);
}

const Ids& Selection::ids(int version) const {
    if (version == m_version)
        return m_ids;
    const auto found = m_mapped.find(version);
    if (found != m_mapped.end())
        return found->second;
    Ids mapped = m_mapper && !m_ids.empty() ? tidy(m_mapper(m_version, m_ids, version)) : Ids();
    return m_mapped.emplace(version, std::move(mapped)).first->second;
}

} // namespace fw::ui
