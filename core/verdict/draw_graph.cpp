#include "verdict/draw_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fw {

namespace {

constexpr std::size_t mostNodes = 40;
constexpr std::size_t mostTerms = 64; // literals that are kept

void addLiterals(const Tree& tree, double sign, Literals& out) {
    if (tree.kind == TreeKind::Int && out.integers.size() < mostTerms) {
        if (tree.integer >= 1 && tree.integer <= 64)
            out.integers.push_back(tree.integer);
        out.reals.push_back(sign * static_cast<double>(tree.integer));
    } else if (tree.kind == TreeKind::Float && out.reals.size() < mostTerms) {
        out.reals.push_back(sign * tree.real);
    }
    const bool negative = tree.kind == TreeKind::Unary && tree.text == "-";
    for (const Tree& part : tree.args)
        addLiterals(part, negative ? -sign : sign, out);
}

void addLiterals(const PatternTree& p, Literals& out) {
    for (const PatternAttrTree& attr : p.attrs)
        for (const Tree* tree : {&attr.value, &attr.low, &attr.high, &attr.among})
            if (tree->span.end > tree->span.begin)
                addLiterals(*tree, 1, out);
    for (const PatternConstraint& one : p.constraints) {
        for (const Tree& dim : one.dims)
            addLiterals(dim, 1, out);
        if (one.kind == PatternConstraint::Kind::Equal)
            addLiterals(one.value, 1, out);
    }
    for (const PatternTree& part : p.args)
        addLiterals(part, out);
}

// The operators of a kind that are drawn: element-wise ones, by how many operands they take.
constexpr std::array<std::string_view, 4> unaryOperators = {"relu", "neg", "tanh", "abs"};
constexpr std::array<std::string_view, 3> binaryOperators = {"add", "mul", "sub"};

} // namespace

Literals literalsOf(const RuleTree& rule, const std::vector<NamedPattern>& patterns) {
    Literals out;
    for (const NamedPattern& named : patterns)
        addLiterals(named.pattern, out);
    for (const ConditionTree& condition : rule.where)
        addLiterals(condition.tree, 1, out);
    return out;
}

TensorData drawnData(Random& random, const Literals& literals, const TensorType& type, bool whole) {
    std::vector<std::int64_t> extents;
    std::size_t count = 1;
    for (const Dim& dim : type.shape) {
        extents.push_back(dim.asInt().value_or(0));
        count *= static_cast<std::size_t>(extents.back());
    }
    const std::size_t form = whole ? 0 : random.below(6);
    const auto number = [&]() -> double {
        if (type.dtype == DType::Bool)
            return static_cast<double>(random.below(2));
        if (!isFloat(type.dtype) || form == 0)
            return static_cast<double>(random.between(form == 1 ? 0 : -3, 3));
        if (form == 1 || form == 2)
            return 0.25 + 2 * random.unit();
        if (form == 3 && random.chance(20))
            return 0;
        return 4 * random.unit() - 2;
    };
    double all = number();
    if (!whole && !literals.reals.empty() && random.chance(40))
        all = random.pick(literals.reals);
    std::vector<double> values(count);
    for (double& value : values)
        value = form == 5 ? all : number();
    return dataFromDoubles(type.dtype, extents, values);
}

std::optional<GraphPtr> GraphDrawer::draw() {
    m_editor.emplace(m_operators, "drawn");
    m_work += m_calls ? m_calls->asked() : 0;
    m_calls.emplace(m_random, m_literals);
    m_real = m_random.chance(25) ? DType::F64 : DType::F32;
    m_values.clear();
    m_terms.names.clear();
    m_leaves = 0;
    const Previous none = [] { return std::optional<Part>(); };
    std::vector<ValueRef> roots;
    for (const NamedPattern& named : m_patterns) {
        const auto part = build(named.pattern, none);
        const auto value = part ? valueOf(*part) : std::nullopt;
        if (!value)
            return std::nullopt;
        m_values[named.name] = *value;
        roots.push_back(*value);
    }
    for (std::size_t i = 0; i < roots.size(); ++i)
        m_editor->addResult(m_patterns[i].name, roots[i]);
    Result<GraphPtr> graph = m_editor->finish();
    return graph ? std::optional(graph.take()) : std::nullopt;
}

std::optional<GraphDrawer::Part> GraphDrawer::build(const PatternTree& p,
                                                    const Previous& previous) {
    switch (p.kind) {
    case PatternKind::Previous:
        return previous();
    case PatternKind::Capture:
        if (const auto known = m_values.find(p.name); known != m_values.end())
            return Part{known->second, nullptr, {}};
        return Part{{}, &p, {&p}};
    case PatternKind::Any:
    case PatternKind::Const:
    case PatternKind::Not: // whatever it is not: an operand is most
        return Part{{}, &p, {}};
    case PatternKind::Bind: {
        if (const auto known = m_values.find(p.name); known != m_values.end())
            return Part{known->second, nullptr, {}};
        auto part = build(p.args[0], previous);
        if (part && part->hole != nullptr)
            part->names.push_back(&p);
        else if (part)
            m_values[p.name] = part->value;
        return part;
    }
    case PatternKind::Call: {
        if (!p.ofKind)
            return call(p, p.name, previous);
        const auto op = operatorOfKind(p.name, p.args.size());
        return op ? call(p, *op, previous) : std::nullopt;
    }
    case PatternKind::Sequence:
        return sequence(p, previous);
    case PatternKind::Alternatives:
        return build(p.args[m_random.below(p.args.size())], previous);
    case PatternKind::Optional:
        return m_random.chance(50) ? build(p.args[0], previous) : previous();
    case PatternKind::Repeat:
        return repeated(p, previous);
    case PatternKind::Output: {
        auto part = build(p.args[0], previous);
        if (!part || part->hole != nullptr)
            return std::nullopt;
        const std::size_t count = m_editor->find(part->value.node)->outputs.size();
        part->value.output =
            static_cast<int>(p.low < 0 ? m_random.below(count) : static_cast<std::size_t>(p.low));
        return part->value.output < static_cast<int>(count) ? part : std::nullopt;
    }
    case PatternKind::Dominated:
        return dominated(p, previous);
    case PatternKind::Associative:
        return associative(p, previous);
    case PatternKind::Rest:
        break;
    }
    return std::nullopt;
}

std::optional<GraphDrawer::Part> GraphDrawer::sequence(const PatternTree& p,
                                                       const Previous& previous) {
    std::optional<Part> last;
    for (std::size_t i = 0; i < p.args.size(); ++i) {
        const Previous before = i == 0 ? previous : Previous([&] { return last; });
        auto part = build(p.args[i], before);
        if (!part)
            return std::nullopt;
        if (i + 1 < p.args.size()) { // it may be read several times
            const auto value = valueOf(*part);
            if (!value)
                return std::nullopt;
            part = Part{*value, nullptr, {}};
        }
        last = std::move(part);
    }
    return last;
}

std::optional<GraphDrawer::Part> GraphDrawer::repeated(const PatternTree& p,
                                                       const Previous& previous) {
    const std::int64_t count = m_random.between(p.low, std::min(p.high, p.low + 2));
    std::optional<Part> last = previous();
    const auto outside = m_values;
    for (std::int64_t i = 0; i < count && last; ++i) {
        const auto value = valueOf(*last);
        if (!value)
            return std::nullopt;
        m_values = outside; // every repetition has names of its own
        last = build(p.args[0], [&] { return Part{*value, nullptr, {}}; });
    }
    return last;
}

std::optional<GraphDrawer::Part> GraphDrawer::dominated(const PatternTree& p,
                                                        const Previous& previous) {
    const auto begin = build(p.args[0], previous);
    const auto base = begin ? valueOf(*begin) : std::nullopt;
    if (!base)
        return std::nullopt;
    const Previous path = [&]() -> std::optional<Part> {
        std::optional<Part> out = Part{*base, nullptr, {}};
        for (std::size_t step = m_random.below(3); step > 0 && out; --step) {
            const Part before = *out;
            out = build(p.args[1], [&] { return before; });
        }
        return out;
    };
    return build(p.args[2], path);
}

std::optional<GraphDrawer::Part> GraphDrawer::associative(const PatternTree& p,
                                                          const Previous& previous) {
    std::vector<Part> parts;
    for (const PatternTree& arg : p.args) {
        const bool rest = arg.kind == PatternKind::Rest;
        for (std::size_t count = rest ? m_random.below(3) : 1; count > 0; --count) {
            auto part = rest && arg.args.empty() ? Part{{}, &arg, {}}
                                                 : build(rest ? arg.args[0] : arg, previous);
            if (!part)
                return std::nullopt;
            parts.push_back(std::move(*part));
        }
    }
    while (parts.size() > 1) {
        const std::size_t at = m_random.below(parts.size() - 1);
        const auto sum = add(p.name, {parts[at], parts[at + 1]}, {}, nullptr);
        if (!sum)
            return std::nullopt;
        parts[at] = Part{sum->front(), nullptr, {}};
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    return parts.empty() ? std::nullopt : std::optional(parts.front());
}

std::optional<GraphDrawer::Part> GraphDrawer::call(const PatternTree& p, const std::string& op,
                                                   const Previous& previous) {
    const Operator* known = m_operators->find(op);
    if (known == nullptr)
        return std::nullopt;
    std::vector<Part> operands;
    for (const PatternTree& arg : p.args) {
        if (arg.kind != PatternKind::Rest) {
            auto part = build(arg, previous);
            if (!part)
                return std::nullopt;
            operands.push_back(std::move(*part));
            continue;
        }
        // On a path "..." hands on what leads up to it.
        if (arg.args.empty() && p.args.size() == 1)
            if (auto part = previous())
                operands.push_back(std::move(*part));
        const std::size_t others = p.args.size() - 1;
        const std::size_t least = known->arity().least;
        const std::size_t present =
            operands.size() + (others - static_cast<std::size_t>(&arg - p.args.data()));
        std::size_t count = present < least ? least - present : 0;
        while (known->arity().takes(present + count + 1) && count < 3 && m_random.chance(40))
            ++count;
        for (; count > 0; --count) {
            const auto outside = m_values;
            auto part = arg.args.empty() ? Part{{}, &arg, {}} : build(arg.args[0], previous);
            if (!part)
                return std::nullopt;
            if (part->hole != nullptr)
                part->names.clear();
            m_values = outside;
            operands.push_back(std::move(*part));
        }
    }
    auto attrs = attributesFrom(p, *known);
    if (!attrs)
        return std::nullopt;
    const auto values = add(op, std::move(operands), std::move(*attrs), &p);
    return values ? std::optional(Part{values->front(), nullptr, {}}) : std::nullopt;
}

std::optional<std::vector<ValueRef>> GraphDrawer::add(const std::string& op,
                                                      std::vector<Part> operands, Attrs attrs,
                                                      const PatternTree* attributes) {
    WantedCall wanted;
    wanted.op = m_operators->find(op);
    if (wanted.op == nullptr || !wanted.op->arity().takes(operands.size()) ||
        static_cast<std::size_t>(m_editor->nextId()) > mostNodes)
        return std::nullopt;
    wanted.attrs = std::move(attrs);
    wanted.real = m_real;
    for (const Part& part : operands)
        wanted.operands.push_back(part.hole == nullptr ? m_editor->type(part.value)
                                                       : typeFrom(*part.hole));
    const auto drawn = m_calls->draw(wanted);
    if (!drawn)
        return std::nullopt;
    GraphEditor::NewNode node;
    node.op = op;
    node.attrs = drawn->attrs;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const auto value = fill(operands[i], *drawn->inputs[i]);
        if (!value)
            return std::nullopt;
        node.inputs.push_back(*value);
    }
    Result<std::vector<ValueRef>> values = m_editor->add(std::move(node));
    if (!values)
        return std::nullopt;
    if (attributes != nullptr)
        bindNames(*attributes, *m_editor->find(values->front().node));
    return values.take();
}

std::optional<ValueRef> GraphDrawer::valueOf(const Part& part) {
    if (part.hole == nullptr)
        return part.value;
    const auto type = typeFrom(*part.hole);
    return fill(part, type ? *type : m_calls->type(m_real));
}

std::optional<ValueRef> GraphDrawer::fill(const Part& part, const TensorType& type) {
    if (part.hole == nullptr)
        return part.value;
    for (const PatternTree* named : part.names) // two operands of one call
        if (const auto known = m_values.find(named->name); known != m_values.end())
            return m_editor->type(known->second) == type ? std::optional(known->second)
                                                         : std::nullopt;
    const PatternTree& hole = *part.hole;
    std::optional<Tree> equal;
    bool constant = hole.kind == PatternKind::Const || hole.demandsConst();
    for (const PatternConstraint& one : hole.constraints)
        if (one.kind == PatternConstraint::Kind::Equal)
            equal = one.value;
    for (const PatternTree* named : part.names)
        constant = constant || named->demandsConst();
    ValueRef value;
    const std::string name = fmt::format("v{}", m_leaves++);
    if (equal) {
        const auto term = evaluate(*equal, m_terms);
        std::vector<double> all;
        if (const auto* number = term ? std::get_if<double>(&*term) : nullptr)
            all = {*number};
        else if (const auto* integer = term ? std::get_if<Expr>(&*term) : nullptr)
            all = {static_cast<double>(integer->asInt().value_or(0))};
        else
            return std::nullopt;
        std::size_t count = 1;
        std::vector<std::int64_t> extents;
        for (const Dim& dim : type.shape) {
            extents.push_back(dim.asInt().value_or(0));
            count *= static_cast<std::size_t>(extents.back());
        }
        all.resize(count, all.front());
        value = m_editor->addConstant(name, dataFromDoubles(type.dtype, extents, all));
    } else if (constant || m_random.chance(15)) {
        value = m_editor->addConstant(name, drawnData(m_random, m_literals, type));
    } else {
        value = m_editor->addInput(name, type);
    }
    for (const PatternTree* named : part.names)
        m_values[named->name] = value;
    return value;
}

bool GraphDrawer::shapeFrom(const std::vector<Tree>& dims, Shape& shape) {
    for (const Tree& dim : dims) {
        const bool pack = dim.kind == TreeKind::Pack;
        const Tree& tree = pack && !dim.args.empty() ? dim.args[0] : dim;
        const bool nameless = (pack && dim.args.empty()) || dim.isName("any");
        if (nameless || (tree.isName() && !m_terms.names.contains(tree.text))) {
            Exprs drawn;
            for (std::size_t count = pack ? m_random.below(3) : 1; count > 0; --count)
                drawn.emplace_back(m_calls->extent());
            if (!nameless && pack)
                m_terms.names[tree.text] = drawn;
            else if (!nameless)
                m_terms.names[tree.text] = drawn.front();
            shape.insert(shape.end(), drawn.begin(), drawn.end());
            continue;
        }
        const auto term = evaluate(tree, m_terms);
        if (const auto* one = term ? std::get_if<Expr>(&*term) : nullptr)
            shape.push_back(*one);
        else if (const auto* list = term ? std::get_if<Exprs>(&*term) : nullptr)
            shape.insert(shape.end(), list->begin(), list->end());
        else
            return false;
    }
    return true;
}

std::optional<TensorType> GraphDrawer::typeFrom(const PatternTree& hole) {
    for (const PatternConstraint& one : hole.constraints) {
        if (one.kind == PatternConstraint::Kind::Same)
            if (const auto known = m_values.find(one.name); known != m_values.end())
                return m_editor->type(known->second);
        if (one.kind != PatternConstraint::Kind::Type)
            continue;
        TensorType out;
        out.dtype = parseDtype(one.name).value_or(m_real);
        if (one.hasShape ? shapeFrom(one.dims, out.shape) : false)
            return out;
        if (!one.hasShape && parseDtype(one.name))
            return m_calls->type(out.dtype);
    }
    return std::nullopt;
}

std::optional<Attrs> GraphDrawer::attributesFrom(const PatternTree& call, const Operator& op) {
    Attrs out;
    const auto set = [&](const std::string& name, const Tree& tree) {
        const auto term = evaluate(tree, m_terms);
        auto value = term ? attributeOf(*term) : std::nullopt;
        if (const auto* integer = value ? std::get_if<std::int64_t>(&*value) : nullptr;
            integer != nullptr && op.attrType(name) == AttrType::Float)
            value = static_cast<double>(*integer);
        if (value)
            out.set(name, *value);
        return value.has_value();
    };
    for (const PatternAttrTree& attr : call.attrs)
        switch (attr.kind) {
        case PatternAttrTree::Kind::Equal:
            if (const auto all = m_terms.names.find(attr.value.text);
                !attr.value.isName() || all != m_terms.names.end() || !isFreeName(attr.value))
                set(attr.name, attr.value);
            break;
        case PatternAttrTree::Kind::Among:
            if (!attr.among.args.empty() &&
                !set(attr.name, attr.among.args[m_random.below(attr.among.args.size())]))
                return std::nullopt;
            break;
        case PatternAttrTree::Kind::Range: {
            Tree end = m_random.chance(50) ? attr.low : attr.high;
            if (!set(attr.name, end))
                return std::nullopt;
            break;
        }
        case PatternAttrTree::Kind::Capture:
            if (const auto known = m_terms.names.find(attr.name); known != m_terms.names.end())
                if (const auto value = attributeOf(known->second))
                    out.set(attr.name, *value);
            break;
        case PatternAttrTree::Kind::All: // the attributes of another operator of this name
            if (const auto other = m_values.find("{" + attr.name + "}"); other != m_values.end())
                for (const auto& [name, value] : m_editor->find(other->second.node)->attrs)
                    out.set(name, value);
            break;
        }
    return out;
}

void GraphDrawer::bindNames(const PatternTree& call, const Node& node) {
    const Operator& op = *m_operators->find(node.op);
    for (const PatternAttrTree& attr : call.attrs) {
        if (attr.kind == PatternAttrTree::Kind::All) {
            m_values.emplace("{" + attr.name + "}", ValueRef{node.id, 0});
            continue;
        }
        const bool captures = attr.kind == PatternAttrTree::Kind::Capture;
        if (!captures && !(attr.kind == PatternAttrTree::Kind::Equal && attr.value.isName()))
            continue;
        const AttrValue* written = node.attrs.find(attr.name);
        const auto value = written != nullptr ? std::optional(*written) : op.attrDefault(attr.name);
        if (auto term = value ? fw::valueOf(*value) : std::nullopt)
            m_terms.names.emplace(captures ? attr.name : attr.value.text, std::move(*term));
    }
}

std::optional<std::string> GraphDrawer::operatorOfKind(const std::string& kind,
                                                       std::size_t operands) {
    if (kind != "elementwise" && kind != "broadcast" && kind != "opaque")
        return std::nullopt;
    const bool two = kind != "elementwise" && operands > 1;
    return std::string(two ? binaryOperators[m_random.below(binaryOperators.size())]
                           : unaryOperators[m_random.below(unaryOperators.size())]);
}

} // namespace fw
