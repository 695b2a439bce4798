#include "views/authoring/rules_model.h"

#include "views/common/tool_tip.h"

#include <QFileInfo>

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

QString countOf(std::int64_t count, const QString& what) {
    return u"%1 %2"_s.arg(count).arg(what);
}

} // namespace

RulesModel::RulesModel(QObject* parent) : QAbstractItemModel(parent) {}

int RulesModel::add(int parent, Item item) {
    std::vector<int>& siblings = parent < 0 ? m_top : m_items[std::size_t(parent)].children;
    const int number = int(m_items.size());
    item.parent = parent;
    item.row = int(siblings.size());
    siblings.push_back(number);
    m_items.push_back(std::move(item));
    return number;
}

void RulesModel::setContent(RulesContent content) {
    beginResetModel();
    m_content = std::move(content);
    m_items.clear();
    m_top.clear();
    for (const snapshot::Book& book : m_content.books)
        addBook(book);
    addShipped();
    endResetModel();
}

void RulesModel::addBook(const snapshot::Book& book) {
    const bool on = book.enabled == snapshot::Enabled::Yes;
    const QString path = text(book.path);
    Item top;
    top.name = QFileInfo(path).fileName();
    top.tip = path;
    top.path = path;
    top.check = on ? Check::On : Check::Off;
    const auto found = m_content.checks.find(book.path);
    const auto* check = found == m_content.checks.end() ? nullptr : found->second.get();
    int problems = 0;
    if (check) {
        problems = int(check->diagnostics.size());
        for (const auto& item : check->items)
            problems += int(item.diagnostics.size());
        top.detail = problems ? countOf(problems, problems == 1 ? u"problem"_s : u"problems"_s)
                              : countOf(std::int64_t(check->items.size()), u"items"_s);
        top.tone = problems ? Tone::Bad : Tone::None;
    } else {
        top.detail = u"…"_s;
    }
    if (!on)
        top.detail = u"off"_s;
    const int number = add(-1, std::move(top));
    if (!check)
        return;
    const auto problem = [&](int parent, const Diag& diag) {
        Item row;
        row.name = text(diag.where.line > 0 ? "line " + std::to_string(diag.where.line) : "");
        row.detail = text(diag.message);
        row.tip = text(diag.text());
        row.tone = Tone::Bad;
        add(parent, std::move(row));
    };
    for (const Diag& diag : check->diagnostics)
        problem(number, diag);
    for (const auto& rule : check->items) {
        Item row;
        row.name = text(rule.name);
        row.tip = text(rule.kind + " " + rule.name);
        row.detail =
            rule.kind == "rule" ? text(rule.verdict) : text(rule.kind + ": " + rule.verdict);
        row.tone = rule.verdict == "ok" ? Tone::None : Tone::Bad;
        if (on && m_content.rewrite)
            for (const auto& applied : m_content.rewrite->applied)
                if (applied.rule == rule.name) {
                    row.detail = countOf(applied.count, u"applied"_s);
                    row.tone = applied.count > 0 ? Tone::Good : Tone::None;
                }
        const int child = add(number, std::move(row));
        for (const Diag& diag : rule.diagnostics)
            problem(child, diag);
    }
}

// What was applied and stands in none of the books above comes from what is shipped.
void RulesModel::addShipped() {
    if (!m_content.rewrite)
        return;
    std::vector<Item> rows;
    std::int64_t total = 0;
    for (const auto& applied : m_content.rewrite->applied) {
        const bool inBook =
            std::any_of(m_content.checks.begin(), m_content.checks.end(), [&](const auto& check) {
                return std::any_of(check.second->items.begin(), check.second->items.end(),
                                   [&](const auto& rule) { return rule.name == applied.rule; });
            });
        if (inBook)
            continue;
        Item row;
        row.name = text(applied.rule);
        row.detail = countOf(applied.count, u"applied"_s);
        row.tip = row.name + u": "_s + row.detail;
        row.tone = applied.count > 0 ? Tone::Good : Tone::None;
        total += applied.count;
        rows.push_back(std::move(row));
    }
    Item top;
    top.name = u"library"_s;
    top.detail = countOf(total, u"applied"_s);
    top.tip = u"the simplifications that are shipped with Fusewright"_s;
    const int number = add(-1, std::move(top));
    for (Item& row : rows)
        add(number, std::move(row));
}

QModelIndex RulesModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, quintptr(childrenOf(parent)[std::size_t(row)]));
}

QModelIndex RulesModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || item(child).parent < 0)
        return {};
    const int number = item(child).parent;
    return createIndex(m_items[std::size_t(number)].row, 0, quintptr(number));
}

int RulesModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : int(childrenOf(parent).size());
}

int RulesModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

Qt::ItemFlags RulesModel::flags(const QModelIndex& index) const {
    if (!index.isValid())
        return Qt::NoItemFlags;
    Qt::ItemFlags out = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (index.column() == Name && item(index).check != Check::None)
        out |= Qt::ItemIsUserCheckable;
    return out;
}

QVariant RulesModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Item& row = item(index);
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Name ? row.name : row.detail;
    case Qt::CheckStateRole:
        if (index.column() != Name || row.check == Check::None)
            return {};
        return int(row.check == Check::On ? Qt::Checked : Qt::Unchecked);
    case Qt::ToolTipRole:
        return toolTipOf(row.tip);
    case Qt::TextAlignmentRole:
        return int((index.column() == Detail ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case ItemRole::ToneRole:
        return index.column() == Detail ? QVariant(int(row.tone)) : QVariant();
    case PathRole:
        return row.path;
    case NodesRole:
        return QVariant::fromValue(row.nodes);
    default:
        return {};
    }
}

bool RulesModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || role != Qt::CheckStateRole ||
        item(index).check == Check::None)
        return false;
    // The document decides; its answer fills the model again.
    Q_EMIT bookSwitched(item(index).path, value.toInt() == Qt::Checked);
    return true;
}

QVariant RulesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 ||
        section >= ColumnCount)
        return {};
    return section == Name ? u"rule"_s : u""_s;
}

} // namespace fw::ui
