#include "strategy/lowering_memo.h"

#include <fmt/format.h>

#include <map>

namespace fw {

namespace {

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

} // namespace

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

} // namespace fw
