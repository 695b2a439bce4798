#include "usage.h"

#include "base/files.h"
#include "base/nearest.h"
#include "ir/type_text.h"
#include "onnx/model/given_value.h"
#include "onnx/model/names.h"
#include "rewrite/left_out.h"
#include "session/book_texts.h"
#include "session/document.h"
#include "strategy/user_libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

namespace fw::cli {

namespace {

constexpr std::uint64_t largestLog = 256u << 20; // bytes, as of a log that is read

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

Diag notUnderstood(const CLI::App& program, const CLI::ParseError& error,
                   const std::vector<std::string>& words) {
    const std::vector<CLI::App*> found = program.get_subcommands();
    if (found.empty() && words.size() > 1 && !words[1].starts_with('-')) {
        std::vector<std::string> known;
        for (const CLI::App* command : program.get_subcommands(nullptr))
            known.push_back(command->get_name());
        return makeDiag(DiagCode::Usage, fmt::format("there is no command '{}'", words[1]), {},
                        didYouMean(words[1], known, "fw --help lists them"));
    }
    if (found.empty() && error.get_name() == "RequiredError")
        return makeDiag(DiagCode::Usage, "no command is given", {}, "fw --help lists them");
    const std::string command = found.empty() ? "" : found.front()->get_name() + " ";
    return makeDiag(DiagCode::Usage, error.what(), {},
                    fmt::format("fw {}--help tells what it takes", command));
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

} // namespace fw::cli
