// dominated(p, path, q): every way from the value of p to that of q leads over steps that match
// `path`, and no inner value of these ways, nor that of p, is read elsewhere. Below q, and in
// `path`, ^ is a value from which the ways lead up; constants and inputs of the graph may feed a
// step by "...".
//
// The ways are followed up from q, a value only when all that reads it was met. So where one value
// is left, all ways lead through it: it may be that of p, else it must be the end of a step.
#include "pattern/match.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr std::size_t mostInside = 256; // operators between p and q

} // namespace

struct Matcher::Ways {
    std::vector<ValueRef> open; // from which they lead up further
    // Inputs of the graph, one of which every way that ends at inputs reads; nothing: none ends so.
    std::optional<std::vector<ValueRef>> inputs;

    bool mayBeginAt(ValueRef value) const {
        return !inputs || std::find(inputs->begin(), inputs->end(), value) != inputs->end();
    }
};

// What a step reads; nothing if none is here.
std::optional<Matcher::Entries> Matcher::step(Part path, ValueRef v, std::vector<NodeId>& nodes) {
    Entries entries;
    const Previous below{{}, 0, nullptr, &entries};
    if (!matches(path, v, &below, &nodes) || entries.empty())
        return std::nullopt;
    return entries;
}

void Matcher::addEntries(const Entries& entries, Ways& ways) const {
    std::vector<ValueRef> inputs;
    bool leadsUp = false;
    for (const Entry& entry : entries) {
        const bool side = !entry.required && m_graph.node(entry.value.node).isInput();
        std::vector<ValueRef>& list = side ? inputs : ways.open;
        if (std::find(list.begin(), list.end(), entry.value) == list.end())
            list.push_back(entry.value);
        leadsUp = leadsUp || !side;
    }
    if (leadsUp)
        return;
    std::erase_if(inputs, [&](ValueRef value) { return !ways.mayBeginAt(value); });
    ways.inputs = std::move(inputs);
}

// Who reads the value but the operators of m_nodes from `first` on; empty: nobody does.
std::string Matcher::readElsewhere(ValueRef value, std::size_t first) const {
    if (m_graph.isResult(value))
        return describe(value) + " is a result of the model";
    for (const Use& use : m_graph.uses(value))
        if (std::find(m_nodes.begin() + static_cast<std::ptrdiff_t>(first), m_nodes.end(),
                      use.node) == m_nodes.end())
            return fmt::format("{} is read by {}", describe(value), m_graph.node(use.node).name);
    return {};
}

// The step that ends at `v` joins m_nodes; false: there is none, or a value inside is read
// elsewhere.
bool Matcher::takeStep(Part p, ValueRef v, std::size_t first, Ways& ways) {
    const Part path = p.arg(1);
    std::vector<NodeId> nodes;
    const std::optional<Entries> entries = step(path, v, nodes);
    if (!entries)
        return refuse(
            Missed::Operator, p,
            [&] {
                return ways.inputs ? patternText(p.arg(0).tree()) + " where every path begins"
                                   : patternText(path.tree()) + " on every path";
            },
            [&] {
                return ways.inputs ? "paths that begin at an input and at " + describe(v)
                                   : describe(v);
            });
    m_nodes.insert(m_nodes.end(), nodes.begin(), nodes.end());
    m_places.resize(m_nodes.size(), path.tree().span);
    if (m_nodes.size() - first > mostInside)
        return refuse(
            Missed::Other, p, [] { return fmt::format("at most {} operators", mostInside); },
            [] { return "more"; });
    for (const NodeId id : nodes)
        for (int k = 0; k < static_cast<int>(m_graph.node(id).outputs.size()); ++k)
            if (const std::string reader = readElsewhere({id, k}, first);
                ValueRef{id, k} != v && !reader.empty())
                return refuse(
                    Missed::Other, p,
                    [] { return "no inner value of the paths is read elsewhere"; },
                    [&] { return reader; });
    addEntries(*entries, ways);
    return true;
}

bool Matcher::followUp(Part p, Ways ways, std::size_t first, const Previous* previous,
                       const Next& next) {
    const Part from = p.arg(0);
    while (!ways.open.empty()) {
        const auto ready = std::find_if(ways.open.begin(), ways.open.end(), [&](ValueRef value) {
            return readElsewhere(value, first).empty();
        });
        if (ready == ways.open.end())
            return refuse(
                Missed::Other, p, [] { return "no inner value of the paths is read elsewhere"; },
                [&] { return readElsewhere(ways.open.front(), first); });
        const ValueRef value = *ready;
        if (ways.open.size() == 1 && ways.mayBeginAt(value) && pattern(from, value, previous, next))
            return true;
        ways.open.erase(ready);
        if (!takeStep(p, value, first, ways))
            return false;
    }
    std::string reader;
    for (const ValueRef input : ways.inputs.value_or(std::vector<ValueRef>())) {
        reader = readElsewhere(input, first);
        if (reader.empty() && pattern(from, input, previous, next))
            return true;
    }
    return refuse(
        Missed::Other, p, [&] { return patternText(from.tree()) + " where every path begins"; },
        [&] {
            return !reader.empty()                        ? "an input, but " + reader
                   : ways.inputs && !ways.inputs->empty() ? "an input of the graph"
                                                          : "paths without a common beginning";
        });
}

bool Matcher::dominated(Part p, ValueRef v, const Previous* previous, const Next& next) {
    const std::size_t first = m_nodes.size();
    Entries entries;
    const Previous below{{}, 0, nullptr, &entries};
    return pattern(p.arg(2), v, &below, [&] {
        const std::size_t end = m_nodes.size();
        Ways ways;
        addEntries(entries, ways);
        if (followUp(p, std::move(ways), first, previous, next))
            return true;
        m_nodes.resize(end);
        m_places.resize(end);
        return false;
    });
}

} // namespace fw
