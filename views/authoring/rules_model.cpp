#include "views/authoring/rules_model.h"

#include "base/declaration_kind.h"
#include "base/numbers.h"
#include "views/common/numbers.h"
#include "views/common/text.h"
#include "views/common/tool_tip.h"

#include <QFileInfo>
#include <QMimeData>

#include <algorithm>
#include <set>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

// A file of the library is named without a folder.
bool isShipped(const std::string& file) {
    return file.find('/') == std::string::npos;
}

QString numberOf(double value) {
    return text(numberText(value));
}

constexpr std::size_t matchLimit = 300; // rows below a rule

QString operatorsOf(const std::vector<snapshot::RewrittenNode>& nodes) {
    QStringList out;
    for (const auto& node : nodes)
        out << text(node.op);
    return out.isEmpty() ? u"nothing"_s : out.join(u", "_s);
}

// A word for a narrow column.
QString shortVerdict(const snapshot::CheckItem& rule) {
    const QString verdict = text(rule.verdict), exact = u"proved exact"_s;
    return verdict.startsWith(exact) ? u"exact"_s + verdict.mid(exact.size()) : verdict;
}

QString verdictTip(const snapshot::CheckItem& rule) {
    QString out = u"\n"_s + text(rule.verdict);
    if (rule.proofs > 0)
        out += u": both sides are equal for all values at %1"_s.arg(
            countOf(rule.proofs, u"small graph"_s));
    if (isKind(rule.kind, Declares::Rule) && rule.trials)
        out += u"\n"_s +
               (*rule.trials == 0
                    ? u"no small graph was found at which it acts"_s
                    : u"nothing differed at %1"_s.arg(countOf(*rule.trials, u"small graph"_s)));
    for (const snapshot::ButForRecord& one : rule.butFor)
        if (!one.difference.empty())
            out += u"\nfor %1: %2"_s.arg(text(one.what), text(one.difference));
    if (!rule.counterexample.empty())
        out += u"\n"_s + text(rule.counterexample);
    return out;
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
    addIncluded();
    addShipped();
    endResetModel();
}

void RulesModel::addBook(const snapshot::Book& book) {
    const bool on = book.enabled == snapshot::Enabled::Yes;
    const QString path = text(book.path);
    Item top;
    top.name = QFileInfo(path).fileName();
    top.tip = path;
    top.path = top.file = path;
    top.check = on ? Check::On : Check::Off;
    const auto found = m_content.checks.find(book.path);
    const auto* check = found == m_content.checks.end() ? nullptr : found->second.get();
    int problems = 0;
    if (check) {
        // A remark is no problem.
        const auto count = [&](const Diags& diags) {
            for (const Diag& diag : diags)
                problems += diag.severity != Severity::Note;
        };
        count(check->diagnostics);
        for (const auto& item : check->items)
            count(item.diagnostics);
        top.detail = problems ? countOf(problems, u"problem"_s)
                              : countOf(std::int64_t(check->items.size()), u"item"_s);
        top.tone = problems ? Tone::Bad : Tone::None;
    } else {
        top.detail = u"…"_s;
    }
    if (!on)
        top.detail = u"off"_s;
    else if (problems == 0)
        tellGain(book.path, top);
    const int number = add(-1, std::move(top));
    if (!check)
        return;
    const auto problem = [&](int parent, const Diag& diag) {
        Item row;
        row.name = text(diag.where.line > 0 ? "line " + std::to_string(diag.where.line) : "");
        row.detail = text(diag.message);
        row.tip = text(diag.text());
        row.tone = diag.severity == Severity::Error     ? Tone::Bad
                   : diag.severity == Severity::Warning ? Tone::Warning
                                                        : Tone::None;
        row.file = path;
        row.line = diag.where.line;
        add(parent, std::move(row));
    };
    for (const Diag& diag : check->diagnostics)
        problem(number, diag);
    for (const auto& rule : check->items) {
        const bool rewritten = !fits(rule.kind, FitsIn::Imported); // it decides about groups
        const auto* matches = on ? matchesOf(rule.name, book.path, rewritten) : nullptr;
        Item row;
        row.name = text(rule.name);
        row.tip = text(rule.kind + " " + rule.name);
        if (rewritten)
            row.detail = text(rule.kind);
        row.verdict = shortVerdict(rule);
        row.verdictTone = !stands(rule)               ? Tone::Bad
                          : rule.verdict == "unknown" ? Tone::Warning
                                                      : Tone::None;
        row.tip += verdictTip(rule);
        row.rewritten = rewritten;
        row.file = path;
        row.line = rule.line;
        const int child = addRule(number, std::move(row), stands(rule) ? matches : nullptr,
                                  on ? appliedOf(rule.name, book.path) : nullptr);
        for (const Diag& diag : rule.diagnostics)
            problem(child, diag);
    }
}

const snapshot::RuleMatches* RulesModel::matchesOf(const std::string& rule, const std::string& file,
                                                   bool rewritten) const {
    const std::string_view stage = rewritten ? "rewritten" : "imported";
    for (const auto& document : m_content.matches)
        for (const auto& found : document->rules)
            if (document->stage == stage && found.name == rule &&
                (file.empty() ? isShipped(found.file) : found.file == file))
                return &found;
    return nullptr;
}

const snapshot::AppliedRecord* RulesModel::appliedOf(const std::string& rule,
                                                     const std::string& file) const {
    if (m_content.rewrite)
        for (const auto& applied : m_content.rewrite->applied)
            if (applied.rule == rule && applied.file == file)
                return &applied;
    return nullptr;
}

// What a rule did is told before what it could do.
int RulesModel::addRule(int book, Item row, const snapshot::RuleMatches* matches,
                        const snapshot::AppliedRecord* applied) {
    if (matches) {
        const auto count = std::int64_t(matches->matches.size());
        row.detail = count == 0   ? u"none"_s
                     : count == 1 ? u"1 match"_s
                                  : u"%1 matches"_s.arg(count);
        if (matches->matches.empty() && !matches->nearMisses.empty())
            row.detail = u"%1 near"_s.arg(matches->nearMisses.size());
        if (!matches->doc.empty())
            row.tip += u"\n"_s + text(matches->doc);
        row.file = text(matches->file);
        row.line = matches->line;
        if (matches->line > 0)
            row.tip += u"\n%1:%2"_s.arg(text(matches->file)).arg(matches->line);
        row.tone = matches->matches.empty() ? Tone::None : Tone::Good;
        if (const auto refused = std::int64_t(std::count_if(
                matches->matches.begin(), matches->matches.end(),
                [](const auto& match) { return match.came == snapshot::CameHow("undone"); }));
            refused > 0) {
            row.detail = u"%1 undone"_s.arg(refused);
            row.tone = Tone::Bad;
        }
        for (const auto& match : matches->matches)
            for (const auto id : match.nodeIds)
                row.nodes << id;
    }
    if (applied && (applied->count > 0 || !matches)) {
        row.detail = u"%1 applied"_s.arg(applied->count);
        row.tip +=
            u"\napplied %1 times in %2"_s.arg(applied->count).arg(timeText(applied->ms * 1e3));
        row.tone = applied->count > 0 ? Tone::Good : Tone::None;
        if (applied->count > 0 && row.verdict == u"refuted"_s) {
            row.tip += u"\nthe rule is refuted and acts all the same (RUL23)"_s;
            row.tone = Tone::Bad;
        }
    }
    if (const auto* first = m_content.bisected && m_content.bisected->first && applied
                                ? &*m_content.bisected->first
                                : nullptr;
        first && first->rule == applied->rule && first->file == applied->file) {
        row.verdict = u"breaks"_s;
        row.verdictTone = Tone::Bad;
        row.tip +=
            u"\napplication %1 takes the outputs out of the tolerance: %2"_s.arg(first->number)
                .arg(text(m_content.bisected->worst));
    }
    const bool rewritten = row.rewritten;
    const int number = add(book, std::move(row));
    if (matches)
        addMatches(number, *matches, rewritten);
    if (applied && applied->count > 0)
        addApplications(number, *applied);
    return number;
}

const snapshot::ApplicationError* RulesModel::errorOf(std::int64_t application) const {
    if (!m_content.bisected)
        return nullptr;
    const auto& all = m_content.bisected->errors;
    const auto found = std::lower_bound(
        all.begin(), all.end(), application,
        [](const auto& error, std::int64_t number) { return error.number < number; });
    return found == all.end() || found->number != application ? nullptr : &*found;
}

// In the order in which they happened, with what each replaced and what that cost and costs.
void RulesModel::addApplications(int rule, const snapshot::AppliedRecord& applied) {
    Item top;
    top.name = u"applications"_s;
    top.tip = u"what the rule did, in this order among all applications"_s;
    top.detail = QString::number(applied.count);
    const int group = add(rule, std::move(top));
    std::size_t listed = 0;
    for (const auto& one : m_content.rewrite->applications) {
        if (one.rule != applied.rule || one.file != applied.file)
            continue;
        if (listed == matchLimit)
            break;
        ++listed;
        Item row;
        row.name = u"%1  %2"_s.arg(one.number)
                       .arg(one.matched.empty() ? QString() : text(one.matched.front().name));
        row.detail = u"%1 → %2"_s.arg(operatorsOf(one.matched), operatorsOf(one.created));
        row.tip = u"application %1 of %2"_s.arg(one.number).arg(text(one.rule));
        if (!one.body.empty())
            row.tip += u" inside %1"_s.arg(text(one.body));
        for (const auto& result : one.results)
            row.tip += u"\n%1: %2 → %3: %4"_s.arg(text(result.name), text(result.before),
                                                  text(result.became), text(result.after));
        if (one.erased.size() != one.matched.size())
            row.tip += u"\nerased %1"_s.arg(operatorsOf(one.erased));
        row.tip += u"\noperations %1 → %2, bytes %3 → %4"_s.arg(
            numberOf(one.flopsBefore), numberOf(one.flopsAfter), numberOf(one.bytesBefore),
            numberOf(one.bytesAfter));
        row.nodes = {one.origins.begin(), one.origins.end()};
        row.tone = Tone::Good;
        if (const auto* error = errorOf(one.number)) {
            row.verdict = errorText(error->maxAbs);
            row.verdictTone = error->within ? Tone::None : Tone::Bad;
            const bool first = error == m_content.bisected->errors.data();
            row.tip += u"\nlargest error of an output: %1 before it, %2 behind it%3"_s.arg(
                first ? u"none"_s : errorText((error - 1)->maxAbs), errorText(error->maxAbs),
                error->within ? QString() : u", out of the tolerance"_s);
        }
        add(group, std::move(row));
    }
    if (const auto all = std::size_t(applied.count); all > listed) {
        Item row;
        row.name = u"and %1 more"_s.arg(all - listed);
        row.tip = u"`fw rewrite --trace FILE` writes all of them"_s;
        add(group, std::move(row));
    }
}

void RulesModel::addMatches(int rule, const snapshot::RuleMatches& matches, bool rewritten) {
    std::size_t left = matchLimit;
    for (const auto& match : matches.matches) {
        if (left-- == 0)
            break;
        Item row;
        row.name = text(match.root);
        row.detail = countOf(std::int64_t(match.nodes.size()), u"operator"_s);
        QStringList lines;
        for (const std::string& node : match.nodes)
            lines << text(node);
        row.tip = u"takes "_s + lines.join(u", "_s);
        if (!match.came.empty() && match.came != snapshot::CameHow("applied")) {
            row.detail = text(match.came.str());
            row.tone = match.came == snapshot::CameHow("undone") ? Tone::Bad : Tone::Warning;
        }
        if (!match.outcome.empty())
            row.tip += u"\n"_s + text(match.outcome);
        for (const auto& [name, value] : match.bindings)
            row.tip += u"\n%1 = %2"_s.arg(text(name), text(value));
        row.nodes = {match.nodeIds.begin(), match.nodeIds.end()};
        row.rewritten = rewritten;
        add(rule, std::move(row));
    }
    for (const auto& miss : matches.nearMisses) {
        if (left-- == 0)
            break;
        Item row;
        row.name = text(miss.root);
        row.detail = u"near: %1 of %2"_s.arg(miss.matched).arg(miss.total);
        row.tip = u"%1\nexpected %2, found %3"_s.arg(text(miss.clause), text(miss.expected),
                                                     text(miss.found));
        row.tone = Tone::Warning;
        row.nodes = {miss.rootId};
        row.rewritten = rewritten;
        add(rule, std::move(row));
    }
    const std::size_t all = matches.matches.size() + matches.nearMisses.size();
    if (all > matchLimit) {
        Item row;
        row.name = u"and %1 more"_s.arg(all - matchLimit);
        row.tip = u"`fw match` lists all of them"_s;
        add(rule, std::move(row));
    }
}

// What was looked for or applied, and is written in a file that was not opened as a book.
void RulesModel::addIncluded() {
    std::vector<std::string> files;
    const auto isNew = [&](const std::string& file) {
        return !isShipped(file) && std::find(files.begin(), files.end(), file) == files.end() &&
               std::none_of(m_content.books.begin(), m_content.books.end(),
                            [&](const snapshot::Book& book) { return book.path == file; });
    };
    for (const auto& document : m_content.matches)
        for (const auto& rule : document->rules)
            if (isNew(rule.file))
                files.push_back(rule.file);
    for (const std::string& file : files) {
        Item top;
        top.name = QFileInfo(text(file)).fileName();
        top.tip = text(file);
        top.file = text(file);
        top.detail = u"included"_s;
        const int number = add(-1, std::move(top));
        for (const auto& document : m_content.matches)
            for (const auto& found : document->rules)
                if (found.file == file && document->stage == "imported") {
                    Item row;
                    row.name = row.tip = text(found.name);
                    addRule(number, std::move(row), &found, appliedOf(found.name, file));
                }
    }
}

// Those of which something acted first; what is done without a book stands behind them.
void RulesModel::addShipped() {
    if (!m_content.rewrite)
        return;
    std::set<std::string> files(m_content.without.begin(), m_content.without.end());
    for (const auto& applied : m_content.rewrite->applied)
        if (isShipped(applied.file))
            files.insert(applied.file);
    for (const auto& document : m_content.matches)
        for (const auto& found : document->rules)
            if (document->stage == "imported" && isShipped(found.file))
                files.insert(found.file);
    const auto acted = [&](const std::string& file) {
        const auto& all = m_content.rewrite->applied;
        return std::any_of(all.begin(), all.end(), [&](const auto& applied) {
            return applied.file == file && applied.count > 0;
        });
    };
    std::vector<std::string> ordered(files.begin(), files.end());
    std::stable_sort(ordered.begin(), ordered.end(), [&](const auto& a, const auto& b) {
        return std::pair(a.empty(), !acted(a)) < std::pair(b.empty(), !acted(b));
    });
    for (const std::string& file : ordered)
        addShippedBook(file);
}

// What did something or could comes first.
void RulesModel::addShippedBook(const std::string& file) {
    struct Shipped {
        std::string name;
        const snapshot::RuleMatches* matches = nullptr;
        const snapshot::AppliedRecord* applied = nullptr;
    };
    std::vector<Shipped> rules;
    std::int64_t total = 0;
    for (const auto& applied : m_content.rewrite->applied) {
        if (applied.file != file)
            continue;
        total += applied.count;
        rules.push_back({applied.rule, matchesOf(applied.rule, {}, false), &applied});
    }
    for (const auto& document : m_content.matches)
        for (const auto& found : document->rules)
            if (document->stage == "imported" && found.file == file &&
                std::none_of(rules.begin(), rules.end(),
                             [&](const Shipped& rule) { return rule.name == found.name; }))
                rules.push_back({found.name, &found, nullptr});
    std::stable_sort(rules.begin(), rules.end(), [](const Shipped& a, const Shipped& b) {
        const auto rank = [](const Shipped& rule) {
            return rule.applied && rule.applied->count > 0             ? 0
                   : rule.matches && !rule.matches->matches.empty()    ? 1
                   : rule.matches && !rule.matches->nearMisses.empty() ? 2
                                                                       : 3;
        };
        return rank(a) < rank(b);
    });
    const bool on = std::find(m_content.without.begin(), m_content.without.end(), file) ==
                    m_content.without.end();
    Item top;
    top.name = file.empty() ? u"built in"_s : text(file);
    top.detail = on ? u"%1 applied"_s.arg(total) : u"off"_s;
    top.tip = file.empty() ? u"what is done without a book"_s : u"shipped with Fusewright"_s;
    top.closed = total == 0;
    if (!file.empty()) {
        top.file = text(file);
        top.check = on ? Check::On : Check::Off;
        tellGain(file, top);
    }
    const int number = add(-1, std::move(top));
    for (const Shipped& rule : rules) {
        Item row;
        row.name = row.tip = text(rule.name);
        addRule(number, std::move(row), rule.matches, rule.applied);
    }
}

void RulesModel::tellGain(const std::string& file, Item& book) const {
    if (!m_content.order || !m_content.order->estUs)
        return;
    for (const snapshot::BookGain& gain : m_content.order->books) {
        if (gain.file != file)
            continue;
        const double with = *m_content.order->estUs;
        book.tip += u"\napplied %1 times; without it %2"_s.arg(gain.applied)
                        .arg(countOf(gain.operatorsWithout, u"operator"_s));
        if (!gain.estUsWithout) {
            book.detail = u"no plan without it"_s;
            return;
        }
        const double won = *gain.estUsWithout - with;
        book.detail = won < 0 ? u"lost %1"_s.arg(timeText(-won)) : u"won %1"_s.arg(timeText(won));
        book.tone = won < 0 ? Tone::Warning : won > 0 ? Tone::Good : Tone::None;
        book.tip += u"\nestimated %1 with it, %2 without it"_s.arg(timeText(with),
                                                                   timeText(*gain.estUsWithout));
    }
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
        return Qt::ItemIsDropEnabled; // between the books
    Qt::ItemFlags out = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (!item(index).path.isEmpty())
        out |= Qt::ItemIsDragEnabled | Qt::ItemIsDropEnabled;
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
        return index.column() == Name      ? row.name
               : index.column() == Verdict ? row.verdict
                                           : row.detail;
    case Qt::CheckStateRole:
        if (index.column() != Name || row.check == Check::None)
            return {};
        return int(row.check == Check::On ? Qt::Checked : Qt::Unchecked);
    case Qt::ToolTipRole:
        return toolTipOf(row.tip);
    case Qt::TextAlignmentRole:
        return int((index.column() != Name ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case ClosedRole:
        return row.closed;
    case ItemRole::WholeFrontRole: // a sentence is read from its front, names from both ends
        return index.column() == Name ? 0 : int(data(index, Qt::DisplayRole).toString().size());
    case ItemRole::ToneRole:
        return index.column() == Detail    ? QVariant(int(row.tone))
               : index.column() == Verdict ? QVariant(int(row.verdictTone))
                                           : QVariant();
    case PathRole:
        return row.path;
    case NodesRole:
        return QVariant::fromValue(row.nodes);
    case RewrittenRole:
        return row.rewritten;
    case FileRole:
        return row.file;
    case LineRole:
        return row.line;
    default:
        return {};
    }
}

bool RulesModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || role != Qt::CheckStateRole ||
        item(index).check == Check::None)
        return false;
    // The document decides; its answer fills the model again.
    const bool on = value.toInt() == Qt::Checked;
    if (item(index).path.isEmpty())
        Q_EMIT shippedSwitched(item(index).file, on);
    else
        Q_EMIT bookSwitched(item(index).path, on);
    return true;
}

QStringList RulesModel::mimeTypes() const {
    return {u"application/x-fusewright-book"_s};
}

QMimeData* RulesModel::mimeData(const QModelIndexList& indexes) const {
    auto* out = new QMimeData;
    for (const QModelIndex& index : indexes)
        if (const QString path = index.data(PathRole).toString(); !path.isEmpty())
            out->setData(mimeTypes().front(), path.toUtf8());
    return out;
}

bool RulesModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int,
                              const QModelIndex& parent) {
    if (action != Qt::MoveAction || !data->hasFormat(mimeTypes().front()))
        return false;
    const QString path = QString::fromUtf8(data->data(mimeTypes().front()));
    int from = -1;
    for (int i = 0; i < bookCount(); ++i)
        if (text(m_content.books[std::size_t(i)].path) == path)
            from = i;
    if (from < 0)
        return false;
    // Onto a book: to its place; behind the books, the library too: to the end.
    int to = parent.isValid() ? parent.row() : row < 0 ? bookCount() : row;
    to = std::min(to, bookCount());
    if (!parent.isValid() && to > from)
        --to;
    if (to != from)
        Q_EMIT bookMoved(path, to);
    return false; // the document moves it, and fills the model again
}

QVariant RulesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 ||
        section >= ColumnCount)
        return {};
    return section == Name ? u"rule"_s : u""_s;
}

} // namespace fw::ui
