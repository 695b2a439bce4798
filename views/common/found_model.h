// What was found, as a tree: a row per block of names, below it its nodes; above them what the word
// that is typed may become, or why nothing is found.
#pragma once

#include "views/common/node_finder.h"

#include <QAbstractItemModel>

#include <unordered_map>

namespace fw::ui {

class FoundModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Node, Result, By, Time, ColumnCount };
    enum class Row : std::uint8_t { Offer, Note, Block, Hit, Rest };
    enum Role { TextRole = Qt::UserRole }; // of an offer: the whole query
    using Offers = std::vector<snapshot::NodeSearch::Completion>;

    using QAbstractItemModel::QAbstractItemModel;

    // At most `most` nodes; the last row says how many more there are.
    void show(const NodeFinder& finder, const DocumentParts& document, Offers offers, int most);
    Row kindOf(const QModelIndex& index) const;
    int hitOf(const QModelIndex& index) const; // of the finder; -1: it is none
    QModelIndex indexOfHit(int hit) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    // The nodes of a graph, with the blocks that their names speak of.
    struct Known {
        struct Place {
            const snapshot::NodeRecord* node;
            QString block; // with other operators in it
        };
        Shared<snapshot::GraphDocument> graph;
        std::unordered_map<snapshot::NodeId, Place> places;

        void set(const Shared<snapshot::GraphDocument>& newGraph);
    };
    struct Found {
        int hit = -1;
        const snapshot::NodeRecord* node = nullptr;   // in one of the graphs below
        const snapshot::GroupRecord* group = nullptr; // likewise, of the plan; null: none
        std::optional<double> us;                     // of the group
    };
    struct Top { // a row of the first level
        Row kind = Row::Block;
        QString title, detail;
        std::vector<Found> nodes;
    };
    const Found* foundAt(const QModelIndex& index) const;

    Known m_imported, m_fused;
    Shared<snapshot::FuseDocument> m_plan;
    Offers m_offers;
    std::vector<Top> m_rows;
};

} // namespace fw::ui
