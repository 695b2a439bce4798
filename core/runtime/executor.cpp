#include "runtime/executor.h"

#include "runtime/breadcrumb.h"
#include "runtime/cpu.h"
#include "runtime/index_check.h"
#include "runtime/native_step.h"
#include "runtime/size_text.h"
#include "runtime/team_mode.h"

#include <algorithm>
#include <cstring>
#include <ctime>

namespace fw::runtime {

Executor::Executor(Program program, const fw_kernel* kernels, Weights weights,
                   const ExecutorOptions& options)
    : m_program(std::move(program)), m_kernels(kernels), m_weights(std::move(weights)),
      m_arenaFill(options.arenaFill), m_indices(options.indices), m_libraries(options.libraries),
      m_host(options.host), m_wanted(m_program.symbols.size(), -1),
      m_inputs(m_program.inputs.size()), m_outputs(m_program.outputs.size()),
      m_phases(phasesOf(m_program)), m_byPhase(m_phases.count),
      m_taken(m_program.choices.size(), 0) {
    for (const Step& step : m_program.steps)
        if (step.kernel == libraryKernel) {
            const std::string library = libraryText(m_program.calls[step.call]);
            m_crumbs.push_back({step.name + " calling " + library, library, step.nodes});
        } else {
            m_crumbs.push_back({step.name, {}, {}});
        }
    for (std::size_t s = m_program.steps.size(); s-- > 0;)
        m_byPhase[m_phases.ofStep[s]].firstStep = s;
    for (std::size_t s = 0; s < m_program.steps.size(); ++s)
        m_byPhase[m_phases.ofStep[s]].endStep = s + 1;
    m_threads = options.threads > 0 ? options.threads : cpuInfo().cores;
    m_threads = std::min(m_threads, ThreadTeam::mostThreads);
    if (!m_program.calls.empty()) // OpenMP's threads wait for each other at the end of every loop
        m_threads = std::min(m_threads, 4 * cpuInfo().cores);
    m_settings.threads = m_threads;
    m_ownsOpenMpThreads = options.ownsOpenMpThreads;
    m_settings.controlWord =
        options.denormals == Denormals::Flush ? flushDenormalsWord : keepDenormalsWord;
}

Status Executor::open(Program program, const fw_kernel* kernels, std::size_t kernelCount,
                      Weights weights, const ExecutorOptions& options,
                      std::unique_ptr<Executor>& executor) {
    executor.reset();
    if (Status status = checkProgram(program); !status.ok())
        return status;
    if (kernelCount != program.kernelCount)
        return fail(FW_BAD_PROGRAM, "%s has %u kernels, the table has %zu", program.name.c_str(),
                    program.kernelCount, kernelCount);
    const std::uint64_t missing = program.requiredFeatures & ~cpuInfo().features;
    if (missing != 0) {
        const std::string names = featureNames(missing);
        return fail(FW_CPU_UNSUPPORTED, "%s was compiled for %s; this CPU (%s) has no %s",
                    program.name.c_str(), program.target.c_str(), cpuInfo().model.c_str(),
                    names.empty() ? "such instructions" : names.c_str());
    }
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
        const Tensor& tensor = program.tensors[i];
        const bool piece = i < weights.pieces.size() && weights.pieces[i];
        if (tensor.storage != Storage::Constant || piece || weights.payload)
            continue;
        std::int64_t bytes = 0; // an empty constant needs no data
        evaluate(program.expressions[tensor.bytes], nullptr,
                 bytes); // checkProgram did it without error
        if (bytes > 0)
            return fail(FW_BAD_WEIGHTS, "the constant %s has no data", tensor.name.c_str());
    }
    for (const Step& step : program.steps)
        if (step.kernel == libraryKernel && !options.libraries)
            return fail(FW_LIBRARY_MISSING, "step %s calls a library, and there is none here",
                        step.name.c_str());
    for (const Step& step : program.steps)
        if (step.kernel == hostKernel && !options.host)
            return fail(FW_BAD_PROGRAM,
                        "step %s has no code: only the program that compiled it can do it",
                        step.name.c_str());
    executor.reset(new Executor(std::move(program), kernels, std::move(weights), options));
    // Without free dimensions the calls are known now, and so is every refusal.
    if (!executor->m_program.symbols.empty())
        return {};
    Status status = executor->prepareFixed();
    if (!status.ok())
        executor.reset();
    return status;
}

Status Executor::checkSymbol(const std::string& name, std::size_t& index) const {
    for (index = 0; index < m_program.symbols.size(); ++index)
        if (m_program.symbols[index].name == name)
            return m_phases.ofSymbol[index] == 0
                       ? Status{}
                       : fail(FW_BAD_ARGUMENT, "%s is computed while the model runs", name.c_str());
    return fail(FW_BAD_ARGUMENT, "the model has no free dimension %s", name.c_str());
}

Status Executor::setSymbol(const std::string& name, std::int64_t value) {
    std::size_t i = 0;
    if (Status status = checkSymbol(name, i); !status.ok())
        return status;
    const Symbol& symbol = m_program.symbols[i];
    if (value < symbol.minimum || value > symbol.maximum)
        return fail(FW_BAD_SHAPE, "%s must lie between %lld and %lld, got %lld", name.c_str(),
                    static_cast<long long>(symbol.minimum), static_cast<long long>(symbol.maximum),
                    static_cast<long long>(value));
    m_wanted[i] = value;
    m_byPhase[0].planned = m_hasRun = false;
    return {};
}

Status Executor::unsetSymbol(const std::string& name) {
    std::size_t i = 0;
    if (Status status = checkSymbol(name, i); !status.ok())
        return status;
    m_wanted[i] = -1;
    m_byPhase[0].planned = m_hasRun = false;
    return {};
}

void Executor::setCancel(std::int32_t (*cancelled)(void* data), void* data) {
    m_cancelled = cancelled;
    m_cancelData = data;
}

Status Executor::setThreadPool(const fw_thread_pool* pool) {
    m_settings.pool = {};
    if (!pool)
        return {};
    if (pool->struct_size < sizeof *pool || !pool->run)
        return fail(FW_BAD_ARGUMENT, "fw_thread_pool needs its struct_size and its run");
    if (pool->threads < 1 || pool->threads > ThreadTeam::mostThreads)
        return fail(FW_BAD_ARGUMENT, "a pool has between 1 and %d threads, got %d",
                    ThreadTeam::mostThreads, pool->threads);
    m_settings.pool = *pool;
    return {};
}

StepWork Executor::work(std::size_t step) const {
    StepWork work;
    const Step& entry = m_program.steps[step];
    if (!m_byPhase[m_phases.ofStep[step]].planned || !runs(step))
        return work;
    std::int64_t value = 0;
    if (evaluate(m_program.expressions[entry.flops], m_symbols.data(), value) == Evaluation::Ok &&
        value >= 0)
        work.flops = value;
    if (evaluate(m_program.expressions[entry.bytes], m_symbols.data(), value) == Evaluation::Ok &&
        value >= 0)
        work.bytes = value;
    return work;
}

Status Executor::run() {
    return execute(nullptr, Rounds::Once);
}

Status Executor::run(std::vector<StepTime>& times) {
    times.assign(m_program.steps.size(), StepTime{});
    return execute(&times, Rounds::Once);
}

namespace {

std::int64_t now() {
    timespec time = {};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

} // namespace

// What it binds is checked when its phase begins.
Status Executor::bindStep(std::size_t step) {
    const Step& entry = m_program.steps[step];
    const auto* sizes = static_cast<const std::int64_t*>(m_buffers[step][0]);
    for (std::size_t i = 0; i < entry.binds.size(); ++i) {
        const Symbol& symbol = m_program.symbols[entry.binds[i]];
        if (sizes[i] < symbol.minimum || sizes[i] > symbol.maximum) {
            const std::string& node = entry.nodes.empty() ? entry.name : entry.nodes.front();
            return fail(FW_BAD_SHAPE,
                        "%s asks for a size of %lld, which is %s: a size lies between %lld and "
                        "%lld",
                        node.c_str(), static_cast<long long>(sizes[i]),
                        boundSizeText(m_program, entry, i, sizes[i]).c_str(),
                        static_cast<long long>(symbol.minimum),
                        static_cast<long long>(symbol.maximum));
        }
        m_symbols[entry.binds[i]] = sizes[i];
    }
    return {};
}

Status Executor::checkIndices(std::size_t step) const {
    for (const IndexUse& use : m_program.steps[step].indices) {
        std::int64_t extent = 0;
        const Tensor& tensor = m_program.tensors[use.tensor];
        if (evaluate(m_program.expressions[use.extent], m_symbols.data(), extent) != Evaluation::Ok)
            return fail(FW_OVERFLOW, "%s: the axis that %s counts has no size that can be computed",
                        use.node.c_str(), tensor.name.c_str());
        if (Status status =
                checkInside(use, tensor, m_addresses[use.tensor], m_plan.bytes[use.tensor], extent);
            !status.ok())
            return status;
    }
    return {};
}

Status Executor::runStep(std::size_t step, Attempt attempt) {
    const Step& entry = m_program.steps[step];
    const Breadcrumb at(m_crumbs[step]);
    if (m_indices == Indices::Check && !entry.indices.empty())
        if (Status status = checkIndices(step); !status.ok())
            return status;
    if (entry.kernel == copyKernel) {
        const std::int64_t bytes = m_plan.bytes[entry.buffers[0].tensor];
        std::memmove(m_buffers[step][0], m_buffers[step][1], static_cast<std::size_t>(bytes));
        return {};
    }
    if (entry.kernel == bindKernel)
        return bindStep(step);
    if (entry.kernel == nativeKernel) {
        runNative(entry, m_program, m_buffers[step].data(), m_operands[step].data());
        return {};
    }
    if (entry.kernel == hostKernel)
        return m_host->run(entry.call, m_buffers[step].data(), m_symbols.data());
    if (entry.kernel == libraryKernel) {
        PreparedCall& call = *m_byPhase[m_phases.ofStep[step]].calls.inUse()->byStep[step];
        void* const* buffers = m_buffers[step].data();
        Status status = attempt == Attempt::First ? call.run(buffers, m_scratch.data())
                                                  : call.runAgain(buffers, m_scratch.data());
        m_lostNan = call.lostNan();
        if (!status.ok())
            status.message = entry.name + ": " + status.message;
        return status;
    }
    const fw_kernel_context context = {m_buffers[step].data(), m_operands[step].data(), parallelFor,
                                       &m_settings};
    m_kernels[entry.kernel](&context);
    return m_settings.poolFault.shares == 0 ? Status{} : poolStatus(entry.name);
}

Status Executor::poolStatus(const std::string& step) {
    const PoolFault fault = std::exchange(m_settings.poolFault, PoolFault{});
    if (fault.leftOut > 0)
        return fail(FW_BAD_ARGUMENT, "%s: the thread pool left out %d of the %d shares of a loop",
                    step.c_str(), fault.leftOut, fault.shares);
    return fault.isAgain ? fail(FW_BAD_ARGUMENT,
                                "%s: the thread pool called one of the %d shares of a loop twice",
                                step.c_str(), fault.shares)
                         : fail(FW_BAD_ARGUMENT,
                                "%s: the thread pool returned before the %d shares of a loop had",
                                step.c_str(), fault.shares);
}

std::vector<StepNotes> Executor::notes() const {
    std::vector<StepNotes> out;
    for (std::size_t s = 0; s < m_program.steps.size(); ++s) {
        const CallSet* calls = m_byPhase[m_phases.ofStep[s]].calls.inUse();
        if (calls && calls->byStep[s] && !calls->byStep[s]->notes().empty())
            out.push_back({s, calls->byStep[s]->notes()});
    }
    return out;
}

Status Executor::runEach(std::vector<StepTime>& times) {
    times.assign(m_program.steps.size(), {});
    return execute(&times, Rounds::Twice);
}

Status Executor::execute(std::vector<StepTime>* times, Rounds rounds) {
    m_hasRun = false;
    const FloatingPointMode mode(m_settings.controlWord); // threads are born with it
    if (Status status = prepare(); !status.ok())
        return status;
    const TeamMode team(m_settings.openMp, callThreads(), m_settings.controlWord);
    if (m_settings.openMp && m_ownsOpenMpThreads)
        keepOthersOffThisCore(*m_settings.openMp, callThreads());
    m_lostNan = false;
    Status status = runPhases(times, rounds, Attempt::First);
    if (m_lostNan) // what was overwritten is made again from the inputs, which nothing writes
        status = runPhases(times, rounds, Attempt::Second);
    if (!status.ok())
        return status;
    m_hasRun = true;
    if (rounds == Rounds::Once)
        copyOutputs();
    return {};
}

Status Executor::runPhases(std::vector<StepTime>* times, Rounds rounds, Attempt attempt) {
    const std::int64_t start = times ? now() : 0;
    for (std::uint32_t phase = 0; phase < m_phases.count; ++phase) {
        if (phase > 0)
            if (Status status = preparePhase(phase); !status.ok())
                return status;
        const Phase& part = m_byPhase[phase];
        if (m_arenaFill == ArenaFill::Poison && part.arena.data())
            std::memset(part.arena.data(), 0xff, part.arena.size());
        if (phase == 0)
            copyInputs();
        for (std::size_t step = part.firstStep; step < part.endStep; ++step) {
            if (!runs(step))
                continue;
            if (m_cancelled && m_cancelled(m_cancelData) != 0)
                return fail(FW_CANCELLED, "cancelled before the step %s",
                            m_program.steps[step].name.c_str());
            if (rounds == Rounds::Twice)
                if (Status status = runStep(step, attempt); !status.ok())
                    return status;
            if (times)
                (*times)[step].startNs = now() - start;
            if (Status status = runStep(step, attempt); !status.ok())
                return status;
            if (times)
                (*times)[step].endNs = now() - start;
        }
    }
    return {};
}

} // namespace fw::runtime
