#include "app/mcp/tools.h"

#include "snapshot/inputs.h"
#include "target/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace fw::mcp {

using namespace snapshot;

namespace {

// Of each call: a worker is a command that the user gives the server, answers are JSON, and what
// the parser of options answers is no answer of the engine.
bool isArgument(const Option& option) {
    return !std::holds_alternative<std::monostate>(option.slot) &&
           option.slot != Option::Slot(&Asked::worker) && option.slot != Option::Slot(&Asked::json);
}

// "leave-out" of "--leave-out".
std::string nameOf(const Option& option) {
    const std::string name = option.name();
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

Json schemaOfOne(const Option& option) {
    const std::string_view kind = option.kind();
    Json out;
    if (kind.empty())
        out["type"] = "boolean";
    else if (option.alone != nullptr)
        out["type"] = {"string", "boolean"}; // true: without a value
    else
        out["type"] = kind == "INT" ? "integer" : kind == "FLOAT" ? "number" : "string";
    if (kind == "FLOAT")
        out["minimum"] = 0;
    if (kind == "INT" && option.least != -Option::any)
        out["minimum"] = option.least;
    if (kind == "INT" && option.most != Option::any)
        out["maximum"] = option.most;
    if (!option.values.empty())
        out["enum"] = option.values;
    return out;
}

Json schemaOf(const Option& option) {
    Json out = schemaOfOne(option);
    if (option.isMany()) {
        out = {{"type", "array"}, {"items", std::move(out)}};
        if (option.required)
            out["minItems"] = 1;
        if (option.words != Option::any)
            out["maxItems"] = option.words;
    }
    out["description"] = option.about;
    return out;
}

Json toolOf(const CommandRow& row) {
    Json properties = Json::object(), required = Json::array();
    for (const Option& option : row.options) {
        if (!isArgument(option))
            continue;
        properties[nameOf(option)] = schemaOf(option);
        if (option.required)
            required.push_back(nameOf(option));
    }
    return {{"name", row.name},
            {"description", row.about},
            {"inputSchema",
             {{"type", "object"},
              {"properties", std::move(properties)},
              {"required", std::move(required)},
              {"additionalProperties", false}}},
            {"annotations",
             {{"readOnlyHint", !row.writes()},
              {"destructiveHint", row.writes()}, // a file that is there is written over
              {"openWorldHint", false}}}};
}

Diag wrongType(const std::string& name, const Json& value, std::string_view wanted) {
    return makeDiag(DiagCode::Usage,
                    fmt::format("{} is {}, not {}", name, wanted, value.type_name()));
}

// As it is typed; nothing where it has another type.
std::optional<std::string> valueText(const Option& option, const Json& value) {
    const std::string_view kind = option.kind();
    if (kind == "TEXT")
        return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
    const bool isNumber = kind == "INT" ? value.is_number_integer() : value.is_number();
    return isNumber ? std::optional(value.dump()) : std::nullopt;
}

// A library that a book declares is code, to which an agent cannot agree in place of the user.
Status hasNoLibraryOfBooks(const std::string& target) {
    const auto libraries = splitTarget(target).libraries;
    for (const std::string& name : libraries.value_or(std::vector<std::string>()))
        if (!parseTarget("x86-64 -libs=" + name))
            return makeDiag(DiagCode::LibraryNotAgreed,
                            fmt::format("{} is no library that is shipped, and an agent may load "
                                        "no other one",
                                        name),
                            {}, "run the command yourself");
    return {};
}

Status addFlag(const Option& option, const Json& value, std::vector<std::string>& words) {
    if (!value.is_boolean())
        return wrongType(nameOf(option), value, "true or false");
    const std::vector<std::string> names = option.allNames();
    if (value.get<bool>())
        words.push_back(option.name());
    else if (const std::string no = "--no-" + nameOf(option);
             std::find(names.begin(), names.end(), no) != names.end())
        words.push_back(no);
    return {};
}

Status addValues(const Option& option, const Json& value, std::vector<std::string>& options,
                 std::vector<std::string>& operands) {
    if (option.isMany() && !value.is_array())
        return wrongType(nameOf(option), value, "a list");
    for (const Json& one : option.isMany() ? value : Json::array({value})) {
        const std::optional<std::string> text = valueText(option, one);
        if (!text)
            return wrongType(nameOf(option), one,
                             option.kind() == "TEXT"  ? "a text"
                             : option.kind() == "INT" ? "a whole number"
                                                      : "a number");
        if (text->find('\0') != std::string::npos) // where the words of a process end
            return makeDiag(DiagCode::Usage, fmt::format("{} holds a zero byte", nameOf(option)),
                            {}, "no file and no name has one");
        if (option.slot == Option::Slot(&Asked::target) ||
            option.slot == Option::Slot(&Asked::targets))
            FW_CHECK(hasNoLibraryOfBooks(*text));
        if (option.isOperand())
            operands.push_back(*text);
        else
            options.push_back(fmt::format("{}={}", option.name(), *text));
    }
    return {};
}

} // namespace

Result<Tools> toolsNamed(const std::vector<std::string>& names) {
    Tools out;
    for (const CommandRow& row : commandRows())
        if (!row.name.empty() && !row.has(Speaks) &&
            (names.empty() || std::find(names.begin(), names.end(), row.name) != names.end()))
            out.push_back(&row);
    for (const std::string& name : names)
        if (find(out, name) == nullptr)
            return makeDiag(DiagCode::UnknownName, fmt::format("{} is no tool", name), {},
                            "fw help lists the commands");
    return out;
}

const CommandRow* find(const Tools& tools, std::string_view name) {
    const auto found = std::find_if(tools.begin(), tools.end(),
                                    [&](const CommandRow* tool) { return tool->name == name; });
    return found == tools.end() ? nullptr : *found;
}

Json listOf(const Tools& tools) {
    Json out = Json::array();
    for (const CommandRow* tool : tools)
        out.push_back(toolOf(*tool));
    return out;
}

Result<std::vector<std::string>> wordsOf(const CommandRow& tool, const Json& arguments) {
    if (!arguments.is_object())
        return makeDiag(DiagCode::Usage, "the arguments of a tool are an object");
    std::vector<std::string> options = {std::string(tool.name), "--json"}, operands;
    std::size_t known = 0;
    for (const Option& option : tool.options) {
        const auto given = arguments.find(nameOf(option));
        if (!isArgument(option) || given == arguments.end())
            continue;
        ++known;
        const bool isFlag = option.isFlag() || (option.alone != nullptr && given->is_boolean());
        FW_CHECK(isFlag ? addFlag(option, *given, options)
                        : addValues(option, *given, options, operands));
    }
    if (known < arguments.size())
        for (const auto& [name, value] : arguments.items()) {
            const bool isKnown = std::any_of(
                tool.options.begin(), tool.options.end(), [&, wanted = name](const Option& option) {
                    return isArgument(option) && nameOf(option) == wanted;
                });
            if (!isKnown)
                return makeDiag(DiagCode::Usage,
                                fmt::format("{} takes no argument {}", tool.name, name), {},
                                "tools/list tells what it takes");
        }
    options.push_back("--"); // an operand that begins with a dash is one all the same
    options.insert(options.end(), operands.begin(), operands.end());
    return options;
}

} // namespace fw::mcp
