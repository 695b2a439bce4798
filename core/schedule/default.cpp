#include "schedule/default.h"

#include "schedule/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace fw {

namespace {

struct Row {
    ScheduleTemplate which;
    std::string_view name;
    Refused (*plan)(Planner&, const NestPlan&);
};

// In the order in which a nest is offered to them.
constexpr Row rows[] = {
    {ScheduleTemplate::Tiled, "tiled", planContraction},
    {ScheduleTemplate::Rowwise, "rowwise", planRowwise},
    {ScheduleTemplate::Window, "window", planWindow},
    {ScheduleTemplate::Map, "map", planElementwise},
    {ScheduleTemplate::Plain, "plain", planPlain},
};

const Row& rowOf(ScheduleTemplate which) {
    return *std::find_if(std::begin(rows), std::end(rows),
                         [&](const Row& row) { return row.which == which; });
}

std::vector<std::size_t> stagesOf(const NestPlan& nest) {
    std::vector<std::size_t> out = nest.members;
    out.push_back(nest.root);
    return out;
}

bool isOf(const Stage& stage, std::int64_t node) {
    return std::find(stage.nodes.begin(), stage.nodes.end(), node) != stage.nodes.end();
}

// Of all its stages, or of those of one node.
double workOf(const Planner& planner, const NestPlan& nest, std::optional<std::int64_t> node) {
    double work = 0;
    for (const std::size_t i : stagesOf(nest)) {
        if (node && !isOf(planner.stage(i), *node))
            continue;
        double points = bodyCost(planner.stage(i).body) + 1;
        for (const auto* axes : {&planner.stage(i).space, &planner.stage(i).reduce})
            for (const Axis& axis : *axes)
                points *= static_cast<double>(constantOr(axis.extent, 64));
        work += points;
    }
    return work;
}

// Every stage in a nest of its own.
std::vector<NestPlan> apart(const Planner& planner, const NestPlan& nest) {
    std::vector<NestPlan> out;
    for (const std::size_t i : stagesOf(nest)) {
        NestPlan single{i, {}, {}, {}};
        for (const Axis& axis : planner.stage(i).space) {
            single.row.insert(axis.var);
            single.axes[i][axis.var] = axis.var;
        }
        out.push_back(std::move(single));
    }
    return out;
}

enum class Inlined : std::uint8_t { No, Yes };

class Scheduling {
public:
    Scheduling(const OpInst& inst, const ScheduleContext& context)
        : m_inst(inst), m_maps(context.maps), m_planner(inst, context) {}

    Result<ScheduleChoice> plain(Inlined inlined) {
        if (inlined == Inlined::Yes)
            m_planner.inlineMaps();
        for (std::size_t i = 0; i < m_planner.inst.stages.size(); ++i) {
            planPlain(m_planner, {i, {}, {}, {}});
            took(ScheduleTemplate::Plain, {i, {}, {}, {}});
        }
        return lowered();
    }

    Result<ScheduleChoice> by(ScheduleTemplate own, std::int64_t anchor) {
        m_planner.inlineMaps();
        std::vector<NestPlan> nests = m_planner.nests();
        std::size_t mine = nestOf(nests, anchor);
        for (std::size_t k = 0; k < nests.size();) {
            Refused why;
            if (k == mine ? !(why = refused(rowOf(own), nests[k])) : byFirst(nests[k])) {
                ++k;
                continue;
            }
            if (why && nests[k].members.empty())
                return makeDiag(DiagCode::ScheduleIllegal, *why);
            if (why)
                m_refusals = fmt::format("{}: {}", rowOf(own).name, *why);
            part(nests, k);
            mine = nestOf(nests, anchor);
        }
        return lowered();
    }

private:
    // Adds the template's steps, or gives what it says.
    Refused refused(const Row& row, const NestPlan& nest) {
        const std::size_t before = m_planner.schedule.steps.size();
        const StorageMaps packs = m_planner.packs;
        const Refused why = row.plan(m_planner, nest);
        if (!why) {
            took(row.which, nest);
            return {};
        }
        m_planner.schedule.steps.resize(before);
        m_planner.packs = packs;
        return why;
    }

    // False if no template takes its stages together.
    bool byFirst(const NestPlan& nest) {
        m_refusals.clear();
        for (const Row& row : rows) {
            if (row.which == ScheduleTemplate::Plain)
                continue;
            const Refused why = refused(row, nest);
            if (!why)
                return true;
            m_refusals += fmt::format("{}{}: {}", m_refusals.empty() ? "" : "; ", row.name, *why);
        }
        if (!nest.members.empty())
            return false;
        note(nest, "plain, since " + m_refusals);
        return !refused(rowOf(ScheduleTemplate::Plain), nest);
    }

    void part(std::vector<NestPlan>& nests, std::size_t k) {
        note(nests[k], "nests apart, since " + m_refusals);
        const std::vector<NestPlan> parts = apart(m_planner, nests[k]);
        const auto place = nests.erase(nests.begin() + static_cast<std::ptrdiff_t>(k));
        nests.insert(place, parts.begin(), parts.end());
    }

    // The one that reduces for the node, and of several the one with most of its work; of all work,
    // if its stages are computed in nests of others.
    std::size_t nestOf(const std::vector<NestPlan>& nests, std::int64_t node) const {
        std::size_t out = 0;
        std::tuple<bool, double, double> most{false, -1, -1};
        for (std::size_t k = 0; k < nests.size(); ++k) {
            const std::vector<std::size_t> stages = stagesOf(nests[k]);
            const bool reduces = std::any_of(stages.begin(), stages.end(), [&](std::size_t i) {
                return isOf(m_planner.stage(i), node) && !m_planner.stage(i).isMap();
            });
            const std::tuple here{reduces, workOf(m_planner, nests[k], node),
                                  workOf(m_planner, nests[k], std::nullopt)};
            if (here > most) {
                most = here;
                out = k;
            }
        }
        return out;
    }

    std::string nameOf(const NestPlan& nest) const { return m_planner.stage(nest.root).out.text(); }

    void note(const NestPlan& nest, std::string evidence) {
        m_out.decisions.push_back(
            {nameOf(nest), Verdict::Note, ReasonCode::ScheduleFallback, std::move(evidence)});
    }

    void took(ScheduleTemplate which, const NestPlan& nest) {
        m_out.nests.push_back({nameOf(nest), which});
        if (which != ScheduleTemplate::Plain)
            m_out.decisions.push_back({nameOf(nest), Verdict::Yes, ReasonCode::ScheduleDefault,
                                       std::string(templateText(which))});
        if (const double work = workOf(m_planner, nest, std::nullopt); work > m_most) {
            m_most = work;
            m_out.most = m_out.nests.size() - 1;
        }
    }

    Result<ScheduleChoice> lowered() {
        for (const auto& [tensor, map] : m_planner.packs)
            m_planner.schedule.steps.push_back(
                {StepKind::Layout, tensor.text(), {}, 0, Tail::Guard, map});
        m_out.schedule = std::move(m_planner.schedule);
        m_out.packs = std::move(m_planner.packs);
        FW_TRY(m_out.lowered, lower(m_inst, m_out.schedule, m_maps, "check"));
        return std::move(m_out);
    }

    const OpInst& m_inst;
    const StorageMaps& m_maps;
    Planner m_planner;
    ScheduleChoice m_out;
    std::string m_refusals; // of the nest at hand
    double m_most = -1;
};

} // namespace

std::string_view templateText(ScheduleTemplate which) {
    return rowOf(which).name;
}

ScheduleTemplate ScheduleChoice::main() const {
    return nests.empty() ? ScheduleTemplate::Plain : nests[most].by;
}

Result<ScheduleChoice> plainSchedule(const OpInst& inst, const ScheduleContext& context) {
    Result<ScheduleChoice> out = Scheduling(inst, context).plain(Inlined::Yes);
    return out ? std::move(out) : Scheduling(inst, context).plain(Inlined::No);
}

Result<ScheduleChoice> scheduleBy(ScheduleTemplate own, std::int64_t anchor, const OpInst& inst,
                                  const ScheduleContext& context) {
    return own == ScheduleTemplate::Plain ? plainSchedule(inst, context)
                                          : Scheduling(inst, context).by(own, anchor);
}

} // namespace fw
