#include "views/authoring/book_rows.h"

#include "base/declaration_kind.h"
#include "views/common/numbers.h"
#include "views/common/text.h"

#include <QFileInfo>

#include <algorithm>
#include <set>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

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

class BookRows {
public:
    explicit BookRows(const RulesContent& content) : m_content(content), m_rows(content) {}

    RulesRows take() {
        for (const snapshot::Book& book : m_content.books)
            addBook(book);
        addIncluded();
        addShipped();
        return std::move(m_rows);
    }

private:
    void addBook(const snapshot::Book& book) {
        const bool on = book.enabled == snapshot::Enabled::Yes;
        const QString path = text(book.path);
        RulesItem top;
        top.name = QFileInfo(path).fileName();
        top.tip = path;
        top.path = top.file = path;
        top.check = on ? RulesItem::Check::On : RulesItem::Check::Off;
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
        const int number = m_rows.add(-1, std::move(top));
        if (!check)
            return;
        for (const Diag& diag : check->diagnostics)
            addProblem(number, path, diag);
        for (const auto& rule : check->items)
            addChecked(number, rule, book, on);
    }

    // `on`: the book takes part.
    void addChecked(int parent, const snapshot::CheckItem& rule, const snapshot::Book& book,
                    bool on) {
        const bool rewritten = !fits(rule.kind, FitsIn::Imported); // it decides about groups
        const auto* matches = on ? m_rows.matchesOf(rule.name, book.path, rewritten) : nullptr;
        RulesItem row;
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
        row.file = text(book.path);
        row.line = rule.line;
        const int child = m_rows.addRule(parent, std::move(row), stands(rule) ? matches : nullptr,
                                         on ? m_rows.appliedOf(rule.name, book.path) : nullptr);
        for (const Diag& diag : rule.diagnostics)
            addProblem(child, text(book.path), diag);
    }

    void addProblem(int parent, const QString& path, const Diag& diag) {
        RulesItem row;
        row.name = text(diag.where.line > 0 ? "line " + std::to_string(diag.where.line) : "");
        row.detail = text(diag.message);
        row.tip = text(diag.text());
        row.tone = diag.severity == Severity::Error     ? Tone::Bad
                   : diag.severity == Severity::Warning ? Tone::Warning
                                                        : Tone::None;
        row.file = path;
        row.line = diag.where.line;
        m_rows.add(parent, std::move(row));
    }

    // What was looked for or applied, and is written in a file that was not opened as a book.
    void addIncluded() {
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
            RulesItem top;
            top.name = QFileInfo(text(file)).fileName();
            top.tip = text(file);
            top.file = text(file);
            top.detail = u"included"_s;
            const int number = m_rows.add(-1, std::move(top));
            for (const auto& document : m_content.matches)
                for (const auto& found : document->rules)
                    if (found.file == file && document->stage == "imported") {
                        RulesItem row;
                        row.name = row.tip = text(found.name);
                        m_rows.addRule(number, std::move(row), &found,
                                       m_rows.appliedOf(found.name, file));
                    }
        }
    }

    // Those of which something acted first; what is done without a book stands behind them.
    void addShipped() {
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
    void addShippedBook(const std::string& file) {
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
            rules.push_back({applied.rule, m_rows.matchesOf(applied.rule, {}, false), &applied});
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
        RulesItem top;
        top.name = file.empty() ? u"built in"_s : text(file);
        top.detail = on ? u"%1 applied"_s.arg(total) : u"off"_s;
        top.tip = file.empty() ? u"what is done without a book"_s : u"shipped with Fusewright"_s;
        top.closed = total == 0;
        if (!file.empty()) {
            top.file = text(file);
            top.check = on ? RulesItem::Check::On : RulesItem::Check::Off;
            tellGain(file, top);
        }
        const int number = m_rows.add(-1, std::move(top));
        for (const Shipped& rule : rules) {
            RulesItem row;
            row.name = row.tip = text(rule.name);
            m_rows.addRule(number, std::move(row), rule.matches, rule.applied);
        }
    }

    void tellGain(const std::string& file, RulesItem& book) const {
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
            book.detail =
                won < 0 ? u"lost %1"_s.arg(timeText(-won)) : u"won %1"_s.arg(timeText(won));
            book.tone = won < 0 ? Tone::Warning : won > 0 ? Tone::Good : Tone::None;
            book.tip += u"\nestimated %1 with it, %2 without it"_s.arg(
                timeText(with), timeText(*gain.estUsWithout));
        }
    }

    const RulesContent& m_content;
    RulesRows m_rows;
};

} // namespace

RulesRows rowsOf(const RulesContent& content) {
    return BookRows(content).take();
}

} // namespace fw::ui
