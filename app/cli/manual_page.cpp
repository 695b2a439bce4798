#include "completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

namespace fw::cli {

using namespace snapshot;

namespace {

// Text as roff has it: its marks, and a dash that can be copied.
std::string plain(const std::string& text) {
    std::string out;
    for (const char c : text)
        out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string written(const OptionHelp& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.names)
        names.push_back("\\fB" + plain(name) + "\\fR");
    std::string out = fmt::format("{}", fmt::join(names, ", "));
    if (!option.name.starts_with('-'))
        return "\\fI" + plain(option.name) + "\\fR";
    if (!option.values.empty())
        return out + " " + plain(fmt::format("{}", fmt::join(option.values, "|")));
    return option.value.empty() ? out : out + " \\fI" + option.value + "\\fR";
}

std::string item(const OptionHelp& option) {
    return fmt::format(".TP\n{}{}\n{}\n", written(option), option.required ? " (needed)" : "",
                       plain(option.about));
}

std::string synopsis(const CommandHelp& command) {
    std::string out = "\\fBfw " + plain(command.name) + "\\fR";
    for (const OptionHelp& option : command.options)
        if (!option.name.starts_with('-'))
            out += fmt::format("{}{}{}{}", option.required ? " " : " [", written(option),
                               option.many ? "..." : "", option.required ? "" : "]");
        else if (option.required)
            out += " " + written(option);
    return out;
}

// What many commands take in the same words is said once, and named at each.
class Shared {
public:
    explicit Shared(const HelpDocument& program) : m_program(program) {
        for (const CommandHelp& command : program.commands)
            for (const OptionHelp& option : command.options)
                ++m_uses[keyOf(option)];
    }
    bool has(const OptionHelp& option) const { return m_uses.at(keyOf(option)) >= 5; }
    std::string text() const {
        std::string out;
        std::map<std::string, bool> told;
        for (const CommandHelp& command : m_program.commands)
            for (const OptionHelp& option : command.options)
                if (has(option) && !std::exchange(told[keyOf(option)], true))
                    out += item(option);
        return out;
    }

private:
    static std::string keyOf(const OptionHelp& option) {
        return option.name + "\n" + option.about + (option.required ? "!" : "");
    }

    const HelpDocument& m_program;
    std::map<std::string, int> m_uses;
};

} // namespace

std::string manualPage(const HelpDocument& program) {
    const Shared shared(program);
    std::string out = fmt::format(
        ".TH FW 1 \"\" \"fusewright {}\"\n"
        ".SH NAME\nfw \\- see what fuses and why, compile, time and export deep\\-learning graphs\n"
        ".SH SYNOPSIS\n\\fBfw\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n"
        ".SH DESCRIPTION\nThe engine of the workbench fusewright(1) from a terminal. Text for "
        "people by default; \\fB\\-\\-json\\fR prints one document, and nothing else, on standard "
        "output.\n.SH COMMANDS\n",
        program.version);
    for (const CommandHelp& command : program.commands) {
        out += ".SS " + synopsis(command) + "\n" + plain(command.about) + "\n";
        std::vector<std::string> others;
        for (const OptionHelp& option : command.options)
            if (shared.has(option))
                others.push_back("\\fB" + plain(option.name) + "\\fR");
            else
                out += item(option);
        if (!others.empty())
            out += fmt::format(".PP\nShared: {}\n", fmt::join(others, ", "));
    }
    out += ".SH SHARED OPTIONS\n" + shared.text();
    out += ".SH EXIT STATUS\n";
    for (const auto& [status, meaning] : {std::pair("0", "done"),
                                          {"1", "the answer is no: outputs differ, a test fails"},
                                          {"2", "bad input or usage"},
                                          {"3", "the environment: CPU, disk, compiler"},
                                          {"4", "an error of the program, or a crash"}})
        out += fmt::format(".TP\n{}\n{}\n", status, meaning);
    out += ".SH CODES\nErrors carry a code, and so does the reason of every decision.\n";
    for (const CodeHelp& code : program.codes)
        out += fmt::format(".TP\n{}\n{}\n", code.code, plain(code.about));
    return out + ".SH SEE ALSO\nfusewright(1)\n";
}

} // namespace fw::cli
