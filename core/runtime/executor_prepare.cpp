// The half of the executor that runs only when shapes or buffers change: symbols, sizes, addresses.
#include "runtime/breadcrumb.h"
#include "runtime/executor.h"
#include "runtime/native_step.h"
#include "runtime/size_text.h"

#include <algorithm>
#include <utility>

namespace fw::runtime {

namespace {

constexpr std::int64_t unbound = -1;

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
                    FW_BAD_SHAPE,
                    "free dimension %s is %lld from %s but %lld from dimension %zu of input %s",
                    m_program.symbols[*id].name.c_str(), static_cast<long long>(values[*id]),
                    source[*id].c_str(), static_cast<long long>(value), d, tensor.name.c_str());
            values[*id] = value;
            source[*id] = "dimension " + std::to_string(d) + " of input " + tensor.name;
        }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Symbol& symbol = m_program.symbols[i];
        if (m_phases.ofSymbol[i] > 0) {
            values[i] = unbound; // until its step has run
            continue;
        }
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
                return fail(FW_OVERFLOW,
                            "input %s: dimension %zu cannot be computed for these shapes",
                            tensor.name.c_str(), d);
            if (extent != m_inputs[i].view.shape[d])
                return fail(FW_BAD_SHAPE, "input %s: dimension %zu must be %lld, got shape %s",
                            tensor.name.c_str(), d, static_cast<long long>(extent),
                            shapeText(m_inputs[i].view.shape).c_str());
        }
    }
    return {};
}

Status Executor::checkAssumptions(std::uint32_t phase) const {
    for (const Assumption& assumption : m_program.assumptions) {
        const Expression& condition = m_program.expressions[assumption.condition];
        if (m_phases.of(condition) != phase)
            continue;
        std::int64_t holds = 0;
        if (evaluate(condition, m_symbols.data(), holds) != Evaluation::Ok)
            return fail(FW_OVERFLOW, "cannot be computed for these shapes: %s",
                        assumption.sentence.c_str());
        if (holds == 0)
            return fail(FW_ASSUMPTION_FAILED, "%s%s", assumption.sentence.c_str(),
                        sizesText(m_program, condition, m_symbols).c_str());
    }
    return {};
}

Status Executor::prepareCalls(std::uint32_t phase, const std::vector<std::int64_t>& symbols,
                              const MemoryPlan& plan) {
    Phase& part = m_byPhase[phase];
    bool any = false;
    for (std::size_t s = part.firstStep; s < part.endStep; ++s)
        any = any || m_program.steps[s].kernel == libraryKernel;
    if (!any)
        return {};
    if (const CallSet* kept = part.calls.use(symbols, callThreads()))
        return m_scratch.reserve(kept->scratch);
    const FloatingPointMode mode(m_settings.controlWord); // calls are tried, see onednn_trial.h
    CallSet calls;
    calls.symbols = symbols;
    calls.byStep.resize(m_program.steps.size());
    for (std::size_t s = part.firstStep; s < part.endStep; ++s) {
        if (m_program.steps[s].kernel != libraryKernel || !runs(s))
            continue;
        if (Status status = prepareCallOf(s, symbols, plan, calls.byStep[s]); !status.ok())
            return status;
        calls.scratch = std::max(calls.scratch, calls.byStep[s]->scratchBytes());
    }
    if (Status status = m_scratch.reserve(calls.scratch); !status.ok())
        return status;
    calls.threads = callThreads();
    part.calls.add(std::move(calls));
    return {};
}

Status Executor::prepareCallOf(std::size_t step, const std::vector<std::int64_t>& symbols,
                               const MemoryPlan& plan, std::unique_ptr<PreparedCall>& call) {
    const Step& entry = m_program.steps[step];
    const Breadcrumb at(m_crumbs[step]);
    std::vector<std::int64_t> bytes;
    for (const BufferUse& use : entry.buffers)
        bytes.push_back(plan.bytes[use.tensor]);
    ShapedCall shaped;
    if (Status status = shapeCall(m_program.calls[entry.call], m_program.expressions,
                                  symbols.data(), bytes, entry.name, shaped);
        !status.ok())
        return status;
    if (Status status = m_libraries(shaped, callThreads(), call); !status.ok()) {
        status.message = entry.name + ": " + status.message;
        return status;
    }
    if (const OpenMp* openMp = call->openMp(); openMp && !m_settings.openMp) {
        m_settings.openMp = openMp;
        if (!m_settings.pool.run) // as the library did
            m_settings.threads = teamFor(*openMp, m_settings.threads);
    }
    return {};
}

// Which branch of the choices in a phase its sizes lead to.
Status Executor::chooseBranches(std::uint32_t phase) {
    const Phase& part = m_byPhase[phase];
    std::uint32_t before = noChoice;
    for (std::size_t s = part.firstStep; s < part.endStep; ++s) {
        const Step& step = m_program.steps[s];
        if (std::exchange(before, step.choice) == step.choice || step.choice == noChoice)
            continue;
        const std::vector<ExpressionId>& conditions = m_program.choices[step.choice].conditions;
        std::size_t& branch = m_taken[step.choice];
        for (branch = 0; branch < conditions.size(); ++branch) {
            std::int64_t holds = 0;
            if (evaluate(m_program.expressions[conditions[branch]], m_symbols.data(), holds) !=
                Evaluation::Ok)
                return fail(FW_OVERFLOW,
                            "step %s: what computes it depends on sizes that are too large",
                            step.name.c_str());
            if (holds != 0)
                break;
        }
    }
    return {};
}

// Calls were made ready for a number of threads: where it changes, they are made ready anew.
void Executor::fitTeam() {
    std::int32_t threads = m_settings.pool.run ? m_settings.pool.threads : m_threads;
    const std::int32_t before = callThreads();
    if (insideOpenMpRegion(m_settings.openMp))
        threads = 1;
    else if (m_settings.openMp && !m_settings.pool.run)
        threads = teamFor(*m_settings.openMp, m_threads);
    m_settings.threads = threads;
    if (callThreads() != before && !m_program.calls.empty())
        for (Phase& phase : m_byPhase)
            phase.planned = phase.resolved = false;
}

Status Executor::prepareFixed() {
    fitTeam();
    if (Status status = chooseBranches(0); !status.ok())
        return status;
    MemoryPlan plan;
    if (Status status = planMemory(m_program, nullptr, plan); !status.ok())
        return status;
    return prepareCalls(0, {}, plan);
}

Status Executor::planShapes(std::uint32_t phase) {
    if (Status status = chooseBranches(phase); !status.ok())
        return status;
    Phase& part = m_byPhase[phase];
    MemoryPlan plan = phase == 0 ? MemoryPlan{} : m_plan;
    if (Status status = planPhase(m_program, m_phases, phase, m_symbols.data(), plan); !status.ok())
        return status;
    std::vector<std::vector<std::int64_t>> operands(part.endStep - part.firstStep);
    for (std::size_t s = part.firstStep; s < part.endStep; ++s)
        if (runs(s))
            if (Status status =
                    planStep(m_program.steps[s], plan.bytes, operands[s - part.firstStep]);
                !status.ok())
                return status;
    if (Status status = prepareCalls(phase, m_symbols, plan); !status.ok())
        return status;
    const auto bytes = static_cast<std::size_t>(plan.arenas[phase].bytes);
    if (Status status = part.arena.reserve(bytes); !status.ok())
        return status;
    m_plan = std::move(plan);
    m_operands.resize(m_program.steps.size());
    std::move(operands.begin(), operands.end(),
              m_operands.begin() + static_cast<std::ptrdiff_t>(part.firstStep));
    setOutputShapes(phase);
    part.symbols = m_symbols;
    part.planned = true;
    return {};
}

// The values of its symbols, and whether its tensors fit them.
Status Executor::planStep(const Step& step, const std::vector<std::int64_t>& bytes,
                          std::vector<std::int64_t>& operands) const {
    for (ExpressionId id : step.symbols) {
        std::int64_t value = 0;
        if (evaluate(m_program.expressions[id], m_symbols.data(), value) != Evaluation::Ok)
            return fail(FW_OVERFLOW, "step %s: a size cannot be computed for these shapes",
                        step.name.c_str());
        operands.push_back(value);
    }
    if (step.kernel == copyKernel && bytes[step.buffers[0].tensor] != bytes[step.buffers[1].tensor])
        return fail(FW_BAD_PROGRAM, "copy step %s: sizes differ", step.name.c_str());
    if (step.kernel == nativeKernel)
        return fitNative(step, m_program, operands.data(), bytes);
    if (step.kernel == bindKernel &&
        bytes[step.buffers[0].tensor] <
            static_cast<std::int64_t>(step.binds.size() * sizeof(std::int64_t)))
        return fail(FW_BAD_PROGRAM, "step %s: there are not that many sizes", step.name.c_str());
    return {};
}

// Of those that the phase knows.
void Executor::setOutputShapes(std::uint32_t phase) {
    m_outputShapes.resize(m_program.outputs.size());
    for (std::size_t i = 0; i < m_program.outputs.size(); ++i) {
        if (m_phases.ofTensor[m_program.outputs[i]] != phase)
            continue;
        m_outputShapes[i].clear();
        for (ExpressionId dim : m_program.tensors[m_program.outputs[i]].dims) {
            std::int64_t extent = 0;
            evaluate(m_program.expressions[dim], m_symbols.data(),
                     extent); // planPhase did it without error
            m_outputShapes[i].push_back(extent);
        }
    }
}

void Executor::trim() {
    forgetAddresses();
    for (Phase& phase : m_byPhase) {
        phase.planned = false;
        phase.arena.release();
        phase.staging.release();
        phase.calls.clear();
    }
    m_scratch.release();
    m_plan = {};
}

Status Executor::prepare() {
    fitTeam();
    Phase& first = m_byPhase[0];
    if (!first.planned) {
        std::vector<std::int64_t> values;
        if (Status status = bindSymbols(values); !status.ok())
            return status;
        if (Status status = checkInputs(values); !status.ok())
            return status;
        forgetAddresses();
        for (Phase& phase : m_byPhase)
            phase.planned = false;
        m_symbols = std::move(values);
        if (Status status = checkAssumptions(0); !status.ok())
            return status;
        if (Status status = planShapes(0); !status.ok())
            return status;
    }
    return first.resolved ? Status{} : resolve(0);
}

Status Executor::preparePhase(std::uint32_t phase) {
    Phase& part = m_byPhase[phase];
    for (std::size_t i = 0; i < m_symbols.size(); ++i)
        if (m_phases.ofSymbol[i] > phase)
            m_symbols[i] = unbound;
    if (!part.planned || part.symbols != m_symbols) {
        for (std::size_t later = phase; later < m_byPhase.size(); ++later)
            m_byPhase[later].planned = m_byPhase[later].resolved = false;
        if (Status status = checkAssumptions(phase); !status.ok())
            return status;
        if (Status status = planShapes(phase); !status.ok())
            return status;
    }
    return part.resolved ? Status{} : resolve(phase);
}

Status Executor::resolve(std::uint32_t phase) {
    Phase& part = m_byPhase[phase];
    m_addresses.resize(m_program.tensors.size(), addressOfNothing());
    if (Status status = placeSignature(phase); !status.ok())
        return status;
    for (std::size_t i = 0; i < m_program.tensors.size(); ++i) {
        if (m_phases.ofTensor[i] != phase)
            continue;
        const Tensor& tensor = m_program.tensors[i];
        const bool piece = i < m_weights.pieces.size() && m_weights.pieces[i];
        if (m_plan.bytes[i] == 0) {
            m_addresses[i] = addressOfNothing();
            continue;
        }
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
            m_addresses[i] = part.arena.data() + m_plan.offsets[i];
            break;
        case Storage::View:
            m_addresses[i] =
                m_addresses[rootOf(m_program, static_cast<TensorId>(i))] + m_plan.offsets[i];
            break;
        }
    }
    m_buffers.resize(m_program.steps.size());
    for (std::size_t s = part.firstStep; s < part.endStep; ++s) {
        m_buffers[s].clear();
        for (const BufferUse& use : m_program.steps[s].buffers)
            m_buffers[s].push_back(m_addresses[use.tensor]);
    }
    part.resolved = true;
    return {};
}

} // namespace fw::runtime
