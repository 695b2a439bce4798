// A compiled module in memory, ready to run: kernels by the JIT, memory and steps by the runtime.
#pragma once

#include "base/cancel.h"
#include "codegen/jit.h"
#include "module/compile.h"
#include "runtime/executor.h"

#include <memory>

namespace fw {

// Runs come from the thread that calls; not thread-safe.
class LoadedModule {
public:
    const CompiledModule& module() const { return *m_module; }
    runtime::Executor& executor() { return *m_executor; }

    // Runs from now on ask it before each step, and say Cancelled.
    void stopBy(const CancelToken& cancel) { m_cancel = cancel; }

    // Operands in the order of the signature; shapes bind free dimensions. InputMismatch names the
    // input.
    Result<std::vector<TensorData>> run(const std::vector<TensorData>& inputs);
    Status setInputs(const std::vector<TensorData>& inputs); // borrowed until the next call
    Status runAgain();                                       // with the inputs set last
    Status runTimed(std::vector<runtime::StepTime>& times);
    Status runEach(std::vector<runtime::StepTime>& times); // every step alone; no outputs
    Result<std::vector<TensorData>> outputs();
    // Seeded values for every input, behind those of the first ones that are given; free dimensions
    // take the sizes of these, `dims` or 1, or what an assumption that 1 breaks names instead.
    Result<std::vector<TensorData>> randomInputs(std::uint64_t seed,
                                                 const std::map<std::string, std::int64_t>& dims,
                                                 std::vector<TensorData> given = {}) const;

private:
    Status checked(const runtime::Status& status) const;
    friend Result<std::unique_ptr<LoadedModule>> loadModule(std::shared_ptr<const CompiledModule>,
                                                            const Target&, runtime::ArenaFill);
    std::shared_ptr<const CompiledModule> m_module;
    JitModule m_jit;
    std::vector<fw_kernel> m_kernels;
    std::unique_ptr<HostNodes> m_host; // before the executor that asks it
    std::unique_ptr<runtime::Executor> m_executor;
    std::vector<TensorData> m_inputs;
    CancelToken m_cancel;
};

// The target says how many threads run it.
Result<std::unique_ptr<LoadedModule>>
loadModule(std::shared_ptr<const CompiledModule> module, const Target& target,
           runtime::ArenaFill fill = runtime::ArenaFill::Leave);

} // namespace fw
