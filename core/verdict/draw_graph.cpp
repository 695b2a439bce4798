#include "verdict/draw_graph.h"

#include "verdict/fitting_calls.h"
#include "verdict/vary_graph.h"

#include <algorithm>
#include <utility>

namespace fw {

namespace {

constexpr std::size_t mostNodes = 40;

bool isCall(const PatternTree& p) {
    return p.kind == PatternKind::Call || (p.kind == PatternKind::Bind && isCall(p.args[0]));
}

} // namespace

namespace {

// How often each operator is called. False: what is matched may be something else than it says, one
// of several things or of any number of operators.
bool countCalls(const PatternTree& p, std::map<std::string, int>& calls) {
    switch (p.kind) {
    case PatternKind::Call:
        ++calls[p.name];
        break;
    case PatternKind::Bind:
    case PatternKind::Capture:
    case PatternKind::Any:
    case PatternKind::Const:
        break;
    default:
        return false;
    }
    return !p.ofKind && std::all_of(p.args.begin(), p.args.end(), [&](const PatternTree& part) {
        return countCalls(part, calls);
    });
}

// Whether the numbers and the element type that a constraint writes are not those of the type.
bool isOther(const PatternTree& p, const TensorType& type) {
    return std::any_of(p.constraints.begin(), p.constraints.end(), [&](const auto& one) {
        if (one.kind != PatternConstraint::Kind::Type)
            return false;
        if (const auto dtype = parseDtype(one.name); dtype && *dtype != type.dtype)
            return true;
        if (!one.hasShape || std::any_of(one.dims.begin(), one.dims.end(), [](const Tree& dim) {
                return dim.kind == TreeKind::Pack;
            }))
            return false;
        if (one.dims.size() != type.rank())
            return true;
        for (std::size_t i = 0; i < one.dims.size(); ++i)
            if (one.dims[i].kind == TreeKind::Int && !type.shape[i].isInt(one.dims[i].integer))
                return true;
        return false;
    });
}

} // namespace

void GraphDrawer::leaveWhatCannotMatch() {
    std::map<std::string, int> calls;
    if (!std::all_of(m_patterns.begin(), m_patterns.end(),
                     [&](const NamedPattern& named) { return countCalls(named.pattern, calls); }))
        return;
    for (const auto& [name, count] : calls)
        if (count == 1)
            m_calledOnce.insert(name);
}

void GraphDrawer::skip(std::uint64_t draws) {
    for (; draws > 0; --draws) {
        m_random = Random(seedOf(m_seed, m_draws++));
        (void)drawnType(); // types of integers come in turn
    }
}

std::optional<GraphPtr> GraphDrawer::draw() {
    m_cannotMatch = false;
    m_random = Random(seedOf(m_seed, m_draws++));
    m_editor.emplace(m_operators, "drawn");
    m_work += m_calls ? m_calls->asked() : 0;
    m_calls.emplace(m_random, m_literals, m_knownCalls);
    m_real = drawnType();
    m_values.clear();
    m_holes.clear();
    m_terms.names.clear();
    m_leaves = 0;
    const Previous none = [] { return std::optional<Drawn>(); };
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
    for (const std::string& name : m_exposed)
        if (const auto inner = m_values.find(name);
            inner != m_values.end() &&
            std::find(roots.begin(), roots.end(), inner->second) == roots.end() &&
            m_random.chance(75)) {
            m_editor->addResult(name, inner->second);
            roots.push_back(inner->second);
        }
    addOthers();
    Result<GraphPtr> graph = m_editor->finish();
    return graph ? named(**graph).value_or(*graph) : std::optional<GraphPtr>();
}

// Each of the type of some value that is there.
void GraphDrawer::addOthers() {
    for (const std::string& name : m_names.others) {
        const auto nodes = static_cast<std::size_t>(m_editor->nextId());
        const NodeId like = static_cast<NodeId>(m_random.below(nodes));
        m_editor->addInput(name, m_editor->type({like, 0}));
    }
}

std::optional<GraphPtr> GraphDrawer::named(const Graph& graph) {
    std::map<NodeId, std::string> names;
    for (const auto& [bound, some] : m_names.bound)
        if (const auto value = m_values.find(bound); value != m_values.end())
            names[value->second.node] = m_random.pick(some);
    if (names.empty())
        return std::nullopt;
    for (const auto& [id, name] : names) {
        const std::string& leaf = graph.node(id).outputs[0].name;
        if (const auto hole = m_holes.find(leaf); hole != m_holes.end())
            m_holes[name] = hole->second;
    }
    return renamedGraph(graph, names);
}

DType GraphDrawer::drawnType() {
    if (!m_literals.dtypes.empty() && m_random.chance(30)) // conditions may ask for it
        return m_random.pick(m_literals.dtypes);
    if (!m_random.chance(20))
        return m_random.chance(25) ? DType::F64 : DType::F32;
    const DType integers[] = {DType::I64, DType::U8, DType::I32, DType::I8};
    return integers[m_ofIntegers++ % std::size(integers)];
}

std::optional<GraphDrawer::Drawn> GraphDrawer::build(const PatternTree& p,
                                                     const Previous& previous) {
    switch (p.kind) {
    case PatternKind::Previous:
        return previous();
    case PatternKind::Capture:
        if (const auto known = m_values.find(p.name); known != m_values.end())
            return Drawn{known->second, nullptr, {}};
        return Drawn{{}, &p, {&p}};
    case PatternKind::Any:
    case PatternKind::Const:
    case PatternKind::Not: // whatever it is not: an operand is most
        return Drawn{{}, &p, {}};
    case PatternKind::Bind:
        return bound(p, previous);
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
    case PatternKind::Output:
        return output(p, previous);
    case PatternKind::Dominated:
        return dominated(p, previous);
    case PatternKind::Associative:
        return associative(p, previous);
    case PatternKind::Rest:
        break;
    }
    return std::nullopt;
}

std::optional<GraphDrawer::Drawn> GraphDrawer::bound(const PatternTree& p,
                                                     const Previous& previous) {
    if (p.result >= 0) {
        auto part = build(p.args[0], previous);
        if (!part || part->hole != nullptr ||
            p.result >= static_cast<int>(m_editor->find(part->value.node)->outputs.size()))
            return std::nullopt;
        const ValueRef named{part->value.node, p.result};
        return m_values.emplace(p.name, named).first->second == named ? part : std::nullopt;
    }
    if (const auto known = m_values.find(p.name); known != m_values.end())
        return Drawn{known->second, nullptr, {}};
    auto part = build(p.args[0], previous);
    if (part && part->hole != nullptr)
        part->names.push_back(&p);
    else if (part)
        m_values[p.name] = part->value;
    return part;
}

std::optional<GraphDrawer::Drawn> GraphDrawer::output(const PatternTree& p,
                                                      const Previous& previous) {
    auto part = build(p.args[0], previous);
    if (!part || part->hole != nullptr)
        return std::nullopt;
    const std::size_t count = m_editor->find(part->value.node)->outputs.size();
    part->value.output =
        static_cast<int>(p.low < 0 ? m_random.below(count) : static_cast<std::size_t>(p.low));
    return part->value.output < static_cast<int>(count) ? part : std::nullopt;
}

std::optional<GraphDrawer::Drawn> GraphDrawer::sequence(const PatternTree& p,
                                                        const Previous& previous) {
    std::optional<Drawn> last;
    for (std::size_t i = 0; i < p.args.size(); ++i) {
        const Previous before = i == 0 ? previous : Previous([&] { return last; });
        auto part = build(p.args[i], before);
        if (!part)
            return std::nullopt;
        if (i + 1 < p.args.size()) { // it may be read several times
            const auto value = valueOf(*part);
            if (!value)
                return std::nullopt;
            part = Drawn{*value, nullptr, {}};
        }
        last = std::move(part);
    }
    return last;
}

std::optional<GraphDrawer::Drawn> GraphDrawer::repeated(const PatternTree& p,
                                                        const Previous& previous) {
    const std::int64_t count = m_random.between(p.low, std::min(p.high, p.low + 2));
    std::optional<Drawn> last = previous();
    const auto outside = m_values;
    for (std::int64_t i = 0; i < count && last; ++i) {
        const auto value = valueOf(*last);
        if (!value)
            return std::nullopt;
        m_values = outside; // every repetition has names of its own
        last = build(p.args[0], [&] { return Drawn{*value, nullptr, {}}; });
    }
    return last;
}

std::optional<GraphDrawer::Drawn> GraphDrawer::dominated(const PatternTree& p,
                                                         const Previous& previous) {
    const auto begin = build(p.args[0], previous);
    const auto base = begin ? valueOf(*begin) : std::nullopt;
    if (!base)
        return std::nullopt;
    const Previous path = [&]() -> std::optional<Drawn> {
        std::optional<Drawn> out = Drawn{*base, nullptr, {}};
        for (std::size_t step = m_random.below(3); step > 0 && out; --step) {
            const Drawn before = *out;
            out = build(p.args[1], [&] { return before; });
        }
        return out;
    };
    return build(p.args[2], path);
}

std::optional<GraphDrawer::Drawn> GraphDrawer::associative(const PatternTree& p,
                                                           const Previous& previous) {
    std::vector<Drawn> parts;
    for (const PatternTree& arg : p.args) {
        const bool rest = arg.kind == PatternKind::Rest;
        for (std::size_t count = rest ? m_random.below(3) : 1; count > 0; --count) {
            auto part = rest && arg.args.empty() ? Drawn{{}, &arg, {}}
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
        parts[at] = Drawn{sum->front(), nullptr, {}};
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    return parts.empty() ? std::nullopt : std::optional(parts.front());
}

std::optional<GraphDrawer::Drawn> GraphDrawer::call(const PatternTree& p, const std::string& op,
                                                    const Previous& previous) {
    const Operator* known = m_operators->find(op);
    if (known == nullptr)
        return std::nullopt;
    const std::optional<std::size_t> rank = std::exchange(m_rank, std::nullopt);
    const bool rest = std::any_of(p.args.begin(), p.args.end(), [](const PatternTree& arg) {
        return arg.kind == PatternKind::Rest;
    });
    std::vector<Drawn> operands;
    for (const PatternTree& arg : p.args) {
        if (arg.kind != PatternKind::Rest) {
            if (!rest && known->arity().takes(p.args.size()) && isCall(arg))
                m_rank = rankOf(*known, p.args.size(), operands.size());
            auto part = build(arg, previous);
            m_rank.reset();
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
            auto part = arg.args.empty() ? Drawn{{}, &arg, {}} : build(arg.args[0], previous);
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
    const auto values = add(op, std::move(operands), std::move(*attrs), &p, rank);
    if (!values)
        return std::nullopt;
    m_cannotMatch = m_calledOnce.contains(op) && isOther(p, m_editor->type(values->front()));
    return m_cannotMatch ? std::nullopt : std::optional(Drawn{values->front(), nullptr, {}});
}

const std::vector<OpCall>* GraphDrawer::fittingOf(const Operator& op, std::size_t operands) {
    auto& fitting = m_fitting[{&op, operands}];
    if (!fitting)
        fitting = fittingCalls(op, operands);
    return fitting.get();
}

std::optional<std::size_t> GraphDrawer::rankOf(const Operator& op, std::size_t operands,
                                               std::size_t which) {
    constexpr std::size_t least = 3; // calls: of fewer chance says it
    const std::vector<OpCall>& calls = *fittingOf(op, operands);
    std::optional<std::size_t> out;
    for (const OpCall& call : calls) {
        const auto& type = call.inputs[which];
        if (!type || (out && *out != type->shape.size()))
            return std::nullopt;
        out = type->shape.size();
    }
    return calls.size() >= least ? out : std::nullopt;
}

std::optional<std::vector<ValueRef>> GraphDrawer::add(const std::string& op,
                                                      std::vector<Drawn> operands, Attrs attrs,
                                                      const PatternTree* attributes,
                                                      std::optional<std::size_t> rank) {
    WantedCall wanted;
    wanted.op = m_operators->find(op);
    if (wanted.op == nullptr || !wanted.op->arity().takes(operands.size()) ||
        static_cast<std::size_t>(m_editor->nextId()) > mostNodes)
        return std::nullopt;
    wanted.attrs = std::move(attrs);
    if (attributes != nullptr)
        wanted.lists = listsFrom(*attributes);
    wanted.real = m_real;
    wanted.attempts = m_attempts;
    wanted.alike = fittingOf(*wanted.op, operands.size());
    wanted.rank = rank;
    for (const Drawn& part : operands) {
        wanted.operands.push_back(part.hole == nullptr ? m_editor->type(part.value)
                                                       : typeFrom(*part.hole));
        wanted.dtypes.push_back(part.hole == nullptr ? std::nullopt : dtypeFrom(*part.hole));
    }
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
    if (!values || values->empty()) // of a call without a body nothing is known
        return std::nullopt;
    if (attributes != nullptr)
        bindNames(*attributes, *m_editor->find(values->front().node));
    return values.take();
}

// Any that takes so many operands of one type and is of the kind then.
std::optional<std::string> GraphDrawer::operatorOfKind(const std::string& kind,
                                                       std::size_t operands) {
    const auto [known, isNew] = m_ofKind.try_emplace({kind, operands});
    const auto wanted = parseKind(kind);
    if (isNew && wanted)
        for (const Operator* op : m_operators->all()) {
            OpCall call;
            call.inputs.assign(operands, TensorType{DType::F32, {Dim(2), Dim(3)}});
            if (!op->arity().takes(operands) || !op->infer(call))
                continue;
            if (const Result<Facts> facts = op->facts(call);
                facts && countsAs(patternKind(*facts), *wanted))
                known->second.push_back(op->name());
        }
    return known->second.empty() ? std::nullopt : std::optional(m_random.pick(known->second));
}

} // namespace fw
