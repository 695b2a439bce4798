#include "onnx/import.h"

#include "base/files.h"
#include "onnx/model_bytes.h"
#include "onnx/model_importer.h"

#include <filesystem>

namespace fw {

Result<Imported> importModel(const std::string& path, std::shared_ptr<const OperatorSet> operators,
                             const ImportOptions& options, const CancelToken& cancel) {
    FW_TRY(const auto file, mapFile(path, options.limits.fileBytes));
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    return importModelBytes(file.text(), std::move(operators), options, cancel, path,
                            folder.empty() ? "." : folder.string());
}

Result<Imported> importModelBytes(std::string_view bytes,
                                  std::shared_ptr<const OperatorSet> operators,
                                  const ImportOptions& options, const CancelToken& cancel,
                                  const std::string& file, const std::string& folder) {
    FW_TRY(const auto model, parseModel(bytes, options.limits, file));
    ImportRun run(*model, std::move(operators), options, cancel, folder);
    auto imported = ModelImporter(run).run();
    if (!imported)
        return imported.takeDiag().at({file});
    for (Diag& diag : imported->diagnostics)
        diag.at({file});
    return imported;
}

} // namespace fw
