// The part of the executor that is between the caller and the tensors of a program: what is set for
// inputs and bound for outputs, where it lies, what has to be copied.
#include "runtime/executor.h"

#include <algorithm>
#include <utility>

namespace fw::runtime {

namespace {

// A negative index of the C interface is one behind all others, and its bits are kept.
Status noSuch(const char* what, std::size_t count, std::size_t index) {
    return fail(FW_BAD_ARGUMENT, "the model has %zu %ss, there is no %s %lld", count, what, what,
                static_cast<long long>(index));
}

std::size_t aligned(std::int64_t bytes) {
    return (static_cast<std::size_t>(bytes) + memoryAlignment - 1) / memoryAlignment *
           memoryAlignment;
}

bool isAligned(const std::byte* data) {
    return reinterpret_cast<std::uintptr_t>(data) % memoryAlignment == 0;
}

} // namespace

Status Executor::inputShape(std::size_t index, std::vector<std::int64_t>& dims) const {
    if (index >= m_inputs.size())
        return noSuch("input", m_inputs.size(), index);
    const Tensor& tensor = m_program.tensors[m_program.inputs[index]];
    dims.clear();
    for (ExpressionId id : tensor.dims) {
        const Expression& expression = m_program.expressions[id];
        for (const Instruction& instruction : expression.code)
            if (instruction.op == Op::Symbol &&
                m_wanted[static_cast<std::size_t>(instruction.value)] < 0)
                return fail(
                    FW_SYMBOL_UNBOUND, "input %s: free dimension %s has not been set",
                    tensor.name.c_str(),
                    m_program.symbols[static_cast<std::size_t>(instruction.value)].name.c_str());
        std::int64_t extent = 0;
        if (evaluate(expression, m_wanted.data(), extent) != Evaluation::Ok)
            return fail(FW_OVERFLOW, "input %s: an extent cannot be computed", tensor.name.c_str());
        dims.push_back(extent);
    }
    return {};
}

Status Executor::setInput(std::size_t index, const fw_tensor& tensor) {
    if (index >= m_inputs.size())
        return noSuch("input", m_inputs.size(), index);
    const Tensor& expected = m_program.tensors[m_program.inputs[index]];
    Signature& input = m_inputs[index];
    const bool hadPlan = std::exchange(m_byPhase[0].planned, false) && input.given;
    input.given = false;
    forgetAddresses();
    TensorView view;
    if (Status status = makeView(tensor, expected, "input " + expected.name, view); !status.ok())
        return status;
    if (Status status = checkForeign(view, "input " + expected.name); !status.ok())
        return status;
    for (std::size_t d = 0; d < view.shape.size(); ++d) {
        const Expression& extent = m_program.expressions[expected.dims[d]];
        std::int64_t fixed = 0;
        if (!usesSymbols(extent) && evaluate(extent, nullptr, fixed) == Evaluation::Ok &&
            fixed != view.shape[d])
            return fail(FW_BAD_SHAPE, "input %s: dimension %zu must be %lld, got shape %s",
                        expected.name.c_str(), d, static_cast<long long>(fixed),
                        shapeText(view.shape).c_str());
    }
    m_byPhase[0].planned = hadPlan && input.view.shape == view.shape;
    input.view = std::move(view);
    input.given = true;
    return {};
}

// The memory of an output's view is written anew by the next run, and may move.
Status Executor::checkForeign(const TensorView& view, const std::string& name) const {
    bool own = touches(view, m_scratch.data(), m_scratch.size());
    for (const Phase& phase : m_byPhase)
        own = own || touches(view, phase.arena.data(), phase.arena.size()) ||
              touches(view, phase.staging.data(), phase.staging.size());
    return own ? fail(FW_BAD_ARGUMENT,
                      "%s lies in memory of the model itself, as fw_output_view gives it: copy it "
                      "to memory of your own",
                      name.c_str())
               : Status{};
}

void Executor::forgetAddresses() {
    m_hasRun = false;
    for (Phase& phase : m_byPhase)
        phase.resolved = false;
}

Status Executor::bindOutput(std::size_t index, const fw_tensor* tensor) {
    if (index >= m_outputs.size())
        return noSuch("output", m_outputs.size(), index);
    Signature& output = m_outputs[index];
    forgetAddresses();
    output.given = false;
    if (!tensor)
        return {};
    const Tensor& expected = m_program.tensors[m_program.outputs[index]];
    TensorView view;
    if (Status status = makeView(*tensor, expected, "output " + expected.name, view); !status.ok())
        return status;
    if (Status status = checkForeign(view, "output " + expected.name); !status.ok())
        return status;
    bool shared = false;
    if (Status status = findShared(view, view, shared); !status.ok())
        return status;
    if (shared)
        return fail(FW_BAD_SHAPE, "output %s: by its strides several elements lie on each other",
                    expected.name.c_str());
    output.view = std::move(view);
    output.given = true;
    return {};
}

Status Executor::outputShape(std::size_t index, std::vector<std::int64_t>& dims) {
    if (index >= m_outputs.size())
        return noSuch("output", m_outputs.size(), index);
    if (!m_byPhase[0].planned)
        if (Status status = prepare(); !status.ok())
            return status;
    const TensorId id = m_program.outputs[index];
    if (m_phases.ofTensor[id] > 0 && !m_hasRun)
        return fail(FW_SYMBOL_UNBOUND, "the shape of output %s is known when the model has run",
                    m_program.tensors[id].name.c_str());
    dims = m_outputShapes[index];
    return {};
}

Status Executor::outputView(std::size_t index, fw_tensor& view) {
    if (index >= m_outputs.size())
        return noSuch("output", m_outputs.size(), index);
    const TensorId id = m_program.outputs[index];
    if (!m_byPhase[0].planned || !m_byPhase[0].resolved || (m_phases.ofTensor[id] > 0 && !m_hasRun))
        return fail(FW_BAD_ARGUMENT, "the model has not run since its inputs or outputs changed");
    view = fw_tensor{};
    view.data = m_addresses[id];
    view.device.device_type = 1;
    view.ndim = static_cast<std::int32_t>(m_outputShapes[index].size());
    view.dtype = dlpackType(m_program.tensors[id].type);
    view.shape = m_outputShapes[index].data();
    return {};
}

// What is bound for one output must not be that of another: of both only one would be left.
Status Executor::checkOutputsApart() const {
    for (std::size_t i = 0; i < m_outputs.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            bool shared = false;
            if (!m_outputs[i].given || !m_outputs[k].given)
                continue;
            if (Status status = findShared(m_outputs[i].view, m_outputs[k].view, shared);
                !status.ok())
                return status;
            if (shared)
                return fail(FW_BAD_ARGUMENT,
                            "outputs %s and %s are bound to memory that overlaps: one would write "
                            "over the other",
                            m_program.tensors[m_program.outputs[k]].name.c_str(),
                            m_program.tensors[m_program.outputs[i]].name.c_str());
        }
    return {};
}

// Inputs with the first phase, every output in the phase that knows its size.
Status Executor::placeSignature(std::uint32_t phase) {
    if (phase == 0)
        if (Status status = checkOutputsApart(); !status.ok())
            return status;
    std::vector<std::pair<const Signature*, TensorId>> placed;
    for (std::size_t i = 0; i < m_inputs.size() && phase == 0; ++i) {
        Signature& input = m_inputs[i];
        input.direct =
            input.view.contiguous && isAligned(input.view.data) && input.view.elements > 0;
        placed.emplace_back(&input, m_program.inputs[i]);
    }
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
        if (m_phases.ofTensor[m_program.outputs[i]] != phase)
            continue;
        Signature& output = m_outputs[i];
        placed.emplace_back(&output, m_program.outputs[i]);
        output.direct = false;
        if (!output.given)
            continue;
        if (output.view.shape != m_outputShapes[i])
            return fail(FW_BAD_SHAPE,
                        "output %s has shape %s for these inputs, the bound memory has %s",
                        m_program.tensors[m_program.outputs[i]].name.c_str(),
                        shapeText(m_outputShapes[i]).c_str(), shapeText(output.view.shape).c_str());
        output.direct =
            output.view.contiguous && isAligned(output.view.data) && output.view.elements > 0;
        // A model may still read an input after it wrote an output.
        for (const Signature& input : m_inputs)
            output.direct = output.direct && !overlap(input.view, output.view);
    }
    std::size_t bytes = 0;
    for (const auto& [entry, id] : placed)
        bytes += entry->direct ? 0 : aligned(m_plan.bytes[id]);
    AlignedMemory& staging = m_byPhase[phase].staging;
    if (Status status = staging.reserve(bytes); !status.ok())
        return status;
    std::size_t next = 0;
    for (const auto& [entry, id] : placed)
        if (m_plan.bytes[id] == 0) {
            m_addresses[id] = addressOfNothing();
        } else if (entry->direct) {
            m_addresses[id] = entry->view.data;
        } else {
            m_addresses[id] = staging.data() + next;
            next += aligned(m_plan.bytes[id]);
        }
    return {};
}

void Executor::copyInputs() const {
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        if (!m_inputs[i].direct)
            copyToDense(m_inputs[i].view, m_addresses[m_program.inputs[i]]);
}

void Executor::copyOutputs() const {
    for (std::size_t i = 0; i < m_outputs.size(); ++i)
        if (m_outputs[i].given && !m_outputs[i].direct)
            copyFromDense(m_addresses[m_program.outputs[i]], m_outputs[i].view);
}

} // namespace fw::runtime
