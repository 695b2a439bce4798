#include "verdict/vary_graph.h"

#include "expr/scalar.h"
#include "tensor/draw_critical.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace fw {

namespace {

void vary(Integers& list, Random& random) {
    if (list.empty())
        return;
    const bool several = list.size() > 1;
    if (several && random.chance(50)) {
        const std::size_t by = random.chance(50) ? list.size() / 2 : 1;
        std::rotate(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(by % list.size()),
                    list.end());
        return;
    }
    if (random.chance(20)) { // from the other end
        std::int64_t& item = list[random.below(list.size())];
        item = random.chance(50) ? -item : -item - 1;
        return;
    }
    const std::int64_t by = random.chance(30) ? random.between(2, 4) : random.chance(60) ? 1 : -1;
    list[random.below(list.size())] += by;
    if (several && random.chance(60)) // from one place to another: most shapes stay
        list[random.below(list.size())] -= by;
}

std::optional<AttrValue> varied(AttrValue value, Random& random) {
    if (auto* integer = std::get_if<std::int64_t>(&value))
        *integer += random.chance(60) ? 1 : -1;
    else if (auto* real = std::get_if<double>(&value))
        *real = random.chance(30)   ? *real / 2
                : random.chance(40) ? *real + 0.5
                : random.chance(50) ? -*real
                                    : specialReal(random);
    else if (auto* list = std::get_if<Integers>(&value))
        vary(*list, random);
    else if (auto* reals = std::get_if<Reals>(&value); reals != nullptr && !reals->empty())
        (*reals)[random.below(reals->size())] = specialReal(random);
    else
        return std::nullopt;
    return value;
}

// What a copy of a graph has in place of its own.
struct Changes {
    std::map<NodeId, Attrs> attrs;
    std::map<NodeId, TensorData> constants;
    std::map<NodeId, TensorType> inputs;
    std::map<NodeId, std::string> names = {};
};

template <class Value>
const Value& changedOr(const std::map<NodeId, Value>& changes, NodeId node, const Value& own) {
    const auto found = changes.find(node);
    return found == changes.end() ? own : found->second;
}

std::optional<GraphPtr> copied(const Graph& graph, const Changes& changes) {
    GraphEditor editor(graph.operatorSet(), "drawn");
    std::map<ValueRef, ValueRef> copies;
    for (const NodePtr& node : graph.nodes()) {
        const Output& first = node->outputs[0];
        const std::string& name = changedOr(changes.names, node->id, node->name);
        if (node->isInput()) {
            copies[{node->id, 0}] =
                editor.addInput(name, changedOr(changes.inputs, node->id, first.type));
            continue;
        }
        if (node->isConstant()) {
            copies[{node->id, 0}] =
                editor.addConstant(name, changedOr(changes.constants, node->id, *node->data));
            continue;
        }
        GraphEditor::NewNode copy;
        copy.op = node->op;
        copy.name = name;
        copy.attrs = changedOr(changes.attrs, node->id, node->attrs);
        for (const ValueRef& input : node->inputs)
            copy.inputs.push_back(input.valid() ? copies.at(input) : input);
        const Result<std::vector<ValueRef>> values = editor.add(std::move(copy));
        if (!values || values->size() != node->outputs.size())
            return std::nullopt;
        for (std::size_t i = 0; i < values->size(); ++i)
            copies[{node->id, static_cast<int>(i)}] = (*values)[i];
    }
    for (const NamedValue& result : graph.results())
        editor.addResult(result.name, copies.at(result.value));
    Result<GraphPtr> out = editor.finish();
    return out ? std::optional(out.take()) : std::nullopt;
}

} // namespace

std::optional<GraphPtr> renamedGraph(const Graph& graph,
                                     const std::map<NodeId, std::string>& names) {
    Changes changes;
    changes.names = names;
    return copied(graph, changes);
}

namespace {

double valueFor(const TensorData& own, const std::vector<const TensorData*>& others,
                Random& random) {
    if (others.size() < 2 || random.chance(50))
        return specialReal(random);
    const TensorData* other = others[random.below(others.size())];
    if (other == &own)
        return specialReal(random);
    const double value = other->at(0);
    switch (random.below(3)) {
    case 0:
        return value;
    case 1: // not that of a number whose reciprocal the type does not hold
        return value == 0 || !std::isfinite(roundReal(own.dtype(), 1 / value)) ? 1 : 1 / value;
    default:
        return -value;
    }
}

// Elements of a constant that are no more are left out, others are its own again.
void reshape(const Node& leaf, Shape shape, Changes& changes) {
    TensorType type = leaf.outputs[0].type;
    if (shape == type.shape)
        return;
    type.shape = std::move(shape);
    if (leaf.isInput()) {
        changes.inputs.emplace(leaf.id, std::move(type));
        return;
    }
    std::vector<std::int64_t> box;
    std::size_t count = 1;
    for (const Dim& dim : type.shape) {
        box.push_back(dim.asInt().value_or(0));
        count *= static_cast<std::size_t>(box.back());
    }
    const TensorData& own = *leaf.data;
    const auto repeated = [&](const auto& from, auto values) {
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = from.empty() ? 0 : from[i % from.size()];
        return values;
    };
    changes.constants.emplace(
        leaf.id,
        isFloat(type.dtype)
            ? dataFromDoubles(type.dtype, std::move(box),
                              repeated(own.toDoubles(), std::vector<double>(count)))
            : dataFromIntegers(type.dtype, std::move(box),
                               repeated(own.toIntegers(), std::vector<std::int64_t>(count))));
}

} // namespace

std::optional<GraphPtr> variedGraph(const Graph& graph, Random& random) {
    constexpr std::size_t mostElements = 64; // of a constant that is changed
    std::vector<std::pair<NodeId, std::string>> attributes;
    std::vector<const TensorData*> data;
    std::vector<NodeId> constants;
    for (const NodePtr& node : graph.nodes()) {
        if (const Operator* op = node->isLeaf() ? nullptr : graph.operators().find(node->op))
            for (const std::string& name : op->attrNames())
                attributes.emplace_back(node->id, name);
        if (node->isConstant() && isFloat(node->data->dtype()) && node->data->count() > 0 &&
            node->data->count() <= mostElements) {
            constants.push_back(node->id);
            data.push_back(&*node->data);
        }
    }
    if (attributes.empty() && constants.empty())
        return std::nullopt;
    Changes changes;
    if (attributes.empty() || (!constants.empty() && random.chance(40))) {
        const std::size_t which = random.below(constants.size());
        const TensorData& own = *data[which];
        const std::vector<double> values(own.count(), valueFor(own, data, random));
        changes.constants.emplace(constants[which],
                                  dataFromDoubles(own.dtype(), own.extents(), values));
        return copied(graph, changes);
    }
    const auto& [changed, attribute] = attributes[random.below(attributes.size())];
    const Node& node = graph.node(changed);
    const AttrValue* written = node.attrs.find(attribute);
    const auto value = written != nullptr ? std::optional(*written)
                                          : graph.operators().find(node.op)->attrDefault(attribute);
    const auto other = value ? varied(*value, random) : std::nullopt;
    if (!other)
        return std::nullopt;
    Attrs attrs = node.attrs;
    attrs.set(attribute, *other);
    changes.attrs.emplace(changed, std::move(attrs));
    return copied(graph, changes);
}

namespace {

// Some of the constants, at least one, with what `make` makes of them.
template <class Make>
std::optional<GraphPtr> withConstants(const Graph& graph, bool onlyReal, Random& random,
                                      Make make) {
    constexpr std::size_t mostElements = 64;
    std::vector<const Node*> constants;
    for (const NodePtr& node : graph.nodes())
        if (node->isConstant() && node->data->count() > 0 && node->data->count() <= mostElements &&
            (isFloat(node->data->dtype()) || (!onlyReal && isInteger(node->data->dtype()))))
            constants.push_back(node.get());
    if (constants.empty())
        return std::nullopt;
    Changes changes;
    const std::size_t sure = random.below(constants.size());
    for (std::size_t i = 0; i < constants.size(); ++i)
        if (i == sure || random.chance(50))
            changes.constants.emplace(constants[i]->id, make(*constants[i]));
    return copied(graph, changes);
}

} // namespace

std::optional<GraphPtr> withEndsAsConstants(const Graph& graph, const Literals& literals,
                                            Random& random) {
    static const DrawnValues ways[] = {DrawnValues::Ends, DrawnValues::Ends, DrawnValues::Largest,
                                       DrawnValues::Smallest};
    return withConstants(graph, false, random, [&](const Node& node) {
        const TensorData own =
            drawnData(random, literals, node.outputs[0].type, ways[random.below(std::size(ways))]);
        const bool one = random.chance(50), positive = random.chance(50);
        if (!isFloat(own.dtype())) {
            std::vector<std::int64_t> values = own.toIntegers();
            if (one)
                std::fill(values.begin(), values.end(), values.front());
            return dataFromIntegers(own.dtype(), own.extents(), values);
        }
        std::vector<double> values = own.toDoubles();
        for (double& value : values) {
            value = one ? values.front() : value;
            value = positive ? std::fabs(value) : value;
        }
        return dataFromDoubles(own.dtype(), own.extents(), values);
    });
}

std::optional<GraphPtr> withLiteralsAsConstants(const Graph& graph, const Literals& literals,
                                                Random& random) {
    return withConstants(graph, false, random, [&](const Node& node) {
        const TensorData& own = *node.data;
        const auto varied = [&](auto values, auto beside) {
            const auto all = beside();
            const bool one = random.chance(50);
            for (auto& value : values)
                if (one || random.chance(50))
                    if (const auto other = one ? all : beside())
                        value = *other;
            return values;
        };
        return isFloat(own.dtype())
                   ? dataFromDoubles(
                         own.dtype(), own.extents(),
                         varied(own.toDoubles(),
                                [&] { return besideLiteralReal(random, literals, own.dtype()); }))
                   : dataFromIntegers(own.dtype(), own.extents(), varied(own.toIntegers(), [&] {
                                          return besideLiteral(random, literals, own.dtype());
                                      }));
    });
}

std::optional<GraphPtr> withNoNumbersAsConstants(const Graph& graph, NoNumber what,
                                                 Random& random) {
    return withConstants(graph, true, random, [&](const Node& node) {
        if (random.chance(50)) {
            constexpr double infinite = std::numeric_limits<double>::infinity();
            const double value = what == NoNumber::NaN ? std::numeric_limits<double>::quiet_NaN()
                                 : random.chance(60)   ? infinite
                                                       : -infinite;
            return dataFromDoubles(node.data->dtype(), node.data->extents(),
                                   std::vector<double>(node.data->count(), value));
        }
        return what == NoNumber::NaN ? withNaN(*node.data, random)
                                     : withInfinities(*node.data, random);
    });
}

// Axes of one extent are mostly one dimension; the other half of the time those at one place are.
std::optional<GraphPtr> resizedGraph(const Graph& graph, std::int64_t extent, Random& random) {
    struct Resized {
        std::size_t behind = 0; // axes that follow it
        std::int64_t extent = 0;
    };
    std::vector<Resized> axes;
    for (const NodePtr& node : graph.nodes())
        if (node->isLeaf()) {
            const Shape& shape = node->outputs[0].type.shape;
            for (std::size_t d = 0; d < shape.size(); ++d)
                if (const std::int64_t own = shape[d].asInt().value_or(0); own > 0)
                    axes.push_back({shape.size() - d, own});
        }
    if (axes.empty())
        return std::nullopt;
    constexpr std::int64_t mostElements = 2000; // of a leaf
    const Resized resized = random.pick(axes);
    const bool atOnePlace = random.chance(50);
    Changes changes;
    for (const NodePtr& node : graph.nodes()) {
        if (!node->isLeaf())
            continue;
        Shape shape = node->outputs[0].type.shape;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (shape[d].isInt(resized.extent) &&
                (!atOnePlace || shape.size() - d == resized.behind))
                shape[d] = Dim(extent);
        if (elementCount(shape).asInt().value_or(mostElements + 1) > mostElements)
            return std::nullopt;
        reshape(*node, std::move(shape), changes);
    }
    return copied(graph, changes);
}

namespace {

std::vector<const Node*> leavesOf(const Graph& graph) {
    std::vector<const Node*> out;
    for (const NodePtr& node : graph.nodes())
        if (node->isLeaf())
            out.push_back(node.get());
    return out;
}

std::optional<GraphPtr> withShape(const Graph& graph, const Node& leaf, Shape shape) {
    constexpr std::size_t mostAxes = 7;
    Changes changes;
    if (shape.size() <= mostAxes)
        reshape(leaf, std::move(shape), changes);
    return changes.inputs.empty() && changes.constants.empty() ? std::nullopt
                                                               : copied(graph, changes);
}

} // namespace

std::vector<GraphPtr> grownGraphs(const Graph& graph, Random& random) {
    const std::vector<const Node*> leaves = leavesOf(graph);
    std::size_t rank = 0;
    for (const Node* leaf : leaves)
        rank = std::max(rank, leaf->outputs[0].type.shape.size());
    std::vector<GraphPtr> out;
    for (const Node* leaf : leaves) {
        Shape shape = leaf->outputs[0].type.shape;
        shape.insert(shape.begin(), rank - shape.size(), Dim(1));
        shape.insert(shape.begin(), Dim(random.between(2, 3)));
        if (auto grown = withShape(graph, *leaf, std::move(shape)))
            out.push_back(std::move(*grown));
    }
    return out;
}

std::optional<GraphPtr> reshapedGraph(const Graph& graph, Random& random) {
    const std::vector<const Node*> leaves = leavesOf(graph);
    if (leaves.empty())
        return std::nullopt;
    const Node& leaf = *random.pick(leaves);
    Shape shape = leaf.outputs[0].type.shape;
    const auto at = [&] {
        return shape.begin() + static_cast<std::ptrdiff_t>(random.below(shape.size()));
    };
    switch (shape.empty() ? 0 : random.below(5)) {
    case 0:
        shape.insert(shape.begin(), Dim(random.between(1, 3)));
        break;
    case 1:
        shape.erase(shape.begin());
        break;
    case 2:
        *at() = Dim(1);
        break;
    case 3:
        shape.assign(random.below(2), Dim(1));
        break;
    default:
        *at() = Dim(random.between(0, 3));
        break;
    }
    return withShape(graph, leaf, std::move(shape));
}

} // namespace fw
