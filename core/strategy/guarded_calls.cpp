#include "strategy/guarded_calls.h"

#include "strategy/special_values.h"
#include "syntax/declarations.h"
#include "syntax/op.h"
#include "syntax/parser.h"
#include "tensor/draw_values.h"
#include "tensor/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fw {

namespace {

constexpr double mostWork = 3e5;                       // operations of one call
constexpr std::int64_t mostElements = 20000;           // of one operand
constexpr std::int64_t extents[] = {1, 2, 3, 4, 5, 7}; // odd ones, and no two multiples only
// What `word` joins: conjuncts of "&&", alternatives of "||".
void addParts(const ConditionTree& whole, const Tree& tree, std::string_view word,
              std::vector<ConditionTree>& out) {
    if (tree.kind == TreeKind::Binary && tree.text == word) {
        for (const Tree& part : tree.args)
            addParts(whole, part, word, out);
        return;
    }
    const std::size_t begin = tree.span.begin - whole.tree.span.begin;
    out.push_back({tree, whole.text.substr(std::min(begin, whole.text.size()),
                                           tree.span.end - tree.span.begin)});
}

} // namespace

void GuardTerms::read(const Tree& tree) {
    static const std::set<std::string_view> ofConstants = {"const", "finite", "splat", "all",
                                                           "any",   "along",  "value"};
    if (tree.kind == TreeKind::Int && tree.integer <= 4096)
        integers.push_back(tree.integer);
    if (tree.kind == TreeKind::Int || tree.kind == TreeKind::Float)
        reals.push_back(tree.kind == TreeKind::Float ? tree.real
                                                     : static_cast<double>(tree.integer));
    if (tree.kind == TreeKind::Call && ofConstants.contains(tree.text))
        addNames(tree);
    for (const Tree& part : tree.args)
        read(part);
}

void GuardTerms::addNames(const Tree& tree) {
    if (tree.isName())
        constants.insert(tree.text);
    for (const Tree& part : tree.args)
        addNames(part);
}

GuardedCalls::GuardedCalls(const ComputedEntry& computed,
                           std::shared_ptr<const OperatorSet> operators, SignatureTree signature)
    : m_computed(computed), m_operators(std::move(operators)),
      m_op(*m_operators->find(computed.block->subject)), m_signature(std::move(signature)) {
    readRequired();
    if (!computed.entry->guard)
        return;
    const Tree& guard = computed.entry->guard->tree;
    m_ofGuard = askedValues({&guard});
    m_spoken.read(guard);
    addParts(*computed.entry->guard, guard, "&&", m_conjuncts);
    m_held.resize(m_conjuncts.size());
    for (std::size_t i = 0; i < m_conjuncts.size(); ++i)
        addAlternatives(i);
}

void GuardedCalls::readRequired() {
    const auto op = only<OpTree>(parseFile("op " + m_op.signature() + " {}", {}));
    if (!op)
        return;
    std::vector<const Tree*> conditions;
    for (const ConditionTree& one : op->requirements)
        conditions.push_back(&one.tree);
    for (const auto& [name, values] : askedValues(conditions))
        for (const TermValue& value : values)
            if (const auto* dtype = std::get_if<DType>(&value))
                m_required[name].push_back(*dtype);
}

DType GuardedCalls::dtypeOf(const std::string& name) {
    const auto required = m_required.find(name);
    const auto isUsual = [](DType one) {
        return one == DType::F32 || one == DType::F64 || one == DType::I64;
    };
    if (required != m_required.end() &&
        std::none_of(required->second.begin(), required->second.end(), isUsual))
        return oneOf(required->second);
    return chance(0.65) ? DType::F32 : chance(0.5) ? DType::F64 : DType::I64;
}

std::string GuardedCalls::neverHeld() const {
    for (std::size_t i = 0; i < m_held.size(); ++i)
        if (!m_held[i])
            return m_conjuncts[i].text;
    return {};
}

bool GuardedCalls::lacksAlternatives() const {
    return std::any_of(m_alternatives.begin(), m_alternatives.end(),
                       [](const Alternative& one) { return one.alone < wantedAlone; });
}

bool GuardedCalls::holdsWhatLacks(const DrawnCall& call) const {
    return std::any_of(call.alone.begin(), call.alone.end(), [&](std::size_t which) {
        return m_alternatives[which].alone < wantedAlone;
    });
}

void GuardedCalls::note(const DrawnCall& tried) {
    for (const std::size_t which : tried.alone)
        ++m_alternatives[which].alone;
}

std::optional<DrawnCall> GuardedCalls::draw() {
    const std::size_t turn = m_turn++ % (m_alternatives.size() + 1);
    m_asked = turn == 0 ? &m_ofGuard : &m_alternatives[turn - 1].asked;
    m_scope.names.clear();
    m_types.clear();
    DrawnCall out;
    GraphEditor editor(m_operators, "drawn");
    GraphEditor::NewNode node;
    node.op = m_op.name();
    for (const std::string& name : m_op.attrNames())
        if (const auto value = attribute(name)) {
            node.attrs.set(name, *value);
            if (auto term = valueOf(*value))
                m_scope.names.insert_or_assign(name, std::move(*term));
        }
    for (const ParamTree& param : m_signature.params) {
        if (param.optional && chance(0.5)) {
            node.inputs.emplace_back();
            continue;
        }
        for (int element = 0; element < (param.variadic ? 2 : 1); ++element) {
            const auto type = typeOf(param);
            if (!type)
                return std::nullopt;
            const auto count = elementCount(type->shape).asInt();
            if (!count || *count > mostElements)
                return std::nullopt;
            out.elements += *count;
            out.text +=
                fmt::format("{}{}: {}", out.text.empty() ? "" : ", ", param.name, type->text());
            const bool constant = chance(m_spoken.constants.contains(param.name) ? 0.8 : 0.15);
            if (constant)
                out.text += " const";
            node.inputs.push_back(constant
                                      ? editor.addConstant(param.name, dataOf(*type, chance(0.5)))
                                      : editor.addInput(param.name, *type));
        }
    }
    for (const auto& [name, value] : node.attrs)
        if (value != m_op.attrDefault(name))
            out.text += fmt::format(", {} = {}", name, attrText(value));
    const Result<std::vector<ValueRef>> results = editor.add(std::move(node));
    if (!results)
        return std::nullopt;
    const NodeId id = results->at(0).node;
    for (std::size_t i = 0; i < results->size(); ++i)
        editor.addResult(fmt::format("result{}", i), (*results)[i]);
    Result<GraphPtr> graph = editor.finish();
    if (!graph)
        return std::nullopt;
    out.graph = graph.take();
    out.node = &out.graph->node(id);
    return passes(out) ? std::optional(std::move(out)) : std::nullopt;
}

std::vector<TensorData> GuardedCalls::operands(const DrawnCall& call, bool whole) {
    std::vector<TensorData> out;
    for (const NodeId id : call.graph->inputs())
        out.push_back(dataOf(call.graph->type({id, 0}), whole));
    return out;
}

TensorData GuardedCalls::dataOf(const TensorType& type, bool whole) {
    if (!isInteger(type.dtype) || chance(0.3))
        return drawnData(m_values, {}, type,
                         whole || isInteger(type.dtype) ? DrawnValues::Whole : DrawnValues::Any);
    std::vector<std::int64_t> shape;
    std::size_t count = 1;
    for (const Dim& dim : type.shape) {
        shape.push_back(*dim.asInt());
        count *= static_cast<std::size_t>(shape.back());
    }
    std::vector<double> values(count);
    for (double& value : values)
        value = std::floor(3 * uniform());
    return dataFromDoubles(type.dtype, shape, values);
}

std::optional<TermValue> GuardedCalls::askedFor(const std::string& name) {
    const auto found = m_asked->find(name);
    if (found == m_asked->end() || (found->second.size() > 1 && chance(0.3)))
        return std::nullopt;
    return oneOf(found->second);
}

std::optional<AttrValue> GuardedCalls::attribute(const std::string& name) {
    if (const auto asked = askedFor(name))
        return attributeOf(*asked);
    const auto written = m_op.attrDefault(name);
    if (written && chance(0.6))
        return written;
    const auto number = [&] { return static_cast<std::int64_t>(uniform() * 4); };
    switch (m_op.attrType(name).value_or(AttrType::Any)) {
    case AttrType::Int:
        return number() - (chance(0.2) ? 2 : 0);
    case AttrType::Bool:
        return std::int64_t(chance(0.5));
    case AttrType::Float:
        return !m_spoken.reals.empty() && chance(0.6)
                   ? oneOf(m_spoken.reals) + oneOf(std::array{0.0, 0.5, -0.5, uniform()})
                   : drawnReal(m_values);
    case AttrType::IntList:
    case AttrType::Dims: {
        std::size_t count = static_cast<std::size_t>(number());
        if (const auto* list = written ? std::get_if<Integers>(&*written) : nullptr)
            count = list->size();
        Integers out(count);
        const bool same = chance(0.5);
        const std::int64_t all = number();
        for (std::int64_t& item : out)
            item = same ? all : number();
        return out;
    }
    default:
        return written;
    }
}

std::optional<TensorType> GuardedCalls::typeOf(const ParamTree& param) {
    TensorType out;
    if (const auto known = parseDtype(param.type.dtype))
        out.dtype = *known;
    else
        out.dtype = m_types.emplace(param.type.dtype, dtypeOf(param.type.dtype)).first->second;
    for (const DimTree& dim : param.type.dims)
        if (!append(dim, out.shape))
            return std::nullopt;
    if (param.bcast)
        for (Dim& dim : out.shape)
            if (chance(0.2))
                dim = Dim(1);
    return out;
}

Dim GuardedCalls::extent() {
    if (!m_used.empty() && chance(0.4))
        return Dim(oneOf(m_used));
    const auto asked = chance(0.2) ? askedExtent() : chance(0.3) ? spokenExtent() : std::nullopt;
    m_used.push_back(asked ? *asked : oneOf(extents));
    return Dim(m_used.back());
}

std::optional<std::int64_t> GuardedCalls::askedExtent() {
    if (m_asked->empty())
        return std::nullopt;
    auto name = m_asked->begin();
    std::advance(name, static_cast<int>(uniform() * static_cast<double>(m_asked->size())));
    const TermValue value = oneOf(name->second);
    const auto* extent = std::get_if<Expr>(&value);
    return extent == nullptr ? std::nullopt : extent->asInt();
}

std::optional<std::int64_t> GuardedCalls::spokenExtent() {
    if (m_spoken.integers.empty())
        return std::nullopt;
    const std::int64_t number = oneOf(m_spoken.integers);
    const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(number)));
    return oneOf(std::array{number, number + 1, std::max<std::int64_t>(number - 1, 1), root + 1,
                            2 * root + 1});
}

bool GuardedCalls::append(const DimTree& dim, Shape& shape) {
    const bool pack = dim.value.kind == TreeKind::Pack;
    const Tree& tree = pack ? dim.value.args[0] : dim.value;
    if (tree.isName() && !m_scope.names.contains(tree.text)) {
        TermValue value = Expr(extent());
        if (pack) {
            Exprs list;
            for (int i = static_cast<int>(uniform() * (chance(0.7) ? 3 : 6)); i > 0; --i)
                list.push_back(extent());
            value = std::move(list);
        } else if (auto asked = askedFor(tree.text)) {
            value = std::move(*asked);
        }
        m_scope.names.emplace(tree.text, std::move(value));
    }
    const auto value = evaluate(tree, m_scope);
    if (!value)
        return false;
    Exprs all;
    if (const auto* list = std::get_if<Exprs>(&*value))
        all = *list;
    else if (const auto* one = std::get_if<Expr>(&*value))
        all = {*one};
    for (const Expr& item : all) {
        if (item.asInt().value_or(-1) < 0)
            return false;
        shape.push_back(item);
    }
    return true;
}

void GuardedCalls::addAlternatives(std::size_t conjunct) {
    std::vector<ConditionTree> parts;
    addParts(m_conjuncts[conjunct], m_conjuncts[conjunct].tree, "||", parts);
    if (parts.size() == 1)
        return;
    for (ConditionTree& part : parts) {
        std::vector<const Tree*> trees{&part.tree};
        for (std::size_t i = 0; i < m_conjuncts.size(); ++i)
            if (i != conjunct)
                trees.push_back(&m_conjuncts[i].tree);
        AskedValues asked = askedValues(trees);
        m_alternatives.push_back({std::move(part), conjunct, std::move(asked), 0});
    }
}

std::vector<std::size_t> GuardedCalls::alone(const Scope& scope) const {
    std::map<std::size_t, std::vector<std::size_t>> holding; // by conjunct
    for (std::size_t i = 0; i < m_alternatives.size(); ++i)
        if (decide(m_alternatives[i].condition, scope).truth != Truth::No)
            holding[m_alternatives[i].conjunct].push_back(i);
    std::vector<std::size_t> out;
    for (const auto& [conjunct, which] : holding)
        if (which.size() == 1)
            out.push_back(which.front());
    return out;
}

bool GuardedCalls::passes(DrawnCall& call) {
    const Workload workload{call.graph.get(), call.node, {}};
    const Result<Scope> scope = callScope(*m_computed.block, workload);
    if (!scope)
        return false;
    for (std::size_t i = 0; i < m_conjuncts.size(); ++i)
        m_held[i] = m_held[i] || decide(m_conjuncts[i], *scope).truth != Truth::No;
    if (m_computed.entry->guard) {
        const Truth truth = decide(*m_computed.entry->guard, *scope).truth;
        if (truth == Truth::No)
            return false;
        call.sure = truth == Truth::Yes;
    }
    call.alone = alone(*scope);
    // Where nothing is computed nothing can be wrong.
    if (std::all_of(call.node->outputs.begin(), call.node->outputs.end(),
                    [](const Output& out) { return elementCount(out.type.shape).isInt(0); }))
        return false;
    const Result<Facts> facts = m_op.facts(callOf(*call.graph, *call.node));
    return !facts || facts->flops <= mostWork;
}

} // namespace fw
