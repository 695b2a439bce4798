#include "completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fw::cli {

using namespace snapshot;

namespace {

// In quotes of a shell: text for people has apostrophes, words have none.
std::string quoted(std::string text, std::string_view apostrophe) {
    for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos;
         at += apostrophe.size())
        text.replace(at, 1, apostrophe);
    return "'" + text + "'";
}

bool isOperand(const OptionHelp& option) {
    return !option.name.starts_with('-');
}

std::vector<std::string> commandNames(const HelpDocument& program) {
    std::vector<std::string> out;
    for (const CommandHelp& command : program.commands)
        out.push_back(command.name);
    return out;
}

std::string bashCommand(const CommandHelp& command) {
    std::vector<std::string> names, operands;
    std::string values;
    for (const OptionHelp& option : command.options) {
        if (isOperand(option)) {
            operands.insert(operands.end(), option.values.begin(), option.values.end());
            continue;
        }
        names.insert(names.end(), option.names.begin(), option.names.end());
        if (!option.value.empty())
            values += fmt::format("        {}) takes=yes values='{}' ;;\n",
                                  fmt::join(option.names, "|"), fmt::join(option.values, " "));
    }
    return fmt::format("    {})\n"
                       "        options='{}' operands='{}'\n"
                       "        case $before in\n{}"
                       "        esac ;;\n",
                       command.name, fmt::join(names, " "), fmt::join(operands, " "), values);
}

} // namespace

std::string bashCompletion(const HelpDocument& program) {
    std::string out = R"(# Completion of fw, made by `fw help --as bash`.
_fw() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= i
    for ((i = 1; i < COMP_CWORD; ++i)); do
        [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }
    done
    # --stage=fused is three words here.
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    local takes= values= options= operands=
    case $command in
)";
    out += fmt::format("    '') options='--help --version' operands='{}' ;;\n",
                       fmt::join(commandNames(program), " "));
    for (const CommandHelp& command : program.commands)
        out += bashCommand(command);
    return out + R"(    esac
    local words=$operands
    if [[ $takes ]]; then
        words=$values
    elif [[ $word == -* ]]; then
        words=$options
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _fw fw
)";
}

std::string fishCompletion(const HelpDocument& program) {
    const auto quote = [](const std::string& text) { return quoted(text, "\\'"); };
    std::string out = "# Completion of fw, made by `fw help --as fish`.\n";
    for (const CommandHelp& command : program.commands)
        out += fmt::format("complete -c fw -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                           quote(command.about));
    for (const CommandHelp& command : program.commands)
        for (const OptionHelp& option : command.options) {
            std::string words;
            for (const std::string& name :
                 isOperand(option) ? std::vector<std::string>() : option.names)
                words += fmt::format(" -{} {}", name.starts_with("--") ? 'l' : 's',
                                     name.substr(name.find_first_not_of('-')));
            if (!option.values.empty())
                words += fmt::format(" -x -a '{}'", fmt::join(option.values, " "));
            else if (!option.value.empty())
                words += " -r";
            if (isOperand(option) && option.values.empty())
                continue; // a file
            out += fmt::format("complete -c fw -n '__fish_seen_subcommand_from {}'{} -d {}\n",
                               command.name, words, quote(option.about));
        }
    return out;
}

std::string zshCompletion(const HelpDocument& program) {
    const auto about = [](const std::string& text) {
        std::string out;
        for (const char c : text)
            out += std::string(std::string_view("[]:\\").find(c) == std::string_view::npos ? ""
                                                                                           : "\\") +
                   c;
        return out;
    };
    const auto quote = [](const std::string& text) { return quoted(text, "'\\''"); };
    std::string out = "#compdef fw\n# Completion of fw, made by `fw help --as zsh`.\n"
                      "_fw() {\n    local -a commands=(\n";
    for (const CommandHelp& command : program.commands)
        out += "        " + quote(command.name + ":" + about(command.about)) + "\n";
    out += "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        "
           "return\n"
           "    fi\n    shift words\n    (( CURRENT-- ))\n    case $words[1] in\n";
    for (const CommandHelp& command : program.commands) {
        out += fmt::format("    {})\n        _arguments", command.name);
        std::string operands = "_files";
        for (const OptionHelp& option : command.options) {
            const std::string values = option.values.empty()
                                           ? "_files"
                                           : fmt::format("({})", fmt::join(option.values, " "));
            if (isOperand(option)) {
                if (!option.values.empty())
                    operands = values;
                continue;
            }
            for (const std::string& name : option.names)
                out += " \\\n            " +
                       quote(fmt::format("{}{}[{}]{}", option.many ? "*" : "", name,
                                         about(option.about),
                                         option.value.empty() ? "" : ": :" + values));
        }
        out += " \\\n            " + quote("*: :" + operands) + " ;;\n";
    }
    return out + "    esac\n}\n_fw \"$@\"\n";
}

} // namespace fw::cli
