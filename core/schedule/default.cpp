#include "schedule/default.h"

#include "schedule/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace fw {

namespace {

struct Row {
    ScheduleTemplate which;
    NestTemplate by;
};

Row row(ScheduleTemplate which, std::string name, Refused (*plan)(Planner&, const NestPlan&)) {
    return {which, {name, plan, {{}, Verdict::Yes, ReasonCode::ScheduleDefault, name}}};
}

// In the order in which a nest is offered to them.
const std::vector<Row>& rows() {
    using T = ScheduleTemplate;
    static const std::vector<Row> all = {
        row(T::Tiled, "tiled", planContraction), row(T::Rowwise, "rowwise", planRowwise),
        row(T::Window, "window", planWindow),    row(T::Map, "map", planElementwise),
        row(T::Plain, "plain", planPlain),
    };
    return all;
}

const NestTemplate& templateOf(ScheduleTemplate which) {
    return std::find_if(rows().begin(), rows().end(),
                        [&](const Row& one) { return one.which == which; })
        ->by;
}

std::vector<std::size_t> stagesOf(const NestPlan& nest) {
    std::vector<std::size_t> out = nest.members;
    out.push_back(nest.root);
    return out;
}

// Of all its stages, or of those of one node.
double workOf(const Planner& planner, const NestPlan& nest, std::optional<std::int64_t> node) {
    double work = 0;
    for (const std::size_t i : stagesOf(nest))
        if (!node || isOf(planner.stage(i), *node))
            work += planner.work(i);
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

    Result<ScheduleChoice> each(const NestTemplate& own, Inlined inlined) {
        if (inlined == Inlined::Yes)
            m_planner.inlineMaps();
        for (std::size_t i = 0; i < m_planner.inst.stages.size(); ++i)
            if (const Refused why = refused(own, {i, {}, {}, {}}))
                return makeDiag(DiagCode::ScheduleIllegal, *why);
        return lowered();
    }

    Result<ScheduleChoice> by(const NestTemplate& own, std::int64_t anchor) {
        m_planner.inlineMaps();
        std::vector<NestPlan> nests = m_planner.nests();
        std::size_t mine = nestOf(nests, anchor);
        for (std::size_t k = 0; k < nests.size();) {
            Refused why;
            if (k == mine ? !(why = refused(own, nests[k])) : byFirst(nests[k])) {
                ++k;
                continue;
            }
            if (why && nests[k].members.empty())
                return makeDiag(DiagCode::ScheduleIllegal, *why);
            if (why)
                m_refusals = fmt::format("{}: {}", own.name, *why);
            part(nests, k);
            mine = nestOf(nests, anchor);
        }
        return lowered();
    }

private:
    // Adds the template's steps, or gives what it says.
    Refused refused(const NestTemplate& by, const NestPlan& nest) {
        const std::size_t before = m_planner.schedule.steps.size();
        const StorageMaps packs = m_planner.packs;
        const Refused why = by.plan(m_planner, nest);
        if (!why) {
            took(by, nest);
            return {};
        }
        m_planner.schedule.steps.resize(before);
        m_planner.packs = packs;
        return why;
    }

    // False if no template takes its stages together.
    bool byFirst(const NestPlan& nest) {
        m_refusals.clear();
        for (const Row& one : rows()) {
            if (one.which == ScheduleTemplate::Plain)
                continue;
            const Refused why = refused(one.by, nest);
            if (!why)
                return true;
            m_refusals +=
                fmt::format("{}{}: {}", m_refusals.empty() ? "" : "; ", one.by.name, *why);
        }
        if (!nest.members.empty())
            return false;
        note(nest, "plain, since " + m_refusals);
        return !refused(templateOf(ScheduleTemplate::Plain), nest);
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

    void took(const NestTemplate& by, const NestPlan& nest) {
        m_out.nests.push_back({nameOf(nest), by.name});
        if (&by != &templateOf(ScheduleTemplate::Plain)) {
            m_out.decisions.push_back(by.taken);
            m_out.decisions.back().subject = nameOf(nest);
        }
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
    return templateOf(which).name;
}

const std::string& ScheduleChoice::main() const {
    return nests.empty() ? templateOf(ScheduleTemplate::Plain).name : nests[most].by;
}

Result<ScheduleChoice> scheduleEach(const NestTemplate& own, const OpInst& inst,
                                    const ScheduleContext& context) {
    Result<ScheduleChoice> out = Scheduling(inst, context).each(own, Inlined::Yes);
    return out ? std::move(out) : Scheduling(inst, context).each(own, Inlined::No);
}

Result<ScheduleChoice> plainSchedule(const OpInst& inst, const ScheduleContext& context) {
    return scheduleEach(templateOf(ScheduleTemplate::Plain), inst, context);
}

Result<ScheduleChoice> scheduleBy(ScheduleTemplate own, std::int64_t anchor, const OpInst& inst,
                                  const ScheduleContext& context) {
    return own == ScheduleTemplate::Plain ? plainSchedule(inst, context)
                                          : scheduleBy(templateOf(own), anchor, inst, context);
}

Result<ScheduleChoice> scheduleBy(const NestTemplate& own, std::int64_t anchor, const OpInst& inst,
                                  const ScheduleContext& context) {
    return Scheduling(inst, context).by(own, anchor);
}

} // namespace fw
