#include "fusion/pins.h"

#include "fusion/group.h"
#include "fusion/pin_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

Decision GraphPins::refusal(const PinRule& pin, const std::string& why) {
    return {"pin at " + pin.place(), Verdict::No, ReasonCode::PinRefused,
            fmt::format("{} ({})", why, pin.place())};
}

std::optional<std::vector<NodeId>> GraphPins::nodesOf(const PinRule& pin,
                                                      Decisions& notices) const {
    std::set<NodeId> found;
    for (const std::string& name : pin.clause.names) {
        const Node* node = m_graph.findByName(name);
        if (node == nullptr || !isOperator(*node)) {
            notices.push_back(refusal(pin, node == nullptr ? "there is no operator named " + name
                                                           : name + " is no operator"));
            return std::nullopt;
        }
        found.insert(node->id);
    }
    std::vector<NodeId> out(found.begin(), found.end());
    std::sort(out.begin(), out.end(),
              [&](NodeId a, NodeId b) { return m_position.at(a) < m_position.at(b); });
    return out;
}

void GraphPins::read(const FusionBook& book, const Catalog& catalog, Decisions& notices) {
    for (const PinRule& pin : book.pins()) {
        if (pin.clause.kind == PinKind::Avoid)
            avoid(pin, catalog, notices);
        if (pin.clause.kind == PinKind::Together || pin.clause.kind == PinKind::Avoid)
            continue;
        const auto nodes = nodesOf(pin, notices);
        if (!nodes)
            continue;
        if (pin.clause.kind == PinKind::Use) {
            for (const NodeId id : *nodes) {
                const std::string& wish = pin.clause.implementation;
                const std::string& label = m_graph.node(id).name;
                if (const std::string before = use(id); !before.empty() && before != wish)
                    notices.push_back({label, Verdict::No, ReasonCode::PinRefused,
                                       fmt::format("{} for {}: a later pin wants {} ({})", before,
                                                   label, wish, pin.place())});
                m_use.insert_or_assign(id, wish);
            }
            continue;
        }
        for (const NodeId a : *nodes)
            for (const NodeId b : *nodes)
                if (a != b)
                    m_apart.emplace(std::pair(a, b), "pin at " + pin.place());
    }
}

std::optional<std::string> GraphPins::apart(NodeId a, NodeId b) const {
    const auto found = m_apart.find({a, b});
    return found == m_apart.end() ? std::nullopt : std::optional(found->second);
}

std::string GraphPins::use(NodeId id) const {
    const auto found = m_use.find(id);
    return found == m_use.end() ? std::string() : found->second;
}

void GraphPins::avoid(const PinRule& pin, const Catalog& catalog, Decisions& notices) {
    const std::string& name = pin.clause.implementation;
    if (!isPinned(catalog, pin.clause)) {
        notices.push_back(refusal(pin, name + " is neither an implementation nor a library"));
        return;
    }
    const Avoided avoided{name,
                          fmt::format("{} at {}{}{}", name, pin.place(),
                                      pin.clause.because.empty() ? "" : ", ", pin.clause.because)};
    if (pin.clause.names.empty())
        return m_avoidAlways.push_back(avoided);
    if (const auto nodes = nodesOf(pin, notices))
        for (const NodeId id : *nodes)
            m_avoid[id].push_back(avoided);
}

std::vector<Avoided> GraphPins::avoidedBy(const std::vector<NodeId>& nodes) const {
    std::vector<Avoided> out = m_avoidAlways;
    for (const NodeId id : nodes)
        if (const auto found = m_avoid.find(id); found != m_avoid.end())
            out.insert(out.end(), found->second.begin(), found->second.end());
    return out;
}

const Avoided* GraphPins::avoided(NodeId id, const std::string& code,
                                  const std::string& library) const {
    const auto here = m_avoid.find(id);
    for (const auto* list : {&m_avoidAlways, here == m_avoid.end() ? nullptr : &here->second})
        if (list != nullptr)
            for (const Avoided& one : *list)
                if (one.name == code || one.name == library)
                    return &one;
    return nullptr;
}

const Avoided* GraphPins::avoided(NodeId id, const Computing& by) const {
    const ImplementationPtr& code = by.implementation;
    if (code == nullptr)
        return nullptr;
    const std::string library =
        code->library() != nullptr ? code->library()->name() : std::string();
    if (const Avoided* found = avoided(id, std::string(entryOf(by.name)), library))
        return found;
    return avoided(id, code->name(), by.name);
}

const Avoided* GraphPins::avoided(NodeId id, const Selection& selection) const {
    const Avoided* found = avoided(id, static_cast<const Computing&>(selection));
    for (const Branch& branch : selection.branches)
        if (found == nullptr)
            found = avoided(id, static_cast<const Computing&>(branch));
    return found;
}

} // namespace fw
