// The C interface of an exported module, over the executor. Compiled into modules only: the JIT
// uses the executor itself.
#define FW_BUILDING_MODULE
#include "runtime/executor.h"
#include "runtime/module/contents.h"
#include "runtime/own_place.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <pthread.h>

using namespace fw::runtime;

enum class Use : std::uint8_t { Idle, Called, Closed };

struct fw_model {
    // By a call that has not returned. Who has the lock has the model; `use` tells who closes it
    // whether that is left to a call.
    mutable pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
    mutable std::atomic<Use> use{Use::Idle};
    std::unique_ptr<Executor> executor;
    FileMapping weights;
    std::string error;

    std::vector<std::vector<std::int64_t>> dims; // what the infos point to
    std::vector<fw_tensor_info> inputs;
    std::vector<fw_tensor_info> outputs;
    std::vector<fw_symbol_info> symbols;
    std::vector<std::vector<const char*>> nodes;
    std::vector<fw_step_info> steps;
};

namespace {

thread_local char openError[768];
thread_local const fw_model* busy = nullptr;   // refused the last call of this thread
thread_local const fw_model* closed = nullptr; // during the last call of this thread

bool take(const fw_model* model) {
    if (pthread_mutex_trylock(&model->taken) != 0)
        return false;
    Use idle = Use::Idle;
    if (model->use.compare_exchange_strong(idle, Use::Called))
        return true;
    pthread_mutex_unlock(&model->taken); // another call is about to return
    return false;
}

// False if the model was closed meanwhile; nothing is left of it then.
bool giveBack(const fw_model* model) {
    pthread_mutex_unlock(&model->taken);
    Use called = Use::Called;
    if (model->use.compare_exchange_strong(called, Use::Idle))
        return true;
    delete model;
    return false;
}

fw_status refuseOpen(const Status& status) {
    std::snprintf(openError, sizeof openError, "%s", status.message.c_str());
    return status.code;
}

// One call on a model. Beside another one it changes nothing, not even the model's sentence, which
// the other thread may be writing.
template <class Work>
fw_status serve(fw_model* model, const Work& work) {
    if (!model)
        return refuseOpen(fail(FW_BAD_ARGUMENT, "the model is null"));
    if (!take(model)) {
        busy = model;
        return FW_BAD_ARGUMENT;
    }
    busy = closed = nullptr;
    const Status status = work(*model->executor);
    model->error = status.message;
    if (giveBack(model))
        return status.code;
    closed = model;
    return FW_CANCELLED;
}

bool inRange(std::int32_t index, std::size_t count) {
    return index >= 0 && static_cast<std::size_t>(index) < count;
}

// Negative indices become one that no list has, and their bits are kept for the message.
std::size_t position(std::int32_t index) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(index));
}

Status giveShape(Status status, const std::vector<std::int64_t>& shape, std::int64_t* dims) {
    if (!status.ok() || shape.empty())
        return status;
    if (!dims)
        return fail(FW_BAD_ARGUMENT, "the place for the extents is null");
    std::memcpy(dims, shape.data(), shape.size() * sizeof shape[0]);
    return status;
}

fw_tensor_info describe(const Program& program, const Tensor& tensor,
                        std::vector<std::int64_t>& dims) {
    for (ExpressionId id : tensor.dims) {
        std::int64_t extent = -1;
        const Expression& expression = program.expressions[id];
        if (usesSymbols(expression) || evaluate(expression, nullptr, extent) != Evaluation::Ok)
            extent = -1;
        dims.push_back(extent);
    }
    return {tensor.name.c_str(), dlpackType(tensor.type), static_cast<std::int32_t>(dims.size()),
            dims.data()};
}

void describeAll(fw_model& model) {
    const Program& program = model.executor->program();
    model.dims.resize(program.inputs.size() + program.outputs.size());
    std::size_t next = 0;
    for (TensorId id : program.inputs)
        model.inputs.push_back(describe(program, program.tensors[id], model.dims[next++]));
    for (TensorId id : program.outputs)
        model.outputs.push_back(describe(program, program.tensors[id], model.dims[next++]));
    const Phases phases = phasesOf(program);
    for (std::size_t i = 0; i < program.symbols.size(); ++i)
        if (const Symbol& symbol = program.symbols[i]; phases.ofSymbol[i] == 0)
            model.symbols.push_back({symbol.name.c_str(), symbol.minimum, symbol.maximum});
    model.nodes.resize(program.steps.size());
    for (std::size_t s = 0; s < program.steps.size(); ++s) {
        for (const std::string& node : program.steps[s].nodes)
            model.nodes[s].push_back(node.c_str());
        model.steps.push_back({program.steps[s].name.c_str(),
                               static_cast<std::int32_t>(model.nodes[s].size()),
                               model.nodes[s].data()});
    }
}

// Where the weights of a model come from: a file, memory of the caller, or, if it names neither,
// the module itself or the file beside it.
struct Source {
    const char* path = nullptr;
    const void* data = nullptr;
    std::uint64_t bytes = 0;
};

Status findWeights(const Source& source, const Program& program, Verify verify, fw_model& model,
                   Weights& weights) {
    if (source.data)
        return takeWeights(static_cast<const std::byte*>(source.data), source.bytes,
                           "the memory given", program, verify, weights);
    if (program.weightsBytes == 0 && !source.path)
        return {};
    if (fw_module_weights && !source.path)
        return takeWeights(fw_module_weights, fw_module_weights_size, "the module itself", program,
                           verify, weights);
    const std::string file =
        source.path ? std::string(source.path) : besideOwnFile(fw_module_weights_name);
    return openWeights(file.c_str(), program, verify, model.weights, weights);
}

Status openModel(const Source& source, const fw_options& options, fw_model& model) {
    Program program;
    if (Status status = readProgram(fw_program_blob, fw_program_blob_size, program); !status.ok())
        return status;
    Weights weights;
    const Verify verify = options.verify_weights ? Verify::Contents : Verify::Header;
    if (Status status = findWeights(source, program, verify, model, weights); !status.ok())
        return status;
    ExecutorOptions chosen;
    chosen.threads = options.threads;
    chosen.denormals = options.flush_denormals ? Denormals::Flush : Denormals::Keep;
    chosen.indices = options.clamp_indices ? Indices::Clamp : Indices::Check;
    chosen.libraries = fw_module_libraries ? *fw_module_libraries : nullptr;
    if (Status status = Executor::open(std::move(program), fw_kernel_table, fw_kernel_table_size,
                                       std::move(weights), chosen, model.executor);
        !status.ok())
        return status;
    describeAll(model);
    return {};
}

fw_status open(const Source& source, const fw_options* options, fw_model** model) {
    if (!model)
        return refuseOpen(fail(FW_BAD_ARGUMENT, "the place for the model is null"));
    *model = nullptr;
    fw_options chosen = {};
    if (options) {
        if (options->struct_size < sizeof(std::uint32_t))
            return refuseOpen(fail(FW_BAD_ARGUMENT, "fw_options.struct_size is not set"));
        std::memcpy(&chosen, options,
                    options->struct_size < sizeof chosen ? options->struct_size : sizeof chosen);
    }
    std::unique_ptr<fw_model> opened(new fw_model);
    if (Status status = openModel(source, chosen, *opened); !status.ok())
        return refuseOpen(status);
    *model = opened.release();
    busy = closed = nullptr; // one that was closed may have lain there
    return FW_OK;
}

} // namespace

fw_status fw_open(const char* weights, const fw_options* options, fw_model** model) {
    Source source;
    source.path = weights;
    return open(source, options, model);
}

fw_status fw_open_memory(const void* weights, uint64_t bytes, const fw_options* options,
                         fw_model** model) {
    Source source;
    source.data = weights;
    source.bytes = bytes;
    if (weights && reinterpret_cast<std::uintptr_t>(weights) % memoryAlignment == 0)
        return open(source, options, model);
    if (model)
        *model = nullptr;
    return refuseOpen(fail(FW_BAD_ARGUMENT,
                           "the weights in memory are null or do not lie at a multiple of %zu",
                           static_cast<std::size_t>(memoryAlignment)));
}

void fw_close(fw_model* model) {
    if (!model)
        return;
    for (;;) {
        Use idle = Use::Idle, called = Use::Called;
        if (model->use.compare_exchange_strong(idle, Use::Closed)) {
            delete model;
            return;
        }
        if (model->use.compare_exchange_strong(called, Use::Closed) || called == Use::Closed)
            return; // the call closes it
    }
}

int32_t fw_input_count(const fw_model* model) {
    return model ? static_cast<int32_t>(model->inputs.size()) : 0;
}

int32_t fw_output_count(const fw_model* model) {
    return model ? static_cast<int32_t>(model->outputs.size()) : 0;
}

int32_t fw_symbol_count(const fw_model* model) {
    return model ? static_cast<int32_t>(model->symbols.size()) : 0;
}

int32_t fw_step_count(const fw_model* model) {
    return model ? static_cast<int32_t>(model->steps.size()) : 0;
}

const fw_tensor_info* fw_input(const fw_model* model, int32_t index) {
    return model && inRange(index, model->inputs.size()) ? &model->inputs[position(index)]
                                                         : nullptr;
}

const fw_tensor_info* fw_output(const fw_model* model, int32_t index) {
    return model && inRange(index, model->outputs.size()) ? &model->outputs[position(index)]
                                                          : nullptr;
}

const fw_symbol_info* fw_symbol(const fw_model* model, int32_t index) {
    return model && inRange(index, model->symbols.size()) ? &model->symbols[position(index)]
                                                          : nullptr;
}

const fw_step_info* fw_step(const fw_model* model, int32_t index) {
    return model && inRange(index, model->steps.size()) ? &model->steps[position(index)] : nullptr;
}

fw_status fw_set_symbol(fw_model* model, const char* name, int64_t value) {
    return serve(model, [&](Executor& executor) {
        return name ? executor.setSymbol(name, value)
                    : fail(FW_BAD_ARGUMENT, "the name of the free dimension is null");
    });
}

fw_status fw_unset_symbol(fw_model* model, const char* name) {
    return serve(model, [&](Executor& executor) {
        return name ? executor.unsetSymbol(name)
                    : fail(FW_BAD_ARGUMENT, "the name of the free dimension is null");
    });
}

fw_status fw_input_shape(fw_model* model, int32_t index, int64_t* dims) {
    return serve(model, [&](Executor& executor) {
        std::vector<std::int64_t> shape;
        const Status status = executor.inputShape(position(index), shape);
        return giveShape(status, shape, dims);
    });
}

fw_status fw_set_input(fw_model* model, int32_t index, const fw_tensor* tensor) {
    return serve(model, [&](Executor& executor) {
        const Status status = executor.setInput(position(index), tensor ? *tensor : fw_tensor{});
        return tensor || !inRange(index, model->inputs.size())
                   ? status
                   : fail(FW_BAD_ARGUMENT, "the input tensor is null");
    });
}

fw_status fw_bind_output(fw_model* model, int32_t index, const fw_tensor* tensor) {
    return serve(model,
                 [&](Executor& executor) { return executor.bindOutput(position(index), tensor); });
}

fw_status fw_output_shape(fw_model* model, int32_t index, int64_t* dims) {
    return serve(model, [&](Executor& executor) {
        std::vector<std::int64_t> shape;
        const Status status = executor.outputShape(position(index), shape);
        return giveShape(status, shape, dims);
    });
}

fw_status fw_output_view(fw_model* model, int32_t index, fw_tensor* view) {
    return serve(model, [&](Executor& executor) {
        return view ? executor.outputView(position(index), *view)
                    : fail(FW_BAD_ARGUMENT, "the place for the view is null");
    });
}

fw_status fw_run(fw_model* model) {
    return serve(model, [&](Executor& executor) { return executor.run(); });
}

fw_status fw_run_profiled(fw_model* model, fw_step_time* times, int32_t* count) {
    return serve(model, [&](Executor& executor) {
        if (!count || *count < 0 || (!times && *count > 0))
            return fail(FW_BAD_ARGUMENT, "the place for the times is null or negative");
        std::vector<StepTime> measured;
        const Status status = executor.run(measured);
        const auto room = static_cast<std::size_t>(*count);
        *count = static_cast<int32_t>(model->steps.size());
        for (std::size_t s = 0; status.ok() && s < measured.size() && s < room; ++s) {
            const StepWork work = executor.work(s);
            times[s] = {measured[s].startNs, measured[s].endNs, work.flops, work.bytes};
        }
        return status;
    });
}

fw_status fw_set_cancel(fw_model* model, int32_t (*cancelled)(void* data), void* data) {
    return serve(model, [&](Executor& executor) {
        executor.setCancel(cancelled, data);
        return Status{};
    });
}

fw_status fw_set_thread_pool(fw_model* model, const fw_thread_pool* pool) {
    return serve(model, [&](Executor& executor) { return executor.setThreadPool(pool); });
}

fw_status fw_trim(fw_model* model) {
    return serve(model, [&](Executor& executor) {
        executor.trim();
        return Status{};
    });
}

int64_t fw_arena_bytes(const fw_model* model) {
    if (!model || !take(model))
        return 0;
    const std::int64_t bytes = model->executor->memoryPlan().arenaBytes();
    return giveBack(model) ? bytes : 0;
}

const char* fw_last_error(const fw_model* model) {
    if (!model)
        return openError;
    if (model == closed)
        return "the model was closed while a call on it ran";
    return model == busy ? "the model is in use: another call on it has not returned"
                         : model->error.c_str();
}

const char* fw_metadata_json(void) {
    return fw_module_metadata;
}

const fw_api* fw_module_api(void) {
    static const fw_api api = {FW_ABI_VERSION,  sizeof(fw_api),   fw_open,
                               fw_close,        fw_input_count,   fw_output_count,
                               fw_symbol_count, fw_step_count,    fw_input,
                               fw_output,       fw_symbol,        fw_step,
                               fw_set_symbol,   fw_input_shape,   fw_set_input,
                               fw_bind_output,  fw_output_shape,  fw_output_view,
                               fw_run,          fw_run_profiled,  fw_arena_bytes,
                               fw_last_error,   fw_metadata_json, fw_open_memory,
                               fw_unset_symbol, fw_set_cancel,    fw_set_thread_pool,
                               fw_trim};
    return &api;
}
