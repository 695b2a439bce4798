#include "views/explain/measured_rows.h"

#include "snapshot/time_changes.h"
#include "views/common/difference.h"
#include "views/common/numbers.h"
#include "views/common/text.h"
#include "views/explain/gate_table.h"

#include <algorithm>

namespace fw::ui {

using namespace Qt::StringLiterals;

namespace {

void addRow(QTreeWidget* table, const QString& name, const QString& what,
            GateTone tone = GateTone::Plain) {
    auto* item = new QTreeWidgetItem(table);
    setCell(item, 1, name, tone);
    setCell(item, 2, what, tone);
}

// "12.3 µs ± 0.2 µs, estimated 10.1 µs"
QString formText(const std::optional<double>& us, const std::optional<double>& iqrUs,
                 const std::optional<double>& estUs) {
    QString out = timeCell(us);
    if (iqrUs)
        out += u" ± "_s + timeText(*iqrUs / 2);
    return estUs ? out + u", estimated "_s + timeText(*estUs) : out;
}

void addBaseline(QTreeWidget* table, const DocumentParts& document,
                 const std::vector<int>& groups) {
    const auto& against = document.against();
    if (!against || document.state(Part::Profile) != State::Ready)
        return;
    for (const snapshot::DecisionRecord& reason : against->apart)
        addRow(table, u"against the baseline"_s,
               text(reason.sentence) + u"  "_s + text(reason.code), GateTone::Muted);
    const auto compared = comparedTimes(document);
    if (!compared)
        return;
    const snapshot::GroupDifference* last = nullptr; // both may belong to one
    for (const int group : groups)
        if (const auto* one = snapshot::differenceOf(*compared, group); one && one != last) {
            last = one;
            const Tone tone = differenceTone(one);
            addRow(table, u"against the baseline"_s,
                   differenceCell(one) + u" · "_s + text(snapshot::differenceSentence(one->time)),
                   tone == Tone::Good      ? GateTone::Good
                   : tone == Tone::Warning ? GateTone::Bad
                                           : GateTone::Muted);
        }
}

void addForms(QTreeWidget* table, const snapshot::FuseDocument& forms,
              const std::vector<int>& groups) {
    std::optional<double> sum, spread, expected;
    std::size_t known = 0;
    for (const snapshot::GroupRecord& group : forms.groups) {
        if (std::find(groups.begin(), groups.end(), group.id) == groups.end() || !group.aloneUs)
            continue;
        ++known;
        const QString star = group.disturbed ? u" * disturbed by other work"_s : QString();
        addRow(table, u"alone"_s,
               u"%1: %2%3"_s.arg(text(group.name),
                                 formText(group.aloneUs, group.aloneIqrUs, group.estUs), star));
        sum = sum.value_or(0) + *group.aloneUs;
        spread = spread.value_or(0) + group.aloneIqrUs.value_or(0);
        if (group.estUs)
            expected = expected.value_or(0) + *group.estUs;
        if (group.splitUs)
            addRow(
                table, u"split"_s,
                u"into %1: %2"_s.arg(countOf(std::int64_t(group.nodes.size()), u"operator"_s),
                                     formText(group.splitUs, group.splitIqrUs, group.splitEstUs)));
        if (group.forcedUs)
            addRow(table, u"forced"_s,
                   u"%1 in one group: %2"_s.arg(
                       countOf(std::int64_t(group.forced.size()), u"operator"_s),
                       formText(group.forcedUs, group.forcedIqrUs, group.forcedEstUs)));
        if (group.agree && !*group.agree)
            addRow(table, u"outputs"_s, u"these forms do not agree"_s, GateTone::Bad);
    }
    if (known > 1)
        addRow(table, u"both alone"_s, u"in sum: "_s + formText(sum, spread, expected));
    for (const std::string& notice : forms.notices)
        if (known && notice.find("was not measured") != std::string::npos)
            addRow(table, u"not measured"_s, text(notice), GateTone::Muted);
}

} // namespace

std::vector<int> groupsOf(const DocumentParts& document, const std::set<snapshot::NodeId>& nodes) {
    std::vector<int> out;
    if (document.plan() && !nodes.empty())
        for (const snapshot::GroupRecord& group : document.plan()->groups)
            if (std::any_of(group.nodeIds.begin(), group.nodeIds.end(),
                            [&](snapshot::NodeId id) { return nodes.contains(id); }))
                out.push_back(group.id);
    return out;
}

void addMeasuredRows(QTreeWidget* table, const DocumentParts& document,
                     const std::vector<int>& groups) {
    addBaseline(table, document, groups);
    if (document.state(Part::Forms) == State::Busy)
        addRow(table, u"measuring"_s, u"alone, split and forced …"_s, GateTone::Muted);
    else if (document.state(Part::Forms) == State::Error)
        addRow(table, u"not measured"_s, text(document.error(Part::Forms).text()), GateTone::Bad);
    if (document.forms())
        addForms(table, *document.forms(), groups);
}

} // namespace fw::ui
