#include "sketch/facts.h"

#include "base/numbers.h"
#include "ir/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// The value that a node has for an attribute, written or not.
std::optional<AttrValue> valueOf(const Node& node, const Operator& op, const std::string& name) {
    if (const AttrValue* written = node.attrs.find(name))
        return *written;
    return op.attrDefault(name);
}

bool canBeWritten(const AttrValue& value) {
    return !std::holds_alternative<TensorData>(value) && !std::holds_alternative<Exprs>(value);
}

std::optional<double> numberOf(const AttrValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return *real;
    return std::nullopt;
}

// The least and the largest number that operators of one name have in the graph.
std::optional<std::pair<double, double>> spanOf(const Graph& graph, const Operator& op,
                                                const std::string& attribute) {
    std::optional<std::pair<double, double>> out;
    for (const NodePtr& node : graph.nodes()) {
        if (node->op != op.name())
            continue;
        const auto value = valueOf(*node, op, attribute);
        const auto number = value ? numberOf(*value) : std::nullopt;
        if (!number)
            return std::nullopt;
        out = out ? std::pair(std::min(out->first, *number), std::max(out->second, *number))
                  : std::pair(*number, *number);
    }
    return out && out->first < out->second ? out : std::nullopt;
}

// What a constraint can say of the elements of a constant: one number for all, or a short list.
std::optional<std::string> elementsOf(const TensorData& data) {
    if (data.dtype() == DType::Text || data.count() == 0)
        return std::nullopt;
    const auto number = [&](std::size_t i) {
        return isInteger(data.dtype()) || data.dtype() == DType::Bool
                   ? std::to_string(data.integerAt(i))
                   : numberText(data.at(i));
    };
    const std::string first = number(0);
    bool equal = true;
    for (std::size_t i = 1; i < data.count() && equal; ++i)
        equal = number(i) == first;
    if (equal)
        return first;
    if (data.type().rank() != 1 || data.count() > smallTensor)
        return std::nullopt;
    std::string out;
    for (std::size_t i = 0; i < data.count(); ++i)
        out += (out.empty() ? "[" : ", ") + number(i);
    return out + "]";
}

std::string firstLine(std::string text) {
    constexpr std::size_t most = 60;
    return text.size() <= most ? text : text.substr(0, most) + " ...";
}

class Collector {
public:
    Collector(const SketchPart& part, const SketchWish& wish) : m_part(part), m_wish(wish) {}

    std::vector<SketchFact> collect() {
        for (const NodeId id : m_part.nodes)
            addAttributes(m_part.node(id));
        for (const ValueRef& operand : m_part.operands)
            addOperand(operand);
        return std::move(m_facts);
    }

private:
    // An operator is made of this very part: what its text depends on is asked for.
    bool fixed() const { return m_wish.kind == SketchKind::Operator; }

    void add(SketchFact fact) {
        if (const auto wished = m_wish.levels.find(fact.key);
            wished != m_wish.levels.end() &&
            std::find(fact.levels.begin(), fact.levels.end(), wished->second) != fact.levels.end())
            fact.level = wished->second;
        m_facts.push_back(std::move(fact));
    }

    void addAttributes(const Node& node) {
        const Operator& op = *m_part.graph->operators().find(node.op);
        for (const std::string& name : op.attrNames()) {
            const auto value = valueOf(node, op, name);
            if (!value)
                continue;
            SketchFact fact;
            fact.key = attributeKey(m_part, node.id, name);
            fact.node = node.id;
            fact.what = fmt::format("{} of {}", name, m_part.labels.at(node.id));
            fact.value = firstLine(attrText(*value));
            if (canBeWritten(*value))
                fact.levels.push_back(SketchLevel::Exact);
            if (!fixed()) {
                if (canBeWritten(*value) && spanOf(*m_part.graph, op, name))
                    fact.levels.push_back(SketchLevel::Range);
                if (canBeWritten(*value))
                    fact.levels.push_back(SketchLevel::Captured);
                fact.levels.push_back(SketchLevel::Any);
            }
            if (fact.levels.empty())
                continue;
            const auto fallback = op.attrDefault(name);
            fact.level = fixed() || !fallback || !(*fallback == *value) ? fact.levels.front()
                                                                        : SketchLevel::Any;
            add(std::move(fact));
        }
    }

    void addOperand(ValueRef operand) {
        const TensorType& type = m_part.graph->type(operand);
        const Node& maker = m_part.node(operand.node);
        const std::string& name = m_part.names.at(operand);
        const auto start = [&](const char* what, std::string value) {
            SketchFact fact;
            fact.key = operandKey(m_part, operand, what);
            fact.node = operand.node;
            fact.what = fmt::format("{} of {}", what, name);
            fact.value = std::move(value);
            return fact;
        };
        if (const TensorData* data = m_part.graph->constant(operand)) {
            const auto elements = elementsOf(*data);
            SketchFact fact = start("value", elements ? firstLine(*elements) : "a constant");
            if (elements)
                fact.levels.push_back(SketchLevel::Exact);
            if (!(fixed() && data->count() == 1))
                fact.levels.insert(fact.levels.end(), {SketchLevel::Range, SketchLevel::Any});
            fact.level = data->count() == 1 ? fact.levels.front() : SketchLevel::Range;
            add(std::move(fact));
        } else if (maker.isInput()) {
            SketchFact fact = start("value", "an input of the graph");
            fact.levels = {SketchLevel::Exact, SketchLevel::Any};
            add(std::move(fact));
        }
        if (fixed())
            return; // its types are those of the operator
        SketchFact dtype = start("dtype", std::string(dtypeText(type.dtype)));
        dtype.levels = {SketchLevel::Exact, SketchLevel::Captured, SketchLevel::Any};
        add(std::move(dtype));
        SketchFact shape = start("shape", shapeText(type.shape));
        if (fixedExtents(type.shape))
            shape.levels.push_back(SketchLevel::Exact);
        shape.levels.insert(shape.levels.end(),
                            {SketchLevel::Range, SketchLevel::Captured, SketchLevel::Any});
        add(std::move(shape));
    }

    const SketchPart& m_part;
    const SketchWish& m_wish;
    std::vector<SketchFact> m_facts;
};

} // namespace

std::string attributeKey(const SketchPart& part, NodeId node, const std::string& attribute) {
    return fmt::format("{}.{}", part.labels.at(node), attribute);
}

std::string operandKey(const SketchPart& part, ValueRef operand, const char* what) {
    return fmt::format("{}.{}", part.names.at(operand), what);
}

std::vector<SketchFact> factsOf(const SketchPart& part, const SketchWish& wish) {
    return Collector(part, wish).collect();
}

SketchWords::SketchWords(const SketchPart& part, const std::vector<SketchFact>& facts,
                         SketchKind kind, std::map<ValueRef, std::string> types)
    : m_part(part), m_types(std::move(types)) {
    for (const auto& [value, name] : part.names)
        m_names.insert(name);
    const auto take = [&](const std::string& wish) {
        std::string name = wish;
        for (int n = 2; !m_names.insert(name).second; ++n)
            name = fmt::format("{}{}", wish, n);
        return name;
    };
    int dtypes = 0, dims = 0;
    for (const SketchFact& fact : facts) {
        m_facts.emplace(fact.key, &fact);
        if (fact.level == SketchLevel::Captured) {
            const std::string what = fact.what.substr(0, fact.what.find(' '));
            if (what == "dtype") {
                ++dtypes;
                m_captures[fact.key] = take(dtypes == 1 ? "T" : fmt::format("T{}", dtypes));
            } else if (what == "shape") {
                std::string list;
                const std::size_t rank = static_cast<std::size_t>(std::count(
                                             fact.value.begin(), fact.value.end(), ',')) +
                                         (fact.value == "[]" ? 0 : 1);
                for (std::size_t i = 0; i < rank; ++i)
                    list += (i > 0 ? ", " : "") + take(fmt::format("D{}", dims++));
                m_captures[fact.key] = list;
            } else {
                m_captures[fact.key] = take(what);
            }
        }
    }
    if (kind == SketchKind::Rule)
        for (const NodeId id : part.nodes)
            for (const std::string& name :
                 part.graph->operators().find(part.node(id).op)->attrNames())
                if (const SketchFact* one = fact(attributeKey(part, id, name));
                    (one == nullptr || one->level == SketchLevel::Any ||
                     one->level == SketchLevel::Range) &&
                    !m_rest.contains(id))
                    m_rest[id] = take("a");
}

const SketchFact* SketchWords::fact(const std::string& key) const {
    const auto found = m_facts.find(key);
    return found == m_facts.end() ? nullptr : found->second;
}

std::string SketchWords::attributes(NodeId node) const {
    const Node& of = m_part.node(node);
    const Operator& op = *m_part.graph->operators().find(of.op);
    std::string out;
    const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
    for (const std::string& name : op.attrNames()) {
        const std::string key = attributeKey(m_part, node, name);
        const SketchFact* one = fact(key);
        if (one == nullptr)
            continue;
        const auto value = valueOf(of, op, name);
        if (one->level == SketchLevel::Exact)
            add(fmt::format("{} = {}", name, attrText(*value)));
        if (one->level == SketchLevel::Range) {
            const auto span = spanOf(*m_part.graph, op, name);
            add(fmt::format("{} in {}..{}", name, numberText(span->first),
                            numberText(span->second)));
        }
        if (one->level == SketchLevel::Captured) {
            const std::string& capture = m_captures.at(key);
            add(capture == name ? name : fmt::format("{} = {}", name, capture));
        }
    }
    if (const auto rest = m_rest.find(node); rest != m_rest.end())
        add("*" + rest->second);
    return out.empty() ? out : " {" + out + "}";
}

std::string SketchWords::again(NodeId node) const {
    const Node& of = m_part.node(node);
    const Operator& op = *m_part.graph->operators().find(of.op);
    std::string out;
    const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
    if (const auto rest = m_rest.find(node); rest != m_rest.end()) {
        add("*" + rest->second);
    } else {
        for (const std::string& name : op.attrNames()) {
            const std::string key = attributeKey(m_part, node, name);
            const SketchFact* one = fact(key);
            if (one != nullptr && one->level == SketchLevel::Exact)
                add(fmt::format("{} = {}", name, attrText(*valueOf(of, op, name))));
            if (one != nullptr && one->level == SketchLevel::Captured)
                add(fmt::format("{} = {}", name, m_captures.at(key)));
        }
    }
    return out.empty() ? out : " {" + out + "}";
}

std::string SketchWords::constraint(ValueRef operand) const {
    std::string out;
    const auto add = [&](const std::string& text) { out += (out.empty() ? ": " : " & ") + text; };
    if (const SketchFact* value = fact(operandKey(m_part, operand, "value"))) {
        if (const TensorData* data = m_part.graph->constant(operand)) {
            if (value->level == SketchLevel::Exact)
                add("const " + *elementsOf(*data));
            if (value->level == SketchLevel::Range)
                add("const");
        } else if (value->level == SketchLevel::Exact) {
            add("input");
        }
    }
    if (const auto type = m_types.find(operand); type != m_types.end()) {
        add(type->second);
        return out;
    }
    const std::string dtypeKey = operandKey(m_part, operand, "dtype");
    const std::string shapeKey = operandKey(m_part, operand, "shape");
    const SketchFact* dtype = fact(dtypeKey);
    const SketchFact* shape = fact(shapeKey);
    if (dtype->level == SketchLevel::Any && shape->level == SketchLevel::Any)
        return out;
    std::string type = dtype->level == SketchLevel::Exact      ? dtype->value
                       : dtype->level == SketchLevel::Captured ? m_captures.at(dtypeKey)
                                                               : "any";
    const Shape& extents = m_part.graph->type(operand).shape;
    if (shape->level == SketchLevel::Exact)
        type += shapeText(extents);
    if (shape->level == SketchLevel::Captured)
        type += "[" + m_captures.at(shapeKey) + "]";
    if (shape->level == SketchLevel::Range) {
        std::string list;
        for (std::size_t i = 0; i < extents.size(); ++i)
            list += i > 0 ? ", any" : "any";
        type += "[" + list + "]";
    }
    add(type);
    return out;
}

} // namespace fw
