#include "views/graph/pane_heat.h"

#include "views/common/numbers.h"

#include <algorithm>
#include <cmath>

namespace fw::ui {

using namespace Qt::StringLiterals;
using snapshot::GroupNumber;
using snapshot::groupNumber;

namespace {

QString textOf(GroupNumber::Unit unit, double value) {
    switch (unit) {
    case GroupNumber::Unit::Microseconds:
        return timeText(value);
    case GroupNumber::Unit::Flops:
        return flopText(value);
    case GroupNumber::Unit::Bytes:
        return bytesText(value);
    case GroupNumber::Unit::FlopsPerByte:
        return u"%1 FLOP per byte"_s.arg(value, 0, 'g', 3);
    case GroupNumber::Unit::PicosecondsPerFlop:
        return u"%1 ps per FLOP"_s.arg(value, 0, 'g', 3);
    case GroupNumber::Unit::OfAllowed:
        return u"%1 of what is allowed"_s.arg(value, 0, 'g', 2);
    }
    return {};
}

// Groups differ by orders of magnitude: one that is large would leave the others without colour.
// Of an error it counts how close it is to what is allowed.
bool isLogarithmic(const GroupNumber* number) {
    return number != nullptr && number->unit != GroupNumber::Unit::OfAllowed;
}

double shareOf(double heat, double hottest, bool logarithmic) {
    constexpr double range = 1000; // from the hottest down
    if (hottest <= 0)
        return 0;
    return logarithmic ? std::log1p((range - 1) * heat / hottest) / std::log(range)
                       : heat / hottest;
}

QString mostText(const GroupNumber* number, double most) {
    if (number == nullptr)
        return u"± %1 to the baseline"_s.arg(timeText(most));
    const QString title = QString::fromUtf8(number->title.data(), qsizetype(number->title.size()));
    return u"%1: %2%3"_s.arg(title, textOf(number->unit, most),
                             isLogarithmic(number) ? u" (log)"_s : QString());
}

} // namespace

snapshot::GroupNumbers PaneHeat::numbers() const {
    const DocumentParts& document = m_panes.document();
    return {*document.plan(),
            document.state(Part::Profile) == State::Ready ? document.profileResult().get()
                                                          : nullptr,
            document.verified().get()};
}

std::optional<Diag> PaneHeat::missing(std::string_view by) const {
    if (by == noHeat)
        return std::nullopt;
    if (!m_panes.document().plan() || !m_panes.document().fused())
        return makeDiag(DiagCode::Usage, "there is no plan yet");
    if (const GroupNumber* number = groupNumber(by))
        return numbers().missing(*number);
    if (m_panes.document().state(Part::Profile) != State::Ready ||
        !comparedTimes(m_panes.document()))
        return makeDiag(DiagCode::Usage, "there are no times beside a baseline yet", {},
                        "Profile > Pin these times as baseline");
    return std::nullopt;
}

void PaneHeat::set(std::string_view by) {
    m_by = by;
    show();
    if (const auto why = missing(by); why && m_panes.document().isOpen())
        Q_EMIT m_panes.view().asked(Say{QString::fromStdString(
            why->message + (why->hint.empty() ? std::string() : ": " + why->hint))});
}

std::vector<Choice> PaneHeat::choices(const std::function<void(std::string_view)>& choose) const {
    std::vector<Choice> out;
    const auto offer = [&](const QString& text, const QString& detail, std::string_view by) {
        const auto why = missing(by);
        out.push_back({text, why ? QString::fromStdString(why->message) : detail,
                       [choose, by] { choose(by); }});
    };
    for (const GroupNumber& number : snapshot::groupNumbers())
        offer(QString::fromUtf8(number.title.data(), qsizetype(number.title.size())),
              QString::fromUtf8(number.sentence.data(), qsizetype(number.sentence.size())),
              number.key);
    offer(u"difference to the baseline"_s, u"of its time"_s, heatByDifference);
    offer(u"nothing"_s, u"colours as at first"_s, noHeat);
    return out;
}

// Each node has its share in the time of the groups that are compared.
PaneHeat::HeatOf PaneHeat::differences() const {
    HeatOf out;
    const auto compared = comparedTimes(m_panes.document());
    if (!compared)
        return out;
    std::map<int, const snapshot::GroupDifference*> differences;
    for (const auto& one : compared->groups)
        for (const int group : one.groupIds)
            differences[group] = &one;
    for (const auto& row : m_panes.document().profileResult()->rows)
        if (const auto found = differences.find(row.groupId); found != differences.end()) {
            const snapshot::TimeDifference& time = found->second->time;
            if (!time.beforeUs || !time.afterUs)
                continue;
            const double by = time.code.empty() ? *time.afterUs - *time.beforeUs : 0;
            for (const auto& node : row.nodes)
                out[node.id] =
                    by * row.medianUs * node.share.value_or(0) / std::max(*time.afterUs, 1e-9);
        }
    return out;
}

// Of a time each node has its share. What else adds up is not known of nodes apart: it stands at
// the operator that the group is built around. The rest is what the whole group is.
PaneHeat::HeatOf PaneHeat::valuesOfNodes() const {
    HeatOf out;
    if (m_by == noHeat || missing(m_by))
        return out;
    const GroupNumber* number = groupNumber(m_by);
    if (number == nullptr)
        return differences();
    if (number->from == GroupNumber::From::Times &&
        number->together == GroupNumber::Together::Sum) {
        for (const auto& row : m_panes.document().profileResult()->rows)
            for (const auto& node : row.nodes)
                out[node.id] = row.medianUs * node.share.value_or(0);
        return out;
    }
    const snapshot::GroupNumbers known = numbers();
    for (const snapshot::GroupRecord& group : m_panes.document().plan()->groups) {
        const auto value = known.of(*number, group.id);
        if (!value || group.nodeIds.empty())
            continue;
        if (number->together == GroupNumber::Together::Most)
            for (const snapshot::NodeId node : group.nodeIds)
                out[node] = *value;
        else
            out[group.anchorId != snapshot::noNode ? group.anchorId : group.nodeIds.front()] =
                *value;
    }
    return out;
}

// Relative to the hottest group or node. What is compared with the document's plan has no numbers.
void PaneHeat::show() const {
    const HeatOf nodes = valuesOfNodes();
    for (std::size_t i = 0; i < m_panes.size(); ++i)
        if (nodes.empty() || !m_panes.sideOf(i))
            m_panes.pane(i)->canvas()->setHeat({});
        else
            show(i, nodes);
}

void PaneHeat::show(std::size_t pane, const HeatOf& nodes) const {
    const GroupNumber* number = groupNumber(m_by);
    const bool sums = number == nullptr || number->together == GroupNumber::Together::Sum;
    const bool isFused = m_panes.sideOf(pane) == GraphSide::Fused;
    const auto graph = isFused ? m_panes.graphOf(pane) : m_panes.document().fused();
    HeatOf boxes = nodes, containers;
    double hottest = 0;
    for (const auto& node : graph->nodes) {
        const auto heat = nodes.find(node.id);
        if (heat == nodes.end())
            continue;
        double& all = node.group < 0 ? hottest : containers[node.group];
        all = node.group >= 0 && sums ? all + heat->second : std::max(all, heat->second);
        hottest = std::max(hottest, std::abs(all));
    }
    const auto together = sums ? Collapse::Together::Sum : Collapse::Together::Most;
    if (isFused) {
        boxes = m_panes.collapse().onBoxes(m_panes.pane(pane), nodes, together);
        for (const auto& [id, heat] : boxes)
            hottest = std::max(hottest, std::abs(heat));
    }
    const auto share = [&](HeatOf& all) {
        for (auto& [id, heat] : all)
            heat = shareOf(heat, hottest, isLogarithmic(number));
    };
    share(boxes);
    share(containers);
    if (!isFused) {
        HeatOf imported;
        for (const auto& [id, heat] : boxes)
            for (const auto origin : m_panes.selection().provenance().toImported({id}))
                if (double& most = imported[origin]; std::abs(heat) > std::abs(most))
                    most = heat;
        boxes = m_panes.collapse().onBoxes(m_panes.pane(pane), imported, together);
        containers.clear();
    }
    m_panes.pane(pane)->canvas()->setHeat(
        std::move(boxes), std::move(containers), mostText(number, hottest),
        number == nullptr ? GraphCanvas::HeatScale::BothWays : GraphCanvas::HeatScale::FromZero);
}

} // namespace fw::ui
