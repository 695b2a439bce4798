#include "usage.h"

#include "base/files.h"
#include "base/numbers.h"
#include "ir/type_text.h"
#include "onnx/model/given_value.h"
#include "onnx/model/names.h"
#include "rewrite/left_out.h"
#include "session/book_texts.h"
#include "session/document.h"
#include "strategy/user_libraries.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace fw::cli {

namespace {

constexpr std::uint64_t largestLog = 256u << 20; // bytes, as of a log that is read

// CLI11 puts what a check is called into the help text behind the kind of the value.
CLI::Validator named(const char* kind, std::function<std::string(std::string&)> check) {
    return CLI::Validator(std::move(check), "", kind);
}

CLI::Validator finite() {
    return named("finite", [](std::string& text) -> std::string {
        double value = 0;
        if (!text.empty() && CLI::detail::lexical_cast(text, value) && std::isfinite(value) &&
            value >= 0)
            return {};
        return fmt::format("'{}' is no finite number of 0 or more", text);
    });
}

std::string kindOf(const CLI::Option& option) {
    if (option.get_items_expected_max() == 0)
        return {};
    const std::string kind = option.get_type_name();
    return kind.starts_with("FLOAT") ? "FLOAT" : kind.starts_with("INT") ? "INT" : "TEXT";
}

bool hasCheck(CLI::Option& option) {
    try {
        option.get_validator(0);
        return true;
    } catch (const CLI::OptionNotFound&) {
        return false;
    }
}

bool isText(std::string word) {
    // A control character is one of a name, too.
    for (char& c : word)
        c = static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
    return cleanText(word) == word;
}

Result<Target> targetOf(const std::string& text, const snapshot::Arguments& arguments) {
    if (Result<Target> known = parseTarget(text))
        return known;
    // A book may declare it, or a library of it.
    FW_TRY(const std::vector<BookText> texts, bookTexts(arguments.rules, arguments.texts));
    const Books books = readBooks(texts);
    return parseTarget(text, declaredTargets(books), namesOf(books.libraries));
}

} // namespace

bool wantsJson(const std::vector<std::string>& words) {
    return std::find(words.begin(), words.end(), "--json") != words.end();
}

Status areText(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        if (isText(word))
            continue;
        std::string shown;
        for (const char c : word)
            shown += static_cast<unsigned char>(c) < 0x80
                         ? std::string(1, c)
                         : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        return makeDiag(DiagCode::Usage, fmt::format("{} is no text in UTF-8", shown), {},
                        "names of files are text here; rename the file");
    }
    return {};
}

Diag notUnderstood(const CLI::App& program, const CLI::ParseError& error) {
    const std::vector<CLI::App*> found = program.get_subcommands();
    const std::string command = found.empty() ? "" : found.front()->get_name() + " ";
    return makeDiag(DiagCode::Usage, error.what(), {},
                    fmt::format("fw {}--help tells what it takes", command));
}

CLI::Validator atLeast(std::int64_t least) {
    return named("least", [least](std::string& text) -> std::string {
        const auto value = parseInteger(text);
        return value && *value >= least
                   ? ""
                   : fmt::format("'{}' is no whole number of {} or more", text, least);
    });
}

CLI::Validator anyInteger() {
    return named("any", [](std::string& text) {
        return parseInteger(text) ? "" : fmt::format("'{}' is no whole number", text);
    });
}

void checkNumbers(CLI::App& program) {
    for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; }))
        for (CLI::Option* option : command->get_options()) {
            const std::string kind = kindOf(*option);
            if (hasCheck(*option))
                continue;
            if (kind == "FLOAT")
                option->check(finite());
            else if (kind == "INT")
                option->check(atLeast(0));
        }
}

Status checkGiven(const snapshot::Arguments& given, bool isWritten) {
    FW_TRY(const snapshot::Arguments arguments, withDocument(given));
    FW_CHECK(bookTexts(given.rules, given.texts));
    FW_CHECK(bookTexts(given.versus, given.texts));
    FW_CHECK(parseLeftOut(given.leftOut));
    DimNames dims(given.dims);
    for (const auto& [name, type] : given.types)
        if (!givenValue(type))
            FW_CHECK(typeFromText(type, [&](const std::string& dim) { return dims.known(dim); }));
    for (const auto& [name, file] : given.inputs)
        FW_CHECK(mapFile(file, std::numeric_limits<std::uint64_t>::max()));
    if (!given.log.empty() && !isWritten)
        FW_CHECK(mapFile(given.log, largestLog));
    std::vector<std::string> targets = given.targets;
    if (targets.empty() && (!given.target.empty() || given.threads))
        targets.push_back(given.target);
    for (const std::string& target : targets) {
        snapshot::Arguments one = arguments;
        one.target = target;
        FW_CHECK(targetOf(inputsOf(one).target, arguments));
    }
    return {};
}

Status isThere(const std::string& path) {
    std::error_code error;
    if (std::filesystem::exists(path, error))
        return {};
    return makeDiag(DiagCode::FileMissing, "is not there", {path});
}

std::string commandsJson(const CLI::App& program) {
    auto commands = nlohmann::ordered_json::array();
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
        auto options = nlohmann::ordered_json::array();
        for (const CLI::Option* option : command->get_options()) {
            const std::string name = option->get_positional() ? option->get_name(true)
                                     : !option->get_lnames().empty()
                                         ? "--" + option->get_lnames().front()
                                         : "-" + option->get_snames().front();
            options.push_back({{"name", name},
                               {"about", option->get_description()},
                               {"value", kindOf(*option)},
                               {"required", option->get_required()},
                               {"many", option->get_items_expected_max() > 1}});
        }
        commands.push_back({{"name", command->get_name()},
                            {"about", command->get_description()},
                            {"options", std::move(options)}});
    }
    return nlohmann::ordered_json{{"commands", std::move(commands)}}.dump();
}

} // namespace fw::cli
