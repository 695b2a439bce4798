#include "module/assemble.h"

#include "ir/bound_dims.h"
#include "ir/missing_type.h"
#include "module/assumption_text.h"
#include "module/index_uses.h"
#include "module/library_steps.h"
#include "module/native_steps.h"
#include "module/program_metadata.h"
#include "module/program_tensors.h"

#include <fmt/format.h>
#include <set>

namespace fw {

namespace {

// Dimensions of values that somebody reads: what an unknown operator gives besides is not made up.
std::set<Symbol> dimsInUse(const Graph& graph) {
    std::set<Symbol> out;
    for (const NodePtr& node : graph.nodes())
        for (std::size_t i = 0; i < node->outputs.size(); ++i) {
            const ValueRef value{node->id, static_cast<int>(i)};
            if (node->isUnknown() && graph.uses(value).empty() && !graph.isResult(value))
                continue;
            for (const Dim& dim : node->outputs[i].type.shape)
                if (!dim.isInt())
                    out.merge(freeVars(dim));
        }
    for (const Assumption& assumption : graph.assumptions())
        out.merge(freeVars(assumption.condition));
    return out;
}

// Those that inputs say, then those that steps bind.
std::vector<Symbol> allDims(const Graph& graph) {
    std::vector<Symbol> out = graph.freeDims();
    const std::set<Symbol> used = dimsInUse(graph);
    std::erase_if(out, [&](Symbol dim) { return !used.contains(dim); });
    const std::vector<Symbol> bound = graph.boundDims();
    out.insert(out.end(), bound.begin(), bound.end());
    return out;
}

class Assembler {
public:
    Assembler(const Graph& graph, const PlanOfParts& parts, const Target& target,
              const std::map<int, KernelUse>& uses, std::size_t kernelCount, KnownWeights* known)
        : m_graph(graph), m_plan(parts.plan), m_from(parts.from), m_uses(uses),
          m_symbols(allDims(graph)), m_tensors(graph, m_plan, m_symbols, m_program, known) {
        m_program.name = graph.name();
        m_program.target = target.text;
        m_program.engine = "fusewright 0.1.0";
        m_program.requiredFeatures = target.features;
        m_program.kernelCount = static_cast<std::uint32_t>(kernelCount);
        for (const Symbol& symbol : m_symbols)
            m_program.symbols.push_back({symbol.text(), 0, largestBoundDim});
    }

    Result<Assembled> run() {
        for (const Assumption& assumption : m_graph.assumptions())
            m_program.assumptions.push_back(
                {m_tensors.expression(assumption.condition), assumptionText(m_graph, assumption)});
        signature();
        for (const Group& group : m_plan.groups) {
            const std::size_t first = m_program.steps.size();
            if (group.isView())
                view(group);
            else if (group.isOpaque())
                given(group);
            else if (group.isHost())
                host(group);
            else if (group.lowering.call)
                librarySteps(group);
            else
                step(group, m_uses.at(group.id));
            if (m_program.steps.size() > first)
                m_program.steps[first].indices = indexUses(group);
            if (group.branch >= 0)
                putInBranch(group, first);
        }
        copyResults();
        if (m_tensors.problem())
            return *m_tensors.problem();
        for (const runtime::TensorId output : m_outputs)
            m_program.outputs.push_back(output);
        runtime::deriveLifetimes(m_program);
        m_program.metadata = metadataText(m_program, m_graph, m_plan);
        Assembled out;
        out.weights = m_tensors.weights().take();
        out.hosts = std::move(m_hosts);
        out.packedBytes = m_tensors.weights().madeBytes();
        m_program.weightsBytes = out.weights->size();
        out.program = std::move(m_program);
        return out;
    }

private:
    void signature() {
        const std::vector<NodeId>& inputs = m_graph.inputs();
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const Output& output = m_graph.node(inputs[i]).outputs.at(0);
            if (m_tensors.isText(output))
                return;
            addInput({inputs[i], 0}, static_cast<std::uint32_t>(i));
        }
        for (const NamedValue& result : m_graph.results()) // no group makes it
            if (isForeignLeaf(m_graph.node(result.value.node)) && !m_tensors.has(result.value))
                given(result.value);
        for (std::size_t i = 0; i < m_graph.results().size(); ++i) {
            const NamedValue& result = m_graph.results()[i];
            const TensorType& type = m_graph.type(result.value);
            if (m_tensors.isText(m_graph.output(result.value)))
                return;
            const auto id = m_tensors.add(result.name, type, elementCount(type.shape),
                                          runtime::Storage::Output);
            m_program.tensors[id].index = static_cast<std::uint32_t>(i);
            m_outputs.push_back(id);
            const Node& producer = m_graph.node(result.value.node);
            const bool written = !producer.isLeaf() && !m_plan.groupAt(producer.id).isOpaque() &&
                                 !isView(m_graph, producer) && !m_tensors.has(result.value);
            if (written)
                m_tensors.set(result.value, id);
            else
                m_copies.emplace_back(id, result.value);
        }
    }

    void view(const Group& group) {
        const Node& node = m_graph.node(group.anchor);
        if (!isView(m_graph, node))
            return; // its operands were computed in its memory
        if (m_tensors.isText(node.outputs.at(0)))
            return;
        m_tensors.share({node.id, 0}, node.inputs.at(0), elementCount(node.outputs[0].type.shape));
        bindDims(group, node);
    }

    void bindDims(const Group& group, const Node& node) {
        const std::vector<Symbol> dims = dimsBoundBy(m_graph.operators(), node);
        if (dims.empty())
            return;
        runtime::Step out = stepOf(group);
        out.kernel = runtime::bindKernel;
        // What a reader put beside the node of the model is called after it.
        const std::string beside = "." + node.op;
        if (out.nodes.size() == 1 && out.nodes[0].ends_with(beside))
            out.nodes[0].resize(out.nodes[0].size() - beside.size());
        out.buffers.push_back({m_tensors.value(node.inputs.at(0)), runtime::Access::Read});
        for (const Symbol& dim : dims)
            out.binds.push_back(static_cast<std::uint32_t>(
                std::find(m_symbols.begin(), m_symbols.end(), dim) - m_symbols.begin()));
        m_program.steps.push_back(std::move(out));
    }

    void addInput(ValueRef value, std::uint32_t index) {
        const Output& output = m_graph.output(value);
        const auto id = m_tensors.add(output.name, output.type, elementCount(output.type.shape),
                                      runtime::Storage::Input);
        m_program.tensors[id].index = index;
        m_program.inputs.push_back(id);
        m_tensors.set(value, id);
    }

    // What nothing computes is given like an input, behind those of the model.
    void given(const Group& group) {
        for (const ValueRef& result : group.outputs)
            given(result);
    }

    void given(ValueRef value) {
        const Output& output = m_graph.output(value);
        if (output.type.dtype == DType::Text)
            return; // for who reads it to refuse
        addInput(value, static_cast<std::uint32_t>(m_program.inputs.size()));
    }

    void step(const Group& group, const KernelUse& use) {
        const KernelCode& code = *group.lowering.kernel;
        const LoopNest& nest = code.choice.lowered.nest;
        runtime::Step out = stepOf(group);
        out.kernel = static_cast<std::uint32_t>(use.kernel);
        for (const InPlace& pair : use.inPlace) {
            const ValueRef result = group.outputs[pair.output];
            m_tensors.share(result, group.inputs[code.body.operands[pair.input]],
                            m_tensors.storedElements(result));
        }
        for (const Buffer& parameter : nest.parameters)
            out.buffers.push_back(buffer(group, parameter));
        for (const Symbol& symbol : nest.symbols)
            out.symbols.push_back(m_tensors.expression(varExpr(symbol)));
        m_program.steps.push_back(std::move(out));
    }

    std::vector<runtime::IndexUse> indexUses(const Group& group) {
        std::vector<runtime::IndexUse> out;
        for (const GroupIndex& one : indicesOf(m_graph, group))
            if (hostValue(one.value).map.isRowMajor())
                out.push_back({m_tensors.value(one.value), m_tensors.expression(one.index.extent),
                               one.index.first, one.index.step, one.node, one.index.ignored});
        return out;
    }

    // By a kernel of the runtime; false: it has none, or a value lies in another order.
    bool native(const Group& group, const Node& node) {
        const auto isPlain = [&](ValueRef ref) { return hostValue(ref).map.isRowMajor(); };
        const auto call = nativeCall(group.runtimeKernel, fw::callOf(m_graph, node));
        if (!call || !std::all_of(node.inputs.begin(), node.inputs.end(), isPlain) ||
            !std::all_of(group.outputs.begin(), group.outputs.end(), isPlain))
            return false;
        runtime::Step out = stepOf(group);
        out.kernel = runtime::nativeKernel;
        out.call = static_cast<std::uint32_t>(call->op);
        for (const Expr& number : call->numbers)
            out.symbols.push_back(m_tensors.expression(number));
        for (const ValueRef& operand : node.inputs)
            out.buffers.push_back({m_tensors.value(operand), runtime::Access::Read});
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            out.buffers.push_back(
                {m_tensors.value({node.id, static_cast<int>(i)}), runtime::Access::Write});
        m_program.steps.push_back(std::move(out));
        return true;
    }

    void host(const Group& group) {
        const Node& node = m_graph.node(group.anchor);
        if (native(group, node))
            return;
        HostNode one;
        one.node = node.name;
        one.op = node.op;
        one.operators = m_graph.operatorSet();
        one.call = fw::callOf(m_graph, node);
        runtime::Step out = stepOf(group);
        out.kernel = runtime::hostKernel;
        out.call = static_cast<std::uint32_t>(m_hosts.size());
        for (const ValueRef& operand : node.inputs) {
            one.operands.emplace_back();
            if (!operand.valid())
                continue;
            one.operands.back() = hostValue(operand);
            out.buffers.push_back({m_tensors.value(operand), runtime::Access::Read});
        }
        for (const ValueRef& result : group.outputs) {
            one.results.emplace_back(result.output, hostValue(result));
            out.buffers.push_back({m_tensors.value(result), runtime::Access::Write});
        }
        m_hosts.push_back(std::move(one));
        m_program.steps.push_back(std::move(out));
    }

    // Constants lie in the order of their dimensions.
    HostValue hostValue(ValueRef ref) const {
        return {m_graph.type(ref),
                m_graph.constant(ref) != nullptr ? StorageMap{} : m_plan.layout(ref)};
    }

    runtime::Step stepOf(const Group& group) {
        runtime::Step out;
        out.name = group.name;
        const PartOfGroup& from = m_from.at(static_cast<std::size_t>(group.id));
        out.group = static_cast<std::uint32_t>(from.group);
        out.part = static_cast<std::uint32_t>(from.part);
        for (const NodeId id : group.nodes)
            out.nodes.push_back(m_graph.node(id).name);
        if (m_symbols.empty()) {
            out.flops = m_program.addConstant(static_cast<std::int64_t>(group.work.flops));
            out.bytes = m_program.addConstant(
                static_cast<std::int64_t>(group.work.bytesRead + group.work.bytesWritten));
            return out;
        }
        Expr flops = 0, bytes = 0;
        for (const NodeId id : group.nodes)
            if (const auto facts = m_graph.operators()
                                       .find(m_graph.node(id).op)
                                       ->facts(fw::callOf(m_graph, m_graph.node(id))))
                flops = flops + facts->flopsExpr;
        for (const auto* values : {&group.inputs, &group.outputs})
            for (const ValueRef& ref : *values)
                bytes = bytes + m_tensors.bytesOf(ref);
        out.flops = m_tensors.expression(flops);
        out.bytes = m_tensors.expression(bytes);
        return out;
    }

    // The steps from `first` on: one of several ways to compute the group of the user's plan.
    void putInBranch(const Group& group, std::size_t first) {
        const int whole = m_from.at(static_cast<std::size_t>(group.id)).group;
        if (m_chosenFor != whole)
            m_program.choices.emplace_back();
        m_chosenFor = whole;
        std::vector<runtime::ExpressionId>& conditions = m_program.choices.back().conditions;
        if (group.when && conditions.size() == static_cast<std::size_t>(group.branch))
            conditions.push_back(m_tensors.expression(*group.when));
        for (std::size_t s = first; s < m_program.steps.size(); ++s) {
            m_program.steps[s].choice = static_cast<std::uint32_t>(m_program.choices.size() - 1);
            m_program.steps[s].branch = static_cast<std::uint32_t>(group.branch);
        }
    }

    void librarySteps(const Group& group) {
        const ExternCall& call = *group.lowering.call;
        if (call.reused) // the output is written where this value was
            m_tensors.share(group.outputs.at(0), *call.reused,
                            m_tensors.storedElements(group.outputs.at(0)));
        std::map<std::string, runtime::TensorId> between;
        for (const ExternStep& part : call.steps) {
            runtime::Step out = stepOf(group);
            out.name += part.suffix;
            if (part.kind == runtime::CallKind::Reorder)
                moves(out, movedBy(m_tensors, part));
            out.kernel = runtime::libraryKernel;
            out.call = static_cast<std::uint32_t>(m_program.calls.size());
            for (const ExternOperand& operand : part.operands)
                out.buffers.push_back(
                    {memoryOf(m_tensors, m_graph, operand, group, between), operand.access});
            m_program.calls.push_back(libraryCallOf(m_tensors, part));
            m_program.steps.push_back(std::move(out));
        }
    }

    // A step that computes nothing: every element is read and written once.
    void moves(runtime::Step& step, const Expr& bytes) {
        step.flops = m_program.addConstant(0);
        step.bytes = m_tensors.expression(bytes * Expr(2));
    }

    runtime::BufferUse buffer(const Group& group, const Buffer& parameter) {
        const GroupBody& body = group.lowering.kernel->body;
        const StorageMaps& packs = group.lowering.kernel->choice.packs;
        const OpInst& inst = body.inst;
        for (std::size_t i = 0; i < inst.inputs.size(); ++i) {
            if (inst.inputs[i].name != parameter.name)
                continue;
            const ValueRef ref = group.inputs[body.operands[i]];
            const auto pack = packs.find(parameter.name);
            if (body.constantInput[i])
                return {m_tensors.constant(ref, pack == packs.end() ? body.inputLayouts[i]
                                                                    : pack->second),
                        runtime::Access::Read};
            return {m_tensors.value(ref), runtime::Access::Read};
        }
        // A stage may read what an earlier one wrote, but nothing of what lay there before the
        // step.
        for (std::size_t i = 0; i < inst.outputs.size(); ++i)
            if (inst.outputs[i].name == parameter.name)
                return {m_tensors.value(group.outputs[i]), runtime::Access::Write};
        // Memory between the stages of the group.
        const std::string name = fmt::format("{}.{}", group.name, parameter.name.text());
        const TensorType type{parameter.dtype, {parameter.size}};
        return {m_tensors.add(name, type, parameter.size, runtime::Storage::Arena),
                runtime::Access::Write};
    }

    void copyResults() {
        for (const auto& [output, ref] : m_copies) {
            runtime::Step out;
            out.name = "copy_" + m_program.tensors[output].name;
            out.kernel = runtime::copyKernel;
            out.buffers = {{output, runtime::Access::Write},
                           {m_tensors.value(ref), runtime::Access::Read}};
            moves(out, m_tensors.bytesOf(ref));
            m_program.steps.push_back(std::move(out));
        }
    }

    const Graph& m_graph;
    const FusionPlan& m_plan;
    const std::vector<PartOfGroup>& m_from;
    const std::map<int, KernelUse>& m_uses;
    std::vector<Symbol> m_symbols;
    runtime::Program m_program;
    ProgramTensors m_tensors;
    std::vector<HostNode> m_hosts;
    int m_chosenFor = -1; // the group of the last choice
    std::vector<runtime::TensorId> m_outputs;
    std::vector<std::pair<runtime::TensorId, ValueRef>> m_copies;
};

} // namespace

Result<Assembled> assemble(const Graph& graph, const PlanOfParts& parts, const Target& target,
                           const std::map<int, KernelUse>& uses, std::size_t kernelCount,
                           KnownWeights* known) {
    FW_TRY(Assembled out, Assembler(graph, parts, target, uses, kernelCount, known).run());
    if (const runtime::Status status = runtime::checkProgram(out.program); !status.ok())
        throw InternalError("the program breaks its rules: " + status.message);
    return out;
}

} // namespace fw
