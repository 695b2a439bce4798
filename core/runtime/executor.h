// Runs a program: binds free dimensions to the inputs' shapes, plans and owns the arena, calls the
// kernels in order. Where steps bind further ones, that is done phase by phase (Phases).
//
// The JIT session and exported modules use this same class; they differ in where kernels and
// constants lie. One executor serves one caller at a time. Nothing is printed, nothing throws;
// every refusal is a Status with a sentence.
#pragma once

#include "runtime/arena.h"
#include "runtime/breadcrumb.h"
#include "runtime/kept_calls.h"
#include "runtime/libraries.h"
#include "runtime/parallel.h"
#include "runtime/tensor_view.h"
#include "runtime/weights.h"

#include <memory>

namespace fw::runtime {

enum class Denormals : std::uint8_t { Keep, Flush };
// What becomes of an index that lies outside of its axis.
enum class Indices : std::uint8_t { Clamp, Check };
enum class ArenaFill : std::uint8_t {
    Leave,
    Poison
}; // Poison: all bits set (NaN) before each run, for tests

// Does the steps of hostKernel.
class HostSteps {
public:
    virtual ~HostSteps() = default;
    // Buffers in the order of the step's; symbols: the values of the program's free dimensions, -1
    // where a later step binds it.
    virtual Status run(std::uint32_t call, void* const* buffers, const std::int64_t* symbols) = 0;
};

struct ExecutorOptions {
    std::int32_t threads = 0; // 0: CpuInfo::cores
    Denormals denormals = Denormals::Keep;
    ArenaFill arenaFill = ArenaFill::Leave;
    Indices indices = Indices::Clamp;
    // How library calls are made ready: prepareCall, or null where no step is one. A pointer, so
    // that a module without such steps does not carry the code.
    PrepareCall libraries = nullptr;
    // Outlives the executor; null: a program with such steps is refused.
    HostSteps* host = nullptr;
    // The OpenMP threads of libraries are this program's: they are kept off the caller's core.
    bool ownsOpenMpThreads = false;
};

struct StepTime {
    std::int64_t startNs = 0; // since the start of the run
    std::int64_t endNs = 0;
};

struct StepWork {
    std::int64_t flops = -1; // -1: unknown
    std::int64_t bytes = -1;
};

struct StepNotes {
    std::size_t step = 0;
    CallNotes notes;
};

class Executor {
public:
    // Checks the program and the CPU. `kernels` and what `weights` points to must outlive the
    // executor.
    static Status open(Program program, const fw_kernel* kernels, std::size_t kernelCount,
                       Weights weights, const ExecutorOptions& options,
                       std::unique_ptr<Executor>& executor);

    const Program& program() const { return m_program; }

    // As the functions of the same names in fusewright.h.
    Status setSymbol(const std::string& name, std::int64_t value);
    Status unsetSymbol(const std::string& name);
    Status inputShape(std::size_t index, std::vector<std::int64_t>& dims) const;
    Status setInput(std::size_t index, const fw_tensor& tensor);
    Status bindOutput(std::size_t index, const fw_tensor* tensor);
    // FW_SYMBOL_UNBOUND for one that only running tells and that did not run.
    Status outputShape(std::size_t index, std::vector<std::int64_t>& dims);
    Status outputView(std::size_t index, fw_tensor& view);
    void setCancel(std::int32_t (*cancelled)(void* data), void* data);
    Status setThreadPool(const fw_thread_pool* pool);
    void setIndices(Indices indices) { m_indices = indices; }
    void trim();
    Status run();
    // One entry per step; both times are 0 for one that these shapes do not lead to.
    Status run(std::vector<StepTime>& times);
    // Every step twice in a row; the times are those of the second, on warm caches. What steps that
    // write in place compute is of no use then, so nothing is copied to the outputs.
    Status runEach(std::vector<StepTime>& times);

    // Binds symbols, checks assumptions, plans memory, of the first phase. run() does it when
    // something changed; call it to learn shapes, sizes or refusals without running.
    Status prepare();

    // Of the shapes that were prepared last, or that ran.
    const std::vector<std::int64_t>& symbolValues() const { return m_symbols; }
    const MemoryPlan& memoryPlan() const { return m_plan; }
    StepWork work(std::size_t step) const;
    // Whether these shapes lead to it: always, but for steps in a branch of a choice.
    bool runs(std::size_t step) const {
        const Step& entry = m_program.steps[step];
        return entry.choice == noChoice || m_taken[entry.choice] == entry.branch;
    }
    // What libraries did otherwise than it was compiled, in the last run if there was one.
    std::vector<StepNotes> notes() const;

private:
    Executor(Program program, const fw_kernel* kernels, Weights weights,
             const ExecutorOptions& options);

    Status bindSymbols(std::vector<std::int64_t>& values) const;
    Status checkInputs(const std::vector<std::int64_t>& values) const;
    Status checkAssumptions(std::uint32_t phase) const;
    Status preparePhase(std::uint32_t phase); // one behind the first, whose symbols are bound
    Status planShapes(std::uint32_t phase);
    Status planStep(const Step& step, const std::vector<std::int64_t>& bytes,
                    std::vector<std::int64_t>& operands) const;
    void setOutputShapes(std::uint32_t phase);
    Status chooseBranches(std::uint32_t phase);
    Status resolve(std::uint32_t phase); // addresses of its tensors
    Status checkOutputsApart() const;
    Status placeSignature(std::uint32_t phase);
    void forgetAddresses();
    Status checkForeign(const TensorView& view, const std::string& name) const;
    std::int32_t callThreads() const { return m_settings.pool.run ? 1 : m_settings.threads; }
    void fitTeam(); // m_settings.threads: what there may be now
    void copyInputs() const;
    void copyOutputs() const;
    // Library calls of the current shapes, from the few sets that are kept.
    Status prepareFixed(); // of a program without free dimensions
    Status prepareCalls(std::uint32_t phase, const std::vector<std::int64_t>& symbols,
                        const MemoryPlan& plan);
    Status prepareCallOf(std::size_t step, const std::vector<std::int64_t>& symbols,
                         const MemoryPlan& plan, std::unique_ptr<PreparedCall>& call);
    Status checkSymbol(const std::string& name, std::size_t& index) const;
    Status bindStep(std::size_t step);
    Status checkIndices(std::size_t step) const;
    enum class Attempt : std::uint8_t { First, Second }; // Second: PreparedCall::runAgain()
    Status runStep(std::size_t step, Attempt attempt);
    Status poolStatus(const std::string& step); // what the caller's pool did wrong
    enum class Rounds : std::uint8_t { Once, Twice };
    Status execute(std::vector<StepTime>* times, Rounds rounds);
    Status runPhases(std::vector<StepTime>* times, Rounds rounds, Attempt attempt);

    struct Phase {
        std::size_t firstStep = 0, endStep = 0;
        std::vector<std::int64_t> symbols; // all, for which it was planned
        bool planned = false;              // m_plan has its tensors, for `symbols`
        bool resolved = false;             // m_addresses has them
        AlignedMemory arena;
        AlignedMemory staging; // copies of inputs, outputs that nobody bound
        KeptCalls calls;
    };

    struct Signature { // what the caller gave for one input or output
        TensorView view;
        bool given = false;
        bool direct = false; // used in place
    };

    Program m_program;
    std::vector<Crumb> m_crumbs; // of the steps, for the message if one of them dies
    const fw_kernel* m_kernels;
    Weights m_weights;
    KeepTeams m_keepTeams;
    ParallelSettings m_settings;
    std::int32_t m_threads = 1; // that were asked for
    std::int32_t (*m_cancelled)(void*) = nullptr;
    void* m_cancelData = nullptr;
    ArenaFill m_arenaFill;
    Indices m_indices;
    bool m_ownsOpenMpThreads = false;
    PrepareCall m_libraries;
    HostSteps* m_host;

    std::vector<std::int64_t> m_wanted; // symbols set by name; -1: not set
    std::vector<Signature> m_inputs;
    std::vector<Signature> m_outputs;

    Phases m_phases;
    std::vector<Phase> m_byPhase; // of the program: one per phase
    bool m_hasRun = false;        // for what is set now
    bool m_lostNan = false;       // a step of the last attempt: PreparedCall::lostNan()
    std::vector<std::int64_t> m_symbols;
    std::vector<std::size_t> m_taken; // by choice: its branch for these shapes
    MemoryPlan m_plan;
    AlignedMemory m_scratch;                           // of library calls, one after another
    std::vector<std::byte*> m_addresses;               // by tensor
    std::vector<std::vector<void*>> m_buffers;         // by step
    std::vector<std::vector<std::int64_t>> m_operands; // by step: values of its symbols
    std::vector<std::vector<std::int64_t>> m_outputShapes;
};

} // namespace fw::runtime
