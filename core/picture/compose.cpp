#include "picture/compose.h"

#include "picture/layout_memo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace fw::picture {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

BoxShape shapeOf(const Box& box) {
    constexpr double least = 150, most = 250;
    double width = textWidth(printable(box.title, 200), titleSize, Weight::Bold);
    if (box.maker.isSomebody())
        width += 30;
    if (box.inside != Inside::None)
        width += openerSize + 6;
    const auto fit = [&](const std::string& subtitle) {
        width = std::max(width, textWidth(printable(subtitle, 200), titleSize, Weight::Regular));
    };
    fit(box.subtitle);
    for (const std::string& subtitle : box.alsoFits)
        fit(subtitle);
    for (const std::string& line : box.lines)
        width = std::max(width, textWidth(printable(line, 200), labelSize, Weight::Regular));
    width = std::clamp(std::ceil((width + 2 * boxPadding) / 10) * 10, least, most);
    double height = box.subtitle.empty() ? 26 : 40;
    height += 14 * static_cast<double>(box.lines.size());
    if (box.copies > 1) {
        width += 2 * stackStep;
        height += 2 * stackStep;
    }
    return {width, height};
}

// A time in the header of a group may come later, and moves nothing.
double headerWidth(const std::string& titleText, const std::string& rightText, ContainerKind kind) {
    const double title = textWidth(printable(titleText, 200), titleSize, Weight::Bold);
    double right = textWidth(printable(rightText, 200), titleSize, Weight::Regular);
    if (kind == ContainerKind::Group)
        right = std::max(right, textWidth("≈ 888.8 µs", titleSize, Weight::Regular));
    return std::min(title, 320.0) + std::min(right, 160.0) + 24 + (right > 0 ? 20 : 0);
}

double headerWidth(const Container& container) {
    double out = headerWidth(container.title, container.right, container.kind);
    for (const auto& [title, right] : container.alsoFits)
        out = std::max(out, headerWidth(title, right, container.kind));
    return out;
}

using Value = std::pair<std::uint32_t, std::int32_t>; // box index, port

struct Index {
    std::unordered_map<std::int64_t, std::uint32_t> boxes, containers;
    std::vector<std::uint32_t> around;     // per box: the container that it lies in
    std::vector<std::uint32_t> parents;    // likewise, per container
    std::vector<std::uint32_t> outerFirst; // containers
};

Diag invalid(std::string message) {
    return makeDiag(DiagCode::GraphInvalid, std::move(message));
}

Result<Index> indexOf(const Diagram& diagram) {
    Index index;
    for (std::uint32_t i = 0; i < diagram.containers.size(); ++i)
        if (!index.containers.emplace(diagram.containers[i].id, i).second)
            return invalid(fmt::format("two containers have the id {}", diagram.containers[i].id));
    const auto containerAt = [&](std::int64_t id) {
        const auto found = index.containers.find(id);
        return found == index.containers.end() ? none : found->second;
    };
    for (std::uint32_t i = 0; i < diagram.boxes.size(); ++i) {
        const Box& box = diagram.boxes[i];
        if (!index.boxes.emplace(box.id, i).second)
            return invalid(fmt::format("two boxes have the id {}", box.id));
        index.around.push_back(box.container == -1 ? none : containerAt(box.container));
        if (box.container != -1 && index.around.back() == none)
            return invalid(fmt::format("box {} lies in container {}, which is not there", box.id,
                                       box.container));
    }
    std::vector<std::vector<std::uint32_t>> inside(diagram.containers.size());
    for (std::uint32_t c = 0; c < diagram.containers.size(); ++c) {
        const Container& container = diagram.containers[c];
        index.parents.push_back(container.parent == -1 ? none : containerAt(container.parent));
        if (index.parents.back() != none)
            inside[index.parents.back()].push_back(c);
        else if (container.parent == -1)
            index.outerFirst.push_back(c);
        else
            return invalid(fmt::format("container {} lies in container {}, which is not there",
                                       container.id, container.parent));
    }
    for (std::size_t i = 0; i < index.outerFirst.size(); ++i)
        for (const std::uint32_t c : inside[index.outerFirst[i]])
            index.outerFirst.push_back(c);
    if (index.outerFirst.size() < diagram.containers.size())
        return invalid("containers lie in each other");
    for (const Edge& edge : diagram.edges)
        for (const std::int64_t id : {edge.from, edge.to})
            if (!index.boxes.contains(id))
                return invalid(fmt::format("an edge names box {}, which is not there", id));
    return index;
}

class Composer {
public:
    Composer(const Diagram& diagram, Index index, LayoutMemo* memo)
        : m_diagram(diagram), m_index(std::move(index)), m_memo(memo),
          m_making(diagram.containers.size() + 1) {
        m_out.inners.resize(diagram.containers.size());
        m_containerPlace.resize(diagram.containers.size());
        m_boxPlace.resize(diagram.boxes.size());
    }

    Result<Composition> take(const CancelToken& cancel) {
        if (m_diagram.hasBlocks) {
            cutLong(m_out.outer.input);
            for (InnerLayout& inner : m_out.inners)
                cutLong(inner.input);
        }
        addNodes();
        for (std::uint32_t e = 0; e < m_diagram.edges.size(); ++e)
            addEdge(e);
        if (cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "the layout was cancelled");
        for (auto c = m_index.outerFirst.rbegin(); c != m_index.outerFirst.rend(); ++c)
            FW_CHECK(layOut(*c, cancel));
        finish(m_out.outer, m_making.back());
        m_out.outerFirst = std::move(m_index.outerFirst);
        return std::move(m_out);
    }

private:
    struct Ends { // of an edge of a level: at a place on the frame of a container, or none
        std::uint32_t fromContainer = none, fromPlace = 0, toContainer = none, toPlace = 0;
    };
    struct Making {
        std::map<Value, std::uint32_t> values, entries, exits;
        std::map<std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>, std::size_t>
            edges;
        std::vector<Ends> ends; // beside the edges of the level
    };

    Level& levelOf(std::uint32_t container) {
        return container == none ? m_out.outer : m_out.inners[container];
    }
    Making& making(std::uint32_t container) {
        return container == none ? m_making.back() : m_making[container];
    }

    static void cutLong(LayeredInput& input) {
        input.longest = 12;
        input.mostReaders = 8;
        input.pinnedGap = 22; // names of cut edges stand at the frame
    }

    void addNodes() {
        // Sizes of containers come when they are laid out.
        for (std::uint32_t c = 0; c < m_diagram.containers.size(); ++c) {
            Level& level = levelOf(m_index.parents[c]);
            m_containerPlace[c] = static_cast<std::uint32_t>(level.input.nodes.size());
            level.containers.push_back(c);
            level.input.nodes.emplace_back();
        }
        for (const std::uint32_t c : m_index.outerFirst)
            if (const std::uint32_t parent = m_index.parents[c]; parent != none)
                m_out.inners[c].depth = m_out.inners[parent].depth + 1;
        for (std::uint32_t b = 0; b < m_diagram.boxes.size(); ++b) {
            const BoxShape& shape = m_out.boxes.emplace_back(shapeOf(m_diagram.boxes[b]));
            Level& level = levelOf(m_index.around[b]);
            m_boxPlace[b] = static_cast<std::uint32_t>(level.input.nodes.size());
            level.boxes.push_back(b);
            level.input.nodes.push_back({shape.width, shape.height, Pin::Free});
        }
    }

    std::uint32_t border(std::map<Value, std::uint32_t>& places, std::uint32_t container,
                         Value value, Pin pin) {
        std::vector<LayeredNode>& nodes = m_out.inners[container].input.nodes;
        const auto [found, fresh] =
            places.try_emplace(value, static_cast<std::uint32_t>(nodes.size()));
        if (fresh)
            nodes.push_back({2, 0, pin});
        return found->second;
    }

    void connect(std::uint32_t container, std::uint32_t from, std::uint32_t to, Value value,
                 std::uint32_t source, Ends ends) {
        Level& level = levelOf(container);
        Making& made = making(container);
        const std::uint32_t number =
            made.values.try_emplace(value, static_cast<std::uint32_t>(made.values.size()))
                .first->second;
        const auto [found, fresh] =
            made.edges.try_emplace({from, {number, to}}, level.input.edges.size());
        if (fresh) {
            level.input.edges.push_back({from, to, number, std::nullopt, std::nullopt, 1});
            level.edgeSources.emplace_back();
            made.ends.push_back(ends);
        }
        level.edgeSources[found->second].push_back(source);
    }

    // Out of what its source lies in, across the level that both ends have in common, and in.
    void addEdge(std::uint32_t e) {
        const Edge& edge = m_diagram.edges[e];
        const std::uint32_t from = m_index.boxes.at(edge.from), to = m_index.boxes.at(edge.to);
        const Value value{from, edge.fromPort};
        std::uint32_t at = m_boxPlace[from], level = m_index.around[from];
        const std::uint32_t shared = sharedBy(level, m_index.around[to]);
        Ends ends;
        while (level != shared) {
            const std::uint32_t exit = border(making(level).exits, level, value, Pin::Last);
            connect(level, at, exit, value, e, ends);
            at = m_containerPlace[level];
            ends = {level, exit, none, 0};
            level = m_index.parents[level];
        }
        std::vector<std::uint32_t> into; // inner ones first
        for (std::uint32_t c = m_index.around[to]; c != shared; c = m_index.parents[c])
            into.push_back(c);
        for (auto c = into.rbegin(); c != into.rend(); ++c) {
            const std::uint32_t entry = border(making(*c).entries, *c, value, Pin::First);
            ends.toContainer = *c;
            ends.toPlace = entry;
            connect(level, at, m_containerPlace[*c], value, e, ends);
            level = *c;
            at = entry;
            ends = {};
        }
        connect(level, at, m_boxPlace[to], value, e, ends);
    }

    // The innermost container that both lie in or are.
    std::uint32_t sharedBy(std::uint32_t a, std::uint32_t b) const {
        const auto depth = [&](std::uint32_t c) {
            return c == none ? -1 : static_cast<std::int64_t>(m_out.inners[c].depth);
        };
        while (a != b) {
            std::uint32_t& deeper = depth(a) >= depth(b) ? a : b;
            deeper = m_index.parents[deeper];
        }
        return a;
    }

    // Where its edges meet the frames of containers, which are laid out by now.
    void finish(Level& level, const Making& made) const {
        const auto offset = [&](std::uint32_t container, std::uint32_t place) {
            const InnerLayout& inner = m_out.inners[container];
            return inner.origin.x + inner.output.centers[place].x - inner.width / 2;
        };
        for (std::size_t i = 0; i < level.input.edges.size(); ++i) {
            const Ends& ends = made.ends[i];
            if (ends.fromContainer != none)
                level.input.edges[i].fromOffset = offset(ends.fromContainer, ends.fromPlace);
            if (ends.toContainer != none)
                level.input.edges[i].toOffset = offset(ends.toContainer, ends.toPlace);
        }
        for (std::size_t i = 0; i < level.containers.size(); ++i) {
            const InnerLayout& inner = m_out.inners[level.containers[i]];
            level.input.nodes[i] = {inner.width, inner.height, Pin::Free};
        }
    }

    Status layOut(std::uint32_t c, const CancelToken& cancel) {
        constexpr double side = 16;
        InnerLayout& inner = m_out.inners[c];
        Making& made = m_making[c];
        finish(inner, made);
        // Of the values that enter, the last made is the main path: it comes in straight.
        if (!made.entries.empty())
            for (LayeredEdge& edge : inner.input.edges)
                if (edge.from == made.entries.rbegin()->second)
                    edge.weight = 2;
        inner.input.nodeGap = 20;
        inner.input.layerGap = 22;
        FW_TRY(inner.output,
               m_memo ? m_memo->layOut(inner.input, cancel) : layered(inner.input, cancel));
        for (Leg& leg : inner.output.legs) // the arrow stands where the value is read
            if (const std::uint32_t to = inner.input.edges[leg.edges.back()].to;
                inner.input.nodes[to].pin == Pin::Last)
                leg.arrow = Arrow::None; // not at the frame
        inner.input = {};
        inner.width =
            std::max({inner.output.width + 2 * side, headerWidth(m_diagram.containers[c]), 120.0});
        inner.width = std::ceil(inner.width / 2) * 2;
        inner.origin = {std::round((inner.width - inner.output.width) / 2), headerHeight};
        const bool empty = inner.boxes.empty() && inner.containers.empty();
        inner.height =
            headerHeight + inner.output.height + (made.exits.empty() ? 12 : 0) + (empty ? 12 : 0);
        return {};
    }

    const Diagram& m_diagram;
    Index m_index;
    LayoutMemo* m_memo;
    Composition m_out;
    std::vector<std::uint32_t> m_containerPlace, m_boxPlace; // node within the level
    std::vector<Making> m_making;                            // per container, and of the outer one
};

} // namespace

Result<Composition> compose(const Diagram& diagram, LayoutMemo* memo, const CancelToken& cancel) {
    FW_TRY(Index index, indexOf(diagram));
    return Composer(diagram, std::move(index), memo).take(cancel);
}

} // namespace fw::picture
