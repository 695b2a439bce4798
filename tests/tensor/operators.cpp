#include "tensor/operators.h"

#include "expr/parse.h"
#include "syntax/op.h"
#include "tensor/op_def.h"

#include <fstream>
#include <sstream>

namespace fw::testing {

OperatorSet operatorsOf(std::string_view text, const std::string& file) {
    OperatorSet out;
    const FileTree tree = parseFile(text, file);
    if (!tree.errors.empty())
        throw InternalError(tree.errors.front().text());
    for (const DeclarationPtr& declaration : tree.declarations) {
        const auto op = declarationAs<OpTree>(declaration);
        if (!op)
            continue;
        auto defined = defineOperator(op, file);
        if (!defined)
            throw InternalError(defined.diag().text());
        if (const Status status = out.add(*defined); !status)
            throw InternalError(status.diag().text());
    }
    return out;
}

const OperatorSet& libraryTexts() {
    static const OperatorSet all = [] {
        std::string text;
        for (const char* name :
             {"elementwise", "contraction", "window", "movement", "normalization"}) {
            std::ifstream file(std::string(FW_SOURCE_DIR "/resources/library/") + name + ".fw");
            std::stringstream content;
            content << file.rdbuf();
            text += content.str();
        }
        return operatorsOf(text, "library.fw");
    }();
    return all;
}

TensorType typeOf(const std::string& text) {
    const TypeTree tree = parseTypeTree(text).value();
    TensorType out{parseDtype(tree.dtype).value(), {}};
    for (const DimTree& dim : tree.dims)
        out.shape.push_back(elaborateExpr(dim.value).value());
    return out;
}

OpCall callOf(const std::vector<std::string>& types, Attrs attrs) {
    OpCall call;
    call.attrs = std::move(attrs);
    for (const std::string& type : types)
        call.inputs.push_back(type.empty() ? std::nullopt : std::optional(typeOf(type)));
    return call;
}

} // namespace fw::testing
