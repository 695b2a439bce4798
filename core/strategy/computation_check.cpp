// Own computations against their operators, on small random calls.
#include "strategy/computation.h"

#include "base/hash.h"
#include "strategy/loop_trial.h"
#include "strategy/special_values.h"
#include "tensor/asked_values.h"
#include "tensor/disagreement.h"
#include "tensor/draw_values.h"
#include "tensor/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <random>
#include <set>

namespace fw {

namespace {

constexpr int wantedCalls = 32, mostDraws = 4000;
constexpr int mostLoops = 8;                           // calls whose loops are run
constexpr std::uint64_t mostSteps = 100'000;           // of the loops of one call
constexpr double mostWork = 3e5;                       // operations of one call
constexpr std::int64_t mostElements = 20000;           // of one operand
constexpr std::int64_t extents[] = {1, 2, 3, 4, 5, 7}; // odd ones, and no two multiples only

struct DrawnCall {
    GraphPtr graph; // one node behind its operands
    const Node* node = nullptr;
    std::string text; // "x: f32[1, 2], strides = [2, 2]"
    std::int64_t elements = 0;
    std::vector<std::size_t> alone; // alternatives of the guard of which no other one holds
    bool sure = true;               // the guard lets it through whatever its operands hold
};

// What a guard says of numbers and of constants, wherever it stands in it.
struct Spoken {
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
    std::set<std::string> constants; // operands of which it asks what only constants have

    void read(const Tree& tree) {
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

private:
    void addNames(const Tree& tree) {
        if (tree.isName())
            constants.insert(tree.text);
        for (const Tree& part : tree.args)
            addNames(part);
    }
};

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

// Draws calls of the operator that the guard lets through.
class Calls {
public:
    Calls(const ComputedEntry& computed, std::shared_ptr<const OperatorSet> operators,
          SignatureTree signature)
        : m_computed(computed), m_operators(std::move(operators)),
          m_op(*m_operators->find(computed.block->subject)), m_signature(std::move(signature)) {
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

    // The first part of the guard that held for no call; empty: each held for some.
    std::string neverHeld() const {
        for (std::size_t i = 0; i < m_held.size(); ++i)
            if (!m_held[i])
                return m_conjuncts[i].text;
        return {};
    }

    // Whether some alternative of the guard has held alone too rarely, and whether it does here.
    bool lacksAlternatives() const {
        return std::any_of(m_alternatives.begin(), m_alternatives.end(),
                           [](const Alternative& one) { return one.alone < wantedAlone; });
    }
    bool holdsWhatLacks(const DrawnCall& call) const {
        return std::any_of(call.alone.begin(), call.alone.end(), [&](std::size_t which) {
            return m_alternatives[which].alone < wantedAlone;
        });
    }
    void note(const DrawnCall& tried) {
        for (const std::size_t which : tried.alone)
            ++m_alternatives[which].alone;
    }

    // What the guard asks for, and in turn what it asks for with one of its alternatives.
    std::optional<DrawnCall> draw() {
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
                node.inputs.push_back(
                    constant ? editor.addConstant(param.name, dataOf(*type, chance(0.5)))
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

    std::vector<TensorData> operands(const DrawnCall& call, bool whole) {
        std::vector<TensorData> out;
        for (const NodeId id : call.graph->inputs())
            out.push_back(dataOf(call.graph->type({id, 0}), whole));
        return out;
    }

private:
    // Integers are mostly places of something else.
    TensorData dataOf(const TensorType& type, bool whole) {
        if (!isInteger(type.dtype) || chance(0.3))
            return drawnData(m_values, {}, type,
                             whole || isInteger(type.dtype) ? DrawnValues::Whole
                                                            : DrawnValues::Any);
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

    double uniform() { return std::uniform_real_distribution<double>()(m_random); }
    bool chance(double share) { return uniform() < share; }
    template <class List>
    auto oneOf(const List& list) {
        return list[static_cast<std::size_t>(uniform() * static_cast<double>(std::size(list)))];
    }

    // What the guard asks of single names is not left to chance, where it asks for one value.
    std::optional<TermValue> askedFor(const std::string& name) {
        const auto found = m_asked->find(name);
        if (found == m_asked->end() || (found->second.size() > 1 && chance(0.3)))
            return std::nullopt;
        return oneOf(found->second);
    }

    std::optional<AttrValue> attribute(const std::string& name) {
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

    std::optional<TensorType> typeOf(const ParamTree& param) {
        TensorType out;
        if (const auto known = parseDtype(param.type.dtype))
            out.dtype = *known;
        else
            out.dtype = m_types
                            .emplace(param.type.dtype, chance(0.65)  ? DType::F32
                                                       : chance(0.5) ? DType::F64
                                                                     : DType::I64)
                            .first->second;
        for (const DimTree& dim : param.type.dims)
            if (!append(dim, out.shape))
                return std::nullopt;
        if (param.bcast)
            for (Dim& dim : out.shape)
                if (chance(0.2))
                    dim = Dim(1);
        return out;
    }

    Dim extent() {
        if (!m_used.empty() && chance(0.4))
            return Dim(oneOf(m_used));
        const auto asked = chance(0.2)   ? askedExtent()
                           : chance(0.3) ? spokenExtent()
                                         : std::nullopt;
        m_used.push_back(asked ? *asked : oneOf(extents));
        return Dim(m_used.back());
    }

    // Of any name: the guard may speak of what `let` makes of the extents.
    std::optional<std::int64_t> askedExtent() {
        if (m_asked->empty())
            return std::nullopt;
        auto name = m_asked->begin();
        std::advance(name, static_cast<int>(uniform() * static_cast<double>(m_asked->size())));
        const TermValue value = oneOf(name->second);
        const auto* extent = std::get_if<Expr>(&value);
        return extent == nullptr ? std::nullopt : extent->asInt();
    }

    // Near a number of the guard, or such that two of them multiply to more: K * N > 500.
    std::optional<std::int64_t> spokenExtent() {
        if (m_spoken.integers.empty())
            return std::nullopt;
        const std::int64_t number = oneOf(m_spoken.integers);
        const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(number)));
        return oneOf(std::array{number, number + 1, std::max<std::int64_t>(number - 1, 1), root + 1,
                                2 * root + 1});
    }

    bool append(const DimTree& dim, Shape& shape) {
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

    void addAlternatives(std::size_t conjunct) {
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

    // Alternatives without which the guard would keep the call out.
    std::vector<std::size_t> alone(const Scope& scope) const {
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

    bool passes(DrawnCall& call) {
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

    const ComputedEntry& m_computed;
    std::shared_ptr<const OperatorSet> m_operators;
    const Operator& m_op;
    SignatureTree m_signature;
    struct Alternative { // of "||" in a conjunct
        ConditionTree condition;
        std::size_t conjunct = 0;
        AskedValues asked; // with the other conjuncts
        int alone = 0;     // calls that were tried in which no other one of the conjunct holds
    };
    static constexpr int wantedAlone = 3;

    AskedValues m_ofGuard;
    const AskedValues* m_asked = &m_ofGuard; // of the call that is drawn
    std::vector<Alternative> m_alternatives;
    std::size_t m_turn = 0;
    Spoken m_spoken;
    std::vector<ConditionTree> m_conjuncts; // of the guard
    std::vector<bool> m_held;
    Scope m_scope;
    std::map<std::string, DType> m_types;
    std::vector<std::int64_t> m_used;
    std::mt19937_64 m_random{1};
    Random m_values{1};
};

std::string textOfAll(const Tree& tree, const OperatorSet& operators) {
    std::string out;
    if (const Operator* op = tree.kind == TreeKind::Call ? operators.find(tree.text) : nullptr)
        out = op->signature() + op->body();
    for (const Tree& arg : tree.args)
        out += textOfAll(arg, operators);
    return out;
}

struct Tried {
    std::optional<Diag> wrong;
    int agreed = 0; // calls
};

// The loops of the computation in the place of its operator, for one call.
std::optional<Diag> wrongLoops(const ComputedEntry& computed, const DrawnCall& call) {
    return tryLoopsOf(
               *call.graph, *call.node,
               [&] {
                   return computationOf(computed, {call.graph.get(), call.node, {}});
               },
               mostSteps)
        .wrong;
}

Tried tried(const ComputedEntry& computed, const std::shared_ptr<const OperatorSet>& operators) {
    const ImplementationsTree& block = *computed.block;
    const Operator& op = *operators->find(block.subject);
    const std::string& name = computed.entry->name;
    const auto signature =
        block.ownSignature ? SignatureTree{block.params, {}} : parseSignature(op.signature());
    if (!signature)
        return {makeDiag(DiagCode::RuleIllegal,
                         fmt::format("{} cannot be tried: its operands have no types", op.name()),
                         {}, "write a signature of your own: " + op.name() + "(x: f32[N, ...])")};
    Calls calls(computed, operators, *signature);
    std::string refusal;
    std::optional<Diag> worst;
    std::pair<bool, std::int64_t> smallest;
    int agreed = 0, run = 0;
    Random specialRandom(1);
    for (int draws = 0, found = 0;
         draws < mostDraws && (found < wantedCalls || (!worst && calls.lacksAlternatives()));
         ++draws) {
        const std::optional<DrawnCall> call = calls.draw();
        if (!call || (found >= wantedCalls && !calls.holdsWhatLacks(*call)))
            continue;
        calls.note(*call);
        // Ordinary numbers tell most.
        const auto differs = [&](const std::string& how, bool ordinary = true) {
            const std::pair size(!ordinary, call->elements);
            if (worst && smallest <= size)
                return;
            worst = makeDiag(DiagCode::OutputsDiffer,
                             fmt::format("{} is not what {} computes: for {} {}", name, op.name(),
                                         call->text, how));
            smallest = size;
        };
        const auto refuses = [&](const Diag& diag) { // it is not asked for such a call
            if (refusal.empty())
                refusal = fmt::format("{} (for {})", diag.message, call->text);
        };
        const auto own = computationGraph(computed, {call->graph.get(), call->node, {}});
        if (!own && own.diag().code == DiagCode::OutputsDiffer)
            differs(own.diag().message);
        else if (!own)
            refuses(own.diag());
        std::optional<std::string> special;
        for (const bool whole : {true, false}) {
            const std::vector<TensorData> operands = calls.operands(*call, whole);
            BoundedOptions options;
            options.sharp = true;
            options.most = std::int64_t(1) << 24;
            AgreementOptions agreement;
            agreement.sharp = true;
            const auto wanted = evaluateGraphBounded(*call->graph, operands, options);
            if (!own || !wanted)
                break;
            const auto got = evaluateGraphBounded(
                **own, operandsOf(*call->graph, *call->node, operands), options);
            if (!got) {
                refuses(got.diag());
                break;
            }
            if (const auto where = disagreementOf(*call->graph, *got, *wanted, agreement)) {
                differs(where->text("its result"));
                break;
            }
            if (whole && call->sure)
                special = differenceAtSpecialValues(*call->graph, *call->node, **own, operands,
                                                    specialRandom);
            agreed += !whole && !special;
            found += !whole;
        }
        if (special)
            differs(*special, false);
        if (own && !worst && run++ < mostLoops)
            if (auto wrong = wrongLoops(computed, *call))
                return {std::move(wrong), agreed};
        found += worst.has_value();
    }
    if (worst || agreed > 0)
        return {worst, agreed};
    return {makeDiag(
        DiagCode::RuleIllegal,
        fmt::format("{} was not tried: {}", name,
                    !refusal.empty() ? refusal
                    : calls.neverHeld().empty()
                        ? "no call was found that its condition lets through"
                        : fmt::format("{} held for none of {} calls, with operands of f32, "
                                      "f64 and i64, constant or not, of ranks 0 to 6",
                                      calls.neverHeld(), mostDraws)),
        {}, "say in `when` for which calls it is")};
}

} // namespace

std::optional<Diag> disagreement(const ComputedEntry& computed,
                                 std::shared_ptr<const OperatorSet> operators,
                                 const std::string& file, int* agreed) {
    // What was tried, by its text: a book is read at every key press.
    static std::mutex mutex;
    static std::map<Hash, Tried> known;
    const Operator& op = *operators->find(computed.block->subject);
    const Tree& tree = *computed.entry->compute;
    const Hash key = hashOf(fmt::format("{}\n{}\n{}\n{}{}\n{}", computed.block->source,
                                        computed.entry->name, tree.span.begin, op.signature(),
                                        op.body(), textOfAll(tree, *operators)));
    Tried out;
    {
        const std::lock_guard lock(mutex);
        if (known.size() > 1024)
            known.clear();
        if (const auto found = known.find(key); found != known.end())
            out = found->second;
        else
            out = known[key] = tried(computed, operators);
    }
    if (out.wrong)
        out.wrong->at({file, {}, tree.span.line, tree.span.column});
    if (agreed != nullptr)
        *agreed = out.agreed;
    return out.wrong;
}

} // namespace fw
