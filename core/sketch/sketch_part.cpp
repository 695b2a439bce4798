#include "sketch/sketch_part.h"

#include "base/declaration_kind.h"
#include "base/language_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// Whether a pattern or a right side would read a name as a word of the language.
bool isWord(const std::string& name) {
    return !languageSentence(name, kindOf(Declares::Fuse).keyword).empty();
}

constexpr std::size_t mostOperators = 150; // patterns stand at most 200 deep inside each other

class Names {
public:
    Names(const Graph& graph, const std::set<std::string>& taken)
        : m_operators(graph.operators()), m_taken(taken) {}

    std::string take(const std::string& wish) {
        std::string name = wish;
        for (int n = 2; isTaken(name); ++n)
            name = fmt::format("{}{}", wish, n);
        m_taken.insert(name);
        return name;
    }

private:
    bool isTaken(const std::string& name) const {
        return m_taken.contains(name) || m_operators.find(name) != nullptr || parseDtype(name) ||
               isWord(name);
    }

    const OperatorSet& m_operators;
    std::set<std::string> m_taken;
};

// A way that leaves the part and comes back: the operator outside that reads of it and leads back.
const Node* wayBack(const SketchPart& part) {
    std::set<NodeId> behind; // operators outside that read of the part, directly or not
    for (const NodePtr& node : part.graph->nodes()) {
        const bool inside = part.labels.contains(node->id);
        for (const ValueRef& operand : node->inputs) {
            if (!operand.valid())
                continue;
            if (inside && behind.contains(operand.node))
                return &part.node(operand.node);
            if (!inside && (part.has(operand) || behind.contains(operand.node)))
                behind.insert(node->id);
        }
    }
    return nullptr;
}

// Whether values join all operators.
bool hangsTogether(const SketchPart& part) {
    std::map<ValueRef, std::vector<NodeId>> around;
    for (const NodeId id : part.nodes)
        for (const ValueRef& operand : part.node(id).inputs)
            if (operand.valid()) {
                around[operand].push_back(id);
                if (part.has(operand))
                    around[operand].push_back(operand.node);
            }
    std::set<NodeId> reached{part.nodes.front()};
    for (bool grew = true; grew;) {
        grew = false;
        for (const auto& [value, ids] : around)
            if (std::any_of(ids.begin(), ids.end(),
                            [&](NodeId id) { return reached.contains(id); }))
                for (const NodeId id : ids)
                    grew = reached.insert(id).second || grew;
    }
    return reached.size() == part.nodes.size();
}

} // namespace

std::size_t SketchPart::readers(ValueRef value) const {
    std::size_t out = 0;
    for (const Use& use : graph->uses(value))
        out += labels.contains(use.node);
    return out;
}

namespace {

// Refused: what no pattern can name.
Status select(const std::vector<NodeId>& nodes, SketchPart& out) {
    const Graph& graph = *out.graph;
    const std::set<NodeId> wanted(nodes.begin(), nodes.end());
    std::map<std::string, int> counts;
    for (const NodePtr& node : graph.nodes()) {
        if (!wanted.contains(node->id) || node->isLeaf())
            continue;
        if (graph.operators().find(node->op) == nullptr || node->isUnknown() ||
            !node->bodies.empty())
            return makeDiag(
                DiagCode::Usage,
                fmt::format("{} is a {}, which no pattern can name", node->name, node->shownOp()),
                {{}, node->name}, "select the operators around it");
        bool absent = false;
        for (const ValueRef& operand : node->inputs) {
            if (operand.valid() && absent)
                return makeDiag(DiagCode::Usage,
                                fmt::format("{} has operands behind one that is absent, which no "
                                            "pattern can say",
                                            node->name),
                                {{}, node->name}, "select the operators around it");
            absent = absent || !operand.valid();
        }
        out.nodes.push_back(node->id);
        const int count = ++counts[node->op];
        out.labels[node->id] = count == 1 ? node->op : fmt::format("{}_{}", node->op, count);
    }
    return {};
}

Status hasShape(const SketchPart& out) {
    if (out.nodes.empty())
        return makeDiag(DiagCode::Usage, "no operator is selected", {},
                        "select one or more in a graph");
    if (out.nodes.size() > mostOperators)
        return makeDiag(DiagCode::Usage,
                        fmt::format("{} operators are selected, a pattern has at most {}",
                                    out.nodes.size(), mostOperators),
                        {}, "select fewer");
    if (!hangsTogether(out))
        return makeDiag(DiagCode::Usage, "what is selected does not hang together", {},
                        "select what stands between, too");
    if (const Node* way = wayBack(out))
        return makeDiag(
            DiagCode::Usage,
            fmt::format("a way leaves what is selected at {} and comes back", way->name),
            {{}, way->name}, "select " + way->name + ", too");
    return {};
}

void addOperands(Names& names, SketchPart& out) {
    const Graph& graph = *out.graph;
    for (const NodeId id : out.nodes) {
        const Node& node = out.node(id);
        const Operator& op = *graph.operators().find(node.op);
        const std::vector<std::string> formal =
            op.arity().most == Arity().most ? std::vector<std::string>() : op.inputNames();
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const ValueRef operand = node.inputs[i];
            if (!operand.valid() || out.has(operand) || out.names.contains(operand))
                continue;
            out.operands.push_back(operand);
            out.names[operand] =
                names.take(formal.empty() ? "x" : formal[std::min(i, formal.size() - 1)]);
        }
    }
}

// What is read outside, and what nothing reads.
void addResults(SketchPart& out) {
    const Graph& graph = *out.graph;
    for (const NodeId id : out.nodes) {
        const Node& node = out.node(id);
        bool unread = true;
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            unread = unread && graph.uses({id, static_cast<int>(i)}).empty() &&
                     !graph.isResult({id, static_cast<int>(i)});
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueRef value{id, static_cast<int>(i)};
            const std::size_t inside = out.readers(value);
            if (unread ? i == 0 : graph.isResult(value) || graph.uses(value).size() > inside) {
                out.results.push_back(value);
                if (inside == 0)
                    out.ends.push_back(value);
            }
        }
    }
}

} // namespace

Result<SketchPart> partOfSelection(const Graph& graph, const std::vector<NodeId>& nodes,
                                   const std::set<std::string>& taken) {
    SketchPart out;
    out.graph = &graph;
    FW_CHECK(select(nodes, out));
    FW_CHECK(hasShape(out));
    Names names(graph, taken);
    addOperands(names, out);
    addResults(out);
    for (const ValueRef& value : out.ends)
        out.names[value] = names.take("y");
    for (const NodeId id : out.nodes)
        for (std::size_t i = 0; i < out.node(id).outputs.size(); ++i)
            if (const ValueRef value{id, static_cast<int>(i)}; !out.names.contains(value))
                out.names[value] = names.take(out.node(id).op.substr(0, 1));
    return out;
}

} // namespace fw
