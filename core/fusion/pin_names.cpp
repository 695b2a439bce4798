#include "fusion/pin_names.h"

#include "base/nearest.h"
#include "strategy/melted.h"
#include "strategy/user_libraries.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

std::vector<std::string> namesFor(const Catalog& catalog, const PinClause& pin) {
    std::vector<std::string> out;
    const auto add = [&](const std::string& name) {
        if (name.find('*') == std::string::npos &&
            std::find(out.begin(), out.end(), name) == out.end())
            out.push_back(name);
    };
    if (pin.kind == PinKind::Avoid)
        for (const std::string& library : knownLibraries())
            add(library);
    for (const auto& implementation : catalog.all())
        add(implementation->name());
    add(meltedImplementation()->name());
    for (const StrategyBlock& block : catalog.book().blocks())
        for (const EntryTree& entry : block.tree->entries)
            add(entry.name);
    for (const WrittenSchedule& schedule : catalog.book().schedules())
        add(scheduleCode(schedule.tree->name));
    return out;
}

} // namespace

bool isPinned(const Catalog& catalog, const PinClause& pin) {
    const std::string entry(entryOf(pin.implementation));
    if (catalog.find(entry) != nullptr || catalog.book().names(entry))
        return true;
    const auto declared = catalog.library(kernelName(pin.implementation).library);
    if (declared != nullptr && declared->isDeclared())
        return true;
    const std::vector<std::string>& libraries = knownLibraries();
    return pin.kind == PinKind::Avoid &&
           std::find(libraries.begin(), libraries.end(), entry) != libraries.end();
}

Diags pinsWithoutCode(const Catalog& catalog, const FusionBook& book, const std::string& file) {
    Diags out;
    for (const PinRule& pin : book.pins()) {
        if (pin.file != file || pin.clause.implementation.empty() || isPinned(catalog, pin.clause))
            continue;
        const std::string entry(entryOf(pin.clause.implementation));
        const bool avoids = pin.clause.kind == PinKind::Avoid;
        out.push_back(makeDiag(
            DiagCode::TextName,
            fmt::format("there is no implementation{} {}", avoids ? " or library" : "", entry),
            {file, {}, pin.clause.span.line, pin.clause.span.column},
            didYouMean(entry, namesFor(catalog, pin.clause),
                       "fw ops NAME lists the implementations of an operator")));
    }
    return out;
}

} // namespace fw
