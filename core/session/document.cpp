#include "session/document.h"

#include "onnx/model/default_inputs.h"
#include "onnx/model/tensor_file.h"
#include "session/book_texts.h"
#include "session/graph_file.h"
#include "snapshot/document_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace fw {

namespace {

Status switchOff(const std::vector<std::string>& books, snapshot::Arguments& arguments) {
    for (const std::string& file : books) {
        if (!isShippedBook(file)) {
            std::string known;
            for (const ShippedText& book : shippedTexts())
                if (isShippedBook(book.file))
                    known += (known.empty() ? "" : ", ") + book.file;
            return makeDiag(DiagCode::UnknownName,
                            "no book " + file + " is shipped that can say nothing", {},
                            "there are " + known);
        }
        arguments.texts.push_back({file, {}});
    }
    return {};
}

// A file that is named in two ways is one book.
bool isSameFile(const std::string& a, const std::string& b) {
    std::error_code error;
    return a == b || std::filesystem::equivalent(a, b, error);
}

snapshot::Arguments withModelAsBook(snapshot::Arguments arguments) {
    const std::string& model = arguments.model;
    const bool known =
        std::any_of(arguments.rules.begin(), arguments.rules.end(),
                    [&](const std::string& book) { return isSameFile(book, model); });
    if (!known && isBookOfItsOwn(model))
        arguments.rules.insert(arguments.rules.begin(), model);
    return arguments;
}

} // namespace

Result<snapshot::Arguments> withDocument(snapshot::Arguments arguments) {
    FW_CHECK(switchOff(std::exchange(arguments.without, {}), arguments));
    if (!snapshot::isDocumentFile(arguments.model))
        return withModelAsBook(std::move(arguments));
    FW_TRY(const snapshot::Inputs inputs, snapshot::loadDocument(arguments.model));
    FW_CHECK(switchOff(inputs.without, arguments));
    arguments.leftOut.insert(arguments.leftOut.end(), inputs.leftOut.begin(), inputs.leftOut.end());
    arguments.model = inputs.model;
    if (arguments.target.empty())
        arguments.target = inputs.fullTarget();
    for (std::string& book : inputs.enabledBooks())
        arguments.rules.push_back(std::move(book));
    for (const auto& [name, value] : inputs.dims)
        arguments.dims.try_emplace(name, value);
    for (const auto& [name, type] : inputs.types)
        arguments.types.try_emplace(name, type);
    if (arguments.log.empty())
        arguments.log = inputs.log;
    arguments.pins = inputs.pinText() + arguments.pins;
    return withModelAsBook(std::move(arguments));
}

namespace {

// A default of the model that is given a value is an input of the type of that value.
void giveDefaults(const snapshot::Arguments& arguments, PipelineInputs& out) {
    const bool isFolder = isTestFolder(arguments.model);
    if (isGraphFile(arguments.model) || (!isFolder && arguments.inputs.empty()))
        return;
    const auto folder = isFolder ? findTestData(arguments.model) : Result<TestFolder>(TestFolder{});
    if (!folder || (arguments.inputs.empty() && folder->sets.empty()))
        return;
    const std::map<std::string, DeclaredTensor> defaults =
        defaultInputs(isFolder ? folder->model : arguments.model);
    if (defaults.empty())
        return;
    // What cannot be read, or does not fit, is told where it is used.
    const auto give = [&](const std::string& file, const std::string& name) {
        const auto tensor = readTensorFile(file);
        if (!tensor)
            return;
        const std::string& own = name.empty() ? tensor->name : name;
        const auto found = defaults.find(own);
        if (found != defaults.end() && found->second.takes(tensor->data.type()))
            out.types.try_emplace(own, tensor->data.type().text());
    };
    for (const auto& [name, file] : arguments.inputs)
        if (defaults.contains(name))
            give(file, name);
    if (arguments.inputs.empty())
        for (const std::string& file : folder->sets.front().inputs)
            give(file, {});
}

} // namespace

PipelineInputs inputsOf(const snapshot::Arguments& arguments) {
    PipelineInputs out{arguments.model,   arguments.target,
                       arguments.rules,   textsFor(arguments.rules, arguments.texts),
                       arguments.dims,    arguments.pins,
                       arguments.log,     arguments.agreed,
                       arguments.leftOut, arguments.types,
                       arguments.ranges};
    giveDefaults(arguments, out);
    if (arguments.threads)
        out.target +=
            fmt::format("{}-threads={}", out.target.empty() ? "" : " ", *arguments.threads);
    return out;
}

} // namespace fw
