// Layouts: which values are stored channels-last, or in blocks of channels.
//
// Implementations say which order they want of images (convolutions and pools want channels-last,
// libraries may want rows). What only hands images on beside them follows, because a tensor
// expression is right under any layout. The model's own inputs and results keep the order of the
// model, and so does what a view reads as a flat row. No reorder is made: a kernel reads and writes
// in whatever order its tensors have.
#include "fusion/layout.h"

#include "base/numbers.h"
#include "strategy/machine.h"
#include "tensor/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

// With one pixel, both orders are the same bytes.
bool sameBytesEitherWay(const TensorType& type) {
    return type.shape[2].isInt(1) && type.shape[3].isInt(1);
}

// Who wants a value in an order, and what it costs to refuse.
struct Wanted {
    StorageMap order;
    std::string_view by; // the implementation
    const Node* at = nullptr;
    double otherwiseUs = 0;

    std::string text(std::string_view what) const {
        return fmt::format("{} wants {} for {}", by, what, at->name);
    }
};

class Layouts {
public:
    Layouts(const Graph& graph, const Target& target, FusionPlan& plan)
        : m_graph(graph), m_target(target), m_plan(plan) {}

    void run(const std::map<ValueRef, StorageMap>& border) {
        m_plan.layouts = border;
        for (const Group& group : m_plan.groups) {
            if (group.isView()) {
                keep(m_graph.node(group.anchor));
            } else if (group.isOpaque() || group.isHost()) {
                m_inOrder.insert(group.inputs.begin(), group.inputs.end());
                m_inOrder.insert(group.outputs.begin(), group.outputs.end());
            } else if (group.kind == GroupKind::Parts) {
                for (const Group& part : group.parts)
                    ask(part);
            } else {
                ask(group);
            }
        }
        handOn();
        const std::map<ValueRef, StorageMap> blocks = betweenCalls();
        for (const auto& [value, wanted] : m_images)
            decide(value, wanted, blocks);
    }

private:
    // A view reads and names memory in the order of the dimensions.
    void keep(const Node& view) {
        m_flat.insert({view.id, 0});
        const ValueRef read = view.inputs[0];
        if (isImage(m_graph.type(read)) && !sameBytesEitherWay(m_graph.type(read)))
            m_flat.insert(read);
    }

    void ask(const Group& group) {
        for (const NodeId id : group.nodes) {
            const Node& node = m_graph.node(id);
            const std::vector<ValueRef> images = imagesOf(m_graph, node);
            if (images.empty())
                continue;
            const LayoutWish wish = group.by->wants(m_graph, node, m_target);
            if (!wish.order)
                continue;
            const Wanted wanted{*wish.order, group.implementation, &node, wish.otherwiseUs};
            if (!wish.order->isRowMajor()) {
                for (const ValueRef& image : images)
                    want(image, wanted);
                continue;
            }
            for (const std::vector<ValueRef>* values : {&group.inputs, &group.outputs})
                for (const ValueRef& value : *values)
                    add(m_rows, value, wanted);
        }
    }

    void want(ValueRef image, const Wanted& wanted) {
        if (add(m_images, image, wanted))
            m_open.push_back(image);
    }

    // True if nobody wanted it so yet.
    static bool add(std::map<ValueRef, Wanted>& to, ValueRef value, const Wanted& wanted) {
        const auto [place, isNew] = to.emplace(value, wanted);
        if (!isNew)
            place->second.otherwiseUs += wanted.otherwiseUs;
        return isNew;
    }

    // What computes or reads a wanted image and keeps its axes has its other images alike.
    void handOn() {
        std::set<NodeId> seen;
        const auto visit = [&](NodeId id, Wanted wanted) {
            if (!m_plan.groupOf.contains(id) || !seen.insert(id).second)
                return;
            const Node& node = m_graph.node(id);
            if (!handsOn(node))
                return;
            wanted.otherwiseUs = 0;
            for (const ValueRef& image : imagesOf(m_graph, node))
                want(image, wanted);
        };
        for (std::size_t next = 0; next < m_open.size(); ++next) {
            const ValueRef value = m_open[next];
            const Wanted& wanted = m_images.at(value);
            visit(value.node, wanted);
            for (const Use& use : m_graph.uses(value))
                visit(use.node, wanted);
        }
    }

    bool handsOn(const Node& node) const {
        if (isView(m_graph, node))
            return false;
        const Result<OpInst> inst =
            m_graph.operators().find(node.op)->instantiate(callOf(m_graph, node));
        return inst && keepsAxes(*inst);
    }

    // Images that lie between calls of one implementation with an order of its own.
    std::map<ValueRef, StorageMap> betweenCalls() const {
        std::map<ValueRef, StorageMap> out;
        for (const Group& group : m_plan.groups) {
            if (group.kind != GroupKind::Call || group.stacked || group.outputs.size() != 1)
                continue;
            const ValueRef value = group.outputs[0];
            const auto uses = m_graph.uses(value);
            const auto map = group.by->wants(m_graph, m_graph.node(group.anchor), m_target).between;
            const bool between =
                map && isImage(m_graph.type(value)) && !m_graph.isResult(value) && !uses.empty() &&
                std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
                    const Group& reader = m_plan.groupAt(use.node);
                    return reader.by == group.by && !reader.stacked && use.node == reader.anchor &&
                           m_graph.node(use.node).inputs[0] == value;
                });
            if (between && isWhole(*map, m_graph.type(value).shape))
                out.emplace(value, *map);
        }
        return out;
    }

    void decide(ValueRef value, const Wanted& wanted,
                const std::map<ValueRef, StorageMap>& blocks) {
        if (m_plan.layouts.contains(value)) // as it is given
            return;
        const std::string& name = m_graph.output(value).name;
        const auto refuse = [&](const std::string& why) {
            m_plan.notices.push_back({name, Verdict::No, ReasonCode::LayoutKept,
                                      fmt::format("{}; {}", why, wanted.text("another"))});
        };
        if (m_graph.isResult(value) || m_graph.node(value.node).isInput())
            return refuse("it belongs to the model's signature");
        if (m_flat.contains(value))
            return refuse("a view reads it as a row");
        if (m_inOrder.contains(value))
            return refuse(
                "no code of ours reads or makes it: it is in the order of its dimensions");
        const auto rows = m_rows.find(value);
        if (rows != m_rows.end() && rows->second.otherwiseUs >= wanted.otherwiseUs)
            return refuse(fmt::format("{} works on rows of it", rows->second.by));
        if (const auto block = blocks.find(value); block != blocks.end()) {
            m_plan.layouts.emplace(value, block->second);
            m_plan.notices.push_back({name, Verdict::Yes, ReasonCode::LayoutChosen,
                                      fmt::format("{}, between calls of {}", block->second.text(4),
                                                  m_plan.groupAt(value.node).implementation)});
            return;
        }
        m_plan.layouts.emplace(value, wanted.order);
        m_plan.notices.push_back(
            {name, Verdict::Yes, ReasonCode::LayoutChosen, wanted.text("channels-last")});
    }

    const Graph& m_graph;
    const Target& m_target;
    FusionPlan& m_plan;
    std::map<ValueRef, Wanted> m_images; // in an order of their own
    std::map<ValueRef, Wanted> m_rows;
    std::vector<ValueRef> m_open; // keys of m_images, in the order in which they were found
    std::set<ValueRef> m_flat;
    std::set<ValueRef> m_inOrder; // of opaque groups and of those that the host computes
};

double scatteredBytes(const TensorType& type) {
    constexpr std::int64_t page = 4096, line = 64, ways = 8; // of a first-level cache
    const auto extents = fixedExtents(type.shape);
    if (!extents || (*extents)[1] <= ways)
        return 0;
    const auto plane = checkedMul((*extents)[2], (*extents)[3]);
    const auto bytes = plane ? checkedMul(*plane, static_cast<std::int64_t>(dtypeBytes(type.dtype)))
                             : std::nullopt;
    if (!bytes || *bytes == 0 || *bytes % page != 0)
        return 0;
    return static_cast<double>((*extents)[0]) * static_cast<double>((*extents)[1]) *
           static_cast<double>(*plane) * static_cast<double>(line);
}

} // namespace

void chooseLayouts(const Graph& graph, const Target& target, FusionPlan& plan,
                   const std::map<ValueRef, StorageMap>& border) {
    Layouts(graph, target, plan).run(border);
    placeInside(graph, plan);
}

void priceScattered(const Graph& graph, const Target& target, FusionPlan& plan) {
    for (Group& group : plan.groups) {
        if (group.kind != GroupKind::Kernel || group.by == nullptr ||
            group.by->library() != nullptr)
            continue;
        const LayoutWish wish = group.by->wants(graph, graph.node(group.anchor), target);
        if (!wish.order || !(*wish.order == channelsLast(4)))
            continue;
        Facts moved;
        for (const ValueRef& value : group.outputs)
            if (isImage(graph.type(value)) && plan.layout(value).isRowMajor())
                moved.bytesWritten += scatteredBytes(graph.type(value));
        if (moved.bytesWritten > 0)
            group.estimateUs += rooflineUs(moved, target, 1);
    }
}

} // namespace fw
