#include "strategy/lowering.h"

#include "strategy/melted.h"

#include <fmt/format.h>

namespace fw {

namespace {

ScheduleContext contextOf(const GroupBody& body, const Target& target) {
    ScheduleContext out;
    out.vectorLanes = target.vectorLanesF32;
    out.vectorRegisters = target.vectorRegisters;
    out.threads = target.threads;
    if (target.l1 > 0)
        out.l1Bytes = target.l1;
    if (target.l2 > 0)
        out.l2Bytes = target.l2;
    for (std::size_t i = 0; i < body.inst.inputs.size(); ++i) {
        out.maps[body.inst.inputs[i].name] = body.inputLayouts[i];
        if (body.constantInput[i])
            out.constants.insert(body.inst.inputs[i].name);
    }
    for (std::size_t i = 0; i < body.inst.outputs.size(); ++i)
        out.maps[body.inst.outputs[i].name] = body.outputLayouts[i];
    for (const auto& [inner, map] : body.innerLayouts)
        out.maps[inner] = map;
    return out;
}

// What a group is. Of a kernel with positions in the place of names, and without the values of
// constants with more than one element.
class KeyText {
public:
    KeyText(const GroupSite& site, bool call) : m_site(site), m_call(call) {
        for (std::size_t i = 0; i < site.outputs.size(); ++i)
            m_names.emplace(site.outputs[i], fmt::format("out{}", i));
    }

    std::string take() {
        for (std::size_t position = 0; position < m_site.nodes.size(); ++position)
            node(m_site.graph->node(m_site.nodes[position]), position);
        if (m_call && m_site.mayReuse)
            for (const ValueRef& output : m_site.outputs)
                for (const ValueRef& input : m_site.inputs)
                    m_text += m_site.mayReuse(input, output) ? "r" : "-";
        return std::move(m_text);
    }

private:
    void node(const Node& node, std::size_t position) {
        m_text += node.op;
        m_text += node.id == m_site.anchor ? "! " : " ";
        m_text += node.attrs.print();
        for (const ValueRef& operand : node.inputs)
            if (operand.valid())
                read(operand);
            else
                m_text += " -";
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueRef value{node.id, static_cast<int>(i)};
            const auto name = m_names.emplace(value, fmt::format("t{}.{}", position, i)).first;
            m_text += " > " + name->second + ":" + node.outputs[i].type.text();
            m_text += "@" + m_site.layout(value).text(node.outputs[i].type.rank());
            identity(value);
        }
        m_text += "\n";
    }

    void read(ValueRef value) {
        const auto [name, isNew] = m_names.emplace(value, fmt::format("in{}", m_inputs));
        m_text += " " + name->second;
        if (!isNew)
            return;
        ++m_inputs;
        const TensorType& type = m_site.graph->type(value);
        m_text += ":" + type.text() + "@" + m_site.layout(value).text(type.rank());
        identity(value);
        const TensorData* data = m_site.graph->constant(value);
        if (data != nullptr)
            m_text += data->count() == 1 || m_call ? "=" + data->hash().hex() : "=";
    }

    // A call speaks of its values by themselves.
    void identity(ValueRef value) {
        if (m_call)
            m_text += fmt::format("#{}.{} {}", value.node, value.output,
                                  m_site.graph->output(value).name);
    }

    const GroupSite& m_site;
    const bool m_call;
    std::map<ValueRef, std::string> m_names;
    std::string m_text;
    std::size_t m_inputs = 0;
};

// `schedule` is given the position of the anchor, the body and its context.
template <class Make>
Result<Lowering> lowered(const GroupSite& site, const Target& target, const Make& schedule) {
    KernelCode code;
    FW_TRY(code.body, groupBody(site));
    std::int64_t anchor = 0;
    while (site.nodes[static_cast<std::size_t>(anchor)] != site.anchor)
        ++anchor;
    FW_TRY(code.choice, schedule(anchor, code.body, contextOf(code.body, target)));
    return Lowering{std::make_shared<const KernelCode>(std::move(code)), nullptr};
}

} // namespace

Result<Lowering> lowerByTemplate(ScheduleTemplate own, const GroupSite& site,
                                 const Target& target) {
    return lowered(site, target,
                   [&](std::int64_t anchor, const GroupBody& body, const ScheduleContext& context) {
                       return scheduleBy(own, anchor, body.inst, context);
                   });
}

Result<Lowering> lowerMelted(Melt how, const GroupSite& site, const Target& target) {
    return lowered(site, target,
                   [&](std::int64_t, const GroupBody& body, const ScheduleContext& context) {
                       return meltedSchedule(body.inst, context, how);
                   });
}

Result<Lowering> lowerAsWritten(const WrittenSchedule& schedule, const GroupSite& site,
                                const Target& target) {
    return lowered(site, target,
                   [&](std::int64_t anchor, const GroupBody& body, const ScheduleContext& context) {
                       return scheduleAsWritten(schedule, anchor, body.anchor, body.inst, context);
                   });
}

Hash LoweringMemo::keyOf(const GroupSite& site, const Target& target,
                         const Implementation& by) const {
    const bool call = by.library() != nullptr;
    const std::string machine =
        call ? target.madeOf()
             : fmt::format("{} {} {} {} {}", target.vectorLanesF32, target.vectorRegisters,
                           target.threads, target.l1, target.l2);
    return hashOf(fmt::format("{} {}\n{}\n{}", by.identity(), machine, KeyText(site, call).take(),
                              m_operators));
}

std::shared_ptr<const Result<Lowering>> LoweringMemo::find(const Hash& key) {
    const std::lock_guard lock(m_mutex);
    const auto found = m_known.find(key);
    if (found == m_known.end())
        return nullptr;
    found->second.plan = m_plan;
    return found->second.lowering;
}

std::shared_ptr<const Result<Lowering>> LoweringMemo::add(const Hash& key,
                                                          Result<Lowering> lowering) {
    auto made = std::make_shared<const Result<Lowering>>(std::move(lowering));
    const std::lock_guard lock(m_mutex);
    ++m_made;
    return m_known.try_emplace(key, Known{std::move(made), m_plan}).first->second.lowering;
}

std::size_t LoweringMemo::made() const {
    const std::lock_guard lock(m_mutex);
    return m_made;
}

void LoweringMemo::beginPlan() {
    const std::lock_guard lock(m_mutex);
    if (m_known.size() > many)
        std::erase_if(m_known, [&](const auto& one) { return one.second.plan != m_plan; });
    ++m_plan;
}

} // namespace fw
