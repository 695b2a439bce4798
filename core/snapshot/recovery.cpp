#include "snapshot/recovery.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fw::snapshot {

bool needsFreshWorker(const Diag& error, std::int64_t answered) {
    return error.code == DiagCode::LibraryLevel && answered > 0;
}

std::optional<Pin> pinAfterDeath(const Progress& last, const std::vector<Pin>& now,
                                 const std::string& how) {
    if (last.library.empty() || last.nodes.empty())
        return std::nullopt;
    bool died = false, everywhere = false;
    for (const Pin& pin : now)
        if (pin.kind == PinKind::Avoid && pin.implementation == last.library) {
            died = true;
            everywhere = everywhere || pin.nodes.empty();
        }
    if (everywhere)
        return std::nullopt;
    Pin out;
    out.kind = PinKind::Avoid;
    out.implementation = last.library;
    out.because = fmt::format("it ended the worker process ({})", how);
    if (!died)
        out.nodes = last.nodes;
    return out;
}

std::optional<std::string> variableAfterDeath(const Progress& last) {
    if (last.library.empty() || !last.nodes.empty())
        return std::nullopt;
    std::string out = "FUSEWRIGHT_";
    for (const char c : last.library)
        out += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return out;
}

std::string afterDeathText(const Pin& pin) {
    return fmt::format("{} is not used{} any more", pin.implementation,
                       pin.nodes.empty() ? std::string()
                                         : fmt::format(" for {}", fmt::join(pin.nodes, ", ")));
}

} // namespace fw::snapshot
