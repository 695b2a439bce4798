#include "strategy/computation.h"

#include "base/nearest.h"
#include "expr/simplify.h"
#include "rewrite/declaration_check.h"
#include "strategy/group_body.h"
#include "strategy/machine.h"
#include "target/target.h"
#include "tensor/facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

// The names of the operands, in the order of a call.
std::vector<std::string> operandNames(const ImplementationsTree& block, const Operator* op) {
    if (!block.ownSignature)
        return op == nullptr ? std::vector<std::string>() : op->inputNames();
    std::vector<std::string> out;
    for (const ParamTree& param : block.params)
        out.push_back(param.name);
    return out;
}

class ComputationCheck {
public:
    ComputationCheck(const ComputedEntry& computed, const OperatorSet& operators,
                     const std::string& file)
        : m_block(*computed.block), m_entry(*computed.entry), m_operators(operators), m_out(file),
          m_op(operators.find(m_block.subject)) {}

    Diags run() {
        const Tree& tree = *m_entry.compute;
        if (m_block.subjectKind == SubjectKind::Kind)
            refuse(tree, DiagCode::RuleIllegal,
                   "a computation is that of one operator, not of a kind",
                   "implementations OPERATOR(...) on any { ... }");
        else if (tree.kind != TreeKind::Call)
            refuse(tree, DiagCode::RuleIllegal, "behind `compute` stands a call of an operator");
        else if (m_op != nullptr)
            call(tree);
        const std::vector<std::string>& libraries = knownLibraries();
        const std::string library = m_entry.code.substr(0, m_entry.code.find('.'));
        if (std::find(libraries.begin(), libraries.end(), library) != libraries.end())
            refuse(tree, DiagCode::RuleIllegal,
                   fmt::format("{} is a library's code, which computes operators of its own",
                               m_entry.code),
                   "leave `by` out, or name generated code or a schedule");
        return m_out.take();
    }

private:
    void refuse(const Tree& tree, DiagCode code, std::string message, std::string hint = {}) {
        m_out.refuse(code, std::move(message), tree.span, std::move(hint));
    }

    void call(const Tree& tree) {
        const Operator* op = m_operators.find(tree.text);
        if (op == nullptr)
            return refuse(tree, DiagCode::UnknownOperator,
                          "there is no operator named " + tree.text,
                          operatorHint(tree.text, m_operators, nullptr));
        if (op == m_op)
            return refuse(tree, DiagCode::RuleIllegal, op->name() + " is computed by itself",
                          "leave `compute` out: without it the operator's own expression counts");
        if (!op->arity().takes(tree.args.size()))
            refuse(tree, DiagCode::OperatorArity,
                   fmt::format("{} takes {}, {} are given", op->name(), op->arity().text(),
                               tree.args.size()),
                   op->signature());
        for (const Tree& arg : tree.args)
            operand(arg);
        const Vocabulary known = callVocabulary(m_block, m_op);
        for (const TreeAttr& attr : tree.attrs) {
            Diags terms;
            const auto kind = checkTerm(attr.value, known, m_out.file(), terms);
            m_out.add(std::move(terms));
            checkAttribute(*op, attr.name, kind, attr.span, m_out);
        }
    }

    void operand(const Tree& tree) {
        if (tree.kind == TreeKind::Call)
            return call(tree);
        const std::vector<std::string> names = operandNames(m_block, m_op);
        if (!tree.isName())
            refuse(tree, DiagCode::RuleIllegal, "an operand is a name of the signature or a call");
        else if (std::find(names.begin(), names.end(), tree.text) == names.end())
            refuse(tree, DiagCode::TextName, "there is no operand " + tree.text,
                   didYouMean(tree.text, names, fmt::format("{}", fmt::join(names, ", "))));
    }

    const ImplementationsTree& m_block;
    const EntryTree& m_entry;
    const OperatorSet& m_operators;
    Refusals m_out;
    const Operator* m_op;
};

class Builder {
public:
    Builder(const ComputedEntry& computed, const Workload& call)
        : m_computed(computed), m_call(call), m_editor(call.graph->operatorSet(), "computation") {}

    Result<GraphPtr> build() {
        const Graph& graph = *m_call.graph;
        const Node& node = *m_call.node;
        FW_TRY(m_scope, callScope(*m_computed.block, m_call));
        const std::vector<std::string> names =
            operandNames(*m_computed.block, graph.operators().find(node.op));
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (!node.inputs[i].valid())
                continue;
            const ValueRef input =
                m_editor.addInput(fmt::format("operand{}", i), graph.type(node.inputs[i]));
            if (i < names.size())
                m_operands.emplace(names[i], input);
        }
        FW_TRY(const std::vector<ValueRef> results, call(*m_computed.entry->compute));
        if (results.size() != node.outputs.size())
            return makeDiag(DiagCode::ShapeMismatch,
                            fmt::format("{} has {} results, {} has {}",
                                        m_computed.entry->compute->text, results.size(), node.op,
                                        node.outputs.size()));
        for (std::size_t i = 0; i < results.size(); ++i) {
            const TensorType &own = m_editor.type(results[i]), &wanted = node.outputs[i].type;
            if (!sameType(own, wanted))
                return makeDiag(DiagCode::OutputsDiffer,
                                fmt::format("{} is {}, the result of {} is {}",
                                            m_computed.entry->compute->text, own.text(), node.op,
                                            wanted.text()));
            m_editor.addResult(fmt::format("result{}", i), results[i]);
        }
        return m_editor.finish();
    }

private:
    static bool sameType(const TensorType& a, const TensorType& b) {
        return a.dtype == b.dtype &&
               std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(), b.shape.end(),
                          [](const Dim& x, const Dim& y) { return proveEqual(x, y); });
    }

    Result<std::vector<ValueRef>> call(const Tree& tree) {
        GraphEditor::NewNode node;
        node.op = tree.text;
        for (const Tree& arg : tree.args) {
            if (arg.kind == TreeKind::Call) {
                FW_TRY(const std::vector<ValueRef> inner, call(arg));
                node.inputs.push_back(inner.at(0));
                continue;
            }
            const auto operand = m_operands.find(arg.text);
            node.inputs.push_back(operand == m_operands.end() ? ValueRef() : operand->second);
        }
        const OperatorSet& operators = m_call.graph->operators();
        const Operator* op = operators.find(tree.text);
        if (op == nullptr) // of a plan with other books than the check
            return makeDiag(DiagCode::UnknownOperator, "there is no operator named " + tree.text);
        handOn(*op, *operators.find(m_call.node->op), node.attrs);
        for (const TreeAttr& attr : tree.attrs) {
            const auto term = evaluate(attr.value, m_scope);
            const auto value = term ? attributeOf(*term) : std::nullopt;
            if (!value)
                return makeDiag(
                    DiagCode::RuleIllegal,
                    fmt::format("attribute {} of {} has no value here", attr.name, tree.text));
            node.attrs.set(attr.name, *value);
        }
        return m_editor.add(std::move(node));
    }

    void handOn(const Operator& to, const Operator& from, Attrs& attrs) const {
        for (const std::string& name : to.attrNames()) {
            if (from.attrType(name) != to.attrType(name))
                continue;
            const AttrValue* written = m_call.node->attrs.find(name);
            if (const auto value = written != nullptr ? *written : from.attrDefault(name))
                attrs.set(name, *value);
        }
    }

    const ComputedEntry& m_computed;
    const Workload& m_call;
    GraphEditor m_editor;
    Scope m_scope;
    std::map<std::string, ValueRef> m_operands;
};

class Computed final : public Implementation {
public:
    Computed(ComputedEntry computed, std::shared_ptr<const void> owner, std::string identity,
             std::vector<ImplementationPtr> inner)
        : m_computed(computed), m_owner(std::move(owner)), m_identity(std::move(identity)),
          m_inner(std::move(inner)) {}

    const std::string& name() const override { return m_computed.entry->name; }
    std::string identity() const override { return m_identity; }

    Acceptance accepts(const Workload& anchor, const Target&) const override {
        const Result<OpInst> inst = computationOf(m_computed, anchor);
        if (!inst)
            return {Verdict::No, ReasonCode::LoweringRefused,
                    fmt::format("compute {}: {}", m_computed.entry->compute->text,
                                inst.diag().message)};
        return {Verdict::Yes, ReasonCode::OwnComputation, m_computed.entry->compute->text};
    }

    Acceptance absorbsEpilogue(const Growing& group, const Workload& next) const override {
        return m_inner.front()->absorbsEpilogue(group, next);
    }

    Acceptance absorbsPrologue(const Workload& before, const Workload&) const override {
        return {Verdict::No, ReasonCode::CannotAbsorb,
                fmt::format("{} may read what {} gives more than once", name(), before.node->op)};
    }

    std::vector<KnobSettings> settings() const override {
        return m_inner.size() == 1 ? m_inner.front()->settings() : std::vector<KnobSettings>();
    }

    std::shared_ptr<const Implementation> at(const KnobSettings& settings) const override {
        const ImplementationPtr inner =
            m_inner.size() == 1 ? m_inner.front()->at(settings) : nullptr;
        if (inner == nullptr)
            return nullptr;
        return std::make_shared<Computed>(m_computed, m_owner,
                                          fmt::format("{} at {}", m_identity, inner->identity()),
                                          std::vector{inner});
    }

    double estimate(const Facts& work, const Workload& anchor,
                    const Target& target) const override {
        Facts own = work;
        if (const Result<OpInst> inst = computationOf(m_computed, anchor)) {
            const Facts facts = deriveFacts(*inst);
            own.flops += facts.flops - anchor.facts.flops;
            own.transcendentals += facts.transcendentals - anchor.facts.transcendentals;
        }
        return m_inner.front()->estimate(own, anchor, target);
    }

    Result<Lowering> lower(const GroupSite& site, const Target& target) const override {
        GroupSite own = site;
        own.computation = [&] {
            return computationOf(m_computed, {site.graph, &site.graph->node(site.anchor), {}});
        };
        std::string refusals;
        for (const ImplementationPtr& inner : m_inner) {
            Result<Lowering> lowering = inner->lower(own, target);
            if (lowering || m_inner.size() == 1)
                return lowering;
            refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", inner->name(),
                                    lowering.diag().message);
        }
        return makeDiag(DiagCode::ScheduleIllegal, refusals);
    }

private:
    ComputedEntry m_computed;
    std::shared_ptr<const void> m_owner;
    std::string m_identity;
    std::vector<ImplementationPtr> m_inner;
};

} // namespace

Diags checkComputation(const ComputedEntry& computed, const OperatorSet& operators,
                       const std::string& file) {
    return ComputationCheck(computed, operators, file).run();
}

Result<GraphPtr> computationGraph(const ComputedEntry& computed, const Workload& call) {
    return Builder(computed, call).build();
}

Result<OpInst> computationOf(const ComputedEntry& computed, const Workload& call) {
    FW_TRY(const GraphPtr graph, computationGraph(computed, call));
    std::vector<NodeId> nodes;
    std::vector<ValueRef> inputs, outputs;
    for (const NodePtr& node : graph->nodes()) {
        if (node->isLeaf())
            continue;
        nodes.push_back(node->id);
        for (const ValueRef& input : node->inputs)
            if (input.valid() && graph->node(input.node).isInput() &&
                std::find(inputs.begin(), inputs.end(), input) == inputs.end())
                inputs.push_back(input);
    }
    for (const NamedValue& result : graph->results())
        outputs.push_back(result.value);
    const auto rowMajor = [](ValueRef) { return StorageMap(); };
    FW_TRY(GroupBody body, groupBody({graph.get(),
                                      "the computation",
                                      nodes,
                                      outputs.at(0).node,
                                      inputs,
                                      outputs,
                                      rowMajor,
                                      {},
                                      {}}));
    // Inputs in the order of the operands, whether they are read or not.
    OpInst out = std::move(body.inst);
    std::vector<TensorDecl> all;
    std::vector<std::pair<Symbol, Symbol>> names;
    for (std::size_t i = 0; i < body.operands.size(); ++i)
        names.emplace_back(out.inputs[i].name,
                           Symbol(graph->output(inputs[body.operands[i]]).name));
    out = renamed(out, names, [](Symbol variable) { return variable; });
    for (const NodeId id : graph->inputs())
        all.push_back({Symbol(graph->node(id).outputs[0].name), graph->type({id, 0})});
    out.inputs = std::move(all);
    return out;
}

ImplementationPtr computedBy(ComputedEntry computed, std::shared_ptr<const void> owner,
                             std::string identity, std::vector<ImplementationPtr> inner) {
    return std::make_shared<Computed>(computed, std::move(owner), std::move(identity),
                                      std::move(inner));
}

} // namespace fw
