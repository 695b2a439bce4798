#include "library/library.h"

#include "library/native.h"
#include "syntax/declarations.h"
#include "syntax/op.h"
#include "tensor/calls_check.h"
#include "tensor/op_check.h"
#include "tensor/op_def.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

// Begin and end of each text, from embedded.S.
#define FW_BOOKS(X)                                                                                \
    X(elementwise)                                                                                 \
    X(contraction)                                                                                 \
    X(window)                                                                                      \
    X(normalization)                                                                               \
    X(movement)                                                                                    \
    X(selection) X(resample) X(quantization) X(integers) X(losses) X(reductions) X(signal) X(sizes)
extern "C" {
#define FW_X(name)                                                                                 \
    extern const char fwBook_##name[];                                                             \
    extern const char fwBookEnd_##name[];
FW_BOOKS(FW_X)
#undef FW_X
}

namespace fw {

namespace {

// Operators of the library itself are checked by a test, not whenever the program starts.
void addText(OperatorSet& operators, std::string_view text, const std::string& file,
             OperatorSource source, Diags& errors) {
    FileTree tree = parseFile(text, file);
    errors.insert(errors.end(), tree.errors.begin(), tree.errors.end());
    std::size_t ofModel = 0;
    for (const auto& op : each<OpTree>(tree.declarations)) {
        if (source == OperatorSource::Model) {
            if (operators.findReader(op->name) != nullptr)
                continue;
            if (++ofModel > mostOfModel) {
                errors.push_back(makeDiag(
                    DiagCode::LimitReached,
                    fmt::format("a model may carry {} operators, this is one more", mostOfModel),
                    {file, {}, op->span.line, op->span.column}, "give them in a book"));
                return;
            }
        }
        if (const Operator* known = operators.findReader(op->name);
            source == OperatorSource::Book && known != nullptr && known->source() == op->source)
            continue; // its file was read as a book already
        const bool isShipped = source == OperatorSource::Shipped;
        Diags wrong = isShipped ? Diags() : checkOperator(*op, file);
        if (wrong.empty() && !isShipped && op->standsForCalls())
            wrong = checkCallsOf(*op, operators, file);
        if (!wrong.empty()) {
            std::move(wrong.begin(), wrong.end(), std::back_inserter(errors));
            continue;
        }
        if (const Status status = operators.add(operatorOf(op, file), source); !status)
            errors.push_back(status.diag());
    }
}

std::shared_ptr<const OperatorSet> extended(const OperatorSet& base, std::string_view text,
                                            const std::string& file, OperatorSource source,
                                            Diags& errors) {
    auto operators = std::make_shared<OperatorSet>(base);
    addText(*operators, text, file, source, errors);
    return operators;
}

} // namespace

std::vector<LibraryText> libraryTexts() {
    return {
#define FW_X(name)                                                                                 \
    {#name ".fw", {fwBook_##name, static_cast<std::size_t>(fwBookEnd_##name - fwBook_##name)}},
        FW_BOOKS(FW_X)
#undef FW_X
    };
}

std::shared_ptr<const OperatorSet> standardOperators() {
    static const std::shared_ptr<const OperatorSet> all = [] {
        auto operators = std::make_shared<OperatorSet>();
        Diags errors;
        for (const LibraryText& book : libraryTexts())
            addText(*operators, book.text, book.file, OperatorSource::Shipped, errors);
        for (auto& op : nativeOperators())
            if (const Status status = operators->add(std::move(op), OperatorSource::Shipped);
                !status)
                errors.push_back(status.diag());
        if (!errors.empty())
            throw InternalError("the operator library: " + errors.front().text());
        return std::shared_ptr<const OperatorSet>(std::move(operators));
    }();
    return all;
}

std::shared_ptr<const OperatorSet> withOperators(const OperatorSet& base, std::string_view text,
                                                 const std::string& file, Diags& errors) {
    return extended(base, text, file, OperatorSource::Book, errors);
}

std::shared_ptr<const OperatorSet> withModelOperators(const OperatorSet& base,
                                                      std::string_view text,
                                                      const std::string& file, Diags& errors) {
    return extended(base, text, file, OperatorSource::Model, errors);
}

} // namespace fw
