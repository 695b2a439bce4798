#include "ir/same_structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace fw {

namespace {

bool sameElements(const TensorData& a, const TensorData& b) {
    if (a == b)
        return true;
    if (!(a.type() == b.type()) || !isFloat(a.dtype()))
        return false;
    for (std::size_t i = 0; i < a.count(); ++i) {
        const double x = a.at(i), y = b.at(i);
        if (!(std::fabs(x - y) <= 1e-5 * std::max(std::fabs(y), 1e-3)) && x != y &&
            !(std::isnan(x) && std::isnan(y)))
            return false;
    }
    return true;
}

// Reals of attributes are f32 in a model: what is computed of them is not told apart further.
bool sameReal(double a, double b) {
    return a == b || static_cast<float>(a) == static_cast<float>(b) ||
           (std::isnan(a) && std::isnan(b));
}

bool sameAttribute(const AttrValue& a, const AttrValue& b) {
    if (const auto* x = std::get_if<double>(&a), *y = std::get_if<double>(&b); x && y)
        return sameReal(*x, *y);
    if (const auto* x = std::get_if<Reals>(&a), *y = std::get_if<Reals>(&b); x && y)
        return std::equal(x->begin(), x->end(), y->begin(), y->end(), sameReal);
    return a == b;
}

class Comparison {
public:
    Comparison(const Graph& got, const Graph& wanted) : m_got(got), m_wanted(wanted) {}

    std::string run() {
        if (m_got.inputs().size() != m_wanted.inputs().size())
            return fmt::format("{} inputs instead of {}", m_got.inputs().size(),
                               m_wanted.inputs().size());
        if (m_got.results().size() != m_wanted.results().size())
            return fmt::format("{} results instead of {}", m_got.results().size(),
                               m_wanted.results().size());
        for (std::size_t i = 0; i < m_got.inputs().size(); ++i)
            pair({m_got.inputs()[i], 0}, {m_wanted.inputs()[i], 0}, "the inputs");
        for (std::size_t i = 0; i < m_got.results().size(); ++i)
            pair(m_got.results()[i].value, m_wanted.results()[i].value,
                 "result " + m_wanted.results()[i].name);
        // No recursion: a chain may be as long as a model.
        while (m_said.empty() && m_next < m_pairs.size()) {
            const auto [a, b] = m_pairs[m_next++];
            compare(m_got.node(a), m_wanted.node(b));
        }
        return m_said;
    }

private:
    void pair(ValueRef a, ValueRef b, const std::string& place) {
        if (!m_said.empty())
            return;
        if (a.valid() != b.valid() || (a.valid() && a.output != b.output))
            return differ(place, "another operand");
        if (!a.valid())
            return;
        const auto known = m_toWanted.find(a.node);
        if (known != m_toWanted.end() && known->second == b.node)
            return;
        const Node &got = m_got.node(a.node), &wanted = m_wanted.node(b.node);
        if (known != m_toWanted.end() || m_paired.contains(b.node))
            return differ(place,
                          fmt::format("{} is shared where {} is not", got.name, wanted.name));
        if (got.op != wanted.op)
            return differ(place, fmt::format("{} ({}) instead of {} ({})", got.op, got.name,
                                             wanted.op, wanted.name));
        m_toWanted.emplace(a.node, b.node);
        m_paired.insert(b.node);
        m_pairs.emplace_back(a.node, b.node);
    }

    void compare(const Node& a, const Node& b) {
        const std::string place = fmt::format("{} ({})", b.op, b.name);
        if (a.outputs.size() != b.outputs.size() || a.inputs.size() != b.inputs.size())
            return differ(place, "another number of operands or results");
        for (std::size_t i = 0; i < a.outputs.size(); ++i)
            if (!(a.outputs[i].type == b.outputs[i].type))
                return differ(place, fmt::format("type {} instead of {}", a.outputs[i].type.text(),
                                                 b.outputs[i].type.text()));
        std::set<std::string> names;
        for (const auto& [name, value] : a.attrs)
            names.insert(name);
        for (const auto& [name, value] : b.attrs)
            names.insert(name);
        for (const std::string& name : names) {
            const std::optional<AttrValue> got = attribute(m_got, a, name),
                                           wanted = attribute(m_wanted, b, name);
            if (got.has_value() != wanted.has_value() || (got && !sameAttribute(*got, *wanted)))
                return differ(place, fmt::format("{} = {} instead of {}", name,
                                                 got ? attrText(*got) : "nothing",
                                                 wanted ? attrText(*wanted) : "nothing"));
        }
        if (a.bodies != b.bodies)
            return differ(place, "other bodies");
        if (bool(a.data) != bool(b.data) || (a.data && !sameElements(*a.data, *b.data)))
            return differ(place, "other elements");
        for (std::size_t i = 0; i < a.inputs.size(); ++i)
            pair(a.inputs[i], b.inputs[i], fmt::format("operand {} of {}", i, place));
    }

    static std::optional<AttrValue> attribute(const Graph& graph, const Node& node,
                                              const std::string& name) {
        if (const AttrValue* value = node.attrs.find(name))
            return *value;
        const Operator* op = graph.operators().find(node.op);
        return op == nullptr ? std::nullopt : op->attrDefault(name);
    }

    void differ(const std::string& place, const std::string& what) {
        if (m_said.empty())
            m_said = place + ": " + what;
    }

    const Graph& m_got;
    const Graph& m_wanted;
    std::map<NodeId, NodeId> m_toWanted;
    std::set<NodeId> m_paired; // nodes of m_wanted
    std::vector<std::pair<NodeId, NodeId>> m_pairs;
    std::size_t m_next = 0;
    std::string m_said;
};

} // namespace

std::string structuralDifference(const Graph& got, const Graph& wanted) {
    return Comparison(got, wanted).run();
}

} // namespace fw
