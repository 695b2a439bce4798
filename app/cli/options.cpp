#include "options.h"

#include "base/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fw::cli {

namespace {

using snapshot::Asked;
using snapshot::Option;

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

CLI::Validator oneOf(const std::vector<std::string_view>& words) {
    return named("word", [&words](std::string& text) {
        return std::find(words.begin(), words.end(), text) != words.end()
                   ? ""
                   : fmt::format("'{}' is none of {}", text, fmt::join(words, ", "));
    });
}

CLI::Validator something() {
    return named("text", [](const std::string& text) {
        return text.empty() ? std::string("nothing is given") : std::string();
    });
}

// One option of one command, by the type of the member that its value goes to.
struct Added {
    CLI::App& app;
    const Option& row;
    Asked& asked;

    CLI::Option* operator()(std::monostate) const { return nullptr; } // the parser has it
    CLI::Option* operator()(Option::Member<bool> flag) const {
        return app.add_flag(std::string(row.names), asked.*flag, std::string(row.about));
    }
    // CLI11 takes what may be nothing for a counter, which begins at 0: it would be said then.
    CLI::Option* operator()(Option::Member<std::optional<bool>> flag) const {
        return app.add_flag(std::string(row.names))
            ->description(std::string(row.about))
            ->each([into = &asked, flag](const std::string& value) {
                into->*flag = value != "false";
            });
    }
    CLI::Option* operator()(Option::Member<std::string> text) const { return optionOf(text); }
    CLI::Option* operator()(Option::Member<std::vector<std::string>> texts) const {
        CLI::Option* option = optionOf(texts);
        if (!row.isOperand() && !row.takesSeveral)
            option->allow_extra_args(false);
        if (row.words != Option::any)
            option->expected(1, static_cast<int>(row.words));
        return option;
    }
    CLI::Option* operator()(Option::Member<std::optional<double>> number) const {
        return optionOf(number)->check(finite());
    }
    template <class Integer>
    CLI::Option* operator()(Option::Member<std::optional<Integer>> number) const {
        return optionOf(number)->check(row.most != Option::any     ? CLI::Range(row.least, row.most)
                                       : row.least == -Option::any ? anyInteger()
                                                                   : atLeast(row.least));
    }

private:
    template <class Member>
    CLI::Option* optionOf(Member member) const {
        return app.add_option(std::string(row.names), asked.*member, std::string(row.about));
    }
};

bool takesText(const Option& row) {
    return std::holds_alternative<Option::Member<std::string>>(row.slot) ||
           std::holds_alternative<Option::Member<std::vector<std::string>>>(row.slot);
}

} // namespace

CLI::App* addCommand(CLI::App& program, const snapshot::CommandRow& row, Asked& asked) {
    CLI::App* app = program.add_subcommand(std::string(row.name), std::string(row.about));
    for (const Option& one : row.options) {
        CLI::Option* option = std::visit(Added{*app, one, asked}, one.slot);
        if (option == nullptr)
            continue;
        option->required(one.required);
        if (one.alone == nullptr && one.values.empty() && takesText(one))
            option->check(something());
        if (!one.values.empty())
            option->check(oneOf(one.values));
        if (one.alone != nullptr)
            option->expected(0, 1)->each([&asked, flag = one.alone](const std::string& value) {
                asked.*flag = value.empty();
            });
        if (!one.excludes.empty())
            option->excludes(app->get_option(std::string(one.excludes)));
    }
    return app;
}

} // namespace fw::cli
