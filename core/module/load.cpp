#include "module/load.h"

#include "extern/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

namespace fw {

namespace {

Diag diagOf(const runtime::Status& status) {
    switch (status.code) {
    case FW_BAD_SHAPE:
    case FW_BAD_DTYPE:
    case FW_BAD_ARGUMENT:
    case FW_INPUT_MISSING:
        return makeDiag(DiagCode::InputMismatch, status.message);
    case FW_BAD_INDEX:
        return makeDiag(
            DiagCode::InputMismatch, status.message, {},
            "give indices from the beginning of the axis, or negative ones from its end");
    case FW_ASSUMPTION_FAILED:
        return makeDiag(DiagCode::InputMismatch, status.message, {},
                        "give inputs whose sizes agree, or --dim NAME=N for made-up ones");
    case FW_SYMBOL_UNBOUND:
        return makeDiag(DiagCode::DimUnbound, status.message, {}, "bind it with --dim NAME=N");
    case FW_OVERFLOW:
        return makeDiag(DiagCode::DimOverflow, status.message);
    case FW_OUT_OF_MEMORY:
        return makeDiag(DiagCode::DimOverflow, status.message, {},
                        "smaller inputs, or smaller sizes in the model, need less");
    case FW_LIBRARY_MISSING:
        return makeDiag(DiagCode::LibraryMissing, status.message, {}, "or leave it out of -libs=");
    case FW_LIBRARY_FAILED:
        return makeDiag(DiagCode::LibraryFailed, status.message);
    case FW_CANCELLED:
        return makeDiag(DiagCode::Cancelled, "the run was " + status.message);
    case FW_CPU_UNSUPPORTED:
        return makeDiag(DiagCode::TargetUnsupported, status.message, {},
                        "choose a target that this CPU can run");
    default:
        return makeDiag(DiagCode::Internal, status.message);
    }
}

Status check(const runtime::Status& status) {
    if (status.ok())
        return {};
    return diagOf(status);
}

// The caller's tensor as the runtime sees it; shape must outlive the call.
fw_tensor viewOf(const TensorData& data, std::vector<std::int64_t>& shape) {
    shape = data.extents();
    fw_tensor out{};
    out.data = const_cast<std::byte*>(data.bytes().data());
    out.device = {1, 0};
    out.ndim = static_cast<std::int32_t>(shape.size());
    out.dtype = runtime::dlpackType(programType(data.dtype()));
    out.shape = shape.data();
    return out;
}

constexpr std::int64_t maximumExtent = std::int64_t(1) << 31; // of a dimension that is made up

bool holds(const runtime::Program& program, const runtime::Assumption& assumption,
           const std::vector<std::int64_t>& symbols) {
    std::int64_t value = 0;
    return runtime::evaluate(program.expressions[assumption.condition], symbols.data(), value) ==
               runtime::Evaluation::Ok &&
           value != 0;
}

// Assumptions of sizes that are known before a run.
class MadeUpSizes {
public:
    MadeUpSizes(const runtime::Program& program, const std::vector<bool>& open)
        : m_program(program), m_open(open) {
        const runtime::Phases phases = runtime::phasesOf(program);
        for (const runtime::Assumption& assumption : program.assumptions)
            if (phases.of(program.expressions[assumption.condition]) == 0)
                m_assumptions.push_back(&assumption);
    }

    // Sizes for the open symbols that make broken assumptions hold. What stays broken is for the
    // run to refuse.
    void fit(std::vector<std::int64_t>& symbols) const {
        std::vector<std::int64_t> out = mended(symbols);
        if (const std::set<std::size_t> broken = openInBroken(out); !broken.empty()) {
            // What is halved again and again, and doubled, fits a power of two.
            constexpr std::int64_t largest = 1 << 12;
            for (std::int64_t size = 2; size <= largest; size *= 2) {
                std::vector<std::int64_t> other = symbols;
                for (const std::size_t symbol : broken)
                    other[symbol] = size;
                other = mended(std::move(other));
                if (openInBroken(other).empty()) {
                    out = std::move(other);
                    break;
                }
            }
        }
        symbols = std::move(out);
    }

private:
    // One assumption after the other: the numbers that its condition names, the sizes of other
    // symbols, and one more than each.
    std::vector<std::int64_t> mended(std::vector<std::int64_t> symbols) const {
        for (const runtime::Assumption* assumption : m_assumptions) {
            const auto& code = m_program.expressions[assumption->condition].code;
            std::vector<std::int64_t> candidates = symbols;
            for (const auto& instruction : code)
                if (instruction.op == runtime::Op::Constant && instruction.value > -maximumExtent &&
                    instruction.value < maximumExtent)
                    candidates.push_back(std::abs(instruction.value));
            for (std::size_t i = 0, named = candidates.size(); i < named; ++i)
                candidates.push_back(candidates[i] + 1);
            for (const auto& instruction : code) {
                if (instruction.op != runtime::Op::Symbol)
                    continue;
                const auto symbol = static_cast<std::size_t>(instruction.value);
                const std::int64_t before = symbols[symbol];
                for (const std::int64_t candidate : candidates) {
                    if (!m_open[symbol] || holds(m_program, *assumption, symbols))
                        break;
                    symbols[symbol] = candidate;
                }
                if (!holds(m_program, *assumption, symbols))
                    symbols[symbol] = before;
            }
        }
        return symbols;
    }

    std::set<std::size_t> openInBroken(const std::vector<std::int64_t>& symbols) const {
        std::set<std::size_t> out;
        for (const runtime::Assumption* assumption : m_assumptions)
            if (!holds(m_program, *assumption, symbols))
                for (const auto& instruction : m_program.expressions[assumption->condition].code)
                    if (instruction.op == runtime::Op::Symbol &&
                        m_open[static_cast<std::size_t>(instruction.value)])
                        out.insert(static_cast<std::size_t>(instruction.value));
        return out;
    }

    const runtime::Program& m_program;
    const std::vector<bool>& m_open;
    std::vector<const runtime::Assumption*> m_assumptions;
};

DType dtypeOf(runtime::DataType type) {
    for (const DType dtype :
         {DType::Bool, DType::I8, DType::U8, DType::I16, DType::U16, DType::I32, DType::U32,
          DType::I64, DType::U64, DType::F16, DType::BF16, DType::F32, DType::F64})
        if (programType(dtype) == type)
            return dtype;
    throw InternalError("unknown run-time type");
}

} // namespace

Result<std::unique_ptr<LoadedModule>> loadModule(std::shared_ptr<const CompiledModule> module,
                                                 const Target& target, runtime::ArenaFill fill) {
    if (!target.isHost)
        return makeDiag(DiagCode::TargetUnsupported,
                        fmt::format("this CPU cannot run code for {}", target.text), {},
                        "choose -mcpu=native, or only look at the plan");
    auto out = std::make_unique<LoadedModule>();
    out->m_module = module;
    FW_TRY(Jit jit, Jit::create());
    std::vector<std::vector<std::byte>> objects;
    for (const auto& kernel : module->kernels)
        objects.push_back(kernel->object);
    FW_TRY(out->m_jit, jit.load(objects));
    for (const auto& kernel : module->kernels) {
        FW_TRY(const LoadedKernel entry, out->m_jit.kernel(kernel->symbol));
        out->m_kernels.push_back(entry.run);
    }
    runtime::Weights weights;
    weights.payload = module->weights->data();
    runtime::ExecutorOptions options;
    options.ownsOpenMpThreads = true;
    options.threads = target.threads;
    options.arenaFill = fill;
    options.libraries = runtime::prepareCall;
    out->m_host = std::make_unique<HostNodes>(module->hosts, module->program.symbols);
    options.host = out->m_host.get();
    FW_CHECK(
        check(runtime::Executor::open(module->program, out->m_kernels.data(), out->m_kernels.size(),
                                      std::move(weights), options, out->m_executor)));
    out->m_executor->setCancel(
        [](void* data) -> std::int32_t {
            return static_cast<const CancelToken*>(data)->cancelled() ? 1 : 0;
        },
        &out->m_cancel);
    return out;
}

Status LoadedModule::setInputs(const std::vector<TensorData>& inputs) {
    const runtime::Program& program = m_executor->program();
    if (inputs.size() != program.inputs.size())
        return makeDiag(DiagCode::InputMismatch,
                        fmt::format("the model takes {} inputs, {} were given",
                                    program.inputs.size(), inputs.size()));
    m_inputs = inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::vector<std::int64_t> shape;
        FW_CHECK(check(m_executor->setInput(i, viewOf(m_inputs[i], shape))));
    }
    return {};
}

// What an operator refused is told as it said it.
Status LoadedModule::checked(const runtime::Status& status) const {
    if (!status.ok() && m_host->refusal())
        return *m_host->refusal();
    return check(status);
}

Status LoadedModule::runAgain() {
    return checked(m_executor->run());
}

Status LoadedModule::runTimed(std::vector<runtime::StepTime>& times) {
    return checked(m_executor->run(times));
}

Status LoadedModule::runEach(std::vector<runtime::StepTime>& times) {
    return checked(m_executor->runEach(times));
}

Result<std::vector<TensorData>> LoadedModule::outputs() {
    std::vector<TensorData> out;
    const runtime::Program& program = m_executor->program();
    for (std::size_t i = 0; i < program.outputs.size(); ++i) {
        std::vector<std::int64_t> shape;
        FW_CHECK(check(m_executor->outputShape(i, shape)));
        fw_tensor view{};
        FW_CHECK(check(m_executor->outputView(i, view)));
        const DType dtype = dtypeOf(program.tensors[program.outputs[i]].type);
        FW_TRY(const std::int64_t count, checkedCount(shape));
        std::vector<std::byte> bytes(static_cast<std::size_t>(count) * dtypeBytes(dtype));
        if (!bytes.empty())
            std::memcpy(bytes.data(), static_cast<const std::byte*>(view.data) + view.byte_offset,
                        bytes.size());
        out.emplace_back(dtype, std::move(shape), std::move(bytes));
    }
    return out;
}

Result<std::vector<TensorData>> LoadedModule::run(const std::vector<TensorData>& inputs) {
    FW_CHECK(setInputs(inputs));
    FW_CHECK(runAgain());
    return outputs();
}

namespace {

constexpr std::uint64_t mostMadeUp = 4ull << 30; // bytes

// A file of a few bytes may ask for inputs and results of any size. Whoever gives the inputs has
// the memory for them.
Status isMadeUp(const runtime::Program& program, std::size_t given,
                const std::vector<std::int64_t>& symbols) {
    if (given >= program.inputs.size())
        return {};
    std::uint64_t sum = 0;
    const auto add = [&](std::uint32_t index) -> Status {
        const runtime::Tensor& tensor = program.tensors[index];
        std::int64_t bytes = 0;
        const runtime::Evaluation known =
            runtime::evaluate(program.expressions[tensor.bytes], symbols.data(), bytes);
        if (known != runtime::Evaluation::Ok || bytes < 0)
            return {}; // of no size, or of one that is computed while it runs
        sum += static_cast<std::uint64_t>(bytes);
        if (sum <= mostMadeUp)
            return {};
        return makeDiag(DiagCode::LimitReached,
                        fmt::format("inputs that are made up and results take {} bytes or more, "
                                    "the limit is {}",
                                    sum, mostMadeUp),
                        {{}, tensor.name}, "give inputs, or bind smaller sizes with --dim");
    };
    for (std::size_t i = given; i < program.inputs.size(); ++i)
        FW_CHECK(add(program.inputs[i]));
    for (const auto output : program.outputs)
        FW_CHECK(add(output));
    return {};
}

} // namespace

Result<std::vector<TensorData>>
LoadedModule::randomInputs(std::uint64_t seed, const std::map<std::string, std::int64_t>& dims,
                           std::vector<TensorData> given) const {
    const runtime::Program& program = m_executor->program();
    std::vector<std::int64_t> symbols;
    std::vector<bool> open;
    for (const runtime::Symbol& symbol : program.symbols) {
        const auto bound = dims.find(symbol.name);
        open.push_back(bound == dims.end());
        symbols.push_back(bound == dims.end() ? 1 : bound->second);
    }
    for (std::size_t i = 0; i < std::min(given.size(), program.inputs.size()); ++i) {
        const runtime::Tensor& tensor = program.tensors[program.inputs[i]];
        for (std::size_t d = 0; d < tensor.dims.size() && d < given[i].extents().size(); ++d)
            if (const auto symbol = runtime::symbolOf(program.expressions[tensor.dims[d]])) {
                symbols[*symbol] = given[i].extents()[d];
                open[*symbol] = false;
            }
    }
    MadeUpSizes(program, open).fit(symbols);
    FW_CHECK(isMadeUp(program, given.size(), symbols));
    std::vector<TensorData> out = std::move(given);
    seed += out.size();
    while (out.size() < program.inputs.size()) {
        const runtime::Tensor& tensor = program.tensors[program.inputs[out.size()]];
        std::vector<std::int64_t> shape;
        for (const runtime::ExpressionId dim : tensor.dims) {
            std::int64_t value = 0;
            if (runtime::evaluate(program.expressions[dim], symbols.data(), value) !=
                    runtime::Evaluation::Ok ||
                value < 0)
                return makeDiag(DiagCode::DimOverflow, "an input has no size for these dimensions",
                                {{}, tensor.name});
            shape.push_back(value);
        }
        // Integers index tables or mask: 0 and 1 are in range of any that has two entries.
        const DType dtype = dtypeOf(tensor.type);
        out.push_back(randomData(isFloat(dtype) ? dtype : DType::Bool, shape, seed++));
        if (!isFloat(dtype) && dtype != DType::Bool)
            out.back() = dataFromIntegers(dtype, shape, out.back().toIntegers());
    }
    return out;
}

} // namespace fw
