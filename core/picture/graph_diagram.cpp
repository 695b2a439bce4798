#include "picture/graph_diagram.h"

#include "base/hash.h"
#include "picture/open_bodies.h"
#include "snapshot/hidden.h"
#include "snapshot/joint.h"
#include "snapshot/reorders.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace fw::picture {

using snapshot::GraphDocument;
using snapshot::InputRef;
using snapshot::NodeId;
using snapshot::NodeRecord;

std::string shapeLabel(const std::string& type) {
    const std::size_t open = type.find('[');
    if (open == std::string::npos || type.back() != ']')
        return type;
    const std::string dtype = type.substr(0, open);
    std::string dims;
    int depth = 0; // commas inside a dim's expression stay
    for (const char c : type.substr(open + 1, type.size() - open - 2)) {
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (c == ',' && depth == 0)
            dims += "×";
        else if (c != ' ' || depth > 0)
            dims += c;
    }
    if (dims.empty())
        return dtype;
    return dtype == "f32" ? dims : dtype + " " + dims;
}

std::string subtitleOf(const NodeRecord& node) {
    return node.op == "input" && !node.outputs.empty()
               ? node.outputs[0].name + "  " + node.outputs[0].type
               : node.name;
}

double bytesOfType(const std::string& type) {
    static const std::map<std::string, double, std::less<>> sizes = {
        {"f64", 8}, {"i64", 8}, {"u64", 8},  {"f32", 4}, {"i32", 4}, {"u32", 4}, {"f16", 2},
        {"i16", 2}, {"u16", 2}, {"bf16", 2}, {"i8", 1},  {"u8", 1},  {"bool", 1}};
    const std::size_t open = type.find('[');
    const auto size = sizes.find(type.substr(0, open));
    if (open == std::string::npos || size == sizes.end())
        return 0;
    double out = size->second;
    for (std::size_t at = open + 1; at < type.size();) {
        const std::size_t end = type.find_first_of(",]", at);
        const std::string_view dim = std::string_view(type).substr(at, end - at);
        std::int64_t extent = 0;
        const char* first = dim.data() + std::min(dim.find_first_not_of(' '), dim.size());
        const auto [last, error] = std::from_chars(first, dim.data() + dim.size(), extent);
        if (error == std::errc() && last == dim.data() + dim.size())
            out *= static_cast<double>(extent);
        at = end == std::string::npos ? type.size() : end + 1;
    }
    return out;
}

std::string labelOf(const NodeRecord& node, int output) {
    const auto at = static_cast<std::size_t>(output);
    return output >= 0 && at < node.outputs.size() ? shapeLabel(node.outputs[at].type)
                                                   : std::string();
}

namespace {

using snapshot::Block;
using snapshot::Hierarchy;

class Drawing {
public:
    Drawing(const GraphDocument& graph, const DiagramOptions& options)
        : m_graph(graph), m_options(options), m_blocks(options.blocks.get()) {
        if (m_blocks)
            m_closed = closedAround(*m_blocks, options.view);
        for (const auto& group : graph.groups)
            m_groups.emplace(group.id, &group);
        if (options.facts.classes)
            for (const snapshot::EdgeRecord& edge : graph.edges)
                m_classes.emplace(std::pair(edge.node, edge.operand), edge.carries);
        m_bodies = OpenBodies(graph, m_blocks, m_closed);
    }

    Diagram take() {
        m_out.name = m_graph.name;
        m_out.hasBlocks = m_blocks && m_options.view.shown == snapshot::BlockView::Shown::All;
        if (m_blocks)
            addBlocks();
        else
            for (const auto& group : m_graph.groups)
                m_out.containers.push_back(containerOf(group));
        if (m_blocks)
            addNodesOfBlocks();
        else
            addNodes();
        addResults();
        addResultsOfBodies();
        for (const auto& [ends, edge] : m_bundles)
            m_out.edges[edge].label = "×" + std::to_string(m_out.edges[edge].count);
        return std::move(m_out);
    }

private:
    // What a node with graphs inside makes its own, out of those that are open.
    void addResultsOfBodies() {
        for (const snapshot::InsideRecord* body : m_bodies.open()) {
            const std::uint32_t owner = placeOf(body->node);
            std::size_t port = m_graph.nodes[owner].inputs.size();
            for (const InputRef& result : body->results)
                if (const std::uint32_t maker = placeOf(result.node); maker != Hierarchy::none)
                    addEdge(result, maker, boxOf(owner), port++,
                            m_options.facts.classes ? EdgeKind::Body : EdgeKind::Data);
        }
    }

    EdgeKind kindOf(NodeId node, std::size_t operand) const {
        const auto found = m_classes.find(std::pair(node, static_cast<int>(operand)));
        if (found == m_classes.end())
            return EdgeKind::Data;
        return found->second == snapshot::EdgeClass("shape")      ? EdgeKind::Shape
               : found->second == snapshot::EdgeClass("residual") ? EdgeKind::Residual
                                                                  : EdgeKind::Body;
    }

    std::string rightOf(const snapshot::GroupLabel& group) const {
        if (const auto text = m_options.groupTexts.find(group.id);
            text != m_options.groupTexts.end())
            return text->second;
        return snapshot::estimateText(group);
    }

    Container containerOf(const snapshot::GroupLabel& group) const {
        Container out;
        out.id = group.id;
        out.title = group.name;
        out.maker = group.maker;
        out.right = rightOf(group);
        return out;
    }

    // The container that what lies directly in the block is drawn in; -1: none.
    std::int64_t containerIn(std::uint32_t block) const {
        for (; block != 0; block = m_blocks->blocks[block].parent) {
            const Block& one = m_blocks->blocks[block];
            if (m_options.view.isShown(one))
                return one.group >= 0 ? one.group : one.id;
        }
        return -1;
    }

    void addBlocks() {
        for (std::uint32_t b = 1; b < m_blocks->blocks.size(); ++b) {
            const Block& block = m_blocks->blocks[b];
            if (!m_options.view.isShown(block) || m_closed[block.parent] != Hierarchy::none)
                continue;
            const auto group = m_groups.find(block.group);
            const std::string title =
                block.title + (block.copies > 1 ? " ×" + std::to_string(block.copies) : "");
            const std::string count = std::to_string(block.operators) +
                                      (block.operators == 1 ? " operator" : " operators");
            if (m_closed[b] != Hierarchy::none && block.kind == Block::Kind::Body)
                continue; // the node is there
            if (m_closed[b] != Hierarchy::none) {
                Box box;
                box.id = block.id;
                box.role = BoxRole::Block;
                box.title = title;
                box.subtitle = count;
                box.copies = block.copies;
                box.container = containerIn(block.parent);
                if (group != m_groups.end()) {
                    box.maker = group->second->maker;
                    box.lines = {rightOf(*group->second)};
                }
                m_out.boxes.push_back(std::move(box));
            } else {
                Container container;
                if (group != m_groups.end()) {
                    container = containerOf(*group->second);
                } else {
                    container.id = block.id;
                    container.title = title;
                    container.right = count;
                    container.kind = ContainerKind::Block;
                }
                container.parent = containerIn(block.parent);
                m_out.containers.push_back(std::move(container));
            }
        }
    }

    void addNodes() {
        for (std::uint32_t i = 0; i < m_graph.nodes.size(); ++i)
            m_places.emplace(m_graph.nodes[i].id, i);
        for (std::uint32_t i = 0; i < m_graph.nodes.size(); ++i) {
            const NodeRecord& node = m_graph.nodes[i];
            if (node.constant || m_bodies.hold(node.id))
                continue;
            addBox(node, i);
            for (std::size_t k = 0; k < node.inputs.size(); ++k)
                if (const std::uint32_t maker = placeOf(node.inputs[k].node);
                    maker != Hierarchy::none)
                    addEdge(node.inputs[k], maker, node.id, k, kindOf(node.id, k));
        }
    }

    // Of what lies in a closed block only the blocks' own lists are looked at: there may be much.
    void addNodesOfBlocks() {
        const auto closedOf = [&](std::uint32_t place) {
            return m_closed[m_blocks->blockOf[place]];
        };
        for (std::uint32_t i = 0; i < m_graph.nodes.size(); ++i) {
            if (m_blocks->blockOf[i] == Hierarchy::none)
                continue;
            const std::uint32_t closed = closedOf(i);
            if (closed == Hierarchy::none)
                addBox(m_graph.nodes[i], i);
            else if (m_blocks->blocks[closed].kind == Block::Kind::Body)
                continue; // what it reads are operands of the node
            const std::uint32_t first = m_blocks->firstMaker[i];
            for (std::uint32_t k = first; k < m_blocks->firstMaker[i + 1]; ++k) {
                const std::uint32_t maker = m_blocks->makers[k];
                if (maker == Hierarchy::none || m_blocks->blockOf[maker] == Hierarchy::none ||
                    (closed != Hierarchy::none && closedOf(maker) == closed) ||
                    m_bodies.read(m_graph.nodes[i].id, k - first))
                    continue;
                addEdge(m_graph.nodes[i].inputs[k - first], maker, boxOf(i), k - first,
                        kindOf(m_graph.nodes[i].id, k - first));
            }
        }
    }

    // Of the node itself, or of the closed block that it lies in.
    std::int64_t boxOf(std::uint32_t place) const {
        if (m_blocks)
            if (const std::uint32_t block = m_blocks->blockOf[place];
                block != Hierarchy::none && m_closed[block] != Hierarchy::none)
                return m_blocks->blocks[m_closed[block]].box;
        return m_graph.nodes[place].id;
    }

    // Places; none: nothing makes it.
    std::uint32_t placeOf(NodeId node) const {
        const auto& places = m_blocks ? m_blocks->placeOf : m_places;
        const auto found = places.find(node);
        return found == places.end() ? Hierarchy::none : found->second;
    }

    void addBox(const NodeRecord& node, std::size_t place) {
        Box box;
        box.id = node.id;
        box.title = node.op;
        box.inside = m_blocks ? m_bodies.of(node.id) : Inside::None;
        if (m_options.facts.names || node.op == "input" || snapshot::isReorder(node.id))
            box.subtitle = subtitleOf(node);
        if (node.op == "input") {
            box.role = BoxRole::Input;
        } else if (snapshot::isHiddenMark(node.id)) {
            box.role = BoxRole::Hidden;
        } else if (snapshot::isReorder(node.id)) {
            box.role = BoxRole::Reorder;
        } else if (node.unsupported) {
            box.role = BoxRole::Unknown;
        }
        if (m_blocks)
            box.container = containerIn(m_blocks->blockOf[place]);
        else if (m_groups.contains(node.group))
            box.container = node.group;
        if (m_options.attributeLine && box.role == BoxRole::Operator)
            for (const auto& [name, value] : node.attributes)
                box.lines.push_back(m_options.attributeLine(name, value));
        else if (m_options.facts.attributes && box.role != BoxRole::Input)
            addAttributes(node, box);
        if (m_options.facts.weights)
            addWeights(node, box);
        m_out.boxes.push_back(std::move(box));
    }

    // The first ones: a box stays a box.
    static void addAttributes(const NodeRecord& node, Box& box) {
        constexpr std::size_t most = 8;
        for (const auto& [name, value] : node.attributes) {
            if (box.lines.size() == most) {
                box.lines.push_back(fmt::format("and {} more", node.attributes.size() - most));
                break;
            }
            box.lines.push_back(name + " = " + value);
        }
    }

    void addWeights(const NodeRecord& node, Box& box) const {
        constexpr std::size_t most = 6;
        std::size_t count = 0;
        for (const InputRef& input : node.inputs) {
            const std::uint32_t maker = placeOf(input.node);
            if (maker == Hierarchy::none || !m_graph.nodes[maker].constant || count++ >= most)
                continue;
            const std::string shape = labelOf(m_graph.nodes[maker], input.output);
            box.lines.push_back("const " + shape);
        }
        if (count > most)
            box.lines.push_back(fmt::format("and {} more constants", count - most));
    }

    double bytesOf(const InputRef& value, std::uint32_t maker) const {
        const auto& outputs = m_graph.nodes[maker].outputs;
        const auto at = static_cast<std::size_t>(value.output);
        return m_options.facts.bytes && value.output >= 0 && at < outputs.size()
                   ? bytesOfType(outputs[at].type)
                   : 0;
    }

    // To a box: the one of a node, of a closed block or of a result.
    void addEdge(const InputRef& value, std::uint32_t maker, std::int64_t to, std::size_t port,
                 EdgeKind kind = EdgeKind::Data) {
        if (m_graph.nodes[maker].constant)
            return;
        Edge made;
        made.from = boxOf(maker);
        made.fromPort = value.output;
        made.to = to;
        made.toPort = static_cast<std::int32_t>(port);
        made.kind = kind;
        if (snapshot::isBlock(made.from) || snapshot::isBlock(to)) {
            const auto places = m_ports.size();
            const auto number =
                m_ports.try_emplace({value.node, value.output}, static_cast<int>(places));
            if (!m_crossing.insert({number.first->second, to}).second)
                return; // it is there for another reader inside
            if (snapshot::isBlock(made.from))
                made.fromPort = number.first->second; // one path to all who read this value
            if (const auto [bundle, fresh] =
                    m_between.try_emplace({made.from, to}, m_out.edges.size());
                !fresh) {
                Edge& whole = m_out.edges[bundle->second];
                ++whole.count;
                whole.kind = whole.kind == kind ? kind : EdgeKind::Data;
                whole.bytes += bytesOf(value, maker);
                whole.fromPort = -1 - static_cast<std::int32_t>(bundle->second); // its own path
                m_bundles[bundle->first] = bundle->second;
                return;
            }
        }
        made.label = labelOf(m_graph.nodes[maker], value.output);
        made.bytes = bytesOf(value, maker);
        m_out.edges.push_back(std::move(made));
    }

    void addResults() {
        NodeId resultId = firstResultBox;
        for (const InputRef& result : m_graph.results) {
            const std::uint32_t maker = placeOf(result.node);
            if (maker == Hierarchy::none)
                continue;
            Box box;
            box.id = resultId;
            box.title = "output";
            box.role = BoxRole::Output;
            box.subtitle = result.name;
            const auto& outputs = m_graph.nodes[maker].outputs;
            if (result.output >= 0 && static_cast<std::size_t>(result.output) < outputs.size())
                box.subtitle += "  " + outputs[static_cast<std::size_t>(result.output)].type;
            m_out.boxes.push_back(std::move(box));
            addEdge(result, maker, resultId, 0);
            --resultId;
        }
    }

    struct PairHash {
        template <class A, class B>
        std::size_t operator()(const std::pair<A, B>& pair) const {
            return mixHash(static_cast<std::uint64_t>(pair.first),
                           static_cast<std::uint64_t>(pair.second));
        }
    };
    using Ends = std::pair<std::int64_t, std::int64_t>;

    const GraphDocument& m_graph;
    const DiagramOptions& m_options;
    const Hierarchy* m_blocks;
    std::vector<std::uint32_t> m_closed; // per block: the closed one around it
    std::unordered_map<int, const snapshot::GroupLabel*> m_groups;
    std::unordered_map<NodeId, std::uint32_t> m_places; // without blocks, which know them
    std::map<std::pair<NodeId, int>, snapshot::EdgeClass> m_classes; // by reader and operand
    OpenBodies m_bodies;
    // Of edges at closed blocks: numbers of values, which of them arrives where, the edge between
    // two boxes, and those that are more than one value.
    std::unordered_map<std::pair<NodeId, int>, int, PairHash> m_ports;
    std::unordered_set<std::pair<int, std::int64_t>, PairHash> m_crossing;
    std::unordered_map<Ends, std::size_t, PairHash> m_between;
    std::map<Ends, std::size_t> m_bundles;
    Diagram m_out;
};

} // namespace

Diagram diagramOf(const GraphDocument& graph, const DiagramOptions& options) {
    return Drawing(graph, options).take();
}

} // namespace fw::picture
