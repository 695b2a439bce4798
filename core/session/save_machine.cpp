#include "session/save_machine.h"

#include "base/files.h"
#include "extern/extern.h"
#include "runtime/cpu.h"
#include "session/calibrate.h"
#include "strategy/machine.h"
#include "strategy/machine_measure.h"
#include "strategy/workload_machine.h"
#include "target/saved_machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace fw {

namespace {

using Rates = decltype(MachineProfile::rates);

// Of a machine that is held to a CPU: the best of some attempts, since other work only takes away.
Result<Rates> ratesHeld(const Target& target, const Context& context, MeasuringSteps steps) {
    constexpr int attempts = 3;
    Rates out;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        FW_TRY(const MeasuredRates measured, measureRates(target, context, steps));
        for (const auto& [name, rate] : measured.rates) {
            const auto [known, isNew] = out.try_emplace(name, rate);
            if (!isNew)
                known->second = name.ends_with("_us") ? std::min(known->second, rate)
                                                      : std::max(known->second, rate);
        }
        if (!measured.disturbed)
            break;
    }
    return out;
}

// Those that plans of this machine stand on.
Result<Rates> ratesKnown(const Target& target, const Context& context, MeasuringSteps steps) {
    if (isMeasuredHere(target) && !knownRate(target, rateName(ownCode, WorkClass::Convolution))) {
        FW_TRY(const MeasuredRates measured, measureRates(target, context, steps));
        setRates(target, measured.rates, !measured.disturbed, 0);
    }
    Rates out;
    const auto take = [&](const std::string& name) {
        if (const auto rate = knownRate(target, name))
            out.emplace(name, *rate);
    };
    std::vector<std::string> makers = {std::string(ownCode)};
    for (const auto& library : externLibraries())
        makers.push_back(library->name());
    for (const std::string& maker : makers) {
        take(callName(maker));
        for (const WorkClass work : workClasses)
            take(rateName(maker, work));
    }
    return out;
}

} // namespace

Status saveMachine(const Target& target, const std::string& file, const Context& context) {
    const bool here = target.cpu == "native";
    if (!target.isHost || isMachineFile(target.cpu))
        return makeDiag(DiagCode::NotRunnable,
                        target.isHost ? fmt::format("{} is a file already", target.cpu)
                                      : fmt::format("{} does not run here, so nothing of it is "
                                                    "measured",
                                                    target.text),
                        {}, "save the machine on itself");
    FW_CHECK(holdLibraries(target));
    SavedMachine out;
    out.file = file;
    out.cpu = runtime::cpuInfo().model;
    out.level = target.level;
    out.threads = target.threads;
    out.l1 = target.l1;
    out.l2 = target.l2;
    out.l3 = target.l3;
    out.held = heldLevels(target);
    for (const auto& library : externLibraries())
        if (const LibraryStatus& status = library->status();
            status.state == LibraryState::Ready && !status.core.empty())
            out.libraries.push_back({library->name(), status.version, status.core});
    MachineProfile profile;
    std::size_t done = 0;
    for (const CeilingRow& row : ceilings()) {
        if (context.cancel.cancelled())
            return makeDiag(DiagCode::Cancelled, "the work was cancelled");
        context.report("machine", std::string(row.sentence), done++, ceilings().size());
        profile.*row.value =
            here ? ceilingOf(target, row.value) : measuredCeiling(target, row.value).value;
    }
    FW_TRY(profile.rates,
           here ? ratesKnown(target, context, {done, 0}) : ratesHeld(target, context, {done, 0}));
    out.figures = profile.text();
    return writeFile(file, out.text());
}

} // namespace fw
