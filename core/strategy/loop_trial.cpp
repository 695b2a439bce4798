#include "strategy/loop_trial.h"

#include "base/random.h"
#include "expr/simplify.h"
#include "syntax/declarations.h"
#include "syntax/parser.h"
#include "tensor/small_calls.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

constexpr ScheduleTemplate templates[] = {ScheduleTemplate::Tiled, ScheduleTemplate::Rowwise,
                                          ScheduleTemplate::Window, ScheduleTemplate::Map,
                                          ScheduleTemplate::Plain};

// Vectors of four: what is small leaves rests, too.
const Target& trialTarget() {
    static const Target target = parseTarget("x86-64 -mcpu=x86-64-v2 -libs= -threads=2").value();
    return target;
}

std::string callText(const Graph& graph, const Node& node) {
    std::string out = node.op + "(";
    for (const ValueRef& operand : node.inputs)
        out += fmt::format("{}{}", out.ends_with("(") ? "" : ", ",
                           operand.valid() ? graph.type(operand).text() : "none");
    out += ")";
    if (!node.attrs.empty())
        out += " " + node.attrs.print();
    return out;
}

// A call as a graph of its own.
struct Subject {
    GraphPtr graph;
    const Node* node = nullptr;
    Bindings symbols;
};

std::optional<Subject> subjectOf(const OpCall& call, const std::string& op,
                                 const std::shared_ptr<const OperatorSet>& operators,
                                 Bindings symbols, bool constants) {
    GraphEditor editor(operators, "trial");
    GraphEditor::NewNode node;
    node.op = op;
    node.attrs = call.attrs;
    for (const std::optional<TensorType>& type : call.inputs) {
        if (!type) {
            node.inputs.emplace_back();
            continue;
        }
        const std::string name = fmt::format("x{}", node.inputs.size());
        const auto extents = fixedExtents(type->shape);
        // The first operand is one that is handed in.
        node.inputs.push_back(constants && !node.inputs.empty() && extents
                                  ? editor.addConstant(name, randomData(type->dtype, *extents, 1))
                                  : editor.addInput(name, *type));
    }
    const Result<std::vector<ValueRef>> results = editor.add(std::move(node));
    if (!results || results->empty())
        return std::nullopt;
    const NodeId id = results->front().node;
    for (std::size_t i = 0; i < results->size(); ++i)
        editor.addResult(fmt::format("y{}", i), (*results)[i]);
    Result<GraphPtr> graph = editor.finish();
    if (!graph)
        return std::nullopt;
    for (const Assumption& assumption : (*graph)->assumptions()) {
        Substitution sizes;
        for (const auto& [name, value] : symbols)
            sizes.emplace(name, Expr(value));
        if (decide(simplify(substitute(assumption.condition, sizes))) != std::optional(true))
            return std::nullopt;
    }
    Subject out{graph.take(), nullptr, std::move(symbols)};
    out.node = &out.graph->node(id);
    return out;
}

// The same call with a free dimension in the place of every extent from 2 on.
std::optional<std::pair<OpCall, Bindings>> freed(const OpCall& call) {
    std::pair<OpCall, Bindings> out{call, {}};
    for (std::optional<TensorType>& type : out.first.inputs)
        if (type)
            for (Dim& dim : type->shape)
                if (const std::int64_t extent = dim.asInt().value_or(0); extent > 1) {
                    const Symbol name(fmt::format("D{}", extent));
                    out.second[name] = extent;
                    dim = varExpr(name);
                }
    return out.second.empty() ? std::nullopt : std::optional(std::move(out));
}

std::string_view kindOf(const Subject& subject) {
    const Operator& op = *subject.graph->operators().find(subject.node->op);
    const Result<Facts> facts = op.facts(callOf(*subject.graph, *subject.node));
    return facts ? kindText(facts->kind) : kindText(FusionKind::Opaque);
}

class Trials {
public:
    explicit Trials(const LoopTrialLimits& limits) : m_limits(limits) {}

    LoopTrial out;

    bool isOver() const { return out.wrong || m_steps >= m_limits.steps; }

    using Lower = std::function<Result<Lowering>(const GroupSite&)>;

    // By every template, or by the schedule of a book.
    void node(const Subject& subject, const WrittenSchedule* schedule,
              const std::function<Result<OpInst>()>& computation) {
        for (const bool channels : {false, true}) {
            const bool images = std::any_of(
                subject.graph->nodes().begin(), subject.graph->nodes().end(), [](const auto& one) {
                    return std::any_of(
                        one->outputs.begin(), one->outputs.end(),
                        [](const Output& output) { return output.type.rank() == 4; });
                });
            if (channels && !images)
                return;
            m_layout = [&](ValueRef value) {
                return channels && subject.graph->constant(value) == nullptr &&
                               subject.graph->type(value).rank() == 4
                           ? channelsLast(4)
                           : StorageMap();
            };
            if (schedule != nullptr) {
                one(subject, computation, schedule->tree->name, [&](const GroupSite& site) {
                    return lowerAsWritten(*schedule, site, trialTarget());
                });
                continue;
            }
            for (const ScheduleTemplate by : templates)
                one(subject, computation, std::string(templateText(by)),
                    [&](const GroupSite& site) {
                        return lowerByTemplate(by, site, trialTarget());
                    });
        }
    }

    // Calls as they come, each as it is, with constants, and with free dimensions. False if the
    // operator is of another kind.
    bool operatorCalls(const OpTree& op, const std::string& file,
                       const std::shared_ptr<const OperatorSet>& operators,
                       const WrittenSchedule* schedule, const std::string& kind = "any") {
        const SmallCalls small(op, file);
        for (const auto& types : typesOf(small.typeVariables())) {
            std::vector<OpCall> calls;
            small.each(types, [&](const OpCall& call) { calls.push_back(call); });
            Random random(1);
            for (std::size_t i = calls.size(); i-- > 1;)
                std::swap(calls[i], calls[random.below(i + 1)]);
            int fitting = 0;
            for (const OpCall& call : calls) {
                if (isOver() || fitting == m_limits.calls)
                    break;
                const auto fixed = subjectOf(call, op.name, operators, {}, fitting % 3 == 2);
                if (!fixed)
                    continue;
                if (kind != "any" && fitting == 0 && kind != kindOf(*fixed))
                    return false;
                ++fitting;
                node(*fixed, schedule, {});
                if (const auto free = freed(call))
                    if (const auto some =
                            subjectOf(free->first, op.name, operators, free->second, false))
                        node(*some, schedule, {});
            }
        }
        return true;
    }

private:
    // One type for all variables, then two: operands of different types may be what is required.
    std::vector<std::map<std::string, DType>>
    typesOf(const std::set<std::string>& variables) const {
        std::vector<std::map<std::string, DType>> assignments;
        for (const bool mixed : {false, true})
            for (const DType first : m_limits.types)
                for (const DType other : m_limits.types) {
                    if ((first != other) != mixed || (mixed && variables.size() < 2))
                        continue;
                    std::map<std::string, DType> types;
                    for (const std::string& variable : variables)
                        types.emplace(variable, types.empty() ? first : other);
                    if (std::find(assignments.begin(), assignments.end(), types) ==
                        assignments.end())
                        assignments.push_back(std::move(types));
                }
        return assignments;
    }

    void one(const Subject& subject, const std::function<Result<OpInst>()>& computation,
             const std::string& by, const Lower& lower) {
        if (isOver())
            return;
        std::vector<ValueRef> inputs, outputs;
        for (const ValueRef& operand : subject.node->inputs)
            if (operand.valid() && std::find(inputs.begin(), inputs.end(), operand) == inputs.end())
                inputs.push_back(operand);
        for (std::size_t i = 0; i < subject.node->outputs.size(); ++i)
            outputs.push_back({subject.node->id, static_cast<int>(i)});
        const NodeId nodes[] = {subject.node->id};
        GroupSite site;
        site.graph = subject.graph.get();
        site.name = "trial";
        site.nodes = nodes;
        site.anchor = subject.node->id;
        site.inputs = inputs;
        site.outputs = outputs;
        site.layout = m_layout;
        site.computation = computation;
        const Result<Lowering> lowered = lower(site);
        if (!lowered || !lowered->kernel)
            return;
        const KernelCode& code = *lowered->kernel;
        if (code.body.inst.stages.empty())
            return;
        StorageMaps maps = code.body.innerLayouts;
        for (std::size_t i = 0; i < code.body.inst.inputs.size(); ++i)
            maps[code.body.inst.inputs[i].name] = code.body.inputLayouts[i];
        for (std::size_t i = 0; i < code.body.inst.outputs.size(); ++i)
            maps[code.body.inst.outputs[i].name] = code.body.outputLayouts[i];
        const std::uint64_t most = std::min(m_limits.stepsOfOne, m_limits.steps - m_steps);
        std::uint64_t left = most;
        const Result<TrialEnd> end = tryLowered(code.body.inst, code.choice.schedule, maps,
                                                code.choice.lowered, subject.symbols, left);
        m_steps += most - left + 1;
        if (end) {
            out.nests += *end == TrialEnd::Done;
            return;
        }
        Diag diag = end.diag();
        diag.message = fmt::format("the loops of {} by {} leave a tensor: {}",
                                   callText(*subject.graph, *subject.node), by,
                                   diag.message.substr(0, diag.message.find('\n')));
        diag.hint = "this is a mistake of the program, please report it";
        out.wrong = std::move(diag);
    }

    const LoopTrialLimits& m_limits;
    std::uint64_t m_steps = 0;
    std::function<StorageMap(ValueRef)> m_layout;
};

std::shared_ptr<const OpTree> treeOf(const Operator& op) {
    if (op.isNative())
        return nullptr;
    return only<OpTree>(parseFile(fmt::format("op {} {{ {} }}", op.signature(), op.body()), {}));
}

} // namespace

LoopTrial tryLoopsOf(const OpTree& op, const std::string& file,
                     const std::shared_ptr<const OperatorSet>& operators,
                     const LoopTrialLimits& limits) {
    Trials trials(limits);
    trials.operatorCalls(op, file, operators, nullptr);
    return std::move(trials.out);
}

LoopTrial tryLoopsOf(const Operator& op, const std::shared_ptr<const OperatorSet>& operators,
                     const LoopTrialLimits& limits) {
    const std::shared_ptr<const OpTree> tree = treeOf(op);
    return tree == nullptr ? LoopTrial() : tryLoopsOf(*tree, {}, operators, limits);
}

LoopTrial tryLoopsOf(const WrittenSchedule& schedule, const std::vector<LoopSubject>& subjects,
                     const std::shared_ptr<const OperatorSet>& operators,
                     const LoopTrialLimits& limits) {
    constexpr int mostOfKind = 4;
    Trials trials(limits);
    for (const LoopSubject& subject : subjects) {
        int tried = 0;
        for (const Operator* op : operators->all()) {
            const bool named = subject.kind == SubjectKind::Operator;
            if (tried == mostOfKind || (named && op->name() != subject.name))
                continue;
            if (const auto tree = treeOf(*op))
                tried += trials.operatorCalls(*tree, {}, operators, &schedule,
                                              named ? "any" : subject.name);
        }
    }
    return std::move(trials.out);
}

LoopTrial tryLoopsOf(const Graph& graph, const Node& node,
                     const std::function<Result<OpInst>()>& computation, std::uint64_t mostSteps) {
    LoopTrialLimits limits;
    limits.steps = limits.stepsOfOne = mostSteps;
    Trials trials(limits);
    trials.node({GraphPtr(std::shared_ptr<void>(), &graph), &node, {}}, nullptr, computation);
    return std::move(trials.out);
}

LoopTrial tryLoopsOf(const OpCall& call, const std::string& op,
                     const std::shared_ptr<const OperatorSet>& operators, std::uint64_t mostSteps) {
    const auto subject = subjectOf(call, op, operators, {}, false);
    return subject ? tryLoopsOf(*subject->graph, *subject->node, {}, mostSteps) : LoopTrial();
}

} // namespace fw
