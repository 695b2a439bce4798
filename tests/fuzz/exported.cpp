#include "fuzz/exported.h"

#include "extern/call.h"
#include "module/export.h"
#include "runtime/fusewright.h"
#include "runtime/tensor_view.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

namespace fw::fuzz {

namespace {

Diag failed(const std::string& what) {
    return makeDiag(DiagCode::ExportFailed, what);
}

// The opened module; closes what it opened.
class Opened {
public:
    ~Opened() {
        if (m_model != nullptr)
            m_api->close(m_model);
        if (m_library != nullptr)
            dlclose(m_library);
    }
    Status open(const std::string& file, const std::string& weights) {
        m_library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (m_library == nullptr)
            return failed(dlerror());
        using Api = const fw_api* (*)();
        const auto api = reinterpret_cast<Api>(dlsym(m_library, "fw_module_api"));
        if (api == nullptr)
            return failed("the library has no fw_module_api");
        m_api = api();
        fw_options options = {};
        options.struct_size = sizeof options;
        options.clamp_indices = 1; // as the program that it is compared with
        if (m_api->open(weights.c_str(), &options, &m_model) != FW_OK)
            return failed(m_api->last_error(nullptr));
        return {};
    }
    Status check(fw_status status) const {
        if (status == FW_OK)
            return {};
        return makeDiag(status == FW_BAD_SHAPE ? DiagCode::InputMismatch : DiagCode::ExportFailed,
                        m_api->last_error(m_model));
    }
    const fw_api& api() const { return *m_api; }
    fw_model* model() const { return m_model; }

private:
    void* m_library = nullptr;
    const fw_api* m_api = nullptr;
    fw_model* m_model = nullptr;
};

Result<std::vector<TensorData>> run(const Opened& opened, const CompiledModule& module,
                                    const std::vector<TensorData>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::vector<std::int64_t> shape = inputs[i].extents();
        fw_tensor tensor{};
        tensor.data = const_cast<std::byte*>(inputs[i].bytes().data());
        tensor.device = {1, 0};
        tensor.ndim = static_cast<std::int32_t>(shape.size());
        tensor.dtype = runtime::dlpackType(programType(inputs[i].dtype()));
        tensor.shape = shape.data();
        FW_CHECK(opened.check(
            opened.api().set_input(opened.model(), static_cast<std::int32_t>(i), &tensor)));
    }
    FW_CHECK(opened.check(opened.api().run(opened.model())));
    std::vector<TensorData> out;
    for (std::size_t i = 0; i < module.program.outputs.size(); ++i) {
        fw_tensor view{};
        FW_CHECK(opened.check(
            opened.api().output_view(opened.model(), static_cast<std::int32_t>(i), &view)));
        const runtime::DataType type = module.program.tensors[module.program.outputs[i]].type;
        for (const DType dtype :
             {DType::Bool, DType::I8, DType::U8, DType::I16, DType::U16, DType::I32, DType::U32,
              DType::I64, DType::U64, DType::F16, DType::BF16, DType::F32, DType::F64}) {
            if (programType(dtype) != type)
                continue;
            std::vector<std::int64_t> extents(view.shape, view.shape + view.ndim);
            FW_TRY(const std::int64_t count, checkedCount(extents));
            std::vector<std::byte> bytes(static_cast<std::size_t>(count) * dtypeBytes(dtype));
            if (!bytes.empty())
                std::memcpy(bytes.data(),
                            static_cast<const std::byte*>(view.data) + view.byte_offset,
                            bytes.size());
            out.emplace_back(dtype, std::move(extents), std::move(bytes));
            break;
        }
    }
    return out;
}

} // namespace

Result<std::vector<TensorData>> runExported(const CompiledModule& module, const std::string& folder,
                                            const std::vector<TensorData>& inputs) {
    static int serial = 0;
    module::ExportRequest request;
    request.name = fmt::format("fuzz_{}_{}", getpid(), serial++);
    for (const auto& kernel : module.kernels) {
        request.objects.push_back({kernel->object});
        request.kernels.push_back(kernel->symbol);
    }
    request.program = module.program;
    request.weights.payload = module.weights->data();
    const std::filesystem::path place = std::filesystem::path(folder) / request.name;
    FW_TRY([[maybe_unused]] const module::ExportReport report,
           module::exportModule(request, place.string()));
    Result<std::vector<TensorData>> out = [&]() -> Result<std::vector<TensorData>> {
        Opened opened;
        FW_CHECK(opened.open((place / ("lib" + request.name + ".so")).string(),
                             (place / (request.name + ".weights")).string()));
        return run(opened, module, inputs);
    }();
    std::error_code ignored;
    std::filesystem::remove_all(place, ignored);
    return out;
}

} // namespace fw::fuzz
