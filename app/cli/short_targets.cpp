#include "short_targets.h"

#include "snapshot/inputs.h"
#include "target/saved_machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw::cli {

Result<std::vector<std::string>> withShortTargets(std::vector<std::string> arguments) {
    const bool target =
        std::any_of(arguments.begin(), arguments.end(), [](const std::string& text) {
            return text == "--target" || text.starts_with("--target=");
        });
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        std::string& text = arguments[i];
        if (!text.starts_with("-libs="))
            continue;
        const bool isValue = arguments[i - 1] == "--target";
        if (target && !isValue)
            return makeDiag(DiagCode::Usage, text + " stands beside --target", {},
                            fmt::format("write it in the target: --target \"x86-64 {}\"", text));
        text = (isValue ? "x86-64 " : "--target=x86-64 ") + text;
    }
    return arguments;
}

std::vector<std::string> librariesNamed(const snapshot::Arguments& arguments) {
    std::vector<std::string> targets = arguments.targets, out;
    targets.push_back(arguments.target);
    for (const std::string& text : targets)
        if (const auto named = snapshot::splitTarget(text).libraries)
            out.insert(out.end(), named->begin(), named->end());
    return out;
}

Result<std::string> onMachine(const std::string& target, std::string file) {
    const auto usage = [](std::string what, std::string hint) {
        return makeDiag(DiagCode::Usage, std::move(what), {}, std::move(hint));
    };
    if (file.find_first_of(" \t") != std::string::npos)
        return usage(
            fmt::format("\"{}\" has blanks in its name, and is a word of the target", file),
            "give the file a name without them");
    if ((" " + target).find(" -mcpu=") != std::string::npos)
        return usage("--machine stands beside -mcpu in the target", "leave one of them out");
    if (!isMachineFile(file))
        file = "./" + file;
    return fmt::format("{} -mcpu={}", target.empty() ? "x86-64" : target, file);
}

} // namespace fw::cli
