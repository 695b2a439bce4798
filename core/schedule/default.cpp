#include "schedule/default.h"

#include "schedule/inline_maps.h"
#include "schedule/melted.h"
#include "schedule/temporary_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace fw {

namespace {

struct Row {
    ScheduleTemplate which;
    NestTemplate by;
};

Row row(ScheduleTemplate which, std::string name,
        Refused (*plan)(SchedulePlanner&, const NestPlan&)) {
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

// Of all its stages, or of those of one node.
double workOf(const SchedulePlanner& planner, const NestPlan& nest,
              std::optional<std::int64_t> node) {
    double work = 0;
    for (const std::size_t i : stagesOf(nest))
        if (!node || isOf(planner.stage(i), *node))
            work += planner.work(i);
    return work;
}

// Every stage in a nest of its own.
std::vector<NestPlan> apart(const SchedulePlanner& planner, const NestPlan& nest) {
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
        : m_inst(inst), m_context(context), m_planner(inst, m_context) {}

    Result<ScheduleChoice> each(const NestTemplate& own, Inlined inlined) {
        if (inlined == Inlined::Yes)
            inlineMaps(m_planner);
        for (std::size_t i = 0; i < m_planner.inst.stages.size(); ++i)
            if (const Refused why = refused(own, {i, {}, {}, {}}))
                return makeDiag(DiagCode::ScheduleIllegal, *why);
        return lowered();
    }

    Result<ScheduleChoice> by(const NestTemplate& own, std::int64_t anchor) {
        inlineMaps(m_planner);
        std::vector<NestPlan> nests = nestsOf(m_planner);
        std::size_t mine = nestOf(nests, anchor);
        for (std::size_t k = 0; k < nests.size();) {
            const Refused why = k == mine ? refused(own, nests[k]) : Refused();
            if (k == mine ? !why : byFirst(nests[k])) {
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

    Result<ScheduleChoice> melted(Melt how) {
        inlineMaps(m_planner, Inlining::OncePerElement);
        std::vector<NestPlan> nests = nestsOf(m_planner);
        for (auto& [tensor, map] : lanesInnermost(m_planner))
            m_context.maps[tensor] = std::move(map);
        std::set<std::size_t> inside; // nests that are computed in others
        std::map<std::size_t, Melting> roots;
        std::string reasons;
        for (std::size_t k = nests.size(); k-- > 0;) {
            if (inside.contains(k))
                continue;
            std::string why;
            const std::optional<Melting> made = meltInto(nests, k, inside, how, why);
            if (!made) {
                reasons +=
                    fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", nameOf(nests[k]), why);
                continue;
            }
            inside.insert(made->nests.begin(), made->nests.end());
            roots.emplace(k, *made);
        }
        if (roots.empty())
            return makeDiag(DiagCode::ScheduleIllegal, "nothing is melted: " + reasons);
        std::map<std::size_t, std::size_t> rootAt; // by the stage: nests may fall apart before it
        for (const auto& [k, made] : roots)
            rootAt.emplace(nests[k].root, k);
        std::set<std::size_t> done;
        for (const std::size_t k : inside)
            done.insert(nests[k].root);
        for (std::size_t k = 0; k < nests.size();) {
            if (done.contains(nests[k].root)) {
                ++k;
            } else if (const auto at = rootAt.find(nests[k].root); at != rootAt.end()) {
                Melting& melting = roots.at(at->second);
                if (const Refused why = planMelting(m_planner, melting))
                    throw InternalError("a nest was melted before: " + *why);
                tookMelting(nests[k], melting);
                ++k;
            } else if (byFirst(nests[k])) {
                ++k;
            } else {
                part(nests, k);
            }
        }
        return lowered();
    }

private:
    // The first way to melt nests into this one that can be lowered.
    std::optional<Melting> meltInto(const std::vector<NestPlan>& nests, std::size_t root,
                                    const std::set<std::size_t>& taken, Melt how,
                                    std::string& why) {
        for (Melting& way : meltingsOf(m_planner, nests, root, taken, how, why)) {
            const std::size_t before = m_planner.schedule.steps.size();
            const StorageMaps packs = m_planner.packs;
            Refused refused = planMelting(m_planner, way);
            if (!refused) {
                Schedule alone = m_planner.schedule;
                addPacks(alone);
                const Result<Lowered> made = lower(m_inst, alone, m_context.maps, "check");
                if (!made)
                    refused = made.diag().message;
            }
            m_planner.schedule.steps.resize(before);
            m_planner.packs = packs;
            if (!refused)
                return way;
            why = *refused;
        }
        return std::nullopt;
    }

    void tookMelting(const NestPlan& nest, const Melting& melting) {
        std::string parts;
        for (const NestPlan& part : melting.parts) {
            std::string box;
            for (const Axis& axis : m_planner.stage(part.root).space)
                box += fmt::format("{}{}", box.empty() ? "" : " x ", part.into->box.at(axis.var));
            parts += fmt::format("{}{} of {}", parts.empty() ? "" : ", ", box, nameOf(part));
        }
        const std::string loop(melting.parts.front().into->loop.text());
        took({"melted",
              {},
              {{},
               Verdict::Yes,
               ReasonCode::ScheduleDefault,
               fmt::format("melted, {} in each iteration of {}: {}", parts, loop, melting.text())}},
             nest);
    }

    void addPacks(Schedule& schedule) const {
        for (const auto& [tensor, map] : m_planner.packs)
            schedule.steps.push_back({StepKind::Layout, tensor.text(), {}, 0, Tail::Guard, map});
    }

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
        addPacks(m_planner.schedule);
        m_out.schedule = std::move(m_planner.schedule);
        m_out.packs = std::move(m_planner.packs);
        FW_TRY(m_out.lowered, lower(m_inst, m_out.schedule, m_context.maps, "check"));
        return std::move(m_out);
    }

    const OpInst& m_inst;
    ScheduleContext m_context; // of melted stages, the maps that their nests want
    SchedulePlanner m_planner;
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

Result<ScheduleChoice> meltedSchedule(const OpInst& inst, const ScheduleContext& context,
                                      Melt how) {
    return Scheduling(inst, context).melted(how);
}

} // namespace fw
