// The half of the executor that runs only when shapes or buffers change: symbols, sizes, addresses.
#include "runtime/breadcrumb.h"
#include "runtime/executor.h"

namespace fw::runtime {

namespace {

constexpr std::int64_t unbound = -1;
constexpr std::size_t keptShapes = 4; // sets of library calls

// Empty tensors still have an address, so that kernels never see null.
alignas(64) std::byte nothing[64];

std::size_t aligned(std::int64_t bytes) {
    return (static_cast<std::size_t>(bytes) + memoryAlignment - 1) / memoryAlignment *
           memoryAlignment;
}

// "; here N is 8, M is 3": the free dimensions of a condition.
std::string sizesText(const Program& program, const Expression& expression,
                      const std::vector<std::int64_t>& values) {
    std::string out;
    for (std::size_t i = 0; i < values.size(); ++i)
        for (const Instruction& instruction : expression.code)
            if (instruction.op == Op::Symbol && instruction.value == static_cast<std::int64_t>(i)) {
                out += (out.empty() ? "; here " : ", ") + program.symbols[i].name + " is " +
                       std::to_string(values[i]);
                break;
            }
    return out;
}

bool isAligned(const std::byte* data) {
    return reinterpret_cast<std::uintptr_t>(data) % memoryAlignment == 0;
}

} // namespace

Status Executor::bindSymbols(std::vector<std::int64_t>& values) const {
    values = m_wanted;
    std::vector<std::string> source(values.size(), "fw_set_symbol");
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const Tensor& tensor = m_program.tensors[m_program.inputs[i]];
        if (!m_inputs[i].given)
            return fail(FW_INPUT_MISSING, "input %zu (%s) has not been set", i,
                        tensor.name.c_str());
        for (std::size_t d = 0; d < tensor.dims.size(); ++d) {
            const auto id = symbolOf(m_program.expressions[tensor.dims[d]]);
            if (!id)
                continue;
            const std::int64_t value = m_inputs[i].view.shape[d];
            if (values[*id] != unbound && values[*id] != value)
                return fail(
                    FW_BAD_SHAPE, "free dimension %s is %lld from %s but %lld from input %s",
                    m_program.symbols[*id].name.c_str(), static_cast<long long>(values[*id]),
                    source[*id].c_str(), static_cast<long long>(value), tensor.name.c_str());
            values[*id] = value;
            source[*id] = "input " + tensor.name;
        }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Symbol& symbol = m_program.symbols[i];
        if (values[i] == unbound && symbol.minimum == symbol.maximum)
            values[i] = symbol.minimum;
        if (values[i] == unbound)
            return fail(FW_SYMBOL_UNBOUND,
                        "free dimension %s has no value: no input has it as an extent",
                        symbol.name.c_str());
        if (values[i] < symbol.minimum || values[i] > symbol.maximum)
            return fail(FW_BAD_SHAPE, "free dimension %s must lie between %lld and %lld, got %lld",
                        symbol.name.c_str(), static_cast<long long>(symbol.minimum),
                        static_cast<long long>(symbol.maximum), static_cast<long long>(values[i]));
    }
    return {};
}

Status Executor::checkInputs(const std::vector<std::int64_t>& values) const {
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const Tensor& tensor = m_program.tensors[m_program.inputs[i]];
        for (std::size_t d = 0; d < tensor.dims.size(); ++d) {
            std::int64_t extent = 0;
            if (evaluate(m_program.expressions[tensor.dims[d]], values.data(), extent) !=
                Evaluation::Ok)
                return fail(FW_OVERFLOW, "input %s: extent %zu cannot be computed for these shapes",
                            tensor.name.c_str(), d);
            if (extent != m_inputs[i].view.shape[d])
                return fail(FW_BAD_SHAPE, "input %s: extent %zu must be %lld, got shape %s",
                            tensor.name.c_str(), d, static_cast<long long>(extent),
                            shapeText(m_inputs[i].view.shape).c_str());
        }
    }
    return {};
}

Status Executor::checkAssumptions(const std::vector<std::int64_t>& values) const {
    for (const Assumption& assumption : m_program.assumptions) {
        std::int64_t holds = 0;
        if (evaluate(m_program.expressions[assumption.condition], values.data(), holds) !=
            Evaluation::Ok)
            return fail(FW_OVERFLOW, "cannot be computed for these shapes: %s",
                        assumption.sentence.c_str());
        if (holds == 0)
            return fail(
                FW_ASSUMPTION_FAILED, "%s%s", assumption.sentence.c_str(),
                sizesText(m_program, m_program.expressions[assumption.condition], values).c_str());
    }
    return {};
}

Status Executor::prepareCalls(const std::vector<std::int64_t>& symbols, const MemoryPlan& plan) {
    bool any = false;
    for (const Step& step : m_program.steps)
        any = any || step.kernel == libraryKernel;
    if (!any)
        return {};
    for (std::size_t i = 0; i < m_calls.size(); ++i)
        if (m_calls[i].symbols == symbols) {
            Calls found = std::move(m_calls[i]);
            m_calls.erase(m_calls.begin() + static_cast<std::ptrdiff_t>(i));
            m_calls.insert(m_calls.begin(), std::move(found));
            return {};
        }
    Calls calls;
    calls.symbols = symbols;
    calls.byStep.resize(m_program.steps.size());
    std::size_t scratch = 0;
    for (std::size_t s = 0; s < m_program.steps.size(); ++s) {
        const Step& step = m_program.steps[s];
        if (step.kernel != libraryKernel)
            continue;
        const Breadcrumb at(m_crumbs[s]);
        std::vector<std::int64_t> bytes;
        for (const BufferUse& use : step.buffers)
            bytes.push_back(plan.bytes[use.tensor]);
        ShapedCall shaped;
        if (Status status = shapeCall(m_program.calls[step.call], m_program.expressions,
                                      symbols.data(), bytes, step.name, shaped);
            !status.ok())
            return status;
        if (Status status = m_libraries(shaped, m_settings.threads, calls.byStep[s]);
            !status.ok()) {
            status.message = step.name + ": " + status.message;
            return status;
        }
        if (const OpenMp* openMp = calls.byStep[s]->openMp())
            m_settings.openMp = openMp;
        if (calls.byStep[s]->scratchBytes() > scratch)
            scratch = calls.byStep[s]->scratchBytes();
    }
    if (Status status = m_scratch.reserve(scratch); !status.ok())
        return status;
    if (m_calls.size() >= keptShapes)
        m_calls.pop_back();
    m_calls.insert(m_calls.begin(), std::move(calls));
    return {};
}

Status Executor::prepareFixed() {
    MemoryPlan plan;
    if (Status status = planMemory(m_program, nullptr, plan); !status.ok())
        return status;
    return prepareCalls({}, plan);
}

Status Executor::planShapes(const std::vector<std::int64_t>& values) {
    MemoryPlan plan;
    if (Status status = planMemory(m_program, values.data(), plan); !status.ok())
        return status;
    std::vector<std::vector<std::int64_t>> operands(m_program.steps.size());
    for (std::size_t s = 0; s < m_program.steps.size(); ++s) {
        const Step& step = m_program.steps[s];
        for (ExpressionId id : step.symbols) {
            std::int64_t value = 0;
            if (evaluate(m_program.expressions[id], values.data(), value) != Evaluation::Ok)
                return fail(FW_OVERFLOW, "step %s: a size cannot be computed for these shapes",
                            step.name.c_str());
            operands[s].push_back(value);
        }
        if (step.kernel == copyKernel &&
            plan.bytes[step.buffers[0].tensor] != plan.bytes[step.buffers[1].tensor])
            return fail(FW_BAD_PROGRAM, "copy step %s: sizes differ", step.name.c_str());
    }
    std::vector<std::vector<std::int64_t>> shapes(m_program.outputs.size());
    for (std::size_t i = 0; i < shapes.size(); ++i)
        for (ExpressionId dim : m_program.tensors[m_program.outputs[i]].dims) {
            std::int64_t extent = 0;
            evaluate(m_program.expressions[dim], values.data(),
                     extent); // planMemory did it without error
            shapes[i].push_back(extent);
        }
    if (Status status = prepareCalls(values, plan); !status.ok())
        return status;
    if (Status status = m_arena.reserve(static_cast<std::size_t>(plan.arenaBytes)); !status.ok())
        return status;
    m_symbols = values;
    m_plan = std::move(plan);
    m_operands = std::move(operands);
    m_outputShapes = std::move(shapes);
    m_planned = true;
    return {};
}

Status Executor::prepare() {
    if (!m_planned) {
        m_resolved = false;
        std::vector<std::int64_t> values;
        if (Status status = bindSymbols(values); !status.ok())
            return status;
        if (Status status = checkInputs(values); !status.ok())
            return status;
        if (Status status = checkAssumptions(values); !status.ok())
            return status;
        if (Status status = planShapes(values); !status.ok())
            return status;
    }
    return m_resolved ? Status{} : resolve();
}

Status Executor::placeInputsAndOutputs() {
    for (Signature& input : m_inputs)
        input.direct =
            input.view.contiguous && isAligned(input.view.data) && input.view.elements > 0;
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
        Signature& output = m_outputs[i];
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
    std::size_t staging = 0;
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        staging += m_inputs[i].direct ? 0 : aligned(m_plan.bytes[m_program.inputs[i]]);
    for (std::size_t i = 0; i < m_outputs.size(); ++i)
        staging += m_outputs[i].direct ? 0 : aligned(m_plan.bytes[m_program.outputs[i]]);
    if (Status status = m_staging.reserve(staging); !status.ok())
        return status;

    std::size_t next = 0;
    const auto place = [&](const Signature& entry, TensorId id) {
        if (m_plan.bytes[id] == 0) {
            m_addresses[id] = nothing;
        } else if (entry.direct) {
            m_addresses[id] = entry.view.data;
        } else {
            m_addresses[id] = m_staging.data() + next;
            next += aligned(m_plan.bytes[id]);
        }
    };
    for (std::size_t i = 0; i < m_inputs.size(); ++i)
        place(m_inputs[i], m_program.inputs[i]);
    for (std::size_t i = 0; i < m_outputs.size(); ++i)
        place(m_outputs[i], m_program.outputs[i]);
    return {};
}

Status Executor::resolve() {
    m_addresses.assign(m_program.tensors.size(), nothing);
    if (Status status = placeInputsAndOutputs(); !status.ok())
        return status;
    for (std::size_t i = 0; i < m_program.tensors.size(); ++i) {
        const Tensor& tensor = m_program.tensors[i];
        const bool piece = i < m_weights.pieces.size() && m_weights.pieces[i];
        if (m_plan.bytes[i] == 0)
            continue;
        switch (tensor.storage) {
        case Storage::Input:
        case Storage::Output:
            break;
        case Storage::Constant: // steps that write constants were refused
            m_addresses[i] =
                const_cast<std::byte*>(piece ? static_cast<const std::byte*>(m_weights.pieces[i])
                                             : m_weights.payload + tensor.offset);
            break;
        case Storage::Arena:
            m_addresses[i] = m_arena.data() + m_plan.offsets[i];
            break;
        case Storage::View:
            m_addresses[i] =
                m_addresses[rootOf(m_program, static_cast<TensorId>(i))] + m_plan.offsets[i];
            break;
        }
    }
    m_buffers.assign(m_program.steps.size(), {});
    for (std::size_t s = 0; s < m_program.steps.size(); ++s)
        for (const BufferUse& use : m_program.steps[s].buffers)
            m_buffers[s].push_back(m_addresses[use.tensor]);
    m_resolved = true;
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
