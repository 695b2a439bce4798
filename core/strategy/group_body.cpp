#include "strategy/group_body.h"

#include "tensor/verify_computation.h"
#include "tensor/wide.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fw {

namespace {

// A floating or integer constant of one element reads as a literal.
std::optional<Expr> literalOf(const Graph& graph, ValueRef value) {
    const TensorData* data = graph.constant(value);
    if (data == nullptr || data->count() != 1 || data->dtype() == DType::Text)
        return std::nullopt;
    if (isInteger(data->dtype()) || data->dtype() == DType::Bool)
        return intExpr(data->integerAt(0), data->dtype());
    return floatExpr(data->at(0), data->dtype());
}

void removeDeadStages(OpInst& inst) {
    std::set<Symbol> wanted;
    for (const TensorDecl& output : inst.outputs)
        wanted.insert(output.name);
    std::vector<Stage> kept;
    for (auto stage = inst.stages.rbegin(); stage != inst.stages.rend(); ++stage) {
        if (!wanted.contains(stage->out))
            continue;
        visitExpr(stage->body, [&](const Expr& part) {
            if (part.op() == ExprOp::Load)
                wanted.insert(part->symbol);
        });
        kept.insert(kept.begin(), std::move(*stage));
    }
    inst.stages = std::move(kept);
    std::erase_if(inst.temporaries,
                  [&](const TensorDecl& decl) { return !wanted.contains(decl.name); });
}

void keepUsedInputs(GroupBody& body) {
    std::set<Symbol> read;
    for (const Stage& stage : body.inst.stages)
        visitExpr(stage.body, [&](const Expr& part) {
            if (part.op() == ExprOp::Load)
                read.insert(part->symbol);
        });
    GroupBody out = body;
    out.inst.inputs.clear();
    out.operands.clear();
    out.inputLayouts.clear();
    out.constantInput.clear();
    for (std::size_t i = 0; i < body.operands.size(); ++i) {
        if (!read.contains(body.inst.inputs[i].name))
            continue;
        out.inst.inputs.push_back(body.inst.inputs[i]);
        out.operands.push_back(body.operands[i]);
        out.inputLayouts.push_back(body.inputLayouts[i]);
        out.constantInput.push_back(body.constantInput[i]);
    }
    body = std::move(out);
}

// One node of the group with the names that its tensors have in the group.
struct Member {
    const Node* node;
    OpInst inst;
    std::vector<std::pair<Symbol, Symbol>> tensors;
};

// Variables of all members in one name space. An operator's text may use any name, so a name is
// only given away once it is seen to be free: `d` of the node at position 2 is `d_2`, and where
// that is taken `d_2_2`.
class VariableNames {
public:
    explicit VariableNames(const std::vector<Member>& members) {
        for (const Member& member : members) {
            m_taken.merge(freeDimsOf(member.inst));
            for (const auto& [own, shared] : member.tensors)
                m_taken.insert(shared);
        }
    }

    Symbol take(Symbol own, std::size_t position) {
        const std::string wish =
            position == 0 ? own.text() : fmt::format("{}_{}", own.text(), position);
        Symbol name(wish);
        for (int n = 2; !m_taken.insert(name).second; ++n)
            name = Symbol(fmt::format("{}_{}", wish, n));
        return name;
    }

private:
    std::set<Symbol> m_taken;
};

Status verified(const GroupBody& body, const GroupSite& site) {
    Status status = verify(body.inst, site.graph->assumptions());
    if (status)
        return status;
    std::string nodes;
    for (const NodeId id : site.nodes)
        nodes += (nodes.empty() ? "" : ", ") + site.graph->node(id).name;
    Diag diag = status.takeDiag();
    diag.message = fmt::format("the computation of {} ({}): {}", site.name, nodes, diag.message);
    return diag.at({{}, std::string(site.name)});
}

class Joining {
public:
    explicit Joining(const GroupSite& site) : m_site(site), m_graph(*site.graph) {}

    Result<GroupBody> make() {
        for (std::size_t i = 0; i < m_site.outputs.size(); ++i) {
            const ValueRef value = m_site.outputs[i];
            const Symbol name(fmt::format("out{}", i));
            m_names.emplace(value, name);
            m_body.inst.outputs.push_back({name, m_graph.type(value)});
            m_body.outputLayouts.push_back(m_site.layout(value));
        }
        for (const NodeId id : m_site.nodes)
            FW_CHECK(addMember(m_graph.node(id)));
        VariableNames variables(m_members);
        for (std::size_t position = 0; position < m_members.size(); ++position)
            addStages(position, variables);
        putLiterals();
        removeDeadStages(m_body.inst);
        keepUsedInputs(m_body);
        FW_CHECK(verified(m_body, m_site));
        return std::move(m_body);
    }

private:
    Status addMember(const Node& node) {
        const Operator* op = m_graph.operators().find(node.op);
        Result<OpInst> inst = m_site.computation && node.id == m_site.anchor
                                  ? m_site.computation()
                                  : op->instantiate(callOf(m_graph, node));
        if (!inst)
            return inst.takeDiag().at({{}, node.name});
        inst = widened(*inst);
        std::vector<std::pair<Symbol, Symbol>> rename;
        std::size_t formal = 0;
        for (const ValueRef& operand : node.inputs)
            if (operand.valid())
                rename.emplace_back(inst->inputs.at(formal++).name, nameOfOperand(operand));
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            rename.emplace_back(inst->outputs.at(i).name,
                                nameOfResult({node.id, static_cast<int>(i)}));
        for (const TensorDecl& decl : inst->temporaries)
            rename.emplace_back(decl.name, temporary(decl.type));
        m_members.push_back({&node, inst.take(), std::move(rename)});
        return {};
    }

    Symbol temporary(const TensorType& type) {
        const Symbol name(fmt::format("t{}", m_body.inst.temporaries.size()));
        m_body.inst.temporaries.push_back({name, type});
        return name;
    }

    Symbol nameOfOperand(ValueRef operand) {
        if (const auto known = m_names.find(operand); known != m_names.end())
            return known->second;
        const std::size_t place = m_body.operands.size();
        const Symbol name(fmt::format("in{}", place));
        m_names.emplace(operand, name);
        m_body.inst.inputs.push_back({name, m_graph.type(operand)});
        if (place >= m_site.inputs.size() || m_site.inputs[place] != operand)
            throw InternalError("inputs of a group are not in order of first use");
        m_body.operands.push_back(place);
        m_body.inputLayouts.push_back(m_site.layout(operand));
        m_body.constantInput.push_back(m_graph.constant(operand) != nullptr);
        if (auto literal = literalOf(m_graph, operand))
            m_literals.emplace(name, *literal);
        return name;
    }

    Symbol nameOfResult(ValueRef value) {
        if (const auto known = m_names.find(value); known != m_names.end())
            return known->second;
        const Symbol name = temporary(m_graph.type(value));
        m_names.emplace(value, name);
        const StorageMap map = m_site.layout(value);
        if (!map.isRowMajor() && map.slices.empty() && isWhole(map, m_graph.type(value).shape))
            m_body.innerLayouts.emplace(name, map);
        return name;
    }

    void addStages(std::size_t position, VariableNames& variables) {
        const Member& member = m_members[position];
        std::map<Symbol, Symbol> axes;
        OpInst own = renamed(member.inst, member.tensors, [&](Symbol var) {
            const Symbol name = variables.take(var, position);
            axes.emplace(var, name);
            return name;
        });
        if (member.node->id == m_site.anchor) {
            m_body.anchor = {std::move(axes), {member.tensors.begin(), member.tensors.end()}};
            // Of a computation of its own the operands are those of the operator all the same.
            const std::vector<std::string> operands =
                m_graph.operators().find(member.node->op)->inputNames();
            for (std::size_t i = 0; i < std::min(operands.size(), member.node->inputs.size()); ++i)
                if (member.node->inputs[i].valid())
                    m_body.anchor.tensors.emplace(operands[i], m_names.at(member.node->inputs[i]));
        }
        for (Stage& stage : own.stages) {
            stage.nodes = {static_cast<std::int64_t>(position)};
            m_body.inst.stages.push_back(std::move(stage));
        }
    }

    void putLiterals() {
        // A guarded read is of what lies outside, too.
        for (const Stage& stage : m_body.inst.stages)
            visitExpr(stage.body, [&](const Expr& part) {
                if (part.op() == ExprOp::Pad)
                    m_literals.erase(part.arg(0)->symbol);
            });
        if (m_literals.empty())
            return;
        for (Stage& stage : m_body.inst.stages)
            stage.body = mapExpr(stage.body, [&](const Expr& part) {
                if (part.op() != ExprOp::Load)
                    return part;
                const auto literal = m_literals.find(part->symbol);
                return literal == m_literals.end() ? part : literal->second;
            });
    }

    const GroupSite& m_site;
    const Graph& m_graph;
    GroupBody m_body;
    std::map<ValueRef, Symbol> m_names;
    std::map<Symbol, Expr> m_literals; // constants of one element
    std::vector<Member> m_members;
};

} // namespace

Result<GroupBody> groupBody(const GroupSite& site) {
    return Joining(site).make();
}

} // namespace fw
