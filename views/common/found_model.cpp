#include "views/common/found_model.h"

#include "snapshot/scopes.h"
#include "views/common/numbers.h"
#include "views/common/pane.h"
#include "views/common/text.h"
#include "views/common/tool_tip.h"

#include <QFont>

#include <map>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

QString resultOf(const snapshot::NodeRecord& node) {
    return node.outputs.empty() ? QString() : text(node.outputs.front().type);
}

} // namespace

void FoundModel::Known::set(const Shared<snapshot::GraphDocument>& newGraph) {
    if (graph == newGraph)
        return;
    graph = newGraph;
    places.clear();
    if (!graph)
        return;
    std::unordered_map<std::string, int> operators; // by block
    const auto prefixes = [](const std::string& name) {
        std::vector<std::string> out;
        std::string path;
        for (const std::string_view part : snapshot::scopePartsOf(name)) {
            path += (path.empty() ? "" : "/") + std::string(part);
            out.push_back(path);
        }
        return out;
    };
    for (const auto& node : graph->nodes)
        if (!node.constant)
            for (const std::string& block : prefixes(node.name))
                ++operators[block];
    for (const auto& node : graph->nodes) {
        if (node.constant)
            continue;
        std::vector<std::string> blocks = prefixes(node.name);
        while (!blocks.empty() && operators[blocks.back()] < 2)
            blocks.pop_back();
        places.emplace(node.id, Place{&node, blocks.empty() ? QString() : text(blocks.back())});
    }
}

void FoundModel::show(const NodeFinder& finder, const DocumentParts& document, Offers offers,
                      int most) {
    beginResetModel();
    m_imported.set(document.imported());
    m_fused.set(document.fused());
    m_plan = document.plan();
    m_offers = std::move(offers);
    m_rows.clear();
    for (const auto& offer : m_offers)
        m_rows.push_back({Row::Offer, text(offer.shown), text(offer.detail), {}});
    if (finder.problem())
        m_rows.push_back(
            {Row::Note, text(finder.problem()->message), text(finder.problem()->hint), {}});
    std::map<int, const snapshot::GroupRecord*> groups;
    std::map<int, double> times;
    if (m_plan)
        for (const auto& group : m_plan->groups)
            groups[group.id] = &group;
    if (document.profileResult())
        for (const auto& row : document.profileResult()->rows)
            times[row.groupId] += row.medianUs;
    std::map<QString, std::size_t> blocks;
    const auto& hits = finder.hits();
    const int shown = std::min(most, int(hits.size()));
    for (int i = 0; i < shown; ++i) {
        const Hit& hit = hits[std::size_t(i)];
        const Known& known = hit.side == GraphSide::Fused ? m_fused : m_imported;
        const auto at = known.places.find(hit.node);
        if (at == known.places.end())
            continue;
        const auto& [node, block] = at->second;
        Found found{i, node, nullptr, std::nullopt};
        if (hit.side == GraphSide::Fused) {
            if (const auto group = groups.find(node->group); group != groups.end())
                found.group = group->second;
            if (const auto time = times.find(node->group); time != times.end())
                found.us = time->second;
        }
        const auto [place, isNew] = blocks.emplace(block, m_rows.size());
        if (isNew)
            m_rows.push_back(
                {Row::Block, block.isEmpty() ? u"outside of blocks"_s : block, {}, {}});
        m_rows[place->second].nodes.push_back(found);
    }
    for (Top& row : m_rows)
        if (row.kind == Row::Block)
            row.detail = QString::number(row.nodes.size());
    if (const auto rest = qsizetype(hits.size()) - shown; rest > 0)
        m_rows.push_back({Row::Rest, u"and %1 more"_s.arg(rest), u"Ctrl+Enter lists all"_s, {}});
    endResetModel();
}

FoundModel::Row FoundModel::kindOf(const QModelIndex& index) const {
    return index.parent().isValid() ? Row::Hit : m_rows[std::size_t(index.row())].kind;
}

const FoundModel::Found* FoundModel::foundAt(const QModelIndex& index) const {
    const QModelIndex block = index.parent();
    return block.isValid() ? &m_rows[std::size_t(block.row())].nodes[std::size_t(index.row())]
                           : nullptr;
}

int FoundModel::hitOf(const QModelIndex& index) const {
    const Found* found = index.isValid() ? foundAt(index) : nullptr;
    return found ? found->hit : -1;
}

QModelIndex FoundModel::indexOfHit(int hit) const {
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        for (std::size_t i = 0; i < m_rows[row].nodes.size(); ++i)
            if (m_rows[row].nodes[i].hit == hit)
                return index(int(i), 0, index(int(row), 0));
    return {};
}

QModelIndex FoundModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    // The row of the block, and 0 for what has no parent.
    return createIndex(row, column, quintptr(parent.isValid() ? parent.row() + 1 : 0));
}

QModelIndex FoundModel::parent(const QModelIndex& child) const {
    return child.internalId() == 0 ? QModelIndex()
                                   : createIndex(int(child.internalId()) - 1, 0, quintptr(0));
}

int FoundModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid())
        return int(m_rows.size());
    return parent.internalId() == 0 && parent.column() == 0
               ? int(m_rows[std::size_t(parent.row())].nodes.size())
               : 0;
}

int FoundModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QVariant FoundModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    static const QString titles[] = {u"Node"_s, u"Result"_s, u"Computed by"_s, u"Time"_s};
    return titles[section];
}

QVariant FoundModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == Time ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    const Found* found = foundAt(index);
    if (!found) {
        const Top& row = m_rows[std::size_t(index.row())];
        if (role == Qt::FontRole && row.kind == Row::Block && index.column() == Node) {
            QFont bold;
            bold.setBold(true);
            return bold;
        }
        if (role == ItemRole::ToneRole && row.kind == Row::Note)
            return int(Tone::Bad);
        if (role == Qt::ToolTipRole)
            return toolTipOf(row.title + (row.detail.isEmpty() ? QString() : u": "_s + row.detail));
        if (role == TextRole && row.kind == Row::Offer)
            return text(m_offers[std::size_t(index.row())].text);
        if (role != Qt::DisplayRole)
            return {};
        return index.column() == Node     ? row.title
               : index.column() == Result ? row.detail
                                          : QString();
    }
    const snapshot::NodeRecord& node = *found->node;
    if (role == Qt::ToolTipRole)
        return toolTipOf(text(node.op + " " + node.name) + u'\n' + resultOf(node));
    if (role == ItemRole::MakerRole && index.column() == By && found->group)
        return QVariant::fromValue(found->group->maker);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Node:
        return text(node.op + " " + node.name);
    case Result:
        return resultOf(node);
    case By:
        return found->group ? text(found->group->implementation.str()) : QString();
    case Time:
        return found->us                             ? timeText(*found->us)
               : found->group && found->group->estUs ? u"~ "_s + timeText(*found->group->estUs)
                                                     : QString();
    default:
        return {};
    }
}

} // namespace fw::ui
