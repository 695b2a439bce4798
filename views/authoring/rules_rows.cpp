#include "views/authoring/rules_rows.h"

#include "base/numbers.h"
#include "views/common/numbers.h"
#include "views/common/text.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

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

} // namespace

int RulesRows::add(int parent, RulesItem item) {
    std::vector<int>& siblings = parent < 0 ? m_top : m_items[std::size_t(parent)].children;
    const int number = int(m_items.size());
    item.parent = parent;
    item.row = int(siblings.size());
    siblings.push_back(number);
    m_items.push_back(std::move(item));
    return number;
}

const snapshot::RuleMatches* RulesRows::matchesOf(const std::string& rule, const std::string& file,
                                                  bool rewritten) const {
    const std::string_view stage = rewritten ? "rewritten" : "imported";
    for (const auto& document : m_content->matches)
        for (const auto& found : document->rules)
            if (document->stage == stage && found.name == rule &&
                (file.empty() ? isShipped(found.file) : found.file == file))
                return &found;
    return nullptr;
}

const snapshot::AppliedRecord* RulesRows::appliedOf(const std::string& rule,
                                                    const std::string& file) const {
    if (m_content->rewrite)
        for (const auto& applied : m_content->rewrite->applied)
            if (applied.rule == rule && applied.file == file)
                return &applied;
    return nullptr;
}

// What a rule did is told before what it could do.
int RulesRows::addRule(int book, RulesItem row, const snapshot::RuleMatches* matches,
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
    if (const auto* first = m_content->bisected && m_content->bisected->first && applied
                                ? &*m_content->bisected->first
                                : nullptr;
        first && first->rule == applied->rule && first->file == applied->file) {
        row.verdict = u"breaks"_s;
        row.verdictTone = Tone::Bad;
        row.tip +=
            u"\napplication %1 takes the outputs out of the tolerance: %2"_s.arg(first->number)
                .arg(text(m_content->bisected->worst));
    }
    const bool rewritten = row.rewritten;
    const int number = add(book, std::move(row));
    if (matches)
        addMatches(number, *matches, rewritten);
    if (applied && applied->count > 0)
        addApplications(number, *applied);
    return number;
}

const snapshot::ApplicationError* RulesRows::errorOf(std::int64_t application) const {
    if (!m_content->bisected)
        return nullptr;
    const auto& all = m_content->bisected->errors;
    const auto found = std::lower_bound(
        all.begin(), all.end(), application,
        [](const auto& error, std::int64_t number) { return error.number < number; });
    return found == all.end() || found->number != application ? nullptr : &*found;
}

// In the order in which they happened, with what each replaced and what that cost and costs.
void RulesRows::addApplications(int rule, const snapshot::AppliedRecord& applied) {
    RulesItem top;
    top.name = u"applications"_s;
    top.tip = u"what the rule did, in this order among all applications"_s;
    top.detail = QString::number(applied.count);
    const int group = add(rule, std::move(top));
    std::size_t listed = 0;
    for (const auto& one : m_content->rewrite->applications) {
        if (one.rule != applied.rule || one.file != applied.file)
            continue;
        if (listed == matchLimit)
            break;
        ++listed;
        RulesItem row;
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
            const bool first = error == m_content->bisected->errors.data();
            row.tip += u"\nlargest error of an output: %1 before it, %2 behind it%3"_s.arg(
                first ? u"none"_s : errorText((error - 1)->maxAbs), errorText(error->maxAbs),
                error->within ? QString() : u", out of the tolerance"_s);
        }
        add(group, std::move(row));
    }
    if (const auto all = std::size_t(applied.count); all > listed) {
        RulesItem row;
        row.name = u"and %1 more"_s.arg(all - listed);
        row.tip = u"`fw rewrite --trace FILE` writes all of them"_s;
        add(group, std::move(row));
    }
}

void RulesRows::addMatches(int rule, const snapshot::RuleMatches& matches, bool rewritten) {
    std::size_t left = matchLimit;
    for (const auto& match : matches.matches) {
        if (left-- == 0)
            break;
        RulesItem row;
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
        RulesItem row;
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
        RulesItem row;
        row.name = u"and %1 more"_s.arg(all - matchLimit);
        row.tip = u"`fw match` lists all of them"_s;
        add(rule, std::move(row));
    }
}

} // namespace fw::ui
