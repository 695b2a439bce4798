#include "session/graph_file.h"

#include "base/files.h"
#include "ir/graph_text.h"
#include "ir/inline_calls.h"
#include "library/library.h"
#include "onnx/tensor_file.h"

#include <cctype>
#include <filesystem>

namespace fw {

bool isGraphFile(const std::string& path) {
    return std::filesystem::path(path).extension() == ".fw";
}

std::string tensorFile(const std::string& folder, const std::string& name) {
    std::string out;
    for (const char c : name)
        out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' ? c : '_';
    if (out.empty() || out[0] == '.')
        out = "_" + out;
    return (std::filesystem::path(folder) / (out + ".npy")).string();
}

Result<Imported> readGraphFile(const std::string& path,
                               std::shared_ptr<const OperatorSet> operators,
                               const std::map<std::string, std::int64_t>& dims) {
    FW_TRY(const std::string text, readFile(path, 64u << 20));
    return parseGraphFile(text, path, std::move(operators), dims);
}

Result<Imported> parseGraphFile(std::string_view text, const std::string& path,
                                std::shared_ptr<const OperatorSet> operators,
                                const std::map<std::string, std::int64_t>& dims) {
    Diags errors;
    const std::shared_ptr<const OperatorSet> known = operators;
    operators = withOperators(*known, text, path, errors);
    if (!errors.empty())
        return errors.front();
    GraphTextOptions options;
    options.file = path;
    options.dims = dims;
    options.origins = GraphEditor::Origins::Fresh;
    const std::string folder = std::filesystem::path(path).parent_path().string();
    options.constants = [&](const std::string& name, const std::string&,
                            const TensorType&) -> std::optional<TensorData> {
        Result<NamedTensor> tensor = readTensorFile(tensorFile(folder, name));
        return tensor ? std::optional(std::move(tensor->data)) : std::nullopt;
    };
    Imported out;
    for (const Operator* op : operators->all())
        if (known->find(op->name()) != op)
            out.operatorText += op->source() + "\n";
    FW_TRY(out.graph, parseGraph(text, std::move(operators), options));
    out.info.producer = "text";
    FW_TRY(out.inlined, inlineCalls(out.graph));
    for (const NodePtr& node : out.graph->nodes()) {
        if (node->isInput() || node->isConstant())
            continue;
        const bool unknown = node->isUnknown();
        ++out.info.operators[node->shownOp()];
        if (unknown)
            out.diagnostics.push_back(
                makeDiag(DiagCode::UnknownOperator,
                         "the operator " + node->attrs.text("op_type", {}) + " is not known",
                         {path, node->name}, "the graph can be drawn, but not run"));
    }
    return out;
}

} // namespace fw
