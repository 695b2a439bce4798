#include "strategy/group_body.h"

#include "tensor/verify.h"
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

} // namespace

Result<GroupBody> groupBody(const GroupSite& site) {
    const Graph& graph = *site.graph;
    GroupBody body;
    std::map<ValueRef, Symbol> names;
    for (std::size_t i = 0; i < site.outputs.size(); ++i) {
        const ValueRef value = site.outputs[i];
        const Symbol name(fmt::format("out{}", i));
        names.emplace(value, name);
        body.inst.outputs.push_back({name, graph.type(value)});
        body.outputLayouts.push_back(site.layout(value));
    }
    std::map<Symbol, Expr> literals;
    std::vector<Member> members;
    int temporaries = 0;
    for (const NodeId id : site.nodes) {
        const Node& node = graph.node(id);
        const Operator* op = graph.operators().find(node.op);
        Result<OpInst> inst = site.computation && id == site.anchor
                                  ? site.computation()
                                  : op->instantiate(callOf(graph, node));
        if (!inst)
            return inst.takeDiag().at({{}, node.name});
        inst = widened(*inst);
        std::vector<std::pair<Symbol, Symbol>> rename;
        std::size_t formal = 0;
        for (const ValueRef& operand : node.inputs) {
            if (!operand.valid())
                continue;
            if (!names.contains(operand)) {
                const Symbol name(fmt::format("in{}", body.operands.size()));
                names.emplace(operand, name);
                body.inst.inputs.push_back({name, graph.type(operand)});
                if (body.operands.size() >= site.inputs.size() ||
                    site.inputs[body.operands.size()] != operand)
                    throw InternalError("inputs of a group are not in order of first use");
                body.operands.push_back(body.operands.size());
                body.inputLayouts.push_back(site.layout(operand));
                body.constantInput.push_back(graph.constant(operand) != nullptr);
                if (auto literal = literalOf(graph, operand))
                    literals.emplace(name, *literal);
            }
            rename.emplace_back(inst->inputs.at(formal++).name, names.at(operand));
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const ValueRef value{node.id, static_cast<int>(i)};
            if (!names.contains(value)) {
                const Symbol name(fmt::format("t{}", temporaries++));
                names.emplace(value, name);
                body.inst.temporaries.push_back({name, graph.type(value)});
                const StorageMap map = site.layout(value);
                if (!map.isRowMajor() && map.slices.empty() &&
                    isWhole(map, graph.type(value).shape))
                    body.innerLayouts.emplace(name, map);
            }
            rename.emplace_back(inst->outputs.at(i).name, names.at(value));
        }
        for (const TensorDecl& decl : inst->temporaries) {
            const Symbol name(fmt::format("t{}", temporaries++));
            rename.emplace_back(decl.name, name);
            body.inst.temporaries.push_back({name, decl.type});
        }
        members.push_back({&node, inst.take(), std::move(rename)});
    }
    VariableNames variables(members);
    for (std::size_t position = 0; position < members.size(); ++position) {
        const Member& member = members[position];
        std::map<Symbol, Symbol> axes;
        OpInst own = renamed(member.inst, member.tensors, [&](Symbol var) {
            const Symbol name = variables.take(var, position);
            axes.emplace(var, name);
            return name;
        });
        if (member.node->id == site.anchor) {
            body.anchor = {std::move(axes), {member.tensors.begin(), member.tensors.end()}};
            // Of a computation of its own the operands are those of the operator all the same.
            const std::vector<std::string> operands =
                graph.operators().find(member.node->op)->inputNames();
            for (std::size_t i = 0; i < std::min(operands.size(), member.node->inputs.size()); ++i)
                if (member.node->inputs[i].valid())
                    body.anchor.tensors.emplace(operands[i], names.at(member.node->inputs[i]));
        }
        for (Stage& stage : own.stages) {
            stage.nodes = {static_cast<std::int64_t>(position)};
            body.inst.stages.push_back(std::move(stage));
        }
    }
    // A guarded read is of what lies outside, too.
    for (const Stage& stage : body.inst.stages)
        visitExpr(stage.body, [&](const Expr& part) {
            if (part.op() == ExprOp::Pad)
                literals.erase(part.arg(0)->symbol);
        });
    if (!literals.empty())
        for (Stage& stage : body.inst.stages)
            stage.body = mapExpr(stage.body, [&](const Expr& part) {
                if (part.op() != ExprOp::Load)
                    return part;
                const auto literal = literals.find(part->symbol);
                return literal == literals.end() ? part : literal->second;
            });
    removeDeadStages(body.inst);
    keepUsedInputs(body);
    FW_CHECK(verified(body, site));
    return body;
}

} // namespace fw
