// Rule books, their rules, and below a rule the places where it matches and what it did. The box of
// a book says whether it takes part in the plan; behind those that were opened stand the books that
// they include, which have none, and the shipped ones.
#pragma once

#include "snapshot/inputs.h"
#include "snapshot/records.h"
#include "views/common/pane.h"

#include <QAbstractItemModel>

#include <map>
#include <memory>
#include <vector>

namespace fw::ui {

// What is known of the rules of a document; any part may be missing.
struct RulesContent {
    std::vector<snapshot::Book> books;
    std::vector<std::string> without; // shipped books that are switched off
    std::map<std::string, std::shared_ptr<const snapshot::CheckDocument>> checks; // by path
    std::shared_ptr<const snapshot::RewriteDocument> rewrite; // what was applied
    std::vector<std::shared_ptr<const snapshot::MatchDocument>> matches;
    std::shared_ptr<const snapshot::BisectDocument> bisected; // how far applications took outputs
    std::shared_ptr<const snapshot::OrderDocument> order;     // may say what each book won
};

class RulesModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Name, Detail, Verdict, ColumnCount };
    enum Role {
        PathRole = Qt::UserRole + 1, // of a book; empty for what is shipped
        NodesRole,                   // QList<qint64>: of a match, or of all of a rule
        RewrittenRole,               // bool: the nodes are of the graph as the rules left it
        FileRole,                    // where it is written: a path, or the name of a shipped book
        LineRole,                    // int from 1; 0: the file as a whole
        ClosedRole,                  // bool: a book of which nothing acted
    };

    explicit RulesModel(QObject* parent = nullptr);

    void setContent(RulesContent content);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    // A book is dragged to another place among the books.
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;
    int bookCount() const { return int(m_content.books.size()); }

Q_SIGNALS:
    void bookSwitched(const QString& path, bool on);    // by people
    void shippedSwitched(const QString& file, bool on); // likewise
    void bookMoved(const QString& path, int to);        // its place from 0, counted without it

private:
    enum class Check : std::uint8_t { None, Off, On };
    struct Item {
        int parent = -1;
        int row = 0;
        QString name, verdict, detail, tip;
        Tone tone = Tone::None, verdictTone = Tone::None;
        Check check = Check::None;
        QString path;
        QString file;
        int line = 0;
        QList<qint64> nodes;
        bool rewritten = false;
        bool closed = false;
        std::vector<int> children;
    };
    int add(int parent, Item item);
    void addBook(const snapshot::Book& book);
    void addIncluded();
    void addShipped();
    void addShippedBook(const std::string& file);
    void tellGain(const std::string& file, Item& book) const;
    // Null if it was not asked for or is not known yet. `file` empty: of the library.
    const snapshot::RuleMatches* matchesOf(const std::string& rule, const std::string& file,
                                           bool rewritten) const;
    const snapshot::AppliedRecord* appliedOf(const std::string& rule,
                                             const std::string& file) const;
    int addRule(int book, Item row, const snapshot::RuleMatches* matches,
                const snapshot::AppliedRecord* applied);
    const snapshot::ApplicationError* errorOf(std::int64_t application) const;
    void addMatches(int rule, const snapshot::RuleMatches& matches, bool rewritten);
    void addApplications(int rule, const snapshot::AppliedRecord& applied);
    const Item& item(const QModelIndex& index) const {
        return m_items[std::size_t(index.internalId())];
    }
    const std::vector<int>& childrenOf(const QModelIndex& parent) const {
        return parent.isValid() ? item(parent).children : m_top;
    }

    RulesContent m_content;
    std::vector<Item> m_items;
    std::vector<int> m_top;
};

} // namespace fw::ui
