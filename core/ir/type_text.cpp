#include "ir/type_text.h"

#include "expr/parse.h"
#include "ir/tensor_text.h"
#include "syntax/parser.h"

#include <fmt/format.h>

namespace fw {

Result<TensorType> typeFromText(std::string_view text,
                                const std::function<Dim(const std::string&)>& named) {
    const auto refuse = [&](const std::string& why) {
        return makeDiag(DiagCode::Usage, fmt::format("'{}' is no type: {}", text, why), {},
                        "an element type, and for each dimension a number or a name: f32[N, 4]");
    };
    const Result<TypeTree> tree = parseTypeTree(text);
    if (!tree)
        return refuse(tree.diag().message);
    ExprScope scope;
    scope.variable = [&](const std::string& name) { return std::optional(named(name)); };
    Result<TensorType> type = typeFromTree(*tree, scope);
    if (!type)
        return refuse(type.diag().message);
    if (type->dtype == DType::Text)
        return refuse("nothing computes with text");
    return type;
}

} // namespace fw
