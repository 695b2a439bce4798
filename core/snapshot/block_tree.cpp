#include "snapshot/block_tree.h"

#include "base/hash.h"
#include "snapshot/repeats.h"

#include <algorithm>

namespace fw::snapshot {

namespace {

constexpr std::uint32_t none = Hierarchy::none, aConstant = none - 1;
constexpr std::size_t leastRepeated =
    8; // operators in all copies, where no names say that they are
constexpr std::size_t mostParts = 40, leastInPart = 40;

std::uint64_t hashed(std::string_view text) {
    return hashOf(text).low;
}

// A name with every number as one digit: "layer_12" is as "layer_3".
std::string stemOf(const std::string& title) {
    std::string out;
    for (const char c : title)
        if (c < '0' || c > '9')
            out += c;
        else if (out.empty() || out.back() != '0')
            out += '0';
    return out;
}

class Levels {
public:
    Levels(const GraphDocument& graph, const PlaceOf& placeOf)
        : m_graph(graph), m_local(graph.nodes.size(), none), m_lastUse(graph.nodes.size(), none) {
        std::map<int, std::uint64_t> implementations;
        for (const GroupLabel& group : graph.groups)
            implementations[group.id] = hashed(group.implementation);
        std::map<int, std::uint32_t> groupFirst;
        std::unordered_multimap<NodeId, const InsideRecord*> bodies;
        for (const InsideRecord& body : graph.insides)
            bodies.emplace(body.node, &body);
        for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
            const NodeRecord& node = graph.nodes[i];
            std::uint64_t label = mixHash(hashed(node.op), node.inputs.size());
            for (const auto& [name, value] : node.attributes)
                label = mixHash(mixHash(label, hashed(name)), hashed(value));
            for (const TensorRecord& output : node.outputs)
                label = mixHash(label, hashed(output.type));
            m_groupFirst.push_back(none);
            if (const auto found = implementations.find(node.group);
                found != implementations.end()) {
                label = mixHash(label, found->second);
                m_groupFirst.back() = groupFirst.try_emplace(node.group, i).first->second;
            }
            m_labels.push_back(label);
            m_firstOperand.push_back(static_cast<std::uint32_t>(m_operands.size()));
            const auto read = [&](const InputRef& input) {
                const auto at = placeOf.find(input.node);
                m_operands.push_back(at == placeOf.end()                ? none
                                     : graph.nodes[at->second].constant ? aConstant
                                                                        : at->second);
                m_outputs.push_back(input.output);
            };
            std::for_each(node.inputs.begin(), node.inputs.end(), read);
            const auto [first, last] = bodies.equal_range(node.id);
            for (auto body = first; body != last; ++body)
                std::for_each(body->second->results.begin(), body->second->results.end(), read);
        }
        m_firstOperand.push_back(static_cast<std::uint32_t>(m_operands.size()));
    }

    void divide(TreeBlock& block) {
        if (block.kind != Block::Kind::Group) {
            stackRepeats(block);
            cut(block);
        }
        for (TreeItem& item : block.items)
            if (item.block != nullptr)
                divide(*item.block);
    }

private:
    using Places = std::vector<std::uint32_t>;

    static std::size_t operatorsOf(const GraphDocument& graph, const TreeItem& item) {
        if (item.block == nullptr)
            return std::size_t(!isInput(graph.nodes[item.first]));
        // A node counts as one, whatever lies in it.
        return item.block->kind == Block::Kind::Body ? 0 : item.block->operators;
    }

    static void addNodes(const TreeItem& item, Places& out) {
        if (item.block == nullptr)
            out.push_back(item.first);
        else
            out.insert(out.end(), item.block->all.begin(), item.block->all.end());
    }

    // Operators and the edges between them; what comes from outside is only outside.
    std::uint64_t structureOf(const Places& nodes) {
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            m_local[nodes[i]] = i;
        std::uint64_t out = nodes.size();
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            const std::uint32_t node = nodes[i];
            out = mixHash(out, m_labels[node]);
            if (m_groupFirst[node] != none && m_local[m_groupFirst[node]] != none)
                out = mixHash(out, m_local[m_groupFirst[node]]);
            for (std::uint32_t k = m_firstOperand[node]; k < m_firstOperand[node + 1]; ++k) {
                const std::uint32_t from = m_operands[k];
                const std::uint64_t kind = from == none || from == aConstant ? from : m_local[from];
                out = mixHash(out, mixHash(kind, static_cast<std::uint64_t>(m_outputs[k])));
            }
        }
        for (const std::uint32_t node : nodes)
            m_local[node] = none;
        return out;
    }

    std::uint64_t labelOf(const TreeItem& item) {
        if (item.block == nullptr)
            return isInput(m_graph.nodes[item.first]) ? mixHash(item.first, 1)
                                                      : m_labels[item.first];
        const TreeBlock& block = *item.block;
        const std::uint64_t structure = structureOf(block.all);
        return block.kind == Block::Kind::Scope ? mixHash(structure, hashed(stemOf(block.title)))
                                                : mixHash(structure, 2);
    }

    // Between which two items how many values are alive: out[i] in front of item i.
    std::vector<std::int64_t> crossings(const std::vector<TreeItem>& items) {
        Places nodes;
        for (std::uint32_t i = 0; i < items.size(); ++i) {
            const std::size_t before = nodes.size();
            addNodes(items[i], nodes);
            for (std::size_t k = before; k < nodes.size(); ++k)
                m_local[nodes[k]] = i;
        }
        for (const std::uint32_t node : nodes)
            for (std::uint32_t k = m_firstOperand[node]; k < m_firstOperand[node + 1]; ++k) {
                const std::uint32_t from = m_operands[k];
                if (from == none || from == aConstant || m_local[from] == none)
                    continue;
                if (m_local[from] < m_local[node] &&
                    (m_lastUse[from] == none || m_lastUse[from] < m_local[node]))
                    m_lastUse[from] = m_local[node];
            }
        std::vector<std::int64_t> out(items.size() + 1, 0);
        for (const std::uint32_t node : nodes)
            if (m_lastUse[node] != none) {
                ++out[m_local[node] + 1];
                --out[m_lastUse[node] + 1];
            }
        for (std::size_t i = 1; i < out.size(); ++i)
            out[i] += out[i - 1];
        for (const std::uint32_t node : nodes)
            m_local[node] = m_lastUse[node] = none;
        return out;
    }

    void stackRepeats(TreeBlock& block) {
        std::vector<TreeItem>& items = block.items;
        if (items.size() < 2 || block.kind == Block::Kind::Stack || block.kind == Block::Kind::Part)
            return;
        std::vector<std::uint64_t> labels;
        std::vector<std::size_t> operators{0}; // in front of each item
        for (const TreeItem& item : items) {
            labels.push_back(labelOf(item));
            operators.push_back(operators.back() + operatorsOf(m_graph, item));
        }
        const auto wanted = [&](const Repeat& run) {
            const TreeBlock* first = items[run.first].block.get();
            if (run.period == 1 && first != nullptr && first->kind == Block::Kind::Scope)
                return true;
            if (run.period == 1 && first == nullptr)
                return false;
            const std::size_t each = operators[run.first + run.period] - operators[run.first];
            return each >= 2 && each * run.copies() >= leastRepeated;
        };
        const std::vector<Repeat> runs = repeatsIn(labels, wanted);
        if (runs.empty())
            return;
        const auto cuts = crossings(items);
        std::vector<TreeItem> made;
        std::size_t next = 0;
        const auto keepTo = [&](std::size_t end) {
            for (; next < end; ++next)
                made.push_back(std::move(items[next]));
        };
        for (const Repeat& run : runs) {
            const std::size_t begin = run.first + bestPhase(run, cuts);
            std::vector<std::uint64_t> structures;
            for (std::size_t c = 0; c < run.copies(); ++c) {
                Places nodes;
                for (std::size_t i = 0; i < run.period; ++i)
                    addNodes(items[begin + c * run.period + i], nodes);
                std::sort(nodes.begin(), nodes.end());
                structures.push_back(structureOf(nodes));
            }
            for (std::size_t c = 0; c < structures.size();) {
                std::size_t end = c + 1;
                while (end < structures.size() && structures[end] == structures[c])
                    ++end;
                if (Repeat same{begin + c * run.period, run.period, (end - c) * run.period};
                    end - c >= 2 && wanted(same)) {
                    keepTo(same.first);
                    next = same.first + same.length;
                    made.push_back(stackOf(block, same));
                }
                c = end;
            }
        }
        keepTo(items.size());
        items = std::move(made);
        if (block.kind == Block::Kind::Scope && items.size() == 1) { // it is the stack
            const std::unique_ptr<TreeBlock> stack = std::move(items.front().block);
            block.kind = Block::Kind::Stack;
            block.copies = stack->copies;
            items = std::move(stack->items);
        }
    }

    // Of the places where as many copies can begin, the one with the fewest values between them.
    static std::size_t bestPhase(const Repeat& run, const std::vector<std::int64_t>& cuts) {
        std::size_t best = 0;
        std::int64_t least = INT64_MAX;
        for (std::size_t phase = 0; phase <= run.length - run.copies() * run.period; ++phase) {
            std::int64_t sum = 0;
            for (std::size_t c = 1; c < run.copies(); ++c)
                sum += cuts[run.first + phase + c * run.period];
            if (sum < least) {
                least = sum;
                best = phase;
            }
        }
        return best;
    }

    // Of blocks that are copies already themselves, or with a copy around each few items.
    TreeItem stackOf(TreeBlock& around, const Repeat& run) {
        TreeItem out{around.items[run.first].first, std::make_unique<TreeBlock>()};
        TreeBlock& stack = *out.block;
        stack.kind = Block::Kind::Stack;
        stack.copies = run.copies();
        const std::string& name = m_graph.nodes[out.first].name;
        const std::string begin = around.path.empty() ? "" : around.path + "/";
        stack.path = begin + (name.empty() ? std::to_string(out.first) : name) + " repeated";
        for (std::size_t c = 0; c < run.copies(); ++c) {
            TreeItem& first = around.items[run.first + c * run.period];
            if (run.period == 1) {
                stack.items.push_back(std::move(first));
                continue;
            }
            TreeItem copy{first.first, std::make_unique<TreeBlock>()};
            copy.block->kind = Block::Kind::Copy;
            copy.block->path = stack.path + "/" + std::to_string(c + 1);
            copy.block->title = "copy " + std::to_string(c + 1);
            for (std::size_t i = 0; i < run.period; ++i)
                copy.block->items.push_back(
                    std::move(around.items[run.first + c * run.period + i]));
            gather(*copy.block);
            stack.items.push_back(std::move(copy));
        }
        gather(stack);
        stack.title = run.period == 1 && stack.items[0].block->kind == Block::Kind::Scope
                          ? titleOf(stack.items.front()) + " … " + titleOf(stack.items.back())
                          : operatorsIn(stack.items.front().block->all);
        return out;
    }

    void gather(TreeBlock& block) const {
        for (const TreeItem& item : block.items) {
            addNodes(item, block.all);
            block.operators += operatorsOf(m_graph, item);
        }
        std::sort(block.all.begin(), block.all.end());
    }

    std::string titleOf(const TreeItem& item) const {
        if (item.block != nullptr)
            return item.block->title;
        const NodeRecord& node = m_graph.nodes[item.first];
        return node.name.empty() ? node.op : node.name;
    }

    std::string operatorsIn(const Places& nodes) const {
        constexpr std::size_t most = 3;
        std::vector<std::string> names;
        for (const std::uint32_t node : nodes)
            if (const std::string& op = m_graph.nodes[node].op;
                std::find(names.begin(), names.end(), op) == names.end()) {
                if (names.size() == most) {
                    names.emplace_back("…");
                    break;
                }
                names.push_back(op);
            }
        std::string out;
        for (const std::string& name : names)
            out += (out.empty() ? "" : name == "…" ? " " : ", ") + name;
        return out;
    }

    // A level that is too long becomes parts, cut near to where they would be equally long.
    void cut(TreeBlock& block) {
        std::vector<TreeItem> outside; // inputs
        if (block.kind == Block::Kind::Whole || block.kind == Block::Kind::Body) {
            const auto inner = std::stable_partition(
                block.items.begin(), block.items.end(), [&](const TreeItem& item) {
                    return item.block == nullptr && isInput(m_graph.nodes[item.first]);
                });
            std::move(block.items.begin(), inner, std::back_inserter(outside));
            block.items.erase(block.items.begin(), inner);
        }
        const std::size_t count = block.items.size();
        if (count > mostInBlock) {
            const std::size_t parts = std::min(mostParts, (count + leastInPart - 1) / leastInPart);
            const auto cuts = crossings(block.items);
            std::vector<TreeItem> made;
            for (std::size_t p = 0, begin = 0; p < parts; ++p) {
                const std::size_t end = p + 1 == parts ? count : cutNear(cuts, p + 1, parts, count);
                TreeItem part{block.items[begin].first, std::make_unique<TreeBlock>()};
                part.block->kind = Block::Kind::Part;
                const std::string around = block.path.empty() ? "" : block.path + "/";
                part.block->path = around + "part " + std::to_string(p + 1);
                part.block->title =
                    titleOf(block.items[begin]) + " … " + titleOf(block.items[end - 1]);
                for (; begin < end; ++begin)
                    part.block->items.push_back(std::move(block.items[begin]));
                gather(*part.block);
                made.push_back(std::move(part));
            }
            block.items = std::move(made);
        }
        if (!outside.empty())
            block.items.insert(block.items.begin(), std::make_move_iterator(outside.begin()),
                               std::make_move_iterator(outside.end()));
    }

    static std::size_t cutNear(const std::vector<std::int64_t>& cuts, std::size_t part,
                               std::size_t parts, std::size_t count) {
        const std::size_t middle = part * count / parts, reach = count / parts / 4;
        std::size_t best = middle;
        for (std::size_t away = 1; away <= reach; ++away)
            for (const std::size_t at : {middle - away, middle + away})
                if (cuts[at] < cuts[best])
                    best = at;
        return best;
    }

    const GraphDocument& m_graph;
    std::vector<std::uint64_t> m_labels; // by place, like all that follows
    Places m_groupFirst;                 // first node of the group that it lies in
    Places m_firstOperand, m_operands;   // by node, where its operands begin; whose they are
    std::vector<int> m_outputs;          // beside m_operands
    Places m_local;                      // within what is looked at; none: it is not in there
    Places m_lastUse;
};

} // namespace

TreeBlock blockTree(const GraphDocument& graph, const PlaceOf& placeOf) {
    TreeBlock whole = scopesAndBodies(graph, placeOf);
    Levels(graph, placeOf).divide(whole);
    return whole;
}

} // namespace fw::snapshot
