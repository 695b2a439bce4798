#include "onnx/read/import.h"

#include "base/files.h"
#include "onnx/model/model_bytes.h"
#include "onnx/read/model_importer.h"
#include "onnx/schema/own.h"
#include "syntax/declarations.h"
#include "syntax/op.h"

#include <filesystem>

#include <fmt/format.h>

namespace fw {

namespace {

// Places in the text of the metadata, which is no file.
std::string placeOf(const std::string& file) {
    return fmt::format("{} ({})", file, operatorsKey);
}

// Empty if there is none, or more than is tried.
std::string operatorTextOf(const proto::ModelProto& model, const ImportOptions& options,
                           const std::string& file, Diags& diagnostics) {
    for (const auto& entry : model.metadata_props()) {
        if (entry.key() != operatorsKey)
            continue;
        if (entry.value().size() <= options.limits.operatorBytes)
            return entry.value();
        diagnostics.push_back(
            makeDiag(DiagCode::LimitReached,
                     fmt::format("the operators that the model carries have {} bytes, the limit "
                                 "is {}",
                                 entry.value().size(), options.limits.operatorBytes),
                     {placeOf(file)}, "give them in a book"));
    }
    return {};
}

// Domain and type of the nodes that operators of a text are.
std::set<std::pair<std::string, std::string>> nodesOf(const std::string& text) {
    std::set<std::pair<std::string, std::string>> out;
    for (const auto& op : each<OpTree>(parseFile(text, {}).declarations))
        for (const OnnxTree& clause : op->onnx)
            out.emplace(clause.domain, clause.type);
    return out;
}

} // namespace

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
    Diags wrong;
    std::string text = operatorTextOf(*model, options, file, wrong);
    if (!text.empty() && options.define != nullptr)
        operators = options.define(*operators, text, placeOf(file), wrong);
    ImportRun run(*model, std::move(operators), options, cancel, folder);
    run.carried = nodesOf(text);
    auto imported = ModelImporter(run).run();
    if (!imported)
        return imported.takeDiag().at({file});
    imported->operatorText = std::move(text);
    for (Diag& diag : wrong) { // the nodes that it is about are told by themselves
        diag.severity = Severity::Warning;
        imported->diagnostics.push_back(std::move(diag));
    }
    for (Diag& diag : imported->diagnostics)
        diag.at({file});
    return imported;
}

} // namespace fw
