// Selection: which nodes are selected, hovered and activated, shared by all views of a document.
//
// Ids belong to a version of the graph (imported, fused, ...), a small number that the window gives
// out. A selection is made in one version; in the others it is what the mapper, fed by the engine's
// provenance, says. Nothing is matched by name. `origin` is the view that caused a change and must
// not react to it.
#pragma once

#include <QObject>

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace fw::ui {

using Ids = std::vector<std::int64_t>; // ascending, without doubles

class Selection : public QObject {
    Q_OBJECT

public:
    // Ids of version `to` that correspond to `ids` of version `from`; none if there are no
    // counterparts.
    using Mapper = std::function<Ids(int from, const Ids& ids, int to)>;

    explicit Selection(QObject* parent = nullptr) : QObject(parent) {}

    // Also forgets what was mapped before; call it when a version got another graph.
    void setMapper(Mapper mapper);

    void select(int version, Ids ids, const QObject* origin);
    void clear(const QObject* origin);
    void activate(int version, std::int64_t id, const QObject* origin);
    void hover(int version, std::int64_t id, const QObject* origin); // -1: nothing

    int version() const { return m_version; } // in which the selection was made
    const Ids& ids() const { return m_ids; }  // in that version
    const Ids& ids(int version) const;        // its counterparts
    bool empty() const { return m_ids.empty(); }

Q_SIGNALS:
    void selectionChanged(const QObject* origin);
    void activated(int version, std::int64_t id, const QObject* origin);
    void hovered(int version, std::int64_t id, const QObject* origin);

private:
    Mapper m_mapper;
    int m_version = 0;
    Ids m_ids;
    int m_hoverVersion = 0;
    std::int64_t m_hovered = -1;
    mutable std::map<int, Ids> m_mapped;
};

} // namespace fw::ui
