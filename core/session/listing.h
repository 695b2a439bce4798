// Text of one group after another, with the graph nodes behind each line.
#pragma once

#include "fusion/plan.h"
#include "snapshot/records.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

// "y = conv2d(x, w) {...} : f32[1, 8, 8, 8]"
inline std::string operatorLine(const Graph& graph, const Node& node) {
    std::string operands;
    for (const ValueRef& input : node.inputs)
        if (input.valid())
            operands += (operands.empty() ? "" : ", ") + graph.output(input).name;
    return fmt::format("{} = {}({}){} : {}", node.outputs.at(0).name, node.op, operands,
                       node.attrs.empty() ? "" : " " + node.attrs.print(),
                       node.outputs[0].type.text());
}

class Listing {
public:
    void heading(const Group& group) {
        if (!m_out.text.empty())
            line("");
        line(fmt::format("# group {}: {}", group.id, group.name), group.nodes);
    }
    void block(const std::string& text, const std::vector<NodeId>& nodes) {
        std::size_t at = 0;
        while (at < text.size()) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            line(text.substr(at, end - at), nodes);
            at = end + 1;
        }
    }
    void line(const std::string& text, const std::vector<NodeId>& nodes = {}) {
        m_out.text += text + "\n";
        ++m_line;
        if (nodes.empty())
            return;
        if (!m_out.spans.empty() && m_out.spans.back().to == m_line - 1 &&
            m_out.spans.back().nodes == nodes)
            m_out.spans.back().to = m_line;
        else
            m_out.spans.push_back({m_line, m_line, nodes});
    }
    snapshot::StagesDocument take() { return std::move(m_out); }

private:
    snapshot::StagesDocument m_out;
    int m_line = 0;
};

} // namespace fw
