#include "session/stage_keys.h"

#include "onnx/model/tensor_file.h"
#include "rewrite/required.h"
#include "syntax/op.h"
#include "syntax/test.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace fw {

namespace {

// Rules and operators decide about the model that is planned, tests about nothing.
bool decidesPlan(const DeclarationTree& declaration) {
    return !isA<OpTree>(declaration) && !isA<RuleTree>(declaration) &&
           !isA<BuiltinTree>(declaration) && !isA<TestTree>(declaration);
}

} // namespace

std::string stampOf(const std::string& file) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    const auto time = std::filesystem::last_write_time(file, error);
    return error ? std::string("-") : fmt::format("{}:{}", size, time.time_since_epoch().count());
}

std::string modelFileOf(const std::string& model) {
    return isTestFolder(model) ? (std::filesystem::path(model) / "model.onnx").string() : model;
}

std::string importKey(const PipelineInputs& inputs, const std::string& model, const Books& books) {
    std::string key = model + "\n";
    for (const auto& [name, extent] : inputs.dims)
        key += fmt::format("{} = {}\n", name, extent);
    for (const auto& [name, range] : inputs.ranges)
        key += fmt::format("{} = {}..{}\n", name, range.least, range.most);
    for (const auto& [name, type] : inputs.types)
        key += fmt::format("{}: {}\n", name, type);
    for (const OnnxReading& reading : books.operators->onnxReadings()) // notices cite them
        if (reading.source == OperatorSource::Book)
            key += reading.binding.where.text() + "\n";
    return key + books.operatorText;
}

std::string rulesKey(const PipelineInputs& inputs, const Books& books) {
    std::string key;
    for (const DeclarationPtr& entry : books.rules.entries)
        key += entry->source + "\n";
    for (const auto& pattern : books.rules.patterns)
        key += pattern->source + "\n";
    for (const std::string& one : inputs.leftOut)
        key += one + "\n";
    return key;
}

bool asksTarget(const Books& books) {
    const auto rules = each<RuleTree>(books.rules.entries);
    return std::any_of(rules.begin(), rules.end(),
                       [](const auto& rule) { return fw::asksTarget(rule->where); }) ||
           std::any_of(books.rules.patterns.begin(), books.rules.patterns.end(),
                       [](const auto& one) { return fw::asksTarget(one->pattern.where); });
}

std::string planTexts(const Books& books) {
    std::string key;
    for (const ReadBook& book : books.read)
        for (const DeclarationPtr& declaration : book.declarations)
            if (decidesPlan(*declaration))
                key += fmt::format("{}:{}:{} {}\n", book.file, declaration->span.line,
                                   declaration->span.column, declaration->source);
    return key;
}

} // namespace fw
