#include "given.h"

#include "base/beginning.h"
#include "base/numbers.h"
#include "onnx/model/given_value.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <utility>

namespace fw::cli {

namespace {

// By name what an option gave.
class Once {
public:
    Status take(const std::string& name, const std::string& option, const std::string& text) {
        const std::string given = fmt::format("{} {}", option, text);
        const auto [place, fresh] = m_given.emplace(name, given);
        if (fresh)
            return {};
        return makeDiag(DiagCode::Usage,
                        fmt::format("{} is given twice: {} and {}", name, place->second, given), {},
                        "leave one of them out");
    }

private:
    std::map<std::string, std::string> m_given;
};

bool isFileThere(const std::string& file) {
    std::error_code error;
    return std::filesystem::exists(file, error);
}

// Whether a text that is no value was meant as one: it looks like none of the files that are read.
bool isMeantAsValue(const std::string& text) {
    if (text.find('/') != std::string::npos || text.ends_with(".npy") || text.ends_with(".pb"))
        return false;
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ||
           std::string_view("[({\"'+-0123456789").find(text[begin]) != std::string_view::npos ||
           text.find('.') == std::string::npos;
}

Diag noValue(const std::string& input, const std::string& text) {
    return makeDiag(DiagCode::Usage,
                    fmt::format("{} is no value for input {}: {}", beginningOf(text), input,
                                whyNoValue(text).value_or("")),
                    {},
                    "a value is a number, true, false or a list ([[1, 2], [3, 4]]); there is no "
                    "file of that name");
}

Result<std::pair<std::string, std::string>> splitPair(const std::string& text,
                                                      const std::string& option) {
    const std::size_t place = text.find('=');
    if (place == std::string::npos || place == 0)
        return makeDiag(DiagCode::Usage,
                        fmt::format("{} wants NAME=VALUE, not {}", option, beginningOf(text)));
    return std::pair(text.substr(0, place), text.substr(place + 1));
}

} // namespace

Status takeGiven(snapshot::Asked& asked) {
    Once inputs, constants, dims;
    for (const std::string& text : asked.givenInputs) {
        FW_TRY(auto pair, splitPair(text, "--input"));
        FW_CHECK(inputs.take(pair.first, "--input", text));
        if (pair.second.empty())
            return makeDiag(DiagCode::Usage,
                            fmt::format("--input {} names no value", beginningOf(text)), {},
                            fmt::format("--input {0}16000, --input '{0}[1, 2]' or --input {0}FILE",
                                        beginningOf(text)));
        if (isValueText(pair.second)) {
            FW_CHECK(constants.take(pair.first, "--input", text));
            asked.types.insert_or_assign(pair.first, asGivenValue(pair.second));
        } else if (isMeantAsValue(pair.second) && !isFileThere(pair.second)) {
            return noValue(pair.first, pair.second);
        } else {
            asked.inputs.insert(std::move(pair));
        }
    }
    for (const std::string& text : asked.givenDims) {
        FW_TRY(auto pair, splitPair(text, "--dim"));
        const std::size_t dots = pair.second.find("..");
        const auto least = parseInteger(pair.second.substr(0, dots));
        const auto most =
            dots == std::string::npos ? least : parseInteger(pair.second.substr(dots + 2));
        if (!least || !most || *least < 0 || *most < *least)
            return makeDiag(DiagCode::Usage,
                            "--dim wants NAME=N or NAME=N..M with N >= 0 and M >= N, not " +
                                beginningOf(text));
        FW_CHECK(dims.take(pair.first, "--dim", text));
        if (dots == std::string::npos)
            asked.dims[pair.first] = *least;
        else
            asked.ranges[pair.first] = {*least, *most};
    }
    for (const std::string& text : asked.givenTypes) {
        FW_TRY(auto pair, splitPair(text, "--type"));
        // A file and a type may go together: the type is that of the input.
        FW_CHECK(constants.take(pair.first, "--type", text));
        asked.types.insert_or_assign(pair.first, pair.second);
    }
    Once levels, attributes;
    for (const std::string& text : asked.givenLevels) {
        FW_TRY(auto pair, splitPair(text, "--set"));
        FW_CHECK(levels.take(pair.first, "--set", text));
        asked.levels.insert(std::move(pair));
    }
    for (const std::string& text : asked.givenAttributes) {
        FW_TRY(auto pair, splitPair(text, "--attr"));
        FW_CHECK(attributes.take(pair.first, "--attr", text));
        asked.attributes.insert_or_assign(std::move(pair.first), std::move(pair.second));
    }
    return {};
}

} // namespace fw::cli
