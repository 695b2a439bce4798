#include "session/graph_file.h"

#include "base/files.h"
#include "ir/graph_text.h"
#include "ir/inline_calls.h"
#include "ir/missing_type.h"
#include "library/library.h"
#include "onnx/model/beyond_texts.h"
#include "onnx/model/given_value.h"
#include "onnx/model/npy.h"
#include "onnx/model/tensor_file.h"
#include "onnx/read/declaration.h"
#include "syntax/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace fw {

namespace {

constexpr std::size_t largestText = 64u << 20; // bytes

// One of several mistakes.
Diag firstOf(Diags errors, const std::string& path) {
    Diag out = std::move(errors.front());
    if (errors.size() > 1)
        out.message += fmt::format("; {} other mistake{} (fw check {})", errors.size() - 1,
                                   errors.size() > 2 ? "s" : "", path);
    return out;
}

// In text a node is unknown because it says so; an operator is called by its name.
Diag unknownIn(const Graph& graph, const Node& node, MissingTypes& missing) {
    if (auto diag = missing.readBy(node))
        return std::move(*diag);
    Diag out = makeDiag(
        DiagCode::UnknownOperator, fmt::format("the operator {} is not known", node.shownOp()),
        {{}, node.name}, "what is around it can be planned and timed, the model cannot be run");
    if (!node.bodies.empty())
        return out;
    bool typed = true;
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        typed = typed && !missing.find({node.id, static_cast<int>(i)});
    if (const BeyondTexts beyond =
            beyondTexts(node.attrs.text("domain", {}), node.attrs.text("op_type", {}));
        beyond != BeyondTexts::None) {
        out.hint = whyBeyondTexts(beyond, typed);
        return out;
    }
    UnknownCall call;
    call.type = node.attrs.text("op_type", {});
    for (const ValueRef& input : node.inputs)
        call.operands.push_back(input.valid() ? std::optional(graph.type(input)) : std::nullopt);
    for (const auto& [name, value] : node.attrs) {
        if (name == "domain" || name == "op_type")
            continue;
        call.attributes.emplace_back(name, attributeType(value));
        if (call.attributes.back().second.empty())
            return out;
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        call.results.push_back(missing.find({node.id, static_cast<int>(i)})
                                   ? std::nullopt
                                   : std::optional(node.outputs[i].type));
    const Declaration made = declarationOf(call, graph.operators(), OnnxClause::Without);
    out.hint = fmt::format("write {} in place of unknown {} {}, and say what it computes in this "
                           "file or in a book, which is given with --rules: {}",
                           made.name, quoteText(node.attrs.text("domain", {})),
                           quoteText(call.type), made.text);
    return out;
}

} // namespace

bool isGraphFile(const std::string& path) {
    return std::filesystem::path(path).extension() == ".fw";
}

bool isBookOfItsOwn(const std::string& path) {
    if (!isGraphFile(path))
        return false;
    const Result<std::string> text = readFile(path, largestText);
    if (!text)
        return false;
    const auto kinds = declarationKinds();
    // Of a large graph nothing is parsed in vain.
    const bool perhaps = std::any_of(kinds.begin(), kinds.end(), [&](const DeclarationKind& kind) {
        return !kind.isOfModel && text->find(kind.keyword) != std::string::npos;
    });
    if (!perhaps)
        return false;
    const FileTree tree = parseFile(*text, path);
    return std::any_of(tree.declarations.begin(), tree.declarations.end(),
                       [](const DeclarationPtr& one) { return !kindOf(*one).isOfModel; });
}

std::string tensorFile(const std::string& folder, const std::string& name, DType dtype) {
    std::string out;
    for (const char c : name)
        out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' ? c : '_';
    if (out.empty() || out[0] == '.')
        out = "_" + out;
    return (std::filesystem::path(folder) / (out + (npyHolds(dtype) ? ".npy" : ".pb"))).string();
}

Result<Imported> readGraphFile(const std::string& path,
                               std::shared_ptr<const OperatorSet> operators,
                               const std::map<std::string, std::int64_t>& dims,
                               const std::map<std::string, std::string>& types) {
    FW_TRY(const std::string text, readFile(path, largestText));
    return parseGraphFile(text, path, std::move(operators), dims, types);
}

Result<Imported> parseGraphFile(std::string_view text, const std::string& path,
                                std::shared_ptr<const OperatorSet> operators,
                                const std::map<std::string, std::int64_t>& dims,
                                const std::map<std::string, std::string>& types) {
    for (const auto& [name, entry] : types)
        if (givenValue(entry))
            return makeDiag(DiagCode::Usage, "a text takes no value for its input " + name, {path},
                            "write it as a constant of the graph, or give a file");
    Diags errors;
    const std::shared_ptr<const OperatorSet> known = operators;
    operators = withOperators(*known, text, path, errors);
    if (!errors.empty())
        return firstOf(std::move(errors), path);
    GraphTextOptions options;
    options.file = path;
    options.dims = dims;
    options.types = types;
    options.origins = GraphEditor::Origins::Fresh;
    const std::string folder = std::filesystem::path(path).parent_path().string();
    options.constants = [&](const std::string& name, const std::string&,
                            const TensorType& type) -> std::optional<TensorData> {
        Result<NamedTensor> tensor = readTensorFile(tensorFile(folder, name, type.dtype));
        return tensor ? std::optional(std::move(tensor->data)) : std::nullopt;
    };
    Imported out;
    for (const Operator* op : operators->all())
        if (known->find(op->name()) != op)
            out.operatorText += op->source() + "\n";
    options.errors = &errors;
    Result<GraphPtr> graph = parseGraph(text, std::move(operators), options);
    if (!graph && errors.empty())
        return graph.takeDiag();
    if (!graph)
        return firstOf(std::move(errors), path);
    out.graph = graph.take();
    out.info.producer = "text";
    FW_TRY(out.inlined, inlineCalls(out.graph));
    MissingTypes missing(*out.graph);
    for (const NodePtr& node : out.graph->nodes()) {
        if (node->isLeaf() || isForeignLeaf(*node))
            continue;
        const bool unknown = node->isUnknown();
        ++out.info.operators[node->shownOp()];
        if (unknown)
            out.diagnostics.push_back(unknownIn(*out.graph, *node, missing).at({.file = path}));
    }
    return out;
}

} // namespace fw
